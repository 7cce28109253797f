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


def test_every_row_counts_under_the_nearest_of_the_dates_that_are_drawn(model: Counting) -> None:
    rng = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": "red"})
    X["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(n), unit="D")
    X.loc[:7, "day"] = pd.NaT
    y = rng.choice(["no", "yes"], n)
    with uq.explore(model, X, y, feature="day", n_repeats=2) as widget:
        assert widget.wait(30)
        cols = columns(widget._frame)
        labels = pd.to_datetime(widget._frame["meta"]["dependence"]["labels"])
    counts = cols["dependence.counts"].sum(axis=0)
    assert len(labels) == len(counts) < n / 5
    days = X["day"].dropna()
    away = np.abs(days.to_numpy()[:, None] - labels.to_numpy()[None, :])
    # A day in the middle of two that are drawn counts under either.
    nearest = away == away.min(axis=1, keepdims=True)
    sure = nearest[nearest.sum(axis=1) == 1].sum(axis=0)
    assert counts.sum() == pytest.approx(len(days) / n)
    assert (counts * n >= sure - 1e-9).all()
    assert (counts * n <= nearest.sum(axis=0) + 1e-9).all()


def test_lines_keep_their_class_beyond_256_classes() -> None:
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


def test_what_can_be_drawn_says_what_it_lies_between(explorer: uq.Explorer) -> None:
    about = explorer._about
    measures = {one["name"]: one["bounds"] for one in about["measures"]}
    assert measures["prediction"] == [0, 1]
    assert measures["nll"] == [0, None]
    assert measures["entropy"] == [0, pytest.approx(np.log(2))]
    indicators = {one["name"]: one["bounds"] for one in about["indicators"]}
    assert indicators["error_rate"] == [0, 1]

    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=30)})
    with uq.explore(lambda A: (A["a"].to_numpy(), np.ones(len(A))), X, X["a"]) as widget:
        densities = {one["name"]: one["bounds"] for one in widget._about["measures"]}
    assert densities["entropy"] == densities["nll"] == densities["prediction"] == [None, None]
    assert densities["std"] == [0, None]
