"""One interval of each score: the views show the same ends, under stress and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets import stress_profiles
from widgets.test_explorer import change
from widgets.wire import columns

RED = [{"feature": "c", "values": ["red"]}]


def score_of(frame: dict[str, Any], label: str) -> dict[str, Any]:
    return next(s for s in frame["meta"]["performance"]["scores"] if s["label"] == label)


@pytest.mark.parametrize("filters", [[], RED], ids=["all rows", "filtered"])
@pytest.mark.parametrize("tau", [0.0, 0.5, 0.53])
def test_the_scores_have_the_interval_of_the_profile(
    explorer: uq.Explorer, tau: float, filters: list[Any]
) -> None:
    for indicator in ("error_rate", "brier"):
        inputs = {"tau": tau, "ice_filter": filters, "indicator": indicator}
        frame = change(explorer, stress_feature="b", **inputs)[-1]
        shown = columns(frame)
        score = score_of(frame, "error rate" if indicator == "error_rate" else "mean Brier score")
        for end in ("low", "high"):
            page = np.interp(tau, shown["stress.taus"], shown[f"stress.{end}"])
            assert score[end] == pytest.approx(page)
        assert score["value"] == pytest.approx(frame["meta"]["stress"]["now"]["value"])
    result = explorer.result("performance")
    at = result.names.index("brier")
    assert (result.low[at], result.high[at]) == (score["low"], score["high"])
    assert np.isnan(result.std_error[at]) == (tau != 0)


def test_all_scores_have_their_intervals_from_one_computation(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[list[str]] = []
    plain = stress_profiles.stress

    def counted(columns: Any, n: int, indicators: Any, *args: Any, **options: Any) -> Any:
        computed.append([indicator.name for indicator in indicators])
        return plain(columns, n, indicators, *args, **options)

    monkeypatch.setattr(stress_profiles, "stress", counted)
    change(explorer, stress_feature="b", indicator="nll", tau=0.4)
    assert computed == [["error_rate", "nll", "brier"]]
    change(explorer, tau=-0.3)
    change(explorer, indicator="brier")
    assert len(computed) == 1
