"""Probabilities per class against scipy, scikit-learn and sums written out."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import brier_score_loss, log_loss

from uqwidgets.predictive import Categorical
from uqwidgets.predictive.distributions import InvalidRowError, class_codes

P = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
YEARS = np.array([2021, 2019, 2020])


def test_entropy_is_that_of_scipy_in_nats():
    result = Categorical(P, ["a", "b", "c"]).entropy()
    np.testing.assert_allclose(result, stats.entropy(P, axis=1), rtol=1e-14)
    assert result[1] == 0
    assert not np.signbit(result[1])
    assert result[2] == pytest.approx(np.log(3))


def test_log_prob_looks_up_the_label():
    q = Categorical(P, ["a", "b", "c"])
    np.testing.assert_allclose(q.log_prob(["b", "a", "c"]), np.log([0.5, 1.0, 1 / 3]))
    assert q.log_prob(["c", "b", "c"])[1] == -np.inf


def test_losses_equal_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    p, codes = rng.dirichlet(np.ones(4), size=500), rng.integers(4, size=500)
    q = Categorical(p, list("dcba"))
    labels = q.classes[codes]
    order = ["a", "b", "c", "d"]
    loss = log_loss(labels, p[:, ::-1], labels=order)
    assert -q.log_prob(labels).mean() == pytest.approx(loss, rel=1e-12)
    squared = brier_score_loss(labels, p[:, ::-1], labels=order, scale_by_half=False)
    assert q.brier_of_codes(codes).mean() == pytest.approx(squared, rel=1e-12)
    assert (Categorical(np.eye(3), [0, 1, 2]).brier_of_codes(np.arange(3)) == 0).all()


@pytest.mark.parametrize(
    "classes",
    [["c", "a", "b"], [3, 1, 2], [2.5, -1.0, 0.0], np.array(["z", "ä", "'"], dtype=object)],
)
def test_classes_may_be_of_any_type_in_any_order(classes):
    q = Categorical(P, classes)
    for column, label in enumerate(classes):
        np.testing.assert_allclose(
            np.exp(q.log_prob(np.array([label] * 3, dtype=np.asarray(classes).dtype))),
            P[:, column],
        )


def test_labels_of_several_kinds_stay_what_they_are():
    q = Categorical(P, ["a", 1, "1"])
    np.testing.assert_allclose(q.log_prob([1, "a", "1"]), np.log([0.5, 1.0, 1 / 3]))
    assert q.classes.tolist() == ["a", 1, "1"]


@pytest.mark.parametrize("classes", [[True, False], [False, True]])
def test_classes_may_be_bools(classes):
    q = Categorical(P[:, :2] / P[:, :2].sum(axis=1, keepdims=True), classes)
    np.testing.assert_allclose(q.log_prob(classes + classes[:1])[0], np.log(2 / 7))
    share = q.probabilities[:, classes.index(True)]
    np.testing.assert_allclose(q.mean(), share)
    np.testing.assert_allclose(q.variance(), share * (1 - share))
    np.testing.assert_allclose(q.crps([1, 0, 1]), (share - [1, 0, 1]) ** 2, atol=1e-15)


def test_numeric_classes_have_moments():
    q = Categorical(P, YEARS)
    assert q.mean() == pytest.approx(P @ YEARS)
    expected = [(p * (YEARS - p @ YEARS) ** 2).sum() for p in P]
    np.testing.assert_allclose(q.variance(), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(q.std(), np.sqrt(expected), atol=1e-12)
    # Cumulated by year: .5, .8, 1 in row 0; all 2021 in row 1; thirds in row 2.
    np.testing.assert_array_equal(q.quantile(0.5), [2019, 2021, 2020])
    np.testing.assert_array_equal(q.quantile(0.51), [2020, 2021, 2020])
    np.testing.assert_array_equal(q.quantile(0.8), [2020, 2021, 2021])
    low, high = q.interval(0.5)
    np.testing.assert_array_equal(low, [2019, 2021, 2019])
    np.testing.assert_array_equal(high, [2020, 2021, 2021])


@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any),
    st.floats(-30, 30),
)
def test_crps_is_the_integral_of_the_squared_step(shares, y):
    p = np.array(shares) / sum(shares)
    values = np.array([4.0, -7.5, 0.0, 12.0])
    ends = np.sort([*values, y, -40.0, 40.0])
    middle = (ends[:-1] + ends[1:]) / 2
    steps = np.array([p[values <= x].sum() - (y <= x) for x in middle])
    result = Categorical([p], values).crps([y])[0]
    assert result == pytest.approx((np.diff(ends) * steps**2).sum(), abs=1e-12)


def test_labels_that_are_no_numbers_have_no_mean():
    q = Categorical(P, ["a", "b", "c"])
    for name, ask in {
        "mean": q.mean,
        "variance": q.std,
        "quantile": lambda: q.interval(0.9),
        "crps": lambda: q.crps([1, 2, 3]),
    }.items():
        with pytest.raises(
            ValueError, match=rf"are not numbers \('a', 'b', 'c'\) have no {name}\."
        ):
            ask()


def test_members_have_their_own_numbers():
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=(5, 4))
    q = Categorical(p, YEARS)
    assert len(q) == 5
    codes = np.array([0, 1, 2, 0, 1])
    for member in range(4):
        alone = Categorical(p[:, member], YEARS)
        for ask in (
            lambda q: q.entropy(),
            lambda q: q.log_prob(YEARS[codes]),
            lambda q: q.brier_of_codes(codes),
            lambda q: q.mode(),
            lambda q: q.mean(),
            lambda q: q.variance(),
            lambda q: q.quantile(0.4),
            lambda q: q.crps(YEARS[codes]),
        ):
            np.testing.assert_allclose(ask(q)[:, member], ask(alone), rtol=1e-12)


def test_an_unseen_label_is_named():
    with pytest.raises(ValueError, match=r"label 'd' in row 1.*classes are 'a', 'b', 'c'"):
        Categorical(P, ["a", "b", "c"]).log_prob(["a", "d", "a"])


def test_mode_is_the_first_of_equals():
    np.testing.assert_array_equal(Categorical(P, [0, 1, 2]).mode(), [1, 0, 0])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.5, 0.4], r"probabilities sum to 0.9, off from 1 by -0.1, in row 1"),
        ([0.5, 0.6], r"probabilities sum to 1.1, off from 1 by \+0.1, in row 1"),
        ([np.nan, 1.0], r"probability is NaN in row 1"),
        ([1.2, -0.2], r"probability is negative \(-0.2\) in row 1"),
        ([np.inf, 0.0], r"probabilities sum to inf"),
    ],
)
def test_invalid_parameters_are_refused(row, message):
    with pytest.raises(InvalidRowError, match=message):
        Categorical([[0.5, 0.5], row], [0, 1])
    with pytest.raises(InvalidRowError, match=message):
        Categorical([[[0.5, 0.5], [0.1, 0.9]], [[0.5, 0.5], row]], [0, 1])


def test_single_precision_sums_to_one():
    p = np.random.default_rng(0).dirichlet(np.ones(50), size=200).astype(np.float32)
    assert len(Categorical(p, np.arange(50))) == 200


@pytest.mark.parametrize("p", [[0.5, 0.5], [[1.0]], np.ones((1, 1, 1, 2)) / 2])
def test_shapes_must_agree(p):
    with pytest.raises(ValueError, match=r"do not fit 2 classes; expected \(rows, 2\)"):
        Categorical(p, [0, 1])


def test_class_labels_must_be_distinct():
    with pytest.raises(ValueError, match="the class 'a' comes twice"):
        Categorical([[0.5, 0.5]], ["a", "a"])
    with pytest.raises(ValueError, match=r"classes of shape \(1, 2\) must be one label per column"):
        Categorical([[0.5, 0.5]], [["a", "b"]])


def test_class_codes_compare_numbers_by_value_and_never_mix_kinds():
    np.testing.assert_array_equal(class_codes([1.0, 0.0], np.array([0, 1])), [1, 0])
    with pytest.raises(ValueError, match="label True in row 0"):
        class_codes([True, False], np.array([0, 1]))
    with pytest.raises(ValueError, match="label '1' in row 0"):
        class_codes(["1", "0"], np.array([0, 1]))


@pytest.mark.parametrize(
    ("labels", "classes", "advice"),
    [
        ([True, False], [0, 1], r"classes are 0, 1; pass y\.astype\(int\)\.$"),
        ([True, False], [0.0, 1.0], r"classes are 0\.0, 1\.0; pass y\.astype\(int\)\.$"),
        ([0, 1], [False, True], r"classes are False, True; pass y\.astype\(bool\)\.$"),
        ([True, False], [1, 2], r"classes are 1, 2\.$"),
        ([2, 1], [False, True], r"classes are False, True\.$"),
    ],
)
def test_labels_of_another_type_are_refused_with_advice(labels, classes, advice):
    with pytest.raises(ValueError, match=advice):
        class_codes(labels, np.array(classes))


@pytest.mark.parametrize("dtype", ["category", "str", "string", object])
def test_labels_come_in_any_column_of_pandas(dtype):
    labels = pd.Series(["b", "a", "b"], dtype=dtype)
    np.testing.assert_array_equal(class_codes(labels, np.array(["a", "b"])), [1, 0, 1])


def test_a_probability_below_zero_by_rounding_is_zero():
    q = Categorical([[1 + 2e-16, -2e-16], [0.5, 0.5]], ["a", "b"])
    assert (q.probabilities >= 0).all()
    np.testing.assert_allclose(q.entropy(), [0, np.log(2)], atol=1e-14)
    assert q.log_prob(["b", "a"])[0] == -np.inf
    with pytest.raises(InvalidRowError, match=r"probability is negative \(-0\.001\)"):
        Categorical([[1.001, -0.001]], ["a", "b"])


def test_labels_are_told_apart_by_their_types():
    q = Categorical([[0.1, 0.2, 0.7]], [1, True, "1"])
    assert [float(q.take([0]).log_prob([y])[0]) for y in (1, True, "1")] == pytest.approx(
        np.log([0.1, 0.2, 0.7]).tolist()
    )
    assert q.log_prob(np.array([Decimal(1)], dtype=object)) == pytest.approx(np.log(0.1))
    with pytest.raises(ValueError, match=r"the class 1\.0 comes twice"):
        Categorical([[0.1, 0.9]], np.array([1.0, Decimal(1)], dtype=object))
    numbers = Categorical([[0.1, 0.9]], [0, 1])
    with pytest.raises(ValueError, match="y has the label True in row 0"):
        numbers.log_prob(np.array([True], dtype=object))
