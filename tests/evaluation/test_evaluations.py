"""Calls of the model: each replacement once, in large batches, and safely."""

from __future__ import annotations

import threading
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from cases import thorough_after
from models import Recorder, classification, normal_model, regression, table, two_classes
from uqwidgets import Explainer, Mixture, ModelError, Normal, Quantiles
from uqwidgets.evaluation import cache, donors
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.evaluation.progress import Progress
from uqwidgets.evaluation.replacement import Constant, Drawn, Original


def test_the_original_rows_are_evaluated_once_at_construction():
    explainer = regression()
    assert (explainer.model_calls, explainer.rows_evaluated) == (1, 60)
    assert explainer.evaluations.is_cached(Original())
    explainer.stress()
    explainer.stress_weights("x0", 0.3)
    explainer.indicators  # noqa: B018
    explainer.measures  # noqa: B018
    assert (explainer.model_calls, explainer.rows_evaluated) == (1, 60)


def test_stacked_replacements_give_the_predictions_of_each_alone():
    X, y = table(50)
    explainer = Explainer(normal_model, X, y)
    replacements = [
        Drawn((0,), "permutation", 2, 0),
        Constant((1,), (0.5,)),
        Drawn((2,), "ablation", 0, 0),
        Drawn((0, 2), "conditional", 1, 0),
        Constant((1, 2), (0.5, -1.0)),
        Original(),
    ]
    explainer.evaluations.evaluate_all(replacements)
    for replacement in replacements:
        replaced = X.copy()
        if isinstance(replacement, Drawn):
            moved, scheme = replacement.columns, replacement.scheme
            rows = explainer.evaluations.donors(moved, scheme, 0, 3)[replacement.repeat]
            replaced[:, moved] = X[rows][:, moved]
        elif isinstance(replacement, Constant):
            replaced[:, replacement.columns] = replacement.values
        mean, std = normal_model(replaced)
        distribution = explainer.evaluations.evaluate(replacement)
        np.testing.assert_array_equal(distribution.loc, mean)
        np.testing.assert_array_equal(distribution.scale, std)


@pytest.mark.parametrize("limit", thorough_after(2, [2_000, 20_000, 1]))
def test_a_small_memory_gives_the_same_numbers(limit):
    explainer, roomy = (classification(40, labels="abc", memory_limit=m) for m in (limit, "1GiB"))
    weights = roomy.stress_weights("x0", 0.4)
    for measure in ("nll", "entropy"):
        small, large = (e.importance(measure, sample_weight=weights) for e in (explainer, roomy))
        np.testing.assert_allclose(small.importance, large.importance, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(small.std_error, large.std_error, rtol=1e-12, atol=1e-15)
    for feature in roomy.features:
        small, large = (e.dependence(feature, "entropy") for e in (explainer, roomy))
        np.testing.assert_allclose(small.average, large.average, rtol=1e-12)
    before = explainer.rows_evaluated
    explainer.stress()
    assert explainer.rows_evaluated == before


def test_a_small_memory_evaluates_each_replacement_once():
    explainer = regression(memory_limit=2_000)
    explainer.importance(n_repeats=5)
    assert explainer.rows_evaluated == 60 + 5 * 3 * 60


class Slow:
    """A model that takes a millisecond per row on a simulated clock, so that batches are small."""

    def __init__(self, monkeypatch, model=normal_model):
        self.model, self.now = model, 0.0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def __call__(self, X):
        self.now += 1e-3 * len(X)
        return self.model(X)


def test_all_repeats_are_two_calls_of_a_model_with_expensive_calls(monkeypatch):
    X, y = table(143)
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def expensive(X):
        now[0] += 0.015 + 6e-6 * len(X)
        return normal_model(X)

    model = Recorder(expensive)
    explainer = Explainer(model, X, y)
    assert [len(block) for block in model.batches] == [8, 135]
    explainer.importance("nll", n_repeats=100)
    explainer.importance("entropy", n_repeats=100)
    # The first of them shows whether the call of 8 rows was slow because threads started in it.
    few, many = (len(block) for block in model.batches[2:])
    assert 4 * 135 <= few <= 8 * 135
    assert few + many == 3 * 100 * 143


class Stop(Exception):  # noqa: N818
    pass


def test_finished_rows_stay_cached_after_the_callback_raises(monkeypatch):
    X, y = table(60)
    model = Recorder(Slow(monkeypatch))
    explainer = Explainer(model, X, y)
    seen = []

    def stop_after_three(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise Stop

    with pytest.raises(Stop):
        explainer.importance(n_repeats=10, callback=stop_after_three)
    done = explainer.rows_evaluated
    assert 60 < done < 60 + 1800
    assert seen[-1].rows_done == done - 60
    assert all(p.rows_total == 1800 for p in seen)
    assert [p.rows_done for p in seen] == sorted(p.rows_done for p in seen)
    continued = explainer.importance(n_repeats=10)
    assert explainer.rows_evaluated == model.rows == 60 + 1800
    np.testing.assert_array_equal(continued.importance, regression().importance().importance)


def test_progress_ends_with_no_rows_left(monkeypatch):
    X, y = table(60)
    seen: list[Progress] = []
    explainer = Explainer(Slow(monkeypatch), X, y)
    explainer.importance(callback=seen.append)
    assert len(seen) > 3
    assert seen[-1].rows_done == seen[-1].rows_total == 1800
    assert seen[-1].seconds_left == 0
    left = seen[0].rows_total - seen[0].rows_done
    assert seen[0].seconds_left == pytest.approx(left * 1e-3, rel=0.1)
    explainer.importance(callback=pytest.fail)  # everything is cached: there is no progress


def test_threads_that_need_the_same_rows_evaluate_them_once():
    X, y = table(60)

    def slow(X):
        time.sleep(0.002)
        return normal_model(X)

    model = Recorder(slow)
    explainer = Explainer(model, X, y)
    result = {}

    def work(number):
        result[number] = explainer.importance("nll" if number % 2 else "entropy", n_repeats=20)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert explainer.rows_evaluated == model.rows == 60 + 20 * 3 * 60 + ROWS_ALONE
    np.testing.assert_array_equal(result[1].importance, result[5].importance)
    np.testing.assert_array_equal(result[0].importance, result[4].importance)


class TestFailures:
    def explainer(self, model, answers=normal_model):
        X, y = table(60, 5)
        X[:, 4] = np.abs(X[:, 4])
        self.original = X.copy()
        known = {tuple(x) for x in X}

        def failing(batch):
            replaced = np.array([tuple(x) not in known for x in batch])
            changed = replaced & (~np.isin(batch[:, 3], X[:, 3]) | (batch[:, 3] == 77))
            return model(changed, answers(batch))

        return Explainer(failing, X, y if answers is normal_model else y > 0)

    def fails(self, explainer, message, grid=(0.5, 77.0)):
        other = explainer.importance("entropy", n_repeats=2)
        with pytest.raises(ModelError, match=message):
            explainer.dependence("x3", "entropy", grid=list(grid))
        again = explainer.importance("entropy", n_repeats=2)
        np.testing.assert_array_equal(again.importance, other.importance)

    def test_the_error_of_the_model_is_quoted_with_the_feature(self):
        def model(changed, answer):
            if changed.any():
                raise RuntimeError("no such value\nand much more")
            return answer

        message = r"^the model failed while rows with 'x3' replaced were evaluated: RuntimeError: "
        call = r" \(call 5 of the model, 60 rows, columns x0, x1, x2, x3 and x4\)$"
        self.fails(self.explainer(model), f"{message}no such value{call}")

    def test_nan_is_reported_with_its_row_and_feature(self):
        def model(changed, answer):
            return np.where(changed, np.nan, answer[0]), answer[1]

        self.fails(self.explainer(model), r"^the model's mean is nan in row 0 of X, with 'x3' repl")

    def test_a_standard_deviation_of_zero_is_reported_with_its_row(self):
        def model(changed, answer):
            return answer[0], np.where(changed, 0.0, answer[1])

        self.fails(
            self.explainer(model), r"std, which must be greater than zero, is 0 in row 0 of X"
        )

    def test_probabilities_that_do_not_sum_to_one_are_reported_with_their_row(self):
        def model(changed, answer):
            return answer * np.where(changed, 0.9, 1.0)[:, None]

        message = (
            r"the model's probabilities sum to 0.9, off from 1 by -0.1, in row 0 of X, with 'x3'"
        )
        self.fails(self.explainer(model, two_classes), message)

    def test_a_wrong_number_of_predictions_is_reported(self):
        def model(changed, answer):
            return (answer[0][1:], answer[1][1:]) if changed.any() else answer

        message = (
            r"'x3' replaced were evaluated: ValueError: the model returned 59 rows for 60 rows"
        )
        self.fails(self.explainer(model), message)

    def test_a_model_that_fails_on_the_original_rows_is_refused(self):
        X, y = table(20)

        def model(batch):
            return np.where(np.arange(len(batch)) == 3, np.nan, 1.0)

        with pytest.raises(ModelError, match=r"the model's prediction is nan in row 3 of X\.$"):
            Explainer(model, X, y)

    @pytest.mark.parametrize("as_frame", [False, True])
    def test_features_missing_in_the_row_of_a_nan_prediction_are_named(self, as_frame):
        X, y = table(20)
        X[3, 1] = X[3, 2] = X[7, 0] = np.nan
        X = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]) if as_frame else X

        def filled(batch):
            return np.nan_to_num(np.asarray(batch, dtype=float)).sum(axis=1)

        def model(batch):
            bad = np.isnan(np.asarray(batch, dtype=float)[:, 1])
            return np.where(bad, np.nan, filled(batch))

        with pytest.raises(ModelError, match=r"in row 3 of X, where 'x1', 'x2' are missing\.$"):
            Explainer(model, X, y)

        def by_another(batch):
            bad = np.isnan(np.asarray(batch, dtype=float)[:, 0]) & (np.arange(len(batch)) != 7)
            return np.where(bad, np.nan, filled(batch))

        # The missing value may be the donor's.
        explainer = Explainer(by_another, X, y)
        with pytest.raises(ModelError, match=r"with 'x0' replaced, where 'x0'.* missing\.$"):
            explainer.importance("squared_error", ["x0"], n_repeats="all")

    def test_the_first_of_many_missing_features_are_named(self):
        X = np.zeros((20, 9))
        X[4] = np.nan
        with pytest.raises(ModelError, match=r"where 'x0', .*, 'x4' and 4 more are missing\.$"):
            Explainer(lambda batch: batch.sum(axis=1), X, np.zeros(20))


def test_a_failing_feature_is_named_and_the_others_stay_cached():
    X, y = table(60, 8)

    def model(batch):
        if (np.abs(batch[:, 0] + batch[:, 6]) < 1e-9).all():
            return normal_model(batch)
        raise ValueError("features 0 and 6 go together")

    X[:, 6] = -X[:, 0]
    explainer = Explainer(model, X, y)
    harmless = [f for f in explainer.features if f not in ("x0", "x6")]
    message = r"^the model failed while rows with 'x6' replaced were evaluated: ValueError: feat"
    with pytest.raises(ModelError, match=message):
        explainer.importance(features=[*harmless, "x6"], n_repeats=4)
    before = explainer.rows_evaluated
    assert np.isfinite(explainer.importance(features=harmless, n_repeats=4).importance).all()
    assert explainer.rows_evaluated == before


def test_many_rows_are_explained_within_the_memory_limit():
    X, y = table(60_000, p=10)
    limit = 40 * 2**20
    tracemalloc.start()
    try:
        explainer = Explainer(lambda X: X[:, 0] * X[:, 1], X, y, memory_limit=limit)
        result = explainer.importance("squared_error", n_repeats=5)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.per_row.shape == (10, 60_000)
    # The table's own copy and the result count too; all answers together would need 24 MiB more.
    assert peak < 1.5 * limit
    assert explainer.rows_evaluated == 60_000 * 51


def classes_by_first(X):
    p = 1 / (1 + np.exp(-X[:, 0]))
    return np.column_stack([1 - p, p])


def test_memory_does_not_grow_with_repeats():
    X, y = table(60_000, p=2)
    limit, peaks = 6 * 2**20, []
    for repeats in (12, 60):
        tracemalloc.start()
        try:
            explainer = Explainer(classes_by_first, X, y > 0, memory_limit=limit)
            result = explainer.importance("nll", ["x0"], n_repeats=repeats)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert len(result.repeats[0]) == repeats
        assert explainer.rows_evaluated == 60_000 * (1 + repeats)
    # All 60 repeats have 27 MiB of changes, and as much again of donors.
    assert max(peaks) < 1.5 * limit + X.nbytes + y.nbytes
    assert peaks[1] < 1.1 * peaks[0]


@pytest.mark.parametrize("scheme", thorough_after(1, ["conditional", "permutation", "ablation"]))
def test_repeats_computed_in_parts_give_the_same_numbers(scheme, monkeypatch):
    weights, rows = np.random.default_rng(1).gamma(2, size=300), np.arange(0, 300, 2)
    explainer = regression(300)
    monkeypatch.setattr(cache, "_SMALL", 0)
    for options in ({}, {"sample_weight": weights}, {"sample_weight": weights, "rows": rows}):
        for interval in ("model", "fixed-data", "random-variable"):
            how = {"replacement": scheme, "n_repeats": 9, "interval": interval} | options
            parts = regression(300, memory_limit=30_000)
            one, other = parts.importance("nll", **how), explainer.importance("nll", **how)
            assert not parts.evaluations._cache.has_room(9 * 300 * 16)
            assert parts.rows_evaluated == 300 + 9 * 3 * 300
            np.testing.assert_allclose(one.importance, other.importance, rtol=1e-9, atol=1e-14)
            np.testing.assert_allclose(one.repeats, other.repeats, rtol=1e-9, atol=1e-14)
            np.testing.assert_allclose(one.per_row, other.per_row, rtol=1e-9, atol=1e-12)
            # Influences are centred in each part; with weights this changes the standard error.
            near = 0.1 if options else 1e-9
            np.testing.assert_allclose(one.std_error, other.std_error, rtol=near, atol=1e-12)


def test_weights_that_leave_some_parts_without_a_pair(monkeypatch):
    monkeypatch.setattr(cache, "_SMALL", 0)
    weights = np.zeros(300)
    weights[:6] = 1.0
    how = {"sample_weight": weights, "n_repeats": 30}
    one = regression(300, memory_limit=30_000).importance("nll", **how)
    monkeypatch.undo()
    other = regression(300).importance("nll", **how)
    assert np.isnan(other.repeats).any()
    np.testing.assert_allclose(one.importance, other.importance, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(one.repeats, other.repeats, rtol=1e-9, atol=1e-14)
    scored = slice(0, 6)
    np.testing.assert_allclose(
        one.per_row[:, scored], other.per_row[:, scored], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("limit", ["1GiB", 400_000, 200_000])
@pytest.mark.parametrize("in_turn", [False, True])
def test_each_donor_is_drawn_once(limit, in_turn, monkeypatch):
    lines = []
    draw = donors.drawn_donors

    def counted(*arguments):
        result = draw(*arguments)
        lines.append(len(result))
        return result

    monkeypatch.setattr(donors, "drawn_donors", counted)
    monkeypatch.setattr(cache, "_SMALL", 0)
    X, y = table(500)
    explainer = Explainer(normal_model, X, y, memory_limit=limit)
    if in_turn:  # as the widget does, repeat by repeat
        for repeat in range(40):
            drawn = [Drawn((column,), "permutation", repeat, 0) for column in range(3)]
            explainer.evaluations.evaluate_all(drawn)
    explainer.importance("nll", n_repeats=40)
    # Repeat by repeat, and then a second time for the importance where they do not fit in memory.
    assert sum(lines) <= 3 * 40 * (2 if in_turn else 1)


def test_an_undefined_measure_names_the_row_of_the_table():
    def quantiles(X):
        # Where the first feature is large, two quantiles are equal: an atom, which has no density.
        width = np.where(X[:, 0] > 10, 0.0, 1.0)
        middle = X[:, 1]
        return Quantiles([0.25, 0.5, 0.75], np.column_stack([middle - 1, middle, middle + width]))

    X, y = table(30)
    explainer = Explainer(quantiles, X, y)
    with pytest.raises(ModelError, match=r"there is no nll: .*in row 0 of X, with 'x0' replaced"):
        explainer.dependence("x0", "nll", grid=[0.0, 11.0])
    assert np.isfinite(explainer.dependence("x0", "crps", grid=[0.0, 11.0]).average).all()


def test_derived_values_outlive_evicted_predictions():
    def many_members(X):
        means = X[:, [0]] + 0.1 * X[:, [1]] * np.arange(30)
        return Mixture(Normal(means, np.ones_like(means)))

    X, y = table(500, p=12)
    # The memory holds the predictions of one feature's repeats, not those of all features.
    explainer = Explainer(many_members, X, y, memory_limit="20MB")
    explainer.importance("nll", n_repeats=5)
    before = explainer.rows_evaluated
    explainer.importance("nll", n_repeats=5, sample_weight=np.linspace(0, 1, 500))
    assert explainer.rows_evaluated == before


def test_predicted_labels_for_a_numeric_target_are_refused():
    X, y = table(8)
    message = r"predicts labels such as 'low', but y has -?[0-9.]+; pass labels of one kind"
    with pytest.raises(ValueError, match=message):
        Explainer(lambda X: np.full(len(X), "low"), X, y)


@pytest.mark.parametrize(("scale", "value"), [(1e100, r"\d\.\d+e\+\d{3}"), (1e160, "inf")])
@pytest.mark.parametrize(
    "analysis",
    [
        lambda explainer: explainer.importance("squared_error", ["x0"]),
        lambda explainer: explainer.dependence("x0", "squared_error"),
    ],
)
def test_values_without_a_variance_are_refused(scale, value, analysis):
    """Their squares overflow, and an importance of 0 would be silently wrong."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    explainer = Explainer(lambda A: scale * A[:, 0], X, np.zeros(40))
    message = rf"the squared_error is {value} in row \d+ of X.*divide y and the predictions by"
    with pytest.raises(ModelError, match=message):
        analysis(explainer)
