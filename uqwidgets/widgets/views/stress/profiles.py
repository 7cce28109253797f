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


def roc_path(profile: Stress, at: int | None, indicator: str) -> dict[str, Floats]:
    """Return both rates of one line over tau where one of them is followed; else nothing."""
    if at is None or indicator not in _RATES:
        return {}
    return {name: profile.values[name][at] for name in _RATES}
