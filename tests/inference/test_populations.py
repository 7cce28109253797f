"""Mean changes in many populations at once, against one population after another."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.inference import mean_change
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import Populations, mean_changes_in

N, REPEATS = 80, 6
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
DONORS = np.stack([RNG.permutation(N) for _ in range(REPEATS)])
CHANGES = [RNG.normal(size=(REPEATS, N)), X[DONORS] - X, np.zeros((REPEATS, N))]
TILTS = np.linspace(-1.5, 1.5, 7)


@pytest.mark.parametrize("rows", [None, X > -0.5])
@pytest.mark.parametrize("at_once", [1 << 17, 2 * N])
def test_means_are_those_of_each_population(rows, at_once, monkeypatch):
    monkeypatch.setattr("uqwidgets.inference.populations._MOST_VALUES", at_once)
    each = [Population.of(N, w, rows) for w in np.exp(TILTS * X[:, None]).T]
    stacked = Populations(
        np.stack([p.weights for p in each], axis=1), np.stack([p.scored for p in each], axis=1)
    )
    checks = []
    means = mean_changes_in(stacked, CHANGES, DONORS, lambda: checks.append(1))
    assert len(checks) == (1 if at_once > N * len(TILTS) else 4)
    for m, change in enumerate(CHANGES):
        for t, population in enumerate(each):
            exact = mean_change(change, DONORS, X, population).estimate
            assert means[m, t] == pytest.approx(exact, rel=1e-9, abs=1e-12)
