"""Small curves of the leading features: their numbers, their model calls, and their limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.views.small_curves import SmallCurvesView
from widgets.conftest import Counting, table
from widgets.following import at_level
from widgets.wire import columns


@pytest.fixture
def small(explorer: uq.Explorer) -> uq.Explorer:
    explorer.small_curves = 3
    assert explorer.wait(30)
    return explorer


def parts(widget: uq.Explorer, name: str) -> dict[str, np.ndarray]:
    meta = widget._frame["meta"]["small_curves"]
    ends = np.cumsum(meta["sizes"])[:-1]
    values = np.split(columns(widget._frame)[f"small_curves.{name}"], ends)
    return dict(zip(meta["features"], values, strict=True))


def test_they_are_the_averages_of_the_leading_features(small: uq.Explorer) -> None:
    small.tau, small.stress_feature = 0.4, "b"
    assert small.wait(30)
    ex, meta = small.explainer, small._frame["meta"]["small_curves"]
    leading = ex.importance("nll", n_repeats=small.n_repeats).features[:3]
    assert (meta["features"], meta["coming"], meta["stale"]) == (list(leading), [], False)
    assert meta["by_importance"]
    weights = ex.stress_weights("b", 0.4)
    shown = {name: parts(small, name) for name in ("average", "low", "high")}
    for feature in leading:
        result = ex.dependence(feature, small.measure, grid=49, sample_weight=weights)
        at = np.unique(np.linspace(0, len(result.grid) - 1, 17).round().astype(int))
        for name in shown:
            np.testing.assert_allclose(shown[name][feature], getattr(result, name)[at], atol=1e-12)
    for name, result in zip(
        leading, [small.result("small_curves", one) for one in leading], strict=True
    ):
        np.testing.assert_allclose(result.average, shown["average"][name])


def test_without_them_the_model_is_not_called_for_them(
    explorer: uq.Explorer, model: Counting
) -> None:
    assert explorer._frame["meta"]["small_curves"] is None
    calls = model.calls
    explorer.tau = 0.3
    assert explorer.wait(30)
    assert model.calls == calls
    assert not [name for name in explorer._frame["cols"] if name.startswith("small_curves.")]


def test_each_value_is_asked_once_and_the_large_curve_has_it(
    explorer: uq.Explorer,
) -> None:
    picked = explorer.feature
    before = explorer.explainer.rows_evaluated
    explorer.small_curves = 2
    assert explorer.wait(30)
    meta, n = explorer._frame["meta"]["small_curves"], len(explorer.explainer.table)
    new = sum(
        size for size, name in zip(meta["sizes"], meta["features"], strict=True) if name != picked
    )
    assert explorer.explainer.rows_evaluated - before == new * n
    before = explorer.explainer.rows_evaluated
    other = next(name for name in meta["features"] if name != picked)
    explorer.feature = other
    assert explorer.wait(30)
    size = dict(zip(meta["features"], meta["sizes"], strict=True))[other]
    n_values = len(columns(explorer._frame)["dependence.grid"])
    assert explorer.explainer.rows_evaluated - before == (n_values - size) * n


def test_stress_filters_and_measures_do_not_call_the_model(
    small: uq.Explorer, model: Counting
) -> None:
    calls = model.calls
    before = parts(small, "average")
    small.tau, small.measure = -0.4, "entropy"
    small.ice_filter = [{"feature": "c", "values": ["red"]}]
    assert small.wait(30)
    assert model.calls == calls
    assert small._frame["meta"]["small_curves"]["label"] == "entropy"
    assert any(
        not np.allclose(before[k], v) for k, v in parts(small, "average").items() if k in before
    )


def test_they_stay_in_place_while_tau_moves(small: uq.Explorer) -> None:
    order = small._frame["meta"]["small_curves"]["features"]
    for tau in (-0.9, -0.3, 0.6, 1.0):
        small.tau = tau
        assert small.wait(30)
        assert small._frame["meta"]["small_curves"]["features"] == order


def test_where_importance_is_not_known_they_are_the_first_of_the_table() -> None:
    X, y = table(40)
    ex = uq.Explainer(Counting(), X, y)
    with uq.Explorer(ex, views=["small_curves"], small_curves=2) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]["small_curves"]
        assert (meta["features"], meta["by_importance"]) == (list(ex.features[:2]), False)


def test_a_newer_wish_goes_first_and_what_is_known_stays(model: Counting) -> None:
    X, y = table(40)
    with uq.Explorer(uq.Explainer(model, X, y), n_repeats=2) as widget:
        assert widget.wait(30)
        seen = []

        def turn(change: dict[str, dict[str, dict[str, dict[str, list[str]]]]]) -> None:
            content = change["new"]["meta"]["small_curves"]
            if content and content["features"] and content["coming"] and not seen:
                seen.append(content["features"])
                widget.tau = 0.2

        model.seconds_per_call = 0.05
        widget.observe(turn, names="_frame")
        widget.small_curves = 4
        assert widget.wait(60)
        assert widget.tau == pytest.approx(0.2 if seen else 0.0)
        assert widget._frame["meta"]["small_curves"]["coming"] == []


def test_a_memory_limit_has_as_many_as_fit_and_says_so() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20_000, 4)), columns=list("abcd"))
    ex = uq.Explainer(lambda X: X["a"].to_numpy(), X, X["a"], memory_limit="60MB")
    with uq.Explorer(ex, n_repeats=2, small_curves=4, views=["small_curves"]) as widget:
        assert widget.wait(60)
        meta = widget._frame["meta"]
        assert len(meta["small_curves"]["features"]) == 2
        (note,) = [note for note in meta["notes"] if "small curve" in note]
        assert note.startswith(
            "2 small curves of 4 can be drawn, because more would exceed memory_limit='60MB'"
        )
        view = widget._session.view(SmallCurvesView)
        assert sum(curves.values.nbytes for curves in view._curves.values()) <= 6e6


def odd_columns() -> Iterator[tuple[str, pd.Series]]:
    rng = np.random.default_rng(1)
    yield "dates", pd.Series(pd.date_range("2024-01-01", periods=60))
    yield "missing", pd.Series(np.where(np.arange(60) % 3, np.nan, 1.0))
    yield "empty", pd.Series(np.full(60, np.nan))
    yield "constant", pd.Series(np.ones(60))
    yield "many", pd.Series([f"<b>{i}" for i in range(60)])
    yield "number", pd.Series(rng.normal(size=60))


def test_odd_columns_have_curves_or_are_left_out() -> None:
    X = pd.DataFrame(dict(odd_columns()))
    with uq.explore(
        lambda X: X["number"].to_numpy(), X, X["number"], n_repeats=2, small_curves=9
    ) as widget:
        assert widget.wait(60)
        meta = widget._frame["meta"]
        assert meta["error"] is None
        content = meta["small_curves"]
        assert set(content["features"]) == set(X) - {"empty"}
        sizes = dict(zip(content["features"], content["sizes"], strict=True))
        assert sizes == {"dates": 17, "missing": 1, "constant": 1, "many": 9, "number": 17}
        assert [t for t, f in zip(content["times"], content["features"], strict=True) if t] == [
            True
        ]


def test_a_model_that_fails_leaves_the_other_views(explorer: uq.Explorer, model: Counting) -> None:
    model.broken = True
    explorer.small_curves = 4
    assert explorer.wait(30)
    meta = explorer._frame["meta"]
    assert "RuntimeError" in meta["error"]
    assert meta["importance"] is not None
    model.broken = False
    explorer.small_curves = 3
    assert explorer.wait(30)
    assert explorer._frame["meta"]["error"] is None


@pytest.mark.thorough
def test_a_page_holds_those_that_are_shown(small: uq.Explorer) -> None:
    before = small.explainer.rows_evaluated
    page = small.freeze(stress_features=["b"], lines=0, progress=False)
    assert page.rows
    view = SmallCurvesView(small.explainer)
    inputs = small._inputs()[0]
    populations = small._session.populations.build(inputs, lambda: None)
    assert populations is not None
    content = view.complete(inputs, populations, lambda: None)
    assert content.meta["features"] == small._frame["meta"]["small_curves"]["features"]
    assert small.explainer.rows_evaluated >= before


def test_every_level_of_tau_is_near_that_of_the_kernel(small: uq.Explorer) -> None:
    small.stress_feature = "b"
    assert small.wait(30)
    session, inputs = small._session, small._inputs()[0]
    view = session.view(SmallCurvesView)
    evaluated = small.explainer.rows_evaluated
    over_tau = OverTau(session.views, session.populations)
    *_, (meta, sent) = over_tau.follow(inputs, lambda: None)
    assert small.explainer.rows_evaluated == evaluated
    for tau in (-0.9, -0.35, 0.0, 0.2, 0.75):
        at = replace(inputs, tau=tau)
        exact = view.compute(at, session.populations.build(at, lambda: None)).columns
        axis = np.ptp(exact["average"])
        for name in ("average", "low", "high"):
            level = at_level(meta, sent, f"small_curves.{name}", tau)
            np.testing.assert_allclose(level, exact[name], atol=0.02 * axis)


def test_the_static_picture_has_every_small_curve(small: uq.Explorer) -> None:
    view = small._session.view(SmallCurvesView)
    inputs = small._inputs()[0]
    populations = small._session.populations.build(inputs, lambda: None)
    html = view.html(inputs, populations.now, lambda: None)
    assert "All panels have one vertical axis" in html
    for feature in small._frame["meta"]["small_curves"]["features"]:
        assert f">{feature}</text>" in html
    assert view.html(replace(inputs, small_curves=0), populations.now, lambda: None) == ""
