"""Mean changes in many populations at once, against one population after another."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.inference import bounds, mean_change, mean_over_rows
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.mean_intervals import mean_intervals
from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.inference.moments import Moments, bounds_of_moments, row_moments
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import ManyPopulations, mean_changes_in, mean_intervals_in

N, REPEATS = 80, 6
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
DONORS = np.stack([RNG.permutation(N) for _ in range(REPEATS)])
CHANGES = [RNG.normal(size=(REPEATS, N)), X[DONORS] - X, np.zeros((REPEATS, N))]
TILTS = np.linspace(-1.5, 1.5, 7)


THIRD_ORDER = [Moments._fields.index(name) for name in ("cubes", "interaction")]


def together(each):
    weights = np.stack([p.weights for p in each], axis=1)
    if each[0].rows is None:
        return ManyPopulations(weights, weights)
    scored = np.stack([p.scored for p in each], axis=1)
    return ManyPopulations(weights, scored)


@pytest.mark.parametrize("rows", [None, X > -0.5])
@pytest.mark.parametrize(
    ("at_once", "fewest", "parts"), [(1 << 17, 16, 1), (2 * N, 2, 4), (2 * N, 3, 7)]
)
def test_means_are_those_of_each_population(rows, at_once, fewest, parts, monkeypatch):
    monkeypatch.setattr("uqwidgets.inference.populations._MOST_VALUES", at_once)
    monkeypatch.setattr("uqwidgets.inference.populations._FEWEST", fewest)
    each = [Population.of(N, w, rows) for w in np.exp(TILTS * X[:, None]).T]
    stacked = together(each)
    checks = []
    means = mean_changes_in(stacked, CHANGES, DONORS, lambda: checks.append(1))
    assert len(checks) == parts
    for m, change in enumerate(CHANGES):
        for t, population in enumerate(each):
            exact = mean_change(change, DONORS, X, population).estimate
            assert means[m, t] == pytest.approx(exact, rel=1e-9, abs=1e-12)


# The two roles of a row cancel in the fourth and fifth: the noise of the draws hides what remains.
CANCELLING = [
    X[DONORS] - X + 0.1 * RNG.normal(size=(REPEATS, N)),
    X[DONORS] - X + 0.02 * X[DONORS] * X,
]


@pytest.mark.parametrize("rows", [None, X > -0.5])
@pytest.mark.parametrize("at_once", [1 << 20, 2 * N])
@pytest.mark.parametrize("third_order", [N, N // 4])
def test_moments_are_those_of_each_population(rows, at_once, third_order, monkeypatch):
    monkeypatch.setattr("uqwidgets.inference.drawn_pairs._MOST_THIRD_ORDER", third_order)
    monkeypatch.setattr("uqwidgets.inference.moment_paths._MOST_VALUES", at_once)
    monkeypatch.setattr("uqwidgets.inference.influence_paths._BLOCK", 3 * N // 2)
    each = [Population.of(N, w, rows) for w in np.exp(TILTS * X[:, None]).T]
    changes, originals = [CHANGES[0], CHANGES[2], *CANCELLING], [X**2, X, X, X]
    path = path_moments(together(each), changes, DONORS, originals, lambda: None)
    _, low, high = bounds_of_moments(path, 0.95)
    for m, (change, original) in enumerate(zip(changes, originals, strict=True)):
        for t, population in enumerate(each):
            one = mean_change(change, DONORS, original, population)
            exact = bounds(one, "u-statistic", 0.95, population)
            assert [low[m, t], high[m, t]] == pytest.approx([exact.low, exact.high], rel=1e-6)
            moments = np.array(path)[:, m, t]
            expected = np.array(row_moments(one, population))
            # The sums of the third order are in single precision.
            rough = np.isclose(moments, expected, rtol=1e-5, atol=1e-6)
            same = np.isclose(moments, expected, rtol=1e-6, atol=1e-9)
            same[THIRD_ORDER] = rough[THIRD_ORDER]
            assert same.all()


@pytest.mark.parametrize("seed", range(2))
def test_moments_of_few_uneven_rows_and_two_repeats_are_those_of_each_population(seed):
    rng, n = np.random.default_rng(seed), 20
    x = rng.normal(size=n)
    donors = np.stack([rng.permutation(n) for _ in range(2)])
    change = x[donors] - x + 0.1 * rng.normal(size=donors.shape)
    each = [Population.of(n, w) for w in np.exp(np.linspace(-6, 6, 41) * x[:, None]).T]
    weights = np.stack([p.weights for p in each], axis=1)
    populations = ManyPopulations(weights, weights)
    path = path_moments(populations, [change], donors, [x], lambda: None)
    _, low, high = bounds_of_moments(path, 0.95)
    for t, population in enumerate(each):
        one = mean_change(change, donors, x, population)
        exact = bounds(one, "u-statistic", 0.95, population)
        # Single precision of the sums of the third order, relative to the width of the interval.
        rounding = 1e-6 * (exact.high - exact.low)
        ends = pytest.approx([exact.low, exact.high], rel=1e-6, abs=rounding, nan_ok=True)
        assert [low[0, t], high[0, t]] == ends


def test_a_sample_of_the_rows_is_enough_for_sums_of_the_third_order(monkeypatch):
    rng = np.random.default_rng(3)
    n = 8000
    # Sorted rows with a period, and skewed changes.
    x = np.sort(rng.exponential(size=n)) + (np.arange(n) % 8 == 0)
    donors = np.stack([rng.permutation(n) for _ in range(5)])
    change, population = (x[donors] - x) ** 2 + x, Population.of(n, x / x.mean(), x > 0.1)

    def moments():
        one = mean_change(change, donors, x, population)
        return np.array(row_moments(one, population)), bounds(one, "u-statistic", 0.95, population)

    complete, exact = moments()
    monkeypatch.setattr("uqwidgets.inference.drawn_pairs._MOST_THIRD_ORDER", n // 8)
    sampled, nearly = moments()
    assert (sampled != complete).sum() == 2  # the cubes and the interaction
    tolerance = 3e-3 * (exact.high - exact.low)
    assert [nearly.low, nearly.high] == pytest.approx([exact.low, exact.high], abs=tolerance)


@pytest.mark.parametrize("of_groups", [False, True])
def test_intervals_of_means_are_those_of_each_population(of_groups, monkeypatch):
    monkeypatch.setattr("uqwidgets.inference.populations._MOST_VALUES", 150)
    rng = np.random.default_rng(4)
    values = 1e3 + rng.exponential(size=(5, 60))
    values[4] = 7.0
    groups = RowGroups(np.arange(60) // 3) if of_groups else None
    populations = [Population.of(60, rng.exponential(size=60), groups=groups) for _ in range(4)]
    populations.append(Population.of(60, rows=np.arange(60) > 20, groups=groups))
    together = mean_intervals_in(values, populations)
    each = [mean_intervals(values, population) for population in populations]
    for name in ("estimate", "error", "df", "skewness"):
        of_each = [getattr(one, name) for one in each]
        found, of_each = (np.array(part)[:, :4] for part in (getattr(together, name), of_each))
        np.testing.assert_allclose(found, of_each, rtol=1e-8)
    np.testing.assert_array_equal(np.array(together.at(0.9))[:, :, 4], 7.0)
    plain = [mean_over_rows(values, population) for population in populations]
    np.testing.assert_allclose(together.estimate, [mean for mean, _ in plain], rtol=1e-13)
    np.testing.assert_allclose(together.error, [error for _, error in plain], rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("rows", [None, np.arange(10, 50)])
def test_other_weights_of_mean_one_are_those_of_a_population_made_anew(rows):
    weights = np.exp(X / 2)
    weights /= weights.mean()
    made = Population.of(N, weights, rows)
    other = Population.of(N, rows=rows).reweighted(weights)
    np.testing.assert_allclose(other.weights, made.weights, rtol=1e-14)
    np.testing.assert_allclose(other.scored, made.scored, rtol=1e-14)
    assert other.weighted
    np.testing.assert_array_equal(other.positions, made.positions)
