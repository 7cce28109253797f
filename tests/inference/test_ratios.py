"""Intervals of ratios: Fieller, and bounds of a ratio."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from models import permuted_donors
from simulated_changes import POPULATIONS, changes
from uqwidgets.inference import (
    INTERVALS,
    bounds,
    mean_change,
    minus_multiple_of_baseline,
    ratio_bounds,
)
from uqwidgets.inference.population import Population


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_fieller_contrast_has_the_influence_of_both_means(name):
    change, donors = changes()
    population = POPULATIONS[name]
    original = np.random.default_rng(9).gamma(2.0, size=25)
    difference = mean_change(change, donors, original, population)
    result = minus_multiple_of_baseline(difference, original, population, 1.7)
    s = population.scored
    baseline = (s @ original) / s.sum()
    assert result.estimate == pytest.approx(baseline + difference.estimate - 1.7 * baseline)
    # Numerical derivative with respect to the weight of each scored row.
    step = 1e-6
    for i in population.positions[:6]:
        contrast = Population(population.weights, s + step * np.eye(25)[i], population.rows, True)
        nudged = mean_change(change, donors, original, contrast)
        b = (contrast.scored @ original) / contrast.scored.sum()
        slope = (nudged.estimate - 0.7 * b - result.estimate) / step
        if s[i]:
            assert result.influence_scored[i] == pytest.approx(
                slope * s[i] * 25, rel=1e-3, abs=1e-6
            )


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_interval_of_a_ratio_of_rows_is_fiellers(name):
    change, donors = changes()
    population = POPULATIONS[name]
    original = 5 + np.random.default_rng(9).gamma(2.0, size=25)
    difference = mean_change(change, donors, original, population)
    result = ratio_bounds(difference, original, "model", 0.95, population)
    # With A after and B before: (A - r B)^2 = t^2 (v_AA - 2 r v_AB + r^2 v_BB).
    s, m = population.scored, population.ess
    before = (s @ original) / s.sum()
    of_before = s * (original - before) * 25 / s.sum()
    both = np.stack([difference.influence_scored + of_before, of_before])
    after, v = before + difference.estimate, both @ both.T / 25**2 * m / (m - 1)
    t2 = stats.t.ppf(0.975, min(m, difference.pairs) - 1) ** 2
    roots = np.roots(
        [
            before**2 - t2 * v[1, 1],
            -2 * (after * before - t2 * v[0, 1]),
            after**2 - t2 * v[0, 0],
        ]
    )
    assert (result.low, result.high) == pytest.approx(tuple(np.sort(roots)), rel=1e-6)
    assert result.estimate == pytest.approx(after / before)
    slope = np.array([1, -after / before]) / before
    assert result.std_error == pytest.approx(np.sqrt(slope @ v @ slope))


@pytest.mark.parametrize("interval", [i for i in INTERVALS if i != "quantile"])
def test_a_ratio_is_above_one_exactly_where_the_difference_is_above_zero(interval):
    rng, above, around, below = np.random.default_rng(0), 0, 0, 0
    population = Population.of(40)
    for seed in range(60):
        error, donors = rng.standard_t(4, size=40), permuted_donors(0, seed, 5, 40)
        x, slope = rng.normal(size=40), rng.choice([1.5, 0.2, -0.1, -0.6])
        loss = np.abs(error + max(slope, 0) * (x - x[donors]))
        loss *= 1 + min(slope, 0) * rng.random((5, 40))
        change = mean_change(loss - np.abs(error), donors, np.abs(error), population)
        difference = bounds(change, interval, 0.95, population)
        ratio = ratio_bounds(change, np.abs(error), interval, 0.95, population)
        assert 0 <= ratio.low < ratio.estimate < ratio.high
        assert (ratio.low > 1) == (difference.low > 0)
        assert (ratio.high < 1) == (difference.high < 0)
        above, below = above + (difference.low > 0), below + (difference.high < 0)
        around += difference.low < 0 < difference.high
    assert min(above, around, below) > 3


def test_the_interval_of_a_ratio_reaches_farther_up_with_a_small_baseline():
    rng, population = np.random.default_rng(3), Population.of(60)
    error, x, donors = rng.standard_t(4, size=60), rng.normal(size=60), permuted_donors(0, 0, 9, 60)
    original = error**2
    change = (error + 3 * (x - x[donors])) ** 2 - original
    result = ratio_bounds(
        mean_change(change, donors, original, population),
        original,
        "u-statistic",
        0.95,
        population,
    )
    assert result.low > 1
    assert result.high - result.estimate > 1.5 * (result.estimate - result.low)


def test_a_ratio_to_a_baseline_near_zero_has_no_upper_bound():
    original = np.zeros(25)
    original[3] = 1.0
    change, donors = changes()
    result = ratio_bounds(
        mean_change(change + 4, donors, original, POPULATIONS["all"]),
        original,
        "model",
        0.95,
        POPULATIONS["all"],
    )
    assert result.low > 1
    assert np.isnan(result.high)


def test_the_interval_of_a_ratio_constant_over_rows_has_width_zero():
    original = np.random.default_rng(2).gamma(2.0, size=25)
    _, donors = changes()
    change = np.tile(-0.6 * original, (6, 1))
    result = ratio_bounds(
        mean_change(change, donors, original, POPULATIONS["all"]),
        original,
        "model",
        0.95,
        POPULATIONS["all"],
    )
    assert (result.low, result.estimate, result.high) == pytest.approx((0.4, 0.4, 0.4))


def test_a_ratio_below_zero_has_no_interval():
    original = np.random.default_rng(2).normal(0.3, 1, size=25)
    change, donors = changes()
    result = ratio_bounds(
        mean_change(change - 3, donors, original, POPULATIONS["all"]),
        original,
        "model",
        0.95,
        POPULATIONS["all"],
    )
    assert result.estimate < 0
    assert np.isnan([result.low, result.high]).all()
