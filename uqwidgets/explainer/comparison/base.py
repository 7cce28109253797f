"""Comparison: two sides, each a model and the rows in which it is evaluated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.explainer.comparison.result import Compared, Difference, minus, side_by_side
from uqwidgets.inference.population import Population
from uqwidgets.measures import Function, Measure
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.plotting.html import subject_html

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer

# The question that each method answers; a comparison shows those that it has.
_QUESTIONS = {
    "importance": "how the importance of each feature differs",
    "dependence": "how the curves of one feature differ",
    "stress": "how the indicators differ when the mean of a feature moves",
    "scores": "which side is better, by scores",
}
_ARGUMENTS = {"dependence": "feature"}


class Side(NamedTuple):
    """One side of a comparison.

    Attributes
    ----------
    evaluations : Evaluations
    of : Measure or Metric
    population : Population
        Both sides have the same object if they are two models, or two measures, of the same rows.
    """

    evaluations: Evaluations
    of: Any
    population: Population


Sides = tuple[Side, Side]


class Comparison(ABC):
    """Two named sides: what they have in common, their text and their HTML.

    Attributes
    ----------
    names : tuple of (str, str)
    """

    names: tuple[str, str]
    _explainers: tuple[Explainer, Explainer]

    @property
    def features(self) -> tuple[str, ...]:
        """Features that both sides have, in the order of the first."""
        own, other = (explainer.table for explainer in self._explainers)
        return tuple(name for name in own.features if name in other)

    @property
    def _title(self) -> str:
        return minus(self.names)

    def _measures(self, measure: str | Function) -> list[Measure]:
        return [explainer.measure(measure) for explainer in self._explainers]

    def _sides(
        self, measure: str | Function, populations: Sequence[Population], *, of_rows: bool = False
    ) -> Sides:
        """Return both sides with a measure, or with a metric unless values of rows are needed."""
        if is_metric(measure) and not of_rows:
            of: Sequence[Any] = [find_metric(measure, each.classes) for each in self._explainers]
        else:
            of = self._measures(measure)
        own, other = (
            Side(explainer.evaluations, one, population)
            for explainer, one, population in zip(self._explainers, of, populations, strict=True)
        )
        return own, other

    def _difference(self, first: Compared, second: Compared, difference: Compared) -> Difference:
        return side_by_side(self.names, first, second, difference)

    @property
    @abstractmethod
    def _sizes(self) -> str:
        """Numbers of rows and of features, for the text of the comparison."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.names[0]}, {self.names[1]}; {self._sizes})"

    def _repr_html_(self) -> str:
        """Return the two sides and the methods that compare them, as static HTML."""
        return subject_html(
            f"{type(self).__name__}: {self.names[0]} minus {self.names[1]}",
            {"compared": self._sizes},
            {
                f"{name}({_ARGUMENTS.get(name, '')})": question
                for name, question in _QUESTIONS.items()
                if hasattr(self, name)
            },
            self.features,
        )
