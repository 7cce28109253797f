"""Importance and curves compared with one bulk predict of the same rows, and with scikit-learn.

The limit is the time of the model itself for all replaced rows in one call. Our time includes the
construction of the `Explainer`, both importances (nll and entropy) with their intervals, and three
measures of every curve.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.inspection import partial_dependence, permutation_importance

import uqwidgets as uq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script finds the package too

from benchmarks.quickstart_model import breast_cancer

ROUNDS = 7


class Recording:
    """A model that records the rows of every call."""

    def __init__(self, model: Any) -> None:
        self.requests: list[pd.DataFrame] = []
        self.classes_ = model.classes_
        self.feature_names_in_ = model.feature_names_in_
        self.n_features_in_ = model.n_features_in_
        self._model = model

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Predict as the model does, and record the rows."""
        self.requests.append(X)
        return self._model.predict_proba(X)


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(
    name: str, model: Any, ours: Callable[[Any], Any], theirs: Callable[[], object]
) -> None:
    """Print the median ratio of ours to the limit, run in turn; and scikit-learn's, run once."""
    recording = Recording(model)
    explainer = ours(recording)
    rows = pd.concat(recording.requests, ignore_index=True)
    pairs = [
        (seconds(lambda: ours(model)), seconds(lambda: model.predict_proba(rows)))
        for _ in range(ROUNDS)
    ]
    limit = statistics.median(limit for _, limit in pairs)
    ratios = sorted(own / bulk for own, bulk in pairs)
    print(f"{name}: {len(rows):,} rows in {explainer.model_calls} model calls")
    print(f"  limit (one bulk predict of these rows)  {limit:.3f} s")
    print(
        f"  uqwidgets     {statistics.median(ratios):6.2f} x the limit "
        f"(from {ratios[0]:.2f} to {ratios[-1]:.2f} in {ROUNDS} rounds)"
    )
    print(f"  scikit-learn  {seconds(theirs) / limit:6.2f} x the limit")


def main() -> None:
    """Run both comparisons."""
    model, X, y = breast_cancer()

    def importances(model: Any) -> uq.Explainer:
        explainer = uq.Explainer(model, X, y)
        explainer.importance("nll", n_repeats=10)
        explainer.importance("entropy", n_repeats=10)
        return explainer

    def curves(model: Any) -> uq.Explainer:
        explainer = uq.Explainer(model, X, y)
        for measure in ("prediction", "entropy", "nll"):
            explainer.dependences(measure=measure, grid=50)
        return explainer

    def sklearn_curves() -> None:
        for feature in X:
            partial_dependence(
                model, X, [feature], grid_resolution=50, percentiles=(0, 1), kind="both"
            )

    compare(
        "importance, 30 features x 10 repeats",
        model,
        importances,
        lambda: permutation_importance(model, X, y, scoring="neg_log_loss", n_repeats=10),
    )
    compare("PD and ICE, 30 features x 50 points", model, curves, sklearn_curves)


if __name__ == "__main__":
    main()
