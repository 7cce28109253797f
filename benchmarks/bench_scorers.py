"""Importance for every scorer of scikit-learn, with its interval, beside permutation_importance.

The ratio is our time divided by scikit-learn's for the same features and repeats. Scikit-learn
calls the model for each repeat. Ours has the predictions of an earlier importance, as those of a
second scorer, so that the ratio is about the scorer alone. Scorers of one's own are the last.

The aim is at most 2, and 3 for scorers of one's own. At 10,000 rows, by processor time on a busy
machine, the adjusted mutual information takes 2.2 to 2.3: its expected value, which scikit-learn
computes, takes most of the time and grows with the rows. Of the other lines, those that were once
above 2 take 0.7 to 1.9, scorers of one's own at most 2.2. At 1,000 rows, the adjusted mutual
information takes 1.8.

    python -m benchmarks.bench_scorers [rows [part of a name]]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, PoissonRegressor
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

import uqwidgets as uq

N_FEATURES = 10
N_REPEATS = 10

of_probabilities = partial(make_scorer, response_method="predict_proba")
WITH_ARGUMENTS = (
    make_scorer(metrics.fbeta_score, beta=2),
    make_scorer(metrics.f1_score, average="macro", labels=[1, 0], zero_division=0),
    *(make_scorer(metrics.cohen_kappa_score, weights=w) for w in (None, "linear", "quadratic")),
    make_scorer(metrics.zero_one_loss, greater_is_better=False),
    make_scorer(metrics.hamming_loss, greater_is_better=False),
    make_scorer(metrics.balanced_accuracy_score, adjusted=True),
    of_probabilities(metrics.roc_auc_score, max_fpr=0.2),
    of_probabilities(metrics.average_precision_score, average="weighted"),
    make_scorer(metrics.mean_pinball_loss, alpha=0.9, greater_is_better=False),
    make_scorer(metrics.d2_pinball_score, alpha=0.9),
    make_scorer(metrics.d2_tweedie_score, power=1.5),
    make_scorer(metrics.mean_tweedie_deviance, power=1.5, greater_is_better=False),
)


def mean_gain(y: np.ndarray, p: np.ndarray) -> float:
    """Mean gain of decisions by a probability."""
    return float(np.where(p > 0.3, np.where(y == 1, 5.0, -1.0), 0.0).mean())


def total_cost(y: np.ndarray, predicted: np.ndarray) -> float:
    """Total cost of wrong labels, row by row."""
    return -sum(float(a != b) * (3.0 if a == 1 else 1.0) for a, b in zip(y, predicted, strict=True))


def power_loss(y: np.ndarray, predicted: np.ndarray) -> float:
    """Mean power of the errors."""
    return -float(np.mean(np.abs(y - predicted) ** 1.5))


OWN = (make_scorer(total_cost), of_probabilities(mean_gain), make_scorer(power_loss))


def tasks(rows: int) -> Iterator[tuple[str, Any, pd.DataFrame, np.ndarray]]:
    """Yield a model of two classes, of three, and of positive numbers, with its table."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, N_FEATURES)), columns=list("abcdefghij"))
    z = 2 * X["a"] - X["b"] + 0.5 * rng.normal(size=rows)
    for name, y in (("two classes", (z > 0.5).astype(int)), ("three", np.digitize(z, [-1, 1]))):
        yield name, LogisticRegression().fit(X, y), X, np.asarray(y)
    counts = rng.gamma(5, np.exp(z / 3) / 5)
    yield "numbers", PoissonRegressor().fit(X, counts), X, counts


def seconds(work: Callable[[], object]) -> float:
    """Time of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(
    scorer: Any, label: str, explainer: uq.Explainer, fitted: tuple[Any, pd.DataFrame, np.ndarray]
) -> None:
    """Print the ratios of one scorer, with an interval over rows and over repeats, if it fits."""
    model, X, y = fitted
    options = {"scoring": scorer, "n_repeats": N_REPEATS, "random_state": 0}
    try:
        theirs = seconds(lambda: permutation_importance(model, X, y, **options))
        ours = seconds(lambda: explainer.importance(scorer, n_repeats=N_REPEATS))
        of_repeats = partial(explainer.importance, scorer, n_repeats=N_REPEATS)
        quantile = seconds(lambda: of_repeats(interval="quantile"))
    except (AttributeError, ValueError):  # neither of them has such a score
        return
    print(
        f"{label:64s} {ours:7.2f} s, over scikit-learn x{ours / theirs:5.2f}, "
        f"interval='quantile' x{quantile / theirs:5.2f}",
        flush=True,
    )


def main() -> None:
    """Run every scorer on the tasks that it fits."""
    warnings.simplefilter("ignore")
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    named = [(name, get_scorer(name)) for name in get_scorer_names()]
    scorers = [*named, *((str(scorer), scorer) for scorer in (*WITH_ARGUMENTS, *OWN))]
    for task, model, X, y in tasks(rows):
        explainer = uq.Explainer(model, X, y)
        explainer.importance("prediction" if task == "numbers" else "nll", n_repeats=N_REPEATS)
        for name, scorer in scorers:
            is_of_numbers = "_regression" in scorer._score_func.__module__
            is_own = scorer in OWN
            if part in name and (is_own or is_of_numbers == (task == "numbers")):
                compare(scorer, f"{task}: {name}", explainer, (model, X, y))


if __name__ == "__main__":
    main()
