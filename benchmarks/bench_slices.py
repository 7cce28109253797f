"""Slices in which a measure is higher: false reports, what is found, and the time that it takes.

    python -m benchmarks.bench_slices               print the tables; some minutes
    python -m benchmarks.bench_slices --tables 1000 with smaller errors

The measure of a row is exponential (a loss), its negative (as an entropy near its maximum), or 0
and 1 (errors). Beside it is what a plain tree reports, as tools for weak segments have it: a leaf
of a tree of depth 2 whose mean is higher than elsewhere by a t test at the same level.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from uqwidgets._typing import Floats
from uqwidgets.evaluation.columns import Columns
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import Population
from uqwidgets.measures.custom import of_function
from uqwidgets.slices import Slices, slices

LEVEL = 0.95
# A slice is found if at least half of all rows in either are in both.
AGREEMENT = 0.5

MEASURES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "loss": lambda rng, n: rng.exponential(size=n),
    "entropy": lambda rng, n: -rng.exponential(size=n),
    "error": lambda rng, n: (rng.random(n) < 0.2) * 1.0,
}


class Design(NamedTuple):
    """Tables of n rows, p features of one correlation, and rows that belong to groups or not."""

    n: int
    p: int
    correlation: float
    measure: str
    n_groups: int = 0

    def table(self, rng: np.random.Generator) -> tuple[pd.DataFrame, Floats, RowGroups | None]:
        """Return features, a third of them categories, and a measure that is independent."""
        common = rng.normal(size=(self.n, 1)) * self.correlation**0.5
        x = common + rng.normal(size=(self.n, self.p)) * (1 - self.correlation) ** 0.5
        values = MEASURES[self.measure](rng, self.n)
        groups = None
        if self.n_groups:
            codes = np.arange(self.n) % self.n_groups
            groups = RowGroups(codes, "patient")
            x = x[codes]
            values = values + MEASURES[self.measure](rng, self.n_groups)[codes]
        columns: dict[str, object] = {f"x{j}": x[:, j] for j in range(self.p)}
        for j in range(0, self.p, 3):
            columns[f"x{j}"] = np.array(list("abcdef"))[
                np.searchsorted([-1, -0.5, 0, 0.5, 1], x[:, j])
            ]
        return pd.DataFrame(columns), values, groups


def found(frame: pd.DataFrame, values: Floats, groups: RowGroups | None, seed: int) -> Slices:
    """Return the slices of a table."""
    population = Population.of(len(frame), groups=groups)
    result = slices(
        of_function(_measure),
        values,
        population,
        [Columns(frame)],
        None,
        max_features=2,
        min_rows=None,
        level=LEVEL,
        seed=seed,
    )
    return result.estimated(population)


def _measure(_q: object, _y: object) -> Floats:
    raise NotImplementedError  # the values are given


def tree_reports(frame: pd.DataFrame, values: Floats) -> bool:
    """Whether a leaf of a plain tree is higher than elsewhere by a t test."""
    codes = np.column_stack([pd.factorize(column, sort=True)[0] for _, column in frame.items()])
    least = max(20, len(frame) // 100)
    tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=least, random_state=0)
    leaves = tree.fit(codes, values).apply(codes)
    tests = (
        ttest_ind(values[leaves == leaf], values[leaves != leaf], equal_var=False)
        for leaf in np.unique(leaves)
    )
    return any(test.statistic > 0 and test.pvalue < 1 - LEVEL for test in tests)


def false_reports(tables: int) -> None:
    """Print how often a slice is reported where there is none."""
    print("share of tables without slices in which one is reported (aim: at most .05)")
    print("  rows features corr.  measure groups   ours   tree")
    designs = [
        Design(n, p, correlation, measure)
        for n, p in ((200, 5), (200, 50), (1000, 20), (2000, 50))
        for correlation, measure in ((0.0, "loss"), (0.7, "entropy"), (0.0, "error"))
    ]
    designs += [Design(10_000, 10, 0.7, "loss"), Design(1000, 10, 0.0, "loss", 100)]
    for design in designs:
        ours = tree = 0
        for seed in range(tables):
            frame, values, groups = design.table(np.random.default_rng(seed))
            ours += len(found(frame, values, groups, seed)) > 0
            tree += tree_reports(frame, values)
        n, p, correlation, measure, n_groups = design
        print(
            f"{n:6,} {p:8} {correlation:5} {measure:>8} {n_groups or '':>6} {ours / tables:6.3f} "
            f"{tree / tables:6.3f}",
            flush=True,
        )


def planted(frame: pd.DataFrame, kind: str) -> Floats:
    """Return which rows are in a slice of 5 % of them, shape (n,)."""
    x1, x2 = frame["x1"].to_numpy(), frame["x2"].to_numpy()
    if kind == "end of a range":
        return x1 > np.quantile(x1, 0.95)
    if kind == "middle of a range":
        return (x1 > np.quantile(x1, 0.52)) & (x1 < np.quantile(x1, 0.57))
    if kind == "category":
        return (frame["x0"] == "f").to_numpy() & (x1 > np.quantile(x1, 0.69))
    return (x1 > np.quantile(x1, 0.776)) & (x2 > np.quantile(x2, 0.776))


def finds(tables: int) -> None:
    """Print how often a planted slice is found, and by how much its difference is off."""
    print("\nslices of 5 % of 2,000 rows, higher by one standard deviation (aim: found in .9)")
    print(f"{'features':>8} {'slice':>18} {'found':>6} {'others':>6} {'bias':>6} {'covered':>7}")
    for p in (5, 20, 50):
        for kind in ("end of a range", "middle of a range", "category", "pair of ranges"):
            lines = []
            for seed in range(tables):
                frame, values, _ = Design(2000, p, 0.3, "loss").table(np.random.default_rng(seed))
                inside = planted(frame, kind)
                result = found(frame, values + inside, None, seed)
                of = [(mask & inside).sum() / (mask | inside).sum() for mask in result.masks]
                others = sum((mask & inside).sum() == 0 for mask in result.masks)
                best = int(np.argmax(of)) if of else -1
                is_found = bool(of) and of[best] >= AGREEMENT
                error, covered = np.nan, np.nan
                if is_found:
                    mask = result.masks[best]
                    truth = inside[mask].mean() - inside[~mask].mean()
                    error = result.difference[best] - truth
                    covered = result.low[best] <= truth <= result.high[best]
                lines.append((is_found, others, error, covered))
            hit, others, error, covered = np.nanmean(lines, axis=0)
            print(
                f"{p:8} {kind:>18} {hit:6.2f} {others:6.2f} {error:+6.3f} {covered:7.3f}",
                flush=True,
            )


def costs() -> None:
    """Print the processor time of large tables beside that of a plain tree."""
    print("\nprocessor time in seconds (aim: at most 5 for 100,000 x 50)")
    print(f"{'rows':>8} {'features':>8} {'ours':>6} {'tree':>6} {'ratio':>6}")
    for n, p in ((10_000, 50), (100_000, 50), (10_000, 500)):
        frame, values, _ = Design(n, p, 0.3, "loss").table(np.random.default_rng(0))
        start = time.process_time()
        found(frame, values, None, 0)
        middle = time.process_time()
        tree_reports(frame, values)
        ours, tree = middle - start, time.process_time() - middle
        print(f"{n:8,} {p:8} {ours:6.2f} {tree:6.2f} {ours / tree:6.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    options = parser.parse_args()
    with threadpool_limits(1):
        false_reports(options.tables)
        finds(max(options.tables // 2, 1))
        costs()
