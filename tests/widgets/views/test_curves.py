"""Curves in the widget: centring, derivatives, dates, classes of ICE lines, and bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns


@pytest.mark.parametrize("tau", [0.0, 0.6])
@pytest.mark.parametrize("form", ["center", "derivative"])
def test_centred_and_derivative_curves_equal_those_of_dependence_without_a_model_call(
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


def test_centring_does_not_change_a_derivative(explorer: uq.Explorer) -> None:
    change(explorer, feature="b", derivative=True)
    uncentred = columns(explorer._frame)["dependence.average"]
    both = change(explorer, center=True)[-1]
    np.testing.assert_array_equal(columns(both)["dependence.average"], uncentred)
    described = both["meta"]["dependence"]
    assert (described["center"], described["derivative"]) == (False, True)


@pytest.mark.parametrize("feature", ["c", "same"])
def test_a_categorical_or_constant_feature_is_shown_without_derivative(
    explorer: uq.Explorer, feature: str
) -> None:
    frame = change(explorer, feature=feature, derivative=True)[-1]
    assert frame["meta"]["error"] is None
    assert frame["meta"]["dependence"]["feature"] == feature
    assert frame["meta"]["dependence"]["derivative"] is False
    assert frame["meta"]["dependence"]["label"] == "probability of yes"


@pytest.mark.parametrize("name", ["center", "derivative"])
@pytest.mark.parametrize("value", [1, "true", None, [True]])
def test_center_and_derivative_must_be_booleans(
    explorer: uq.Explorer, name: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=f"{name} is .*; it must be True or False"):
        setattr(explorer, name, value)
    explorer.set_state({name: value})
    assert explorer.wait(30)
    assert getattr(explorer, name) is False
    assert "it must be True or False" in explorer._frame["meta"]["error"]
    explorer.set_state({name: True})
    assert explorer.wait(30)
    assert getattr(explorer, name) is True


def test_the_static_picture_shows_the_derivative(explorer: uq.Explorer) -> None:
    change(explorer, feature="b", derivative=True)
    html = explorer._repr_mimebundle_()[0]["text/html"]
    assert "Slope of probability of yes per unit of b" in html


def test_dates_are_labelled_by_their_day() -> None:
    days = pd.date_range("2021-01-01", periods=6, freq="D")
    X = pd.DataFrame({"day": days.repeat(5), "a": np.arange(30.0)})
    explainer = uq.Explainer(lambda d: d["a"].to_numpy(), X, X["a"])
    with uq.Explorer(explainer, feature="day") as widget:
        assert widget.wait(30)
        labels = widget._frame["meta"]["dependence"]["labels"]
    assert labels == [str(day.date()) for day in days]


def test_every_row_is_counted_in_the_bin_of_its_date(model: Counting) -> None:
    rng = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": "red"})
    X["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(n), unit="D")
    X.loc[:7, "day"] = pd.NaT
    y = rng.choice(["no", "yes"], n)
    with uq.explore(model, X, y, feature="day", n_repeats=2) as widget:
        assert widget.wait(30)
        cols = columns(widget._frame)
    counts = cols["dependence.counts"].sum(axis=0)
    milliseconds = (X["day"].dropna() - pd.Timestamp("1970-01-01")) / pd.Timedelta("1ms")
    expected = np.histogram(milliseconds, cols["dependence.edges"])[0]
    np.testing.assert_allclose(counts * n, expected)
    assert expected.sum() == n - 8


def test_ice_lines_have_the_right_class_beyond_256_classes() -> None:
    class Uniform:
        classes_ = np.arange(300)

        def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
            return np.full((len(X), 300), 1 / 300)

    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"a": rng.normal(size=600)}), np.arange(600) % 300
    with uq.explore(Uniform(), X, y, n_repeats=2, ice_lines=600) as widget:
        assert widget.wait(60)
        cols = columns(widget._frame)
    np.testing.assert_array_equal(cols["dependence.ice_class"], y[cols["dependence.ice_row"]])


def test_measures_and_indicators_have_their_bounds(explorer: uq.Explorer) -> None:
    about = explorer._about
    measures = {measure["name"]: measure["bounds"] for measure in about["measures"]}
    assert measures["prediction"] == [0, 1]
    assert measures["nll"] == [0, None]
    assert measures["entropy"] == [0, pytest.approx(np.log(2))]
    indicators = {each["name"]: each["bounds"] for each in about["indicators"]}
    assert indicators["error_rate"] == [0, 1]

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=30)})
    with uq.explore(lambda A: (A["a"].to_numpy(), np.ones(len(A))), X, X["a"]) as widget:
        densities = {each["name"]: each["bounds"] for each in widget._about["measures"]}
    assert densities["entropy"] == densities["nll"] == densities["prediction"] == [None, None]
    assert densities["std"] == [0, None]
