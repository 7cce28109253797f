"""One interval of each score: the views show the same ends, under stress and without."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets import stress_profiles
from widgets.test_explorer import change
from widgets.wire import columns

RED = [{"feature": "c", "values": ["red"]}]


def score_of(frame: dict[str, Any], label: str) -> dict[str, Any]:
    return next(s for s in frame["meta"]["performance"]["scores"] if s["label"] == label)


class Computed(NamedTuple):
    """What a computation was asked for: indicators, and a number of levels of tau."""

    indicators: list[str]
    levels: int


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Computed]:
    """The computations of profiles with intervals, in order."""
    computed: list[Computed] = []
    plain = stress_profiles.stress

    def recorded(columns: Any, n: int, indicators: Any, taus: Any, **options: Any) -> Any:
        computed.append(Computed([one.name for one in indicators], len(taus)))
        return plain(columns, n, indicators, taus, **options)

    monkeypatch.setattr(stress_profiles, "stress", recorded)
    return computed


@pytest.fixture
def few_levels_at_once(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 25 levels of all rows are computed without a pause."""
    monkeypatch.setattr(stress_profiles, "_WEIGHTS_AT_ONCE", 25 * len(explainer.table))


@pytest.mark.parametrize("filters", [[], RED], ids=["all rows", "filtered"])
@pytest.mark.parametrize("tau", [0.0, 0.5, 0.53, 0.537])
def test_the_scores_have_the_interval_of_the_profile(
    explorer: uq.Explorer, tau: float, filters: list[Any]
) -> None:
    for indicator in ("error_rate", "brier"):
        inputs = {"tau": tau, "ice_filter": filters, "indicator": indicator}
        frame = change(explorer, stress_feature="b", **inputs)[-1]
        shown = columns(frame)
        score = score_of(frame, "error rate" if indicator == "error_rate" else "mean Brier score")
        for end in ("low", "high"):
            ends = shown["stress.ends"][["low", "high"].index(end)]
            page = np.interp(tau, shown["stress.end_taus"], ends)
            assert score[end] == pytest.approx(page, rel=1e-5)
        assert score["value"] == pytest.approx(frame["meta"]["stress"]["now"]["value"])
    result = explorer.result("performance")
    at = result.names.index("brier")
    assert (result.low[at], result.high[at]) == (score["low"], score["high"])
    assert np.isnan(result.std_error[at]) == (tau != 0)


def test_all_scores_have_their_intervals_from_one_computation(
    explorer: uq.Explorer, computed: list[Computed]
) -> None:
    change(explorer, stress_feature="b", indicator="nll", tau=0.4)
    assert [each.indicators for each in computed] == [["error_rate", "nll", "brier"]]
    change(explorer, tau=-0.3)
    change(explorer, indicator="brier")
    assert len(computed) == 1


@pytest.mark.parametrize("most_weights", [1 << 20, 1], ids=["few rows", "many rows"])
def test_the_interval_is_exact_at_any_level_of_tau(
    explorer: uq.Explorer,
    explainer: uq.Explainer,
    monkeypatch: pytest.MonkeyPatch,
    computed: list[Computed],
    most_weights: int,
) -> None:
    monkeypatch.setattr(stress_profiles, "_MOST_WEIGHTS", most_weights)
    monkeypatch.setattr(stress_profiles, "_WEIGHTS_AT_ONCE", most_weights)
    for tau in (0.5, 0.43, -0.867, 0.43):
        frame = change(explorer, stress_feature="b", indicator="brier", tau=tau)[-1]
        shown = columns(frame)
        exact = explainer.stress(["b"], ["brier"], taus=[tau], level=0.95)
        at = np.flatnonzero(exact.taus == tau)
        place = np.abs(shown["stress.end_taus"] - tau).argmin()
        assert shown["stress.end_taus"][place] == pytest.approx(tau)
        score = score_of(frame, "mean Brier score")
        for end, ends in zip(("low", "high"), shown["stress.ends"], strict=True):
            expected = getattr(exact, end)["brier"][0, at][0]
            assert ends[place] == pytest.approx(expected, rel=1e-6)
            assert score[end] == pytest.approx(expected, rel=1e-9)
    # One level more for each that lies between those of the profile, once.
    levels = [each.levels for each in computed]
    assert levels == ([201, 1] if most_weights > 1 else [21, 1, 1])


@pytest.mark.parametrize(("room", "levels"), [(201, 201), (200, 101), (41, 41), (40, 21)])
def test_more_rows_have_fewer_levels(
    explorer: uq.Explorer,
    monkeypatch: pytest.MonkeyPatch,
    computed: list[Computed],
    room: int,
    levels: int,
) -> None:
    n_weights = room * len(explorer.explainer.table)
    monkeypatch.setattr(stress_profiles, "_MOST_WEIGHTS", n_weights)
    monkeypatch.setattr(stress_profiles, "_WEIGHTS_AT_ONCE", n_weights)
    change(explorer, stress_feature="b", tau=0.5)
    assert [each.levels for each in computed] == [levels]


@pytest.mark.usefixtures("few_levels_at_once")
def test_levels_that_take_long_follow_in_parts(
    explorer: uq.Explorer, explainer: uq.Explainer, computed: list[Computed]
) -> None:
    first, *_, last = change(explorer, stress_feature="b", indicator="nll", tau=0.5)
    first_levels, *others = (each.levels for each in computed)
    assert first_levels == 21
    assert sum(others) == 201
    assert max(others) <= 25
    assert len(columns(first)["stress.end_taus"]) == 21
    assert np.isfinite(columns(first)["stress.ends"]).all()
    expected = explainer.stress(["b"], ["nll"], taus=201, level=0.95)
    low, high = columns(last)["stress.ends"]
    np.testing.assert_allclose(low, expected.low["nll"][0], rtol=1e-6)
    np.testing.assert_allclose(high, expected.high["nll"][0], rtol=1e-6)


def test_another_indicator_computes_its_own_interval_only(
    explorer: uq.Explorer, computed: list[Computed]
) -> None:
    change(explorer, stress_feature="b", indicator="nll", tau=0.4)
    change(explorer, indicator="entropy")
    assert [each.indicators for each in computed] == [["error_rate", "nll", "brier"], ["entropy"]]
    expected = explorer.explainer.stress(["b"], ["entropy"], taus=201, level=0.95)
    shown = columns(explorer._frame)["stress.ends"]
    np.testing.assert_allclose(shown[0], expected.low["entropy"][0], rtol=1e-6)


@pytest.mark.usefixtures("few_levels_at_once")
def test_another_indicator_has_its_first_interval_at_few_levels(
    explorer: uq.Explorer, explainer: uq.Explainer, computed: list[Computed]
) -> None:
    change(explorer, stress_feature="b", indicator="nll", tau=0.53)
    computed.clear()
    first, *_, last = change(explorer, indicator="entropy")
    assert computed[0] == Computed(["entropy"], 21)
    assert sum(each.levels for each in computed if each.levels > 1) == 21 + 201
    assert all(each.indicators == ["entropy"] for each in computed)
    expected = explainer.stress(
        ["b"], ["entropy"], taus=[*np.linspace(-1, 1, 21), 0.53], level=0.95
    )
    for frame, n_levels in ((first, 22), (last, 201)):
        shown = columns(frame)
        assert len(shown["stress.end_taus"]) == n_levels
        at = [int(np.abs(shown["stress.end_taus"] - tau).argmin()) for tau in expected.taus]
        low, high = shown["stress.ends"][:, at]
        np.testing.assert_allclose(low, expected.low["entropy"][0], rtol=1e-6)
        np.testing.assert_allclose(high, expected.high["entropy"][0], rtol=1e-6)
    # The former indicator has all its levels still.
    computed.clear()
    assert len(columns(change(explorer, indicator="nll")[0])["stress.end_taus"]) == 201
    assert not computed
