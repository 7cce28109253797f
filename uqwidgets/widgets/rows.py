"""The rows that meet a filter: each condition is looked up once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs import Condition


class FilteredRows:
    """Rows that meet all conditions of a filter.

    Which rows meet a condition is remembered as long as it is part of the filter, a bit for each
    row, so that a filter in which one condition changes is not worked out anew, nor one that stays
    while something else moves.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._met: dict[Condition, npt.NDArray[np.uint8]] = {}
        self._last: tuple[tuple[Condition, ...], npt.NDArray[np.bool_] | None] = ((), None)

    def meeting(
        self, conditions: tuple[Condition, ...], check: Callable[[], None]
    ) -> npt.NDArray[np.bool_] | None:
        """Rows that meet them all, shape (n,); None where every row does.

        Parameters
        ----------
        conditions : tuple of Condition
        check : callable
            Called before each condition that is not known yet; raise from it to stop. What is
            known by then stays so.
        """
        if conditions == self._last[0]:
            return self._last[1]
        # Of its own, for the picture of the widget may be drawn on another thread meanwhile.
        masks = self._met
        for condition in dict.fromkeys(conditions):
            if condition not in masks:
                check()
                masks[condition] = np.packbits(condition.mask(self._explainer))
        self._met = masks = {condition: masks[condition] for condition in conditions}
        met = None
        if conditions:
            bits = np.bitwise_and.reduce(list(masks.values()))
            met = np.unpackbits(bits, count=len(self._explainer.table)).astype(np.bool_)
            met = None if met.all() else met
        self._last = (conditions, met)
        return met
