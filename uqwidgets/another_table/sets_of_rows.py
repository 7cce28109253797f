"""Coverage and size of the prediction sets of the rows at hand, by parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.another_table.prediction_sets import conformal_of, crossed, thresholds
from uqwidgets.another_table.prediction_sets_result import PredictionSets
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.inference.population import Population
from uqwidgets.performance.shares import wilson_of
from uqwidgets.slices.bins import Bins, Mask

_ALL = "all rows"
_FIELDS = "coverage", "low", "high", "size", "size_low", "size_high"


def prediction_sets(
    q: Any,
    truth: Any,
    population: Population,
    kind: str | None,
    by: Bins | None,
    *,
    nominal: float,
    level: float,
    seed: int,
) -> PredictionSets:
    """Calibrate the sets of a model half by half, and count how often they contain the target.

    Parameters
    ----------
    q : Distribution
        Of the n rows.
    truth : ndarray of shape (n,)
    population : Population
    kind : str or None
    by : Bins or None
        A column whose bins are parts of the rows.
    nominal, level : float
    seed : int
    """
    conformal = conformal_of(q, kind, nominal, seed)
    scores = conformal.scores(q, truth)
    at = {"calibrated": crossed(conformal, q, truth, population, nominal, seed)}
    if np.isfinite(conformal.own):
        at = {"own": np.full(len(scores), conformal.own), **at}
    w = population.scored
    is_infinite = np.isinf(at["calibrated"])
    sizes = {
        name: conformal.sizes(q, np.where(np.isinf(each) | np.isnan(each), 0.0, each))
        for name, each in at.items()
    }
    parts = [(name, mask & (w > 0)) for name, mask in _parts(by, len(w))]
    parts = [(name, mask) for name, mask in parts if mask.any()]
    numbers: dict[str, list[list[float]]] = {name: [] for name in at}
    for _, mask in parts:
        for name, each in at.items():
            numbers[name].append(
                [
                    *_coverage(np.asarray(scores <= each, np.float64), mask, population, level),
                    *_size(sizes[name], mask & np.isfinite(each), population, level),
                ]
            )
    columns = {name: np.array(lines).T for name, lines in numbers.items()}
    mean_weight = float(np.square(w).sum() / w.sum())
    (threshold,) = thresholds(scores[w > 0], w[w > 0], np.array([mean_weight]), nominal)
    of: dict[str, dict[str, Floats]] = {
        field: {name: columns[name][k] for name in at} for k, field in enumerate(_FIELDS)
    }
    return PredictionSets(
        kind=conformal.kind,
        nominal=nominal,
        parts=tuple(name for name, _ in parts),
        sets=tuple(at),
        coverage=of["coverage"],
        low=of["low"],
        high=of["high"],
        size=of["size"],
        size_low=of["size_low"],
        size_high=of["size_high"],
        infinite=np.array([np.average(is_infinite[mask], weights=w[mask]) for _, mask in parts]),
        rows=np.array([np.count_nonzero(mask) for _, mask in parts]),
        threshold=float(threshold),
        level=level,
        unit="" if q.classes is None else "classes",
        conformal=conformal,
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        groups=population.group_count,
    )


def _parts(by: Bins | None, n: int) -> Iterator[tuple[str, Mask]]:
    """Yield all rows, and those of each coarse bin of a column."""
    yield _ALL, np.ones(n, dtype=np.bool_)
    if by is not None:
        codes, held = by.coarse()
        for number, bins in enumerate(held):
            yield by.text(bins), np.asarray(codes == number)


def _among(mask: Mask, population: Population) -> Population:
    return population.among(np.flatnonzero(mask))


def _coverage(
    inside: Floats, mask: Mask, population: Population, level: float
) -> tuple[float, float, float]:
    among = _among(mask, population)
    share, _ = mean_over_rows(inside[mask][None], among)
    low, high = wilson_of(share, inside[mask][None], among)(level)
    return float(share[0]), float(low[0]), float(high[0])


def _size(
    sizes: Floats, mask: Mask, population: Population, level: float
) -> tuple[float, float, float]:
    if not mask.any():
        return (np.nan, np.nan, np.nan)
    among = _among(mask, population)
    mean, error = mean_over_rows(sizes[mask][None], among)
    half = float(half_width(error, level, among)[0])
    return float(mean[0]), float(mean[0]) - half, float(mean[0]) + half
