"""The distribution of quantiles, compared with numerical integrals of its density."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from cases import thorough_after
from uqwidgets.predictive import Quantiles
from uqwidgets.predictive.distributions import InvalidRowError

LEVELS = np.array([0.1, 0.25, 0.5, 0.9])
VALUES = np.array([[-1.0, 0.0, 0.5, 3.0], [10.0, 10.1, 10.15, 30.0]])
Q = Quantiles(LEVELS, VALUES)
ATOM = Quantiles(LEVELS, [[-1.0, 0.0, 0.0, 3.0], [0.0, 0.0, 2.0, 2.0]])


def integral(row, f):
    """Integrate f(x, density) between all quantiles and far into both tails."""
    values = VALUES[row]
    first = LEVELS[0] * (values[1] - values[0]) / (LEVELS[1] - LEVELS[0])
    last = (1 - LEVELS[-1]) * (values[-1] - values[-2]) / (LEVELS[-1] - LEVELS[-2])
    total = 0.0
    for low, high in pairwise([values[0] - 40 * first, *values, values[-1] + 40 * last]):
        x, step = np.linspace(low, high, 40_000, endpoint=False, retstep=True)
        middle = x + step / 2
        density = np.exp(Q.take(np.full(len(x), row)).log_prob(middle))
        total += f(middle, density).sum() * step
    return total


@pytest.mark.parametrize("row", [0, 1])
def test_moments_and_scores_are_integrals_of_the_density(row):
    assert integral(row, lambda _, d: d) == pytest.approx(1, abs=1e-6)
    mean = integral(row, lambda x, d: x * d)
    assert Q.mean()[row] == pytest.approx(mean, rel=1e-5)
    variance = integral(row, lambda x, d: (x - mean) ** 2 * d)
    assert Q.variance()[row] == pytest.approx(variance, rel=1e-5)
    entropy = integral(row, lambda _, d: -d * np.log(d))
    assert Q.entropy()[row] == pytest.approx(entropy, rel=1e-5)


@pytest.mark.parametrize("q", [Q, ATOM], ids=["density", "atoms"])
@pytest.mark.parametrize(
    "y", thorough_after(4, [-30.0, 0.0, 2.0, 10.12, -1.0, -0.2, 0.4, 2.5, 80.0])
)
def test_crps_is_the_integral_over_all_levels_of_the_pinball_loss(q, y):
    # Another form of the score: twice the pinball loss of every quantile (Laio and Tamea 2007).
    p = np.concatenate([np.geomspace(1e-12, 1e-2, 400), np.linspace(0.01, 0.99, 2001)[1:-1]])
    p = np.unique(np.concatenate([p, 1 - p, LEVELS - 1e-12, LEVELS + 1e-12]))
    result = q.crps([y, y])
    x = np.array([q.quantile(level) for level in p])
    loss = np.where(y < x, 1 - p[:, None], p[:, None]) * np.abs(y - x)
    np.testing.assert_allclose(result, 2 * integrate.trapezoid(loss, p, axis=0), rtol=1e-3)


def test_quantiles_at_the_levels_are_unchanged():
    for column, level in enumerate(LEVELS):
        np.testing.assert_allclose(Q.quantile(level), VALUES[:, column], rtol=1e-14)
        np.testing.assert_allclose(ATOM.quantile(level), ATOM.values[:, column], atol=1e-15)
    np.testing.assert_allclose(Q.quantile(0.7), (VALUES[:, 2] + VALUES[:, 3]) / 2)
    low, high = Q.interval(0.8)
    np.testing.assert_allclose(low, VALUES[:, 0], rtol=1e-13)
    np.testing.assert_allclose(high, VALUES[:, 3], rtol=1e-13)


def test_tails_have_the_remaining_probability():
    # The lower tail begins with density 0.15, the upper one with 0.16, in row 0.
    assert np.exp(Q.log_prob([-1 - 1e-12, 15.0])[0]) == pytest.approx(0.15, rel=1e-9)
    assert np.exp(Q.log_prob([3 + 1e-12, 15.0])[0]) == pytest.approx(0.16, rel=1e-9)
    below = stats.expon(scale=0.1 / 0.15)
    np.testing.assert_allclose(Q.quantile(0.02)[0], -1 - below.isf(0.2), rtol=1e-12)
    above = stats.expon(scale=0.1 / 0.16)
    np.testing.assert_allclose(Q.quantile(0.99)[0], 3 + above.isf(0.1), rtol=1e-12)


def test_many_quantiles_of_a_normal_distribution_are_nearly_that():
    levels = np.linspace(0.01, 0.99, 99)
    normal = stats.norm(2, 3)
    q = Quantiles(levels, normal.ppf(levels)[None])
    assert q.entropy()[0] == pytest.approx(normal.entropy(), abs=0.01)
    assert q.mean()[0] == pytest.approx(2, abs=1e-10)
    assert q.std()[0] == pytest.approx(3, rel=0.01)
    assert q.log_prob([4.0])[0] == pytest.approx(normal.logpdf(4), abs=0.01)


def test_crossing_quantiles_are_sorted_and_counted():
    q = Quantiles([0.1, 0.5, 0.9], [[0.0, 2.0, 1.0], [0.0, 1.0, 2.0], [3.0, 2.0, 1.0]])
    np.testing.assert_array_equal(q.crossed, [True, False, True])
    np.testing.assert_array_equal(q.values[0], [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(q.take(np.array([1, 2])).crossed, [False, True])
    np.testing.assert_array_equal(q.joined([q.take(slice(0, 1))]).crossed, [1, 0, 1, 1])
    sorted_by_hand = Quantiles([0.1, 0.5, 0.9], [[0.0, 1.0, 2.0]])
    np.testing.assert_array_equal(q.crps([1.7] * 3)[0], sorted_by_hand.crps([1.7])[0])


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3), st.integers(0, 2**32 - 1))
def test_sorting_does_not_increase_the_quantile_error(shift, seed):
    levels = np.array([0.2, 0.5, 0.8])
    true = np.sort(np.random.default_rng(seed).normal(size=3) * 20)
    predicted = true + shift
    result = Quantiles(levels, predicted[None]).values[0]
    for power in (1, 2):
        after, before = np.abs(result - true) ** power, np.abs(predicted - true) ** power
        assert after.sum() <= before.sum() * (1 + 1e-12)


class TestAtoms:
    def test_moments_include_atoms(self):
        # Row 1: .25 at 0 with the lower tail, then .25 evenly up to 2, and .5 at 2.
        assert ATOM.mean()[1] == pytest.approx(0.25 * 1 + 0.5 * 2)
        second = 0.25 * 4 / 3 + 0.5 * 4
        assert ATOM.variance()[1] == pytest.approx(second - 1.25**2)
        np.testing.assert_array_equal(ATOM.interval(0.9)[0][1], 0.0)
        np.testing.assert_array_equal(ATOM.interval(0.9)[1][1], 2.0)
        # F goes straight from .25 at 0 to .5 at 2, and nothing lies beyond.
        assert ATOM.crps([0.0, 2.0])[1] == pytest.approx(2 * (0.25**2 + 0.25 * 0.5 + 0.5**2) / 3)
        assert ATOM.crps([0.0, 0.0])[1] == pytest.approx(2 * (0.5**2 + 0.5 * 0.75 + 0.75**2) / 3)

    def test_an_atom_has_no_density(self):
        message = (
            r"needs a density, but the quantiles at levels 0.25 and 0.5 are both 0 "
            r"\(leave out one of the levels, or use crps\) in row 0\."
        )
        with pytest.raises(InvalidRowError, match=f"entropy {message}"):
            ATOM.take(slice(0, 1)).entropy()
        with pytest.raises(InvalidRowError, match=f"log_prob {message}"):
            ATOM.take(slice(0, 1)).log_prob([1.0])


@pytest.mark.parametrize(
    ("levels", "values", "message"),
    [
        ([0.5], [[1.0]], r"levels of shape \(1,\) must be a list of two or more"),
        ([[0.1, 0.9]], [[1.0, 2.0]], r"levels of shape \(1, 2\)"),
        ([0.9, 0.1], [[1.0, 2.0]], r"must increase from above 0 to below 1, not \[0.9, 0.1\]"),
        ([0.0, 0.5], [[1.0, 2.0]], r"must increase from above 0"),
        ([0.5, np.nan], [[1.0, 2.0]], r"must increase from above 0"),
        ([0.1, 0.9], [1.0, 2.0], r"values of shape \(2,\) do not fit 2 levels; expected \(rows, 2"),
        ([0.1, 0.9], [[1.0, 2.0, 3.0]], r"values of shape \(1, 3\) do not fit 2 levels"),
        ([0.1, 0.9], [[1.0, 2.0], [np.nan, 2.0]], r"quantile is nan in row 1"),
    ],
)
def test_invalid_parameters_are_refused(levels, values, message):
    with pytest.raises(ValueError, match=message):
        Quantiles(levels, values)
