"""Explorers inside the containers of ipywidgets in a real JupyterLab: their widths."""

from __future__ import annotations

from itertools import pairwise

import nbformat
import pytest
from playwright.sync_api import expect

from browser.reading import outside, wait_for_answer

# The quickstart is run in JupyterLab every time, by test_lab.py.
pytestmark = pytest.mark.thorough

CELL = """
import ipywidgets as w
import numpy as np
import pandas as pd
from IPython.display import display

import uqwidgets as uq

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["length", "width", "height"])
y = X["length"] + rng.normal(size=40)


def model(A):
    return A["length"].to_numpy(), np.full(len(A), 0.5)


# Two explorers, with a view of them in each box.
explainer = uq.Explainer(model, X, y)
one, two = uq.Explorer(explainer, n_repeats=2), uq.Explorer(explainer, n_repeats=2)
fixed = uq.Explorer(explainer, n_repeats=2)
fixed.layout.width = "420px"
out = w.Output()
with out:
    display(one)
boxes = {
    "HBox": w.HBox([one, two]),
    "nested": w.HBox([w.VBox([one]), w.VBox([two])]),
    "slider": w.HBox([w.IntSlider(), one]),
    "VBox": w.VBox([one, two]),
    "Tab": w.Tab([one, two]),
    "Accordion": w.Accordion([one, two], selected_index=0),
    "GridBox": w.GridBox([one, two], layout=w.Layout(grid_template_columns="repeat(2, auto)")),
    "AppLayout": w.AppLayout(left_sidebar=w.Label("left"), center=one),
    "Output": out,
    "fixed": w.VBox([fixed]),
    "interact": w.interactive(lambda n: display(one), n=(1, 3)),
}
for name, box in boxes.items():
    box.add_class(f"box-{name}")
    display(box)
"""


@pytest.fixture(scope="module")
def notebook_page(lab, lab_page):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(CELL)],
        # Without the name of a kernel, JupyterLab opens a dialog.
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, lab.folder / "containers.ipynb")
    lab.run_notebook(lab_page, "containers.ipynb")
    lab_page.evaluate("window.jupyterapp.shell.collapseLeft()")
    yield lab_page
    lab_page.evaluate("window.jupyterapp.shell.expandLeft()")


@pytest.fixture(params=[1280, 600])
def page(request, notebook_page):
    notebook_page.set_viewport_size({"width": request.param, "height": 900})
    return notebook_page


def roots_of(page, box):
    roots = page.locator(f".{box} [data-testid=uq-root]:visible")
    expect(roots.first).to_be_attached()
    return roots.all()


@pytest.mark.parametrize(
    ("box", "count"),
    [
        ("box-HBox", 2),
        ("box-nested", 2),
        ("box-slider", 1),
        ("box-VBox", 2),
        ("box-Tab", 1),
        ("box-Accordion", 1),
        ("box-GridBox", 2),
        ("box-AppLayout", 1),
        ("box-Output", 1),
        ("box-fixed", 1),
        ("box-interact", 1),
    ],
)
def test_explorers_side_by_side_fit_their_containers(page, box, count):
    roots = roots_of(page, box)
    assert len(roots) == count
    for root in roots:
        wait_for_answer(root, quiet=50)
        assert outside(root) == []
    measured = [root.evaluate("(root) => root.getBoundingClientRect().toJSON()") for root in roots]
    measured.sort(key=lambda rectangle: (rectangle["left"], rectangle["top"]))
    widths = [rectangle["right"] - rectangle["left"] for rectangle in measured]
    assert min(widths) >= 240, box
    for first, second in pairwise(measured):
        assert first["right"] <= second["left"] + 1 or first["bottom"] <= second["top"] + 1
    if box in ("box-HBox", "box-GridBox"):
        assert widths[0] == pytest.approx(widths[1], abs=2)


@pytest.mark.parametrize(
    ("box", "title"),
    [("box-Tab", ".lm-TabBar-tab"), ("box-Accordion", ".jupyter-widget-Collapse-header")],
)
def test_a_hidden_explorer_is_drawn_at_its_width_when_it_is_shown(page, box, title):
    page.locator(f".{box} {title}").nth(1).click()
    (root,) = roots_of(page, box)
    wait_for_answer(root, quiet=50)
    chart = root.locator(".uq-profile")
    width = root.locator(".uq-stress .uq-plot-content").bounding_box()["width"]
    expect(chart).to_have_attribute("width", str(int(width)))
    page.locator(f".{box} {title}").nth(0).click()
