"""Scikit-learn's metrics as indicators: numbers of a whole set of weighted rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from uqwidgets.names import unknown
from uqwidgets.predictive.distributions import Categorical, Distribution, Floats, Mixture, Point
from uqwidgets.stress.indicators import Indicator


@dataclass(frozen=True, eq=False)
class Metric:
    """A scikit-learn scorer, applied to what the model answered.

    Attributes
    ----------
    name, label, unit : str
    score : callable
        From row weights (n,) to a number, greater is better as scikit-learn has it.
    """

    name: str
    label: str
    unit: str
    _answers: Any
    _y: npt.NDArray[Any]

    def score(self, weights: Floats) -> float:
        """Score the rows under these weights; NaN where the metric is not defined for them."""
        rows = np.arange(len(self._y))[:, None]
        scorer = get_scorer(self.name)
        try:
            return float(scorer(self._answers, rows, self._y, sample_weight=weights))
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(
                f"scikit-learn's {self.name} cannot be an indicator of this model: {error}"
            ) from error


class _Answers(BaseEstimator):  # type: ignore[misc]
    """An estimator that repeats what the model said of each row, asked by its position."""

    def __init__(self, predicted: Any = None) -> None:
        self.predicted = predicted

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        return np.asarray(self.predicted[X[:, 0]])


class _ValueAnswers(RegressorMixin, _Answers):  # type: ignore[misc]
    pass


class _ClassAnswers(ClassifierMixin, _Answers):  # type: ignore[misc]
    def __init__(self, predicted: Any = None, classes_: Any = None) -> None:
        super().__init__(predicted)
        self.classes_ = classes_


class _ProbabilityAnswers(_ClassAnswers):
    def __init__(self, predicted: Any = None, classes_: Any = None, p: Any = None) -> None:
        super().__init__(predicted, classes_)
        self.p = p

    def predict_proba(self, X: npt.NDArray[np.intp]) -> Floats:
        return np.asarray(self.p[X[:, 0]])


def find_indicator(
    name: str,
    offered: Mapping[str, Indicator],
    q: Distribution,
    y: npt.NDArray[Any],
    classes: npt.NDArray[Any] | None,
) -> Indicator | Metric:
    """Return the indicator of this name, or the scikit-learn scorer of this name.

    Raises
    ------
    ValueError
        If there is neither.
    """
    if name in offered:
        return offered[name]
    if name not in get_scorer_names():
        raise ValueError(unknown("indicator", name, list(offered)))
    return Metric(name, name.replace("_", " "), "", _answers(q, classes), y)


def _answers(q: Distribution, classes: npt.NDArray[Any] | None) -> _Answers:
    if q.classes is not None:
        assert isinstance(q, Categorical | Mixture)
        return _ProbabilityAnswers(q.classes[q.mode()], q.classes, q.probabilities)
    value = q.value if isinstance(q, Point) else q.mean()
    return _ValueAnswers(value) if classes is None else _ClassAnswers(value, classes)
