"""What is summarised over the stressed rows, all from weighted means (004, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from uqwidgets.measures import Measure
from uqwidgets.names import unknown
from uqwidgets.predictive.distributions import Categorical, Distribution, Floats, Normal, Point

# A number per row, and what becomes of the weighted means of these numbers.
PerRow = tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Indicator:
    """A summary of weighted rows.

    Attributes
    ----------
    name, label, unit : str
    per_row : tuple of ndarray of shape (n,)
        What is averaged.
    combine : callable
        From the weighted means, arrays of one shape, to the indicator.
    """

    name: str
    label: str
    unit: str
    per_row: PerRow
    combine: Callable[..., Floats]


def indicators_of(
    q: Distribution, measures: Mapping[str, Measure | str], values: Callable[[Measure], Floats]
) -> dict[str, Indicator]:
    """Every indicator that this model allows, by name.

    ``error_rate`` and ``share:<class>`` (predicted class, 004, sections 3.1 and 3.2) for
    classifiers; ``mean``, ``variance`` and ``rmse`` of the prediction (004, A.1) for
    regressors; and the mean of every per-row measure.

    Parameters
    ----------
    q : Distribution
        The model's answer for the rows as they are.
    measures : dict
        From `uqwidgets.measures.available`.
    values : callable
        Gives a measure of every row, shape (n,).
    """
    found: dict[str, Indicator] = {}

    def add(name: str, label: str, combine: Callable[..., Floats], *per_row: Floats) -> None:
        found[name] = Indicator(name, label, "", per_row, combine)

    zero_one = measures.get("zero_one")
    if isinstance(zero_one, Measure):
        add("error_rate", "error rate", _mean, values(zero_one))
    if isinstance(q, Categorical):
        predicted = q.mode()
        for column, label in enumerate(str(c) for c in q.classes.tolist()):
            add(f"share:{label}", f"share predicted {label}", _mean, (predicted == column) * 1.0)
    squared, value = measures.get("squared_error"), measures.get("prediction")
    if isinstance(q, (Normal, Point)) and isinstance(squared, Measure):
        assert isinstance(value, Measure)
        prediction = values(value)
        # Around their own mean: the variance would drown in a large one.
        centred = prediction - prediction.mean()
        add("mean", "mean prediction", _mean, prediction)
        add("variance", "variance of prediction", _variance, np.square(centred), centred)
        add("rmse", "RMSE", np.sqrt, values(squared))
    for name, measure in measures.items():
        if isinstance(measure, Measure) and name not in ("zero_one", "prediction"):
            found[name] = Indicator(
                name, f"mean {measure.label}", measure.unit, (values(measure),), _mean
            )
    return found


def find_indicator(name: str, offered: Mapping[str, Indicator]) -> Indicator:
    """Return the indicator of this name.

    Raises
    ------
    ValueError
        If this model does not give it.
    """
    if name not in offered:
        raise ValueError(unknown("indicator", name, list(offered)))
    return offered[name]


def _mean(mean: Floats) -> Floats:
    return mean


def _variance(square: Floats, mean: Floats) -> Floats:
    # Where one row holds all the weight, the two are equal but for rounding.
    return np.maximum(square - np.square(mean), 0.0)
