"""A learner's importance compared with its bare cost: the same fits, and one predict of each.

15 random forests of 100 trees on 1,599 rows, and learner-PFI of 11 features with 5 repeats: the
size of the red wines (Molnar et al. 2023, section 9), which are used if they are beside the
project. Ours includes resampling, replaced rows, losses, and intervals. The limit fits copies of
the estimator on the same rows and predicts the same rows with each, in one call. Seconds are
processor time in one thread, because wall time includes other work on the machine.

    python benchmarks/bench_learner.py [rounds]        (default 3)
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_regression
from sklearn.ensemble import RandomForestRegressor

import uqwidgets as uq

WINE = Path(__file__).resolve().parents[2] / "shared" / "data" / "winequality_red.csv"
REFITS, REPEATS = 15, 5


class Recording(RandomForestRegressor):
    """A forest that records the rows that it is fitted to and those that it predicts."""

    seen: tuple[list[Any], list[Any]] = ([], [])

    def fit(self, X: Any, y: Any) -> Recording:
        """Fit as a forest does."""
        self.seen[0].append((X, y, self.random_state))
        return super().fit(X, y)

    def predict(self, X: Any) -> np.ndarray:
        """Predict as a forest does, and record the rows."""
        self.seen[1].append((self.random_state, X))
        return super().predict(X)


def table() -> tuple[pd.DataFrame, np.ndarray, str]:
    """Return the wines, or generated data of the same size."""
    if WINE.is_file():
        X = pd.read_csv(WINE)
        return X, X.pop("quality").to_numpy(), "red wines"
    X, y = make_regression(1599, 11, noise=50, random_state=0)
    return pd.DataFrame(X).add_prefix("x"), y, "generated rows"


def learned(estimator: Any, X: pd.DataFrame, y: np.ndarray) -> uq.Learner:
    """Refit, and ask for the importance of every feature."""
    learner = uq.Learner(estimator, X, y, n_refits=REFITS)
    learner.importance("squared_error", n_repeats=REPEATS)
    return learner


def bare(fits: list[Any], rows_by_seed: dict[int, Any]) -> tuple[float, float]:
    """Seconds of the same fits, and of one predict of each on all rows that it predicted."""
    in_fits = in_answers = 0.0
    for X, y, seed in fits:
        start = time.process_time()
        forest = RandomForestRegressor(100, random_state=seed).fit(X, y)
        in_fits += time.process_time() - start
        start = time.process_time()
        forest.predict(rows_by_seed[seed])
        in_answers += time.process_time() - start
    return in_fits, in_answers


def main() -> None:
    """Print the ratio of ours to the limit, run in turn."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    X, y, what = table()
    learned(Recording(100), X, y)
    fits, answers = Recording.seen
    parts: dict[int, list[Any]] = {}
    for seed, rows in answers:
        parts.setdefault(seed, []).append(rows)
    rows_by_seed = {seed: pd.concat(rows, ignore_index=True) for seed, rows in parts.items()}
    print(
        f"{len(X):,} {what}, {X.shape[1]} features, {REFITS} refits, {REPEATS} repeats: "
        f"{sum(map(len, rows_by_seed.values())):,} rows in {len(answers)} model calls"
    )
    ratios = []
    for _ in range(rounds):
        start = time.process_time()
        learned(RandomForestRegressor(100), X, y)
        own = time.process_time() - start
        in_fits, in_answers = bare(fits, rows_by_seed)
        ratios.append(own / (in_fits + in_answers))
        print(
            f"  ours {own:.2f} s, limit {in_fits:.2f} s of fits and {in_answers:.2f} s of answers: "
            f"{ratios[-1]:.3f} x",
            flush=True,
        )
    print(f"uqwidgets {statistics.median(ratios):.2f} x the limit")


if __name__ == "__main__":
    main()
