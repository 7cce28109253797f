"""Two tabs of one notebook show one widget, and an open page survives a restart of the kernel."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from browser.harness import watched_page
from browser.jupyter import RUN_ALL, first_widget
from browser.reading import answered, wait_for_answer
from browser.test_reopened import CELL, SAVE

# The quickstart is run in JupyterLab every time, by test_lab.py.
pytestmark = pytest.mark.thorough

NAME = "two_tabs.ipynb"
RESTART = """async () => {
  const { sessionContext } = window.jupyterapp.shell.currentWidget;
  await sessionContext.restartKernel();
  await sessionContext.session.kernel.info;
}"""


def test_two_tabs_share_a_kernel_and_survive_its_restart(lab, lab_page, browser):
    cells = [nbformat.v4.new_code_cell(CELL)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.folder / NAME)
    first = lab_page
    with watched_page(browser, is_notebook=True) as second:
        lab.run_notebook(first, NAME)
        one, other = (page.get_by_test_id("uq-root") for page in (first, second))
        wait_for_answer(one)
        first.evaluate(SAVE)
        wait_for_answer(first_widget(second, lambda: second.goto(lab.address(NAME))))
        for here, there, tau in ((one, other, "0.5"), (other, one, "-0.25")):
            with answered(here):
                here.get_by_test_id("uq-tau").fill(tau)
            expect(there.get_by_test_id("uq-tau")).to_have_value(tau)
            expect(there.get_by_test_id("uq-stress-readout")).to_contain_text("τ")
            shown = here.locator(".uq-importance").text_content()
            expect(there.locator(".uq-importance")).to_have_text(shown)
        first.evaluate(RESTART)
        # What the page shows stays, and it says why nothing answers.
        one.get_by_test_id("uq-tau").fill("1")
        expect(one.get_by_test_id("uq-watchdog")).to_contain_text("run the cell again")
        expect(one.get_by_test_id("uq-importance-row")).to_have_count(3)
        assert not first.evaluate(RUN_ALL, 200_000)
        wait_for_answer(one)
        with answered(one):
            one.get_by_test_id("uq-tau").fill("0.25")
        expect(one.get_by_test_id("uq-watchdog")).to_be_hidden()
