"""Coverage of nominal 95 % intervals of permutation importance, by simulation.

One fixed model, squared loss, fresh data in every run. Linear truth with an important, a weak
and an ignored feature; the model knows the truth. Beside ours: the same with raw losses instead
of differences for the donors, the t interval over rows (003, eq. 6), and the t interval over
repeats that several packages print.

    python benchmarks/bench_coverage.py [runs]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats

from uqwidgets.inference import half_width, mean_change
from uqwidgets.population import Population
from uqwidgets.replacement import drawn_donors

COEFFICIENTS = np.array([1.0, 0.3, 0.0])
NAMES = ("important", "weak", "ignored")
NOISE = 1.0
# Features correlate, as they do in life.
COVARIANCE = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]])


def importance_of(loss: np.ndarray, original: np.ndarray) -> float:
    """Plain estimate."""
    return float(loss.mean() - original.mean())


def raw_donors(loss: np.ndarray, original: np.ndarray, donors: np.ndarray) -> float:
    """Compute the standard error with psi = mean L + mean D - l0, from losses as they are."""
    repeats, n = loss.shape
    received = np.zeros(n)
    for k in range(repeats):
        received[donors[k]] += loss[k]
    psi = loss.mean(axis=0) + received / repeats - original
    both = psi.var(ddof=1) / n - loss.var(axis=0, ddof=1).mean() / (repeats * n)
    return float(np.sqrt(max(both, (loss.mean(axis=0) - original).var(ddof=1) / n)))


def run(n: int, repeats: int, rng: np.random.Generator) -> dict[str, list[tuple[float, float]]]:
    """Estimate and half width of each interval, for each feature."""
    X = rng.multivariate_normal(np.zeros(3), COVARIANCE, size=n)
    error = rng.normal(scale=NOISE, size=n)
    original = error**2
    population = Population.of(n)
    found: dict[str, list[tuple[float, float]]] = {}
    for j, coefficient in enumerate(COEFFICIENTS):
        donors = drawn_donors(
            "permutation", (j,), int(rng.integers(2**31)), repeats, np.zeros(n, int)
        )
        loss = (error + coefficient * (X[:, j] - X[donors, j])) ** 2
        change = loss - original
        for interval in ("u-statistic", "model"):
            result = mean_change(change, donors, population, interval)
            width = float(half_width(result.std_error, 0.95, population))
            found.setdefault(interval, []).append((result.estimate, width))
        estimate = importance_of(loss, original)
        t = stats.t.ppf(0.975, n - 1)
        width = t * raw_donors(loss, original, donors)
        found.setdefault("raw donor losses", []).append((estimate, width))
        over = change.mean(axis=1)
        width = stats.t.ppf(0.975, repeats - 1) * over.std(ddof=1) / np.sqrt(repeats)
        found.setdefault("t over repeats", []).append((estimate, width))
    return found


def main() -> None:
    """Print coverage and median width for every size."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    # E (e + b (x - x'))^2 - E e^2 with x, x' independent and of variance 1.
    truth = 2 * COEFFICIENTS**2
    print(f"coverage of nominal 95 % intervals (median half width), {runs} runs")
    print(f"{'n':>5} {'K':>3} {'interval':18}" + "".join(f"{name:>18}" for name in NAMES))
    for n in (50, 200, 1000):
        for repeats in (5, 10, 50):
            rng = np.random.default_rng([n, repeats])
            results = [run(n, repeats, rng) for _ in range(runs)]
            for interval in results[0]:
                values = np.array([r[interval] for r in results])
                estimate, width = values[..., 0], values[..., 1]
                covered = (np.abs(estimate - truth) <= width).mean(axis=0)
                cells = "".join(
                    f"{c:8.3f} ({w:.2g})".rjust(18)
                    for c, w in zip(covered, np.median(width, axis=0), strict=True)
                )
                print(f"{n:5} {repeats:3} {interval:18}{cells}")


if __name__ == "__main__":
    main()
