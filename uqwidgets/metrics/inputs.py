"""What scikit-learn is shown of the answers: labels, or probabilities of sorted classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.predictive.distributions import Categorical, Distribution, Mixture, Point

Labels = npt.NDArray[Any]


def numbers(q: Distribution, y: Labels) -> tuple[Labels, Labels]:
    """Read the numbers that are true and those that are predicted."""
    return y, q.mean()


@dataclass(frozen=True, eq=False)
class ShownLabels:
    """True and predicted labels, each class as it is shown to the scorer, shape (k,)."""

    classes: Labels
    shown: Labels

    def __call__(self, q: Categorical | Mixture | Point, y: Labels) -> tuple[Labels, Labels]:
        """Read both off answers."""
        if isinstance(q, Point):
            return self._as_shown(y), self._as_shown(q.value)
        return self.shown[y], self.shown[q.mode()]

    def _as_shown(self, labels: Labels) -> Labels:
        if self.shown is self.classes:
            return labels
        # What is none of the classes is a wrong prediction all the same: -1.
        return np.asarray(pd.Index(self.classes).get_indexer(pd.Index(labels)))


@dataclass(frozen=True, eq=False)
class ShownProbabilities:
    """True labels, and probabilities in the sorted order that scikit-learn wants."""

    shown: Labels
    columns: Any

    @classmethod
    def of(
        cls, shown: Labels, arguments: dict[str, Any], parameters: Mapping[str, Parameter]
    ) -> ShownProbabilities:
        """Say in the arguments which classes there are: some rows may leave some of them out."""
        try:
            order = np.argsort(shown)
        except TypeError:
            raise ValueError("its classes have no order; make them all texts or numbers") from None
        columns: Any = order
        if len(shown) == 2:
            default = parameters["pos_label"].default if "pos_label" in parameters else None
            positive = arguments.get("pos_label", default)
            if positive is None:
                positive = shown[order[-1]]
            if positive not in shown.tolist():
                raise ValueError(f"its pos_label is {positive!r}, which is none of the classes")
            columns = shown.tolist().index(positive)
            if "pos_label" in parameters:
                arguments["pos_label"] = positive
        if "labels" in parameters:
            arguments.setdefault("labels", shown[order])
        return cls(shown, columns)

    def __call__(self, q: Categorical | Mixture | Point, y: Labels) -> tuple[Labels, Labels]:
        """Read both off answers.

        Raises
        ------
        ValueError
            If the answers are labels.
        """
        if isinstance(q, Point):
            raise ValueError("it needs probabilities, and the model gives labels only")
        return self.shown[y], q.probabilities[:, self.columns]
