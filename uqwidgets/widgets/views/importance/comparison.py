"""Importance as a difference or a ratio: the interval of each, and why there may be no ratio."""

from __future__ import annotations

import math

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.importance.settings import Compare
from uqwidgets.inference import Bounds, Change, Interval, bounds, ratio_bounds
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure
from uqwidgets.widgets.inputs.choices import LEVEL


def compared(
    change: Change,
    original: Floats,
    compare: Compare,
    interval: Interval,
    population: Population,
) -> Bounds:
    """Return the interval of a difference, or of a ratio if the mean before is positive.

    Parameters
    ----------
    change : Change
    original : ndarray of shape (n,)
        The measure of each row without replacement.
    compare : {"difference", "ratio"}
    interval : str
    population : Population

    Returns
    -------
    Bounds
        NaN for a ratio to a mean that is not positive.
    """
    if compare == "difference":
        return bounds(change, interval, LEVEL, population)
    if not dot(population.scored, original) > 0:
        return Bounds(math.nan, math.nan, math.nan, math.nan)
    return ratio_bounds(change, original, interval, LEVEL, population)


def remarks_on_ratio(
    measure: Measure, original: Floats, population: Population
) -> tuple[Remark, ...]:
    """Return a remark if the mean of the measure is not positive, so that it has no ratio."""
    mean = dot(population.scored, original) / population.scored.sum()
    if mean > 0:
        return ()
    return (
        Remark(
            "no-ratio",
            f"the mean {measure.name} of these rows is {mean:.4g}, and a ratio needs a positive "
            "one; compare by the difference",
        ),
    )
