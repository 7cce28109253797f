"""Intervals of means over refits, compared with formulas as loops and simulated variances."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from uqwidgets.learner.intervals import (
    corrected_interval,
    group_jackknife_interval,
    row_effect_interval,
    variance_components_interval,
)
from uqwidgets.learner.resampling import leave_two_groups_out
from uqwidgets.learner.row_effects import (
    group_table,
    interaction_variance,
    row_effect_variance,
    share_rows,
)

REFITS = 15


def refits(quantities=(), seed=0):
    return np.random.default_rng(seed).normal(2.0, 0.5, size=(REFITS, *quantities))


def held_out_values(m=6, n=12, quantities=(), seed=0, share=0.6):
    """Make values of rows, most of which are held out by two refits or more."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(m, n, *quantities))
    values[rng.random((m, n)) > share] = np.nan
    return values


# The corrected interval.


@pytest.mark.parametrize(
    ("correction", "share"), [("nadeau-bengio", 37 / 63), (None, 0.0), (0.582, 0.582), (0, 0.0)]
)
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_corrected_interval_is_that_of_section_7_3(correction, share, level):
    estimates = refits()
    result = corrected_interval(estimates, 63, 37, level, correction)
    variance = sum((e - estimates.mean()) ** 2 for e in estimates) / (REFITS - 1)
    error = np.sqrt((1 / REFITS + share) * variance)
    t = stats.t.ppf((1 + level) / 2, REFITS - 1)
    assert np.isclose(result.estimate, estimates.mean())
    assert np.isclose(result.std_error, error)
    assert np.isclose(result.low, estimates.mean() - t * error)
    assert np.isclose(result.high, estimates.mean() + t * error)


def test_without_a_correction_it_is_the_usual_t_interval():
    estimates = refits()
    result = corrected_interval(estimates, 63, 37, 0.9, None)
    usual = stats.ttest_1samp(estimates, 0.0).confidence_interval(0.9)
    assert np.allclose([result.low, result.high], usual)


def test_many_quantities_are_as_many_intervals():
    estimates = refits((3, 2))
    result = corrected_interval(estimates, 63, 37)
    assert result.low.shape == (3, 2)
    alone = corrected_interval(estimates[:, 2, 1], 63, 37)
    assert np.isclose(result.low[2, 1], alone.low)
    assert np.isclose(result.high[2, 1], alone.high)


@pytest.mark.parametrize("number", [0, 1])
def test_an_interval_needs_two_refits(number):
    with pytest.raises(ValueError, match=f"two refits or more, there is {number}; set n_refits"):
        corrected_interval(np.ones(number), 63, 37)
    with pytest.raises(ValueError, match="two refits or more"):
        row_effect_interval(np.ones(number), np.array(1.0), 100, 63, 37)


@pytest.mark.parametrize(
    ("correction", "text"),
    [("nadeau", "did you mean 'nadeau-bengio'"), (-0.1, "-0.1; it must be"), ([], "must be")],
)
def test_an_invalid_correction_is_an_error(correction, text):
    with pytest.raises(ValueError, match=text):
        corrected_interval(refits(), 63, 37, correction=correction)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_an_invalid_level_is_an_error(level):
    with pytest.raises(ValueError, match="between 0 and 1"):
        corrected_interval(refits(), 63, 37, level)
    with pytest.raises(ValueError, match="between 0 and 1"):
        row_effect_interval(refits(), np.array(1.0), 100, 63, 37, level)


# Row effects.


def literal_row_effect_variance(values):
    total, freedom = 0.0, 0
    for d, e in combinations(range(len(values)), 2):
        common = ~np.isnan(values[d]) & ~np.isnan(values[e])
        if common.sum() >= 2:
            one, other = values[d][common], values[e][common]
            total += ((one - one.mean()) * (other - other.mean())).sum()
            freedom += common.sum() - 1
    return total / freedom


@pytest.mark.parametrize("seed", range(5))
def test_the_variance_of_row_effects_is_the_covariance_between_refits(seed):
    values = held_out_values(seed=seed)
    assert np.isclose(row_effect_variance(values), literal_row_effect_variance(values))


def test_each_quantity_has_its_own():
    values = held_out_values(quantities=(2, 3))
    values[np.isnan(values[..., 0, 0])] = np.nan
    result = row_effect_variance(values)
    assert result.shape == (2, 3)
    assert np.isclose(result[1, 2], literal_row_effect_variance(values[:, :, 1, 2]))


@given(st.integers(0, 2**16), st.floats(-1e6, 1e6), st.floats(0.1, 10))
def test_the_variance_is_invariant_to_refit_effects_offset_and_order(seed, offset, scale):
    values = held_out_values(seed=seed)
    rng = np.random.default_rng(seed)
    m, n = values.shape
    moved = offset + scale * values[rng.permutation(m)][:, rng.permutation(n)]
    moved += rng.normal(size=(m, 1))
    expected = scale**2 * literal_row_effect_variance(values)
    assert np.isclose(row_effect_variance(moved), expected, atol=1e-6)


def test_without_interaction_it_is_the_sample_variance_of_the_rows():
    rows = np.random.default_rng(0).normal(size=9)
    refit = np.arange(4.0)[:, None]
    assert np.isclose(row_effect_variance(rows + refit), rows.var(ddof=1))


def test_it_does_not_include_the_interaction_of_refits_and_rows():
    rng = np.random.default_rng(1)
    draws, m, n = 4000, 5, 10
    values = rng.normal(size=(n, draws)) + 3 * rng.normal(size=(m, n, draws))
    result = row_effect_variance(values)
    assert abs(result.mean() - 1) < 4 * result.std() / np.sqrt(draws)


def test_without_common_rows_it_is_an_error():
    values = np.full((3, 6), np.nan)
    values[0, :2] = values[1, 2:4] = values[2, 4:] = 1.0
    with pytest.raises(ValueError, match="no two refits were scored on two rows in common"):
        row_effect_variance(values)


def literal_interaction_variance(values):
    total, freedom = 0.0, 0
    for d, e in combinations(range(len(values)), 2):
        common = ~np.isnan(values[d]) & ~np.isnan(values[e])
        if common.sum() >= 2:
            apart = values[d][common] - values[e][common]
            total += np.square(apart - apart.mean()).sum() / 2
            freedom += common.sum() - 1
    return total / freedom


@pytest.mark.parametrize("seed", range(5))
def test_the_variance_of_the_interaction_is_half_that_of_differences(seed):
    values = held_out_values(seed=seed, share=0.4)
    expected = literal_interaction_variance(values)
    assert np.isclose(interaction_variance(values), expected)
    shifted = values + np.random.default_rng(seed).normal(size=(6, 1)) + np.arange(12.0)
    assert np.isclose(interaction_variance(shifted), expected)


def test_refits_share_rows_or_not():
    assert share_rows([np.array([0, 1]), np.array([2, 3]), np.array([1, 2, 3])])
    assert not share_rows([np.array([0, 1]), np.array([2, 3]), np.array([1, 2])])


# Components of variance.


def variance_of_simulated_components(rng, bootstrap, of_loss, n=60, draws=100):
    """Mean estimated variance of simulated estimates that follow the theory, and the true one."""
    scored = rng.normal(size=(n, draws))
    learned = 4 * rng.normal(size=(n, draws)) + (scored if of_loss else 0.0)
    values = np.full((REFITS, n, draws), np.nan)
    for line in values:
        train = rng.integers(n, size=n) if bootstrap else rng.permutation(n)[:40]
        held_out = np.setdiff1d(np.arange(n), train)
        noise = 0.3 * rng.normal(size=(len(held_out), draws))
        line[held_out] = learned[train].mean(axis=0) + scored[held_out] + noise
    n_test = np.mean((~np.isnan(values[:, :, 0])).sum(axis=1))
    parts = row_effect_variance(values), interaction_variance(values)
    arguments = (np.nanmean(values, axis=1), *parts, n, n - n_test, n_test)
    result = variance_components_interval(*arguments, bootstrap=bootstrap, of_loss=of_loss)
    # Variances: 16 + 1 from learning, 1 from being scored, and twice the covariance 1.
    of_rows = (17 + 1 + 2 if of_loss else 16 + 1) / n
    return np.square(result.std_error).mean() / (of_rows + 0.09 / (REFITS * n_test))


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("of_loss", [True, False])
def test_the_variance_is_that_of_a_mean_over_refits_of_both_effects_of_a_row(bootstrap, of_loss):
    rng = np.random.default_rng(4)
    ratios = [variance_of_simulated_components(rng, bootstrap, of_loss) for _ in range(12)]
    error = np.std(ratios, ddof=1) / np.sqrt(len(ratios))
    assert abs(np.mean(ratios) - 1) < 3 * error + 0.03  # no variance is estimated below zero


@pytest.mark.parametrize("of_loss", [True, False])
def test_the_ends_follow_from_the_variance_of_the_components(of_loss):
    m, n, rows, both = REFITS, 100, 0.5, 0.2
    estimates = 0.4 + np.linspace(-0.2, 0.2, m)
    result = variance_components_interval(
        estimates, np.array(rows), np.array(both), n, 60, 40, bootstrap=False, of_loss=of_loss
    )
    together = rows if of_loss else 0.0
    spread = estimates.var(ddof=1) - both / 40 - (1 / 40 - 1 / n) * rows + 2 * together / n
    variance = spread / (n / 60 - 1) + (rows + 2 * together) / n + both / 40 / m
    least = corrected_interval(estimates, 60, 40).std_error
    error = max(np.sqrt(variance), least)
    assert np.isclose(result.std_error, error)
    t = stats.t.ppf(0.975, (m - 1) / (3 if of_loss else 2))
    slope = min(error / 0.4, 0.5) if of_loss else 0.0
    for end in (result.low, result.high):
        distance = end - 0.4
        assert np.isclose(distance**2, t**2 * error**2 * (1 + slope * distance / error))


@pytest.mark.parametrize("m", [2, 3])
def test_components_of_few_refits_have_one_degree_of_freedom(m):
    estimates = np.linspace(0.0, 1.0, m)
    result = variance_components_interval(
        estimates, np.array(0.1), np.array(0.0), 50, 30, 20, bootstrap=True, of_loss=False
    )
    half = stats.t.ppf(0.975, 1) * result.std_error
    assert np.isclose(result.high - result.estimate, half)


@pytest.mark.parametrize("estimate", [5.0, 0.4, 0.05, 0.0, -0.3])
def test_the_ends_solve_the_equation_with_the_variance_at_each_candidate(estimate):
    estimates = estimate + np.linspace(-1e-6, 1e-6, REFITS)  # so that row effects decide
    variance, n = 1.7, 100
    result = row_effect_interval(estimates, np.array(variance), n, 63, 37)
    error = np.sqrt(4 * variance / n)
    slope = min(error / estimate, 0.3) if estimate > 0 else 0.3
    t = stats.t.ppf(0.975, (REFITS - 1) / 2)
    for end in (result.low, result.high):
        distance = end - estimate
        assert np.isclose(distance**2, t**2 * error**2 * (1 + slope * distance / error))
    assert result.high - estimate > estimate - result.low > 0
    assert np.isclose(result.std_error, error)


def test_an_importance_far_from_zero_has_a_symmetric_interval():
    estimates = 1e6 + np.linspace(-1e-6, 1e-6, REFITS)
    result = row_effect_interval(estimates, np.array(1.7), 100, 63, 37)
    assert np.isclose(result.high - result.estimate, result.estimate - result.low, rtol=1e-6)


@pytest.mark.parametrize("variance", [-1.0, 0.0, 1e-9, 0.3, 100.0])
def test_it_contains_the_corrected_interval(variance):
    estimates = refits((2,))
    result = row_effect_interval(estimates, np.full(2, variance), 100, 63, 37)
    least = corrected_interval(estimates, 63, 37)
    assert (result.low <= least.low).all()
    assert (result.high >= least.high).all()
    assert (result.std_error >= least.std_error).all()


# Groups of rows.


@pytest.mark.parametrize(("n", "n_refits", "n_groups"), [(100, 15, 6), (37, 10, 5), (14, 21, 7)])
def test_every_two_groups_are_left_out_once(n, n_refits, n_groups):
    splits = leave_two_groups_out(n, n_refits, random_state=0)
    assert sorted(map(tuple, splits.left_out)) == list(combinations(range(n_groups), 2))
    assert np.ptp(np.bincount(splits.groups)) <= 1
    n_held_out = np.zeros(n)
    for refit, train in enumerate(splits.train):
        rows = splits.held_out(refit)
        n_held_out[rows] += 1
        assert len(np.unique(train)) == len(train)
        assert not set(train) & set(rows)
        assert len(train) == min(int(0.632 * n), n - len(rows))
    assert (n_held_out == n_groups - 1).all()


def test_rows_are_assigned_to_groups_by_the_seed():
    one, same, other = (leave_two_groups_out(60, random_state=seed) for seed in (0, 0, 1))
    assert (one.groups == same.groups).all()
    assert all((a == b).all() for a, b in zip(one.train, same.train, strict=True))
    assert (one.groups != other.groups).any()


@pytest.mark.parametrize("n_refits", [-1, 0, 3, 14, 16])
def test_only_numbers_of_pairs_are_valid(n_refits):
    with pytest.raises(ValueError, match=f"n_refits is {n_refits}; .*6, 10, 15, 21"):
        leave_two_groups_out(100, n_refits)


def test_too_few_rows_are_an_error():
    with pytest.raises(ValueError, match="11 rows cannot be cut into 6 groups"):
        leave_two_groups_out(11)


def held_out_by_groups(n=40, quantities=(2,), seed=0):
    splits = leave_two_groups_out(n, random_state=seed)
    values = np.full((REFITS, n, *quantities), np.nan)
    rng = np.random.default_rng(seed)
    for refit in range(REFITS):
        rows = splits.held_out(refit)
        values[refit, rows] = rng.normal(size=(len(rows), *quantities))
    return splits, values


def test_the_table_has_the_mean_of_each_group_under_each_refit_that_left_it_out():
    splits, values = held_out_by_groups()
    table = group_table(values, splits)
    assert np.isnan(table[np.eye(6, dtype=bool)]).all()
    for refit, (g, e) in enumerate(splits.left_out):
        for one, other in ((g, e), (e, g)):
            rows = [i for i in range(40) if splits.groups[i] == one]
            assert np.allclose(table[one, other], np.mean([values[refit, i] for i in rows], axis=0))


def table_of(learned, scored, noise=0.0):
    """Table in which group g is worth ``learned[g]`` to learn from and ``scored[g]`` to score."""
    n_groups = len(learned)
    total = learned.sum(axis=0)
    table = scored[:, None] + (total - learned[:, None] - learned[None, :]) / (n_groups - 2)
    table = table + noise
    table[np.arange(n_groups), np.arange(n_groups)] = np.nan
    return table


def means_of_refits(table):
    one, other = np.triu_indices(len(table), k=1)
    return (table[one, other] + table[other, one]) / 2


@pytest.mark.parametrize("n_groups", [4, 5, 6, 7])
def test_without_noise_it_is_the_variance_of_a_mean_of_both_effects_of_a_group(n_groups):
    rng = np.random.default_rng(0)
    scored = rng.normal(size=(n_groups, 3))
    learned = 2 * scored + rng.normal(size=(n_groups, 3))  # their covariance counts
    table = table_of(learned, scored)
    # With so many training rows the corrected interval is narrower.
    result = group_jackknife_interval(means_of_refits(table), table, 1e9, 1)
    error = np.sqrt((learned + scored).var(axis=0, ddof=1) / n_groups)
    assert np.allclose(result.std_error, error)
    t = stats.t.ppf(0.975, n_groups - 1)
    assert np.allclose(result.high - result.estimate, t * error)
    assert np.allclose(result.estimate - result.low, t * error)


def test_its_replicates_are_those_of_the_jackknife_over_cross_validations():
    splits, values = held_out_by_groups(quantities=())
    replicates = np.nanmean(group_table(values, splits), axis=0)
    for e in range(6):
        folds = [
            values[refit, splits.groups == (pair[0] if pair[1] == e else pair[1])].mean()
            for refit, pair in enumerate(splits.left_out)
            if e in pair
        ]
        assert len(folds) == 5
        assert np.isclose(replicates[e], np.mean(folds))


def test_the_noise_of_refits_has_the_variance_of_their_mean():
    rng = np.random.default_rng(2)
    draws, n_groups = 20_000, 6
    learned, scored = 4 * rng.normal(size=(2, n_groups, 1))
    of_refit = rng.normal(size=(n_groups, n_groups, draws))
    of_refit = np.tril(np.ones((n_groups, n_groups)), -1)[:, :, None] * of_refit
    noise = of_refit + of_refit.swapaxes(0, 1) + 0.5 * rng.normal(size=of_refit.shape)
    table = table_of(learned, scored, noise)
    result = group_jackknife_interval(means_of_refits(table), table, 1e9, 1)
    variance = result.std_error**2
    effects = (learned + scored).var(ddof=1) / n_groups
    expected = effects + result.estimate.var()
    assert abs(variance.mean() - expected) < 5 * variance.std() / np.sqrt(draws)
    plain = (n_groups - 1) * np.nanmean(table, axis=0).var(axis=0).mean()
    assert plain > 1.05 * expected


def test_with_noise_only_it_is_the_corrected_interval():
    rng = np.random.default_rng(3)
    table = table_of(np.zeros((6, 1)), np.zeros((6, 1)), rng.normal(size=(6, 6, 500)))
    estimates = means_of_refits(table)
    result = group_jackknife_interval(estimates, table, 63, 33)
    least = corrected_interval(estimates, 63, 33)
    assert (result.low <= least.low).all()
    assert (result.high >= least.high).all()
    assert np.mean(result.high == least.high) > 0.5


def test_the_jackknife_needs_every_refit():
    splits, values = held_out_by_groups()
    table = group_table(values, splits)
    estimates = np.nanmean(values, axis=1)
    with pytest.raises(ValueError, match="has 14 of 15"):
        group_jackknife_interval(estimates[1:], table, 25, 13)
    table[0, 1] = np.nan
    with pytest.raises(ValueError, match="rows without a value"):
        group_jackknife_interval(estimates, table, 25, 13)
