"""The notebooks run; `make demo` runs the quickstart."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]


def shown(name):
    """Run a notebook; return what each cell showed, as plain text."""
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    resources = {"metadata": {"path": str(ROOT)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return [
        "".join(output.get("text") or output["data"]["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_on_stress_shows_what_it_tells():
    texts = shown("stress.ipynb")
    assert all(texts)
    truth, responses, *_ = texts
    assert truth.startswith("Stress of 5 features at 21 levels")
    assert [line.split()[1] for line in responses.splitlines()[1:]][0::4] == ["x4", "x0"]
    everything = "\n".join(texts)
    for said in ("beyond quantile", "constant", "edge", "region=west", "ConcatChart"):
        assert said in everything
