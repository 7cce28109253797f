"""A notebook that nbconvert turns into HTML shows its explorers without a kernel or network."""

from __future__ import annotations

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from browser.harness import PATIENCE, VIEWPORT
from browser.reading import answered, table, wait_for_answer
from hosts.conftest import TESTS
from hosts.rounds import are_the_numbers_of_python
from kernels import new_kernel, run_cells

CELLS = (
    "from hosts.demo import make\nexplorer = make()\nexplorer",
    "explorer.freeze(progress=False)",
)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with new_kernel() as kernel:
        run_cells(notebook, kernel, TESTS)  # its cells import this package
    html, _ = HTMLExporter().from_notebook_node(notebook)
    path = tmp_path_factory.mktemp("converted") / "notebook.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.mark.thorough
def test_the_picture_stands_for_the_widget_and_a_frozen_explorer_lives(converted, browsers):
    errors = []
    with browsers("chromium").new_context(viewport=VIEWPORT, offline=True) as session:
        page = session.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(converted.as_uri())
        expect(page.get_by_text("A picture of what the widget showed last")).to_be_visible()
        root = page.frame_locator("iframe").get_by_test_id("uq-root")
        page.locator("iframe").scroll_into_view_if_needed()
        wait_for_answer(root)
        are_the_numbers_of_python(table(root, "Importance"), 0.0)
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        # The page has this level within 0.2 % of the axis.
        are_the_numbers_of_python(table(root, "Importance"), 1.0, 0.002)
    assert errors == []
