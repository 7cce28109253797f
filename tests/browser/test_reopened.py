"""A notebook that is reopened without its kernel shows the last picture of the widget."""

from __future__ import annotations

import json

import nbformat
import pytest
from playwright.sync_api import expect

from browser.jupyter import PANEL_READY
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


uq.explore(model, X, y, n_repeats=3, stress_feature="length", feature="length")
"""
NAME = "reopened.ipynb"
PICTURE = "[class^=uq-picture-]"
SAVE = "() => window.jupyterapp.shell.currentWidget.context.save()"
SHUT_DOWN = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"


@pytest.fixture(scope="module")
def saved(lab, lab_page):
    """Save a notebook with a stressed and filtered widget, and shut down its kernel."""
    nbformat.write(
        nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(CELL)],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        ),
        lab.folder / NAME,
    )
    page = lab_page
    lab.run_notebook(page, NAME)
    root, picture = page.get_by_test_id("uq-root"), page.locator(PICTURE)
    wait_for_answer(root)
    expect(picture).to_have_count(1)
    with answered(root):
        root.get_by_test_id("uq-tau").fill("0.5")
    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option(label="width")
    with answered(root):
        root.get_by_test_id("uq-filter-low").fill("-1")
        root.get_by_test_id("uq-filter-low").press("Tab")
    with answered(root):
        root.get_by_test_id("uq-importance-row").nth(1).click()
    feature = root.get_by_test_id("uq-feature").input_value()
    expect(picture).to_contain_text("τ = 0.5")
    expect(picture).to_contain_text(f"predicted mean on {feature}")
    expect(picture).to_be_hidden()
    page.evaluate(SAVE)
    page.evaluate(SHUT_DOWN)
    return feature


def opened(lab, page):
    page.goto(lab.address(NAME))
    page.wait_for_function(PANEL_READY)
    picture = page.locator(PICTURE)
    expect(picture).to_be_visible()
    return picture


def check_words(picture, feature):
    expect(picture).to_contain_text("τ = 0.5 moves the mean of length")
    expect(picture).to_contain_text("rows with width at least −1")
    expect(picture).to_contain_text(f"predicted mean on {feature}")


def test_a_reopened_notebook_shows_the_last_picture_without_a_kernel(lab, lab_page, saved):
    picture = opened(lab, lab_page)
    check_words(picture, saved)
    expect(lab_page.get_by_test_id("uq-root")).to_have_count(0)
    for drawing in picture.locator("img").all():
        expect(drawing).to_be_visible()
    assert picture.locator("img").count() == 4


def test_pictures_are_shown_in_an_untrusted_notebook(lab, lab_page, saved):
    path = lab.folder / NAME
    notebook = json.loads(path.read_text())
    notebook["metadata"]["edited"] = "elsewhere"
    (output,) = (
        output
        for output in notebook["cells"][0]["outputs"]
        if "text/html" in output.get("data", {})
    )
    # The changed output has no signature, so the notebook is not trusted.
    output["data"]["text/html"] = ["".join(output["data"]["text/html"]), "<!-- -->"]
    path.write_text(json.dumps(notebook))
    picture = opened(lab, lab_page)
    check_words(picture, saved)
    assert picture.locator("svg").count() == 0
    images = picture.locator("img")
    assert images.count() == 4
    for image in images.all():
        expect(image).to_be_visible()
        assert image.evaluate("(image) => image.naturalWidth") > 100
