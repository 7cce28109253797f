"""Profiles of single features joined to one result, and the path of both rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.stress.result import Stress

#: Indicators of a binary classifier whose path over tau is drawn.
_RATES = ("tpr", "fpr")


def joined(profiles: Sequence[Stress], indicator: str) -> Stress:
    """Return the profiles of single features as one result, of one indicator."""
    levels = [profile.level for profile in profiles if profile.level is not None]

    def stacked(of: Callable[[Stress], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.vstack([of(profile) for profile in profiles])

    return replace(
        profiles[0],
        features=tuple(name for profile in profiles for name in profile.features),
        indicators=(indicator,),
        target=stacked(lambda p: p.target),
        reached=stacked(lambda p: p.reached),
        ess=stacked(lambda p: p.ess),
        kl=stacked(lambda p: p.kl),
        half_share=stacked(lambda p: p.half_share),
        status=stacked(lambda p: p.status),
        values={indicator: stacked(lambda p: p.values[indicator])},
        low={indicator: stacked(lambda p: p.low[indicator])},
        high={indicator: stacked(lambda p: p.high[indicator])},
        level=levels[0] if levels else None,
        remarks=tuple(dict.fromkeys(r for profile in profiles for r in profile.remarks)),
    )


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
        columns[f"{name}_low"] = with_ends.low[name][0] if with_ends and is_known else unknown
        columns[f"{name}_high"] = with_ends.high[name][0] if with_ends and is_known else unknown
    return columns
