"""Coverage of nominal 95 % intervals of scikit-learn's metrics under stress, by simulation.

The designs, the rows and the truth are those of ``bench_stress_coverage``. An interval of a metric
asks for 66 scores, so that a run takes some ten times as long.

    python benchmarks/bench_stress_metrics.py [runs [design ...]]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script finds the package too

from benchmarks.bench_stress_coverage import DESIGNS, Design, report

NUMBERS = ("r2", "neg_mean_squared_error", "neg_median_absolute_error")
TWO_CLASSES = ("roc_auc", "balanced_accuracy", "neg_log_loss")
MORE_CLASSES = ("roc_auc_ovr", "balanced_accuracy", "neg_log_loss")


def metrics(design: Design) -> tuple[str, ...]:
    """Name metrics of what a design predicts."""
    if design.classes is None:
        return NUMBERS
    return TWO_CLASSES if len(design.classes) == 2 else MORE_CLASSES


if __name__ == "__main__":
    scored = {name: replace(one, indicators=metrics(one)) for name, one in DESIGNS.items()}
    report(scored, sys.argv[1:])
