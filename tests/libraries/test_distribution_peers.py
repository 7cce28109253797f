"""Predictive distributions compared with NGBoost, skpro, scipy and scoringrules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scoringrules
from ngboost.distns import Normal as NGBoostNormal
from scipy import stats
from skpro import distributions as skpro

from uqwidgets.predictive import Mixture, Normal, Quantiles

RNG = np.random.default_rng(0)
N, M = 200, 4
MEAN, STD = 2 * RNG.normal(size=(N, M)), RNG.uniform(0.2, 2, size=(N, M))
WEIGHTS = RNG.dirichlet(np.ones(M), size=N)
Y = RNG.normal(size=N) * 3
MIXTURE = Mixture(Normal(MEAN, STD), WEIGHTS)
NORMAL = Normal(MEAN[:, 0], STD[:, 0])


def column(values):
    return np.asarray(values)[:, 0]


def test_ngboosts_normal():
    theirs = NGBoostNormal(np.stack([MEAN[:, 0], np.log(STD[:, 0])]))
    np.testing.assert_allclose(NORMAL.entropy(), theirs.entropy(), rtol=1e-12)
    np.testing.assert_allclose(NORMAL.log_prob(Y), theirs.logpdf(Y), rtol=1e-12)
    np.testing.assert_allclose(NORMAL.interval(0.9), theirs.interval(0.9), rtol=1e-12)


def test_skpros_normal():
    theirs = skpro.Normal(MEAN[:, :1], STD[:, :1])
    y = pd.DataFrame({0: Y})
    np.testing.assert_allclose(NORMAL.log_prob(Y), column(theirs.log_pdf(y)), rtol=1e-12)
    np.testing.assert_allclose(NORMAL.quantile(0.9), column(theirs.ppf(0.9)), rtol=1e-12)
    crps = column(theirs.energy(y)) - 0.5 * column(theirs.energy())
    np.testing.assert_allclose(NORMAL.crps(Y), crps, rtol=1e-10)


def test_skpros_mixture():
    theirs = skpro.NormalMixture(WEIGHTS, MEAN[:, :, None], STD[:, :, None])
    y = pd.DataFrame({0: Y})
    np.testing.assert_allclose(MIXTURE.log_prob(Y), column(theirs.log_pdf(y)), rtol=1e-10)
    np.testing.assert_allclose(MIXTURE.mean(), column(theirs.mean()), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(MIXTURE.variance(), column(theirs.var()), rtol=1e-12)


@pytest.mark.parametrize("row", range(5))
def test_scipys_mixture(row):
    members = [stats.Normal(mu=m, sigma=s) for m, s in zip(MEAN[row], STD[row], strict=True)]
    theirs = stats.Mixture(members, weights=WEIGHTS[row])
    assert MIXTURE.entropy()[row] == pytest.approx(theirs.entropy(), rel=1e-7)
    assert MIXTURE.log_prob(Y)[row] == pytest.approx(theirs.logpdf(Y[row]), rel=1e-10)
    assert MIXTURE.std()[row] == pytest.approx(theirs.standard_deviation(), rel=1e-10)
    assert MIXTURE.quantile(0.1)[row] == pytest.approx(theirs.icdf(0.1), rel=1e-8)


ROWS = 500
TARGET = RNG.normal(size=ROWS) * 3


def test_crps_of_a_normal_equals_that_of_scoringrules():
    mean, std = RNG.normal(size=ROWS), RNG.uniform(0.1, 3, size=ROWS)
    np.testing.assert_allclose(
        Normal(mean, std).crps(TARGET), scoringrules.crps_normal(TARGET, mean, std), rtol=1e-11
    )


@pytest.mark.parametrize("m", [1, 2, 7, 60])
def test_crps_of_mixtures_equals_that_of_scoringrules(m):
    mean, std = 2 * RNG.normal(size=(ROWS, m)), 10 ** RNG.uniform(-2, 0.5, size=(ROWS, m))
    for weights in (RNG.dirichlet(np.ones(m), size=ROWS), np.full((ROWS, m), 1 / m)):
        np.testing.assert_allclose(
            Mixture(Normal(mean, std), weights).crps(TARGET),
            scoringrules.crps_mixnorm(TARGET, mean, std, weights),
            rtol=1e-9,
            atol=1e-12,
        )


def test_crps_of_narrow_members_is_that_of_an_ensemble_of_draws():
    draws = RNG.normal(size=(ROWS, 40))
    np.testing.assert_allclose(
        Mixture(Normal(draws, np.full_like(draws, 1e-9))).crps(TARGET),
        scoringrules.crps_ensemble(TARGET, draws, estimator="nrg"),
        rtol=1e-7,
    )


def test_crps_of_many_quantiles_is_nearly_that_of_the_distribution():
    levels = np.linspace(0.002, 0.998, 499)
    q = Quantiles(
        levels, np.stack([Normal(np.zeros(ROWS), np.ones(ROWS)).quantile(p) for p in levels], 1)
    )
    np.testing.assert_allclose(
        q.crps(TARGET), scoringrules.crps_normal(TARGET, 0.0, 1.0), rtol=1e-3
    )
    # Twice the mean pinball loss over levels is the score, except for the levels in the tails.
    near = 2 * np.mean(
        [scoringrules.quantile_score(TARGET, q.quantile(p), p) for p in levels], axis=0
    )
    np.testing.assert_allclose(q.crps(TARGET), near, rtol=0.02, atol=2e-3)
