"""Probabilities of classes: those of all, or of the second of two alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Labels
from uqwidgets.predictive.adapters.base import Options, one_column
from uqwidgets.predictive.base import floats, unmasked
from uqwidgets.predictive.distributions import Categorical, InvalidRowError, SumError

# Where probabilities lie by rounding in single precision.
_NEARLY = 1e-6


def probabilities(
    answer: Any, labels: Labels, options: Options, refuse: Callable[[], None] = lambda: None
) -> Categorical:
    """Read an answer as probabilities.

    Parameters
    ----------
    answer : array-like of shape (n, k), or with two labels also (n,) or (n, 1)
        One column alone is the probability of the second label.
    labels : ndarray of shape (k,)
    options : Options
        ``normalize`` divides scores by their sum.
    refuse : callable
        Raises an error where the answer holds several labels for each row; called before scores
        that do not sum to one are normalised or refused.

    Raises
    ------
    InvalidRowError
        If the probabilities of a row are not between 0 and 1, or do not sum to one.
    """
    if len(labels) == 2 and _is_one_column(answer):
        second = floats(one_column(answer), "probabilities")
        inside = (second >= -_NEARLY) & (second <= 1 + _NEARLY)
        if not inside.all():
            row = int(np.argmin(inside))
            label = labels.tolist()[1]
            raise InvalidRowError(
                f"probability of the class {label!r} is {second[row]:g}",
                row,
                "; one number for each row is read so, because there are two classes",
            )
        second = np.clip(second, 0.0, 1.0)
        return Categorical(np.column_stack([1 - second, second]), labels)
    try:
        return Categorical(answer, labels)
    except SumError as error:
        refuse()
        if not options.normalize:
            raise InvalidRowError(
                error.problem,
                error.row,
                "; if they are scores of one class against the others, pass "
                "as_predictive(model, normalize=True), which divides them by their sum",
            ) from None
    scores = floats(answer, "scores")
    total = scores.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        row = int(np.argmin(total[:, 0] > 0))
        raise InvalidRowError(f"scores of all classes sum to {total[row, 0]:g}", row)
    shares: Any = scores / total
    if hasattr(answer, "columns"):  # whose names say which class is which
        shares = pd.DataFrame(shares, columns=answer.columns)
    return Categorical(shares, labels)


def _is_one_column(answer: Any) -> bool:
    shape = np.shape(unmasked(answer))
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)
