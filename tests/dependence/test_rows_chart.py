"""Lines coloured by a column, own values and a rug in the Altair chart of a curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from reading_charts import tables

N = 60


def model(X):
    return 2 * X["a"] + X["b"] * X["a"] ** 2 + X["site"].map({"x": 0.0, "y": 3.0}), np.ones(len(X))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"a": rng.normal(size=N), "b": rng.normal(size=N), "site": rng.choice(["x", "y"], N)}
    )


@pytest.fixture(scope="module")
def explainer(table):
    return uq.Explainer(model, table, model(table)[0])


def layer_of(chart, mark):
    """The specification and the data of the only layer with this mark that has the single rows."""
    spec = chart.to_dict()
    (place,) = (
        k
        for k, layer in enumerate(spec["layer"])
        if layer["mark"]["type"] == mark and "row" in tables(chart)[k]
    )
    return spec["layer"][place], tables(chart)[place]


def test_lines_are_coloured_by_a_number_of_each_row(explainer, table):
    chart = explainer.dependence("a").to_altair(color_by=table["b"])
    layer, lines = layer_of(chart, "line")
    assert layer["encoding"]["color"]["type"] == "quantitative"
    assert layer["encoding"]["color"]["title"] == "b"
    np.testing.assert_allclose(lines["colour"], table["b"].to_numpy()[lines["row"]])


def test_lines_of_some_rows_are_coloured_by_the_values_of_these_rows(explainer, table):
    classes = np.where(table["b"] > 0, "high", "low").astype(object)
    classes[5] = None
    chart = explainer.dependence("a", rows=table["a"] > 0).to_altair(color_by=classes)
    layer, lines = layer_of(chart, "line")
    assert layer["encoding"]["color"]["type"] == "nominal"
    expected = pd.Series(classes).fillna("missing").to_numpy()[lines["row"]]
    assert lines["colour"].tolist() == expected.tolist()
    assert set(lines["row"]) == set(np.flatnonzero(table["a"] > 0))


def test_own_values_lie_on_the_lines(explainer, table):
    grid = np.sort(table["a"].to_numpy())
    chart = explainer.dependence("a", grid=grid).to_altair(own_values=True, rug=True)
    layer, own = layer_of(chart, "circle")
    np.testing.assert_allclose(own["value"], table["a"].to_numpy()[own["row"]])
    np.testing.assert_allclose(own["ice"], model(table)[0].to_numpy()[own["row"]])
    assert len(own) == N
    assert "color" not in layer["encoding"]
    ticks, below = layer_of(chart, "tick")
    assert ticks["encoding"]["y"] == {"value": "height"}
    assert below["value"].tolist() == own["value"].tolist()


def test_own_values_of_categories_stand_in_their_rows(explainer, table):
    chart = explainer.dependence("site").to_altair(own_values=True, color_by=table["site"])
    layer, own = layer_of(chart, "circle")
    assert layer["encoding"]["y"]["field"] == "value"
    assert own["value"].tolist() == table["site"].to_numpy()[own["row"]].tolist()
    assert own["colour"].tolist() == own["value"].tolist()
    np.testing.assert_allclose(own["ice"], model(table)[0].to_numpy()[own["row"]])


def histogram_of(chart):
    """Return the panels of the curve and of the histogram, and the counts of the histogram."""
    spec = chart.to_dict()
    curve, panel = spec["vconcat"] if "vconcat" in spec else spec["hconcat"]
    return curve, panel, pd.DataFrame(spec["datasets"][panel["data"]["name"]])


def test_a_histogram_counts_the_rows_by_class(explainer, table):
    chart = explainer.dependence("a").to_altair(color_by=table["site"], histogram=True)
    lines, panel, counts = histogram_of(chart)
    curve = explainer.dependence("a")
    numbers = table["a"].to_numpy()
    inside = (numbers >= curve.grid[0]) & (numbers <= curve.grid[-1])
    for site in ("x", "y"):
        own = counts[counts["colour"] == site]
        expected, edges = np.histogram(
            numbers[inside & (table["site"] == site)], 20, (curve.grid[0], curve.grid[-1])
        )
        of_bins = pd.Series(own["rows"].to_numpy(), own["from"].round(9))
        assert of_bins.reindex(edges[:-1].round(9), fill_value=0).tolist() == expected.tolist()
    encoding = panel["encoding"]
    assert encoding["color"] == lines["layer"][0]["encoding"]["color"]
    assert encoding["color"]["legend"]["symbolOpacity"] == 1
    # The average is dark, because blue is the colour of a class.
    assert lines["layer"][2]["mark"]["color"] == "#222222"
    beyond = int((~inside).sum())
    assert encoding["y"]["title"] == (f"rows ({beyond} beyond)" if beyond else "rows")
    assert encoding["x"]["bin"] == "binned"
    # Both panels have one scale along the feature.
    assert chart.to_dict()["resolve"] == {"scale": {"x": "shared"}}


def test_a_histogram_of_categories_stands_beside_the_curve(explainer, table):
    chart = explainer.dependence("site", rows=table["a"] > 0).to_altair(histogram=True)
    _, panel, counts = histogram_of(chart)
    expected = table["site"][table["a"] > 0].value_counts()
    assert dict(zip(counts["value"], counts["rows"], strict=True)) == expected.to_dict()
    assert panel["encoding"]["y"]["field"] == "value"
    assert chart.to_dict()["resolve"] == {"scale": {"y": "shared"}}


def test_many_numbers_colour_the_lines_and_no_bar(explainer, table):
    _, panel, counts = histogram_of(
        explainer.dependence("a").to_altair(color_by=table["b"], histogram=True)
    )
    assert "color" not in panel["encoding"]
    assert "colour" not in counts


@pytest.mark.parametrize(
    ("curve", "options", "why"),
    [
        ({}, {"color_by": [1.0, 2.0]}, "2 values and the table 60 rows"),
        ({"derivative": True}, {"own_values": True}, "a slope has no value"),
    ],
)
def test_what_single_rows_do_not_have_is_an_error(explainer, curve, options, why):
    with pytest.raises(ValueError, match=why):
        explainer.dependence("a", **curve).to_altair(**options)
