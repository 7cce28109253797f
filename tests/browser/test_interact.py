"""Widgets that come and go in a real JupyterLab: each move of an `interact` makes another one."""

from __future__ import annotations

import nbformat
from playwright.sync_api import expect

from browser.harness import watched_page
from browser.jupyter import PANEL_READY
from browser.reading import answered, wait_for_answer

NAME = "interact.ipynb"
IMPORTS = """
import gc
import numpy as np
from ipywidgets import interact
import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] + X[:, 1]
"""
KEPT = """
kept = uq.explore(lambda A: A.sum(axis=1), X, y, n_repeats=2, stress_feature="x0")
kept
"""
INTERACT = """
@interact(k=(1, 9))
def show(k):
    return uq.explore(lambda A: k * A[:, 0], X, y, n_repeats=2, feature="x0")
"""
COUNT = """
gc.collect()
explorers = [one for one in gc.get_objects() if uq.Explorer in type(one).__mro__]
print("explorers:", len(explorers), "explainers:", len({id(e.explainer) for e in explorers}))
print("kept:", kept.tau)
del explorers
"""
RUN_LAST = """async () => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  await window.jupyterapp.commands.execute("notebook:run-cell");
  return content.widgets.at(-1).model.toJSON().outputs.map((output) => output.text).join("");
}"""
CLOSE_TAB = """async () => {
  const { commands, shell } = window.jupyterapp;
  await shell.currentWidget.context.save();
  await commands.execute("application:close");
}"""
OPEN_TAB = """(path) => window.jupyterapp.commands.execute("docmanager:open", { path })"""


def test_moves_of_an_interact_free_what_they_replace_and_a_reopened_tab_keeps_what_is_referred_to(
    lab, browser
):
    cells = [nbformat.v4.new_code_cell(code) for code in (IMPORTS, KEPT, INTERACT, COUNT)]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), lab.folder / NAME)
    with watched_page(browser, viewport={"width": 1280, "height": 3000}) as page:
        lab.run_notebook(page, NAME)
        roots = page.get_by_test_id("uq-root")
        expect(roots).to_have_count(2)
        slider = page.locator(".jupyter-widgets .noUi-handle").first
        for _ in range(4):
            before = roots.last.element_handle()
            slider.press("ArrowRight")
            page.wait_for_function("(old) => !old.isConnected", arg=before)
            expect(roots).to_have_count(2)
            wait_for_answer(roots.last)
            # One picture for each explorer that is shown, and none of those that are gone.
            expect(page.locator("[class^=uq-picture-]:visible")).to_have_count(0)
        assert page.evaluate(RUN_LAST).startswith(
            # The one that is kept, the one that is shown, and the one that it has just replaced.
            "explorers: 3 explainers: 3"
        )
        page.evaluate(CLOSE_TAB)
        expect(roots).to_have_count(0)
        page.evaluate(OPEN_TAB, NAME)
        page.wait_for_function(PANEL_READY)
        kept = roots.first
        expect(kept).to_be_visible()
        wait_for_answer(kept)
        with answered(kept):
            kept.get_by_test_id("uq-tau").fill("0.25")
        expect(kept.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.25")
        assert "kept: 0.25" in page.evaluate(RUN_LAST)
