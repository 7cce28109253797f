"""Mixtures against scipy's densities and brute-force integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from uqwidgets.predictive import Categorical, Mixture, Normal

LOC = np.array([[0.0, 1.0, 5.0], [-2.0, -2.0, 3.0]])
SCALE = np.array([[1.0, 0.5, 2.0], [0.1, 1.0, 4.0]])
WEIGHTS = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
MIXED = Mixture(Normal(LOC, SCALE), WEIGHTS)
GRID = np.linspace(-60.0, 60.0, 1_200_001)


def density(q, row):
    loc, scale = q.members.loc[row], q.members.scale[row]
    each = zip(np.broadcast_to(q.weights, q.members.loc.shape)[row], loc, scale, strict=True)
    return sum(w * stats.norm.pdf(GRID, m, s) for w, m, s in each)


@pytest.mark.parametrize("row", [0, 1])
def test_normal_mixture_is_its_density_integrated(row):
    q = density(MIXED, row)
    inner = np.where(q > 0, q, 1.0)
    entropy = integrate.trapezoid(-q * np.log(inner), GRID)
    mean = integrate.trapezoid(q * GRID, GRID)
    variance = integrate.trapezoid(q * (GRID - mean) ** 2, GRID)
    assert MIXED.entropy()[row] == pytest.approx(entropy, rel=1e-7)
    assert MIXED.mean()[row] == pytest.approx(mean, rel=1e-9)
    assert MIXED.variance()[row] == pytest.approx(variance, rel=1e-9)
    assert MIXED.std()[row] == pytest.approx(np.sqrt(variance), rel=1e-9)
    for y in (-3.0, 0.7, 9.0):
        at = np.full(2, y)
        found = np.exp(MIXED.log_prob(at)[row])
        assert found == pytest.approx(np.interp(y, GRID, q), rel=1e-6)
        below = integrate.cumulative_trapezoid(q, GRID, initial=0)
        crps = integrate.trapezoid((below - (y <= GRID)) ** 2, GRID)
        assert MIXED.crps(at)[row] == pytest.approx(crps, rel=1e-4)
    low, high = MIXED.interval(0.9)
    np.testing.assert_allclose(
        np.interp([low[row], high[row]], GRID, below), [0.05, 0.95], rtol=1e-6
    )


def test_classes_of_a_mixture_are_averaged():
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=(5, 4))
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    q = Mixture(Categorical(p, ["b", "a", "c"]), weights)
    averaged = np.einsum("m,nmk->nk", weights, p)
    np.testing.assert_allclose(q.probabilities, averaged, rtol=1e-14)
    np.testing.assert_allclose(q.entropy(), stats.entropy(averaged, axis=1))
    np.testing.assert_allclose(q.aleatoric(), stats.entropy(p, axis=2) @ weights)
    np.testing.assert_allclose(q.aleatoric() + q.epistemic(), q.entropy())
    np.testing.assert_allclose(
        q.log_prob(list("abcab")), np.log(averaged[range(5), [1, 0, 2, 1, 0]])
    )
    np.testing.assert_array_equal(q.mode(), averaged.argmax(axis=1))
