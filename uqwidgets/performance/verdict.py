"""The verdict on a calibration in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from uqwidgets._typing import Floats

if TYPE_CHECKING:
    from uqwidgets.performance.result import Calibration

# Level of the predictive intervals that the verdict is about.
COVERED = 0.9
# More points miss by chance in at most so many calibrated models.
_BY_CHANCE = 0.05
_GOOD = "calibrated, as far as these rows show"


def verdict_of(calibration: Calibration) -> str:
    """Say whether predicted probabilities, or predictive intervals, are right in these rows.

    For a target of numbers it is about the coverage of the 90 % intervals. For classes, a model is
    calibrated as far as the rows show unless more bins miss than miss by chance in 5 % of
    calibrated models; bins count as independent.

    Parameters
    ----------
    calibration : Calibration

    Returns
    -------
    str
        Empty where nothing is known.
    """
    if calibration.coverage:
        return _of_coverage(calibration)
    predicted, observed = calibration.predicted, calibration.observed
    known = np.isfinite(calibration.low) & np.isfinite(calibration.high)
    misses = known & ((predicted < calibration.low) | (predicted > calibration.high))
    count, number = int(misses.sum()), int(known.sum())
    if not number:
        return ""
    if count <= binom.ppf(1 - _BY_CHANCE, number, 1 - calibration.level):
        return _GOOD
    two_sided = not calibration.event.startswith("the predicted class")
    kind = _kind(predicted[misses], observed[misses], two_sided=two_sided)
    worst = int(np.argmax(np.where(misses, np.abs(observed - predicted), -1.0)))
    return (
        f"{kind}: of what is predicted with {predicted[worst]:.1%}, {observed[worst]:.1%} happens "
        f"({count} of {number} bins miss)"
    )


def _of_coverage(calibration: Calibration) -> str:
    for nominal, inside, low, high in calibration.coverage:
        if nominal == COVERED and np.isfinite((inside, low, high)).all():
            kind = "too sure" if high < nominal else "too cautious" if low > nominal else _GOOD
            return f"{kind}: {inside:.1%} of the rows lie inside the {nominal:.0%} intervals"
    return ""


def _kind(predicted: Floats, observed: Floats, *, two_sided: bool) -> str:
    """Say in which direction the bins miss."""
    is_less = observed < predicted
    # A small probability is too sure where more happens.
    is_too_sure = np.where(two_sided & (predicted < 0.5), ~is_less, is_less)
    if is_too_sure.all():
        return "too sure"
    if not is_too_sure.any():
        return "too cautious"
    if is_less.all():
        return "too high"
    if not is_less.any():
        return "too low"
    return "not calibrated"
