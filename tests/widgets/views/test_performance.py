"""The performance view shows the scores, calibration and confusion of the Explainer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.views.performance import PerformanceView
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns


def shown(frame: dict[str, Any]) -> dict[str, Any]:
    return dict(frame["meta"]["performance"])


def test_scores_use_the_filtered_rows_and_the_stress_weights(
    explorer: uq.Explorer, explainer: uq.Explainer, model: Counting
) -> None:
    calls = model.calls
    rows = [{"feature": None, "values": ["yes", "no"]}, {"feature": "b", "low": -1.0, "high": 2.0}]
    frame = change(explorer, stress_feature="a", tau=0.5, ice_filter=rows)[-1]
    assert model.calls == calls
    chosen = np.flatnonzero(
        (explainer.table.numbers("b") >= -1.0) & (explainer.table.numbers("b") <= 2.0)
    )
    weights = explainer.stress_weights("a", 0.5, rows=chosen)
    now = explainer.scores(sample_weight=weights, rows=chosen)
    unstressed = explainer.scores(rows=chosen)
    stress = explainer.stress(
        ["a"], ["error_rate", "nll", "brier"], taus=[0.5], rows=chosen, level=0.95
    )
    at = int(np.flatnonzero(stress.taus == 0.5)[0])
    performance = shown(frame)
    assert performance["n_rows"] == len(chosen)
    for k, score in enumerate(performance["scores"]):
        assert score["label"] == now.labels[k]
        numbers = [score[name] for name in ("value", "low", "high", "base")]
        ends, name = (now.low[k], now.high[k]), now.names[k]
        if name in stress.indicators:
            # The weights depend on the rows, which the interval of an indicator accounts for.
            ends = stress.low[name][0, at], stress.high[name][0, at]
        expected = [now.value[k], *ends, unstressed.value[k]]
        np.testing.assert_allclose(numbers, expected)


def test_calibration_and_confusion_equal_those_of_the_explainer(
    explorer: uq.Explorer, explainer: uq.Explainer
) -> None:
    frame = explorer._frame
    calibration, parts = explainer.calibration(), columns(frame)
    assert shown(frame)["event"] == calibration.event
    assert shown(frame)["verdict"] == calibration.verdict
    assert shown(frame)["misses"] == calibration.misses
    for name in ("predicted", "observed", "low", "high", "outside"):
        expected = getattr(calibration, name)
        np.testing.assert_allclose(parts[f"performance.calibration_{name}"], expected)
    np.testing.assert_allclose(parts["performance.confusion"], explainer.confusion().share)


def test_calibration_along_a_column_is_that_of_the_explainer_without_a_call(
    explorer: uq.Explorer, explainer: uq.Explainer, model: Counting
) -> None:
    calls = model.calls
    frame = change(explorer, stress_feature="a", tau=0.5, calibration_by="c")[-1]
    weights = explainer.stress_weights("a", 0.5)
    along = explainer.calibration(by="c", sample_weight=weights)
    parts = columns(frame)
    for name in ("predicted", "observed", "low", "high", "sharpness", "few", "outside"):
        np.testing.assert_allclose(parts[f"performance.along_{name}"], getattr(along, name))
    assert shown(frame)["along"]["names"] == list(along.names)
    assert shown(frame)["along"]["verdict"] == along.verdict
    assert explorer.result("performance", "calibration along c").verdict == along.verdict
    spread = shown(frame)["spread"][0]
    assert change(explorer, calibration_by=spread)[-1]["meta"]["error"] is None
    assert model.calls == calls
    with pytest.raises(Exception, match="feature, extra column or measure 'nll'"):
        explorer.calibration_by = "nll"


def test_the_verdict_on_numbers_is_there_at_every_level_of_tau() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    explainer = uq.Explainer(
        lambda A: (A[:, 0], np.ones(len(A))),
        X,
        X[:, 0] + rng.normal(size=300) * (1 + 2 * (X[:, 1] > 0)),
    )
    view = PerformanceView(explainer)
    for tau in (-0.5, 0.5):
        weights = explainer.stress_weights("x1", tau)
        now = explainer.table.population(weights, None)
        populations = SimpleNamespace(now=now)
        texts = view.texts_over_tau(populations)  # type: ignore[arg-type]
        assert texts["verdict"] == explainer.calibration(sample_weight=weights).verdict


def test_a_regression_shows_points_and_interval_coverage() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = X[:, 0] + rng.normal(size=500)
    explainer = uq.Explainer(lambda A: (A[:, 0], np.ones(len(A))), X, y)
    with uq.explore(explainer, n_repeats=2) as widget:
        assert widget.wait(30)
        parts, performance = columns(widget._frame), shown(widget._frame)
        assert len(parts["performance.predicted"]) == 400
        truth = dict(zip(X[:, 0].astype(np.float32).tolist(), y.tolist(), strict=True))
        for predicted, true in zip(
            parts["performance.predicted"].tolist(), parts["performance.true"].tolist(), strict=True
        ):
            assert true == pytest.approx(truth[predicted], abs=1e-5)
        coverage = performance["scores"][-1]
        assert coverage["label"] == "rows inside 90% intervals"
        (expected,) = (line for line in explainer.calibration().coverage if line[0] == 0.9)
        np.testing.assert_allclose([coverage[k] for k in ("value", "low", "high")], expected[1:])
        stressed = columns(change(widget, tau=0.6)[-1])
        np.testing.assert_array_equal(
            stressed["performance.predicted"], parts["performance.predicted"]
        )


def test_performance_of_many_rows_is_computed_at_rest(explorer: uq.Explorer) -> None:
    explorer._publisher.timing = Timing(n_rows_at_once=10, summing=10.0)
    frames = change(explorer, stress_feature="a", tau=0.5)
    assert [shown(frame)["stale"] for frame in frames] == [True, False]


def test_a_point_prediction_has_scores_without_calibration() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2))
    explainer = uq.Explainer(lambda A: A[:, 0], X, X.sum(axis=1))
    with uq.explore(explainer, n_repeats=2) as widget:
        assert widget.wait(30)
        assert shown(widget._frame)["event"] is None
        assert "performance.calibration_predicted" not in columns(widget._frame)
        html = widget._repr_mimebundle_()
        data = html[0] if isinstance(html, tuple) else html
        assert "Scores of the model" in data["text/html"]


def test_performance_is_shown_before_further_model_calls() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    batch_sizes: list[int] = []

    def slow(A: Any) -> Any:
        batch_sizes.append(len(A))
        return A[:, 0], np.ones(len(A))

    explainer = uq.Explainer(slow, X, y)
    rows_before = sum(batch_sizes)
    rows_at_frames: list[int] = []
    widget = uq.Explorer(explainer, n_repeats=3)
    try:
        widget.observe(
            lambda event: (
                rows_at_frames.append(sum(batch_sizes))
                if event["new"]["meta"].get("performance")
                else None
            ),
            "_frame",
        )
        assert widget.wait(30)
        assert rows_at_frames
        assert rows_at_frames[0] == rows_before
    finally:
        widget.close()


def test_performance_is_empty_without_the_true_target() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    with uq.explore(lambda A: (A[:, 0], 1 + A[:, 1] ** 2), X, n_repeats=2) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["performance"] is None
        assert widget._frame["meta"]["error"] is None
