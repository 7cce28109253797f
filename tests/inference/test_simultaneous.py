"""Intervals that hold all at once: the level of each, beside plain computations of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from simulated_changes import ORIGINAL, POPULATIONS, changes
from uqwidgets.inference import (
    Family,
    Moments,
    bounds,
    interval_moments,
    mean_change,
    ratio_bounds,
)
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.moments import (
    bounds_of_moments,
    one_sided_p_values,
    times_rows_needed,
)
from uqwidgets.inference.simultaneous import adjusted
from uqwidgets.inference.tested import Hypotheses, hypotheses_of_ends

LEVELS = (0.5, 0.8, 0.95, 0.999)
SYMMETRIC = ("model", "random-variable", "fixed-data")


def influences(p, n, correlation=0.0, seed=0):
    """Influences of n rows on p estimates, of which each two have the same correlation."""
    rng = np.random.default_rng(seed)
    common = np.sqrt(correlation) * rng.normal(size=n)
    lines = common + np.sqrt(1 - correlation) * rng.normal(size=(p, n))
    return lines - lines.mean(axis=1, keepdims=True)


def family_of(lines, seed=0):
    family = Family(seed)
    for line in lines:
        family.add(line)
    return family


def by_multipliers(lines, level, draws=40_000):
    """Return the pointwise level by the literal multiplier bootstrap."""
    rng = np.random.default_rng(5)
    sizes = np.sqrt(np.square(lines).sum(axis=1))
    largest = [
        np.abs(rng.normal(size=(1000, lines.shape[1])) @ lines.T / sizes).max(axis=1)
        for _ in range(draws // 1000)
    ]
    return 2 * ndtr(np.quantile(np.concatenate(largest), level)) - 1


@pytest.mark.parametrize("correlation", [0.3, 0.8, 0.99])
def test_the_level_is_that_of_a_plain_multiplier_bootstrap(correlation):
    lines = influences(8, 400, correlation)
    found = family_of(lines).pointwise_level(0.9)
    assert 1 - found == pytest.approx(1 - by_multipliers(lines, 0.9), rel=0.06)


def test_intervals_are_never_wider_than_those_of_bonferroni_and_never_narrower_than_alone():
    for p in (2, 7, 60):
        for correlation in (0.0, 0.5, 1.0):
            for level in LEVELS:
                found = family_of(influences(p, 50, correlation)).pointwise_level(level)
                assert level <= found <= level ** (1 / p) <= 1 - (1 - level) / p + 1e-15


def test_one_estimate_keeps_its_level_and_those_without_error_do_not_count():
    line = influences(1, 30)
    assert family_of(line).pointwise_level(0.95) == 0.95
    nothing = np.zeros((3, 30))
    assert family_of([*line, *nothing, np.full(30, np.nan)]).pointwise_level(0.95) == 0.95
    assert family_of(np.repeat(line, 9, axis=0)).pointwise_level(0.95) == pytest.approx(
        0.95, abs=0.004
    )


def test_the_seed_and_the_order_of_blocks_of_lines_decide_the_level():
    lines = influences(12, 90, 0.6)
    together = Family(3)
    together.add(lines)
    level = together.pointwise_level(0.95)
    assert family_of(lines, seed=3).pointwise_level(0.95) == level
    assert family_of(lines, seed=4).pointwise_level(0.95) != level
    half = family_of(lines[:5], 3).joined(family_of(lines[5:], 3))
    assert half.pointwise_level(0.95) == level


def test_scales_do_not_matter():
    lines = influences(6, 40, 0.5)
    scales = np.array([1e-200, 1e200, 1.0, 3.0, 1e-9, 1e9])[:, None]
    assert family_of(lines * scales).pointwise_level(0.9) == pytest.approx(
        family_of(lines).pointwise_level(0.9), abs=1e-12
    )


def test_many_rows_are_kept_as_sums_over_a_thousand_blocks():
    lines = influences(5, 30_000, 0.7)
    family = family_of(lines)
    assert [block.shape for block in family._blocks] == [(1, 1000)] * 5
    assert 1 - family.pointwise_level(0.9) == pytest.approx(
        1 - by_multipliers(lines, 0.9, 4000), rel=0.1
    )


def test_what_is_not_known_counts_as_independent():
    lines = influences(4, 60, 0.9)
    family = family_of(lines)
    alone = family.pointwise_level(0.95)
    family.add_unknown(3)
    family.add(influences(2, 61))  # of other rows
    assert len(family) == 9
    assert alone < family.pointwise_level(0.95) <= 0.95 ** (1 / 9)
    unknown = Family(0)
    unknown.add_unknown(6)
    assert unknown.pointwise_level(0.95) == 0.95 ** (1 / 6)
    assert family_of(influences(3, 60)).joined(unknown).pointwise_level(0.95) <= 0.95 ** (1 / 9)


def test_noise_of_few_rows_in_correlations_does_not_narrow_intervals():
    independent = 1 - 0.95 ** (1 / 300)
    found = [1 - family_of(influences(300, 20, seed=s)).pointwise_level(0.95) for s in range(5)]
    assert np.mean(found) == pytest.approx(independent, rel=0.15)


def p_values(moments, reference, alternative):
    """Return the p-values that a result shows."""
    known = moments.size > 0
    tests = Hypotheses({}, *one_sided_p_values(moments, reference), known)
    return tests.p_values(alternative)


@pytest.mark.parametrize("interval", ["u-statistic", *SYMMETRIC])
@pytest.mark.parametrize("name", ["all", "weighted", "filtered", "grouped"])
def test_p_values_agree_with_intervals_at_every_level(interval, name):
    population = POPULATIONS["all" if name == "grouped" else name]
    if name == "grouped":
        population = type(population).of(25, groups=RowGroups(np.arange(25) // 2))
    for seed in range(6):
        values, donors = changes(seed=seed)
        for shift in (-0.4, 0.0, 0.2, 1.0):
            change = mean_change(values - shift, donors, ORIGINAL, population)
            moments = Moments.stacked([interval_moments(change, interval, population)])
            for reference in ("t", "normal"):
                two, one = (
                    float(p_values(moments, reference, kind)[0])
                    for kind in ("two-sided", "greater")
                )
                if not 1e-9 < two < 1 - 1e-9:
                    continue
                end = bounds(change, interval, 1 - two, population, reference)
                is_above = abs(end.low) < abs(end.high)
                nearest = end.low if is_above else end.high
                assert nearest == pytest.approx(0, abs=1e-6 * (end.high - end.low))
                assert one == pytest.approx(two / 2 if is_above else 1 - two / 2)
                for level in LEVELS:
                    at = bounds(change, interval, level, population, reference)
                    assert (at.low > 0 or at.high < 0) == (two < 1 - level)


def test_the_test_of_a_ratio_is_that_of_the_difference():
    values, donors = changes(seed=3)
    population, original = POPULATIONS["all"], np.abs(ORIGINAL) + 0.5
    change = mean_change(values + 0.35, donors, original, population)
    p = float(
        p_values(
            Moments.stacked([interval_moments(change, "u-statistic", population)]), "t", "two-sided"
        )[0]
    )
    for level, is_clear in ((1 - p - 0.002, True), (1 - p + 0.002, False)):
        of_ratio = ratio_bounds(change, original, "u-statistic", level, population)
        assert (of_ratio.low > 1) == is_clear


def test_p_values_of_what_has_no_error_and_of_what_is_unknown():
    moments = Moments.stacked(
        [Moments.symmetric(*of) for of in ((0, 0, 9), (2, 0, 9), (-2, 0, 9), (np.nan,) * 3)]
    )
    np.testing.assert_array_equal(p_values(moments, "t", "two-sided"), [1, 0, 0, np.nan])
    np.testing.assert_array_equal(p_values(moments, "t", "greater"), [1, 0, 1, np.nan])


def test_p_values_follow_from_the_ends_of_intervals_alone():
    cases = [
        Moments.stacked(
            [interval_moments(mean_change(values - shift, donors, ORIGINAL, of), "u-statistic", of)]
        )
        for of in POPULATIONS.values()
        for values, donors in (changes(seed=4),)
        for shift in (0.0, 0.2, 1.0)
    ]
    for moments in cases:
        exact = one_sided_p_values(moments, "t")

        def ends(level, moments=moments):
            return bounds_of_moments(moments, level)[1:]

        found = hypotheses_of_ends({}, [(ends, np.zeros(1))])
        np.testing.assert_allclose([found.greater, found.less], exact, rtol=1e-6, atol=1e-12)


def test_so_many_times_the_rows_put_the_end_of_the_interval_at_zero():
    for seed in range(8):
        values, donors = changes(seed=seed)
        population = POPULATIONS["all"]
        change = mean_change(values, donors, ORIGINAL, population)
        moments = Moments.stacked([interval_moments(change, "u-statistic", population)])
        times = times_rows_needed(moments, 0.95)
        _, low, high = bounds_of_moments(moments, 0.95)
        error = bounds_of_moments(moments, 0.95)[0]
        if abs(change.estimate) <= error[0]:
            assert np.isinf(times[0])
            continue
        assert (times[0] < 1) == (low[0] > 0 or high[0] < 0)
        _, low, high = bounds_of_moments(moments.with_rows(times), 0.95)
        assert min(abs(low[0]), abs(high[0])) < 1e-6 * (high[0] - low[0])


def test_adjusted_p_values_are_those_of_holm_and_of_benjamini_and_hochberg():
    p = np.array([0.01, 0.04, 0.03, 0.005, 0.9, np.nan, 1.0])
    counts = np.array([True] * 6 + [False])
    holm = adjusted(p, counts, "holm")
    np.testing.assert_allclose(holm[:5], [0.04, 0.09, 0.09, 0.025, 0.9])
    np.testing.assert_array_equal(holm[5:], [np.nan, 1.0])
    np.testing.assert_allclose(adjusted(p, counts, "bh")[:5], false_discovery_control(p[:5]))
    np.testing.assert_array_equal(adjusted(p, counts, None), p)
