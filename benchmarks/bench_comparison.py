"""Coverage of paired intervals of the difference of two models, by simulation.

Each run has a new table. Two fixed models of a number are compared by `Explainer.compare`: one
knows the line that made the table, the other has other slopes, and each has its own idea of the
noise. Their errors in the same rows are correlated. Importance, curves at one value, indicators at
two levels of stress and scores are compared. The true difference comes from a table of many rows,
in which every row has one donor.

    python -m benchmarks.bench_comparison [--write] [--runs 400]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import uqwidgets as uq

SIZES = (100, 300, 1000)
MEASURES = ("nll", "entropy", "squared_error")
SCORES = ("nll", "squared_error", "rmse", "large_error")
FEATURES = ("x0", "x1")
CURVES = ("prediction", "entropy")
AT = 1.0
INDICATORS = ("mean", "squared_error", "nll")
TAUS = (-0.5, 0.5)
REPEATS = 5
COVARIANCE = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
SLOPES = np.array([1.0, 0.5, 0.2])
TRUTH_ROWS = 400_000


class Score(NamedTuple):
    """Share of the runs whose interval holds the truth, its width, and that of the unpaired one."""

    coverage: float
    width: float
    unpaired: float
    unpaired_coverage: float


def first(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Predict by the line that made the table."""
    X = np.asarray(X)
    return X @ SLOPES, np.exp(0.1 * X[:, 0] * X[:, 1])


def second(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Predict by other slopes, with another idea of the noise."""
    X = np.asarray(X)
    return X @ [0.8, 0.6, 0.0], np.exp(0.2 * np.tanh(X[:, 0]) * X[:, 1])


def large_error(q: Any, y: np.ndarray) -> np.ndarray:
    """1 where the prediction is wrong by more than one, else 0: a share of the rows."""
    return (np.abs(y - q.mean()) > 1) * 1.0


def table(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw features and target."""
    X = rng.multivariate_normal(np.zeros(3), COVARIANCE, size=n)
    return X, X @ SLOPES + rng.normal(size=n)


def compared(n: int, rng: np.random.Generator) -> uq.ModelComparison:
    """Compare both models in a new table."""
    X, y = table(n, rng)
    own, other = (
        uq.Explainer(model, X, y, random_state=int(rng.integers(2**31)))
        for model in (first, second)
    )
    return own.compare(other)


def _score(name: str) -> Any:
    return large_error if name == "large_error" else name


def truth(rows: int = TRUTH_ROWS) -> dict[tuple[str, str, str], float]:
    """Return the differences in a table of many rows."""
    comparison = compared(rows, np.random.default_rng(12345))
    true = {}
    for measure in MEASURES:
        of_first, of_second = (
            side.importance(measure, FEATURES, n_repeats=1, interval="model")
            for side in (comparison.first, comparison.second)
        )
        values = [dict(zip(i.features, i.importance, strict=True)) for i in (of_first, of_second)]
        for feature in FEATURES:
            true["importance", measure, feature] = values[0][feature] - values[1][feature]
    for what, name, of, result in _curves_and_profiles(comparison, level=None):
        true[what, name, of] = float(result.difference)
    for name in SCORES:
        scores = [s.scores([_score(name)]).value[0] for s in (comparison.first, comparison.second)]
        true["score", name, ""] = float(scores[0] - scores[1])
    return true


def _curves_and_profiles(
    comparison: uq.ModelComparison, level: float | None
) -> Iterator[tuple[str, str, str, Any]]:
    """Yield what is compared, its measure, where, and the line of the result."""
    for measure in CURVES:
        result = comparison.dependence("x0", measure, grid=[AT])
        yield "curve", measure, f"x0 = {AT:g}", _line(result, 0)
    profiles = comparison.stress(["x0"], INDICATORS, taus=TAUS, level=level)
    for at, line in enumerate(profiles.frame.itertuples()):
        if line.tau in TAUS:
            yield "stress", line.indicator, f"x0, tau = {line.tau:g}", _line(profiles, at)


def _line(result: Any, at: int) -> Any:
    """Return one line of a result, with half the width of an unpaired interval."""
    sides = [result.aligned(side).iloc[at] for side in (result.first, result.second)]
    line = result.frame.iloc[at].copy()
    if "low_" in sides[0]:
        line["apart"] = np.hypot(*((side["high_"] - side["low_"]) / 2 for side in sides))
    return line


def ends(comparison: uq.ModelComparison) -> dict[tuple[str, str, str], tuple[float, ...]]:
    """Return both ends of every paired interval, the difference, and the unpaired half width."""
    of_run = {}
    for measure in MEASURES:
        result = comparison.importance(measure, FEATURES, n_repeats=REPEATS)
        apart = np.hypot(*(_half(result.aligned(side)) for side in (result.first, result.second)))
        for line, half in zip(result.frame.itertuples(), apart, strict=True):
            key = "importance", measure, line.feature
            of_run[key] = line.low, line.high, line.difference, float(half)
    for what, name, of, line in _curves_and_profiles(comparison, level=0.95):
        of_run[what, name, of] = line.low, line.high, line.difference, float(line.apart)
    for name in SCORES:
        result = comparison.scores([_score(name)])
        apart = np.hypot(*(_half(result.aligned(side)) for side in (result.first, result.second)))
        line = next(result.frame.itertuples())
        of_run["score", name, ""] = line.low, line.high, line.difference, float(apart[0])
    return of_run


def _half(frame: Any) -> np.ndarray:
    return ((frame["high_"] - frame["low_"]) / 2).to_numpy()


def coverages(
    n: int, runs: int, true: dict[tuple[str, str, str], float]
) -> dict[tuple[str, str, str], Score]:
    """Simulate, and return the coverage and the widths of every interval."""
    rng = np.random.default_rng(n)
    of_runs = [ends(compared(n, rng)) for _ in range(runs)]
    scores = {}
    for key, value in true.items():
        low, high, difference, half = np.array([run[key] for run in of_runs]).T
        scores[key] = Score(
            float(((low <= value) & (value <= high)).mean()),
            float(np.median(high - low) / 2),
            float(np.median(half)),
            float((np.abs(difference - value) <= half).mean()),
        )
    return scores


def report(runs: int) -> str:
    """Return the table of all sizes as Markdown."""
    true = truth()
    of_sizes = {n: coverages(n, runs, true) for n in SIZES}
    lines = [
        "| what | of | where | true difference | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "| --- | --- | --- | ---: |" + " --- |" * len(SIZES),
    ]
    for key, value in true.items():
        cells = [
            f"{s.coverage:.3f}, {s.width:.3g} ({s.unpaired_coverage:.3f}, {s.unpaired:.3g})"
            for s in (of_sizes[n][key] for n in SIZES)
        ]
        lines.append(f"| {' | '.join(key)} | {value:.4g} | {' | '.join(cells)} |")
    every = [s for of in of_sizes.values() for s in of.values()]
    inside = np.mean([0.93 <= s.coverage <= 0.97 for s in every])
    narrower = np.median([s.width / s.unpaired for s in every])
    return "\n".join(
        [
            "# Coverage of paired intervals of the difference of two models",
            "",
            f"Made by `python -m benchmarks.bench_comparison --write --runs {runs}`, which says "
            f"what was simulated: {runs} tables a size, {REPEATS} repeats; the standard error of a "
            f"coverage of .95 is {np.sqrt(0.95 * 0.05 / runs):.3f}. Each cell has the coverage "
            "of the nominal 95 % interval of the difference and half its median width; in brackets "
            "the same for an interval that treats the two models as independent.",
            "",
            *lines,
            "",
            f"{inside:.0%} of the coverages are from .93 to .97, on average "
            f"{np.mean([s.coverage for s in every]):.3f}; those of the unpaired interval are "
            f"{min(s.unpaired_coverage for s in every):.3f} to "
            f"{max(s.unpaired_coverage for s in every):.3f}. The paired interval has "
            f"{narrower:.2f} of the width of the unpaired one (median of all cells).",
            "",
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    text = report(arguments.runs)
    if arguments.write:
        Path(__file__).with_name("comparison.md").write_text(text, encoding="utf-8")
    print(text)
