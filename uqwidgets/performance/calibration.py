"""Calibration: whether events of predicted probability p happen in a share p of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.choices import unknown
from uqwidgets._utils.options import checked_count
from uqwidgets.inference import Family
from uqwidgets.inference.population import Population
from uqwidgets.inference.tested import filled
from uqwidgets.performance.result import Calibration
from uqwidgets.performance.shares import wilson_of
from uqwidgets.performance.verdict import CONFIDENCE
from uqwidgets.predictive.distributions import (
    Categorical,
    Counts,
    Distribution,
    Mixture,
    Point,
    positive_position,
)

# Levels of the central intervals whose coverage is computed, and of all quantiles: those at which
# distributions of numbers are compared with the target, and the ends of these intervals.
_INTERVALS = (0.5, 0.8, 0.9, 0.95)
_QUANTILES = np.r_[0.025, np.arange(1, 20) / 20, 0.975]
_INNER = slice(1, -1)
_MOST_BINS = 100


def calibration(
    q: Distribution,
    truth: npt.NDArray[Any],
    target: str,
    population: Population,
    counts: Callable[[], npt.NDArray[np.uint8]],
    *,
    predicted: npt.NDArray[np.intp] | None,
    label: object | None = None,
    n_bins: int = 10,
    level: float = 0.95,
    family: Family | None = None,
    logit: bool = False,
) -> Calibration:
    """Compare predicted probabilities with the shares of rows in which their events happened.

    Of distributions of counts, see `quantile_counts`.

    Parameters
    ----------
    q : distribution
        The model's predictive distributions of the n rows.
    truth : ndarray of shape (n,)
        Class positions where the distribution has classes, otherwise the values of the target.
    target : str
        Name of the target.
    population : Population
    counts : callable
        Returns the `quantile_counts` of the rows, which do not depend on the population.
    predicted : ndarray of shape (n,) or None
        Positions of the predicted classes; None where the target is a number.
    label : object, optional
        The class whose probability is meant; by default the positive of two classes, and of more
        classes the one that the model predicts.
    n_bins : int, default=10
        Number of bins of about equal weight; fewer where probabilities are equal.
    level : float, default=0.95
    family : Family, optional
        An empty one; all intervals then hold at once.
    logit : bool, default=False
        Whether pictures have axes of log-odds.

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError
        If the model predicts points or labels only, or the class does not exist.
    """
    n_bins = checked_bins(q, target, label, n_bins)
    if q.classes is None:
        found = _of_quantiles(counts(), target, population, level, family)
        return replace(found, logit=logit)
    assert isinstance(q, Categorical | Mixture)
    assert predicted is not None
    event, probability, happened = event_of(q, predicted, truth, target, label)
    found = _of_bins(event, probability, happened, target, population, n_bins, level, family)
    return replace(found, logit=logit)


def checked_bins(q: Distribution, target: str, label: object | None, n_bins: int) -> int:
    """Return the number of bins, if a model has a calibration.

    Raises
    ------
    ValueError
        As `calibration`.
    """
    if isinstance(q, Point):
        raise ValueError(
            "the model predicts single values without a probability, so there is no calibration; "
            "use a model with predict_proba, or one that returns a distribution."
        )
    if q.classes is None and label is not None:
        raise ValueError(f"{target} is a number and has no class {label!r}; leave label out.")
    return checked_count(n_bins, "n_bins", 1, _MOST_BINS)


def event_of(
    q: Categorical | Mixture,
    predicted: npt.NDArray[np.intp],
    truth: npt.NDArray[np.intp],
    target: str,
    label: object | None,
) -> tuple[str, Floats, npt.NDArray[np.bool_]]:
    """Return the event in words, its predicted probability and whether it happened, per row."""
    assert q.classes is not None
    classes: Sequence[Any] = q.classes.tolist()
    probabilities = q.probabilities
    if label is None and len(classes) > 2:
        known = np.minimum(predicted, len(classes) - 1)
        chosen = probabilities[np.arange(len(known)), known]
        chosen = np.where(known == predicted, chosen, 0.0)  # of a label that is none of the classes
        return CONFIDENCE, chosen, truth == predicted
    names = [str(name) for name in classes]
    at = positive_position(q.classes) if label is None else -1
    if label is not None:
        if str(label) not in names:
            raise ValueError(unknown("class", str(label), names))
        at = names.index(str(label))
    return f"{target} is {names[at]}", probabilities[:, at], truth == at


def positions_of_bins(values: Floats, weights: Floats, n_bins: int) -> Positions:
    """Return the position of each value among at most n bins of about equal weight, shape (m,).

    Equal values belong to one bin, that of the first of them.
    """
    order = np.argsort(values, kind="stable")
    middle = np.cumsum(weights[order]) - weights[order] / 2
    position = np.empty(len(values), dtype=np.intp)
    position[order] = np.minimum(middle / weights.sum() * n_bins, n_bins - 1).astype(np.intp)
    _, first, same = np.unique(values[order], return_index=True, return_inverse=True)
    position[order] = position[order][first][same]
    return np.asarray(np.unique(position, return_inverse=True)[1])


def _of_bins(
    event: str,
    probability: Floats,
    happened: npt.NDArray[np.bool_],
    target: str,
    population: Population,
    n_bins: int,
    level: float,
    family: Family | None,
) -> Calibration:
    rows = population.positions[population.scored[population.positions] > 0]
    weights, p, outcome = population.scored[rows], probability[rows], happened[rows]
    bins = positions_of_bins(p, weights, n_bins)
    mass = np.bincount(bins, weights)
    observed = np.bincount(bins, weights * outcome) / mass
    expected = np.bincount(bins, weights * p) / mass
    members = [rows[bins == b] for b in range(len(mass))]
    if family is not None:
        for of_bin, share in zip(members, observed, strict=True):
            _add(family, happened[None], np.array([share]), population, of_bin)
    pointwise_level = None if family is None else family.pointwise_level(level)
    of_bins = [
        ([b], wilson_of(observed[[b]], happened[None, of_bin], population.among(of_bin)))
        for b, of_bin in enumerate(members)
    ]
    ends = partial(filled, observed.shape, of_bins, [])
    low, high = ends(pointwise_level or level)
    # A bin misses clearly if it does with the intervals of all bins at once.
    clear = _misses(expected, ends(pointwise_level or of_each(level, len(mass))))
    return Calibration(
        event=event,
        target=target,
        predicted=expected,
        observed=observed,
        low=low,
        high=high,
        share=mass / mass.sum(),
        n_rows_of_bin=np.bincount(bins),
        coverage=(),
        level=level,
        clear=clear,
        clear_coverage=(),
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        groups=population.group_count,
        pointwise_level=pointwise_level,
        ends=ends,
    )


def quantile_counts(q: Distribution, truth: Floats) -> npt.NDArray[np.uint8]:
    """Count the quantiles below the target of each row, and those at or below it: (2, n).

    Of counts, whose quantiles are passed by more than their level, the levels below the randomised
    transform of the target are counted, and those at or below it (Czado et al. 2009). Its random
    numbers are the same in every call.
    """
    if isinstance(q, Counts):
        levels, u = _QUANTILES[:, None], q.pit(truth)
        return np.stack([(levels < u).sum(axis=0), (levels <= u).sum(axis=0)]).astype(np.uint8)
    counts = np.zeros((2, len(truth)), dtype=np.uint8)
    for p in _QUANTILES.tolist():
        quantile = q.quantile(p)
        counts[0] += quantile < truth
        counts[1] += quantile <= truth
    return counts


def _of_quantiles(
    counts: npt.NDArray[np.uint8],
    target: str,
    population: Population,
    level: float,
    family: Family | None,
) -> Calibration:
    share = population.scored / population.scored.sum()
    k = len(_QUANTILES)
    n_below, n_at_most = (np.bincount(line, share, minlength=k + 1) for line in counts)
    # The target is at most quantile j where at most j quantiles are below it, counted from 0, and
    # it is less than quantile j where at most j are at or below it.
    at_most, less = np.cumsum(n_below)[:k].clip(0, 1), np.cumsum(n_at_most)[:k].clip(0, 1)
    observed = at_most[_INNER]
    is_below, is_at_most = (line <= np.arange(k)[:, None] for line in counts)
    tails = [int(np.argmin(np.abs(_QUANTILES - (1 - nominal) / 2))) for nominal in _INTERVALS]
    inside = np.array([at_most[k - 1 - tail] - less[tail] for tail in tails]).clip(0, 1)
    is_inside = np.stack([is_below[k - 1 - tail] & ~is_at_most[tail] for tail in tails])
    for happened, shares in ((is_below[_INNER], observed), (is_inside, inside)):
        if family is not None:
            _add(family, happened, shares, population, population.positions)
    pointwise_level = None if family is None else family.pointwise_level(level)
    ends = wilson_of(observed, is_below[_INNER], population)
    low, high = ends(pointwise_level or level)
    ends_inside = wilson_of(inside, is_inside, population)
    of_inside = ends_inside(pointwise_level or level)
    at_once = pointwise_level or of_each(level, len(observed) + len(inside))
    return Calibration(
        event=f"{target} is at most the predicted quantile",
        target=target,
        predicted=_QUANTILES[_INNER].copy(),
        observed=observed,
        low=low,
        high=high,
        share=np.ones(len(observed)),
        n_rows_of_bin=np.full(len(observed), len(population.positions)),
        coverage=tuple(zip(_INTERVALS, *(v.tolist() for v in (inside, *of_inside)), strict=True)),
        level=level,
        clear=_misses(_QUANTILES[_INNER], ends(at_once)),
        clear_coverage=tuple(_misses(np.array(_INTERVALS), ends_inside(at_once)).tolist()),
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        groups=population.group_count,
        pointwise_level=pointwise_level,
        ends=ends,
    )


def of_each(level: float, number: int) -> float:
    """Return the level of each of several intervals that all hold at once (Sidak 1967)."""
    return float(level ** (1 / number))


def _misses(expected: Floats, ends: tuple[Floats, Floats]) -> npt.NDArray[np.bool_]:
    """Return whether intervals do not contain what is expected."""
    return np.asarray((expected < ends[0]) | (expected > ends[1]))


def _add(
    family: Family,
    happened: npt.NDArray[np.bool_],
    shares: Floats,
    population: Population,
    rows: Positions,
) -> None:
    """Add the shares (m,) of some rows in which events (m, n) happened.

    A share of 0 or 1, on which no row has an influence, counts too: other rows may change it.
    """
    certain = np.ptp(happened[:, rows].astype(np.int8), axis=1) == 0
    influences = np.zeros((len(shares), len(population.scored)))
    deviations = happened[:, rows] - shares[:, None]
    influences[:, rows] = population.scored[rows] * deviations
    family.add(population.of_units(influences[~certain]))
    family.add_unknown(int(certain.sum()))
