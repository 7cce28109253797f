"""Run notebooks in a kernel, which several of them may share one after the other."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat

from kernels import run_cells

ROOT = Path(__file__).resolve().parents[1]


def read(name):
    """Return a notebook, by its path below ``notebooks``."""
    return nbformat.read(ROOT / "notebooks" / name, as_version=4)


def run(name, kernel):
    """Run a notebook; return the output of each of its code cells as plain text.

    The kernel starts with the first notebook. Each notebook begins without the names of the one
    before, and packages are imported only once.
    """
    return execute(read(name), name, kernel)


def execute(notebook, name, kernel):
    """Run the cells of a notebook that was read; return the output of each code cell."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    run_cells(notebook, kernel, ROOT)
    pages = [str(o.get("data", {}).get("text/html", "")) for cell in cells for o in cell.outputs]
    assert not [page for page in pages if "cdn." in page], f"{name} shows a chart from the network"
    return [
        "".join(
            output.get("text") or output["data"].get("text/plain", "") for output in cell.outputs
        )
        for cell in cells
    ]


def plotting_lines(source):
    """Number of lines of a cell's statements that make charts."""
    statements = ast.parse(source).body
    lines = source.splitlines()
    charts = [s for s in statements if not isinstance(s, (ast.Import, ast.ImportFrom))]
    spans = [lines[s.lineno - 1 : s.end_lineno] for s in charts]
    return sum(
        len(span) for span in spans if any("alt." in line or "to_altair" in line for line in span)
    )
