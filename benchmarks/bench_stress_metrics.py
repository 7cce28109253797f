"""Coverage of nominal 95 % intervals of scikit-learn's metrics under stress, by simulation.

The designs and the rows are those of ``bench_stress_coverage``. An interval of a metric needs 66
scores of each feature at each level, so that one run takes some ten times as long, between one and
ten seconds. So there are 12 runs of three designs by default, of which only the mean coverage over
features and levels means something; for that of one line, pass more runs, and a design.

    python benchmarks/bench_stress_metrics.py [runs [design ...]]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script finds the package too

from benchmarks.bench_stress_coverage import ANCHORS, DESIGNS, Design, report

NUMBERS = ("r2", "neg_mean_squared_error", "neg_median_absolute_error")
TWO_CLASSES = ("roc_auc", "balanced_accuracy", "neg_log_loss")
MORE_CLASSES = ("roc_auc_ovr", "balanced_accuracy", "neg_log_loss")
# One design for numbers, for two and for more classes.
SOME = ("normal and skewed", "unbalanced", "three classes")
RUNS = 12
# Their errors are a twentieth of those of the rows of a run.
POPULATION = 200_000


def metrics(design: Design) -> tuple[str, ...]:
    """Name metrics of what a design predicts."""
    if design.classes is None:
        return NUMBERS
    return TWO_CLASSES if len(design.classes) == 2 else MORE_CLASSES


if __name__ == "__main__":
    scored = {name: replace(one, indicators=metrics(one)) for name, one in DESIGNS.items()}
    report(scored, sys.argv[1:], RUNS, SOME, ANCHORS[:1], POPULATION)
