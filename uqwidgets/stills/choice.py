"""What to show of results that hold more than an eye can tell apart."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Dependence, Positions, Stress

MOST_CURVES = 100
# Of all lines together: more make a page heavy, and Altair refuses them.
MOST_POINTS = 5000
EMPHASISED = 5
# Of several indicators together: as many lines as there are colours.
MOST_EMPHASISED = 7


def evenly(count: int, most: int) -> Positions:
    """At most ``most`` of ``count`` positions, evenly spaced, the first and the last included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def ice_sample(result: Dependence) -> tuple[Positions, Floats]:
    """Positions of the rows that are drawn, shape (r,), and their lines, shape (r, g)."""
    most = min(MOST_CURVES, max(1, MOST_POINTS // len(result.grid)))
    rows = result.rows[evenly(len(result.rows), most)]
    return rows, result.curves[:, rows].T


def thin_lines(result: Dependence) -> tuple[Positions, Floats]:
    """Lines behind the average, shape (r, g), and what they are: refits, of one model rows."""
    if result.per_refit is None:
        return ice_sample(result)
    return np.arange(result.n_refits), result.per_refit


def stretches(near: npt.NDArray[np.bool_]) -> list[tuple[int, int, bool]]:
    """Cut a curve into parts, of which both ends of every step are near the data, or are not.

    Parameters
    ----------
    near : ndarray of shape (g,)

    Returns
    -------
    list of (start, stop, near)
        Slices that share their end points; a single point is a part of its own.
    """
    if len(near) == 1:
        return [(0, 1, bool(near[0]))]
    steps = near[1:] & near[:-1]
    cuts = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)]
    return [(a, b + 1, bool(steps[a])) for a, b in itertools.pairwise(cuts)]


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


def emphasised(result: Stress) -> list[int]:
    """Positions of the features that are drawn in colour, the same for every indicator.

    Up to 5 features to which an indicator responds most; of several indicators their first ones,
    then their second ones, and so on, up to 7. So a feature keeps its colour from chart to chart.
    """
    known = [
        [j for j in by_response(result, i).tolist() if np.isfinite(result.values[i][j]).any()]
        for i in result.indicators
    ]
    ranked = itertools.chain.from_iterable(itertools.zip_longest(*(k[:EMPHASISED] for k in known)))
    return list(dict.fromkeys(j for j in ranked if j is not None))[:MOST_EMPHASISED]
