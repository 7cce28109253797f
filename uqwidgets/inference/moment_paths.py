r"""Moments of the mean change over drawn pairs in many populations at once.

`uqwidgets.inference.mean_change` and `row_moments` give them in one population, this module where
weights move along a path, as under stress. Arrays have the rows first and the populations last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.cancelling import PRECISE, share_of_interactions
from uqwidgets.inference.influence_paths import (
    DrawnPairs,
    PathInfluences,
    RowInfluences,
    relative_precisions,
)
from uqwidgets.inference.interaction_paths import interaction_influences_in
from uqwidgets.inference.moments import Moments, bounds_of_moments
from uqwidgets.inference.populations import Populations, mean_changes_in
from uqwidgets.inference.sums import squared_deviations

# Values of an array (rows, populations): about a dozen of them are in memory at a time.
_MOST_VALUES = 1 << 17


class PathMoments(NamedTuple):
    """Moments without and with the interactions of rows, see `uqwidgets.inference.interactions`.

    Attributes
    ----------
    moments : Moments
        Arrays of shape (2, ...): without and with interactions. The latter are NaN where they are
        not needed, or not computed; of shape (1, ...) where they are computed nowhere.
    plain_variance, plain_error : ndarray of shape (2, ...) or (1, ...)
        As the moments of these names, without the leverage; they decide whether interactions are
        needed.
    """

    moments: Moments
    plain_variance: Floats
    plain_error: Floats

    @classmethod
    def of(cls, fields: Floats) -> PathMoments:
        """Return the moments of an array (fields, 2 or 1, ...)."""
        return cls(Moments(*fields[:-2]), *fields[-2:])

    def bounds(self, level: float) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Return the ends of the intervals, see `uqwidgets.inference.bounds`.

        Parameters
        ----------
        level : float

        Returns
        -------
        low, high : ndarray
        lacking : ndarray of bool
            Where the interactions are needed but are not known.
        """
        fields, lacking = self.merged()
        _, low, high = bounds_of_moments(Moments(*fields[:-2]), level)
        return low, high, lacking

    def merged(self) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return the moments with interactions where these are needed and known.

        Returns
        -------
        fields : ndarray of shape (fields, ...)
            All attributes, of either the first or the second kind.
        lacking : ndarray of bool
            See `bounds`.
        """
        fields = np.stack([*self.moments, self.plain_variance, self.plain_error])
        is_needed = _needs_interactions(self)
        if fields.shape[1] == 1:
            return fields[:, 0], is_needed
        is_known = np.isfinite(self.plain_variance[1])
        used = np.where(is_needed & is_known, fields[:, 1], fields[:, 0])
        return used, is_needed & ~is_known


def _needs_interactions(path: PathMoments) -> npt.NDArray[np.bool_]:
    variance, error = path.plain_variance[0], path.plain_error[0]
    precision = relative_precisions(variance, error)
    # Without any change there is no noise of the draws.
    is_noisy = (precision < PRECISE) & ((variance != 0) | (error != 0))
    share = share_of_interactions(precision, path.moments.evenness[0])
    return np.asarray(is_noisy & (share > 0))


def path_moments(
    populations: Populations,
    changes: Sequence[Floats],
    donors: npt.NDArray[np.integer[Any]],
    originals: Sequence[Floats],
    check: Callable[[], None],
    *,
    with_interactions: bool,
    most_rows: int | None = None,
) -> PathMoments:
    """Return the moments of each measure's change, arrays of shape (2 or 1, measures, t).

    Parameters
    ----------
    populations : Populations
    changes : sequence of ndarray of shape (K, n)
        See `mean_change`, for each measure.
    donors : ndarray of shape (K, n)
        Every line is a permutation of the rows.
    originals : sequence of ndarray of shape (n,)
        Each measure of the rows without replacement.
    check : callable
        Called between parts of the work; what it raises ends it.
    with_interactions : bool
        Whether the interactions are computed where they are needed. This takes long.
    most_rows : int, optional
        With more rows, the variances and skewnesses are estimated from the influences of a sample
        of so many of them.
    """
    pairs = DrawnPairs.of(changes, donors, populations.weights, most_rows)
    parts = []
    for part in populations.parts(_MOST_VALUES):
        check()
        estimates = None if pairs.rows is None else mean_changes_in(part, changes, donors, check)
        path = PathInfluences(part, pairs, estimates)
        rows = [path.rows(m, original) for m, original in enumerate(originals)]
        without = np.stack([path.fields(m, each) for m, each in enumerate(rows)], axis=1)
        both = without[None]
        if with_interactions:
            both = np.stack([without, np.full_like(without, np.nan)])
            if not path.scores_some and len(donors) > 1:
                needed = _needs_interactions(PathMoments.of(both.swapaxes(0, 1)))
                for m, combination in _combinations(path, rows, originals, needed, check):
                    is_known = np.isfinite(combination.of_rows[0])
                    both[1][:, m, is_known] = path.fields(m, combination)[:, is_known]
        parts.append(both)
        del path, rows  # otherwise they stay in memory while the next are made
    return PathMoments.of(np.concatenate(parts, axis=-1).swapaxes(0, 1))


def _combinations(
    path: PathInfluences,
    rows: Sequence[RowInfluences],
    originals: Sequence[Floats],
    needed: npt.NDArray[np.bool_],
    check: Callable[[], None],
) -> Iterator[tuple[int, RowInfluences]]:
    """Yield measures with the influences that contain the interactions, NaN where not needed.

    Parameters
    ----------
    path : PathInfluences
    rows : sequence of RowInfluences
        Of each measure, without interactions.
    originals : sequence of ndarray of shape (n,)
    needed : ndarray of shape (measures, t)
    check : callable
        See `path_moments`.
    """
    measures = np.flatnonzero(needed.any(axis=1)).tolist()
    somewhere = np.flatnonzero(needed.any(axis=0))
    interactions = interaction_influences_in(
        [path.pairs.changes[m] for m in measures],
        path.pairs.donors.astype(np.intp),
        [originals[m] for m in measures],
        path.populations.weights[:, somewhere],
        check,
    )
    evenness = path.populations.ess_and_evenness[1][somewhere]
    for m, *of_interactions in zip(measures, *interactions, strict=True):
        without = [each[:, somewhere] for each in rows[m][:2]]
        together = _combined(without, of_interactions, evenness)
        is_used = needed[m, somewhere] & np.isfinite(of_interactions[0][0])
        result = rows[m]._replace(
            of_rows=np.full_like(rows[m].of_rows, np.nan),
            double_counted=np.full_like(rows[m].of_rows, np.nan),
            share_of_pairs=np.ones(path.t),
        )
        for all_of_them, here in zip((*result[:2], result[3]), together, strict=True):
            all_of_them[..., somewhere[is_used]] = here[..., is_used]
        yield m, result


def _combined(
    without: Sequence[Floats], interactions: Sequence[Floats], evenness: Floats
) -> tuple[Floats, Floats, Floats]:
    """Average both influences as `uqwidgets.inference.cancelling.combined` does.

    Parameters
    ----------
    without, interactions : sequence of two ndarrays of shape (n, t)
        Influences of the rows, and what their squares contain twice.
    evenness : ndarray of shape (t,)

    Returns
    -------
    of_rows, double_counted : ndarray of shape (n, t)
    share_of_pairs : ndarray of shape (t,)
    """
    parts, others = (np.square(each) - doubled for each, doubled in (without, interactions))
    # In a unit of their size, because their squares would overflow for large values.
    unit = np.fmax(*(np.ptp(each, axis=0) for each in (parts, others)))
    unit = np.where(unit > 0, unit, 1.0)
    squared_error, other = (squared_deviations(each.T, unit) for each in (parts, others))
    precision = relative_precisions(parts.sum(axis=0) / unit, np.sqrt(squared_error))
    share = share_of_interactions(precision, evenness)
    sums = squared_error + other
    weight = share * np.divide(squared_error, sums, out=np.zeros_like(sums), where=sums > 0)
    of_rows = (1 - weight) * without[0] + weight * interactions[0]
    double_counted = np.square(of_rows) - (1 - weight) * parts - weight * others
    return of_rows, double_counted, 1 - weight
