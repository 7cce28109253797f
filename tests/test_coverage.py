"""Coverage of the default interval, in the quick mode of the benchmark that measures it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bench_coverage import coverage
from models import permuted_donors
from uqwidgets.inference import bounds, mean_change
from uqwidgets.population import Population

RUNS = 300
# Four standard errors of a coverage of 0.93 over these runs.
SLACK = 4 * np.sqrt(0.93 * 0.07 / RUNS)


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("repeats", [5, 10])
def test_the_default_interval_covers_what_matters_and_what_does_not_is_exactly_zero(n, repeats):
    found = coverage(n, repeats, RUNS)
    held, half_width = found["u-statistic"]
    assert (held[:2] > 0.93 - SLACK).all()
    assert (held[2], half_width[2]) == (1, 0)
    # What several packages print as an interval: that over repeats.
    assert (found["fixed-data"][0][:2] < 0.8).all()


def test_under_weights_it_covers_the_importance_in_the_population_they_describe():
    # Weights exp(xi x) move a normal feature by xi and leave all variances as they are.
    rng, n, slope, runs = np.random.default_rng(0), 400, 1.0, 200
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    held = 0
    for seed in range(runs):
        X = rng.multivariate_normal(np.zeros(2), covariance, size=n)
        error = rng.normal(size=n)
        population = Population.of(n, np.exp(0.7 * X[:, 1]))
        donors = permuted_donors(0, seed, 10, n)
        change = (error + slope * (X[:, 0] - X[donors, 0])) ** 2 - error**2
        changed = mean_change(change, donors, error**2, population)
        found = bounds(changed, "u-statistic", 0.95, population)
        held += found.low <= 2 * slope**2 <= found.high
    # Four standard errors of a coverage of 0.94.
    assert held / runs > 0.94 - 4 * np.sqrt(0.94 * 0.06 / runs)
