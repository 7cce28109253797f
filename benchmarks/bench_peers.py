"""Importance and curves beside other packages, each as a ratio to one bulk predict, in one run.

The limit is the time of the model itself for all replaced rows in one call: the rows that our
package passes to the model, stacked in the same way. Ours computes both importances (nll and
entropy), or for plain predictions that of the squared error, with their intervals, and every
measure of every curve; once with an existing `Explainer`, once with its construction.
The peers, which compute one of these, are an extra: ``pip install 'uqwidgets[peers]'``, best into
a separate environment, because dalex needs pandas below 3.

Ratios are of processor time, with one thread for linear algebra.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from threadpoolctl import threadpool_limits

import uqwidgets as uq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script finds the package too

from benchmarks.peers import (
    CURVES,
    IMPORTANCE,
    POINTS,
    REPEATS,
    Ask,
    Counted,
    CountedClassifier,
    CountedRegressor,
    Task,
    log_loss,
    quiet,
    squared_error,
)
from benchmarks.quickstart_model import breast_cancer

OURS = "uqwidgets"
WITH_MAKING = "uqwidgets, with its making"
ROUNDS = 7
# A peer that takes many times the limit needs no second measurement.
LONG = 4.0

Bulk = Callable[[Any], object]
Make = Callable[[Any], uq.Explainer]
Work = Callable[[uq.Explainer], object]
Peers = dict[str, Ask | str]


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(name: str, task: Task, bulk: Bulk, make: Make, work: Work, peers: Peers) -> None:
    """Print the ratio of ours and of every peer to the limit, all of them run in turn."""
    counted = task.counted
    counted.requests = []
    explainer = make(counted)
    own = len(counted.requests)
    work(explainer)
    rows = pd.concat(counted.requests, ignore_index=True)
    calls, counted.requests = len(counted.requests), None
    model_cost = {OURS: (calls - own, len(rows) - len(task.X)), WITH_MAKING: (calls, len(rows))}
    running, absent = {}, {}
    for peer, ask in peers.items():
        counted.calls = counted.rows = 0
        reason = hindrance(peer, ask, task)
        if reason:
            absent[peer] = reason
        else:
            running[peer] = ask
            model_cost[peer] = counted.calls, counted.rows

    limits: list[float] = []
    times: dict[str, list[float]] = {who: [] for who in model_cost}
    for _ in range(ROUNDS):
        # Recently freed memory is allocated faster, so each run starts after the same allocation.
        limits.append(seconds(lambda: bulk(rows)))
        explainers: list[uq.Explainer] = []
        made = seconds(lambda: explainers.append(make(counted)))  # noqa: B023
        times[OURS].append(seconds(lambda: work(explainers[0])))  # noqa: B023
        times[WITH_MAKING].append(made + times[OURS][-1])
        for peer, ask in running.items():
            if sum(times[peer]) < LONG:
                bulk(rows)
                with quiet():
                    times[peer].append(seconds(lambda: ask(task)))  # noqa: B023
    limit = statistics.median(limits)
    print(f"\n{name}: {len(rows):,} rows; the limit, one bulk predict of them: {limit:.3f} s")
    for who in [OURS, WITH_MAKING, *peers]:
        if who in absent:
            print(f"  {who:28s}{absent[who]}")
        else:
            line(who, [took / limit for took in times[who]], *model_cost[who])


def hindrance(peer: str, ask: Ask | str, task: Task) -> str:
    """Try a peer; return why it cannot run, or an empty text."""
    if isinstance(ask, str):
        return ask
    try:
        version(peer.split()[0])
        with quiet():
            ask(task)
    except PackageNotFoundError:
        return "is not installed"
    except Exception as error:  # noqa: BLE001 what others raise is a result here
        return (
            f"does not run here: {type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
        )
    return ""


def line(who: str, ratios: list[float], calls: int, rows: int) -> None:
    """Print one row of a table."""
    spread = f"({min(ratios):.2f} to {max(ratios):.2f})"
    median = statistics.median(ratios)
    print(f"  {who:28s}{median:7.2f} x {spread:18s}{calls:7,} calls {rows:9,} rows", flush=True)


def importances(*measures: str) -> Work:
    """Give the importance of some measures, one after the other."""
    return lambda explainer: [explainer.importance(m, n_repeats=REPEATS) for m in measures]


def curves(*measures: str) -> Work:
    """Give all curves of some measures, one after the other."""
    return lambda explainer: [explainer.dependences(measure=m, grid=POINTS) for m in measures]


def forest() -> None:
    """Compare on breast cancer, 143 x 30, and a calibrated forest of 500 trees."""
    model, X, y = breast_cancer()
    counted = CountedClassifier(model)
    task = Task(
        counted,
        X,
        y.to_numpy(),
        lambda Z: counted.predict_proba(Z)[:, 1],
        log_loss,
        scoring="neg_log_loss",
        method="predict_proba",
    )

    def make(counted: Counted) -> uq.Explainer:
        return uq.Explainer(counted, X, y)

    what = f"calibrated forest, {len(X)} x {X.shape[1]}"
    everything = [(importances("nll", "entropy"), IMPORTANCE, f"{REPEATS} repeats")]
    everything += [(curves("prediction", "entropy", "nll"), CURVES, f"{POINTS} points")]
    for work, peers, size in everything:
        compare(f"{what}, {size}", task, model.predict_proba, make, work, peers)


def gaussian_process() -> None:
    """Compare on a Gaussian process, fitted on 500 x 5 and explained there."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 5)), columns=[f"x{j}" for j in range(5)])
    y = X.sum(axis=1) + np.sin(3 * X["x1"]) + rng.normal(scale=0.1, size=len(X))
    model = GaussianProcessRegressor(RBF(np.full(5, 2.0)) + WhiteKernel(0.05)).fit(X, y)
    counted = CountedRegressor(model)
    task = Task(
        counted,
        X,
        y.to_numpy(),
        counted.predict,
        squared_error,
        scoring="neg_mean_squared_error",
        method="predict",
    )

    def plain(counted: Counted) -> uq.Explainer:
        return uq.Explainer(counted, X, y)

    def spread(counted: Counted) -> uq.Explainer:
        def ask(Z: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
            counted.count(Z)
            return counted.model.predict(Z, return_std=True)

        return uq.Explainer(ask, X, y)

    def with_std(Z: pd.DataFrame) -> object:
        return model.predict(Z, return_std=True)

    what = f"Gaussian process, {len(X)} x {X.shape[1]}"
    for work, peers, size in (
        (importances("squared_error"), IMPORTANCE, f"{REPEATS} repeats"),
        (curves("prediction"), CURVES, f"{POINTS} points"),
    ):
        compare(f"{what}, predictions, {size}", task, model.predict, plain, work, peers)
    for work, size in (
        (importances("nll", "entropy"), f"{REPEATS} repeats"),
        (curves("prediction", "entropy", "nll"), f"{POINTS} points"),
    ):
        compare(f"{what}, with standard deviations, {size}", task, with_std, spread, work, {})


def main() -> None:
    """Run all comparisons."""
    with threadpool_limits(1):
        forest()
        gaussian_process()


if __name__ == "__main__":
    main()
