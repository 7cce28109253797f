"""The rates of a binary classifier, which are drawn against each other."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.stress.result import Stress
from uqwidgets.widgets.stress_profiles import at_levels_of_profiles

#: Indicators of a binary classifier whose path over tau is drawn.
_RATES = ("tpr", "fpr")


def followed(indicator: str) -> tuple[str, ...]:
    """Return the indicators that are drawn with this one: a rate is drawn with the other."""
    return _RATES if indicator in _RATES else (indicator,)


def roc_path(
    profile: Stress, at: int | None, indicator: str, with_ends: Stress | None
) -> dict[str, Floats]:
    """Return both rates of one line over tau, with their intervals, where a rate is followed.

    Parameters
    ----------
    profile : Stress
    at : int or None
        The line; None where there is none.
    indicator : str
        That is followed.
    with_ends : Stress or None
        The same line with the intervals that are known.
    """
    columns: dict[str, Floats] = {}
    if at is None or indicator not in _RATES:
        return columns
    unknown = np.full(len(profile.taus), np.nan)
    for name in _RATES:
        is_known = with_ends is not None and name in with_ends.indicators
        columns[name] = profile.values[name][at]
        for end in ("low", "high"):
            ends = getattr(with_ends, end)[name][0] if is_known else unknown
            columns[f"{name}_{end}"] = at_levels_of_profiles(ends)
    return columns
