"""Profiles of single features: joined to one result, and of rows with weights at tau = 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.profile import described_weights
from uqwidgets.stress.result import Stress
from uqwidgets.widgets.rows.described import DescribedRows

#: Indicators of a binary classifier whose path over tau is drawn.
_RATES = ("tpr", "fpr")


def described_profile(
    profile: Stress,
    described: DescribedRows,
    columns: Sequence[StressedColumn | None],
    values_of: Callable[[Floats], Mapping[str, float]],
) -> Stress:
    """Return a profile with the numbers of rows that have weights at tau = 0, without intervals.

    Parameters
    ----------
    profile : Stress
        Of the same lines and levels, without such weights.
    described : DescribedRows
    columns : sequence of StressedColumn or None
        Of each line; None where no row has a value.
    values_of : callable
        From weights of the rows to every indicator, by its name.
    """
    shape = (len(profile.features), len(profile.taus))
    unknown = np.full(shape, np.nan)
    numbers = {name: unknown.copy() for name in ("target", "reached", "ess", "kl", "half_share")}
    values = {name: unknown.copy() for name in profile.indicators}
    status = np.full(shape, "no value", dtype=object)
    for i, column in enumerate(columns):
        for t, tau in enumerate(profile.taus.tolist()):
            if column is None:
                continue
            projection = described.at(column, tau).projection
            status[i, t], numbers["target"][i, t] = projection.status, projection.target
            if projection.weights is None:
                continue
            numbers["reached"][i, t] = projection.reached
            for name, number in described_weights(projection.weights).items():
                numbers[name][i, t] = number
            for name, number in values_of(projection.weights).items():
                values[name][i, t] = number
    return replace(
        profile,
        values=values,
        low=dict.fromkeys(values, unknown),
        high=dict.fromkeys(values, unknown),
        status=status.astype(str),
        target=numbers["target"],
        reached=numbers["reached"],
        ess=numbers["ess"],
        kl=numbers["kl"],
        half_share=numbers["half_share"],
    )


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
