"""Coverage of nominal 95 % intervals of stressed summaries, by simulation.

Fresh rows in every run, the weights solved anew; the truth comes from one very large sample.

    python benchmarks/bench_stress_coverage.py [runs]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import beta, norm

import uqwidgets as uq

TAUS = [-1.0, -0.5, 0.5, 1.0]
INDICATORS = ["mean", "rmse", "nll"]


def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a normal and a skewed feature, correlated, and a target with growing noise."""
    z = rng.normal(size=(n, 2))
    skewed = beta.ppf(norm.cdf(0.6 * z[:, 0] + 0.8 * z[:, 1]), 2, 5)
    X = np.column_stack([z[:, 0], 3 * skewed])
    return X, X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) * (0.5 + 0.2 * X[:, 1])


def explainer_of(X: np.ndarray, y: np.ndarray) -> uq.Explainer:
    """Explain a model that is a little wrong."""
    return uq.Explainer(lambda X: (X[:, 0] + 0.4 * X[:, 1], 0.6 + 0.1 * np.abs(X[:, 0])), X, y)


def main() -> None:
    """Print the coverage of every indicator at every level."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    rng = np.random.default_rng(0)
    for anchor in ("quantile", "tail-mean"):
        wish = {"indicators": INDICATORS, "taus": TAUS, "anchor": anchor}
        truth = explainer_of(*draw(2_000_000, rng)).stress(**wish)
        for n in (400, 1600):
            covered = {name: np.zeros(truth.target.shape) for name in INDICATORS}
            for _ in range(runs):
                found = explainer_of(*draw(n, rng)).stress(level=0.95, **wish)
                for name, hits in covered.items():
                    low, high = found.low[name], found.high[name]
                    hits += (low <= truth.values[name]) & (truth.values[name] <= high)
            print(f"n = {n}, anchor {anchor}, {runs} runs; columns are tau = {truth.taus.tolist()}")
            for name, hits in covered.items():
                for feature, line in zip(truth.features, hits / runs, strict=True):
                    print(f"  {name:5} {feature}  " + "  ".join(f"{share:.3f}" for share in line))


if __name__ == "__main__":
    main()
