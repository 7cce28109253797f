"""Coverage of nominal 95 % intervals of scikit-learn's metrics under stress, by simulation.

The designs and the rows are those of ``bench_stress_coverage``. An interval of a metric needs 66
scores of each feature at each level, so that one run takes about ten seconds, some ten times as
long. So there are 12 runs of three designs by default, of which only the mean coverage over
features and levels means something; for that of one line, pass more runs, and a design.

    python -m benchmarks.bench_stress_metrics [runs [design ...]]    print the table
    python -m benchmarks.bench_stress_metrics --write 40             write stress_metrics.md
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script finds the package too

from benchmarks.bench_stress_coverage import ANCHORS, DESIGNS, ROWS, Design, covered

RESULTS = Path(__file__).with_name("stress_metrics.md")
NUMBERS = ("r2", "neg_mean_squared_error", "neg_median_absolute_error")
TWO_CLASSES = ("roc_auc", "balanced_accuracy", "neg_log_loss")
MORE_CLASSES = ("roc_auc_ovr", "balanced_accuracy", "neg_log_loss")
# One design for numbers, for two and for more classes.
SOME = ("normal and skewed", "unbalanced", "three classes")
RUNS = 12
# Their errors are a twentieth of those of the rows of a run.
POPULATION = 200_000
TAUS = (-1.0, -0.5, 0.0, 0.5, 1.0)

# Coverage at every tau, by design, metric and stressed feature.
Coverages = dict[tuple[str, str, str], Sequence[float]]


def metrics(design: Design) -> tuple[str, ...]:
    """Name metrics of what a design predicts."""
    if design.classes is None:
        return NUMBERS
    return TWO_CLASSES if len(design.classes) == 2 else MORE_CLASSES


def coverages(names: Sequence[str], runs: int) -> Coverages:
    """Simulate the coverage of every metric at every level."""
    result: Coverages = {}
    for name in names:
        design = replace(DESIGNS[name], indicators=metrics(DESIGNS[name]))
        shares = covered(design, runs, list(DESIGNS).index(name), ANCHORS[:1], POPULATION)
        result |= {(name, metric, x): line for (_, metric, x), line in shares.items()}
    return result


def page(result: Mapping[tuple[str, str, str], Sequence[float]], runs: int) -> Iterator[str]:
    """Yield the report, line by line."""
    error = np.sqrt(0.95 * 0.05 / runs)
    yield "# Coverage of the intervals of metrics under stress\n"
    yield (
        f"Made by `python -m benchmarks.bench_stress_metrics --write {runs}`: {runs} tables of "
        f"{ROWS} rows of each design, nominal level 0.95, anchors at the quantiles of 5 and 95 %. "
        f"The standard error of a coverage of .95 is {error:.3f} in a single cell; the cells of a "
        "design share their tables, so that their errors are correlated.\n"
    )
    columns = " | ".join(f"tau = {tau:g}" for tau in TAUS)
    yield f"| design | metric | stressed feature | {columns} |"
    yield "| --- | --- | --- |" + " ---: |" * len(TAUS)
    for (design, metric, feature), line in result.items():
        cells = " | ".join(f"{share:.3f}" for share in line)
        yield f"| {design} | {metric} | {feature} | {cells} |"
    yield "\nMeans over designs and stressed features:\n"
    yield "| metric | up to tau = 0.5 on both sides | tau = -1 and 1 |"
    yield "| --- | ---: | ---: |"
    for name in sorted({metric for _, metric, _ in result}):
        lines = np.array([line for (_, metric, _), line in result.items() if metric == name])
        yield f"| {name} | {lines[:, 1:4].mean():.3f} | {lines[:, [0, 4]].mean():.3f} |"
    every = np.array(list(result.values()))
    yield (
        f"\nOver all metrics, {every[:, 1:4].mean():.3f} up to tau = 0.5 and "
        f"{every[:, [0, 4]].mean():.3f} at the ends."
    )


def main() -> None:
    """Print or write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    parser.add_argument("designs", nargs="*", default=SOME)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = "\n".join(page(coverages(options.designs, options.runs), options.runs)) + "\n"
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
