"""Indicators over tau, for every feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from uqwidgets.data import Table
from uqwidgets.inference import effective_sample_size
from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Stress
from uqwidgets.stress.indicators import Indicator, find_indicator
from uqwidgets.stress.projection import Column, project_levels


def stress_column(table: Table, feature: str, alpha: float) -> Column:
    """Return the feature, ready to be stressed.

    Raises
    ------
    ValueError
        If it is not numeric, or has missing or infinite values, or alpha is out of range.
    """
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; it must be between 0 and 0.5, such as 0.05.")
    values = table.numbers(feature)
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{feature!r} is missing or infinite in {int(bad.sum())} of {len(values)} rows; "
            "a mean can be stressed only where every row has a value, so drop or fill them."
        )
    return Column(values, alpha)


def unstressable(table: Table, feature: str) -> str | None:
    """Why a feature's mean cannot be moved, or None if it can."""
    if table.kind(feature) != "numeric":
        return "categorical"
    values = table.numbers(feature)
    bad = int((~np.isfinite(values)).sum())
    if bad:
        return f"missing or infinite in {bad} of {len(values)} rows"
    return "constant" if values.min() == values.max() else None


def stressable(table: Table) -> tuple[list[str], tuple[str, ...]]:
    """Return the features that can be stressed, and a remark for each that is left out.

    A constant one is among them: its status says that it is.
    """
    reasons = {f: unstressable(table, f) for f in table.features}
    left_out = {f: why for f, why in reasons.items() if why not in (None, "constant")}
    remarks = tuple(f"{f} is left out: {why}" for f, why in left_out.items())
    return [f for f in table.features if f not in left_out], remarks


def stress(
    table: Table,
    features: Sequence[str],
    indicators: Mapping[str, Indicator],
    names: Sequence[str],
    taus: Floats,
    alpha: float,
    remarks: tuple[str, ...],
) -> Stress:
    """Stress each feature alone and summarise the rows at each level (004, sections 2.2, 3).

    Parameters
    ----------
    table : Table
    features : sequence of str, length p
    indicators : dict of str to Indicator
        Those on offer.
    names : sequence of str, length q
        Those wanted.
    taus : ndarray of shape (t,)
    alpha : float
    remarks : tuple of str

    Returns
    -------
    Stress
    """
    if not names:
        raise ValueError("indicators is empty; name at least one.")
    wanted = [find_indicator(name, indicators) for name in names]
    per_row = np.stack([v for i in wanted for v in i.per_row], axis=1)
    shape = (len(features), len(taus))
    target, reached = np.empty(shape), np.full(shape, np.nan)
    ess, kl = np.full(shape, np.nan), np.full(shape, np.nan)
    status = np.empty(shape, dtype="<U15")
    means = np.full((*shape, per_row.shape[1]), np.nan)
    for j, feature in enumerate(features):
        projections = project_levels(stress_column(table, feature, alpha), taus)
        for t, projection in enumerate(projections):
            target[j, t], status[j, t] = projection.target, projection.status
            if projection.weights is not None:
                reached[j, t] = projection.reached
                ess[j, t] = effective_sample_size(projection.weights)
                kl[j, t] = divergence(projection.weights)
                means[j, t] = projection.weights @ per_row / len(table)
    values, start = {}, 0
    for indicator in wanted:
        stop = start + len(indicator.per_row)
        values[indicator.name] = indicator.combine(*np.moveaxis(means[..., start:stop], -1, 0))
        start = stop
    return Stress(
        features=tuple(features),
        indicators=tuple(i.name for i in wanted),
        taus=taus,
        target=target,
        reached=reached,
        ess=ess,
        kl=kl,
        status=status,
        values=values,
        labels={i.name: i.label for i in wanted},
        alpha=alpha,
        remarks=remarks,
    )


def divergence(weights: Floats) -> float:
    """Kullback-Leibler divergence of weights (n,) of mean 1 from equal ones, in nats."""
    positive = weights[weights > 0]
    return max(0.0, float(positive @ np.log(positive)) / len(weights))


def half_share(weights: Floats) -> float:
    """Smallest share of the rows that carries half the weight, between 0 and 0.5."""
    heaviest = np.cumsum(np.sort(weights)[::-1])
    return float(np.searchsorted(heaviest, heaviest[-1] / 2) + 1) / len(weights)
