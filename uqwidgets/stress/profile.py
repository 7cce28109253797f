"""Indicators over tau, for every feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets.inference import effective_sample_size
from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Stress
from uqwidgets.stress.columns import Stressed
from uqwidgets.stress.indicators import Indicator
from uqwidgets.stress.intervals import half_width, influence
from uqwidgets.stress.metrics import Metric
from uqwidgets.stress.projection import Projection, project_levels
from uqwidgets.sums import dot


def stress(
    columns: Sequence[Stressed],
    n: int,
    indicators: Sequence[Indicator | Metric],
    taus: Floats,
    *,
    alpha: float,
    anchor: str,
    level: float | None,
    remarks: tuple[str, ...],
) -> Stress:
    """Stress each column alone and summarise the rows at each level (004, sections 2.2, 3).

    Parameters
    ----------
    columns : sequence of Stressed, length p
    n : int
        Rows of the table.
    indicators : sequence, length q
    taus : ndarray of shape (t,)
    alpha : float
    anchor : str
    level : float or None
        Of the intervals; None for none.
    remarks : tuple of str

    Returns
    -------
    Stress
    """
    if not indicators:
        raise ValueError("indicators is empty; name at least one.")
    if level is not None and not 0 < level < 1:
        raise ValueError(f"level is {level}; it must be between 0 and 1, such as 0.95.")
    shape = (len(columns), len(taus))
    points = {name: np.full(shape, np.nan) for name in ("reached", "ess", "kl", "half_share")}
    target, status = np.empty(shape), np.empty(shape, dtype="<U15")
    values, low, high = ({i.name: np.full(shape, np.nan) for i in indicators} for _ in range(3))
    for j, stressed in enumerate(columns):
        for t, found in enumerate(project_levels(stressed.column, taus)):
            target[j, t], status[j, t] = found.target, found.status
            if found.weights is None:
                continue
            described = described_weights(found.weights)
            for name, value in {"reached": found.reached, **described}.items():
                points[name][j, t] = value
            for indicator in indicators:
                summary = _summary(indicator, stressed, found, float(taus[t]), level, n)
                for store, value in zip((values, low, high), summary, strict=True):
                    store[indicator.name][j, t] = value
    return Stress(
        features=tuple(c.name for c in columns),
        indicators=tuple(i.name for i in indicators),
        taus=taus,
        target=target,
        status=status,
        values=values,
        low=low,
        high=high,
        labels={i.name: i.label for i in indicators},
        units={i.name: i.unit for i in indicators},
        alpha=alpha,
        anchor=anchor,
        level=level,
        remarks=remarks,
        **points,
    )


def described_weights(weights: Floats) -> dict[str, float]:
    """Effective sample size, divergence and half share of weights (n,) of mean 1."""
    return {
        "ess": effective_sample_size(weights),
        "kl": divergence(weights),
        "half_share": half_share(weights),
    }


def divergence(weights: Floats) -> float:
    """Kullback-Leibler divergence of weights (n,) of mean 1 from equal ones, in nats."""
    positive = weights[weights > 0]
    return max(0.0, dot(positive, np.log(positive)) / len(weights))


def half_share(weights: Floats) -> float:
    """Smallest share of the rows that carries half the weight, between 0 and 0.5."""
    heaviest = np.cumsum(np.sort(weights)[::-1])
    return float(np.searchsorted(heaviest, heaviest[-1] / 2) + 1) / len(weights)


def _summary(
    indicator: Indicator | Metric,
    stressed: Stressed,
    found: Projection,
    tau: float,
    level: float | None,
    n: int,
) -> tuple[float, float, float]:
    assert found.weights is not None
    if isinstance(indicator, Metric):
        return indicator.score(stressed.spread(found.weights, n)), np.nan, np.nan
    per_row = np.stack(indicator.per_row, axis=1)
    if stressed.kept is not None:
        per_row = per_row[stressed.kept]
    means = found.weights @ per_row / len(per_row)
    value = float(indicator.combine(*means))
    if level is None:
        return value, np.nan, np.nan
    slopes = np.array(indicator.combination.slopes(*means))
    moved = influence(stressed.column, tau, found.weights, per_row) @ slopes
    width = half_width(moved, level)
    return value, value - width, value + width
