"""What is summarised over the stressed rows (004, section 3 and A.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from uqwidgets.measures import Measure
from uqwidgets.predictive.distributions import Categorical, Distribution, Floats, Mixture


@dataclass(frozen=True)
class Combination:
    """A function of weighted means, with its slopes: what an interval needs besides the means.

    Attributes
    ----------
    value : callable
        From the weighted means, arrays of one shape, to the indicator.
    slopes : callable
        From the same means to the derivative by each.
    """

    value: Callable[..., Floats]
    slopes: Callable[..., tuple[Floats, ...]]


MEAN = Combination(lambda mean: mean, lambda mean: (np.ones_like(mean),))
# Where one row holds all the weight, square and mean are equal but for rounding.
VARIANCE = Combination(
    lambda square, mean: np.maximum(square - np.square(mean), 0.0),
    lambda square, mean: (np.ones_like(square), -2 * mean),
)
ROOT = Combination(np.sqrt, lambda mean: (0.5 / np.sqrt(mean),))
RATIO = Combination(
    lambda part, whole: part / whole,
    lambda part, whole: (1 / whole, -part / np.square(whole)),
)

ANY, POSITIVE, SHARE = (-np.inf, np.inf), (0.0, np.inf), (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Indicator:
    """A summary of weighted rows, made of weighted means.

    Attributes
    ----------
    name, label, unit : str
    per_row : tuple of ndarray of shape (n,)
        What is averaged.
    combination : Combination
    bounds : tuple of float
        What it lies between, whatever the rows.
    """

    name: str
    label: str
    unit: str
    per_row: tuple[Floats, ...]
    combination: Combination
    bounds: tuple[float, float]

    def combine(self, *means: Floats) -> Floats:
        """Return the indicator of these weighted means; NaN where it does not exist."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.combination.value(*means))


def indicators_of(
    q: Distribution,
    truth: np.ndarray,
    measures: Mapping[str, Measure | str],
    values: Callable[[Measure], Floats],
) -> dict[str, Indicator]:
    """Every indicator that this model allows, by name.

    ``error_rate``, ``share:<class>`` (predicted class) and, of two classes, ``tpr`` and
    ``fpr`` of the second (004, sections 3.1 and 3.2, the rates by their usual definitions)
    for classifiers; ``mean``, ``variance`` and ``rmse`` of the prediction (004, A.1) for
    regressors; and the mean of every per-row measure.

    Parameters
    ----------
    q : Distribution
        The model's answer for the rows as they are.
    truth : ndarray of shape (n,)
        Class positions where the answer has classes, the target's own values otherwise.
    measures : dict
        From `uqwidgets.measures.available`.
    values : callable
        Gives a measure of every row, shape (n,).
    """
    found: dict[str, Indicator] = {}

    def add(name: str, label: str, combination: Combination, *per_row: Floats) -> None:
        bounds = POSITIVE if combination in (ROOT, VARIANCE) else SHARE
        found[name] = Indicator(name, label, "", per_row, combination, bounds)

    zero_one = measures.get("zero_one")
    if isinstance(zero_one, Measure):
        add("error_rate", "error rate", MEAN, values(zero_one))
    if q.classes is not None:
        assert isinstance(q, Categorical | Mixture)
        predicted, classes = q.mode(), [str(c) for c in q.classes.tolist()]
        for column, label in enumerate(classes):
            add(f"share:{label}", f"share predicted {label}", MEAN, (predicted == column) * 1.0)
        if len(classes) == 2:
            hit, yes = (predicted == 1) * 1.0, (truth == 1) * 1.0
            add("tpr", f"true positive rate of {classes[1]}", RATIO, hit * yes, yes)
            add("fpr", f"false positive rate of {classes[1]}", RATIO, hit * (1 - yes), 1 - yes)
    squared, value = measures.get("squared_error"), measures.get("prediction")
    if q.classes is None and isinstance(squared, Measure):
        assert isinstance(value, Measure)
        prediction = values(value)
        # Around their own mean: the variance would drown in a large one.
        centred = prediction - prediction.mean()
        found["mean"] = Indicator("mean", "mean prediction", "", (prediction,), MEAN, ANY)
        add("variance", "variance of prediction", VARIANCE, np.square(centred), centred)
        add("rmse", "RMSE", ROOT, values(squared))
    for name, measure in measures.items():
        if isinstance(measure, Measure) and name not in ("zero_one", "prediction"):
            label, per_row = f"mean {measure.label}", (values(measure),)
            bounds = _bounds(name, q.classes is not None)
            found[name] = Indicator(name, label, measure.unit, per_row, MEAN, bounds)
    return found


def _bounds(measure: str, classes: bool) -> tuple[float, float]:
    if measure.startswith("probability:"):
        return SHARE
    # Of a density, nll and entropy may be negative.
    positive = measure == "squared_error" or (classes and measure in ("nll", "entropy"))
    return POSITIVE if positive else ANY
