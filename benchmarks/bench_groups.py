"""Coverage of nominal 95 % intervals of rows that depend on each other, by simulation.

Rows of one patient share a part of their error and of two features. The model is linear, and one
of these features has a coefficient that it should not have, so that its importance is 0. Rows in
an order are first-order autoregressions in a feature and in the error. Each line has the intervals
of independent rows beside those with ``groups=``, or with ``time=``.

    python benchmarks/bench_groups.py [runs] [out.md]      (default 400 runs)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import uqwidgets as uq

SPURIOUS = 0.5
# Importance of the squared error, its root, R2, and the mean prediction where b is 0.
TRUTH = {"a": 2.0, "b": 2.0, "spurious": 0.0}
Data = tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]


def model(X: pd.DataFrame) -> np.ndarray:
    """Predict with a coefficient of a feature that has no effect."""
    return np.asarray(X["a"] + X["b"] + SPURIOUS * X["spurious"])


def patients(sizes: Callable[[np.random.Generator], np.ndarray]) -> Callable[..., Data]:
    """Return what draws patients with so many rows: X, y, groups and weights."""

    def draw(rng: np.random.Generator) -> Data:
        of = sizes(rng)
        groups, n = int(of.max()) + 1, len(of)
        between = rng.normal(size=(3, groups))[:, of]
        X = pd.DataFrame({"a": between[0], "b": rng.normal(size=n), "spurious": between[1]})
        y = np.asarray(X["a"] + X["b"]) + between[2] + rng.normal(size=n)
        return X, y, of, np.ones(n)

    return draw


def weighted(draw: Callable[..., Data]) -> Callable[..., Data]:
    """Return the same rows with random weights."""

    def draw_weighted(rng: np.random.Generator) -> Data:
        X, y, of, _ = draw(rng)
        return X, y, of, rng.uniform(0.2, 1.8, size=len(y))

    return draw_weighted


def in_order(n: int, phi: float) -> Callable[..., Data]:
    """Return what draws autoregressions of feature and error, with the time of each row."""

    def series(rng: np.random.Generator) -> np.ndarray:
        whole = lfilter([1], [1, -phi], rng.normal(size=n + 200))
        return np.asarray(whole[200:] * np.sqrt(1 - phi**2))

    def draw(rng: np.random.Generator) -> Data:
        X = pd.DataFrame({"a": series(rng), "b": rng.normal(size=n), "spurious": series(rng)})
        y = np.asarray(X["a"] + X["b"]) + np.sqrt(2) * series(rng)
        return X, y, np.arange(n), np.ones(n)

    return draw


def equal(groups: int, size: int) -> Callable[[np.random.Generator], np.ndarray]:
    """Return the group of each row where all have the same size."""
    return lambda _: np.repeat(np.arange(groups), size)


def unequal(groups: int, most: int) -> Callable[[np.random.Generator], np.ndarray]:
    """Return the group of each row where sizes are from 1 to ``most``."""
    return lambda rng: np.repeat(np.arange(groups), rng.integers(1, most + 1, size=groups))


DESIGNS: dict[str, tuple[str, Callable[..., Data]]] = {
    "20 patients x 10 rows": ("groups", patients(equal(20, 10))),
    "30 patients x 10 rows": ("groups", patients(equal(30, 10))),
    "30 patients, 1 to 50 rows": ("groups", patients(unequal(30, 50))),
    "100 patients x 5 rows": ("groups", patients(equal(100, 5))),
    "100 patients x 5 rows, weighted": ("groups", weighted(patients(equal(100, 5)))),
    "200 patients, 1 to 10 rows": ("groups", patients(unequal(200, 10))),
    **{
        f"{n} rows in order, correlation {phi:g}": ("time", in_order(n, phi))
        for n in (200, 300, 1000)
        for phi in (0.0, 0.5, 0.8)
    },
}


def held(draw: Callable[..., Data], argument: str | None, seed: int) -> Iterator[tuple[str, bool]]:
    """Yield whether the interval of each result contains the true value."""
    X, y, of, weights = draw(np.random.default_rng(seed))
    # The error has variance 2 and the spurious part SPURIOUS^2, beside a target of variance 4.
    variance = 2 + SPURIOUS**2
    options = {} if argument is None else {argument: of}
    explainer = uq.Explainer(model, X, y, **options)
    sample_weight = None if np.ptp(weights) == 0 else weights
    of_features = explainer.importance("squared_error", sample_weight=sample_weight).frame
    for name, low, high in of_features[["feature", "low", "high"]].itertuples(index=False):
        yield f"importance of {name}", low <= TRUTH[name] <= high
    scores = explainer.scores(["rmse", "r2"], sample_weight=sample_weight)
    truth = np.sqrt(variance), 1 - variance / 4
    for name, low, high, value in zip(scores.names, scores.low, scores.high, truth, strict=True):
        yield name, bool(low <= value <= high)
    curve = explainer.dependence("b", grid=[0.0], sample_weight=sample_weight)
    yield "level of a curve", bool(curve.low[0] <= 0 <= curve.high[0])
    if sample_weight is None:
        stress = explainer.stress(["a"], ["squared_error"], taus=[-0.5, 0.5], level=0.95)
        at = [int(np.flatnonzero(stress.taus == tau)[0]) for tau in (-0.5, 0.5)]
        ends = stress.low["squared_error"][0, at], stress.high["squared_error"][0, at]
        yield "squared error at tau 0.5", bool(ends[0][1] <= variance <= ends[1][1])


def table(runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    header: list[str] = []
    for name, (argument, draw) in DESIGNS.items():
        for given in (None, argument):
            shares: dict[str, float] = {}
            for seed in range(runs):
                for result, is_held in held(draw, given, seed):
                    shares[result] = shares.get(result, 0) + is_held / runs
            if not header:
                header = list(shares)
                yield "| design | intervals | " + " | ".join(header) + " |"
                yield "|" + "---|" * (2 + len(header))
            cells = (f"{shares[one]:.2f}".lstrip("0") if one in shares else "-" for one in header)
            how = "of independent rows" if given is None else f"`{given}=`"
            yield f"| {name} | {how} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, and write it where a file is named."""
    runs, lines = int(sys.argv[1]) if len(sys.argv) > 1 else 400, []
    started = time.perf_counter()
    for line in table(runs):
        print(line, flush=True)
        lines.append(line)
    error = np.sqrt(0.95 * 0.05 / runs)
    lines.append(f"\n{runs} tables each; the standard error of a share of .95 is {error:.3f}.")
    print(f"{lines[-1]}\n{time.perf_counter() - started:.0f} s")
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
