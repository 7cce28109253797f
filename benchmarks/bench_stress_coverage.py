"""Coverage of nominal 95 % intervals of stressed summaries, by simulation.

Fresh rows in every run, the weights solved anew; the truth comes from one very large sample. The
designs differ in the stressed columns (normal, skewed, bounded, bimodal and heavy-tailed), in the
target and in the accuracy of the model. Counts show a limit of the intervals: a quantile that
jumps between neighbouring values from sample to sample.

    python benchmarks/bench_stress_coverage.py [runs [design ...]]

Without arguments there are 60 runs, for which a coverage of 0.95 has an error of 0.06 (two standard
errors); the figures in the changelog are from 1000 runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import beta, norm

import uqwidgets as uq

TAUS = [-1.0, -0.5, 0.5, 1.0]
ANCHORS = ("quantile", "tail-mean")
ROWS = 400
NUMBERS = ("mean", "variance", "rmse", "nll", "entropy")
CLASSES = ("error_rate", "share:1", "probability:1", "nll", "entropy")

Draw = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Design:
    """A distribution of rows, and the summaries of them.

    Attributes
    ----------
    draw : callable
        Gives the features of n rows, shape (n, 2), and their targets.
    model : callable
        From features to what `uqwidgets.as_predictive` takes.
    indicators : sequence of str
    classes : list of int or None
    """

    draw: Draw
    model: Callable[[np.ndarray], object]
    indicators: Sequence[str] = NUMBERS
    classes: list[int] | None = None

    def explainer(self, n: int, rng: np.random.Generator) -> uq.Explainer:
        """Explain the model on fresh rows."""
        X, y = self.draw(n, rng)
        return uq.Explainer(uq.as_predictive(self.model, classes=self.classes), X, y)


def binary(p: np.ndarray) -> np.ndarray:
    """Probabilities of two classes from those of the second."""
    return np.column_stack([1 - p, p])


def normal_and_skewed(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a target whose noise grows with a skewed column."""
    z = rng.normal(size=(n, 2))
    skewed = 3 * beta.ppf(norm.cdf(0.6 * z[:, 0] + 0.8 * z[:, 1]), 2, 5)
    y = z[:, 0] + 0.5 * skewed + rng.normal(size=n) * (0.5 + 0.2 * skewed)
    return np.column_stack([z[:, 0], skewed]), y


def two_classes(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two correlated normal columns."""
    z = rng.normal(size=(n, 2))
    X = np.column_stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1]])
    return X, (rng.random(n) < expit(X[:, 0] + 0.5 * X[:, 1])).astype(int)


def gamma_and_uniform(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Add noise with heavy tails to a curved signal."""
    g, u = rng.gamma(8, size=n), rng.uniform(-2, 2, n)
    signal = 3 * np.log(g) + np.sin(2 * u) + 0.2 * g * u
    return np.column_stack([g, u]), signal + rng.standard_t(6, n) * (0.3 + 0.05 * g)


def unbalanced(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that an accurate model separates, one of them in a quarter of the rows."""
    X = np.column_stack([rng.normal(size=n), rng.uniform(-1, 1, n)])
    return X, (rng.random(n) < expit(3 * X[:, 0] + 2 * X[:, 1] - 2.5)).astype(int)


def two_humps(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a weak signal with skewed noise."""
    humps = 0.6 * rng.normal(size=n) + np.where(rng.random(n) < 0.3, 2.0, -0.8)
    other = rng.normal(size=n)
    y = 0.2 * humps + 0.2 * other + rng.normal(size=n) + rng.exponential(size=n) - 1
    return np.column_stack([humps, other]), y


def inaccurate_model(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that depend weakly on the features, with a misspecified model."""
    heavier = rng.normal(size=n) + rng.laplace(scale=0.3, size=n)
    X = np.column_stack([heavier, rng.normal(size=n)])
    return X, (rng.random(n) < expit(-1 + 0.5 * X[:, 0] + 0.3 * X[:, 1])).astype(int)


def heavier_and_left(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two columns that interact, with lognormal noise."""
    z = rng.normal(size=(n, 2))
    heavier = np.sign(z[:, 0]) * np.abs(z[:, 0]) ** 1.2
    left = 3 * beta.ppf(norm.cdf(0.5 * z[:, 0] + np.sqrt(0.75) * z[:, 1]), 5, 2)
    noise = rng.lognormal(sigma=0.6, size=n) - np.exp(0.18)
    return np.column_stack([heavier, left]), heavier * left / 2 + np.sin(2 * heavier) + noise


def three_classes(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Three classes over a chi-squared and a triangular column."""
    X = np.column_stack([rng.chisquare(10, n), rng.triangular(0, 1, 2, n)])
    cut = np.cumsum(softmax(scores(X), axis=1), axis=1)
    return X, (rng.random(n)[:, None] > cut[:, :2]).sum(axis=1)


def scores(X: np.ndarray) -> np.ndarray:
    """Logits of the three classes."""
    return np.column_stack([np.zeros(len(X)), X[:, 0] / 4 - 2.5, 2 * X[:, 1] - 3])


def counts(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a column of counts, of which 5 % are zero, and a normal one."""
    X = np.column_stack([rng.poisson(3, n), rng.normal(size=n)]).astype(float)
    return X, 0.1 * X[:, 0] + X[:, 1] + rng.normal(size=n)


DESIGNS = {
    "normal and skewed": Design(
        normal_and_skewed,
        lambda X: (X[:, 0] + 0.4 * X[:, 1], 0.6 + 0.1 * np.abs(X[:, 0])),
    ),
    "two classes": Design(
        two_classes, lambda X: binary(expit(1.2 * X[:, 0] + 0.4 * X[:, 1])), CLASSES, [0, 1]
    ),
    "gamma and uniform": Design(
        gamma_and_uniform,
        lambda X: (
            3 * np.log(X[:, 0]) + np.sin(2 * X[:, 1]) + 0.2 * X[:, 0] * X[:, 1] + 0.1 * X[:, 1],
            0.4 + 0.05 * X[:, 0],
        ),
    ),
    "unbalanced": Design(
        unbalanced, lambda X: binary(expit(3.6 * X[:, 0] + 1.5 * X[:, 1] - 2.6)), CLASSES, [0, 1]
    ),
    "two humps": Design(
        two_humps, lambda X: (0.25 * X[:, 0] + 0.15 * X[:, 1], 1.3 + 0.1 * np.abs(X[:, 0]))
    ),
    "inaccurate model": Design(
        inaccurate_model,
        lambda X: binary(expit(-0.7 + 0.6 * X[:, 0] + 0.2 * X[:, 1] + 0.5 * np.sin(3 * X[:, 1]))),
        CLASSES,
        [0, 1],
    ),
    "heavier and left": Design(
        heavier_and_left,
        lambda X: (
            0.45 * X[:, 0] * X[:, 1] + 0.8 * np.sin(2 * X[:, 0]),
            0.5 + 0.2 * np.abs(X[:, 0]),
        ),
    ),
    "three classes": Design(
        three_classes, lambda X: softmax(1.3 * scores(X), axis=1), CLASSES, [0, 1, 2]
    ),
    "counts": Design(counts, lambda X: (0.1 * X[:, 0] + X[:, 1], 1 + 0.1 * X[:, 0])),
}


def with_missing_values(design: Design) -> Design:
    """Leave about a quarter of each column's values out, more often where the other is large."""

    def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X, y = design.draw(n, rng)
        return np.where(rng.random(X.shape) < 0.5 * expit(X[:, ::-1]), np.nan, X), y

    return replace(design, draw=draw, model=lambda X: design.model(np.nan_to_num(X)))


def covered(
    design: Design,
    runs: int,
    seed: int,
    anchors: Sequence[str] = ANCHORS,
    population: int = 2_000_000,
    missing: str = "error",
) -> dict[tuple[str, str, str], np.ndarray]:
    """Share of runs that cover, at each level, by anchor, indicator and feature."""
    rng = np.random.default_rng(seed)
    wish = {"indicators": list(design.indicators), "taus": TAUS, "missing": missing}
    large = design.explainer(population, rng)
    truth = {anchor: large.stress(anchor=anchor, **wish) for anchor in anchors}
    hits = {
        (anchor, name, feature): np.zeros(len(known.taus))
        for anchor, known in truth.items()
        for name in known.indicators
        for feature in known.features
    }
    for _ in range(runs):
        explainer = design.explainer(ROWS, rng)
        for anchor, known in truth.items():
            result = explainer.stress(anchor=anchor, level=0.95, **wish)
            for name in known.indicators:
                true = known.values[name]
                inside = (result.low[name] <= true) & (true <= result.high[name])
                for feature, line in zip(known.features, inside, strict=True):
                    hits[anchor, name, feature] += line
    return {key: line / runs for key, line in hits.items()}


def report(arguments: Sequence[str]) -> None:
    """Print the coverage of every indicator at every level, and its distribution.

    Parameters
    ----------
    arguments : sequence of str
        Of the command line: the number of runs, and the names of designs.
    """
    runs = int(arguments[0]) if arguments else 60
    names = arguments[1:] or tuple(DESIGNS)
    print(f"coverage of nominal 95 % intervals, n = {ROWS}, {runs} runs, tau -1, -0.5, 0, 0.5, 1")
    overall: dict[tuple[str, str, str], list[float]] = {}
    for design in names:
        shares = covered(DESIGNS[design], runs, list(DESIGNS).index(design))
        for (anchor, name, feature), line in shares.items():
            levels = "  ".join(f"{share:.3f}" for share in line)
            print(f"{design:18} {anchor:10} {name:25} {feature}  {levels}", flush=True)
            if design != "counts":
                kind = name.partition(":")[0]
                overall.setdefault((anchor, "|tau| <= 0.5", kind), []).extend(line[1:4])
                overall.setdefault((anchor, "|tau| = 1", kind), []).extend(line[[0, 4]])
    for (anchor, taus, kind), lines in sorted(overall.items()):
        print(
            f"{anchor:10} {taus:13} {kind:25} least {min(lines):.3f}  "
            f"mean {np.mean(lines):.3f}  most {max(lines):.3f}"
        )


if __name__ == "__main__":
    report(sys.argv[1:])
