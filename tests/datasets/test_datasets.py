"""The room `datasets`: the papers' synthetic data have the stated distributions."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest

from uqwidgets import GroundTruth, datasets
from uqwidgets.datasets import (
    CORRELATED_PAIRS,
    LINEAR,
    NON_LINEAR,
    make_correlated_pairs,
    make_hollow,
    make_linear,
    make_logistic,
    make_non_linear,
    make_redundant,
)

MAKERS = [make for name, make in inspect.getmembers(datasets) if name.startswith("make_")]
ROWS = 40_000
# Four standard errors of a mean of unit variance, and of the variance of normal numbers.
NEAR, NEAR_VARIANCE = 4 / np.sqrt(ROWS), 4 * np.sqrt(2 / ROWS)


def values(make, **options):
    X, y = make(ROWS, **options)
    return X.to_numpy(), y.to_numpy()


def uniform(X):
    """Assert that the columns are independent and uniform on [0, 1]."""
    assert X.min() >= 0
    assert X.max() <= 1
    assert X.mean(axis=0) == pytest.approx(0.5, abs=NEAR / np.sqrt(12))
    assert X.var(axis=0) == pytest.approx(1 / 12, abs=NEAR_VARIANCE / 12)
    assert np.corrcoef(X.T) == pytest.approx(np.eye(X.shape[1]), abs=NEAR)


@pytest.mark.parametrize("make", MAKERS)
class TestEveryDataset:
    def test_a_seed_gives_the_same_data_and_another_gives_others(self, make):
        X, y = make(50, random_state=3)
        for seed in (3, np.random.RandomState(3)):
            again = make(50, random_state=seed)
            pd.testing.assert_frame_equal(again[0], X)
            pd.testing.assert_series_equal(again[1], y)
        other, _ = make(50, random_state=4)
        assert (other.to_numpy() != X.to_numpy()).all()
        state = np.random.RandomState(3)
        assert (make(50, random_state=state)[0].to_numpy() == X.to_numpy()).all()
        assert (make(50, random_state=state)[0].to_numpy() != X.to_numpy()).all()

    def test_columns_are_named_as_in_the_papers(self, make):
        X, y = make(7)
        assert list(X.columns) == [f"x{j + 1}" for j in range(X.shape[1])]
        assert len(X) == len(y) == 7
        assert y.name == "y"
        assert y.index.equals(X.index)

    def test_the_size_of_the_paper_is_the_default(self, make):
        assert inspect.signature(make).parameters["n_samples"].default >= 500

    def test_no_rows_are_refused(self, make):
        with pytest.raises(ValueError, match="n_samples is 0; it must be a whole number"):
            make(0)


def test_redundant_classes_follow_the_sum_of_the_first_four():
    X, y = values(make_redundant)
    uniform(X)
    above = X[:, :4].sum(axis=1) > 2
    assert (y != above).mean() == pytest.approx(0.1, abs=0.3 * NEAR)
    # Wrong labels do not depend on the features.
    wrong = (y != above).astype(float)
    for column in X.T:
        assert abs(np.corrcoef(column, wrong)[0, 1]) < NEAR


def test_redundant_classes_without_noise_follow_the_rule_exactly():
    X, y = values(make_redundant, label_noise=0, n_features=3, n_relevant=3)
    assert X.shape == (ROWS, 3)
    np.testing.assert_array_equal(y, X.sum(axis=1) > 1.5)


@pytest.mark.parametrize("copied", ["x1", "x5", "x9"])
def test_versions_of_redundant_data_differ_only_in_the_copied_feature(copied):
    X, y = make_redundant(copied=copied)
    plain, same = make_redundant()
    np.testing.assert_array_equal(X["x10"], X[copied])
    pd.testing.assert_frame_equal(X.drop(columns="x10"), plain.drop(columns="x10"))
    pd.testing.assert_series_equal(y, same)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"copied": "x10"}, "no feature 'x10' to copy; did you mean 'x1'"),
        ({"copied": "age"}, "no feature 'age' to copy; did you mean 'x1'"),
        ({"n_relevant": 11}, "n_relevant is 11; it must be between 1 and n_features, 10"),
        ({"n_relevant": 0}, "n_relevant is 0"),
        ({"label_noise": 0.6}, "label_noise is 0.6; it must be between 0 and 0.5"),
        ({"label_noise": np.nan}, "label_noise is nan"),
    ],
)
def test_invalid_arguments_of_redundant_classes(options, message):
    with pytest.raises(ValueError, match=message):
        make_redundant(20, **options)


def test_correlated_pairs_have_their_covariance_and_x5_is_independent():
    X, y = values(make_correlated_pairs)
    expected = np.eye(5)
    expected[[0, 1, 2, 3], [1, 0, 3, 2]] = 0.8
    assert X.mean(axis=0) == pytest.approx(0, abs=NEAR)
    assert np.cov(X.T) == pytest.approx(expected, abs=NEAR_VARIANCE)
    noise = y - (X[:, 0] + X[:, 1] + 0.9 * X[:, 2] ** 2 + X[:, 3] + X[:, 4])
    assert noise.mean() == pytest.approx(0, abs=np.sqrt(2) * NEAR)
    assert noise.var() == pytest.approx(2, abs=2 * NEAR_VARIANCE)
    assert np.corrcoef(np.column_stack([X, noise]).T)[5, :5] == pytest.approx(0, abs=NEAR)


def test_hollow_data_are_uniform_outside_the_hole():
    X, y = values(make_hollow, inner=1.0, outer=3.0)
    assert np.abs(X).max() <= 3
    assert np.abs(X).max(axis=1).min() >= 1
    # Of nine equal squares the middle one is empty; the others have equal shares.
    square = np.digitize(X, [-1, 1])
    shares = np.bincount(square[:, 0] * 3 + square[:, 1], minlength=9) / ROWS
    assert np.delete(shares, 4) == pytest.approx(1 / 8, abs=np.sqrt(7) / 8 * NEAR)
    corner = X[(X > 1).all(axis=1)]
    assert corner.mean(axis=0) == pytest.approx(2, abs=2 * 4 / np.sqrt(12 * len(corner)))
    noise = y - X.sum(axis=1) ** 2
    assert noise.std() == pytest.approx(0.1, abs=0.1 * NEAR_VARIANCE)


@pytest.mark.parametrize(("inner", "outer"), [(2, 1), (1, 1), (-1, 1), (np.nan, 1)])
def test_a_hole_outside_the_square_is_refused(inner, outer):
    with pytest.raises(ValueError, match=f"inner is {inner} and outer {outer}"):
        make_hollow(10, inner=inner, outer=outer)


@pytest.mark.parametrize(
    ("make", "signal"),
    [
        (make_linear, lambda X: X[:, 0] - X[:, 1]),
        (
            make_non_linear,
            lambda X: X[:, 0] - np.sqrt(1 + X[:, 1]) + X[:, 2] * X[:, 3] + X[:, 3] ** 2 / 100,
        ),
    ],
)
def test_processes_of_molnar_2023(make, signal):
    X, y = values(make)
    uniform(X)
    noise = y - signal(X)
    assert noise.mean() == pytest.approx(0, abs=NEAR)
    assert noise.var() == pytest.approx(1, abs=NEAR_VARIANCE)
    assert np.corrcoef(np.column_stack([X, noise]).T)[-1, :-1] == pytest.approx(0, abs=NEAR)


def test_logistic_classes_have_their_probabilities():
    X, y = values(make_logistic)
    assert X.shape == (ROWS, 5)
    assert np.cov(X.T) == pytest.approx(np.eye(5), abs=NEAR_VARIANCE)
    ones = 1 / (1 + np.exp(-X @ [-4, 2, 0, 2, 4]))
    standardised = (y - ones) / np.sqrt(ones * (1 - ones))
    assert standardised.mean() == pytest.approx(0, abs=NEAR)
    for column in X.T:
        assert np.mean((y - ones) * column) == pytest.approx(0, abs=NEAR / 2)
    assert make_logistic(10, [1.0, -1.0])[0].shape == (10, 2)


@pytest.mark.parametrize("coefficients", [[], 3.0, [[1.0]], [1.0, np.nan]])
def test_logistic_coefficients_must_be_finite_numbers(coefficients):
    with pytest.raises(ValueError, match="pass one finite number per feature"):
        make_logistic(10, coefficients)


@pytest.mark.parametrize(
    ("make", "process"),
    [
        (make_linear, LINEAR),
        (make_non_linear, NON_LINEAR),
        (make_correlated_pairs, CORRELATED_PAIRS),
    ],
)
def test_datasets_are_drawn_from_their_process(make, process):
    X, y = make(ROWS, random_state=1)
    pd.testing.assert_frame_equal(process.sample(ROWS, np.random.RandomState(1)), X)
    noise = (y - process.f(X)) / process.noise
    assert noise.mean() == pytest.approx(0, abs=NEAR)
    assert noise.var() == pytest.approx(1, abs=NEAR_VARIANCE)
    np.testing.assert_array_equal(process.f(X.to_numpy()), process.f(X))
    # Parallel work pickles the process.
    there = pickle.loads(pickle.dumps(process))
    pd.testing.assert_frame_equal(
        there.sample(5, np.random.default_rng(0)), process.sample(5, np.random.default_rng(0))
    )


def test_ground_truth_of_a_process_has_its_closed_form():
    curve = GroundTruth(*NON_LINEAR).dependence("x2", grid=5, spacing="even")
    closed = 0.5 - np.sqrt(1 + curve.grid) + 0.25 + 1 / 300
    # The variance of x1 and that of the product are at most a third.
    assert curve.average == pytest.approx(closed, abs=4 / 3 / np.sqrt(10_000))
    result = GroundTruth(*LINEAR).importance("squared_error", level=0.999)
    assert ((result.low < 1 / 6) & (result.high > 1 / 6)).all()
