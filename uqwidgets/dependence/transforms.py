"""What a row's curve is compared with: nothing, a value of its own, or its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.rounding import difference


@dataclass(frozen=True)
class CurveTransform:
    """How each row's curve is shown.

    Attributes
    ----------
    center : bool or object
        Minus its value at one value of the feature, the same for all rows: c-ICE (Goldstein et
        al. 2015). True for the first of the grid, or that value.
    derivative : bool
        Its slope: d-ICE (Goldstein et al. 2015).
    relative : bool
        Minus the measure of the row as it is: individual conditional importance, whose mean is
        the partial importance (Dankers et al. 2020, chapter 8; Casalicchio et al. 2018).
    """

    center: Any = False
    derivative: bool = False
    relative: bool = False

    @classmethod
    def of(
        cls, center: Any = False, derivative: bool = False, relative: bool = False
    ) -> CurveTransform:
        """Check a form as a person gives it.

        Raises
        ------
        ValueError
            If it is no form, or two are asked for at once.
        """
        for name, value in (("derivative", derivative), ("relative", relative)):
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} is {value!r}; it must be True or False.")
        if isinstance(center, np.bool_):
            center = bool(center)
        if center is None:
            raise ValueError("center is None; it must be True, False or a value of the feature.")
        if center is not False and relative:
            raise ValueError(
                "center and relative subtract different values from a row's curve; ask for one."
            )
        if derivative and (center is not False or relative):
            other = "relative" if relative else "center"
            raise ValueError(
                f"what {other} subtracts from a row's curve does not change its derivative; leave "
                f"{other} out."
            )
        return cls(center, bool(derivative), bool(relative))

    @property
    def plain(self) -> bool:
        """Whether curves are shown as they are."""
        # A curve may well be centred at 0, which equals False.
        return self.center is False and not self.derivative and not self.relative


def slopes(curves: Floats, values: npt.NDArray[Any]) -> Floats:
    """Take the derivative of each row's curve along an uneven grid.

    Inside the grid, that of the parabola through a point and its two neighbours; at an end, of
    the line to the only neighbour. A curve of steps, such as a tree's, has slopes that depend on
    how fine the grid is.

    Parameters
    ----------
    curves : ndarray of shape (g, n)
    values : ndarray of shape (g,)
        Ascending; at least two are finite.

    Returns
    -------
    ndarray of shape (g, n)
        NaN where the value is not finite.
    """
    first, *_, last = np.flatnonzero(np.isfinite(values))
    steps = np.diff(values.astype(np.float64))
    found = np.full(curves.shape, np.nan)
    before = found[first] = difference(curves[first + 1], curves[first]) / steps[first]
    for g in range(first + 1, last):
        after = difference(curves[g + 1], curves[g]) / steps[g]
        share = steps[g] / (steps[g - 1] + steps[g])
        found[g] = share * before + (1 - share) * after
        before = after
    found[last] = before
    return found
