"""Intervals of many features that hold all at once: false finds, and power beside Bonferroni.

    python -m benchmarks.bench_simultaneous               print the tables; some minutes
    python -m benchmarks.bench_simultaneous --tables 1000 with smaller errors

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
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from uqwidgets._typing import Floats
from uqwidgets.importance.permutation import Estimates
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Moments, mean_change
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.moments import bounds_of_moments, times_rows_needed
from uqwidgets.inference.population import Population

LEVEL, REPEATS, CORRELATION, WEAK = 0.95, 2, 0.7, slice(1, 6)
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

    def estimates(
        self, n: int, rng: np.random.Generator, groups: RowGroups | None = None
    ) -> Estimates:
        """Estimate the importance for the squared error in a new table."""
        p = len(self.target)
        X = rng.normal(size=(n, p)) @ self.root.T
        noise = rng.normal(size=n)
        if groups is not None:
            common = groups.codes
            X = (X + rng.normal(size=(len(groups), p))[common]) / math.sqrt(2)
            noise = (noise + rng.normal(size=len(groups))[common]) / math.sqrt(2)
        errors = X @ (self.target - self.fitted) + noise
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
    """Shares of tables with a miss and of finds, with intervals one at a time and all at once.

    Attributes
    ----------
    alone, at_once : float
        Shares of tables in which an interval misses.
    error : float
        Standard error of the latter.
    above, below : float
        Shares of the features without importance that look clear, one at a time.
    power, bonferroni : float
        Shares of the weak features that are found, all at once, and with intervals of Bonferroni.
    """

    alone: float
    at_once: float
    error: float
    above: float
    below: float
    power: float
    bonferroni: float


def shares(n: int, p: int, correlation: float, tables: int) -> Shares:
    """Simulate tables of one design."""
    model, rng = Model.of(n, p, correlation), np.random.default_rng([n, p])
    truth, is_null = model.importance, model.target == 0
    lines = []
    for _ in range(tables):
        estimates = model.estimates(n, rng)
        moments = estimates.together["moments"]
        levels = LEVEL, estimates.together["pointwise_level"], 1 - (1 - LEVEL) / p
        ends = [bounds_of_moments(moments, level)[1:] for level in levels]
        missed = [bool(((low > truth) | (high < truth)).any()) for low, high in ends[:2]]
        low, high = ends[0]
        by_chance = (low > truth)[is_null].mean(), (high < truth)[is_null].mean()
        lines.append([*missed, *by_chance, *((low[WEAK] > 0).mean() for low, _ in ends[1:])])
    alone, at_once, above, below, power, bonferroni = np.mean(lines, axis=0).tolist()
    error = math.sqrt(max(at_once * (1 - at_once), 0.05 * 0.95) / tables)
    return Shares(alone, at_once, error, above, below, power, bonferroni)


def false_finds(tables: int) -> Iterator[str]:
    """Yield the table of false finds, line by line."""
    yield "Share of tables in which an interval misses (all at once: at most 0.05), share of the"
    yield "features without importance that look clear one at a time (0.025 on each side), and"
    yield "share of the five weak features that are found."
    yield ""
    yield "rows features correlation  alone  at once  (+-)   above  below   power  Bonferroni"
    for correlation in (0.0, CORRELATION):
        for n, p in DESIGNS:
            of = shares(n, p, correlation, max(tables // 4, min(tables, tables * 30 // p)))
            yield (
                f"{n:4} {p:8} {correlation:11}  {of.alone:.3f}  {of.at_once:7.3f}  {of.error:.3f}  "
                f"{of.above:.3f}  {of.below:.3f}  {of.power:.3f}  {of.bonferroni:.3f}"
            )


def rows_needed(tables: int, n: int = 300) -> Iterator[str]:
    """Yield how often the number of rows that is needed is right, line by line.

    The right number is that of the mean estimate and mean size over all tables.
    """
    yield "Tables of so many times the rows that a weak feature needs: share of the estimates of"
    yield "this number within a factor of 1.5 of the right one, share that is infinite, and share"
    yield "of widths of intervals at four times the rows within a factor of 1.5 of the predicted."
    yield ""
    yield "times rows  within 1.5  infinite  widths"
    rng = np.random.default_rng(1)
    for times in (1, 4, 16):
        # The effect of the model of n rows needs about n * (1.96 / 3.5) ** 2 rows.
        rows = round(times * n * (1.96 / 3.5) ** 2)
        model = Model.of(n, WEAK.stop, 0.0)
        found = [model.estimates(rows, rng).together["moments"] for _ in range(tables)]
        larger = [model.estimates(4 * rows, rng).together["moments"] for _ in range(tables)]
        mean = Moments(*(np.mean(each, axis=0) for each in zip(*larger, strict=True)))
        right = times_rows_needed(mean, LEVEL)[WEAK] * 4 * rows
        needed = np.array([times_rows_needed(each, LEVEL)[WEAK] * rows for each in found])
        is_near = (needed < 1.5 * right) & (needed > right / 1.5)
        widths = [
            np.subtract(*bounds_of_moments(each, LEVEL)[:0:-1])
            for each in (*(of.with_rows(np.array(4.0)) for of in found), *larger)
        ]
        ratio = np.array(widths[:tables]) / np.array(widths[tables:])
        near_widths = ((ratio < 1.5) & (ratio > 1 / 1.5))[:, WEAK].mean()
        yield (
            f"{times:5} {rows:4}  {is_near.mean():10.2f}  {np.isinf(needed).mean():8.2f}  "
            f"{near_widths:6.2f}"
        )


def grouped(tables: int) -> Iterator[str]:
    """Yield the share of tables with a miss for 30 groups of 10 rows, line by line."""
    yield "30 groups of 10 rows that share half of the variance, 30 features: tables with a miss"
    model, rng = Model.of(300, 30, 0.0), np.random.default_rng(2)
    misses = []
    for _ in range(tables):
        estimates = model.estimates(300, rng, RowGroups(np.repeat(np.arange(30), 10)))
        _, low, high = bounds_of_moments(
            estimates.together["moments"], estimates.together["pointwise_level"]
        )
        misses.append(bool(((low > model.importance) | (high < model.importance)).any()))
    yield f"{np.mean(misses):.3f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=160)
    options = parser.parse_args()
    start = time.perf_counter()
    with threadpool_limits(1):
        for table in (false_finds, rows_needed, grouped):
            for line in table(options.tables):
                print(line, flush=True)
            print()
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
