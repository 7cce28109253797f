"""Pins in JupyterLab survive a reload of the page, and saving the notebook with its widgets."""

from __future__ import annotations

import json

import nbformat
import pytest
from playwright.sync_api import expect

from browser.jupyter import first_widget
from browser.reading import answered, wait_for_answer

# The quickstart is run in JupyterLab every time, by test_lab.py.
pytestmark = pytest.mark.thorough

CELL = """
import numpy as np
import pandas as pd
import uqwidgets as uq

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["length", "width", "height"])
y = X["length"].to_numpy() + rng.normal(size=80)


def model(A):
    return A["length"].to_numpy(), np.full(len(A), 0.5)


explorer = uq.explore(model, X, y, n_repeats=3, stress_feature="length", feature="length")
explorer
"""
NAME = "pins.ipynb"
NOTE = "the <b>first</b> view"
# As the entry "Save Widget State Automatically" in the menu "Settings".
SAVE_WITH_WIDGETS = """async () => {
  const { commands, shell } = window.jupyterapp;
  await commands.execute("@jupyter-widgets/jupyterlab-manager:saveWidgetState");
  await shell.currentWidget.context.save();
}"""
SHUT_DOWN = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"


@pytest.fixture(scope="module")
def notebook(lab):
    """A notebook in which two views are pinned, the first with a note and as the ghost."""
    cells = [nbformat.v4.new_code_cell(CELL)]
    spec = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=spec), lab.folder / NAME)
    return lab.folder / NAME


def check_pins(root):
    expect(root.get_by_test_id("uq-pin-view")).to_have_text([f"1{NOTE}", "2prediction along width"])
    expect(root.get_by_test_id("uq-pin-key").first).to_contain_text(f"pin: {NOTE}")


def open_again(lab, page):
    return first_widget(page, lambda: page.goto(lab.address(NAME)))


def test_pins_survive_a_reload_and_saving(lab, lab_page, notebook):
    page = lab_page
    lab.run_notebook(page, NAME)
    root = page.get_by_test_id("uq-root")
    wait_for_answer(root)
    with answered(root):
        root.get_by_test_id("uq-tau").fill("0.5")
    root.get_by_test_id("uq-pin").click()
    root.get_by_test_id("uq-pin-note").fill(NOTE)
    root.get_by_test_id("uq-pin-note").press("Enter")
    root.get_by_test_id("uq-pin-ghost").check()
    with answered(root):
        root.get_by_test_id("uq-tau-reset").click()
    with answered(root):
        root.get_by_test_id("uq-feature").select_option(value="width")
    root.get_by_test_id("uq-pin").click()
    check_pins(root)
    page.evaluate(SAVE_WITH_WIDGETS)

    # the kernel goes on
    root = open_again(lab, page)
    wait_for_answer(root)
    check_pins(root)
    with answered(root):
        root.get_by_test_id("uq-pin-view").first.click()
    assert root.get_by_test_id("uq-tau").input_value() == "0.5"

    # the pins are in the file, and need no kernel
    widgets = json.loads(notebook.read_text())["metadata"]["widgets"]
    (states,) = widgets.values()
    (pins,) = [w["state"]["pins"] for w in states["state"].values() if "pins" in w["state"]]
    assert [(pin["note"], pin["state"]["tau"], pin["ghost"]) for pin in pins] == [
        (NOTE, 0.5, True),
        ("", 0.0, False),
    ]
    page.evaluate(SHUT_DOWN)
    root = open_again(lab, page)
    check_pins(root)
    sentence = root.get_by_text("The kernel does not answer, so this part")
    expect(sentence.first).to_be_visible()
