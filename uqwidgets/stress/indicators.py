"""What is summarised over the stressed rows (Bachoc et al. 2023, section 3 and A.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.predictive.distributions import Categorical, Distribution, Mixture


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


class Late(Sequence[Floats]):
    """Arrays that are worked out when they are first looked at: some measures take their time."""

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
    """A summary of weighted rows, made of weighted means.

    Attributes
    ----------
    name, label, unit : str
    per_row : sequence of ndarray of shape (n,)
        What is averaged.
    combination : Combination
    bounds : tuple of float
        What it lies between, whatever the rows.
    """

    name: str
    label: str
    unit: str
    per_row: Sequence[Floats]
    combination: Combination
    bounds: tuple[float, float]

    def combine(self, *means: Floats) -> Floats:
        """Return the indicator of these weighted means; NaN where it does not exist."""
        with np.errstate(divide="ignore", invalid="ignore"):
            # By rounding, a share may exceed 1, or a variance be negative.
            return np.asarray(np.clip(self.combination.value(*means), *self.bounds))


@dataclass(frozen=True, eq=False)
class MetricIndicator:
    """A metric of the rows without replacement, as a function of their weights.

    Attributes
    ----------
    name, label, unit : str
    score : callable
        From row weights (n,) to a number; NaN where the metric is not defined for them.
    bounds : tuple of float
        What it lies between, whatever the rows.
    """

    name: str
    label: str
    unit: str
    score: Callable[[Floats], float]
    bounds: tuple[float, float]


def indicators_of(
    q: Distribution,
    truth: npt.NDArray[Any],
    measures: Offers,
    values: Callable[[Measure], Floats],
) -> dict[str, Indicator]:
    """Every indicator that this model allows, by name.

    ``error_rate``, ``share:<class>`` (predicted class) and, of two classes, ``tpr`` and
    ``fpr`` of the second (Bachoc et al. 2023, sections 3.1 and 3.2, the rates by their usual
    definitions) for classifiers; ``mean``, ``variance`` and ``rmse`` of the prediction (Bachoc et
    al. 2023, A.1) for regressors; and the mean of every per-row measure that says what no other
    does.

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
        if isinstance(measure, Measure) and "indicator" in measure.offered_as:
            found[name] = _mean_of(measure, values)
    return found


def find_indicator(
    wanted: object,
    offered: dict[str, Indicator],
    q: Distribution,
    truth: npt.NDArray[Any],
    classes: npt.NDArray[Any] | None,
    measures: Offers,
    values: Callable[[Measure], Floats],
) -> Indicator | MetricIndicator:
    """Return the indicator of this name; else the metric, or the mean of the measure.

    Parameters
    ----------
    wanted : str, scorer or callable
        A name, or whatever `uqwidgets.metrics.find_metric` or `uqwidgets.measures.find` takes.
    offered : dict
        From `indicators_of`.
    q, truth, measures, values
        As for `indicators_of`.
    classes : ndarray of shape (k,) or None
        Of the model.

    Raises
    ------
    ValueError
        If there is none, or it cannot be stressed.
    """
    if isinstance(wanted, str) and wanted in offered:
        return offered[wanted]
    if is_metric(wanted):
        metric = find_metric(wanted, classes)
        if not metric.takes_weights:
            raise ValueError(
                f"{metric.name} takes no weights of rows, which stress consists of; use another."
            )
        score = metric.on(q, truth)
        score(None)  # what cannot be scored at all is said before any column is stressed
        return MetricIndicator(metric.name, metric.label, metric.unit, score, metric.bounds)
    if isinstance(wanted, str) and look_up(wanted, measures) is None:
        raise ValueError(unknown("indicator", wanted, list(offered)))
    measure = find(wanted, measures)  # type: ignore[arg-type]
    return _mean_of(measure, values)


def _mean_of(measure: Measure, values: Callable[[Measure], Floats]) -> Indicator:
    return Indicator(
        measure.name,
        f"mean {measure.label}",
        measure.unit,
        Late(lambda: values(measure)),
        MEAN,
        measure.bounds,
    )
