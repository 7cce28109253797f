"""Coverage and width of the default interval of importance, by measure, by simulation.

Each run has new data; the models are fixed. There are three normal features: the first two are
correlated, the first dominates the model, the third is weak. The models are the true logistic
regression (nll, entropy), an ensemble of six such regressions (aleatoric and epistemic entropy), a
linear regression (squared and absolute error), and a normal distribution whose logarithmic
standard deviation is nearly additive in the features (its entropy): there the influences of a row
as scored row and as donor nearly cancel. The weights increase the mean of the second feature by
about two thirds of a standard deviation, with an effective sample size of 61 % of the rows.

    python -m benchmarks.bench_importance_coverage            print the tables; a quarter of an hour
    python -m benchmarks.bench_importance_coverage --write    write importance_coverage.md
    python -m benchmarks.bench_importance_coverage --runs 100
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, xlogy
from scipy.stats import binom

from uqwidgets.evaluation.donors import drawn_donors
from uqwidgets.inference import bounds, every_donor, mean_change
from uqwidgets.inference.population import Population

RESULTS = Path(__file__).with_name("importance_coverage.md")
FEATURES = ("dominant", "correlated", "weak")
COVARIANCE = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
LOGISTIC = np.array([2.0, 0.8, 0.2])
MEMBERS = LOGISTIC + 0.35 * np.random.default_rng(0).normal(size=(6, 3))
LINEAR = np.array([1.0, 0.5, 0.2])
SPREAD = np.array([1.0, 0.6, 0.2])
TILT = 0.7
# With 1000 rows, all donors would take hours, and the Monte Carlo error of 10 repeats is small.
CELLS: tuple[tuple[int, int | str], ...] = (
    *((50, k) for k in (2, 10, "all")),
    *((200, k) for k in (2, 10, "all")),
    *((1000, k) for k in (2, 10)),
)
# Under weights, also by the effective number of rows.
SIZES = (25, 50, 100, 200, 400)
TRUTH_ROWS = 1_000_000

Values = dict[str, np.ndarray]


class Coverage(NamedTuple):
    """Share of runs whose interval covers the truth, lies below and above it, and its width.

    The width is relative to that of an interval of 1.96 true standard deviations to both sides.
    """

    coverage: float
    below: float
    above: float
    width: float


def _entropy(p: np.ndarray) -> np.ndarray:
    return -xlogy(p, p) - xlogy(1 - p, 1 - p)


def _logistic(replaced: Callable[[np.ndarray], np.ndarray], y: np.ndarray) -> Values:
    p = expit(replaced(LOGISTIC))
    return {"nll": -np.log(np.where(y > 0, p, 1 - p)), "entropy": _entropy(p)}


def _ensemble(replaced: Callable[[np.ndarray], np.ndarray], _: np.ndarray) -> Values:
    p = [expit(replaced(member)) for member in MEMBERS]
    aleatoric = np.mean([_entropy(member) for member in p], axis=0)
    return {"aleatoric": aleatoric, "epistemic": _entropy(np.mean(p, axis=0)) - aleatoric}


def _linear(replaced: Callable[[np.ndarray], np.ndarray], y: np.ndarray) -> Values:
    error = y - replaced(LINEAR)
    return {"squared error": error**2, "absolute error": np.abs(error)}


def _normal(replaced: Callable[[np.ndarray], np.ndarray], _: np.ndarray) -> Values:
    return {"entropy of a normal": np.log(0.3 + np.exp(0.5 * replaced(SPREAD)))}


MODELS = (_logistic, _ensemble, _linear, _normal)
MEASURES = (
    *("nll", "entropy", "aleatoric", "epistemic"),
    *("squared error", "absolute error", "entropy of a normal"),
)


def table(n: int, rng: np.random.Generator, mean: float = 0.0) -> tuple[np.ndarray, Values]:
    """Draw features, and the targets of the logistic and of the linear regression."""
    X = rng.multivariate_normal(mean * COVARIANCE[1], COVARIANCE, size=n, method="cholesky")
    y = (rng.random(n) < expit(X @ LOGISTIC)).astype(float)
    return X, {"_logistic": y, "_linear": X @ LINEAR + rng.normal(size=n)}


def measured(X: np.ndarray, y: Values, j: int, new_values: np.ndarray) -> Values:
    """Compute every measure of each row (n,) with new values of feature j, (..., n)."""
    values: Values = {}
    for model in MODELS:

        def replaced(slopes: np.ndarray) -> np.ndarray:
            return X @ slopes + slopes[j] * (new_values - X[:, j])

        values |= model(replaced, y.get(model.__name__, X[:, 0]))
    return values


@cache
def truths(weighted: bool, rows: int = TRUTH_ROWS) -> dict[tuple[str, int], float]:
    """Compute the importance in the population of each measure and feature."""
    sums = dict.fromkeys([(m, j) for m in MEASURES for j in range(3)], 0.0)
    rng, block = np.random.default_rng(1), 200_000
    for _ in range(rows // block):
        X, y = table(block, rng, TILT * weighted)
        for j in range(3):
            # Each row gets the values of two other rows.
            new_values = np.stack([np.roll(X[:, j], shift) for shift in (1, 2)])
            values, original = measured(X, y, j, new_values), measured(X, y, j, X[:, j])
            for m in MEASURES:
                sums[m, j] += float((values[m] - original[m]).mean())
    return {key: total * block / rows for key, total in sums.items()}


@cache
def coverages(
    n: int, repeats: int | str, runs: int, *, weighted: bool = False, truth_rows: int = TRUTH_ROWS
) -> dict[tuple[str, int], Coverage]:
    """Simulate the coverage of the interval of every measure and feature."""
    expected = truths(weighted, truth_rows)
    rng = np.random.default_rng([n, len(str(repeats)), weighted])
    ends: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for _ in range(runs):
        X, y = table(n, rng)
        population = Population.of(n, np.exp(TILT * X[:, 1]) if weighted else None)
        for j in range(3):
            every = repeats == "all"
            count = 1 if isinstance(repeats, str) else repeats
            seed = int(rng.integers(2**31))
            donors = drawn_donors("permutation", (j,), seed, count, np.zeros(n, dtype=np.intp))
            new_values = np.tile(X[:, j, None], n) if every else X[donors, j]
            values, original = measured(X, y, j, new_values), measured(X, y, j, X[:, j])
            for m in MEASURES:
                differences = values[m] - original[m]
                if every:
                    change = every_donor(
                        [(slice(0, n), differences)], np.arange(n), population, np.zeros(n, np.intp)
                    )
                else:
                    change = mean_change(differences, donors, original[m], population)
                side = bounds(change, "u-statistic", 0.95, population)
                ends.setdefault((m, j), []).append((side.estimate, side.low, side.high))
    return {key: _coverage(np.array(e), expected[key]) for key, e in ends.items()}


def _coverage(ends: np.ndarray, truth: float) -> Coverage:
    estimate, low, high = ends.T
    below, above = float((high < truth).mean()), float((low > truth).mean())
    width = float(np.median(high - low) / (2 * 1.959964 * estimate.std(ddof=1)))
    return Coverage(1 - below - above, below, above, width)


def runs_of(n: int, runs: int) -> int:
    """Tables in a cell of n rows."""
    return runs // 2 if n >= 1000 else runs


def standard_error(runs: int, coverage: float = 0.95) -> float:
    """Monte Carlo standard error of a coverage."""
    return float(np.sqrt(coverage * (1 - coverage) / runs))


def pages(runs: int) -> Iterator[str]:
    """Yield the report, line by line."""
    yield "# Coverage of the default interval of importance\n"
    yield (
        f"Made by `python -m benchmarks.bench_importance_coverage --write --runs {runs}`, which "
        f"says what was simulated: {runs} tables a cell, half of that with 1000 rows; standard "
        f"errors of a coverage of .95 are {standard_error(runs):.3f} and "
        f"{standard_error(runs_of(1000, runs)):.3f}. Coverage of the nominal 95 % interval, and in "
        "brackets its median width over that of the normal interval with the true standard "
        f"deviation, which has a relative standard error of {1 / np.sqrt(2 * runs):.0%} and "
        f"{1 / np.sqrt(2 * runs_of(1000, runs)):.0%}. All cells of a column share their tables, so "
        "that their errors are correlated.\n"
    )
    for weighted in (False, True):
        yield from section(runs, weighted=weighted)
    yield from by_effective_rows(runs)


def section(runs: int, *, weighted: bool) -> Iterator[str]:
    """Yield the table with or without weights, line by line."""
    yield f"## {'Under weights' if weighted else 'Without weights'}\n"
    results = {(n, k): coverages(n, k, runs_of(n, runs), weighted=weighted) for n, k in CELLS}
    yield "| measure | feature | " + " | ".join(f"{n}, {k}" for n, k in CELLS) + " |"
    yield "| --- | --- |" + " ---: |" * len(CELLS)
    for m in MEASURES:
        for j, feature in enumerate(FEATURES):
            cells = (results[c][m, j] for c in CELLS)
            line = " | ".join(f"{c.coverage:.3f} ({c.width:.2f})" for c in cells)
            yield f"| {m} | {feature} | {line} |"
    yield "\nColumns are rows, repeats. " + " ".join(_summary(results, runs)) + "\n"


def _summary(
    results: dict[tuple[int, int | str], dict[tuple[str, int], Coverage]], runs: int
) -> Iterator[str]:
    """Yield sentences that compare the cells with what simulation noise alone would show."""
    every = [(s, runs_of(n, runs)) for (n, _), result in results.items() for s in result.values()]
    covered, widths = (
        np.array([s.coverage for s, _ in every]),
        np.array([s.width for s, _ in every]),
    )
    noise = np.array(
        [binom.cdf(0.97 * r, r, 0.95) - binom.cdf(0.93 * r - 1, r, 0.95) for _, r in every]
    )
    below = np.mean([s.coverage < 0.93 - 2 * standard_error(r, 0.93) for s, r in every])
    above = np.mean([s.coverage > 0.97 + 2 * standard_error(r, 0.97) for s, r in every])
    wide = np.mean([s.width > 1.15 * (1 + 2 / np.sqrt(2 * r)) for s, r in every])
    inside = (covered >= 0.93) & (covered <= 0.97)
    yield (
        f"{inside.mean():.0%} of the cells cover .93 to .97; were the coverage .95 everywhere, "
        f"simulation noise would leave {noise.mean():.0%} there. {below:.0%} are below .93 and "
        f"{above:.0%} above .97 by more than two standard errors."
    )
    yield (
        f"{(widths <= 1.15).mean():.0%} are at most 1.15 wide, {wide:.0%} are wider by more than "
        f"two standard errors. Coverage is {covered.min():.3f} to {covered.max():.3f}, on average "
        f"{covered.mean():.3f}; the mean width is {widths.mean():.2f}, the largest "
        f"{widths.max():.2f}."
    )


def by_effective_rows(runs: int) -> Iterator[str]:
    """Yield the table of the coverage under weights by the number of rows, line by line."""
    yield "## Under weights, by effective rows\n"
    yield "| measure | feature | " + " | ".join(f"{n} ({_ess(n):.0f})" for n in SIZES) + " |"
    yield "| --- | --- |" + " ---: |" * len(SIZES)
    results = [coverages(n, 10, runs, weighted=True) for n in SIZES]
    for m in MEASURES:
        for j, feature in enumerate(FEATURES):
            line = " | ".join(f"{r[m, j].coverage:.3f} ({r[m, j].width:.2f})" for r in results)
            yield f"| {m} | {feature} | {line} |"
    yield (
        "\nColumns are rows, in brackets the median effective sample size; 10 repeats. A sample "
        "without rows of large weight and large loss shows too little skewness, and intervals from "
        "its own third moment cover .88 to .93 for the squared error below some 600 effective "
        "rows: they end too low. So the skewness under weights is that of `PooledSkewness`, from "
        "moments of the weights and moments of the influences per unit of weight. The intervals "
        "get longer on the side of the tail. Below 30 effective rows, a remark of the result says "
        "that intervals of losses may still end too low. With stronger weights, which leave 27 to "
        "36 % of the rows, intervals of losses covered .92 to .99 in 300 tables of 50, 200 and 600 "
        "rows, at up to 1.27 times the width.\n"
    )
    yield (
        "On 500 tables of 50 to 400 rows each, these were worse. Degrees of freedom from the "
        "weights and the kurtosis: squared error and second feature .91 "
        "to .94, entropies up to 1.00 at up to 1.28 times the width. Intervals that are wider by a "
        "tenth: .91 to .94, entropies .95 to .99. Half of the correction for skewness with a "
        "larger variance: .92 to .94, entropies .965 to .998. On samples whose influences were "
        "known exactly: the shift of Johnson (1978) .80 to .86, the studentised bootstrap with "
        "fixed multipliers .86 to .90, a variance smoothed over the weights .93 to .94.\n"
    )


def _ess(n: int, tables: int = 500) -> float:
    """Median effective sample size of the weights of n rows."""
    rng = np.random.default_rng(n)
    weights = (np.exp(TILT * rng.normal(size=n)) for _ in range(tables))
    return float(np.median([Population.of(n, w).ess for w in weights]))


def main() -> None:
    """Print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=600)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    text = "\n".join(pages(options.runs))
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
