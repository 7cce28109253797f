"""Overhead beyond the model: with a linear model, which is very fast, and for large tables.

The overhead is the processor time beyond one bulk predict of the same rows, divided by the number
of features and repeats: for the importance of one measure with its interval, without and with the
construction of the `Explainer`. The time to write the replaced rows, which is that of a copy, is
printed beside it. Large tables run in processes of their own, because a process does not return
its peak memory.

Two parts of the overhead are printed by themselves, because they buy what other packages do not
have. *Donors*: every repeat of every feature has a random stream of its own, so that later repeats
leave the earlier ones as they are, and the order of columns does not matter. *Intervals*: a second
importance from the cached predictions, which is the mean, the influence of every row and the
interval. Without `less_noisy`, which takes half of that for tables of few rows, the intervals of
the entropy of a model that one feature dominates are 2.6 times as wide with 50 rows, and 1.7 times
with 200 (`bench_importance_coverage`, 300 tables, 10 repeats).
"""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_limits

import uqwidgets as uq
from uqwidgets.evaluation.donors import drawn_donors

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script finds the package too

from benchmarks.peers import (
    REPEATS,
    CountedRegressor,
    Task,
    model_diagnostics_importance,
    quiet,
    sklearn_importance,
    squared_error,
)

FEATURES = 20
ROUNDS = 15


def linear(n: int) -> tuple[LinearRegression, pd.DataFrame, np.ndarray]:
    """Fitted model, rows and target."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, FEATURES)), columns=[f"x{j}" for j in range(FEATURES)])
    y = X.to_numpy() @ np.arange(FEATURES) + rng.normal(size=n)
    return LinearRegression().fit(X, y), X, y


def seconds(work: Callable[[], object]) -> float:
    """Median processor time."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def overhead(n: int) -> None:
    """Print microseconds per feature and repeat, ours and others'."""
    model, X, y = linear(n)
    counted = CountedRegressor(model)
    task = Task(
        counted,
        X,
        y,
        counted.predict,
        squared_error,
        scoring="neg_mean_squared_error",
        method="predict",
    )
    counted.requests = []
    uq.Explainer(counted, X, y).importance("squared_error", n_repeats=REPEATS)
    rows = pd.concat(counted.requests, ignore_index=True)
    counted.requests = None

    explainers = [uq.Explainer(model, X, y) for _ in range(ROUNDS)]
    limit = seconds(lambda: model.predict(rows))
    seconds_by_peer = {
        "uqwidgets": seconds(
            lambda: explainers.pop().importance("squared_error", n_repeats=REPEATS)
        ),
        "with its making": seconds(
            lambda: uq.Explainer(model, X, y).importance("squared_error", n_repeats=REPEATS)
        ),
        "scikit-learn": seconds(lambda: sklearn_importance(task)),
    }
    try:
        with quiet():
            seconds_by_peer["model-diagnostics"] = seconds(
                lambda: model_diagnostics_importance(task)
            )
    except ImportError:
        print("  model-diagnostics is not installed")
    explainer = uq.Explainer(model, X, y)
    explainer.importance("squared_error", n_repeats=REPEATS)
    seconds_by_part = {
        "donors": seconds(
            lambda: [
                drawn_donors("permutation", (j,), 0, REPEATS, np.zeros(n, dtype=np.intp))
                for j in range(FEATURES)
            ]
        ),
        "intervals": seconds(lambda: explainer.importance("squared_error", n_repeats=REPEATS)),
    }
    each = 1e6 / (FEATURES * REPEATS)
    columns = "   ".join(
        f"{who} {(took - limit) * each:7.1f}" for who, took in seconds_by_peer.items()
    )
    copied = seconds(rows.copy)
    print(
        f"  n = {n:5,}: {columns}   (to predict the rows {limit * each:.1f}, to write them down "
        f"{copied * each:.1f})\n             of ours, "
        + ", ".join(f"{part} {took * each:.1f}" for part, took in seconds_by_part.items()),
        flush=True,
    )


def scale(n: int) -> tuple[float, float, float]:
    """Processor seconds of an importance, and peak memory in MiB before it and after."""
    model, X, y = linear(n)
    uq.Explainer(model, X[:1000], y[:1000]).importance("squared_error", n_repeats=1)
    before = _peak()
    start = time.process_time()
    explainer = uq.Explainer(model, X, y, memory_limit="1GiB")
    explainer.importance("squared_error", n_repeats=5)
    took = time.process_time() - start
    return took, before, _peak()


def _peak() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print(f"overhead in microseconds per (feature, repeat), {FEATURES} features, linear model")
        for n in (10, 143, 1000):
            overhead(n)
    print(f"\nimportance of {FEATURES} features x 5 repeats, memory_limit 1 GiB, linear model")
    fresh = multiprocessing.get_context("spawn")
    for n in (10_000, 100_000, 1_000_000):
        with fresh.Pool(1) as pool:
            took, before, peak = pool.apply(scale, (n,))
        print(
            f"  {n:9,} rows: {took:7.2f} s, {1e6 * took / n:6.1f} microseconds per row; "
            f"peak {peak:6,.0f} MiB, of which {before:,.0f} before it began",
            flush=True,
        )


if __name__ == "__main__":
    main()
