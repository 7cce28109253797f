"""What to show of results that hold more than an eye can tell apart."""

from __future__ import annotations

import numpy as np

from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Dependence, Positions, Stress

MOST_CURVES = 100
EMPHASISED = 5


def evenly(count: int, most: int) -> Positions:
    """At most ``most`` of ``count`` positions, evenly spaced, the first and the last included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def ice_sample(result: Dependence, most: int = MOST_CURVES) -> tuple[Positions, Floats]:
    """Positions of the rows that are drawn, shape (r,), and their lines, shape (r, g)."""
    rows = result.rows[evenly(len(result.rows), most)]
    return rows, result.curves[:, rows].T


def response(values: Floats) -> Floats:
    """How far each feature moves an indicator over all tau, shape (p,).

    Parameters
    ----------
    values : ndarray of shape (p, t)
        Of one indicator. A feature without any number moves it by NaN.
    """
    known = np.isfinite(values)
    highest = np.where(known, values, -np.inf).max(axis=1)
    lowest = np.where(known, values, np.inf).min(axis=1)
    return np.where(known.any(axis=1), highest - lowest, np.nan)


def by_response(result: Stress, indicator: str) -> Positions:
    """Positions of the features, those first to which an indicator responds most; NaN last."""
    return np.argsort(-response(result.values[indicator]), kind="stable")
