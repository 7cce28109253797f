"""Altair charts of results: valid Vega-Lite with the numbers of the result."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import altair as alt
import nbformat
import numpy as np
import pandas as pd
import pytest

from example_results import (
    HOSTILE,
    dependence,
    diagnosis,
    fan,
    importance,
    redundancy,
    stress,
    surface,
)
from kernels import new_kernel
from offline import outside_references
from reading_charts import AWKWARD, fields, tables
from run_notebooks import execute
from uqwidgets.plotting import altair as style
from uqwidgets.plotting.altair import show_without_network


def test_importance_holds_the_numbers():
    result = importance(AWKWARD, np.linspace(0.5, -0.1, 6))
    chart = result.to_altair()
    for table in tables(chart):
        pd.testing.assert_frame_equal(table, result.frame, check_dtype=False)
    assert fields(chart) == {"feature", "importance", "std_error", "low", "high"}
    spec = chart.to_dict()
    assert spec["title"]["text"] == "Importance for likelihood loss (nats)"
    assert "3 repeats, 95% interval (u-statistic)" in spec["title"]["subtitle"]


def test_importance_keeps_its_order():
    for layer in importance().to_altair().to_dict()["layer"][1:]:
        assert layer["encoding"]["y"]["sort"] is None


def test_importance_without_some_numbers_is_valid_json():
    chart = importance(["a", "b"], [0.5, np.nan]).to_altair()
    json.dumps(chart.to_dict(), allow_nan=False)
    assert tables(chart)[0]["importance"].isna().tolist() == [False, True]


def test_dependence_holds_the_numbers():
    result = dependence(feature=AWKWARD[0], unit="nats")
    chart = result.to_altair()
    lines, band, average = tables(chart)
    pd.testing.assert_frame_equal(band, result.frame)
    pd.testing.assert_frame_equal(average[["value", "average"]], band[["value", "average"]])
    assert lines["ice"].to_numpy().reshape(4, 3) == pytest.approx(result.ice)
    assert fields(chart) == {"row", "value", "ice", "average", "low", "high", "part"}
    spec = chart.to_dict()
    assert spec["title"]["text"] == f"Dependence of predicted mean (nats) on {AWKWARD[0]}"
    assert spec["title"]["subtitle"] == "average with 95% band; 4 of 4 rows"


def test_values_far_from_the_data_are_dashed_or_hollow():
    near = np.array([False, True, True, False, False])
    chart = dependence(range(5), range(5), near=near).to_altair()
    parts = tables(chart)[2]
    assert parts["value"].tolist() == [0, 1, 1, 2, 2, 3, 4]
    assert parts["solid"].tolist() == [False, False, True, True, False, False, False]
    assert parts["part"].tolist() == [0, 0, 1, 1, 2, 2, 2]
    spec = chart.to_dict()
    dash = spec["layer"][2]["encoding"]["strokeDash"]
    assert dash["condition"] == {"test": "datum.solid", "value": [1, 0]}
    assert dash["value"] != [1, 0]
    assert spec["title"]["subtitle"].endswith("; dashed far from the data")
    rare = np.array(["a", "b"], dtype=object)
    spec = dependence(rare, (0.0, 1.0), near=near[:2]).to_altair().to_dict()
    filled = spec["layer"][2]["encoding"]["fillOpacity"]
    assert filled["condition"] == {"test": "datum.near", "value": 1}
    assert filled["value"] == 0
    assert spec["title"]["subtitle"].endswith("; hollow far from the data")


def test_transformed_curves_have_their_title():
    chart = dependence(derivative=True, unit="nats", feature="a.b").to_altair().to_dict()
    assert chart["title"]["text"] == "Slope of predicted mean per unit of a.b (nats)"
    (title,) = {layer["encoding"]["y"]["title"] for layer in chart["layer"]}
    assert title == "slope of predicted mean per unit of a.b (nats)"


def test_surface_holds_the_numbers():
    near = np.array([[True, True], [True, False], [True, True]])
    result = surface(features=(AWKWARD[0], AWKWARD[1]), near=near, unit="nats")
    chart = result.to_altair()
    spec = chart.to_dict()
    (table,) = (pd.DataFrame(values) for values in spec["datasets"].values())
    frame = result.frame
    pd.testing.assert_frame_equal(table[frame.columns], frame, check_dtype=False)
    # Cells meet in the middle between neighbours and end with the grid.
    assert table["first_from"].tolist() == [1, 1, 1.5, 1.5, 3, 3]
    assert table["first_to"].tolist() == [1.5, 1.5, 3, 3, 4, 4]
    assert table["second_from"].tolist() == [0, 5] * 3
    assert table["second_to"].tolist() == [5, 10] * 3
    cells, crosses = spec["layer"]
    assert cells["encoding"]["color"]["field"] == "average"
    assert crosses["transform"] == [{"filter": "!datum.near"}]
    assert crosses["mark"]["shape"] == "cross"
    assert spec["title"]["text"] == f"Dependence of predicted mean (nats) on {AWKWARD[0]} and c[0]"
    assert spec["title"]["subtitle"] == "average over 4 rows; crosses: 1 points far from the data"


def test_categories_of_a_surface_are_text():
    values = np.array([HOSTILE, 7, None], dtype=object)
    spec = surface((values, [1.0, 2.0])).to_altair().to_dict()
    (table,) = (pd.DataFrame(values) for values in spec["datasets"].values())
    assert table["first"].tolist() == [HOSTILE, HOSTILE, "7", "7", "missing", "missing"]
    x = spec["layer"][0]["encoding"]["x"]
    assert (x["field"], x["type"], x["sort"]) == ("first", "nominal", None)
    json.dumps(spec, allow_nan=False)


@pytest.mark.thorough
def test_a_surface_of_many_points_is_not_refused():
    grid = np.arange(80.0)
    spec = surface((grid, grid)).to_altair().to_dict()
    (points,) = spec["datasets"].values()
    assert len(points) == 6400


@pytest.mark.parametrize(("points", "drawn"), [(3, 100), (50, 100), (60, 83), (5000, 1)])
def test_lines_stay_below_the_limit_of_altair(points, drawn):
    grid = np.linspace(0, 1, points)
    # Every other row of the table is scored.
    result = dependence(grid, grid, n_rows=1400, rows=np.arange(700) * 2)
    chart = result.to_altair()
    lines = tables(chart)[0]
    assert len(lines) <= 5000
    assert lines["row"].nunique() == drawn
    assert set(lines["row"]) <= set(result.rows)
    assert f"; {drawn} of 700 rows" in chart.to_dict()["title"]["subtitle"]


@pytest.mark.parametrize(
    "grid",
    [
        ["red", HOSTILE],
        [False, True],
        [pd.Timestamp("2020-01-01T12:00"), pd.Timestamp("2021-01-01T00:01")],
    ],
)
def test_categories_are_text(grid):
    values = np.empty(2, dtype=object)
    values[:] = grid
    chart = dependence(values, (0.25, 0.5)).to_altair()
    strokes, whiskers, dots = tables(chart)
    assert dots["value"].tolist() == [str(v) for v in grid]
    assert dots["average"].tolist() == [0.25, 0.5]
    assert whiskers["low"].tolist() == [0.125, 0.375]
    assert len(strokes) == 8
    assert "interval" in chart.to_dict()["title"]["subtitle"]


def test_a_single_value_is_a_dot():
    marks = [layer["mark"]["type"] for layer in _layers(dependence((2.0,), (1.0,)).to_altair())]
    assert marks == ["tick", "rule", "point"]


def test_stress_holds_the_numbers():
    result = stress(fan(8))
    others, strong = tables(result.to_altair("error_rate"))
    assert set(strong["feature"]) == {f"f{j}" for j in range(3, 8)}
    assert set(others["feature"]) == {"f0", "f1", "f2"}
    shown = pd.concat([others, strong], ignore_index=True)
    expected = result.frame.drop(columns=["indicator", "low", "high"])
    pd.testing.assert_frame_equal(shown, expected, check_dtype=False)


def test_stress_shows_the_requested_indicator():
    values = {"error_rate": fan(1), "nll": 1 + fan(1)}
    labels = {"error_rate": "error rate", "nll": "mean likelihood loss"}
    result = stress(
        fan(1),
        AWKWARD[:1],
        indicators=("error_rate", "nll"),
        values=values,
        low={name: v - 0.1 for name, v in values.items()},
        high={name: v + 0.1 for name, v in values.items()},
        level=0.9,
        labels=labels,
        units={"error_rate": "", "nll": "nats"},
    )
    chart = result.to_altair("nll")
    band, table = tables(chart)
    assert band["low"].tolist() == pytest.approx(values["nll"][0] - 0.1)
    assert "nats" in json.dumps(chart.to_dict())
    assert "90 % interval" in json.dumps(chart.to_dict())
    assert table["value"].tolist() == pytest.approx(values["nll"][0])
    assert set(table["feature"]) == {AWKWARD[0]}
    assert chart.to_dict()["title"]["text"] == "Mean likelihood loss under stress"
    with pytest.raises(ValueError, match="no indicator 'rmse'; it has error_rate and nll"):
        result.to_altair("rmse")


def test_a_feature_has_its_colour_and_dash_in_the_chart_of_every_indicator():
    lines = fan(9)
    values = {"error_rate": lines, "nll": lines[::-1]}
    result = stress(
        lines,
        [f"f{j}" for j in range(9)],
        indicators=("error_rate", "nll"),
        values=values,
        low=values,
        high=values,
        labels={"error_rate": "error rate", "nll": "mean likelihood loss"},
        units={"error_rate": "", "nll": "nats"},
    )

    def styles(indicator):
        layers = _layers(result.to_altair(indicator))
        strong = next(one["encoding"] for one in layers if "strokeDash" in one["encoding"])
        scales = (strong[channel]["scale"] for channel in ("color", "strokeDash"))
        return [dict(zip(s["domain"], map(str, s["range"]), strict=True)) for s in scales]

    colours, dashes = styles("error_rate")
    assert styles("nll") == [colours, dashes]
    assert len(set(colours.values())) == len(colours) > 5
    assert len(set(dashes.values())) == len(dashes)


def test_stress_of_many_features_stays_below_the_limit_of_altair():
    taus = np.linspace(-1, 1, 21)
    chart = stress(fan(300, taus), taus=taus).to_altair()
    others, strong = tables(chart)
    assert len(others) + len(strong) <= 5000
    assert set(strong["feature"]) == {f"f{j}" for j in range(295, 300)}
    assert (
        "238 of 300; the 62 it responds to least are left out"
        in (chart.to_dict()["title"]["subtitle"])
    )


def test_stress_without_any_number_is_an_empty_chart():
    chart = stress([[np.nan] * 5], status="constant").to_altair()
    assert "0 of 1" in chart.to_dict()["title"]["subtitle"]
    assert [len(table) for table in tables(chart)] == [0]


def test_to_altair_returns_the_chart():
    shown = (importance(), dependence(), diagnosis(), redundancy(), stress(fan(2)), surface())
    for result in shown:
        assert isinstance(result.to_altair(), alt.LayerChart)


def _layers(chart):
    return chart.to_dict()["layer"]


def pictures(change, **more):
    """A result whose change from tau = 0 to 1 is ``change``, a pixel per feature."""
    change = np.asarray(change, dtype=float)
    known = np.where(np.isfinite(change), 0.25, np.nan)[:, None]
    rates = known + np.outer(np.nan_to_num(change), [-0.5, 0, 1])
    return stress(rates, taus=(-1.0, 0.0, 1.0), status="constant", **more)


def maps(chart):
    """The specification of each picture, and the table they share."""
    spec = chart.to_dict()
    (table,) = spec["datasets"].values()
    return spec, spec["concat"], pd.DataFrame(table)


def test_pixels_hold_the_responses_row_by_row():
    change = np.arange(6) / 10 - 0.2
    result = pictures(change, features=AWKWARD)
    spec, (only,), table = maps(result.to_pixels((2, 3)))
    assert table["feature"].tolist() == AWKWARD
    assert table["row"].tolist() == [0, 0, 0, 1, 1, 1]
    assert table["column"].tolist() == [0, 1, 2, 0, 1, 2]
    assert table["change0"].tolist() == pytest.approx(change)
    scale = only["encoding"]["color"]["scale"]
    assert scale["domain"] == pytest.approx([-0.3, 0, 0.3])
    assert scale["range"][1] == "#ffffff"
    assert only["title"] == "error rate"
    assert spec["title"]["text"] == "Change from τ = 0 to τ = 1, pixel by pixel"
    assert spec["title"]["subtitle"] == ""
    spec, _, table = maps(result.to_pixels((3, 2), low=-1, high=1))
    assert table["change0"].tolist() == pytest.approx(1.5 * change)
    assert "τ = \N{MINUS SIGN}1 to τ = 1" in spec["title"]["text"]


def test_pixels_without_response_are_blank():
    ess = np.full((4, 3), 40.0)
    ess[1, 2], ess[3] = 1.5, np.nan
    chart = pictures([0.1, 0.9, 0.2, np.nan], ess=ess).to_pixels((2, 2))
    spec, (only,), table = maps(chart)
    assert table["change0"].isna().tolist() == [False, True, False, True]
    assert only["transform"] == [{"filter": "isValid(datum.change0)"}]
    assert only["encoding"]["color"]["scale"]["domain"] == pytest.approx([-0.2, 0, 0.2])
    subtitle = "grey: 1 constant and 1 below an effective sample size of 10"
    assert spec["title"]["subtitle"] == subtitle
    json.dumps(spec, allow_nan=False)
    expected = pictures([0.1, 0.9, 0.2, np.nan], ess=ess).to_pixels((2, 2), least_ess=1)
    assert maps(expected)[2]["change0"].isna().tolist() == [False, False, False, True]


def test_pixels_without_any_number_are_blank():
    spec, (only,), table = maps(pictures([np.nan] * 4).to_pixels((2, 2)))
    assert table["change0"].isna().all()
    assert only["encoding"]["color"]["scale"]["domain"] == [-1, 0, 1]
    assert spec["title"]["subtitle"] == "grey: 4 constant"


def test_pictures_of_several_indicators_share_their_scale_and_their_data():
    change = np.linspace(-0.5, 0.25, 6400)
    values = {"share:3": np.outer(change, [-1, 0, 1]), "share:4": np.outer(-2 * change, [-1, 0, 1])}
    result = pictures(
        change,
        indicators=("share:3", "share:4"),
        values=values,
        labels={"share:3": f"share predicted {HOSTILE}", "share:4": "share predicted 4"},
        units={"share:3": "", "share:4": ""},
    )
    _, drawn, table = maps(result.to_pixels((80, 80)))
    assert [one["title"] for one in drawn] == [f"share predicted {HOSTILE}", "share predicted 4"]
    assert [one["encoding"]["color"]["scale"]["domain"] for one in drawn] == [[-1, 0, 1]] * 2
    # More than the 5000 rows that Altair takes as a table.
    assert len(table) == 6400
    assert table["change1"].to_numpy() == pytest.approx(-2 * change)
    _, drawn, table = maps(result.to_pixels((80, 80), indicators=["share:4"]))
    assert [one["title"] for one in drawn] == ["share predicted 4"]
    assert "change1" not in table


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 2), "shape 2 x 2 does not fit a result of 6 stressed features"),
        ((-2, -3), "does not fit"),
        (6, "shape is 6; it must be two whole numbers"),
        ((2, 3, 1), "must be two whole numbers"),
        ((2.0, 3.0), "must be two whole numbers"),
    ],
)
def test_pictures_of_another_shape_are_refused(shape, message):
    with pytest.raises(ValueError, match=message):
        pictures(np.zeros(6)).to_pixels(shape)


def test_unknown_indicators_and_levels_are_refused():
    result = pictures(
        np.zeros(4),
        indicators=("error_rate", "nll"),
        values={"error_rate": np.zeros((4, 3)), "nll": np.zeros((4, 3))},
        labels={"error_rate": "error rate", "nll": "mean likelihood loss"},
        units={"error_rate": "", "nll": "nats"},
    )
    with pytest.raises(ValueError, match="differ in their unit"):
        result.to_pixels((2, 2))
    with pytest.raises(ValueError, match="rmse"):
        result.to_pixels((2, 2), indicators=["rmse"])
    with pytest.raises(ValueError, match="indicators is empty"):
        result.to_pixels((2, 2), indicators=[])
    with pytest.raises(ValueError, match=r"tau 0\.5 is not among the levels"):
        result.to_pixels((2, 2), high=0.5)


@pytest.fixture
def default_renderer():
    with alt.renderers.enable("default"):
        yield


@pytest.mark.usefixtures("default_renderer")
def test_notebooks_show_charts_without_the_network():
    show_without_network()
    data = importance().to_altair()._repr_mimebundle_()
    assert list(data) == ["image/svg+xml"]
    assert outside_references(data["image/svg+xml"]) == []


@pytest.mark.usefixtures("default_renderer")
def test_without_vl_convert_a_warning_names_the_network(monkeypatch):
    monkeypatch.setattr(style, "find_spec", {}.get)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    with pytest.warns(UserWarning, match=r"needs the network .* uqwidgets\[charts\]"):
        show_without_network()
    assert alt.renderers.active == "default"


@pytest.mark.usefixtures("default_renderer")
def test_a_script_hears_nothing_of_notebooks(monkeypatch):
    monkeypatch.setattr(style, "find_spec", {}.get)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)  # ipywidgets imports it
    show_without_network()  # a warning would be an error here
    assert alt.renderers.active == "default"


def test_a_custom_renderer_is_not_replaced():
    with alt.renderers.enable("json"):
        show_without_network()
        assert alt.renderers.active == "json"


SHOWN = """
import sys
import numpy as np
import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(60, 2))
one = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
curve = one.dependence("x0", grid=4)
display(one, one.importance("nll"), curve, one.stress(taus=3))
display(uq.overlay(curve, curve), uq.CurveGrid([curve]), uq.explore(one))
print("altair" in sys.modules)
"""


@pytest.mark.thorough
def test_a_new_notebook_shows_everything_without_the_network():
    """Results are shown before the first chart, which then is shown as SVG."""
    cells = [nbformat.v4.new_code_cell(source) for source in (SHOWN, "curve.to_altair()")]
    with new_kernel() as kernel:
        execute(nbformat.v4.new_notebook(cells=[*cells]), "a new notebook", kernel)
    shown = [output for output in cells[0].outputs if output.output_type == "display_data"]
    assert len(shown) == 8  # the explorer has a picture beside it
    for output in shown:
        assert outside_references(output.data.get("text/html", "")) == []
    assert cells[0].outputs[-1].text == "False\n"
    (chart,) = cells[1].outputs
    assert "image/svg+xml" in chart.data
    assert not [kind for kind in chart.data if "vega" in kind or kind == "text/html"]
