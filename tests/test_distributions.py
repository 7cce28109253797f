"""Predictive distributions against closed forms and numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from uqwidgets import Categorical, Normal, Point
from uqwidgets.predictive.distributions import InvalidRowError, class_codes

P = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
NORMAL = Normal([0.0, -3.0, 1e6], [1.0, 0.2, 25.0])


class TestCategorical:
    def test_entropy_is_shannons_in_nats(self):
        found = Categorical(P, ["a", "b", "c"]).entropy()
        np.testing.assert_allclose(found, stats.entropy(P, axis=1), rtol=1e-14)
        assert found[1] == 0
        assert not np.signbit(found[1])
        assert found[2] == pytest.approx(np.log(3))

    def test_log_prob_looks_up_the_label(self):
        q = Categorical(P, ["a", "b", "c"])
        np.testing.assert_allclose(q.log_prob(["b", "a", "c"]), np.log([0.5, 1.0, 1 / 3]))
        assert q.log_prob(["c", "b", "c"])[1] == -np.inf

    @pytest.mark.parametrize(
        "classes",
        [["c", "a", "b"], [3, 1, 2], [2.5, -1.0, 0.0], np.array(["z", "ä", "'"], dtype=object)],
    )
    def test_classes_may_be_of_any_kind_in_any_order(self, classes):
        q = Categorical(P, classes)
        for column, label in enumerate(classes):
            np.testing.assert_allclose(
                np.exp(q.log_prob(np.array([label] * 3, dtype=np.asarray(classes).dtype))),
                P[:, column],
            )

    @pytest.mark.parametrize("classes", [[True, False], [False, True]])
    def test_classes_may_be_bools(self, classes):
        q = Categorical(P[:, :2] / P[:, :2].sum(axis=1, keepdims=True), classes)
        np.testing.assert_allclose(q.log_prob(classes + classes[:1])[0], np.log(2 / 7))

    def test_an_unseen_label_is_named(self):
        with pytest.raises(ValueError, match=r"label 'd' in row 1.*classes are 'a', 'b', 'c'"):
            Categorical(P, ["a", "b", "c"]).log_prob(["a", "d", "a"])

    def test_mode_is_the_first_of_equals(self):
        np.testing.assert_array_equal(Categorical(P, [0, 1, 2]).mode(), [1, 0, 0])

    @pytest.mark.parametrize(
        ("row", "says"),
        [
            ([0.5, 0.4], r"probabilities sum to 0.9, off from 1 by -0.1, in row 1"),
            ([0.5, 0.6], r"probabilities sum to 1.1, off from 1 by \+0.1, in row 1"),
            ([np.nan, 1.0], r"probability is NaN in row 1"),
            ([1.2, -0.2], r"probability is negative \(-0.2\) in row 1"),
            ([np.inf, 0.0], r"probabilities sum to inf"),
        ],
    )
    def test_what_is_no_distribution_is_refused(self, row, says):
        with pytest.raises(InvalidRowError, match=says):
            Categorical([[0.5, 0.5], row], [0, 1])

    def test_single_precision_sums_to_one(self):
        p = np.random.default_rng(0).dirichlet(np.ones(50), size=200).astype(np.float32)
        assert len(Categorical(p, np.arange(50))) == 200

    @pytest.mark.parametrize("p", [[0.5, 0.5], [[1.0]], np.ones((1, 1, 1, 2)) / 2])
    def test_shapes_must_fit(self, p):
        with pytest.raises(ValueError, match=r"do not fit 2 classes; expected \(rows, 2\)"):
            Categorical(p, [0, 1])


class TestNormal:
    def test_entropy_and_log_prob_are_scipys(self):
        reference = stats.norm(NORMAL.loc, NORMAL.scale)
        np.testing.assert_allclose(NORMAL.entropy(), reference.entropy(), rtol=1e-13)
        y = np.array([0.3, -2.0, 1e6 + 100])
        np.testing.assert_allclose(NORMAL.log_prob(y), reference.logpdf(y), rtol=1e-13)

    def test_entropy_is_the_integral_it_stands_for(self):
        narrow = Normal([2.0], [0.1])

        def integrand(y):
            log_density = narrow.log_prob([y])[0]
            return -np.exp(log_density) * log_density

        found, _ = integrate.quad(integrand, 1.0, 3.0, epsabs=1e-12)
        assert narrow.entropy()[0] == pytest.approx(found, abs=1e-9)
        assert found < 0  # differential entropies may be

    @pytest.mark.parametrize(
        ("mean", "std", "says"),
        [
            ([0.0, 1.0], [1.0, 0.0], r"std, which must be greater than zero, is 0 in row 1"),
            ([0.0, 1.0], [1.0, -2.0], r"greater than zero, is -2 in row 1"),
            ([0.0, np.nan], [1.0, 1.0], r"mean is nan in row 1"),
            ([0.0, 1.0], [np.inf, 1.0], r"std is inf in row 0"),
            ([0.0, 1.0], [1.0], r"mean of shape \(2,\) and std of shape \(1,\)"),
            (0.0, 1.0, r"must both be \(rows,\)"),
        ],
    )
    def test_what_is_no_distribution_is_refused(self, mean, std, says):
        with pytest.raises(ValueError, match=says):
            Normal(mean, std)


class TestPoint:
    def test_holds_numbers_or_labels(self):
        assert Point([1, 2]).value.dtype.kind == "i"
        assert Point(np.array(["a", "b"])).value.tolist() == ["a", "b"]

    @pytest.mark.parametrize(
        ("value", "says"),
        [
            ([[1.0], [2.0]], r"predictions of shape \(2, 1\) must be \(rows,\)"),
            (3.0, r"predictions of shape \(\) must"),
            ([1.0, np.nan], r"prediction is nan in row 1"),
        ],
    )
    def test_what_is_no_prediction_is_refused(self, value, says):
        with pytest.raises(ValueError, match=says):
            Point(value)


@pytest.mark.parametrize(
    "q", [Categorical(P, list("abc")), NORMAL, Point(np.array([1.0, 2.0, 3.0]))]
)
def test_cutting_and_joining_gives_the_same_rows(q):
    back = q.take(slice(2, 3)).joined([q.take(np.array([0, 1])), q.take(slice(0, 0))])
    assert type(back) is type(q)
    assert len(back) == len(q) == 3
    assert back.nbytes == q.nbytes > 0
    for name, values in vars(q).items():
        if name != "classes":
            np.testing.assert_array_equal(getattr(back, name), np.asarray(values)[[2, 0, 1]])


def test_distributions_do_not_change_what_they_were_made_of():
    p = P.copy()
    p.flags.writeable = False
    q = Categorical(p, ["a", "b", "c"])
    q.entropy(), q.log_prob(["a", "b", "c"]), q.mode()
    np.testing.assert_array_equal(p, P)


def test_class_codes_compare_numbers_by_value_and_never_mix_kinds():
    np.testing.assert_array_equal(class_codes([1.0, 0.0], np.array([0, 1])), [1, 0])
    with pytest.raises(ValueError, match="label True in row 0"):
        class_codes([True, False], np.array([0, 1]))
    with pytest.raises(ValueError, match="label '1' in row 0"):
        class_codes(["1", "0"], np.array([0, 1]))
