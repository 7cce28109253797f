"""Curves in the widget: centred, as derivatives, and where few rows are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import uqwidgets as uq
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns


@pytest.mark.parametrize("tau", [0.0, 0.6])
@pytest.mark.parametrize("form", ["center", "derivative"])
def test_forms_are_those_of_the_computation_layer_and_ask_the_model_nothing(
    explorer: uq.Explorer, model: Counting, form: str, tau: float
) -> None:
    ex = explorer.explainer
    change(explorer, tau=tau, stress_feature="b", feature="b")
    calls = model.calls
    frame = change(explorer, **{form: True})[-1]
    assert model.calls == calls
    assert frame["meta"]["cost"]["calls"] == 0
    assert frame["inputs"][form] is True
    cols = columns(frame)
    weights = ex.stress_weights("b", tau)
    curve: Any = ex.dependence(
        "b", grid=cols["dependence.grid"], sample_weight=weights, **{form: True}
    )
    plain = ex.dependence("b", grid=cols["dependence.grid"], **{form: True})
    for name, values in (
        ("average", curve.average),
        ("low", curve.low),
        ("high", curve.high),
        ("base", plain.average),
        ("near", curve.near),
    ):
        np.testing.assert_allclose(
            cols[f"dependence.{name}"], values, rtol=1e-7, atol=1e-12, err_msg=name
        )
    np.testing.assert_allclose(
        cols["dependence.ice"], curve.ice[cols["dependence.ice_row"]], rtol=1e-5, atol=1e-6
    )
    assert frame["meta"]["dependence"]["label"] == curve.quantity
    assert frame["meta"]["dependence"][form] is True
    back = change(explorer, **{form: False})[-1]
    assert back["meta"]["dependence"]["label"] == "probability of yes"


def test_a_derivative_is_shown_whether_centred_or_not(explorer: uq.Explorer) -> None:
    change(explorer, feature="b", derivative=True)
    alone = columns(explorer._frame)["dependence.average"]
    both = change(explorer, center=True)[-1]
    np.testing.assert_array_equal(columns(both)["dependence.average"], alone)
    described = both["meta"]["dependence"]
    assert (described["center"], described["derivative"]) == (False, True)


@pytest.mark.parametrize("feature", ["c", "same"])
def test_what_has_no_derivative_is_shown_without(explorer: uq.Explorer, feature: str) -> None:
    frame = change(explorer, feature=feature, derivative=True)[-1]
    assert frame["meta"]["error"] is None
    assert frame["meta"]["dependence"]["feature"] == feature
    assert frame["meta"]["dependence"]["derivative"] is False
    assert frame["meta"]["dependence"]["label"] == "probability of yes"


@pytest.mark.parametrize("name", ["center", "derivative"])
@pytest.mark.parametrize("value", [1, "true", None, [True]])
def test_what_is_no_switch_is_refused(explorer: uq.Explorer, name: str, value: Any) -> None:
    if value != 1:  # Python's own 1 is as good as True
        with pytest.raises(TraitError, match=f"'{name}' trait .* expected a boolean"):
            setattr(explorer, name, value)
    explorer.set_state({name: value})
    assert explorer.wait(30)
    assert getattr(explorer, name) is False
    assert "it must be True or False" in explorer._frame["meta"]["error"]
    explorer.set_state({name: True})
    assert explorer.wait(30)
    assert getattr(explorer, name) is True


def test_the_still_twin_shows_the_same_form(explorer: uq.Explorer) -> None:
    change(explorer, feature="b", derivative=True)
    html = explorer._repr_mimebundle_()[0]["text/html"]
    assert "Slope of probability of yes per unit of b" in html


def test_dates_are_named_by_their_day() -> None:
    days = pd.date_range("2021-01-01", periods=6, freq="D")
    X = pd.DataFrame({"day": days.repeat(5), "a": np.arange(30.0)})
    explainer = uq.Explainer(lambda d: d["a"].to_numpy(), X, X["a"])
    with uq.Explorer(explainer, feature="day") as widget:
        assert widget.wait(30)
        labels = widget._frame["meta"]["dependence"]["labels"]
    assert labels == [str(day.date()) for day in days]
