"""Intervals of means that are corrected for skewness, against the formulas and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from uqwidgets.inference.mean_intervals import MeanIntervals, mean_intervals
from uqwidgets.inference.population import Population

VALUES = np.random.default_rng(0).exponential(size=40)


def test_an_interval_solves_the_equation_of_hall():
    n, mean = len(VALUES), VALUES.mean()
    intervals = mean_intervals(VALUES[None], Population.of(n))
    error = VALUES.std(ddof=1) / np.sqrt(n)
    assert intervals.estimate[0] == pytest.approx(mean)
    assert intervals.error[0] == pytest.approx(error)
    squares = np.square(VALUES - mean)
    df = 2 / (np.square(squares / squares.sum()).sum() - 1 / n)
    assert intervals.df[0] == pytest.approx(df)
    skewness = stats.skew(VALUES) / np.sqrt(n)
    assert intervals.skewness[0] == pytest.approx(skewness)
    a = skewness / 3
    for end, tail in zip(intervals.at(0.9), (0.95, 0.05), strict=True):
        t = (mean - end[0]) / error
        # Hall 1992: the transformed statistic has the quantile of t.
        assert t + a * t**2 + a**2 * t**3 / 3 + a / 2 == pytest.approx(stats.t.ppf(tail, df))
    levels = np.array([0.9, 0.5])
    twice = mean_intervals(np.stack([VALUES, VALUES]), Population.of(n))
    by_level = [twice.at(level)[0][k] for k, level in enumerate(levels)]
    np.testing.assert_allclose(twice.at(levels)[0], by_level)


def test_what_has_no_error_has_no_width_and_one_row_no_interval():
    constant = mean_intervals(np.full((1, 9), 3.0), Population.of(9))
    np.testing.assert_array_equal(np.ravel(constant.at(0.95)), [3.0, 3.0])
    alone = mean_intervals(VALUES[None], Population.of(40, rows=[4]))
    assert np.isnan(alone.at(0.95)).all()


@pytest.mark.parametrize("n", [30, 50])
def test_the_interval_of_a_mean_squared_error_is_not_too_low(n):
    losses = np.square(np.random.default_rng(n).normal(size=(4000, n)))
    result = mean_intervals(losses, Population.of(n))
    low, high = result.at(0.95)
    assert (high < 1).mean() < 0.045
    assert ((low <= 1) & (high >= 1)).mean() > 0.94
    half = stats.t.ppf(0.975, n - 1) * result.error
    assert (result.estimate + half < 1).mean() > 0.06  # without the correction


def test_parts_are_joined():
    parts = [mean_intervals(VALUES.reshape(2, 20)[[k]], Population.of(20)) for k in (0, 1)]
    whole = mean_intervals(VALUES.reshape(2, 20), Population.of(20))
    np.testing.assert_array_equal(MeanIntervals.joined(parts).at(0.8), whole.at(0.8))
