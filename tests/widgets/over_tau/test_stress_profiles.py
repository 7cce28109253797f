"""One interval of each score: the views show the same ends, under stress and without."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau import stress_profiles
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.rows.population import PopulationBuilder
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


def test_the_interval_is_exact_at_any_level_of_tau(
    explorer: uq.Explorer, explainer: uq.Explainer, computed: list[Computed]
) -> None:
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
    # One level more for each that lies between those of the slider, once.
    assert [each.levels for each in computed] == [len(STOPS), 1, 1]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_stop_takes_effect_between_two_levels(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch, is_weighted: bool
) -> None:
    n = len(explainer.table)
    monkeypatch.setattr(stress_profiles, "_WEIGHTS_TOGETHER", n)
    weights = np.linspace(1.0, 2.0, n) if is_weighted else None
    inputs = Inputs(stress_feature="b", indicator="nll")
    populations = PopulationBuilder(explainer, weights).build(inputs, lambda: None)
    assert populations is not None
    checks: list[None] = []

    def check() -> None:
        checks.append(None)
        if len(checks) == 3:
            raise InterruptedError

    at = explainer, populations.selection, "b", None, ["nll"]
    with pytest.raises(InterruptedError):
        stress_profiles.bounded(*at, check)
    assert not populations.selection.bounded
    stress_profiles.bounded(*at, check)
    assert len(checks) >= 3 + len(STOPS)


def test_another_indicator_computes_its_own_interval_only(
    explorer: uq.Explorer, computed: list[Computed]
) -> None:
    change(explorer, stress_feature="b", indicator="nll", tau=0.4)
    change(explorer, indicator="entropy")
    assert [each.indicators for each in computed] == [["error_rate", "nll", "brier"], ["entropy"]]
    expected = explorer.explainer.stress(["b"], ["entropy"], taus=STOPS, level=0.95)
    shown = columns(explorer._frame)["stress.ends"]
    np.testing.assert_allclose(shown[0], expected.low["entropy"][0], rtol=1e-6)
    # The former indicator has its levels still.
    computed.clear()
    assert len(columns(change(explorer, indicator="nll")[0])["stress.end_taus"]) == len(STOPS)
    assert not computed
