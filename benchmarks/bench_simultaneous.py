"""Intervals of many features that hold all at once: false finds, and power beside Bonferroni.

    python -m benchmarks.bench_simultaneous             print the tables; some minutes
    python -m benchmarks.bench_simultaneous --tables 40 fewer tables

The model is linear, with a normal target of its first feature, of five whose effects are near what
the rows can show, and coefficients of the others that are as large as those that are fitted to
noise. A find is false if an interval misses the true importance, which for independent features
without importance is 0. Every table is new, the model stays.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from uqwidgets._typing import Floats
from uqwidgets.importance.permutation import Estimates
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import mean_change
from uqwidgets.inference.moments import bounds_of_moments
from uqwidgets.inference.population import Population

LEVEL, REPEATS, CORRELATION, WEAK = 0.95, 3, 0.7, slice(1, 6)
DESIGNS = [(n, p) for n in (100, 300, 1000) for p in (10, 30, 100, 300)]


class Model(NamedTuple):
    """The coefficients of the target and of the model, and the true importances, (p,) each."""

    target: Floats
    fitted: Floats
    importance: Floats
    root: Floats

    @classmethod
    def of(cls, n: int, p: int, correlation: float) -> Model:
        """Make the model for tables of n rows and p features."""
        rng = np.random.default_rng(p)
        target = np.zeros(p)
        target[0], target[WEAK] = 1.0, 3.5 / math.sqrt(n)
        fitted = target + np.where(target == 0, rng.normal(size=p) / math.sqrt(n), 0.0)
        # Features of a block of five have the same correlation.
        blocks = np.arange(p) // 5
        covariance = np.where(blocks[:, None] == blocks, correlation, 0.0)
        np.fill_diagonal(covariance, 1.0)
        importance = 2 * fitted * (covariance @ (target - fitted)) + 2 * np.square(fitted)
        return cls(target, fitted, importance, np.linalg.cholesky(covariance))

    def estimates(self, n: int, rng: np.random.Generator, groups: Any = None) -> Estimates:
        """Estimate the importance for the squared error in a new table."""
        p = len(self.target)
        X = rng.normal(size=(n, p)) @ self.root.T
        errors = X @ (self.target - self.fitted) + rng.normal(size=n)
        original, population = np.square(errors), Population.of(n, groups=groups)
        estimates = Estimates(Settings(n_repeats=REPEATS, level=LEVEL, simultaneous=True))
        for j in range(p):
            donors = np.stack([rng.permutation(n) for _ in range(REPEATS)])
            moved = self.fitted[j] * (X[:, j] - X[donors, j])
            changes = np.square(errors + moved) - original
            change = mean_change(changes, donors, original, population)
            estimates.add(change, original, float(original.mean()), population)
        return estimates


class Shares(NamedTuple):
    """Shares of tables with a miss, and of weak features that are found."""

    alone: float
    at_once: float
    error: float
    power: float
    bonferroni: float


def shares(n: int, p: int, correlation: float, tables: int) -> Shares:
    """Simulate tables of one design."""
    model, rng = Model.of(n, p, correlation), np.random.default_rng([n, p])
    lines = []
    for _ in range(tables):
        estimates = model.estimates(n, rng)
        moments = estimates.together["moments"]
        levels = LEVEL, estimates.together["pointwise_level"], 1 - (1 - LEVEL) / p
        ends = [bounds_of_moments(moments, level)[1:] for level in levels]
        misses = [
            bool(((low > model.importance) | (high < model.importance)).any()) for low, high in ends
        ]
        lines.append([*misses[:2], *((low[WEAK] > 0).mean() for low, _ in ends[1:])])
    alone, at_once, power, bonferroni = np.mean(lines, axis=0).tolist()
    error = math.sqrt(max(at_once * (1 - at_once), 0.05 * 0.95) / tables)
    return Shares(alone, at_once, error, power, bonferroni)


def false_finds(tables: int) -> Iterator[str]:
    """Yield the table of false finds, line by line."""
    yield "rows  features  correlation  one at a time  all at once  (+-)   power  of Bonferroni"
    for correlation in (0.0, CORRELATION):
        for n, p in DESIGNS:
            of = shares(n, p, correlation, max(40, min(tables, tables * 30 // p)))
            yield (
                f"{n:4}  {p:8}  {correlation:11}  {of.alone:13.3f}  {of.at_once:11.3f}  "
                f"{of.error:.3f}  {of.power:5.3f}  {of.bonferroni:.3f}"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=400)
    options = parser.parse_args()
    start = time.perf_counter()
    with threadpool_limits(1):
        for line in false_finds(options.tables):
            print(line, flush=True)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
