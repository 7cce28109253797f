"""Intervals where the roles of a row cancel, and third moments of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from cases import thorough_after
from models import permuted_donors
from simulated_changes import ORIGINAL, POPULATIONS, changes, std_error
from uqwidgets import Explainer
from uqwidgets.evaluation.donors import drawn_donors
from uqwidgets.inference import (
    bounds,
    every_donor,
    mean_change,
    pooled,
)
from uqwidgets.inference.cancelling import (
    PRECISE,
    less_noisy,
    regression_on_two,
)
from uqwidgets.inference.influence import interaction_of_weights
from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.inference.moments import bounds_of_moments
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import ManyPopulations
from uqwidgets.inference.variance import skewness_corrected


def lines_of(surface, donors):
    """Return the measure of the original rows, and its changes with the donors' values."""
    n = len(surface)
    original = np.diag(surface)
    return original, surface[np.arange(n), donors] - original


@pytest.mark.parametrize("repeats", [2, 3, 10, "all"])
@pytest.mark.parametrize("kind", ["one feature", "two features", "features of few values"])
def test_an_importance_that_is_always_zero_is_zero_and_its_interval_contains_it(kind, repeats):
    """The mean of an entropy that is a sum over features does not change under a permutation.

    The interval has no width for a model of one feature, and over every donor.
    """
    rng, n = np.random.default_rng(4), 60
    own, others = rng.normal(size=n), rng.gamma(2.0, size=n)
    if kind == "one feature":
        others[:] = 0.3
    if kind == "features of few values":
        own, others = rng.integers(0, 3, n) / 7, rng.integers(0, 2, n) / 3
    surface = others[:, None] + own[None, :]
    population = Population.of(n)
    if repeats == "all":
        lines = [(slice(0, n), surface.T - np.diag(surface))]
        result = every_donor(lines, np.arange(n), population, np.zeros(n, dtype=int))
    else:
        donors = permuted_donors(0, 1, repeats, n)
        original, change = lines_of(surface, donors)
        result = mean_change(change, donors, original, population)
    side = bounds(result, "u-statistic", 0.95, population)
    assert side.estimate == 0
    if kind == "one feature" or repeats == "all":
        assert (side.std_error, side.low, side.high) == (0, 0, 0)
    else:
        assert side.low < 0 < side.high
    # The variance over scored rows alone is not zero.
    assert bounds(result, "model", 0.95, population).std_error > 0.01


@pytest.mark.parametrize("weighted", [False, True])
def test_over_every_donor_it_has_no_width_whatever_the_weights(weighted):
    rng, n = np.random.default_rng(4), 60
    surface = rng.normal(size=n)[:, None] + rng.normal(size=n)[None, :]
    population = Population.of(n, rng.gamma(1.0, size=n) if weighted else None)
    lines = [(slice(0, n), surface.T - np.diag(surface))]
    result = every_donor(lines, np.arange(n), population, np.zeros(n, dtype=int))
    side = bounds(result, "u-statistic", 0.95, population)
    assert (side.estimate, side.std_error, side.low, side.high) == (0, 0, 0, 0)


def test_an_importance_that_is_zero_in_every_table_is_exactly_zero_with_many_rows():
    rng, n = np.random.default_rng(4), 70_000
    own, others, donors = rng.normal(size=n), rng.gamma(2.0, size=n), permuted_donors(0, 1, 2, n)
    result = mean_change(own[donors] - own, donors, own + others, Population.of(n))
    assert result.estimate == 0


def test_one_repeat_suffices_for_a_model_of_one_feature():
    own, donors = np.random.default_rng(0).normal(size=60), permuted_donors(0, 1, 1, 60)
    result = mean_change(own[donors] - own, donors, own, Population.of(60))
    side = bounds(result, "u-statistic", 0.95, Population.of(60))
    assert (side.estimate, side.std_error, side.low, side.high) == (0, 0, 0, 0)


def test_the_interval_of_a_mean_that_is_zero_by_chance_has_a_width():
    # Zero-one loss: as many rows become wrong as become right.
    n, donors = 60, permuted_donors(0, 1, 2, 60)
    original = (np.arange(n) % 2).astype(float)
    change = np.zeros((2, n))
    change[:, :8] = 1 - 2 * original[:8]
    result = mean_change(change, donors, original, Population.of(n))
    side = bounds(result, "u-statistic", 0.95, Population.of(n))
    assert side.estimate == 0
    assert side.low < -0.02 < 0.02 < side.high


@pytest.mark.parametrize("repeats", thorough_after(1, [2, 5, 10]))
@pytest.mark.parametrize("scheme", ["permutation", "ablation", "conditional"])
@pytest.mark.parametrize("own", [0.3, 3.0])
def test_the_variance_is_that_of_repeated_sampling_with_cancelling_roles(repeats, scheme, own):
    """The surface has an effect of the feature, one of the others, and their interaction."""
    rng, n, runs = np.random.default_rng([repeats, int(10 * own)]), 80, 250
    population, estimates, errors = Population.of(n), [], []
    groups = np.arange(n) % 2
    for seed in range(runs):
        x, z = rng.normal(size=(2, n))
        surface = own * x[None, :] + 0.5 * z[:, None] + 0.5 * z[:, None] * x[None, :]
        donors = drawn_donors(scheme, (0,), seed, repeats, groups)
        original, change = lines_of(surface, donors)
        within = groups if scheme == "conditional" else None
        result = mean_change(change, donors, original, population, within)
        side = bounds(result, "u-statistic", 0.95, population)
        estimates.append(side.estimate)
        errors.append(side.std_error)
    # A variance of 250 has a relative standard error of 9 %.
    assert np.mean(np.square(errors)) == pytest.approx(np.var(estimates), rel=0.3)
    if scheme != "ablation":
        assert np.quantile(errors, 0.95) < 1.6 * np.std(estimates)


@pytest.mark.parametrize("repeats", thorough_after(1, [10, 2]))
def test_the_variance_is_that_of_repeated_sampling_though_the_roles_cancel_under_weights(repeats):
    rng, n, runs, estimates, errors = np.random.default_rng(repeats), 80, 250, [], []
    for seed in range(runs):
        x, z = rng.normal(size=(2, n))
        population = Population.of(n, np.exp(0.7 * x))
        surface = 3 * x[None, :] + 0.5 * z[:, None] + 0.2 * z[:, None] * x[None, :]
        donors = permuted_donors(0, seed, repeats, n)
        original, change = lines_of(surface, donors)
        result = mean_change(change, donors, original, population)
        estimates.append(result.estimate)
        errors.append(std_error(result, "u-statistic", population))
    assert np.mean(np.square(errors)) == pytest.approx(np.var(estimates), rel=0.3)
    assert np.quantile(errors, 0.95) < 2 * np.std(estimates)


@pytest.mark.parametrize("name", ["all", "weighted", "zeros"])
def test_the_interaction_of_rows_is_a_second_derivative(name):
    """The estimate's, along weights that change by the influence of each row."""
    n, rng = 25, np.random.default_rng(3)
    lines = [(slice(0, n), rng.gamma(1.0, size=(n, 1)) * rng.normal(size=n) ** 2)]

    def importance(weights):
        return every_donor(lines, np.arange(n), Population.of(n, weights), np.zeros(n, dtype=int))

    population = POPULATIONS[name]
    output = importance(population.weights)
    influence = output.influence_scored + output.influence_donor
    step = 1e-3 / np.abs(influence).max()
    up, down = (
        importance(population.weights * (1 + step * sign * influence)).estimate for sign in (1, -1)
    )
    expected = n * (up + down - 2 * output.estimate) / step**2
    assert output.interaction**3 == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", ["all", "weighted"])
def test_the_interaction_of_rows_in_a_weighted_mean_is_a_second_derivative(name):
    values, w = np.random.default_rng(0).gamma(1.0, size=25), POPULATIONS[name].weights
    influence = w * (values - np.average(values, weights=w))
    step = 1e-3 / np.abs(influence).max()
    up, middle, down = (
        np.average(values, weights=w * (1 + step * sign * influence)) for sign in (1, 0, -1)
    )
    expected = 25 * (up + down - 2 * middle) / step**2
    result = interaction_of_weights(influence, influence @ influence, w)
    assert result == pytest.approx(expected, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_third_moments_of_drawn_pairs_are_their_sums(name, monkeypatch):
    monkeypatch.setattr(
        "uqwidgets.inference.drawn_pairs.less_noisy", lambda influence, *_: influence
    )
    change, donors = changes(repeats=3)
    population = POPULATIONS[name]
    output = mean_change(change, donors, ORIGINAL, population)
    w, s, n = population.weights, population.scored, 25
    pairs = s * w[donors] * (change - output.estimate) * n / (s * w[donors]).sum()
    rows = output.influence_scored + output.influence_donor
    chains = sum(
        pairs[k, i] * (rows[i] - pairs[k, i]) * (rows[donors[k, i]] - pairs[k, i])
        for k in range(3)
        for i in range(n)
    )
    variance = (rows**2 - output.double_counted).sum()
    of_weights = -2 * variance * ((rows @ s) / s.sum() + (rows @ w) / w.sum())
    assert output.interaction**3 == pytest.approx(2 * chains + of_weights)
    assert output.double_counted_cubes**3 == pytest.approx((pairs**3).sum())
    # In parts, each repeat with the influences that it has alone.
    parts = [mean_change(change[[k]], donors[[k]], ORIGINAL, population) for k in range(3)]
    shares = np.array([part.totals[0] for part in parts]) / output.totals.sum()
    together = pooled([(part, w[d]) for part, d in zip(parts, donors, strict=True)], n)
    interactions = np.array([part.interaction for part in parts]) ** 3
    cubes = np.array([part.double_counted_cubes for part in parts]) ** 3
    assert together.interaction**3 == pytest.approx(shares @ interactions)
    assert together.double_counted_cubes**3 == pytest.approx(shares**3 @ cubes)


@pytest.mark.parametrize("quantile", [-2.5, -1.0, 0.3, 2.0])
def test_the_corrected_quantile_inverts_halls_transformation(quantile):
    for skewness, interaction in ((0.3, 0.0), (-0.2, 0.1), (0.2, -0.3), (0.0, 0.05)):
        t = skewness_corrected(quantile, skewness, interaction)
        a, c = skewness / 3 + interaction / 2, skewness / 6 + interaction / 2
        assert t + a * t**2 + a**2 * t**3 / 3 + c == pytest.approx(quantile)
    assert skewness_corrected(quantile, 0.0) == quantile
    # However skewed a sample is, the correction is bounded.
    assert np.abs(skewness_corrected(quantile, 50.0, -20.0)) < 3 * max(abs(quantile), 1)


def test_the_studentised_mean_of_pairs_has_the_cumulants_that_are_corrected():
    """A mean square of a mean: its influences are skewed by what rows do together."""
    rng, n = np.random.default_rng(0), 150
    x = 1 + rng.normal(size=(60_000, n))
    mean = x.mean(axis=1)
    error = 2 * np.abs(mean) * x.std(axis=1) / np.sqrt(n)
    t = (mean**2 - 1 - 1 / n) / error
    # Influences 2 (x - 1), of both rows 2 (x - 1)(y - 1): no skewness, an interaction of 1.
    interaction = 2 * 4 / 2**3 / np.sqrt(n)
    assert t.mean() == pytest.approx(-interaction, rel=0.15)
    assert stats.skew(t) == pytest.approx(-3 * interaction, rel=0.3)
    low, high = (skewness_corrected(q, 0.0, interaction) for q in (-1.96, 1.96))
    assert (t < low).mean() == pytest.approx(0.025, abs=0.005)
    assert (t > high).mean() == pytest.approx(0.025, abs=0.005)


def test_ends_of_intervals_do_not_jump_as_weights_move(monkeypatch):
    """Along weights that take the variance from one that is known well to one that is not."""
    rng, n = np.random.default_rng(1), 80
    x, z = rng.uniform(-1.7, 1.7, size=(2, n))
    donors = permuted_donors(0, 3, 6, n)
    original, change = lines_of((2 + z[:, None]) * x[None, :], donors)
    precisions, widths = [], []

    def recorded(influence, *rest):
        precisions.append(influence.precision(rest[-1]))
        return less_noisy(influence, *rest)

    monkeypatch.setattr("uqwidgets.inference.drawn_pairs.less_noisy", recorded)
    for tilt in np.linspace(0, 4, 401):
        population = Population.of(n, np.exp(tilt * x))
        side = bounds(
            mean_change(change, donors, original, population), "u-statistic", 0.95, population
        )
        widths.append(side.high - side.low)
    assert max(precisions) > PRECISE > 10 * min(precisions)
    assert np.abs(np.diff(np.log(widths))).max() < 0.05


@pytest.mark.parametrize("mixed", [0.3, 0.0, 2.0, -2.0])
def test_a_regression_on_two_variables_is_that_of_the_pseudoinverse(mixed):
    """Also where both are proportional, one is zero, or both are."""
    for scored, donor in ((1.0, 4.0), (0.0, 4.0), (1e-9, 0.0), (0.0, 0.0)):
        c = mixed * np.sqrt(scored * donor)
        gram = 3 * np.array([[scored, c / 2], [c / 2, donor]])
        moments = gram @ [0.7, -1.1]
        slopes = regression_on_two(3, scored, donor, gram[0, 1], *moments)
        expected = np.linalg.pinv(gram, rcond=1e-12, hermitian=True) @ moments
        np.testing.assert_allclose(slopes, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("repeats", [1, 2, 10])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("unit", [1e-120, 1e-77, 1e78, 1e150])
def test_intervals_of_cancelling_roles_have_the_unit_of_the_measure(repeats, weighted, unit):
    """Fourth powers of the measure would overflow or vanish."""
    n = 80
    x, z = np.random.default_rng(0).normal(size=(2, n))
    population = Population.of(n, np.exp(0.7 * x) if weighted else None)
    surface = 3 * x[None, :] + 0.5 * z[:, None] + 0.2 * z[:, None] * x[None, :]
    donors = permuted_donors(0, 1, repeats, n)
    original, change = lines_of(surface, donors)
    weights = np.stack([population.weights, np.exp(0.3 * x)], axis=1)
    ends, on_path = [], []
    for scale in (1.0, unit):
        changes, originals = scale * change, scale * original
        side = bounds(
            mean_change(changes, donors, originals, population), "u-statistic", 0.95, population
        )
        ends.append((side.low / scale, side.high / scale))
        path = path_moments(
            ManyPopulations(weights / weights.mean(axis=0), weights / weights.mean(axis=0)),
            [changes],
            donors,
            [originals],
            lambda: None,
        )
        on_path.append(np.array(bounds_of_moments(path, 0.95)[1:]) / scale)
    assert ends[1] == pytest.approx(ends[0], rel=1e-9)
    np.testing.assert_allclose(on_path[1], on_path[0], rtol=1e-6)


def test_intervals_of_a_forest_do_not_jump_between_levels_of_stress():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = RandomForestRegressor(25, min_samples_leaf=5, random_state=0).fit(X[::2], y[::2])
    explainer = Explainer(forest, X[1::2], y[1::2])
    widths = []
    for tau in np.arange(-0.97, -0.90, 0.01):
        weights = explainer.stress_weights("bmi", tau=float(tau))
        result = explainer.importance(
            "squared_error", ["bp", "s3"], n_repeats=6, sample_weight=weights
        )
        frame = result.frame.sort_values("feature")
        widths.append(frame["high"] - frame["low"])
    assert np.abs(np.diff(np.log(widths), axis=0)).max() < np.log(1.3)
