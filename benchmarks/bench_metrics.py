"""Metrics under many weights beside scikit-learn's functions, and forests beside their predictions.

A metric of importance is scored thousands of times: for each feature, repeat, left-out group and
level of tau. The ratio is the time of scikit-learn's function divided by ours for the same weights,
preparations included. The trees of a forest are read one by one, for their spread, which the
forest's own ``predict_proba`` does not tell.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import get_scorer

import uqwidgets as uq
from uqwidgets.metrics import find_metric

RNG = np.random.default_rng(0)
N_WEIGHTS = 200
OF_CLASSES = (
    *("accuracy", "balanced_accuracy", "matthews_corrcoef", "f1", "precision", "recall"),
    *("f1_macro", "roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"),
)
OF_NUMBERS = ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error")


def seconds(work: Callable[[], object]) -> float:
    """Least time of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def metric(name: str, rows: int) -> None:
    """Print the time of a metric under some weights, and the ratio to scikit-learn's."""
    y: np.ndarray = RNG.integers(2, size=rows)
    q: uq.Categorical | uq.Normal = uq.Categorical(RNG.dirichlet([1, 1], size=rows), [0, 1])
    scorer = get_scorer(name)
    reads = scorer._response_method
    if name in OF_NUMBERS:
        y = RNG.normal(size=rows)
        q = uq.Normal(y + RNG.normal(size=rows), np.ones(rows))
        predicted = q.mean()
    else:
        predicted = q.mode() if reads == "predict" else q.probabilities[:, 1]
    weights = RNG.exponential(size=(N_WEIGHTS, rows))
    known = find_metric(name, None if name in OF_NUMBERS else np.arange(2))

    def ours() -> None:
        score = known.on(q, y)
        for each in weights:
            score(each)

    def theirs() -> None:
        for each in weights:
            scorer._score_func(y, predicted, sample_weight=each, **scorer._kwargs)

    own = seconds(ours)
    ratio = seconds(theirs) / own
    print(f"{name:30s} {rows:8,} rows {1e6 * own / N_WEIGHTS:9.1f} us   scikit-learn x{ratio:.3g}")


def forest(rows: int, trees: int = 500) -> None:
    """Print the time to read the trees of a forest, and the ratio to its own prediction."""
    X, y = make_classification(max(rows, 1_000), random_state=0)
    model = RandomForestClassifier(trees, max_depth=8, random_state=0).fit(X, y)
    read = uq.as_predictive(model, members=True)
    own = seconds(lambda: read(X[:rows]))
    ratio = seconds(lambda: model.predict_proba(X[:rows])) / own
    label = f"forest of {trees} trees"
    print(f"{label:30s} {rows:8,} rows {1e3 * own:9.1f} ms   predict_proba x{ratio:.3g}")


def main() -> None:
    """Run every metric and size."""
    for rows in (500, 20_000):
        for name in (*OF_CLASSES, *OF_NUMBERS):
            metric(name, rows)
    for rows in (50, 500, 5_000):
        forest(rows)


if __name__ == "__main__":
    main()
