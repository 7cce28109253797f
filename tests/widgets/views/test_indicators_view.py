"""All indicators over tau side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.views.indicators import _leading
from widgets.conftest import Counting, table
from widgets.wire import columns


@pytest.fixture
def shown(explainer: uq.Explainer) -> Any:
    with uq.Explorer(explainer, views=["indicators"], n_repeats=2) as widget:
        assert widget.wait(30)
        yield widget


def lines(widget: uq.Explorer) -> dict[tuple[str, str | None], np.ndarray]:
    """Values of each line, arrays (indicators, levels)."""
    meta = widget._frame["meta"]["indicators"]
    names = [widget.explainer.features[i] for i in meta["features"]]
    keys = zip(names, meta["categories"], strict=True)
    return dict(zip(keys, columns(widget._frame)["indicators.value"], strict=True))


def test_each_chart_has_the_profiles_of_python(shown: uq.Explorer, model: Counting) -> None:
    ex, calls = shown.explainer, model.calls
    meta = shown._frame["meta"]["indicators"]
    assert meta["indicators"] == list(ex.indicators)
    assert meta["labels"] == [one.label for one in ex.indicators.values()]
    expected = ex.stress(["a", "b", "c"], taus=STOPS)
    known = {name: i for i, name in enumerate(expected.features)}
    for (feature, category), values in lines(shown).items():
        row = known[feature if category is None else f"{feature}={category}"]
        for k, indicator in enumerate(meta["indicators"]):
            np.testing.assert_allclose(values[k], expected.values[indicator][row], rtol=1e-5)
    result = shown.result("indicators", "entropy")
    assert set(result.features) == {*expected.features, "same"}
    assert model.calls == calls


def test_nothing_depends_on_tau_and_all_on_the_rows(shown: uq.Explorer) -> None:
    before = columns(shown._frame)["indicators.value"]
    shown.stress_feature, shown.tau = "a", 0.5
    assert shown.wait(30)
    assert not shown._frame["meta"]["indicators"]["stale"]
    np.testing.assert_array_equal(columns(shown._frame)["indicators.value"], before)
    shown.ice_filter = [{"feature": "a", "low": 0.0}]
    assert shown.wait(30)
    rows = shown.explainer.table.numbers("a") >= 0
    assert shown._frame["meta"]["indicators"]["n_rows"] == rows.sum()
    expected = shown.explainer.stress(["b"], ["nll"], taus=STOPS, rows=rows).values["nll"][0]
    at = list(shown.explainer.indicators).index("nll")
    np.testing.assert_allclose(lines(shown)["b", None][at], expected, rtol=1e-5)


def test_the_stress_view_shares_the_profiles(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stressed: list[str] = []
    plain = uq.Explainer.stress

    def counted(self: uq.Explainer, features: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("taus") is STOPS:
            stressed.extend(features)
        return plain(self, features, *arguments, **options)

    monkeypatch.setattr(uq.Explainer, "stress", counted)
    with uq.Explorer(explainer, views=["stress", "indicators"], n_repeats=2) as widget:
        assert widget.wait(30)
    assert sorted(stressed) == ["a", "b", "c", "same"]


def test_lines_lead_by_their_share_of_the_largest_response() -> None:
    levels = np.linspace(-1, 1, 5)
    # Slopes of eight lines for two indicators; the unit of the second is a thousandth.
    slopes = np.array([[1, 0], [2, 0], [0, 0.004], [3, 0], [4, 0], [0, 0.003], [5, 0], [0.5, 0]])
    assert _leading(slopes[:, :, None] * levels) == [1, 2, 3, 4, 5, 6]
    unknown = np.full((2, 1, 5), np.nan)
    unknown[1, 0, 2:] = [0.5, 0.6, 0.5]
    assert _leading(unknown) == [1]


def test_a_line_that_rests_on_few_rows_does_not_lead() -> None:
    levels = np.linspace(-1, 1, 5)
    values = np.array([5.0, 1, 1, 1, 1, 1, 1])[:, None, None] * levels
    worth = np.full((7, 5), 200.0)
    worth[0] = [7, 20, 1000, 20, 7]
    worth[:, 2] = 1000
    assert _leading(values, worth, np.ones(1)) == [1, 2, 3, 4, 5, 6]
    # With enough rows it leads, and so it does where there is room for what is not clear.
    assert 0 in _leading(values, np.full((7, 5), 200.0), np.ones(1))
    assert 0 in _leading(values[:6], worth[:6], np.ones(1))


def test_a_category_of_seven_rows_does_not_lead() -> None:
    rng = np.random.default_rng(0)
    kind = np.where(np.arange(500) < 7, "rare", "common")
    X = pd.DataFrame({"kind": kind, **{f"x{k}": rng.normal(size=500) for k in range(7)}})

    def model(X: pd.DataFrame) -> Any:
        return 9 * (X["kind"] == "rare").to_numpy() + X.filter(like="x").sum(axis=1).to_numpy()

    with uq.explore(model, X, model(X), views=["indicators"], n_repeats=2) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]["indicators"]
        assert meta["n_lines"] > 6
        assert "kind" not in [widget.explainer.features[at] for at in meta["features"]]


def test_a_table_in_which_nothing_moves_has_no_line() -> None:
    X = table()[0][["same"]]
    with uq.explore(lambda X: X["same"], X, X["same"], views=["indicators"]) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["indicators"]["features"] == []
