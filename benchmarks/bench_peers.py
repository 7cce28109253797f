"""Importance and curves beside other packages, each as a ratio to one bulk predict, in one run.

The limit is the time of the model itself for all replaced rows in one call: the rows that our
package passes to the model, stacked in the same way. Ours computes both importances (nll and
entropy), or for plain predictions that of the squared error, with their intervals, and every
measure of every curve; once with an existing `Explainer`, once with its construction.
The peers, which compute one of these, are a dependency group: ``pip install --group peers -e .``,
best into a separate environment, because dalex needs pandas below 3.

Ratios are of processor time, with one thread for linear algebra.

    python -m benchmarks.bench_peers            print the tables; some minutes
    python -m benchmarks.bench_peers --write    write peers.md as well, for the documentation
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
TABLE = Path(__file__).with_name("peers.md")
# A peer that takes many times the limit needs no second measurement.
LONG = 4.0

Bulk = Callable[[Any], object]
Make = Callable[[Any], uq.Explainer]
Work = Callable[[uq.Explainer], object]
Peers = dict[str, Ask | str]


@dataclass
class Case:
    """One comparison: its name, and a line for each package that was run beside.

    Attributes
    ----------
    name : str
    n_rows : int
        Rows that the limit predicts in one call.
    limit : float
        Seconds that it takes.
    ratios : dict of str to list of float
        Time divided by the limit, in every round, by package.
    model_cost : dict of str to (int, int)
        Calls of the model, and rows of them, by package.
    absent : dict of str to str
        Why a package was not run.
    """

    name: str
    n_rows: int
    limit: float
    ratios: dict[str, list[float]]
    model_cost: dict[str, tuple[int, int]]
    absent: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Give the lines to print."""
        yield f"\n{self.name}: {self.n_rows:,} rows; one bulk predict takes {self.limit:.3f} s"
        for who, ratios in self.ratios.items():
            spread = f"({min(ratios):.2f} to {max(ratios):.2f})"
            calls, rows = self.model_cost[who]
            median = statistics.median(ratios)
            yield f"  {who:28s}{median:7.2f} x {spread:18s}{calls:7,} calls {rows:9,} rows"
        for who, why in self.absent.items():
            yield f"  {who:28s}{why}"

    def markdown(self) -> Iterator[str]:
        """Give the lines of a section of the documentation."""
        yield f"## {self.name}\n"
        yield f"One bulk predict of the {self.n_rows:,} replaced rows takes {self.limit:.2f} s.\n"
        yield "| package | time, as a multiple of it | range of the rounds | calls | rows |"
        yield "|---|---|---|---|---|"
        for who, ratios in self.ratios.items():
            calls, rows = self.model_cost[who]
            yield (
                f"| {who} | {statistics.median(ratios):.2f} | {min(ratios):.2f} to "
                f"{max(ratios):.2f} | {calls:,} | {rows:,} |"
            )
        for who, why in self.absent.items():
            yield f"| {who} | {why} | | | |"
        yield ""


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(name: str, task: Task, bulk: Bulk, make: Make, work: Work, peers: Peers) -> Case:
    """Compute the ratio of ours and of every peer to the limit, all of them run in turn."""
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
    ratios = {who: [took / limit for took in each] for who, each in times.items()}
    case = Case(name, len(rows), limit, ratios, model_cost, absent)
    print("\n".join(case.lines()), flush=True)
    return case


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


def importances(*measures: str) -> Work:
    """Give the importance of some measures, one after the other."""
    return lambda explainer: [explainer.importance(m, n_repeats=REPEATS) for m in measures]


def curves(*measures: str) -> Work:
    """Give all curves of some measures, one after the other."""
    return lambda explainer: [explainer.dependences(measure=m, grid=POINTS) for m in measures]


def forest() -> Iterator[Case]:
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
        yield compare(f"{what}, {size}", task, model.predict_proba, make, work, peers)


def gaussian_process() -> Iterator[Case]:
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
        yield compare(f"{what}, predictions, {size}", task, model.predict, plain, work, peers)
    for work, size in (
        (importances("nll", "entropy"), f"{REPEATS} repeats"),
        (curves("prediction", "entropy", "nll"), f"{POINTS} points"),
    ):
        yield compare(f"{what}, with standard deviations, {size}", task, with_std, spread, work, {})


def summary(cases: list[Case]) -> Iterator[str]:
    """Give the lines of one table: a row for each package, a column for each case with peers."""
    shown = [case for case in cases if len(case.ratios) > 2]
    yield "| package | " + " | ".join(case.name for case in shown) + " |"
    yield "|---|" + "---|" * len(shown)
    packages = dict.fromkeys(who for case in shown for who in case.ratios)
    for who in packages:
        cells = [
            f"{statistics.median(case.ratios[who]):.2g}" if who in case.ratios else ""
            for case in shown
        ]
        yield f"| {who} | " + " | ".join(cells) + " |"
    yield ""


def document(cases: list[Case]) -> str:
    """Return the page of the documentation, with the date and the versions."""
    peers = {who.split()[0] for case in cases for who in case.ratios} - {OURS, f"{OURS},"}
    used = [f"{name} {version(name)}" for name in ("numpy", "pandas", *sorted(peers))]
    versions = ", ".join([f"{OURS} {uq.__version__}", *used])
    lines = [
        "# Speed beside other packages\n",
        "Output of `python -m benchmarks.bench_peers --write`, run on "
        f"{datetime.now(UTC):%Y-%m-%d} with Python {platform.python_version()}, {versions}.\n",
        "Times are processor time in one thread, as a multiple of the time that the model itself "
        "takes to predict all replaced rows in one call. One call of many rows may take longer "
        "than several calls of fewer, so a multiple can be below 1. Ours computes the importance "
        "of two measures, or of one where the model predicts numbers alone, with an interval for "
        "each feature, or the curves of every measure; the others compute one of these, "
        "without intervals for other rows.\n",
    ]
    lines += ["## Summary\n", *summary(cases)]
    for case in cases:
        lines += case.markdown()
    return "\n".join(lines)


def main() -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    options = parser.parse_args()
    with threadpool_limits(1):
        cases = [*forest(), *gaussian_process()]
    if options.write:
        TABLE.write_text(document(cases), encoding="utf-8")


if __name__ == "__main__":
    main()
