"""Altair charts of several indicators, and of chosen features, share colours and one legend."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from example_results import fan, stress
from reading_charts import tables


def two_indicators(n_features):
    lines = fan(n_features)
    values = {"error_rate": lines, "nll": lines[::-1]}
    return stress(
        lines,
        [f"f{j}" for j in range(n_features)],
        indicators=("error_rate", "nll"),
        values=values,
        low=values,
        high=values,
        labels={"error_rate": "error rate", "nll": "mean likelihood loss"},
        units={"error_rate": "", "nll": "nats"},
    )


def styles(layers):
    """Return colour and dash of each feature with a legend."""
    strong = next(one["encoding"] for one in layers if "strokeDash" in one["encoding"])
    colour, dash = (strong[channel]["scale"] for channel in ("color", "strokeDash"))
    assert colour["domain"] == dash["domain"]
    looks = zip(colour["range"], map(tuple, dash["range"]), strict=True)
    return dict(zip(colour["domain"], looks, strict=True))


def test_several_indicators_have_a_panel_each_and_one_legend():
    spec = two_indicators(9).to_altair(["error_rate", "nll"]).to_dict()
    first, second = spec["concat"]
    assert [panel["title"] for panel in (first, second)] == [
        "Error rate under stress",
        "Mean likelihood loss under stress",
    ]
    # Equal scales, and colours that are shared as Vega-Lite does by default, make one legend.
    assert styles(first["layer"]) == styles(second["layer"])
    assert "resolve" not in spec


def test_all_features_are_in_colour_on_request():
    result = two_indicators(30)
    layers = result.to_altair("nll", features=result.features).to_dict()["layer"]
    looks = styles(layers)
    assert list(looks) == list(result.features)
    assert len(set(looks.values())) == 30
    assert not any(
        layer["mark"].get("color") == "#888888"
        for layer in layers
        if layer["mark"]["type"] == "line"
    )


def test_named_features_have_the_same_colours_in_charts_of_several_results():
    chosen = ["f2", "f0"]
    charts = (two_indicators(n).to_altair(features=chosen).to_dict() for n in (4, 9))
    first, second = (styles(chart["layer"]) for chart in charts)
    assert first == second
    assert list(first) == chosen


def rates(n_features):
    lines = fan(n_features)
    values = {"fpr": lines / 4, "tpr": lines}
    return stress(
        lines,
        [f"f{j}" for j in range(n_features)],
        indicators=("fpr", "tpr"),
        values=values,
        low=values,
        high=values,
        labels={"fpr": "false positive rate", "tpr": "true positive rate"},
        units={"fpr": "", "tpr": ""},
    )


def test_a_path_of_both_rates_for_each_feature():
    result = rates(9)
    chart = result.to_altair(roc_path=True)
    faint, strong, ends = tables(chart)
    assert len(styles(chart.to_dict()["layer"])) == 5
    drawn = pd.concat([faint, strong])
    for name in result.features:
        path = result.roc_path(name)
        own = drawn[drawn["feature"] == name]
        np.testing.assert_allclose(own[["tau", "fpr", "tpr"]], path)
        if name in set(strong["feature"]):
            end = ends[ends["feature"] == name]
            np.testing.assert_allclose(end[["tau", "fpr", "tpr"]], path.tail(1))
    layers = chart.to_dict()["layer"]
    assert all(layer["encoding"]["order"]["field"] == "tau" for layer in layers[:2])
    assert layers[1]["encoding"]["y"]["title"] == "true positive rate"
    named = tables(result.to_altair(roc_path=True, features=["f3", "f1"]))[1]
    assert named["feature"].unique().tolist() == ["f3", "f1"]
    with pytest.raises(ValueError, match="roc_path shows two rates; leave out indicator"):
        result.to_altair("fpr", roc_path=True)
    with pytest.raises(ValueError, match="no indicator 'fpr'"):
        two_indicators(3).to_altair(roc_path=True)


def test_the_legend_is_readable_beside_faint_bands():
    for layer in two_indicators(5).to_altair("nll").to_dict()["layer"]:
        if "color" in layer["encoding"]:
            legend = layer["encoding"]["color"]["legend"]
            assert (legend["symbolOpacity"], legend["symbolType"]) == (1, "stroke")


def test_unknown_names_are_one_sentence():
    result = two_indicators(3)
    with pytest.raises(ValueError, match="there is no stressed feature 'f9'; did you mean"):
        result.to_altair(features="f9")
    with pytest.raises(ValueError, match="features is empty; name at least one"):
        result.to_altair(features=[])
    with pytest.raises(ValueError, match="no indicator 'rmse'"):
        result.to_altair(["nll", "rmse"])
