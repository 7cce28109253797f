"""Comparison: how a comparison shows itself, before one of its methods is called."""

from __future__ import annotations

from abc import ABC, abstractmethod

from uqwidgets.plotting.html import subject_html

# The question that each method answers; a comparison shows those that it has.
_QUESTIONS = {
    "importance": "how the importance of each feature differs",
    "dependence": "how the curves of one feature differ",
    "stress": "how the indicators differ when the mean of a feature moves",
    "scores": "which side is better, by scores",
}
_ARGUMENTS = {"dependence": "feature"}


class Comparison(ABC):
    """Two named sides, their text and their HTML.

    Attributes
    ----------
    names : tuple of (str, str)
    """

    names: tuple[str, str]

    @property
    @abstractmethod
    def features(self) -> tuple[str, ...]:
        """Features that both sides have."""

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
