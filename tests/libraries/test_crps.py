"""CRPS compared with scoringrules."""

from __future__ import annotations

import numpy as np
import pytest
import scoringrules

from uqwidgets.predictive import Mixture, Normal, Quantiles

RNG = np.random.default_rng(0)
N = 500
Y = RNG.normal(size=N) * 3


def test_normal():
    mean, std = RNG.normal(size=N), RNG.uniform(0.1, 3, size=N)
    np.testing.assert_allclose(
        Normal(mean, std).crps(Y), scoringrules.crps_normal(Y, mean, std), rtol=1e-11
    )


@pytest.mark.parametrize("m", [1, 2, 7, 60])
def test_mixtures_of_normals(m):
    mean, std = 2 * RNG.normal(size=(N, m)), 10 ** RNG.uniform(-2, 0.5, size=(N, m))
    for weights in (RNG.dirichlet(np.ones(m), size=N), np.full((N, m), 1 / m)):
        np.testing.assert_allclose(
            Mixture(Normal(mean, std), weights).crps(Y),
            scoringrules.crps_mixnorm(Y, mean, std, weights),
            rtol=1e-9,
            atol=1e-12,
        )


def test_many_narrow_members_are_an_ensemble_of_draws():
    draws = RNG.normal(size=(N, 40))
    np.testing.assert_allclose(
        Mixture(Normal(draws, np.full_like(draws, 1e-9))).crps(Y),
        scoringrules.crps_ensemble(Y, draws, estimator="nrg"),
        rtol=1e-7,
    )


def test_many_quantiles_are_nearly_the_whole_distribution():
    levels = np.linspace(0.002, 0.998, 499)
    q = Quantiles(
        levels, np.stack([Normal(np.zeros(N), np.ones(N)).quantile(p) for p in levels], 1)
    )
    np.testing.assert_allclose(q.crps(Y), scoringrules.crps_normal(Y, 0.0, 1.0), rtol=1e-3)
    # Twice the mean pinball loss over levels is the score, except for the levels in the tails.
    near = 2 * np.mean([scoringrules.quantile_score(Y, q.quantile(p), p) for p in levels], axis=0)
    np.testing.assert_allclose(q.crps(Y), near, rtol=0.02, atol=2e-3)
