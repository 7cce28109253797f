"""What the values of scikit-learn's metrics lie between, whatever the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy import inf

Bounds = tuple[float, float]

_FUNCTIONS: dict[Bounds, tuple[str, ...]] = {
    (0.0, 1.0): (
        *("accuracy_score", "balanced_accuracy_score", "top_k_accuracy_score", "zero_one_loss"),
        *("average_precision_score", "roc_auc_score", "hamming_loss"),
        *("f1_score", "fbeta_score", "jaccard_score", "precision_score", "recall_score"),
    ),
    (-1.0, 1.0): ("matthews_corrcoef", "cohen_kappa_score"),
    (-inf, 1.0): (
        *("r2_score", "explained_variance_score", "d2_brier_score", "d2_log_loss_score"),
        *("d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score"),
    ),
    (0.0, inf): (
        *("brier_score_loss", "hinge_loss", "log_loss", "mean_pinball_loss"),
        *("mean_absolute_error", "median_absolute_error", "mean_absolute_percentage_error"),
        *("mean_squared_error", "mean_squared_log_error"),
        *("root_mean_squared_error", "root_mean_squared_log_error"),
        *("mean_gamma_deviance", "mean_poisson_deviance", "mean_tweedie_deviance"),
        *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    ),
}
_BOUNDS = {name: bounds for bounds, names in _FUNCTIONS.items() for name in names}


def bounds_of(function: Callable[..., Any], arguments: Mapping[str, Any], sign: int) -> Bounds:
    """Return what a scorer's values lie between; a function of one's own may give any number.

    Parameters
    ----------
    function : callable
        Of the scorer.
    arguments : dict
        What it is called with.
    sign : {1, -1}
        -1 where the scorer turns a loss round.
    """
    # Counts of rows in place of shares; and no better than chance is 0.
    otherwise = not arguments.get("normalize", True) or arguments.get("adjusted", False)
    if otherwise or not function.__module__.startswith("sklearn.metrics"):
        return -inf, inf
    low, high = _BOUNDS.get(function.__name__, (-inf, inf))
    return (low, high) if sign > 0 else (-high, -low)
