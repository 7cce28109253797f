"""The rates of a binary classifier, which are drawn against each other."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.stress.result import Stress

#: Indicators of a binary classifier whose path over tau is drawn.
RATES = ("tpr", "fpr")


def followed(indicator: str) -> tuple[str, ...]:
    """Return the indicators that are drawn with this one: a rate is drawn with the other."""
    return RATES if indicator in RATES else (indicator,)


def roc_path(
    profile: Stress, at: int | None, indicator: str, intervals: Floats | None
) -> dict[str, Floats]:
    """Return both rates of one line over tau, arrays (3, l), where a rate is followed.

    Their lines are the value, the lower and the upper end.

    Parameters
    ----------
    profile : Stress
    at : int or None
        The line; None where there is none.
    indicator : str
        That is followed.
    intervals : ndarray of shape (2, 3, l) or None
        Of the same line, if they are known; otherwise the levels are those of the profile.
    """
    if at is None or indicator not in RATES:
        return {}
    if intervals is None:
        unknown = np.full(len(profile.taus), np.nan)
        intervals = np.array([[profile.values[name][at], unknown, unknown] for name in RATES])
    return dict(zip(RATES, intervals, strict=True))
