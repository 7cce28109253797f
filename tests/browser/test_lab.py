"""The quickstart in a real JupyterLab: the numbers on the page equal those computed in Python."""

from __future__ import annotations

import shutil

import nbformat
import numpy as np
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import faultless
from browser.quickstart import NOTEBOOK, quickstart
from browser.reading import (
    ROUNDING,
    answered,
    flood,
    model_calls,
    number,
    numbers,
    table,
    wait_for_answer,
)
from uqwidgets.widgets.inputs.curve_form import N_VALUES

NOTEBOOK_STATE = """() => {
  const { model, content } = window.jupyterapp.shell.currentWidget;
  return [model.cells.length, content.activeCellIndex];
}"""


@pytest.fixture(scope="module")
def explainer():
    """The same model and data in this process, whose results the page must show."""
    names = quickstart()
    return uq.Explainer(names["model"], names["X_test"], names["y_test"])


@pytest.fixture(scope="module")
def quickstart_page(lab, lab_page):
    """The quickstart, run once in JupyterLab; every test restores the state of the widget."""
    shutil.copy(NOTEBOOK, lab.folder / NOTEBOOK.name)
    lab.run_notebook(lab_page, NOTEBOOK.name)
    return lab_page


@pytest.fixture
def root(quickstart_page):
    root = quickstart_page.get_by_test_id("uq-root")
    root.scroll_into_view_if_needed()
    wait_for_answer(root)
    yield root
    with answered(root):
        root.get_by_test_id("uq-tau").press("Home")
    with answered(root):
        root.get_by_test_id("uq-tau-reset").click()


def check_importance(root, explainer, **weighting):
    repeats = int(root.get_by_test_id("uq-repeats").input_value())
    shown = {name: [number(cell) for cell in cells] for name, *cells in table(root, "Importance")}
    assert set(shown) == set(explainer.features)
    for start, measure in ((0, "nll"), (4, "entropy")):
        expected = explainer.importance(measure, n_repeats=repeats, **weighting).frame
        for line in expected.itertuples():
            value, low, high = shown[line.feature][start : start + 3]
            assert value == pytest.approx(line.importance, rel=ROUNDING, abs=1e-12)
            assert low == pytest.approx(line.low, rel=ROUNDING, abs=1e-12)
            assert high == pytest.approx(line.high, rel=ROUNDING, abs=1e-12)


def check_dependence(root, explainer, feature, **weighting):
    measure = root.get_by_test_id("uq-measure").input_value()
    lines = table(root, "Dependence")
    shown = np.array([[number(cell) for cell in line[:-1]] for line in lines])
    frame = explainer.dependence(feature, measure, grid=N_VALUES, **weighting).frame
    assert [line[-1] == "enough" for line in lines] == frame["near"].tolist()
    for column, name in enumerate(("value", "average", "low", "high")):
        np.testing.assert_allclose(shown[:, column], frame[name], rtol=ROUNDING)


def check_stress(root, explainer, feature, tau, rows=None):
    """Compare all numbers of the readout; digits in the feature's name are ignored."""
    indicator = root.get_by_test_id("uq-indicator").input_value()
    stress = explainer.stress([feature], [indicator], taus=[tau], level=0.95, rows=rows).frame
    at_tau = stress[stress["tau"] == tau].iloc[0]
    at_zero = stress[stress["tau"] == 0].iloc[0]
    text = root.get_by_test_id("uq-stress-readout").inner_text().replace(feature, "")
    mean, reached, level, ess, size, *values = numbers(text)
    assert (mean, reached) == pytest.approx((at_zero.reached, at_tau.reached), rel=ROUNDING)
    assert level == tau
    assert (ess, size) == (round(at_tau.ess), len(explainer.table if rows is None else rows))
    ends = at_tau.low, at_tau.high
    assert values == pytest.approx([at_zero.value, at_tau.value, 95, *ends], rel=ROUNDING)


@pytest.mark.thorough
def test_every_control_of_the_quickstart_works(root, explainer):
    """One session with stress by keyboard and pointer, another feature, and two filters."""
    check_importance(root, explainer)

    # τ by keyboard
    slider = root.get_by_test_id("uq-tau")
    slider.focus()
    with answered(root):
        slider.press("End")
    with answered(root):
        for _ in range(5):
            slider.press("ArrowLeft")
    assert slider.input_value() == "0.75"
    assert model_calls(root) == 0
    stressed = root.get_by_test_id("uq-stress-feature").input_value()
    check_stress(root, explainer, stressed, 0.75)
    weights = explainer.stress_weights(stressed, 0.75)
    check_importance(root, explainer, sample_weight=weights)

    # τ by pointer
    box = slider.bounding_box()
    mouse, middle = root.page.mouse, box["y"] + box["height"] / 2
    with answered(root):
        mouse.move(box["x"] + box["width"] * 0.87, middle)
        mouse.down()
        mouse.move(box["x"] + box["width"] * 0.3, middle, steps=20)
        mouse.up()
    tau = float(slider.input_value())
    assert -0.5 < tau < -0.3
    assert model_calls(root) == 0
    check_stress(root, explainer, stressed, tau)
    weights = explainer.stress_weights(stressed, tau)
    check_importance(root, explainer, sample_weight=weights)

    # select another feature by a click on its row
    rows = root.get_by_test_id("uq-importance-row")
    other = rows.nth(3).get_attribute("data-feature")
    with answered(root):
        rows.nth(3).click()
    assert root.get_by_test_id("uq-feature").input_value() == other
    check_dependence(root, explainer, other, sample_weight=weights)

    # filter by a range, then by a class
    column = explainer.table.numbers(other)
    high = float(np.round(np.median(column), 3))
    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option(label=other)
    with answered(root):
        root.get_by_test_id("uq-filter-high").fill(str(high))
        root.get_by_test_id("uq-filter-high").press("Tab")
    rows = np.flatnonzero(column <= high)
    weights = explainer.stress_weights(stressed, tau, rows=rows)
    assert numbers(root.get_by_test_id("uq-rows").inner_text()) == [len(rows), len(column)]
    assert model_calls(root) == 0
    check_stress(root, explainer, stressed, tau, rows)
    check_importance(root, explainer, sample_weight=weights, rows=rows)
    check_dependence(root, explainer, other, sample_weight=weights, rows=rows)

    with answered(root):
        root.get_by_test_id("uq-filter-add").select_option(index=1)
    with answered(root):
        root.get_by_role("checkbox", name="malignant").uncheck()
    rows = np.flatnonzero((column <= high) & (np.asarray(explainer.table.y) == "benign"))
    weights = explainer.stress_weights(stressed, tau, rows=rows)
    assert numbers(root.get_by_test_id("uq-rows").inner_text()) == [len(rows), len(column)]
    assert model_calls(root) == 0
    check_stress(root, explainer, stressed, tau, rows)
    check_importance(root, explainer, sample_weight=weights, rows=rows)
    check_dependence(root, explainer, other, sample_weight=weights, rows=rows)

    # remove the filters and the stress
    with answered(root):
        root.get_by_test_id("uq-filter-remove").first.click()
    with answered(root):
        root.get_by_test_id("uq-filter-remove").first.click()
    with answered(root):
        root.get_by_test_id("uq-tau").fill("0")
    check_importance(root, explainer)


@pytest.mark.thorough
def test_a_flood_of_events_ends_on_the_last_value(root):
    """200 events in a second cause at most 60 computations and end on the last value."""
    before = int(root.get_attribute("data-seq"))
    # At most the request in flight and that of the last value are answered after the last event.
    assert flood(root, events=200, last=0.35) <= 2
    wait_for_answer(root, before)
    assert int(root.get_attribute("data-seq")) - before <= 60
    assert root.get_by_test_id("uq-tau").input_value() == "0.35"


def test_keys_on_the_slider_do_not_move_the_notebook_selection(root):
    """A notebook in command mode handles the arrow and letter keys of every focused element."""
    page, slider = root.page, root.get_by_test_id("uq-tau")
    with answered(root):
        slider.click(position={"x": 20, "y": 5})
    before = page.evaluate(NOTEBOOK_STATE)
    for key in ("ArrowUp", "ArrowRight"):
        value = float(slider.input_value())
        with answered(root):
            slider.press(key)
        assert float(slider.input_value()) == pytest.approx(value + 0.05)
    for key in ("b", "a", "x", "ArrowDown", "ArrowLeft"):
        slider.press(key)
    assert page.evaluate(NOTEBOOK_STATE) == before


def test_undo_in_the_widget_does_not_undo_the_notebook(root):
    """JupyterLab undoes the last change of a cell on the same keys."""
    page, slider = root.page, root.get_by_test_id("uq-tau")
    run = "(command) => window.jupyterapp.commands.execute(command)"
    page.evaluate(run, "notebook:insert-cell-below")
    page.evaluate(run, "notebook:enter-command-mode")
    cells = page.evaluate(NOTEBOOK_STATE)[0]
    slider.focus()
    with answered(root):
        slider.press("End")
    with answered(root):
        slider.press("Control+z")
    assert slider.input_value() == "0"
    with answered(root):
        slider.press("Control+Shift+Z")
    assert slider.input_value() == "1"
    assert page.evaluate(NOTEBOOK_STATE)[0] == cells
    page.evaluate(run, "notebook:undo-cell-action")
    assert page.evaluate(NOTEBOOK_STATE)[0] == cells - 1


CHARTS = (
    "import numpy as np\nimport uqwidgets as uq\n\n"
    "X = np.random.default_rng(0).normal(size=(60, 2))\n"
    "curve = uq.Explainer(lambda X: X[:, 0], X, X[:, 0]).dependence('x0')\n"
    "uq.overlay(curve, curve)",
    "curve.to_altair(color_by=X[:, 1] > 0, rug=True, histogram=True)",
)


@pytest.mark.thorough
def test_results_and_charts_are_drawn_without_the_network(lab, lab_page):
    cells = [nbformat.v4.new_code_cell(source) for source in CHARTS]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.write(notebook, lab.folder / "charts.ipynb")
    # The browser reaches no other address, and the page fails the test if it asks for one.
    with faultless(lab_page, is_notebook=True):
        lab.run_notebook(lab_page, "charts.ipynb")
        expect(lab_page.get_by_text("Dependence of prediction on x0").first).to_be_visible()
        chart = lab_page.locator(".jp-RenderedSVG img")
        expect(chart).to_be_visible()
        width, height = chart.evaluate("(image) => [image.naturalWidth, image.naturalHeight]")
        assert width > 400
        assert height > 400
