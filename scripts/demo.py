"""Run the quickstart; print its two tables and write two pages that need no kernel.

One is the explorer, live: its controls answer. The other is the notebook. It must open anywhere,
offline: it is made from the stored outputs alone and checked for anything that a browser would
fetch.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from offline import outside_references

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "notebooks" / "quickstart.ipynb"
PAGE = ROOT / "build" / "quickstart.html"
EXPLORER = ROOT / "build" / "explorer.html"

# Each feature that can be stressed adds seconds to the demo.
SAVE = f"""
widget.save(
    {str(EXPLORER)!r},
    title="Which features drive a model's predictions, its errors and its confidence?",
    note="The quickstart's model. The three most important features can be stressed here.",
    stress_features=list(ex.importance("nll").features[:3]),
    progress=False,
)
"""

# The scripts that nbconvert's page loads from elsewhere: mathematics, diagrams, live widgets.
TEMPLATE = """
{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
"""


def main() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    PAGE.parent.mkdir(exist_ok=True)
    notebook.cells.append(new_code_cell(SAVE))
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        store_widget_state=False,
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    ).execute()
    notebook.cells.pop()

    page, _ = HTMLExporter(raw_template=TEMPLATE).from_notebook_node(notebook)
    if outside := outside_references(page):
        sys.exit(f"The page would load {', '.join(outside)}: it must show everything offline.")
    PAGE.write_text(page, encoding="utf-8")

    for tag in ("importance", "stress"):
        print(text_of(notebook, tag), end="\n\n")
    print(f"The explorer, live, without a kernel: {EXPLORER.as_uri()}")
    print(f"The notebook, without a kernel: {PAGE.as_uri()}")
    print("The same notebook, live: make lab")


def text_of(notebook: NotebookNode, tag: str) -> str:
    """Return the output of the cell with this tag as plain text."""
    (cell,) = (cell for cell in notebook.cells if tag in cell.metadata.get("tags", []))
    shown = (
        output.text if output.output_type == "stream" else output.get("data", {})["text/plain"]
        for output in cell.outputs
    )
    return "\n".join(shown).strip()


if __name__ == "__main__":
    main()
