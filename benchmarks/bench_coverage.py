"""Coverage of nominal 95 % intervals of permutation importance, by simulation.

One fixed model, squared loss, fresh data in every run. Linear truth with an important, a weak
and an ignored feature that correlate; the model knows the truth. Every interval that is offered,
and beside them u-statistic without what it does for small samples (symmetric, t of n - 1), and
the same from raw losses instead of differences.

    python benchmarks/bench_coverage.py [runs]        (2000 unless given; quick: 100)
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import stats

from uqwidgets.evaluation.donors import drawn_donors
from uqwidgets.inference import INTERVALS, Change, bounds, mean_change
from uqwidgets.inference.population import Population

COEFFICIENTS = np.array([1.0, 0.3, 0.0])
NAMES = ("important", "weak", "ignored")
# E (e + b (x - x'))^2 - E e^2 with x, x' independent and of variance 1.
TRUTH = 2 * COEFFICIENTS**2
COVARIANCE = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
SIZES = [(n, repeats) for n in (50, 200, 1000) for repeats in (5, 10, 50)]


def raw_losses(loss: np.ndarray, original: np.ndarray, donors: np.ndarray) -> float:
    """Compute the standard error with psi = mean L + mean D - l0, from losses as they are."""
    repeats, n = loss.shape
    received = np.zeros(n)
    for k in range(repeats):
        received[donors[k]] += loss[k]
    psi = loss.mean(axis=0) + received / repeats - original
    both = psi.var(ddof=1) / n - loss.var(axis=0, ddof=1).mean() / (repeats * n)
    return float(np.sqrt(max(both, (loss.mean(axis=0) - original).var(ddof=1) / n)))


def ends_of(change: Change, loss: np.ndarray, original: np.ndarray, donors: np.ndarray) -> dict:
    """Low and high end of every interval."""
    n = len(original)
    population = Population.of(n)
    ends = {}
    for interval in INTERVALS:
        found = bounds(change, interval, 0.95, population)
        ends[interval] = (found.low, found.high)
    error = bounds(change, "u-statistic", 0.95, population).std_error
    for name, width in (
        ("  symmetric", error),
        ("  raw losses", raw_losses(loss, original, donors)),
    ):
        half = stats.t.ppf(0.975, n - 1) * width
        ends[name] = (change.estimate - half, change.estimate + half)
    return ends


def run(n: int, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Find the ends of every interval, for each feature."""
    X = rng.multivariate_normal(np.zeros(3), COVARIANCE, size=n)
    error = rng.normal(size=n)
    original = error**2
    found = []
    for j, coefficient in enumerate(COEFFICIENTS):
        seed = int(rng.integers(2**31))
        donors = drawn_donors("permutation", (j,), seed, repeats, np.zeros(n, dtype=np.intp))
        loss = (error + coefficient * (X[:, j] - X[donors, j])) ** 2
        change = mean_change(loss - original, donors, original, Population.of(n))
        found.append(ends_of(change, loss, original, donors))
    return found


def coverage(n: int, repeats: int, runs: int) -> dict[str, np.ndarray]:
    """Share of runs that hold the truth (row 0) and median half width (row 1), by feature."""
    rng = np.random.default_rng([n, repeats])
    results = [run(n, repeats, rng) for _ in range(runs)]
    table = {}
    for name in results[0][0]:
        ends = np.array([[feature[name] for feature in result] for result in results])
        held = (ends[..., 0] <= TRUTH) & (ends[..., 1] >= TRUTH)
        table[name] = np.stack([held.mean(axis=0), np.median(np.ptp(ends, axis=2) / 2, axis=0)])
    return table


def main() -> None:
    """Print coverage and median half width for every size."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    started = time.perf_counter()
    print(f"coverage of nominal 95 % intervals (median half width), {runs} runs; standard error")
    print(f"of a coverage of .95: {np.sqrt(0.95 * 0.05 / runs):.4f}")
    print(f"{'n':>5} {'K':>3} {'interval':18}" + "".join(f"{name:>18}" for name in NAMES))
    for n, repeats in SIZES:
        for name, (held, width) in coverage(n, repeats, runs).items():
            cells = (f"{c:8.3f} ({w:.2g})".rjust(18) for c, w in zip(held, width, strict=True))
            print(f"{n:5} {repeats:3} {name:18}" + "".join(cells), flush=True)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
