"""Mixtures compared with scipy's densities and numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from uqwidgets.predictive import Categorical, Mixture, Normal
from uqwidgets.predictive.distributions import InvalidRowError

LOC = np.array([[0.0, 1.0, 5.0], [-2.0, -2.0, 3.0]])
SCALE = np.array([[1.0, 0.5, 2.0], [0.1, 1.0, 4.0]])
WEIGHTS = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
MIXED = Mixture(Normal(LOC, SCALE), WEIGHTS)
GRID = np.linspace(-60.0, 60.0, 1_200_001)


def density(q, row):
    loc, scale = q.members.loc[row], q.members.scale[row]
    each = zip(np.broadcast_to(q.weights, q.members.loc.shape)[row], loc, scale, strict=True)
    return sum(w * stats.norm.pdf(GRID, m, s) for w, m, s in each)


def below(q, x):
    """Distribution function of every row at its ``x``."""
    each = stats.norm.cdf(x[:, None], q.members.loc, q.members.scale)
    return (np.broadcast_to(q.weights, each.shape) * each).sum(axis=1)


@pytest.mark.parametrize("row", [0, 1])
def test_moments_of_a_normal_mixture_are_integrals_of_its_density(row):
    q = density(MIXED, row)
    mean = integrate.trapezoid(q * GRID, GRID)
    variance = integrate.trapezoid(q * (GRID - mean) ** 2, GRID)
    assert MIXED.mean()[row] == pytest.approx(mean, rel=1e-9)
    assert MIXED.variance()[row] == pytest.approx(variance, rel=1e-9)
    assert MIXED.std()[row] == pytest.approx(np.sqrt(variance), rel=1e-9)
    cumulated = integrate.cumulative_trapezoid(q, GRID, initial=0)
    for y in (-3.0, 0.7, 9.0):
        at = np.full(2, y)
        result = np.exp(MIXED.log_prob(at)[row])
        assert result == pytest.approx(np.interp(y, GRID, q), rel=1e-6)
        crps = integrate.trapezoid((cumulated - (y <= GRID)) ** 2, GRID)
        assert MIXED.crps(at)[row] == pytest.approx(crps, rel=1e-4)


def test_one_member_with_all_the_weight_is_that_member():
    alone = Normal(LOC[1:, 0], SCALE[1:, 0])
    q, y = MIXED.take(slice(1, 2)), np.array([-1.8])
    np.testing.assert_allclose(q.entropy(), alone.entropy(), rtol=1e-10)
    np.testing.assert_allclose(q.log_prob(y), alone.log_prob(y), rtol=1e-13)
    np.testing.assert_allclose(q.crps(y), alone.crps(y), rtol=1e-12)
    np.testing.assert_allclose(q.interval(0.9), alone.interval(0.9), rtol=1e-12)
    np.testing.assert_allclose(q.variance(), alone.variance(), rtol=1e-13)


def test_log_density_is_finite_where_the_density_underflows():
    q = Mixture(Normal([[0.0, 1e6]], [[1.0, 2.0]]), [0.5, 0.5])
    far = q.log_prob([5e5])[0]
    assert far == pytest.approx(stats.norm.logpdf(5e5, 1e6, 2) + np.log(0.5), rel=1e-12)


positive = st.floats(1e-3, 1e3)


@given(
    st.lists(st.tuples(st.floats(-1e3, 1e3), positive, positive), min_size=1, max_size=6),
    st.sampled_from([1e-12, 1e-3, 0.05, 0.5, 0.77, 0.999]),
)
def test_quantiles_invert_the_distribution_function(members, p):
    loc, scale, weights = np.array(members).T
    q = Mixture(Normal([loc], [scale]), weights / weights.sum())
    x = q.quantile(p)
    # The tolerance is that of double precision.
    step = 1e-11 * scale.min() + 4 * np.spacing(np.abs(x))
    assert below(q, x - step) <= p + 1e-15
    assert below(q, x + step) >= p - 1e-15


def test_quantiles_of_many_rows_at_once():
    rng = np.random.default_rng(3)
    n, m = 3000, 20
    scale = 10 ** rng.uniform(-3, 0, size=(n, m))
    q = Mixture(Normal(rng.normal(size=(n, m)) * 5, scale), rng.dirichlet(np.ones(m), size=n))
    low, high = q.interval(0.9)
    np.testing.assert_allclose(below(q, low), 0.05, rtol=1e-9)
    np.testing.assert_allclose(below(q, high), 0.95, rtol=1e-9)


def test_a_quantile_between_members_far_apart_lies_between_them():
    q = Mixture(Normal([[0.0, 1e9], [1e9, 0.0]], np.ones((2, 2))))
    median = q.quantile(0.5)
    assert ((median > 5) & (median < 1e9 - 5)).all()


def test_crps_equals_its_expectation():
    rng = np.random.default_rng(7)
    q = Mixture(Normal(rng.normal(size=(1, 8)) * 3, rng.uniform(0.1, 2, size=(1, 8))))
    weights = rng.dirichlet(np.ones(8))
    for mixture in (q, Mixture(q.members, weights)):
        f = np.cumsum(density(mixture, 0)) * (GRID[1] - GRID[0])
        for y in (-4.0, 0.3, 11.0):
            integral = integrate.trapezoid((f - (y <= GRID)) ** 2, GRID)
            assert mixture.crps([y])[0] == pytest.approx(integral, rel=1e-3)


def test_members_may_come_in_any_order_and_in_several_pieces():
    order = np.array([2, 0, 1])
    again = Mixture(Normal(LOC[:, order], SCALE[:, order]), WEIGHTS[:, order])
    halves = Mixture(
        Normal(np.tile(LOC, 2), np.tile(SCALE, 2)), np.concatenate([WEIGHTS, WEIGHTS], axis=1) / 2
    )
    y = np.array([0.4, -2.2])
    for ask in (
        lambda q: q.entropy(),
        lambda q: q.epistemic(),
        lambda q: q.log_prob(y),
        lambda q: q.crps(y),
        lambda q: q.quantile(0.1),
        lambda q: q.variance(),
    ):
        np.testing.assert_allclose(ask(again), ask(MIXED), rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(ask(halves), ask(MIXED), rtol=1e-9, atol=1e-10)


class TestClasses:
    P = np.random.default_rng(0).dirichlet(np.ones(3), size=(5, 4))
    WEIGHTS = np.array([0.1, 0.2, 0.3, 0.4])

    def test_probabilities_are_averaged(self):
        q = Mixture(Categorical(self.P, ["b", "a", "c"]), self.WEIGHTS)
        averaged = np.einsum("m,nmk->nk", self.WEIGHTS, self.P)
        np.testing.assert_allclose(q.probabilities, averaged, rtol=1e-14)
        codes = np.array([1, 0, 2, 1, 0])
        np.testing.assert_allclose(q.log_prob(list("abcab")), np.log(averaged[range(5), codes]))
        np.testing.assert_array_equal(q.log_prob_of_codes(codes), q.log_prob(list("abcab")))
        np.testing.assert_array_equal(q.mode(), averaged.argmax(axis=1))
        alone = Categorical(averaged, q.classes)
        np.testing.assert_allclose(q.brier_of_codes(codes), alone.brier_of_codes(codes))

    def test_entropy_is_aleatoric_and_epistemic(self):
        weights = np.random.default_rng(1).dirichlet(np.ones(4), size=5)
        q = Mixture(Categorical(self.P, [0, 1, 2]), weights)
        joint = weights[:, :, None] * self.P
        averaged = joint.sum(axis=1)
        np.testing.assert_allclose(q.entropy(), stats.entropy(averaged, axis=1))
        each = stats.entropy(self.P, axis=2)
        np.testing.assert_allclose(q.aleatoric(), (weights * each).sum(axis=1))
        # Mutual information of label and member.
        independent = weights[:, :, None] * averaged[:, None]
        mutual = (joint * np.log(joint / independent)).sum(axis=(1, 2))
        np.testing.assert_allclose(q.epistemic(), mutual, rtol=1e-10)
        np.testing.assert_allclose(q.aleatoric() + q.epistemic(), q.entropy())

    def test_equal_members_have_no_epistemic_entropy(self):
        q = Mixture(Categorical(np.repeat(self.P[:, :1], 4, axis=1), [0, 1, 2]))
        result = q.epistemic()
        assert (result >= 0).all()
        assert result.max() < 1e-14

    def test_numbers_have_mean_and_interval(self):
        q = Mixture(Categorical(self.P, [5, 3, 4]), self.WEIGHTS)
        alone = Categorical(q.probabilities, [5, 3, 4])
        y = np.array([3.0, 4, 5, 3, 4])
        np.testing.assert_allclose(q.mean(), alone.mean())
        np.testing.assert_allclose(q.variance(), alone.variance())
        np.testing.assert_array_equal(q.interval(0.5), alone.interval(0.5))
        np.testing.assert_allclose(q.crps(y), alone.crps(y))

    def test_normal_members_have_no_classes(self):
        assert MIXED.classes is None
        for ask in (lambda: MIXED.probabilities, MIXED.mode):
            with pytest.raises(ValueError, match="a mixture of normal distributions has no"):
                ask()


class TestFromSamples:
    DRAWS = np.random.default_rng(2).gamma(2.0, size=(60, 7))

    def test_the_density_of_draws_equals_that_of_scipy(self):
        q = Mixture.from_samples(self.DRAWS)
        y = np.linspace(0.1, 4, 7)
        for row, draws in enumerate(self.DRAWS.T):
            bandwidth = 0.9 * min(draws.std(ddof=1), stats.iqr(draws) / 1.34) * 60**-0.2
            theirs = stats.gaussian_kde(draws, bandwidth / draws.std(ddof=1))
            np.testing.assert_allclose(q.members.scale[row], bandwidth, rtol=1e-13)
            assert np.exp(q.log_prob(y)[row]) == pytest.approx(theirs(y[row])[0], rel=1e-10)

    def test_half_of_the_draws_may_be_equal_up_to_rounding(self):
        near = 0.3 + np.array([0.0, 1.0] * 4) * np.spacing(0.3)
        draws = np.array([*near, 4.0, 5.0])[:, None]
        scale = Mixture.from_samples(draws).members.scale
        np.testing.assert_allclose(scale, 0.9 * draws.std(ddof=1) * 10**-0.2)
        with pytest.raises(InvalidRowError, match="all are equal"):
            Mixture.from_samples(near[:, None])

    def test_most_of_the_draws_may_be_equal(self):
        draws = np.array([0.0] * 8 + [4.0, 5.0])[:, None]
        scale = Mixture.from_samples(draws).members.scale
        np.testing.assert_allclose(scale, 0.9 * draws.std(ddof=1) * 10**-0.2)

    def test_the_density_of_many_draws_converges(self):
        draws = stats.norm(3, 2).rvs(size=(4000, 2), random_state=4)
        q = Mixture.from_samples(draws)
        np.testing.assert_allclose(q.entropy(), stats.norm(3, 2).entropy(), atol=0.02)
        np.testing.assert_allclose(q.interval(0.9)[0], stats.norm(3, 2).ppf(0.05), atol=0.15)

    def test_rows_without_variance_are_named(self):
        with pytest.raises(InvalidRowError, match=r"draws must differ .*Mixture.* in row 1\."):
            Mixture.from_samples([[1.0, 2.0], [3.0, 2.0]])
        with pytest.raises(InvalidRowError, match=r"draw is nan in row 1\."):
            Mixture.from_samples([[1.0, 2.0], [3.0, np.nan]])
        for draws in ([1.0, 2.0], [[1.0, 2.0]], 3.0):
            with pytest.raises(ValueError, match=r"must be \(draws, rows\), two or more draws"):
                Mixture.from_samples(draws)


class TestBadInput:
    MEMBERS = Normal(np.zeros((2, 2)), np.ones((2, 2)))

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([0.5, 0.4], r"^weights sum to 0.9, off from 1 by -0.1\.$"),
            ([[0.5, 0.5], [0.5, 0.6]], r"weights sum to 1.1, off from 1 by \+0.1, in row 1\.$"),
            ([np.nan, 1.0], r"^weight is NaN\.$"),
            ([[0.5, 0.5], [np.nan, 1.0]], r"weight is NaN in row 1"),
            ([[1.5, -0.5], [0.5, 0.5]], r"weight is negative \(-0.5\) in row 0"),
            ([1.0], r"weights of shape \(1,\) do not fit 2 members of 2 rows; expected \(2,\) or"),
            (np.full((3, 2), 0.5), r"weights of shape \(3, 2\) do not fit 2 members of 2 rows"),
        ],
    )
    def test_weights_must_sum_to_one(self, weights, message):
        with pytest.raises(ValueError, match=message):
            Mixture(self.MEMBERS, weights)

    @pytest.mark.parametrize(
        ("members", "message"),
        [
            (Normal([0.0], [1.0]), r"members of shape \(1,\) must be \(rows, members\)"),
            (Normal(np.zeros((3, 0)), np.ones((3, 0))), r"shape \(3, 0\) must .* one or more"),
            (Categorical([[0.5, 0.5]], [0, 1]), r"must be \(rows, members, classes\)"),
        ],
    )
    def test_members_need_an_axis_of_their_own(self, members, message):
        with pytest.raises(ValueError, match=message):
            Mixture(members)

    def test_members_must_be_distributions(self):
        sentence = r"must be a Normal .* or a Categorical .*, not an object of type list"
        with pytest.raises(TypeError, match=sentence):
            Mixture([0.0, 1.0])

    def test_methods_of_entropy_are_two(self):
        with pytest.raises(ValueError, match="must be 'quadrature' or 'moments', not 'exact'"):
            Mixture(self.MEMBERS).entropy("exact")


def test_shared_weights_stay_shared():
    q = Mixture(members := Normal(LOC, SCALE), [0.2, 0.3, 0.5])
    assert q.joined([q]).weights.shape == (3,)
    other = Mixture(members, WEIGHTS)
    both = q.joined([other])
    np.testing.assert_allclose(both.weights[:2], [[0.2, 0.3, 0.5]] * 2)
    np.testing.assert_array_equal(both.weights[2:], WEIGHTS)
    np.testing.assert_allclose(both.mean(), np.concatenate([q.mean(), other.mean()]))
