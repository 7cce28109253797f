"""The two arguments of a scikit-learn metric: true values, and predictions in its format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

import numpy as np

from uqwidgets._typing import Labels
from uqwidgets._utils.options import brief
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    Mixture,
    Point,
    PredictedLabels,
    label_positions,
)


def number_inputs(q: Distribution, y: Labels) -> tuple[Labels, Labels]:
    """Return the true numbers and the predicted means."""
    return y, q.mean()


@dataclass(frozen=True, eq=False)
class LabelInputs:
    """True and predicted labels.

    Attributes
    ----------
    classes : ndarray of shape (k,)
        Classes of the model.
    labels : ndarray of shape (k,)
        Label that the scorer receives for each of them: the class itself, or its position.
    """

    classes: Labels
    labels: Labels

    def __call__(self, q: Categorical | Mixture | Point, y: Labels) -> tuple[Labels, Labels]:
        """Return the true labels and the predicted ones."""
        if isinstance(q, Point) and not isinstance(q, PredictedLabels):
            return self._converted(y), self._converted(q.value)
        labels, predicted = self.labels, q.mode()
        if isinstance(q, PredictedLabels) and predicted.max(initial=0) >= len(labels):
            # The model's own predict answers labels that are none of the classes.
            known = q.classes
            labels = known if self.labels is self.classes else np.arange(len(known))
        return labels[y], labels[predicted]

    def cells(self, q: Categorical | Mixture | Point, y: Labels) -> Labels | None:
        """Return the cell of the confusion matrix of each row; None if a label is no class."""
        if isinstance(q, Point) and q.classes is None:
            true, predicted = (label_positions(each, self.classes) for each in (y, q.value))
        else:
            true, predicted = y, q.mode()
        k = len(self.classes)
        is_class = (true >= 0) & (predicted >= 0) & (predicted < k)
        return np.asarray(true * k + predicted) if is_class.all() else None

    def _converted(self, classes: Labels) -> Labels:
        if self.labels is self.classes:
            return classes
        # A predicted label that is none of the classes is a wrong prediction: -1.
        return label_positions(classes, self.classes)


@dataclass(frozen=True, eq=False)
class ProbabilityInputs:
    """True labels, and probabilities in the sorted order of classes that scikit-learn expects.

    Attributes
    ----------
    labels : ndarray of shape (k,)
        Label that the scorer receives for each class.
    columns : int or ndarray of shape (k,)
        Column of the probability of the positive class of two, or the order of all columns.
    """

    labels: Labels
    columns: Any

    @classmethod
    def of(
        cls, labels: Labels, arguments: dict[str, Any], parameters: Mapping[str, Parameter]
    ) -> ProbabilityInputs:
        """Add the classes to the arguments, because some sets of rows may lack some of them.

        Raises
        ------
        ValueError
            If the classes have no order, or the positive one is none of them.
        """
        try:
            order = np.argsort(labels)
        except TypeError:
            raise ValueError("its classes have no order; make them all texts or numbers") from None
        columns: Any = order
        if len(labels) == 2:
            default = parameters["pos_label"].default if "pos_label" in parameters else None
            positive = arguments.get("pos_label", default)
            if positive is None:
                positive = labels[order[-1]]
            if positive not in labels.tolist():
                raise ValueError(
                    f"its pos_label is {brief(positive)}, which is none of the classes"
                )
            columns = labels.tolist().index(positive)
            if "pos_label" in parameters:
                arguments["pos_label"] = positive
        if "labels" in parameters:
            arguments.setdefault("labels", labels[order])
        return cls(labels, columns)

    def __call__(self, q: Categorical | Mixture | Point, y: Labels) -> tuple[Labels, Labels]:
        """Return the true labels and the probabilities.

        Raises
        ------
        ValueError
            If the model predicts labels only.
        """
        if isinstance(q, Point):
            raise ValueError("it needs probabilities, and the model predicts labels only")
        return self.labels[y], q.probabilities[:, self.columns]
