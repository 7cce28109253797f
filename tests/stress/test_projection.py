"""Weights that move a feature's mean (Bachoc et al. 2023, sections 2.1 and 2.2)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq
from scipy.special import logsumexp, softmax

from uqwidgets.stress.profile import described_weights, divergence, half_share
from uqwidgets.stress.projection import Column, checked_taus

TAIL = 0.05
TAUS = checked_taus(21)

DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(sigma=3.0, size=n),
    "gamma": lambda rng, n: rng.gamma(0.3, size=n),
    "t": lambda rng, n: rng.standard_t(3, size=n),
    "pareto": lambda rng, n: rng.pareto(1.5, size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(size=n),
    "poisson": lambda rng, n: rng.poisson(2.0, size=n).astype(float),
    "zero-inflated": lambda rng, n: rng.gamma(2.0, size=n) * (rng.random(n) < 0.3),
    "binary": lambda rng, n: (rng.random(n) < 0.3).astype(float),
}


def draw(name, seed):
    rng = np.random.default_rng(seed)
    return DRAWS[name](rng, int(rng.integers(30, 400)))


def by_brentq(z, target):
    """Return the weights by brentq, a bracketing solver without derivatives."""

    def gap(xi):
        return float(softmax(xi * z) @ z) - target

    edge = 1.0
    while gap(-edge) > 0 or gap(edge) < 0:
        edge *= 2
    return softmax(brentq(gap, -edge, edge, xtol=1e-15, rtol=1e-14) * z) * len(z)


def end_of(values, tau):
    """The quantile that tau = -1 or 1 stands for; tail or 1 - tail of a column of shares."""
    level = TAIL if tau < 0 else 1 - TAIL
    return level if set(values) == {0.0, 1.0} else np.quantile(values, level)


def distance(one, other):
    """Total variation: the largest difference in the share that any set of rows holds."""
    return 0.5 * np.abs(one - other).mean()


@pytest.mark.parametrize("name", DRAWS)
def test_weights_reach_the_mean_and_are_those_of_another_solver(name):
    solved = 0
    for seed in range(30):
        values = draw(name, seed)
        z = (values - values.mean()) / values.std()
        column = Column(values, TAIL)
        for tau, result in zip(TAUS, column.projections(TAUS), strict=True):
            if result.status != "ok":
                continue
            assert result.weights.mean() == pytest.approx(1, abs=1e-12)
            assert result.weights.min() >= 0
            end = end_of(values, tau)
            target = values.mean() + abs(tau) * (end - values.mean())
            assert result.target == pytest.approx(target, abs=1e-12 * values.std())
            assert abs(np.average(values, weights=result.weights) - target) <= 1e-10 * values.std()
            assert abs(result.reached - target) <= 1e-10 * values.std()
            if seed < 5 and tau:
                other = by_brentq(z, (target - values.mean()) / values.std())
                assert distance(result.weights, other) < 1e-9
            solved += 1
    assert solved > 100


def test_weights_at_tau_zero_are_exactly_one():
    for name in DRAWS:
        values = draw(name, 1)
        projection = Column(values, TAIL).project(0.0)
        assert (projection.weights == 1).all()
        assert projection.target == projection.reached == values.mean()


def test_levels_solved_together_or_alone_are_the_same():
    column = Column(draw("lognormal", 4), TAIL)
    for tau, warm in zip(TAUS, column.projections(TAUS), strict=True):
        cold = column.project(float(tau))
        assert warm.status == cold.status
        if cold.weights is not None:
            assert distance(warm.weights, cold.weights) < 1e-12


def weights_of(values):
    return [p.weights for p in Column(values, TAIL).projections(TAUS)]


@pytest.mark.parametrize("name", ["normal", "gamma", "t", "poisson"])
def test_weights_do_not_depend_on_the_unit_of_a_column(name):
    # A power of two rescales without rounding, so only the solver could tell; times 1e-5
    # rounds each value in its last bit.
    values = draw(name, 2)
    for factor in (2.0**-17, 1e-5, 1e5, 1e-200):
        for one, other in zip(weights_of(values), weights_of(values * factor), strict=True):
            assert distance(one, other) < 1e-7


@pytest.mark.parametrize("name", ["normal", "gamma", "t", "poisson"])
def test_weights_do_not_depend_on_the_origin_of_a_column(name):
    # Plus 1e6 rounds each value to 1e-10 of its standard deviation, and weights can agree to
    # that times the multiplier. Plus 2**20 on a grid of 2**-30 rounds nothing.
    values = draw(name, 3)
    for one, other in zip(weights_of(values), weights_of(values + 1e6), strict=True):
        assert distance(one, other) < 1e-6
    on_grid = np.round(values * 2**30) / 2**30
    for one, other in zip(weights_of(on_grid), weights_of(on_grid + 2**20), strict=True):
        assert distance(one, other) < 1e-6


def test_a_mirrored_column_has_mirrored_weights():
    values = draw("gamma", 5)
    pairs = zip(weights_of(values), weights_of(-values)[::-1], strict=True)
    for one, other in pairs:
        assert distance(one, other) < 1e-7


@pytest.mark.parametrize("name", ["normal", "gamma", "poisson"])
def test_no_other_weights_of_that_mean_are_closer_to_the_data(name):
    rng = np.random.default_rng(0)
    values = draw(name, 6)
    z = (values - values.mean()) / values.std()
    both = np.stack([np.ones_like(z), z])
    for tau in (-0.8, 0.3, 1.0):
        weights = Column(values, TAIL).project(tau).weights
        least = divergence(weights)
        for _ in range(50):
            # Any direction that keeps the sum and the mean; a step that keeps weights positive.
            direction = rng.normal(size=len(z)) * weights
            direction -= both.T @ np.linalg.solve(both @ both.T, both @ direction)
            step = 0.5 * (weights / np.abs(direction)).min()
            moved = weights + step * direction
            assert moved.mean() == pytest.approx(1)
            assert moved @ z == pytest.approx(weights @ z, abs=1e-8)
            assert divergence(moved) > least


def test_weights_are_exponential_in_the_feature():
    values = draw("normal", 7)
    weights = Column(values, TAIL).project(0.7).weights
    slope, level = np.polyfit(values, np.log(weights), 1)
    np.testing.assert_allclose(np.log(weights), slope * values + level, atol=1e-9)
    # Bachoc et al. 2023, eq. 4: the level is minus the log of the mean of exp(xi x).
    assert level == pytest.approx(np.log(len(values)) - logsumexp(slope * values))


def test_a_quantile_on_the_edge_of_the_data_puts_equal_weight_on_the_rows_there():
    values = np.array([0.0] * 10 + list(np.linspace(1.0, 9.0, 30)))
    at_edge = Column(values, TAIL).project(-1.0)
    assert at_edge.status == "edge"
    assert at_edge.reached == at_edge.target == 0
    np.testing.assert_array_equal(at_edge.weights, np.where(values == 0, 4.0, 0.0))
    almost = Column(values, TAIL).project(-0.99999)
    assert almost.status == "ok"
    np.testing.assert_allclose(almost.weights, at_edge.weights, atol=0.01)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_edge_is_detected_despite_rounding(side):
    seen = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        values = side * (rng.poisson(0.7, 40) * rng.choice([0.1, 0.3, 1.7]) - rng.normal())
        end = np.quantile(values, TAIL if side > 0 else 1 - TAIL)
        if end == (values.min() if side > 0 else values.max()) and values.std():
            result = Column(values, TAIL).project(-side)
            assert result.status == "edge"
            seen += 1
    assert seen > 100


def test_a_mean_beyond_its_quantile_has_a_status_and_no_weights():
    values = np.zeros(100)
    values[:3] = 50.0, 51.0, 52.0  # the mean is 1.53, the 95 % quantile 0
    for tau, result in zip(TAUS, Column(values, TAIL).projections(TAUS), strict=True):
        if tau > 0:
            assert result.status == "beyond quantile"
            assert result.weights is None
            assert np.isnan(result.reached)
        else:
            assert result.status == ("edge" if tau == -1 else "ok")


def test_a_constant_column_has_a_status_and_no_weights():
    result = list(Column(np.full(10, 0.1), TAIL).projections(TAUS))
    assert {p.status for p in result} == {"constant"}
    assert all(p.weights is None for p in result)


def test_very_small_levels_are_solved_like_others():
    result = Column(np.arange(20.0), TAIL).project(1e-300)
    assert result.status == "ok"
    np.testing.assert_allclose(result.weights, 1, rtol=1e-8)


columns = arrays(float, st.integers(2, 40), elements=st.floats(-1e9, 1e9, allow_subnormal=False))


@given(columns, st.floats(-1, 1))
def test_any_column_at_any_level_has_valid_weights_or_a_status(values, tau):
    column = Column(values, TAIL)
    result = column.project(tau)
    if result.status == "constant":
        assert values.min() == values.max()
    elif result.status == "beyond quantile":
        assert (np.quantile(values, TAIL if tau < 0 else 1 - TAIL) - column.mean) * tau <= 0
    else:
        assert result.status in ("ok", "edge")
        assert result.weights.min() >= 0
        assert result.weights.mean() == pytest.approx(1)
        assert abs(result.reached - result.target) <= 1e-9 * column.std
        assert divergence(result.weights) <= np.log(len(values)) + 1e-9
        assert 0 < half_share(result.weights) <= 0.5 + 0.5 / len(values)


def test_half_share():
    assert half_share(np.ones(10)) == 0.5
    assert half_share(np.array([10.0] + [0.0] * 9)) == 0.1
    assert half_share(np.array([1.0, 4.0, 1.0, 4.0])) == 0.5
    assert half_share(np.array([1.0, 9.0, 1.0, 1.0])) == 0.25


def test_weights_of_several_levels_are_described_like_those_of_each():
    weights = np.exp(np.outer([0.0, 0.5, 3.0], np.random.default_rng(0).normal(size=40)))
    weights[2, :5] = 0.0
    weights /= weights.mean(axis=1, keepdims=True)
    together = described_weights(weights)
    assert together["kl"][0] == 0
    for name, numbers in together.items():
        each = [described_weights(line)[name] for line in weights]
        np.testing.assert_allclose(numbers, each, rtol=1e-12)
    positive = weights[2][weights[2] > 0]
    assert together["kl"][2] == pytest.approx((positive * np.log(positive)).sum() / 40)


@pytest.mark.parametrize(("taus", "n_levels"), [(3, 3), (4, 5), (20, 21), (21, 21), (51, 51)])
def test_levels_include_minus_one_zero_and_one_exactly(taus, n_levels):
    taus = checked_taus(taus)
    assert len(taus) == n_levels
    assert {-1.0, 0.0, 1.0} <= set(taus.tolist())
    np.testing.assert_allclose(np.diff(taus), 2 / (n_levels - 1))
    np.testing.assert_array_equal(taus, -taus[::-1])


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_levels_of_the_user_are_sorted_and_completed(levels):
    taus = checked_taus(levels)
    assert {-1.0, 0.0, 1.0} <= set(taus.tolist())
    assert set(levels) <= set(taus.tolist())
    assert (np.diff(taus) > 0).all()


@pytest.mark.parametrize(
    ("taus", "message"),
    [
        (2, r"taus is 2; give at least 3 levels"),
        ("x", "tau must be a number, or taus a list of numbers"),
        ([0.5, 2.0], r"tau is 2; it must lie within \[-1, 1\]"),
        ([float("nan")], r"tau is nan"),
        ([], r"taus is empty; give at least one level"),
        (["0.5"], r"taus a list of numbers"),
        ([[0.5]], r"taus a list of numbers"),
        (10**9, r"taus is 1000000000; it is at most 10,001, so pass less"),
        (np.zeros(10_002), r"the number of taus is 10002; it is at most 10,001"),
    ],
)
def test_levels_out_of_range_are_refused(taus, message):
    with pytest.raises(ValueError, match=message):
        checked_taus(taus)
