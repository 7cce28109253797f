"""Weighted means over rows and their intervals, compared with formulas written as loops."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from models import permuted_donors
from simulated_changes import ORIGINAL, POPULATIONS, changes, std_error
from uqwidgets.evaluation.donors import drawn_donors
from uqwidgets.evaluation.replacement import SCHEMES
from uqwidgets.inference import (
    INTERVALS,
    Change,
    bounds,
    checked_interval,
    checked_level,
    checked_reference,
    every_donor,
    half_width,
    mean_change,
    mean_over_rows,
    row_moments,
    u_statistic_bounds,
)
from uqwidgets.inference.moments import quantile
from uqwidgets.inference.population import Population, effective_sample_size


def literal(change, donors, population, groups=None):
    """Return the estimate and both standard errors of `mean_change`, computed term by term."""
    w, s = population.weights, population.scored
    repeats, n = change.shape
    groups = np.zeros(n, dtype=int) if groups is None else groups
    theta_of, c, rows = {}, {}, {}
    for g in np.unique(groups):
        pairs = [(k, i, donors[k, i]) for k in range(repeats) for i in np.flatnonzero(groups == g)]
        total = sum(s[i] * w[d] for k, i, d in pairs)
        c[g], rows[g] = total / repeats, sum(s[groups == g]) if total else 0.0
        theta_of[g] = sum(s[i] * w[d] * change[k, i] for k, i, d in pairs) / total if total else 0.0
    mass = sum(rows.values())
    theta = sum(rows[g] * theta_of[g] for g in rows) / mass
    m = s.sum() ** 2 / (s**2).sum()

    scored, donor, once = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        g = groups[i]
        if not c[g]:
            continue
        f = n / mass * rows[g] / c[g] / repeats
        seen = [f * s[i] * w[donors[k, i]] * (change[k, i] - theta_of[g]) for k in range(repeats)]
        scored[i] = sum(seen) + n / mass * s[i] * (theta_of[g] - theta)
        once[i] = np.square(seen).sum()
        donor[i] = sum(
            f * s[r] * w[i] * (change[k, r] - theta_of[g])
            for k in range(repeats)
            for r in np.flatnonzero(donors[k] == i)
        )
    model = (scored**2).sum() / n**2 * m / (m - 1)
    leverage = np.where(s > 0, 1 / (1 - s / s.sum()), m / (m - 1))
    parts = ((scored + donor) ** 2 - once) * leverage**3 / n**2
    # A variance estimate may be negative: take the mean of a normal truncated at zero.
    error = np.sqrt(n) * parts.std()
    both = stats.truncnorm.mean(-parts.sum() / error, np.inf, parts.sum(), error)
    return theta, np.sqrt(model), np.sqrt(both)


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("repeats", [1, 2, 6])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_standard_errors_equal_their_formulas(name, repeats, scheme, monkeypatch):
    # Use the influences of the pairs as they are.
    monkeypatch.setattr(
        "uqwidgets.inference.drawn_pairs.less_noisy", lambda influence, *_: influence
    )
    groups = np.arange(25) % 3
    change, _ = changes(repeats=repeats)
    donors = drawn_donors(scheme, (0,), 0, repeats, groups)
    population = POPULATIONS[name]
    within = groups if scheme == "conditional" else None
    theta, model, both = literal(change, donors, population, within)
    output = mean_change(change, donors, ORIGINAL, population, within)
    assert output.estimate == pytest.approx(theta, rel=1e-12)
    for interval, expected in (("model", model), ("u-statistic", both)):
        assert std_error(output, interval, population) == pytest.approx(expected, rel=1e-9)


def test_a_single_subgroup_equals_no_subgroups():
    change, donors = changes()
    for population in POPULATIONS.values():
        plain = mean_change(change, donors, ORIGINAL, population)
        one = mean_change(change, donors, ORIGINAL, population, np.zeros(25, dtype=int))
        assert one.estimate == pytest.approx(plain.estimate, rel=1e-12)
        np.testing.assert_allclose(
            one.influence_scored, plain.influence_scored, rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            one.influence_donor, plain.influence_donor, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("groups", [np.zeros(25, dtype=int), np.arange(25) % 3])
def test_all_donors_equal_the_mean_over_all_pairs(name, groups, monkeypatch):
    monkeypatch.setattr(
        "uqwidgets.inference.drawn_pairs.less_noisy", lambda influence, *_: influence
    )
    population, codes = POPULATIONS[name], np.random.default_rng(2).integers(0, 7, 25)
    _, codes = np.unique(codes, return_inverse=True)
    values = np.random.default_rng(3).normal(size=(codes.max() + 1, 25))
    # All n donors one after the other; with subgroups, those that are in the same.
    w, s = population.weights, population.scored
    theta_of, theta, mass = np.zeros(3), 0.0, 0.0
    for g in np.unique(groups):
        at = np.flatnonzero(groups == g)
        pairs = [(s[i] * w[d], values[codes[d], i]) for i in at for d in at]
        total = sum(p for p, _ in pairs)
        if total:
            theta_of[g] = sum(p * v for p, v in pairs) / total
            theta += s[at].sum() * theta_of[g]
            mass += s[at].sum()
    lines = [(slice(0, 3), values[:3]), (slice(3, len(values)), values[3:])]
    output = every_donor(lines, codes, population, groups)
    assert output.estimate == pytest.approx(theta / mass, rel=1e-12)
    if not groups.any():
        # The draws that take each row once as the donor of each.
        donors = (np.arange(25) + np.arange(25)[:, None]) % 25
        drawn = mean_change(values[codes[donors], np.arange(25)], donors, ORIGINAL, population)
        assert output.estimate == pytest.approx(drawn.estimate, rel=1e-12)
        np.testing.assert_allclose(
            output.influence_scored, drawn.influence_scored, rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            output.influence_donor, drawn.influence_donor, rtol=1e-9, atol=1e-12
        )
        assert output.pair_variance() == pytest.approx(drawn.pair_variance(), rel=1e-9)
        assert output.pairs == pytest.approx(drawn.pairs)
        seen = output.per_row()
        np.testing.assert_allclose(seen, drawn.per_row(), rtol=1e-9)
    assert bounds(output, "fixed-data", 0.95, population).std_error == 0.0


def test_intervals_of_randomized_ablation_are_those_of_section_5():
    change, donors = changes(repeats=6)
    population = POPULATIONS["all"]
    output = mean_change(change, donors, ORIGINAL, population)
    over_repeats = bounds(output, "fixed-data", 0.9, population)
    assert over_repeats.std_error == pytest.approx(stats.sem(change.mean(axis=1)))
    expected = stats.t.interval(0.9, 5, change.mean(), stats.sem(change.mean(axis=1)))
    assert (over_repeats.low, over_repeats.high) == pytest.approx(expected)
    over_pairs = bounds(output, "random-variable", 0.9, population, "normal")
    assert over_pairs.std_error == pytest.approx(stats.sem(change.ravel()))
    expected = stats.norm.interval(0.9, change.mean(), stats.sem(change.ravel()))
    assert (over_pairs.low, over_pairs.high) == pytest.approx(expected)


def test_quantiles_over_repeats_are_figure_8_2():
    change, donors = changes(repeats=40)
    population = POPULATIONS["all"]
    output = bounds(mean_change(change, donors, ORIGINAL, population), "quantile", 0.9, population)
    each = change.mean(axis=1)
    assert (output.low, output.estimate, output.high) == pytest.approx(
        np.quantile(each, [0.05, 0.5, 0.95])
    )
    assert np.isnan(output.std_error)


def test_the_interval_of_a_skewed_change_is_longer_towards_the_tail():
    _, donors = changes(repeats=8)
    change = np.random.default_rng(0).exponential(size=(1, 25)).repeat(8, axis=0) ** 2
    population = POPULATIONS["all"]
    output = bounds(
        mean_change(change, donors, ORIGINAL, population), "u-statistic", 0.95, population
    )
    assert output.high - output.estimate > 1.2 * (output.estimate - output.low)
    mirrored = bounds(
        mean_change(-change, donors, ORIGINAL, population), "u-statistic", 0.95, population
    )
    assert (mirrored.low, mirrored.high) == pytest.approx((-output.high, -output.low))
    # In large samples nothing of it is left.
    rng = np.random.default_rng(1)
    many = np.tile(rng.exponential(size=20000), (2, 1))
    donors = drawn_donors("permutation", (0,), 0, 2, np.zeros(20000, dtype=int))
    population = Population.of(20000)
    output = bounds(
        mean_change(many, donors, rng.normal(size=20000), population),
        "u-statistic",
        0.95,
        population,
    )
    half = 1.96 * output.std_error
    assert output.high - output.estimate == pytest.approx(half, rel=0.02)
    assert output.estimate - output.low == pytest.approx(half, rel=0.02)


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_interval_contains_its_estimate(interval):
    change, donors = changes(repeats=8)
    for population in POPULATIONS.values():
        output = bounds(
            mean_change(change, donors, ORIGINAL, population), interval, 0.95, population
        )
        assert output.low < output.estimate < output.high


@pytest.mark.parametrize("kind", ["u-statistic", "model", "fixed-data", "random-variable"])
def test_equal_weights_equal_no_weights(kind):
    rng = np.random.default_rng(5)
    change, donors = rng.normal(size=(4, 30)), permuted_donors(0, 2, 4, 30)
    rows_as_they_are = rng.normal(size=30)
    sides, rows = [], []
    for population in (Population.of(30), Population.of(30, np.full(30, 3.0))):
        output = mean_change(change, donors, rows_as_they_are, population)
        side = bounds(output, kind, 0.95, population)
        sides.append([side.estimate, side.std_error, side.low, side.high])
        rows.append([*output.per_row(), *output.repeats, *output.totals, output.pairs])
    assert population.plain is False
    np.testing.assert_allclose(*sides, rtol=1e-13)
    np.testing.assert_allclose(*rows, rtol=1e-13)


def test_results_do_not_depend_on_the_chunks_of_repeats(monkeypatch):
    change, donors = changes(repeats=7)
    for population in POPULATIONS.values():
        whole = mean_change(change, donors, ORIGINAL, population)
        with monkeypatch.context() as patched:
            patched.setattr("uqwidgets.inference.drawn_pairs._CACHED_VALUES", 60)
            cut = mean_change(change, donors, ORIGINAL, population)
        assert cut.estimate == pytest.approx(whole.estimate, rel=1e-13)
        for interval in ("u-statistic", "model", "random-variable"):
            expected = std_error(whole, interval, population)
            assert std_error(cut, interval, population) == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(cut.repeats, whole.repeats, rtol=1e-13)


def test_model_interval_is_equation_6():
    change, donors = changes()
    per_row = change.mean(axis=0)
    output = bounds(
        mean_change(change, donors, ORIGINAL, Population.of(25)), "model", 0.9, Population.of(25)
    )
    pfi = per_row.mean()
    variance = ((per_row - pfi) ** 2).sum() / (25 * 24)
    half = stats.t.ppf(0.95, 24) * np.sqrt(variance)
    assert output.estimate == pytest.approx(pfi, rel=1e-13)
    assert (output.low, output.high) == pytest.approx((pfi - half, pfi + half), rel=1e-12)
    chosen = np.arange(3, 19)
    filtered = mean_change(change, donors, ORIGINAL, POPULATIONS["filtered"])
    assert filtered.estimate == pytest.approx(per_row[chosen].mean())
    error = std_error(filtered, "model", POPULATIONS["filtered"])
    assert error == pytest.approx(stats.sem(per_row[chosen]))


def test_repeats_and_rows_average_to_the_estimate():
    change, donors = changes()
    for name, population in POPULATIONS.items():
        output = mean_change(change, donors, ORIGINAL, population)
        w, s = population.weights, population.scored
        pair_weights = (s * w[donors]).sum(axis=1)
        assert np.average(output.repeats, weights=pair_weights) == pytest.approx(output.estimate)
        per_row_weights = s * w[donors].sum(axis=0)
        assert np.average(output.per_row(), weights=per_row_weights) == pytest.approx(
            output.estimate
        )
        if name == "all":
            np.testing.assert_allclose(output.repeats, change.mean(axis=1))
            np.testing.assert_allclose(output.per_row(), change.mean(axis=0))


def test_no_change_has_estimate_and_interval_zero():
    _, donors = changes()
    for population in POPULATIONS.values():
        for interval in ("u-statistic", "model", "fixed-data", "random-variable"):
            change = mean_change(np.zeros(donors.shape), donors, ORIGINAL, population)
            output = bounds(change, interval, 0.95, population)
            assert (output.estimate, output.std_error, output.low, output.high) == (0, 0, 0, 0)


def test_a_population_without_pairs_has_no_importance():
    change, donors = changes(repeats=1)
    alone = Population.of(25, np.arange(25) == 4)
    if donors[0, 4] == 4:
        donors = np.roll(donors, 1, axis=1)
    output = mean_change(change, donors, ORIGINAL, alone)
    for interval in INTERVALS:
        sides = bounds(output, interval, 0.95, alone)
        assert np.isnan([sides.estimate, sides.std_error, sides.low, sides.high]).all()
    assert np.isnan(output.repeats).all()


def test_intervals_of_several_changes_are_computed_at_once():
    (change, donors), population = changes(), POPULATIONS["weighted"]
    some = [mean_change(factor * change, donors, ORIGINAL, population) for factor in (1, -3, 0)]
    some.append(Change.of_nothing(25, len(change)))
    together = u_statistic_bounds([row_moments(each, population) for each in some], 0.9)
    for one, change in zip(together, some, strict=True):
        expected = bounds(change, "u-statistic", 0.9, population)
        np.testing.assert_allclose(astuple(one), astuple(expected), rtol=1e-12)
    assert np.isnan(together[-1].low)


def test_a_repeat_without_pairs_is_left_out():
    change, donors = changes(repeats=40)
    few = Population.of(25, np.arange(25) < 2)
    output = mean_change(change, donors, ORIGINAL, few)
    assert np.isnan(output.repeats).any()
    pairs = [(k, i) for k in range(40) for i in range(2) if donors[k, i] < 2]
    assert output.estimate == pytest.approx(np.mean([change[p] for p in pairs]))


def test_band_is_equation_5():
    values = np.random.default_rng(3).normal(size=(4, 25))
    mean, std_error = mean_over_rows(values, Population.of(25))
    np.testing.assert_allclose(mean, values.mean(axis=1))
    np.testing.assert_allclose(std_error, stats.sem(values, axis=1))
    chosen = np.arange(3, 19)
    mean, std_error = mean_over_rows(values, POPULATIONS["filtered"])
    np.testing.assert_allclose(mean, values[:, chosen].mean(axis=1))
    np.testing.assert_allclose(std_error, stats.sem(values[:, chosen], axis=1))


def test_integer_weights_equal_repeated_rows_in_the_mean():
    values = np.random.default_rng(3).normal(size=(4, 25))
    times = np.random.default_rng(4).integers(0, 4, 25)
    mean, _ = mean_over_rows(values, Population.of(25, times))
    np.testing.assert_allclose(mean, np.repeat(values, times, axis=1).mean(axis=1))


def test_standard_error_under_weights_is_that_of_repeated_sampling():
    # The truth is the standard deviation of the weighted mean over 4000 samples of 60 rows.
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(4000, 60))
    means, errors = [], []
    for values in draws:
        population = Population.of(60, np.exp(0.5 * values))
        mean, error = mean_over_rows(values[None], population)
        means.append(mean[0])
        errors.append(error[0])
    # The standard deviation of 4000 has a relative error of 1/sqrt(8000) = 1.1 %; weights that
    # depend on the value bias the formula by some per cent more.
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.08)


def test_half_width_is_that_of_students_t():
    for population, df in ((Population.of(10), 9), (Population.of(10, rows=[1, 2, 5]), 2)):
        expected = stats.t.ppf(0.975, df) * 0.3
        assert half_width(0.3, 0.95, population) == pytest.approx(expected)
    weighted = POPULATIONS["weighted"]
    expected = stats.t.ppf(0.95, weighted.ess - 1)
    np.testing.assert_allclose(half_width([1.0, 2.0], 0.9, weighted), [expected, 2 * expected])
    assert np.isnan(half_width(0.3, 0.95, Population.of(10, rows=[4])))


def test_effective_sample_size():
    assert effective_sample_size(np.ones(7)) == pytest.approx(7)
    assert effective_sample_size(np.array([0.0, 3.0, 0.0])) == pytest.approx(1)
    assert Population.of(10, rows=[2, 3]).ess == pytest.approx(2)


@pytest.mark.parametrize("scale", [1e-120, 1.0, 1e120])
def test_an_interval_is_in_the_unit_of_its_changes(scale):
    change, donors = changes(repeats=3)
    population = POPULATIONS["all"]
    one, other = (
        bounds(
            mean_change(c * change, donors, c * ORIGINAL, population),
            "u-statistic",
            0.95,
            population,
        )
        for c in (1.0, scale)
    )
    assert (other.low / scale, other.high / scale) == pytest.approx((one.low, one.high), rel=1e-9)


@pytest.mark.parametrize("level", [0, 1, 2, -0.5, float("nan"), "0.9"])
def test_levels_out_of_range(level):
    with pytest.raises(ValueError, match=r"level is .*; it must be between 0 and 1, such as 0.95"):
        checked_level(level)


def test_an_unknown_interval_is_an_error_that_names_similar_ones():
    assert checked_interval("model") == "model"
    with pytest.raises(ValueError, match="no interval 'u-stat'; did you mean 'u-statistic'"):
        checked_interval("u-stat")
    assert checked_reference("t") == "t"
    with pytest.raises(ValueError, match="no reference distribution 'norm'; did you mean 'normal'"):
        checked_reference("norm")


class TestPopulation:
    def test_weights_have_mean_one_whatever_their_scale(self):
        raw_weights = np.array([1.0, 2.0, 3.0, 0.0])
        for scale in (1e-300, 1e-5, 1.0, 1e300):
            output = Population.of(4, raw_weights * scale)
            np.testing.assert_allclose(output.weights, raw_weights / 1.5)
            assert output.weighted
        assert not Population.of(4).weighted
        np.testing.assert_array_equal(Population.of(4).weights, 1)

    def test_rows_are_a_mask_or_positions(self):
        for rows in ([1, 3], [3, 1], [-1, 1], np.array([False, True, False, True])):
            output = Population.of(4, rows=rows)
            np.testing.assert_array_equal(output.positions, [1, 3])
            np.testing.assert_array_equal(output.scored, [0, 1, 0, 1])
            np.testing.assert_array_equal(output.weights, 1)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"sample_weight": "heavy"}, "sample_weight must be numbers; pass one weight per row"),
            ({"sample_weight": [1, 2, 3]}, r"sample_weight has shape \(3,\) but X has 4 rows"),
            (
                {"sample_weight": [1, -2, 3, 4]},
                r"sample_weight is -2 in row 1; weights must be fin",
            ),
            ({"sample_weight": [1, 2, np.nan, 4]}, r"sample_weight is nan in row 2"),
            ({"sample_weight": [0, 0, 0, 0]}, r"sample_weight is 0 everywhere"),
            ({"rows": [4]}, r"rows contains position 4; pass positions from 0 to 3"),
            ({"rows": [-5, 1]}, r"rows contains position -5; pass"),
            ({"rows": [3, 1, 3]}, r"rows contains position 3 twice; pass each once"),
            ({"rows": [3, -1]}, r"rows contains position 3 twice"),
            ({"rows": [[0, 1]]}, r"rows has shape \(1, 2\); pass a list of positions"),
            ({"rows": [[0], [0, 1]]}, r"rows must be a mask of the rows, or"),
            ({"rows": [0, True]}, r"rows must be a mask of the rows, or"),
            ({"rows": np.ma.array([0, 1], mask=[0, 1])}, r"rows is masked in 1 of 2 rows"),
            (
                {"sample_weight": [0, 0, 1e-320, 0]},
                r"sample_weight is at most \S+e-321; pass it at",
            ),
            ({"sample_weight": ["1", "2", "3", "4"]}, r"sample_weight must be numbers"),
            (
                {"sample_weight": np.ma.array([1.0] * 4, mask=[1, 0, 0, 0])},
                r"is masked in 1 of 4 rows",
            ),
            ({"rows": []}, r"rows chooses no row"),
            ({"rows": [False] * 4}, r"rows chooses no row"),
            ({"rows": [True] * 3}, r"the mask rows has shape \(3,\) but X has 4 rows"),
            ({"rows": [0.5, 1.0]}, r"rows must be a mask of the rows, or"),
            ({"rows": ["a"]}, r"rows must be a mask of the rows, or"),
            ({"rows": [1], "sample_weight": [1, 0, 1, 1]}, r"every chosen row has weight 0"),
        ],
    )
    def test_invalid_rows_and_weights_are_refused(self, options, message):
        with pytest.raises(ValueError, match=message):
            Population.of(4, **options)

    @given(
        arrays(float, 12, elements=st.just(0) | st.floats(0, 1e308)).filter(
            lambda w: w.max() > 1e-305
        ),
        st.none() | st.lists(st.integers(-12, 11), min_size=1, unique_by=lambda row: row % 12),
    )
    def test_any_weights_and_rows(self, weights, rows):
        scored = np.zeros(12, dtype=bool)
        scored[slice(None) if rows is None else rows] = True
        if not (weights / weights.max() > 1e-305)[scored].any():
            return
        output = Population.of(12, weights, rows)
        assert output.weights.mean() == pytest.approx(1)
        assert output.weights.min() >= 0
        assert set(np.flatnonzero(output.scored)) <= set(output.positions)
        assert 1 - 1e-9 <= output.ess <= scored.sum() + 1e-9


def test_a_weight_that_underflows_is_0():
    assert Population.of(3, [0.5, 1e-320, 0.5]).weights.tolist() == [1.5, 0, 1.5]
    assert Population.of(3, [1e308, 1e308, 1e2]).weights.tolist() == [1.5, 1.5, 0]


@pytest.mark.parametrize(("level", "rtol"), [(0.5, 1e-12), (0.95, 1e-12), (0.9999, 1e-10)])
def test_many_quantiles_of_t_are_those_of_scipy(level, rtol):
    df = np.exp(np.random.default_rng(0).uniform(np.log(0.1), np.log(1e8), size=500))
    df[:4] = np.nan, -1.0, np.inf, 1.0
    expected = stats.t.ppf((1 + level) / 2, np.where(df > 0, df, np.nan))
    np.testing.assert_allclose(quantile(df, level, "t"), expected, rtol=rtol)
    # A few are the same up to rounding.
    np.testing.assert_allclose(quantile(df[:9], level, "t"), expected[:9], rtol=1e-14)
