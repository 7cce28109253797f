"""Importance streamed repeat by repeat, and progress bars."""

from __future__ import annotations

import io

import numpy as np
import pytest
from tqdm.std import tqdm

from models import Recorder, classification, normal_model, regression, table
from uqwidgets import Explainer, Progress, ProgressBar
from uqwidgets.evaluation.consistency import ROWS_ALONE


def test_the_last_streamed_result_equals_the_whole():
    explainer, plain = regression(), regression()
    result = list(explainer.importance("nll", n_repeats=10, stream=True))
    repeats = [partial.n_repeats for partial in result]
    assert repeats == sorted(set(repeats))
    assert repeats[0] == 1
    assert repeats[-1] == 10
    whole = plain.importance("nll", n_repeats=10)
    np.testing.assert_array_equal(result[-1].importance, whole.importance)
    np.testing.assert_array_equal(result[-1].high, whole.high)
    assert explainer.rows_evaluated == plain.rows_evaluated
    errors = [partial.std_error.max() for partial in result]
    assert errors[-1] < errors[0]


def test_the_model_is_called_only_for_the_next_result():
    explainer = regression()
    results = explainer.importance("nll", stream=True)
    assert explainer.rows_evaluated == 60
    next(results)
    assert explainer.rows_evaluated == 60 + 3 * 60 + ROWS_ALONE
    next(results)
    assert explainer.rows_evaluated == 60 + 2 * 3 * 60 + ROWS_ALONE


def test_intervals_over_repeats_begin_with_two():
    result = list(regression().importance("nll", interval="fixed-data", n_repeats=4, stream=True))
    assert [partial.n_repeats for partial in result] == [2, 3, 4]
    assert all(np.isfinite(partial.high).all() for partial in result)


def test_all_donors_are_streamed_feature_by_feature():
    result = list(regression().importance("nll", n_repeats="all", stream=True))
    assert [len(partial.features) for partial in result] == [1, 2, 3]


def test_finished_rows_are_not_evaluated_again_after_an_interrupt():
    X, y = table()
    model = Recorder(normal_model)
    explainer = Explainer(model, X, y, memory_limit="40KB")

    def stop(progress):
        raise KeyboardInterrupt(progress)

    with pytest.raises(KeyboardInterrupt):
        explainer.importance("nll", callback=stop)
    rows_before = explainer.rows_evaluated
    explainer.importance("nll", n_repeats=1)
    assert explainer.rows_evaluated < rows_before + 4 * 60


def test_each_computation_has_its_own_progress_bar(monkeypatch):
    bars = []

    class Quiet(tqdm):
        def __init__(self, **options):
            super().__init__(**options, file=io.StringIO())
            bars.append(self)

    monkeypatch.setattr("uqwidgets.evaluation.progress.tqdm", Quiet)
    bar = ProgressBar("rows")
    explainer = regression()
    explainer.importance("nll", callback=bar)
    explainer.dependence("x0", callback=bar)
    assert [b.n for b in bars] == [b.total for b in bars]
    assert sum(b.n for b in bars) == explainer.rows_evaluated - 60 - ROWS_ALONE
    assert all(b.disable for b in bars)  # a closed bar is disabled

    bar(Progress(10, 100, 1.0))
    bar(Progress(10, 50, 1.0))  # a smaller total starts a new bar
    assert (bars[-2].n, bars[-1].n, bars[-1].total) == (10, 10, 50)
    bar(Progress(50, 50, 0.0))


def slow(monkeypatch, explainer, seconds_per_row=1e-3):
    """Have an explainer estimate that its model takes so long for a row."""
    monkeypatch.setattr(
        explainer.evaluations, "seconds_for", lambda rows: max(rows, 0) * seconds_per_row
    )
    return explainer


SAMPLED = [
    {},
    {"interval": "fixed-data"},
    {"replacement": "ablation", "compare": "ratio"},
    {"replacement": "conditional"},
    {"sample_weight": np.linspace(0.0, 2.0, 1000)},
    {"rows": np.arange(1000) % 3 == 0},
]


@pytest.mark.parametrize("options", SAMPLED, ids=lambda options: ", ".join(options) or "default")
@pytest.mark.parametrize("make", [regression, classification])
def test_samples_grow_to_all_rows_and_their_answers_are_used_again(monkeypatch, make, options):
    explainer, plain = slow(monkeypatch, make(1000)), make(1000)
    repeats = 3 if "interval" in options else 2
    result, rows_evaluated = [], []
    for partial in explainer.importance("nll", n_repeats=repeats, stream=True, **options):
        result.append(partial)
        rows_evaluated.append(explainer.rows_evaluated)
    whole = plain.importance("nll", n_repeats=repeats, **options)
    assert explainer.rows_evaluated == plain.rows_evaluated
    for name in ("features", "importance", "std_error", "low", "high", "per_row", "repeats"):
        np.testing.assert_array_equal(getattr(result[-1], name), getattr(whole, name), name)
    assert result[-1].remarks == whole.remarks

    first = 2 if "interval" in options else 1
    sampled = [partial for partial in result if "rows so far" in " ".join(partial.remarks)]
    assert [partial.n_repeats for partial in sampled] == [first] * 3
    assert rows_evaluated[:4] == [1000 + 3 * first * rows for rows in (100, 200, 400, 1000)]
    order = explainer.evaluations.row_order
    chosen = np.flatnonzero(options.get("rows", np.ones(1000)))
    for partial, size in zip(sampled, (100, 200, 400), strict=True):
        rows = np.intersect1d(order.rows[:size], chosen)
        if "sample_weight" in options:
            rows = rows[rows > 0]
        np.testing.assert_array_equal(partial.rows, rows)
        so_far = f"{len(rows):,} of {len(chosen):,} rows so far"
        assert partial.remarks[0].startswith(so_far.split(" of ")[0])
        assert partial.per_row.shape == (3, len(rows))


def test_the_sample_averages_its_rows_of_the_full_result(monkeypatch):
    explainer = slow(monkeypatch, regression(1000))
    sampled, *_, whole = explainer.importance("nll", n_repeats=1, stream=True)
    at = [whole.features.index(feature) for feature in sampled.features]
    np.testing.assert_array_equal(sampled.per_row, whole.per_row[at][:, sampled.rows])
    np.testing.assert_allclose(sampled.importance, sampled.per_row.mean(axis=1), rtol=1e-12)
    assert sampled.std_error.sum() > 1.5 * whole.std_error.sum()


def test_a_filter_without_a_row_of_the_sample_waits_for_more_rows(monkeypatch):
    explainer = slow(monkeypatch, regression(1000))
    row = int(explainer.evaluations.row_order.rows[150])
    first = next(explainer.importance("nll", n_repeats=1, rows=[row], stream=True))
    assert first.remarks[0] == "1 of 1 rows so far"
    assert explainer.rows_evaluated == 1000 + 3 * 200


def test_quick_models_and_few_rows_are_not_sampled(monkeypatch):
    for explainer in (regression(1000), slow(monkeypatch, regression(60))):
        result = list(explainer.importance("nll", n_repeats=2, stream=True))
        assert [partial.n_repeats for partial in result] == [1, 2]
        assert all(len(partial.per_row[0]) == len(explainer.table) for partial in result)


def test_samples_stay_within_the_memory(monkeypatch):
    limit = 300_000
    explainer = slow(monkeypatch, classification(1000, memory_limit=limit))
    for partial in explainer.importance("nll", n_repeats=3, stream=True):
        assert explainer.evaluations._cache.nbytes <= limit
        assert np.isfinite(partial.high).all()
    plain = classification(1000)
    np.testing.assert_array_equal(partial.high, plain.importance("nll", n_repeats=3).high)
    assert explainer.rows_evaluated <= 1000 + 2 * (plain.rows_evaluated - 1000)
