"""Profiles over tau of rows that have weights at tau = 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.indicators import Indicator
from uqwidgets.stress.intervals import COVERAGE_BY_ROWS, coverage_remarks
from uqwidgets.stress.profile import described_weights, units_ess
from uqwidgets.stress.result import Stress
from uqwidgets.stress.summaries import summaries
from uqwidgets.widgets.rows.described import DescribedRows


def described_profile(
    profile: Stress,
    described: DescribedRows,
    columns: Sequence[StressedColumn | None],
    indicators: Sequence[Indicator],
    level: float | None = None,
    check: Callable[[], None] = lambda: None,
) -> Stress:
    """Return a profile with the numbers of rows that have weights at tau = 0.

    Parameters
    ----------
    profile : Stress
        Of the same lines, levels and indicators, without such weights.
    described : DescribedRows
    columns : sequence of StressedColumn or None
        Of each line; None where no row has a value.
    indicators : sequence of Indicator
        Those of the profile.
    level : float, optional
        Level of the intervals; by default there are none.
    check : callable, optional
        Called before each level; what it raises ends the work.
    """
    shape = (len(profile.features), len(profile.taus))
    unknown = np.full(shape, np.nan)
    names = ("target", "reached", "ess", "units_ess", "kl", "half_share")
    numbers = {name: unknown.copy() for name in names}
    values, low, high = ({one.name: unknown.copy() for one in indicators} for _ in range(3))
    status = np.full(shape, "no value", dtype=object)
    for i, column in enumerate(columns):
        for t, tau in enumerate(profile.taus.tolist()):
            if column is None:
                continue
            check()
            projection = described.at(column, tau).projection
            weights = projection.weights
            status[i, t], numbers["target"][i, t] = projection.status, projection.target
            if weights is None:
                continue
            numbers["reached"][i, t] = projection.reached
            for name, number in described_weights(weights).items():
                numbers[name][i, t] = number
            numbers["units_ess"][i, t] = units_ess(weights, described.groups)
            rows = None
            if level is not None and np.count_nonzero(weights) > 1:
                rows = described.calibrated(column, tau, projection)
            at_level = summaries(indicators, described.chosen, weights, rows, level)
            for one, *of_one in zip(indicators, *at_level, strict=True):
                for lines, number in zip((values, low, high), of_one, strict=True):
                    lines[one.name][i, t] = number
    remarks = profile.remarks
    if level is not None:
        unit = "row" if described.groups is None else "group"
        remarks += coverage_remarks(
            profile.features, profile.taus, numbers["units_ess"], COVERAGE_BY_ROWS, unit
        )
    return replace(
        profile,
        values=values,
        low=low,
        high=high,
        status=status.astype(str),
        level=level,
        remarks=remarks,
        target=numbers["target"],
        reached=numbers["reached"],
        ess=numbers["ess"],
        effective_groups=None if described.groups is None else numbers["units_ess"],
        kl=numbers["kl"],
        half_share=numbers["half_share"],
    )
