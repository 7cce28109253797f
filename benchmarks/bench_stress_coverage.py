"""Coverage of nominal 95 % intervals of stressed summaries, by simulation.

Fresh rows in every run, the weights solved anew; the truth comes from one very large sample.

    python benchmarks/bench_stress_coverage.py [runs]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.special import expit
from scipy.stats import beta, norm

import uqwidgets as uq

TAUS = [-1.0, -0.5, 0.5, 1.0]
ROWS = 400


def regression(n: int, rng: np.random.Generator) -> uq.Explainer:
    """Explain a slightly wrong model; one of its features is skewed, and the noise grows."""
    z = rng.normal(size=(n, 2))
    skewed = beta.ppf(norm.cdf(0.6 * z[:, 0] + 0.8 * z[:, 1]), 2, 5)
    X = np.column_stack([z[:, 0], 3 * skewed])
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) * (0.5 + 0.2 * X[:, 1])
    return uq.Explainer(lambda X: (X[:, 0] + 0.4 * X[:, 1], 0.6 + 0.1 * np.abs(X[:, 0])), X, y)


def classification(n: int, rng: np.random.Generator) -> uq.Explainer:
    """Explain a classifier that is a little too sure of one of two correlated features."""
    z = rng.normal(size=(n, 2))
    X = np.column_stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1]])
    y = (rng.random(n) < expit(X[:, 0] + 0.5 * X[:, 1])).astype(int)

    def model(X: np.ndarray) -> np.ndarray:
        p = expit(1.2 * X[:, 0] + 0.4 * X[:, 1])
        return np.column_stack([1 - p, p])

    return uq.Explainer(uq.as_predictive(model, classes=[0, 1]), X, y)


SETTINGS: list[tuple[Callable[[int, np.random.Generator], uq.Explainer], list[str]]] = [
    (regression, ["mean", "variance", "rmse", "nll", "entropy"]),
    (classification, ["error_rate", "share:1", "probability:1", "nll", "entropy"]),
]


def main() -> None:
    """Print the coverage of every indicator at every level."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rng = np.random.default_rng(0)
    print(f"coverage of nominal 95 % intervals, n = {ROWS}, {runs} runs, tau -1, -0.5, 0, 0.5, 1")
    for explainer_of, indicators in SETTINGS:
        for anchor in ("quantile", "tail-mean"):
            wish = {"indicators": indicators, "taus": TAUS, "anchor": anchor}
            truth = explainer_of(1_000_000, rng).stress(**wish)
            covered = {name: np.zeros(truth.target.shape) for name in indicators}
            for _ in range(runs):
                found = explainer_of(ROWS, rng).stress(level=0.95, **wish)
                for name, hits in covered.items():
                    low, high = found.low[name], found.high[name]
                    hits += (low <= truth.values[name]) & (truth.values[name] <= high)
            print(f"{explainer_of.__name__}, anchor {anchor}")
            for name, hits in covered.items():
                for feature, line in zip(truth.features, hits / runs, strict=True):
                    shares = "  ".join(f"{share:.3f}" for share in line)
                    print(f"  {name:14} {feature}  {shares}")


if __name__ == "__main__":
    main()
