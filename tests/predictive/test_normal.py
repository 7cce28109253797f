"""The normal distribution against scipy and numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from uqwidgets.predictive import Normal
from uqwidgets.predictive.distributions import InvalidRowError

NORMAL = Normal([0.0, -3.0, 1e6], [1.0, 0.2, 25.0])
SCIPYS = stats.norm(NORMAL.loc, NORMAL.scale)
Y = np.array([0.3, -2.0, 1e6 + 100])


def test_methods_equal_those_of_scipy():
    np.testing.assert_allclose(NORMAL.entropy(), SCIPYS.entropy(), rtol=1e-13)
    np.testing.assert_allclose(NORMAL.log_prob(Y), SCIPYS.logpdf(Y), rtol=1e-13)
    np.testing.assert_array_equal(NORMAL.mean(), SCIPYS.mean())
    np.testing.assert_array_equal(NORMAL.std(), SCIPYS.std())
    np.testing.assert_allclose(NORMAL.variance(), SCIPYS.var(), rtol=1e-15)
    np.testing.assert_allclose(NORMAL.interval(0.9), SCIPYS.interval(0.9), rtol=1e-14)
    for p in (1e-9, 0.3, 0.999):
        np.testing.assert_allclose(NORMAL.quantile(p), SCIPYS.ppf(p), rtol=1e-13)


def test_entropy_equals_its_integral():
    narrow = Normal([2.0], [0.1])

    def integrand(y):
        log_density = narrow.log_prob([y])[0]
        return -np.exp(log_density) * log_density

    result, _ = integrate.quad(integrand, 1.0, 3.0, epsabs=1e-12)
    assert narrow.entropy()[0] == pytest.approx(result, abs=1e-9)
    assert result < 0  # differential entropies may be


@pytest.mark.parametrize("y", [-2.0, 0.1, 0.5, 7.0])
def test_crps_equals_its_integral(y):
    q = Normal([0.5], [0.8])
    below, _ = integrate.quad(lambda x: stats.norm.cdf(x, 0.5, 0.8) ** 2, -20, y, epsabs=1e-12)
    above, _ = integrate.quad(lambda x: stats.norm.sf(x, 0.5, 0.8) ** 2, y, 20, epsabs=1e-12)
    assert q.crps([y])[0] == pytest.approx(below + above, abs=1e-10)


def test_members_have_their_own_numbers():
    q = Normal(np.zeros((3, 2)), np.full((3, 2), 2.0))
    assert len(q) == 3
    for result in (q.entropy(), q.log_prob(Y), q.crps(Y), q.quantile(0.1), q.mean()):
        assert result.shape == (3, 2)
    alone = Normal(np.zeros(3), np.full(3, 2.0))
    np.testing.assert_array_equal(q.log_prob(Y)[:, 1], alone.log_prob(Y))
    np.testing.assert_array_equal(q.crps(Y)[:, 1], alone.crps(Y))


@pytest.mark.parametrize(
    ("mean", "std", "message"),
    [
        ([0.0, 1.0], [1.0, 0.0], r"std, which must be greater than zero, is 0 in row 1"),
        ([0.0, 1.0], [1.0, -2.0], r"greater than zero, is -2 in row 1"),
        ([0.0, np.nan], [1.0, 1.0], r"mean is nan in row 1"),
        ([0.0, 1.0], [np.inf, 1.0], r"std is inf in row 0"),
        ([[0.0, 1.0], [2.0, 3.0]], [[1.0, 1.0], [1.0, np.nan]], r"std is nan in row 1"),
        ([[0.0, 1.0], [2.0, 3.0]], [[1.0, 1.0], [-1.0, 1.0]], r"std, .*, is -1 in row 1"),
    ],
)
def test_rows_with_invalid_parameters_are_named(mean, std, message):
    with pytest.raises(InvalidRowError, match=message):
        Normal(mean, std)


@pytest.mark.parametrize(
    ("mean", "std"), [([0.0, 1.0], [1.0]), (0.0, 1.0), (np.zeros((1, 1, 1)), np.ones((1, 1, 1)))]
)
def test_shapes_must_agree(mean, std):
    with pytest.raises(ValueError, match=r"must both be \(rows,\), or \(rows, members\)"):
        Normal(mean, std)


def test_a_standard_deviation_too_small_for_a_density_is_refused():
    with pytest.raises(InvalidRowError, match="std is 1e-300, which is too small for a density"):
        Normal([0.0, 1.0], [1.0, 1e-300])
    q = Normal([0.0], [1e-100])
    assert np.isfinite(q.log_prob([0.0])).all()
    assert np.isfinite(q.entropy()).all()
