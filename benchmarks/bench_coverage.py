"""Coverage of nominal 95 % intervals of permutation importance, by simulation.

Each run has new data; the model is the true linear regression, with squared loss. An important,
a weak and an ignored feature are correlated. All intervals of the package are compared, and two
variants of the u-statistic: without the corrections for small samples (symmetric, t quantile of
n - 1 degrees of freedom), and with raw losses in place of differences.

    python benchmarks/bench_coverage.py [runs]        (default 2000; quick: 100)
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
SIZES = [(30, repeats) for repeats in (2, 3, 4)]
SIZES += [(n, repeats) for n in (50, 200, 1000) for repeats in (5, 10, 50)]


def raw_losses(loss: np.ndarray, original: np.ndarray, donors: np.ndarray) -> float:
    """Compute the standard error with psi = mean L + mean D - l0, from raw losses."""
    repeats, n = loss.shape
    received = np.zeros(n)
    for k in range(repeats):
        received[donors[k]] += loss[k]
    psi = loss.mean(axis=0) + received / repeats - original
    both = psi.var(ddof=1) / n - loss.var(axis=0, ddof=1).mean() / (repeats * n)
    return float(np.sqrt(max(both, (loss.mean(axis=0) - original).var(ddof=1) / n)))


def ends_of(change: Change, loss: np.ndarray, original: np.ndarray, donors: np.ndarray) -> dict:
    """Return both ends of every interval."""
    n = len(original)
    population = Population.of(n)
    ends = {}
    for interval in INTERVALS:
        limits = bounds(change, interval, 0.95, population)
        ends[interval] = (limits.low, limits.high)
    error = bounds(change, "u-statistic", 0.95, population).std_error
    for name, width in (
        ("  symmetric", error),
        ("  raw losses", raw_losses(loss, original, donors)),
    ):
        half = stats.t.ppf(0.975, n - 1) * width
        ends[name] = (change.estimate - half, change.estimate + half)
    return ends


def run(n: int, repeats: int, rng: np.random.Generator) -> list[dict]:
    """Simulate one table; return the ends of every interval, for each feature."""
    X = rng.multivariate_normal(np.zeros(3), COVARIANCE, size=n)
    error = rng.normal(size=n)
    original = error**2
    ends = []
    for j, coefficient in enumerate(COEFFICIENTS):
        seed = int(rng.integers(2**31))
        donors = drawn_donors("permutation", (j,), seed, repeats, np.zeros(n, dtype=np.intp))
        loss = (error + coefficient * (X[:, j] - X[donors, j])) ** 2
        change = mean_change(loss - original, donors, original, Population.of(n))
        ends.append(ends_of(change, loss, original, donors))
    return ends


def coverage(n: int, repeats: int, runs: int) -> dict[str, np.ndarray]:
    """Return the share of runs that cover the truth and the median half width, by feature."""
    rng = np.random.default_rng([n, repeats])
    results = [run(n, repeats, rng) for _ in range(runs)]
    table = {}
    for name in results[0][0]:
        ends = np.array([[feature[name] for feature in result] for result in results])
        covered = (ends[..., 0] <= TRUTH) & (ends[..., 1] >= TRUTH)
        table[name] = np.stack([covered.mean(axis=0), np.median(np.ptp(ends, axis=2) / 2, axis=0)])
    return table


def main() -> None:
    """Print coverage and median half width for every size."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    started = time.perf_counter()
    print(f"coverage of nominal 95 % intervals (median half width), {runs} runs; standard error")
    print(f"of a coverage of .95: {np.sqrt(0.95 * 0.05 / runs):.4f}")
    print(f"{'n':>5} {'K':>3} {'interval':18}" + "".join(f"{name:>18}" for name in NAMES))
    for n, repeats in SIZES:
        for name, (covered, width) in coverage(n, repeats, runs).items():
            cells = (f"{c:8.3f} ({w:.2g})".rjust(18) for c, w in zip(covered, width, strict=True))
            print(f"{n:5} {repeats:3} {name:18}" + "".join(cells), flush=True)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
