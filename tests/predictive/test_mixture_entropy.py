"""Entropy of normal mixtures compared with sums over a very fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from cases import thorough_after
from uqwidgets.predictive import Mixture, Normal
from uqwidgets.predictive.distributions import InvalidRowError

HALF_NORMAL = 0.5 * (1 + np.log(2 * np.pi))
# Gauss-Legendre of five nodes on every quarter of every member's standard deviation.
STEPS = np.linspace(-10, 10, 81)
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(5)


def on_a_fine_grid(loc, scale, weights):
    """Entropy of one mixture, by brute force."""
    ends = np.unique((loc[:, None] + scale[:, None] * STEPS).ravel())
    half = np.diff(ends) / 2
    x = (ends[:-1] + half)[:, None] + half[:, None] * NODES
    total = 0.0
    for part in np.array_split(np.arange(len(half)), 1 + x.size * len(loc) // 2_000_000):
        each = -0.5 * ((x[part, :, None] - loc) / scale) ** 2 - np.log(scale)
        log_q = logsumexp(each, axis=-1, b=weights) - 0.5 * np.log(2 * np.pi)
        total -= ((np.exp(log_q) * log_q) @ NODE_WEIGHTS * half[part]).sum()
    return total


def check(loc, scale, weights):
    loc, scale, weights = np.broadcast_arrays(loc, scale, weights)
    result = Mixture(Normal(loc, scale), weights).entropy()
    for row in range(len(loc)):
        expected = on_a_fine_grid(loc[row], scale[row], weights[row])
        assert result[row] == pytest.approx(expected, rel=1e-8, abs=2e-9)


MEMBERS = thorough_after(4, [2, 3, 10, 50, 200])


def random(m, rows=None):
    rng = np.random.default_rng(m)
    n = (1 if m > 20 else 10) if rows is None else rows
    return rng, n, rng.dirichlet(np.ones(m), size=n)


@pytest.mark.parametrize("m", MEMBERS)
class TestAgainstAFineGrid:
    def test_members_that_overlap(self, m):
        rng, n, weights = random(m)
        check(rng.normal(size=(n, m)), rng.uniform(0.3, 3, size=(n, m)), weights)

    def test_scales_one_to_a_thousand(self, m):
        rng, n, weights = random(m)
        scale = 10 ** rng.uniform(-3, 0, size=(n, m))
        scale[:, :2] = [1e-3, 1.0]
        check(rng.normal(size=(n, m)), scale, weights)
        check(rng.normal(size=(n, m)) * 1e-3, scale, weights)

    def test_members_a_hundred_standard_deviations_apart(self, m):
        rng, n, weights = random(m)
        loc = rng.permuted(np.tile(100.0 * np.arange(m), (n, 1)), axis=1)
        check(loc, np.ones((1, 1)), weights)
        result = Mixture(Normal(loc, np.ones_like(loc)), weights).entropy()
        np.testing.assert_allclose(result, HALF_NORMAL + stats.entropy(weights, axis=1), rtol=1e-11)

    def test_far_apart_with_scales_one_to_a_thousand(self, m):
        rng, n, weights = random(m)
        scale = 10 ** rng.uniform(-3, 0, size=(n, m))
        check(100 * rng.normal(size=(n, m)), scale, weights)

    def test_weights_of_very_different_size_and_none(self, m):
        rng, n, _ = random(m)
        weights = 10 ** rng.uniform(-12, 0, size=(n, m))
        weights[:, 1:][rng.random((n, m - 1)) < 0.3] = 0.0
        weights /= weights.sum(axis=1, keepdims=True)
        check(3 * rng.normal(size=(n, m)), 10 ** rng.uniform(-2, 0, size=(n, m)), weights)


@pytest.mark.parametrize("apart", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0])
@pytest.mark.parametrize("ratio", [1.0, 3.0, 30.0, 1000.0])
@pytest.mark.parametrize("rare", [0.5, 1e-2, 1e-6])
def test_two_members_at_every_distance(apart, ratio, rare):
    for weights in ([rare, 1 - rare], [1 - rare, rare]):
        check(np.array([[0.0, apart]]), np.array([[1.0, 1 / ratio]]), np.array([weights]))


@given(
    st.lists(
        st.tuples(st.floats(-100, 100), st.floats(-3, 1), st.floats(1e-3, 1)),
        min_size=1,
        max_size=5,
    ),
)
def test_any_mixture(members):
    loc, log_scale, weights = np.array(members).T
    check(loc[None], 10 ** log_scale[None], (weights / weights.sum())[None])


def test_rows_are_independent():
    rng = np.random.default_rng(0)
    n, m = 5000, 7
    loc, scale = rng.normal(size=(n, m)) * 3, 10 ** rng.uniform(-2, 0, size=(n, m))
    q = Mixture(Normal(loc, scale), rng.dirichlet(np.ones(m), size=n))
    result = q.entropy()
    for row in rng.integers(n, size=20):
        alone = q.take(slice(row, row + 1))
        np.testing.assert_allclose(alone.entropy(), result[row], rtol=1e-11)
    check(loc[:5], scale[:5], q.weights[:5])


def test_scaling_adds_the_logarithm_of_the_scale():
    rng = np.random.default_rng(1)
    loc, scale = rng.normal(size=(20, 6)), rng.uniform(0.1, 1, size=(20, 6))
    plain = Mixture(Normal(loc, scale)).entropy()
    for unit in (1e-9, 1e-3, 1e6):
        result = Mixture(Normal(loc * unit, scale * unit)).entropy()
        np.testing.assert_allclose(result - np.log(unit), plain, atol=1e-9)


def test_shifting_changes_nothing():
    # Multiples of 1/8 are exact in double precision.
    rng = np.random.default_rng(1)
    loc, scale = rng.integers(-20, 20, size=(20, 6)) / 8, rng.uniform(0.1, 1, size=(20, 6))
    plain = Mixture(Normal(loc, scale)).entropy()
    for origin in (-1e3, 1e8, 1e14):
        np.testing.assert_allclose(Mixture(Normal(origin + loc, scale)).entropy(), plain, atol=1e-9)


def test_very_narrow_members_far_apart():
    q = Mixture(Normal([[1e5, 2e5, -3e5]], [[1e-12, 1e-12, 1e-12]]), [0.5, 0.25, 0.25])
    expected = HALF_NORMAL + np.log(1e-12) + 1.5 * np.log(2)
    assert q.entropy()[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("origin", [0.0, 1e5, -3.3e7])
@pytest.mark.parametrize("narrow", [1e-9, 1e-11, 1e-13])
def test_very_narrow_members_are_not_missed(origin, narrow):
    loc = np.array([[0.0, 0.3, 0.7]]) + origin
    q = Mixture(Normal(loc, [[1.0, narrow, narrow]]), [0.5, 0.25, 0.25])
    # The members are so narrow that the wide one adds nothing to their density.
    expected = HALF_NORMAL + 0.5 * np.log(narrow) + 1.5 * np.log(2)
    assert q.entropy()[0] == pytest.approx(expected, abs=100 * narrow + 1e-10)


def test_members_narrower_than_double_precision_are_refused():
    q = Mixture(Normal([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1e-15]]))
    message = (
        r"from 1e-15 to 1 are too far apart .*\(method='moments' gives an upper bound\) in row 1"
    )
    with pytest.raises(InvalidRowError, match=message):
        q.entropy()
    assert np.isfinite(q.entropy("moments")).all()
    many = q.take(np.array([0] * 10_000 + [1]))
    with pytest.raises(InvalidRowError, match="in row 10000"):
        many.entropy()


class TestUncertainty:
    def test_epistemic_entropy_is_between_zero_and_the_entropy_of_the_weights(self):
        rng = np.random.default_rng(5)
        weights = rng.dirichlet(np.ones(5), size=200)
        loc = rng.normal(size=(200, 5)) * 10 ** rng.uniform(-3, 3, size=(200, 1))
        q = Mixture(Normal(loc, 10 ** rng.uniform(-1, 1, size=(200, 5))), weights)
        assert (q.epistemic() >= 0).all()
        assert (q.epistemic() <= stats.entropy(weights, axis=1) + 1e-9).all()
        np.testing.assert_allclose(q.aleatoric() + q.epistemic(), q.entropy(), rtol=1e-12)

    def test_equal_members_have_no_epistemic_entropy(self):
        q = Mixture(Normal(np.full((3, 50), 2.0), np.full((3, 50), 0.1)))
        assert q.epistemic().max() < 1e-10
        np.testing.assert_allclose(q.entropy(), HALF_NORMAL + np.log(0.1), rtol=1e-10)


class TestMoments:
    def test_the_moment_matched_entropy_exceeds_the_exact_one_by_a_divergence(self):
        rng = np.random.default_rng(6)
        q = Mixture(Normal(3 * rng.normal(size=(30, 4)), rng.uniform(0.2, 2, size=(30, 4))))
        bound, exact = q.entropy("moments"), q.entropy()
        assert (bound >= exact).all()
        for row in range(3):
            grid = np.linspace(-40, 40, 200_001)
            each = stats.norm.pdf(grid[:, None], q.members.loc[row], q.members.scale[row])
            mixed, normal = each.mean(axis=1), stats.norm(q.mean()[row], q.std()[row])
            positive = mixed > 0
            inner = mixed[positive] * (np.log(mixed[positive]) - normal.logpdf(grid[positive]))
            divergence = inner.sum() * (grid[1] - grid[0])
            assert bound[row] - exact[row] == pytest.approx(divergence, abs=1e-8)

    def test_the_moment_matched_entropy_is_exact_for_one_member(self):
        q = Mixture(Normal([[3.0]], [[0.2]]))
        np.testing.assert_allclose(q.entropy("moments"), q.entropy(), rtol=1e-10)
