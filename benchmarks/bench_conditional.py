"""Coverage of intervals of conditional importance that is exactly 0, by simulation.

Two normal features are correlated, and the target depends on the first alone. The model uses both.
Values of the second that are drawn from its distribution given the first change neither the
distribution of the rows nor that of the target given them, so that the importance of the second is
exactly 0 for the entropy and for the negative log-likelihood. A classification has the model
expit(x0 + x1), a regression the mean (x0 + x1) / 2 and a deviation that depends on both features;
the second feature is linear in the first, or a wave of it.

    python benchmarks/bench_conditional.py [runs] [out.md]      (default 200 runs; minutes)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.special import expit

import uqwidgets as uq

SIZES, CORRELATION = (100, 300), 0.95
REPEATS = 5
Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def classifier(X: np.ndarray) -> np.ndarray:
    """Predict probabilities from the sum of both features."""
    p = expit(X[:, 0] + X[:, 1])
    return np.column_stack([1 - p, p])


def regressor(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predict a normal distribution from both features."""
    return (X[:, 0] + X[:, 1]) / 2, np.exp(0.3 * (X[:, 0] + X[:, 1]) - 0.2)


def linear(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw two features of which one is linear in the other."""
    first = rng.normal(size=n)
    noise = np.sqrt(1 - CORRELATION**2) * rng.normal(size=n)
    return np.column_stack([first, CORRELATION * first + noise])


def wave(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw two features of which one is a wave of the other."""
    first = rng.normal(size=n)
    return np.column_stack([first, np.sin(2 * first) + 0.3 * rng.normal(size=n)])


def classes(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """Draw the classes from the first feature."""
    return np.asarray(rng.random(len(X)) < expit(2 * X[:, 0])).astype(int)


def numbers(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """Draw the target from the first feature."""
    return np.asarray(X[:, 0] + rng.normal(size=len(X)))


DESIGNS = {
    "classes, linear": (linear, classes, classifier),
    "numbers, linear": (linear, numbers, regressor),
    "classes, wave": (wave, classes, classifier),
}


def held(design: str, n: int, seed: int) -> Iterator[tuple[str, str, bool, float]]:
    """Yield sampler, measure, whether the interval contains 0, and the estimate."""
    features, target, model = DESIGNS[design]
    rng = np.random.default_rng(seed)
    X = features(rng, n)
    explainer = uq.Explainer(model, X, target(rng, X))
    for sampler in ("subgroups", "residuals"):
        for measure in ("entropy", "nll"):
            result = explainer.importance(
                measure,
                ["x1"],
                replacement="conditional",
                sampler=sampler,
                n_repeats=REPEATS,
            )
            is_held = bool(result.low[0] <= 0 <= result.high[0])
            yield sampler, measure, is_held, float(result.importance[0])


def table(runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| design | rows | sampler | entropy | its mean importance | nll | its mean importance |"
    yield "|---|---:|---|---:|---:|---:|---:|"
    for design in DESIGNS:
        for n in SIZES:
            sums: dict[tuple[str, str], np.ndarray] = {}
            for seed in range(runs):
                for sampler, measure, is_held, value in held(design, n, seed):
                    numbers_of = np.array([is_held, value]) / runs
                    sums[sampler, measure] = sums.get((sampler, measure), 0) + numbers_of
            for sampler in ("subgroups", "residuals"):
                cells = [
                    cell
                    for measure in ("entropy", "nll")
                    for cell in (
                        f"{sums[sampler, measure][0]:.2f}".replace("0.", "."),
                        f"{sums[sampler, measure][1]:.4f}",
                    )
                ]
                yield f"| {design} | {n} | `{sampler}` | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and write it where a file is named."""
    runs, lines = int(sys.argv[1]) if len(sys.argv) > 1 else 200, []
    started = time.perf_counter()
    for line in table(runs):
        print(line, flush=True)
        lines.append(line)
    print(f"{time.perf_counter() - started:.0f} s")
    if len(sys.argv) > 2:
        head = (
            "# Coverage of conditional importance that is exactly 0\n\nMade by `python "
            f"benchmarks/bench_conditional.py {runs}`, which says what was simulated: the share of "
            f"{runs} nominal 95 % intervals that contained 0, and the mean estimate in nats; the "
            f"standard error of a share of .95 is {np.sqrt(0.95 * 0.05 / runs):.3f}.\n\n"
        )
        Path(sys.argv[2]).write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
