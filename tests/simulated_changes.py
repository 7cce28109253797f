"""Changes, populations and literal formulas of the tests of intervals."""

from __future__ import annotations

import numpy as np

from models import permuted_donors
from uqwidgets.inference import (
    bounds,
)
from uqwidgets.inference.population import Population


def changes(n=25, repeats=6, seed=0):
    """Simulate changes as row effect + donor effect + noise; return them and the donors."""
    rng = np.random.default_rng(seed)
    donors = permuted_donors(0, seed, repeats, n)
    row, donor = rng.normal(size=n), rng.normal(size=n)
    return row + donor[donors] + 0.5 * rng.normal(size=(repeats, n)), donors


def populations(n=25):
    rng = np.random.default_rng(1)
    weights, rows = rng.gamma(1.0, size=n), np.arange(3, 19)
    return {
        "all": Population.of(n),
        "weighted": Population.of(n, weights),
        "filtered": Population.of(n, rows=rows),
        "both": Population.of(n, weights, rows),
        "zeros": Population.of(n, weights * (np.arange(n) % 3 > 0)),
    }


POPULATIONS = populations()

# The measure of the original rows, independent of the changes.
ORIGINAL = np.random.default_rng(7).normal(size=25)


def std_error(change, interval, population):
    return bounds(change, interval, 0.95, population).std_error
