"""The ghost: the numbers of a pinned view, drawn under the present one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.pins import Pin
from uqwidgets.widgets.population import PopulationBuilder
from uqwidgets.widgets.views.view import View


class Ghost:
    """What the views show of the pin under the present view; the model is not asked for it.

    It is computed again only for another pin, or when the model has answered more.

    Parameters
    ----------
    explainer : Explainer
    views : sequence of View
    """

    def __init__(self, explainer: Explainer, views: Sequence[View]) -> None:
        self._explainer = explainer
        self._views = tuple(views)
        # Apart from those of the present view, so that neither evicts the other's.
        self._populations = PopulationBuilder(explainer)
        self._inputs: Inputs | None = None
        self._rows_evaluated = -1
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def is_current(self, pin: Pin | None) -> bool:
        """Whether nothing is to be computed."""
        if pin is None:
            return True
        return (self._inputs, self._rows_evaluated) == (pin.inputs, self._explainer.rows_evaluated)

    def compute(self, pin: Pin, check: Callable[[], None]) -> None:
        """Compute what the views show of a pin.

        Parameters
        ----------
        pin : Pin
        check : callable
            Called now and then; what it raises ends the work.
        """
        inputs, rows_evaluated = pin.inputs, self._explainer.rows_evaluated
        populations = self._populations.build(inputs, check)
        columns = {}
        if populations is not None:
            for view in self._views:
                check()
                for name, values in view.ghost(inputs, populations, check).items():
                    columns[f"{view.name}.{name}"] = values
        self._inputs, self._rows_evaluated, self._columns = inputs, rows_evaluated, columns

    def columns(self, pin: Pin | None) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of a pin by the names of a frame; none while it is not computed."""
        return self._columns if pin is not None and pin.inputs == self._inputs else {}
