"""Curves of several features on one vertical axis: numbers, picture and chart."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"steep": rng.normal(size=60), "flat": rng.normal(size=60)})
    X["kind <b>"] = rng.choice(["p", "q"], 60)
    return uq.Explainer(lambda X: 3 * X["steep"] + (X["kind <b>"] == "q"), X)


@pytest.fixture(scope="module")
def grid(explainer):
    return uq.CurveGrid([explainer.dependence(name) for name in explainer.features])


def test_the_frame_has_the_lines_of_every_curve(grid, explainer):
    for name in explainer.features:
        own = grid.frame.query("feature == @name")
        np.testing.assert_array_equal(own["average"], explainer.dependence(name).average)


def test_all_panels_of_the_chart_share_one_vertical_axis(grid):
    chart = grid.to_altair(columns=2).to_dict()
    assert chart["columns"] == 2
    domains = {
        tuple(layer["encoding"]["y"]["scale"]["domain"])
        for panel in chart["concat"]
        for layer in panel["layer"]
    }
    (domain,) = domains
    assert domain == (grid.frame["low"].min(), grid.frame["high"].max())
    titles = [panel["layer"][0]["encoding"]["x"]["title"] for panel in chart["concat"]]
    assert titles == ["steep", "flat", "kind <b>"]


def test_the_picture_names_the_steepest_curve_and_escapes_names(grid):
    html = grid._repr_html_()
    assert "changes most along steep" in html
    assert "<b>" not in html
    assert "kind &lt;b&gt;" in html
    # One dot for each category, in the picture and not in its image.
    assert len(re.findall("<circle", html)) == 2
    assert "steep, flat and kind <b>" in repr(grid)


def test_what_shares_no_axis_is_refused(explainer):
    prediction = explainer.dependence("steep")
    with pytest.raises(ValueError, match="curves are of prediction and change of prediction"):
        uq.CurveGrid([prediction, explainer.dependence("flat", relative=True)])
    with pytest.raises(ValueError, match="curves is empty; pass at least one"):
        uq.CurveGrid([])
    with pytest.raises(TypeError, match="curves contains str; pass results of dependence"):
        uq.CurveGrid(["steep"])
