"""What a model expects of itself in rows whose target is not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.predictive.distributions import Categorical, Mixture, Point


def expected_loss(score: str, q: Any) -> Floats | None:
    """Return the loss of each row that its predictive distribution expects, shape (n,).

    It is the mean of the loss over targets that are drawn from the distribution: of nll the
    entropy, of the error rate one minus the largest probability, of the Brier score the sum of
    p (1 - p), of the squared error the variance.

    Parameters
    ----------
    score : str
        Name of a measure or of an indicator.
    q : Distribution

    Returns
    -------
    ndarray of shape (n,) or None
        None where it is not known in closed form. That of ``rmse`` is squared.
    """
    if isinstance(q, Point):
        return None
    has_classes = isinstance(q, Categorical | Mixture) and q.classes is not None
    of = (_OF_CLASSES if has_classes else _OF_NUMBERS).get(score)
    if of is None:
        return None
    try:
        return np.asarray(of(q), dtype=np.float64)
    except ValueError:  # a distribution without an entropy
        return None


def _brier(q: Any) -> Floats:
    p = q.probabilities
    total = (p * (1 - p)).sum(axis=1)
    # The Brier score of two classes is the squared error of one probability.
    return np.asarray(total / 2 if p.shape[1] == 2 else total)


_OF_CLASSES: dict[str, Callable[[Any], Floats]] = {
    "nll": lambda q: q.entropy(),
    "error_rate": lambda q: 1 - q.probabilities.max(axis=1),
    "zero_one": lambda q: 1 - q.probabilities.max(axis=1),
    "brier": _brier,
}
_OF_NUMBERS: dict[str, Callable[[Any], Floats]] = {
    "nll": lambda q: q.entropy(),
    "squared_error": lambda q: q.variance(),
    "rmse": lambda q: q.variance(),
}
