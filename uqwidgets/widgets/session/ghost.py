"""The ghost: results of a pin, drawn behind the current ones for comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.pins import Pin
from uqwidgets.widgets.views.view import View


class Ghost:
    """Results of a pin in all views, computed without calling the model.

    They are computed again only for another pin, or after the model has evaluated further rows.

    Parameters
    ----------
    explainer : Explainer
    views : sequence of View
    weights : ndarray of shape (n,), optional
        See `PopulationBuilder`.
    """

    def __init__(
        self, explainer: Explainer, views: Sequence[View], weights: Floats | None = None
    ) -> None:
        self._explainer = explainer
        self._views = tuple(views)
        # A separate builder, so that the ghost does not evict populations of the current inputs.
        self._populations = PopulationBuilder(explainer, weights)
        self._inputs: Inputs | None = None
        self._shown: tuple[str, ...] = ()
        self._rows_evaluated = -1
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def is_current(self, pin: Pin | None, inputs: Inputs) -> bool:
        """Return whether the computed results are those of this pin in the views of the inputs."""
        if pin is None:
            return True
        known = (self._inputs, self._shown, self._rows_evaluated)
        return known == (pin.inputs, inputs.views, self._explainer.rows_evaluated)

    def compute(self, pin: Pin, shown: Inputs, check: Callable[[], None]) -> None:
        """Compute the results of a pin in all views that are shown.

        Parameters
        ----------
        pin : Pin
        shown : Inputs
            Of the request, whose views are shown.
        check : callable
            Called between the steps; its exceptions end the work.
        """
        inputs, rows_evaluated = pin.inputs, self._explainer.rows_evaluated
        populations = self._populations.build(inputs, check)
        columns = {}
        if populations is not None:
            for view in self._views:
                if not shown.shows(view.name):
                    continue
                check()
                for name, values in view.ghost(inputs, populations, check).items():
                    columns[f"{view.name}.{name}"] = values
        self._inputs, self._rows_evaluated, self._columns = inputs, rows_evaluated, columns
        self._shown = shown.views

    def columns(self, pin: Pin | None) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of a pin by their names in a frame, empty before they are computed."""
        return self._columns if pin is not None and pin.inputs == self._inputs else {}
