"""The lifetime of widgets in a real JupyterLab: each change of an `interact` makes another one."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from browser.jupyter import OPEN, first_widget
from browser.reading import answered, wait_for_answer

# The quickstart is run in JupyterLab every time, by test_lab.py.
pytestmark = pytest.mark.thorough

NAME = "interact.ipynb"
IMPORTS = """
import gc
import numpy as np
from ipywidgets import interact
import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] + X[:, 1]
"""
REFERENCED = """
referenced = uq.explore(lambda A: A.sum(axis=1), X, y, n_repeats=2, stress_feature="x0")
referenced
"""
INTERACT = """
@interact(k=(1, 9))
def show(k):
    return uq.explore(lambda A: k * A[:, 0], X, y, n_repeats=2, feature="x0")
"""
COUNT = """
gc.collect()
explorers = [each for each in gc.get_objects() if uq.Explorer in type(each).__mro__]
print("explorers:", len(explorers), "explainers:", len({id(e.explainer) for e in explorers}))
print("referenced:", referenced.tau)
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


def test_interact_frees_replaced_widgets_and_keeps_referenced_ones(lab, lab_page):
    cells = [nbformat.v4.new_code_cell(code) for code in (IMPORTS, REFERENCED, INTERACT, COUNT)]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), lab.folder / NAME)
    page = lab_page
    page.set_viewport_size({"width": 1280, "height": 3000})
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
        # Pictures of shown explorers are hidden, and those of replaced ones are removed.
        expect(page.locator("[class^=uq-picture-]:visible")).to_have_count(0)
    assert page.evaluate(RUN_LAST).startswith(
        # The referenced one, the shown one, and the one that was replaced last.
        "explorers: 3 explainers: 3"
    )

    def open_again():
        page.evaluate(CLOSE_TAB)
        expect(roots).to_have_count(0)
        page.evaluate(OPEN, NAME)

    referenced = first_widget(page, open_again)
    wait_for_answer(referenced)
    with answered(referenced):
        referenced.get_by_test_id("uq-tau").fill("0.25")
    expect(referenced.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.25")
    assert "referenced: 0.25" in page.evaluate(RUN_LAST)
