"""What a learner adds to one view of the model: its importance, or its curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from uqwidgets.dependence import CurveTransform, Grid
from uqwidgets.dependence.html import dependence_html
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.importance.html import importance_html
from uqwidgets.measures import Measure
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import ReportCount
from uqwidgets.widgets.views.refitted import RefitMeans, Refitted

# Repeats of each refit; the average over all refits has many more.
_MOST_REPEATS = 5

Key = tuple[Any, ...]


class LearnerPart(ABC):
    """The results of a learner beside one view; stress and filters do not change them.

    Parameters
    ----------
    refitted : Refitted
    """

    def __init__(self, refitted: Refitted) -> None:
        self.refitted = refitted

    @abstractmethod
    def key(self, inputs: Inputs) -> Key | None:
        """Return what the results depend on; None where the view shows nothing."""

    @abstractmethod
    def compute(
        self, inputs: Inputs, callback: ProgressCallback, report: ReportCount
    ) -> RefitMeans:
        """Average over the refits, see `Refitted`."""

    @abstractmethod
    def is_known(self, inputs: Inputs) -> bool:
        """Whether `compute` calls no refit."""

    @abstractmethod
    def quantities(self, inputs: Inputs) -> str:
        """Name what is averaged, for the progress."""

    @abstractmethod
    def html(self, inputs: Inputs) -> str:
        """Draw the results that are known, without a model call; empty if there are none."""

    @abstractmethod
    def beside(
        self,
        inputs: Inputs,
        meta: Mapping[str, Any] | None,
        columns: Mapping[str, Any],
        known: Mapping[Key, RefitMeans],
    ) -> RefitMeans | None:
        """Return the known results that fit what the view shows.

        Parameters
        ----------
        inputs : Inputs
        meta, columns : mapping
            Content of the view; its meta is None where it shows nothing.
        known : mapping of key to RefitMeans
        """


class LearnerImportance(LearnerPart):
    """Importance of every feature, by the measures of the view.

    Parameters
    ----------
    refitted : Refitted
    measures : callable
        From the inputs to the measures; None where a learner has no such numbers.
    """

    def __init__(
        self, refitted: Refitted, measures: Callable[[Inputs], list[Measure] | None]
    ) -> None:
        super().__init__(refitted)
        self._measures = measures

    def key(self, inputs: Inputs) -> Key | None:
        """Return the number of repeats, and the measures."""
        measures = self._measures(inputs)
        return None if measures is None else _importance_key(inputs, [m.name for m in measures])

    def compute(
        self, inputs: Inputs, callback: ProgressCallback, report: ReportCount
    ) -> RefitMeans:
        """Average the importance."""
        n_repeats = min(inputs.n_repeats, _MOST_REPEATS)
        return self.refitted.importance(self._measures(inputs) or [], n_repeats, callback, report)

    def is_known(self, inputs: Inputs) -> bool:
        """Whether all refits have the importance."""
        n_repeats = min(inputs.n_repeats, _MOST_REPEATS)
        return self.refitted.knows_importance(self._measures(inputs) or [], n_repeats)

    def quantities(self, inputs: Inputs) -> str:
        """Name the measures."""
        return " and ".join(measure.name for measure in self._measures(inputs) or ())

    def html(self, inputs: Inputs) -> str:
        """Draw the importance by at most two measures."""
        n_repeats = min(inputs.n_repeats, _MOST_REPEATS)
        results = self.refitted.known_importance(self._measures(inputs) or [], n_repeats)
        return importance_html(*results[:2]) if results else ""

    def beside(
        self,
        inputs: Inputs,
        meta: Mapping[str, Any] | None,
        columns: Mapping[str, Any],  # noqa: ARG002
        known: Mapping[Key, RefitMeans],
    ) -> RefitMeans | None:
        """Return the importance, features as in the table of the model."""
        if meta is None or self._measures(inputs) is None:
            return None
        # What is shown may still be the measures of an earlier request.
        shown = [one["name"] for one in meta["measures"]]
        return known.get(_importance_key(inputs, shown))


def _importance_key(inputs: Inputs, measures: Sequence[str]) -> Key:
    return ("importance", min(inputs.n_repeats, _MOST_REPEATS), *measures)


class LearnerCurve(LearnerPart):
    """The curve of the chosen feature over the grid of the model's curve.

    Parameters
    ----------
    refitted : Refitted
    grid : callable
        From the inputs to the grid of the curve.
    form : callable
        From the inputs to the form of the curve.
    """

    def __init__(
        self,
        refitted: Refitted,
        grid: Callable[[Inputs], Grid],
        form: Callable[[Inputs], CurveTransform],
    ) -> None:
        super().__init__(refitted)
        self._grid = grid
        self._form = form

    def key(self, inputs: Inputs) -> Key | None:
        """Return feature, measure, spacing and form of the curve."""
        if not inputs.feature:
            return None
        form = form_of(self._grid(inputs), self._form(inputs))
        return _curve_key(inputs.feature, inputs.measure, form)

    def compute(
        self,
        inputs: Inputs,
        callback: ProgressCallback,
        report: ReportCount,  # noqa: ARG002
    ) -> RefitMeans:
        """Average the curve."""
        grid = self._grid(inputs)
        return self.refitted.curve(grid, inputs.measure, self._form(inputs), callback)

    def is_known(self, inputs: Inputs) -> bool:
        """Whether all refits have the curve."""
        return self.refitted.knows_curve(self._grid(inputs), inputs.measure)

    def quantities(self, inputs: Inputs) -> str:
        """Name the measure."""
        return inputs.measure

    def html(self, inputs: Inputs) -> str:
        """Draw the curve."""
        grid = self._grid(inputs)
        curve = self.refitted.known_curve(grid, inputs.measure, self._form(inputs))
        return dependence_html(curve) if curve else ""

    def beside(
        self,
        inputs: Inputs,  # noqa: ARG002
        meta: Mapping[str, Any] | None,
        columns: Mapping[str, Any],
        known: Mapping[Key, RefitMeans],
    ) -> RefitMeans | None:
        """Return the curve of the drawn feature, which may not be the requested one yet."""
        if meta is None:
            return None
        key = _curve_key(meta["feature"], meta["measure"], meta["form"])
        curve = known.get(key)
        # The coarse first curve of the model has another grid.
        alike = curve is not None and len(curve.value) == len(columns["grid"])
        return curve if alike else None


def form_of(grid: Grid, form: CurveTransform) -> list[str]:
    """Return what identifies spacing and form of a curve, in plain types."""
    return [grid.spacing, str(form.center), str(form.derivative), str(form.relative)]


def _curve_key(feature: str, measure: str, form: Sequence[str]) -> Key:
    return ("curve", feature, measure, *form)
