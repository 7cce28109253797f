"""Indicators: the weighted summaries of the stressed rows (Bachoc et al. 2023, section 3, A.1).

To add one, yield it from `of_classes` if the target is a class and from `of_numbers` if it is a
number. Nothing else has to know of it: its curve, its interval, its axis and its place in the
widget follow from its outputs per row, its combination and its bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.measures import (
    NON_NEGATIVE,
    UNBOUNDED,
    UNIT_INTERVAL,
    Measure,
    Offers,
    find,
    look_up,
)
from uqwidgets.metrics import Metric, find_metric, is_metric
from uqwidgets.predictive.distributions import Distribution


@dataclass(frozen=True)
class Combination:
    """A function of weighted means with its derivatives, which the delta method needs.

    Attributes
    ----------
    value : callable
        From the weighted means, arrays of the same shape, to the indicator.
    slopes : callable
        From the same means to the derivative with respect to each.
    """

    value: Callable[..., Floats]
    slopes: Callable[..., tuple[Floats, ...]]


MEAN = Combination(lambda mean: mean, lambda mean: (np.ones_like(mean),))
VARIANCE = Combination(
    lambda square, mean: square - np.square(mean),
    lambda square, mean: (np.ones_like(square), -2 * mean),
)
ROOT = Combination(np.sqrt, lambda mean: (0.5 / np.sqrt(mean),))
RATIO = Combination(
    lambda part, whole: part / whole,
    lambda part, whole: (1 / whole, -part / np.square(whole)),
)

ANY, POSITIVE, SHARE = UNBOUNDED, NON_NEGATIVE, UNIT_INTERVAL


class LazyColumn(Sequence[Floats]):
    """A sequence of one array that is computed at first use, because some measures are slow."""

    def __init__(self, compute: Callable[[], Floats]) -> None:
        self._compute = compute

    @cached_property
    def _array(self) -> Floats:
        return self._compute()

    def __len__(self) -> int:
        return 1

    @overload
    def __getitem__(self, place: int) -> Floats: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Floats]: ...
    def __getitem__(self, place: int | slice) -> Floats | Sequence[Floats]:
        return (self._array,)[place]


@dataclass(frozen=True, eq=False)
class Indicator:
    """A summary of weighted rows that is a function of weighted means.

    Attributes
    ----------
    name, label, unit : str
    per_row : sequence of ndarray of shape (n,)
        The outputs that are averaged.
    combination : Combination
    bounds : tuple of float
        Lower and upper bound, for any rows.
    identity : hashable
        Distinguishes the mean of a function of the user from others of the same name.
    """

    name: str
    label: str
    unit: str
    per_row: Sequence[Floats] = field(repr=False)
    combination: Combination = field(repr=False)
    bounds: tuple[float, float]
    identity: Hashable = field(default=None, repr=False)

    def combine(self, *means: Floats) -> Floats:
        """Compute the indicator from weighted means; NaN where it is not defined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            # By rounding, a share may exceed 1, or a variance be negative.
            return np.asarray(np.clip(self.combination.value(*means), *self.bounds))


@dataclass(frozen=True, eq=False)
class MetricIndicator:
    """A metric of all rows together, such as ROC AUC, as an indicator.

    Attributes
    ----------
    name, label, unit : str
    score : callable
        From row weights (n,) to a number; NaN where the metric is not defined for them.
    bounds : tuple of float
        Lower and upper bound, for any rows.
    """

    name: str
    label: str
    unit: str
    score: Callable[[Floats], float] = field(repr=False)
    bounds: tuple[float, float]


def indicators_of(
    q: Distribution,
    truth: npt.NDArray[Any] | None,
    measures: Offers,
    values: Callable[[Measure], Floats],
    n_classes: int,
) -> dict[str, Indicator]:
    """Return all indicators that a model allows, by name.

    ``error_rate``, ``share:<class>`` (predicted class) and, of two classes, ``tpr`` and
    ``fpr`` of the second (Bachoc et al. 2023, sections 3.1 and 3.2, the rates by their usual
    definitions) for classifiers; ``mean``, ``variance`` and ``rmse`` of the prediction (Bachoc et
    al. 2023, A.1) for regressors; and the mean of every per-row measure that is not the same as
    another one.

    Parameters
    ----------
    q : Distribution
        What the model predicts for the original rows, labels of `predict` where they differ.
    truth : ndarray of shape (n,) or None
        Class positions where the distribution has classes, otherwise the values of the target;
        None if the target is not known, and with it the indicators that need it.
    measures : dict
        From `uqwidgets.measures.available`.
    values : callable
        From a measure to its values, shape (n,).
    n_classes : int
        How many classes the model knows; labels that are none of them may be predicted as well.
    """
    declared = [
        *of_labels(measures, values),
        *(
            of_classes(q, truth, n_classes)
            if q.classes is not None
            else of_numbers(measures, values)
        ),
        *means_of_measures(measures, values),
    ]
    return {indicator.name: indicator for indicator in declared}


def of_labels(measures: Offers, values: Callable[[Measure], Floats]) -> Iterator[Indicator]:
    """Yield the indicators of predicted labels."""
    zero_one = measures.get("zero_one")
    if isinstance(zero_one, Measure):
        yield Indicator("error_rate", "error rate", "", (values(zero_one),), MEAN, SHARE)


def of_classes(
    q: Distribution, truth: npt.NDArray[Any] | None, n_classes: int
) -> Iterator[Indicator]:
    """Yield the indicators of predicted classes."""
    assert q.classes is not None
    predicted, classes = q.mode(), [str(c) for c in q.classes.tolist()]
    for column, label in enumerate(classes):
        share = ((predicted == column) * 1.0,)
        yield Indicator(f"share:{label}", f"share predicted {label}", "", share, MEAN, SHARE)
    if n_classes == 2 and truth is not None:
        hit, yes = (predicted == 1) * 1.0, (truth == 1) * 1.0
        for name, rate, of in (("tpr", "true", yes), ("fpr", "false", 1 - yes)):
            label = f"{rate} positive rate of {classes[1]}"
            yield Indicator(name, label, "", (hit * of, of), RATIO, SHARE)


def of_numbers(measures: Offers, values: Callable[[Measure], Floats]) -> Iterator[Indicator]:
    """Yield the indicators of predicted numbers."""
    squared, value = measures.get("squared_error"), measures.get("prediction")
    if isinstance(value, Measure):
        prediction = values(value)
        # Centred, because the variance would lose its digits beside the square of a large mean.
        centred = prediction - prediction.mean()
        outputs = (np.square(centred), centred)
        yield Indicator("mean", "mean prediction", "", (prediction,), MEAN, ANY)
        yield Indicator("variance", "variance of prediction", "", outputs, VARIANCE, POSITIVE)
    if isinstance(squared, Measure):
        yield Indicator("rmse", "RMSE", "", (values(squared),), ROOT, POSITIVE)


def means_of_measures(measures: Offers, values: Callable[[Measure], Floats]) -> Iterator[Indicator]:
    """Yield the means of measures."""
    for measure in measures.values():
        if isinstance(measure, Measure) and "indicator" in measure.offered_as:
            yield _mean_of(measure, values)


def find_indicator(
    entry: object,
    available: dict[str, Indicator],
    read: Callable[[Metric], Distribution],
    truth: npt.NDArray[Any] | None,
    classes: npt.NDArray[Any] | None,
    measures: Offers,
    values: Callable[[Measure], Floats],
) -> Indicator | MetricIndicator:
    """Return the indicator of a name, or else the metric, or else the mean of the measure.

    Parameters
    ----------
    entry : str, scorer or callable
        A name, or anything that `uqwidgets.metrics.find_metric` or `uqwidgets.measures.find`
        accepts.
    available : dict
        From `indicators_of`.
    read : callable
        From a metric to what it reads of the original rows.
    truth, measures, values
        As for `indicators_of`.
    classes : ndarray of shape (k,) or None
        Classes of the model.

    Raises
    ------
    ValueError
        If there is no such indicator, or the metric does not accept weights or needs a target
        that is not known.
    """
    if isinstance(entry, str) and entry in available:
        return available[entry]
    if is_metric(entry):
        metric = find_metric(entry, classes)
        if not metric.takes_weights:
            raise ValueError(
                f"{metric.name} takes no sample weights, and stress weights the rows; use another "
                "metric."
            )
        if truth is None:
            raise ValueError(f"{metric.name} needs y; pass it to Explainer.")
        score = metric.on(read(metric), truth)
        score(None)  # raises before any column is stressed if the model cannot be scored
        return MetricIndicator(metric.name, metric.label, metric.unit, score, metric.bounds)
    if isinstance(entry, str) and look_up(entry, measures) is None:
        raise ValueError(unknown("indicator", entry, list(available)))
    measure = find(entry, measures)  # type: ignore[arg-type]
    return _mean_of(measure, values)


def _mean_of(measure: Measure, values: Callable[[Measure], Floats]) -> Indicator:
    return Indicator(
        measure.name,
        f"mean {measure.label}",
        measure.unit,
        LazyColumn(lambda: values(measure)),
        MEAN,
        measure.bounds,
        measure.identity,
    )
