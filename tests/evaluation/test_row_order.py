"""A random order of the rows, and answers of the model for its first rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import Recorder, normal_model, table
from uqwidgets import Explainer
from uqwidgets.evaluation.replacement import Constant, Drawn, PartOfRows
from uqwidgets.evaluation.row_order import SMALLEST, RowOrder


def sized(n: int, **options):
    """An explainer of n rows, and its model."""
    X, y = table(n)
    model = Recorder(normal_model)
    return Explainer(model, X, y, **options), model


def test_samples_double_until_all_rows_are_in() -> None:
    order = RowOrder(1000, None, 0)
    assert order.sizes == (50, 100, 200, 400, 1000)
    assert RowOrder(1100, None, 0).sizes == (50, 100, 200, 400, 800, 1100)
    np.testing.assert_array_equal(np.sort(order.rows), np.arange(1000))
    np.testing.assert_array_equal(order.rows[order.places], np.arange(1000))
    parts = [order.part(number) for number in range(len(order.sizes))]
    np.testing.assert_array_equal(np.concatenate(parts), order.rows)
    assert all((np.diff(part) > 0).all() for part in parts)
    assert [order.n_parts(size) for size in order.sizes] == [1, 2, 3, 4, 5]
    assert [order.largest(size) for size in (0, 99, 100, 5000)] == [50, 50, 100, 1000]


@pytest.mark.parametrize("n", [1, 20, SMALLEST])
def test_few_rows_are_one_sample(n: int) -> None:
    assert RowOrder(n, None, 0).sizes == (n,)


def test_every_sample_has_each_class_by_its_share() -> None:
    strata = np.repeat([0, 1, 2], [900, 95, 5])
    for seed in range(20):
        order = RowOrder(1000, strata, seed)
        for size in order.sizes:
            counts = np.bincount(strata[order.rows[:size]], minlength=3)
            np.testing.assert_allclose(counts, np.array([900, 95, 5]) * size / 1000, atol=1.0)


def test_every_row_is_as_likely_in_the_first_sample() -> None:
    strata = np.repeat([0, 1], [150, 50])
    counts = np.zeros(200)
    for seed in range(600):
        counts[RowOrder(200, strata, seed).part(0)] += 1
    expected, deviation = 600 / 4, np.sqrt(600 * 0.25 * 0.75)
    assert np.abs(counts - expected).max() < 4.5 * deviation


def test_parts_become_an_answer_for_all_rows_and_nothing_is_asked_twice() -> None:
    explainer, model = sized(500)
    plain, _ = sized(500)
    evaluations = explainer.evaluations
    replacements = [Drawn((0,), "permutation", 0, 0), Constant((1,), (0.5,))]
    last = len(evaluations.row_order.sizes) - 1
    for number in range(last + 1):
        evaluations.evaluate_all([PartOfRows(r, number) for r in replacements])
        assert all(evaluations.is_cached(r) == (number == last) for r in replacements)
    assert explainer.rows_evaluated == 3 * 500
    for replacement in replacements:
        one, other = evaluations.evaluate(replacement), plain.evaluations.evaluate(replacement)
        np.testing.assert_array_equal(one.mean(), other.mean())
    assert evaluations.is_cached(PartOfRows(replacements[0], 1))
    part = evaluations.evaluate(PartOfRows(replacements[0], 1))
    rows = evaluations.row_order.part(1)
    np.testing.assert_array_equal(part.mean(), evaluations.evaluate(replacements[0]).mean()[rows])
    assert explainer.rows_evaluated == 3 * 500
    assert model.rows == 3 * 500


def test_all_rows_ask_only_what_the_sample_did_not() -> None:
    explainer, _ = sized(500)
    plain, _ = sized(500)
    replacement = Drawn((0,), "permutation", 0, 0)
    explainer.evaluations.evaluate_all([PartOfRows(replacement, number) for number in (0, 1)])
    assert explainer.rows_evaluated == 500 + 100
    result = explainer.importance("nll", ["x0"], n_repeats=1)
    assert explainer.rows_evaluated == 500 + 500
    whole = plain.importance("nll", ["x0"], n_repeats=1)
    np.testing.assert_array_equal(result.per_row, whole.per_row)


def test_an_evaluation_that_stops_goes_on_where_it_was() -> None:
    explainer, _ = sized(500)
    evaluations, replacement = explainer.evaluations, Drawn((0,), "permutation", 0, 0)
    evaluations.evaluate_all([PartOfRows(replacement, 0)])

    def stop(progress: object) -> None:
        raise KeyboardInterrupt(progress)

    for _ in range(20):
        try:
            evaluations.evaluate_all([replacement], stop)
        except KeyboardInterrupt:
            continue
        break
    assert evaluations.is_cached(replacement)
    assert explainer.rows_evaluated == 2 * 500


def test_an_error_in_a_sample_names_the_row_of_the_table() -> None:
    X, y = table(500)
    X[:, 1] = np.arange(500)
    bad = -1

    def model(rows):
        mean, std = normal_model(rows)
        return np.where(np.asarray(rows)[:, 1] == bad, np.nan, mean), std

    explainer = Explainer(model, X, y)
    bad = int(explainer.evaluations.row_order.part(0)[7])
    with pytest.raises(ValueError, match=rf"in row {bad} of X, with 'x0' replaced"):
        explainer.evaluations.evaluate_all([PartOfRows(Drawn((0,), "permutation", 0, 0), 0)])


def test_samples_of_mixed_columns_reach_the_model_as_they_are() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=300),
            "kind": pd.Categorical(rng.choice(["a", "b"], 300)),
            "when": pd.date_range("2020-01-01", periods=300),
            "gap": np.where(rng.random(300) < 0.2, np.nan, 1.0),
        }
    )
    batches = []

    def model(rows):
        batches.append(rows.copy())
        return rows["size"].to_numpy(), np.ones(len(rows))

    explainer = Explainer(model, X, np.zeros(300))
    batches.clear()
    explainer.evaluations.evaluate_all([PartOfRows(Constant((1,), ("b",)), 0)])
    expected = X.iloc[explainer.evaluations.row_order.part(0)].reset_index(drop=True)
    expected["kind"] = pd.Categorical(["b"] * SMALLEST, categories=["a", "b"])
    pd.testing.assert_frame_equal(pd.concat(batches, ignore_index=True), expected)
