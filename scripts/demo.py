"""Run the quickstart; print its two tables and write a page that shows the rest without a kernel.

The page must open anywhere, offline: it is made from the stored outputs alone and checked for
anything that a browser would fetch.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from offline import outside_references

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "notebooks" / "quickstart.ipynb"
PAGE = ROOT / "build" / "quickstart.html"

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
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        store_widget_state=False,
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    ).execute()

    page, _ = HTMLExporter(raw_template=TEMPLATE).from_notebook_node(notebook)
    if outside := outside_references(page):
        sys.exit(f"The page would load {', '.join(outside)}: it must show everything offline.")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page, encoding="utf-8")

    for tag in ("importance", "stress"):
        print(text_of(notebook, tag), end="\n\n")
    print(f"The whole result, without a kernel: {PAGE.as_uri()}")
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
