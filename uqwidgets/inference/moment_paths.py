r"""Moments of the mean change over drawn pairs in many populations at once.

`uqwidgets.inference.mean_change` and `row_moments` give them in one population. Where weights move
along a path, as under stress, the donors of the pairs are looked up once for all populations of
it. Arrays have the rows first and the populations last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.cancelling import (
    PRECISE,
    regression_on_two,
    share_of_controls,
    share_of_interactions,
)
from uqwidgets.inference.interaction_paths import interaction_influences_in
from uqwidgets.inference.moments import Moments, bounds_of_moments
from uqwidgets.inference.pooled_skewness import PooledSkewness
from uqwidgets.inference.populations import Populations
from uqwidgets.inference.sums import squared_deviations

# Values of an array (rows, populations): about a dozen of them are in memory at a time. They are
# filled in blocks that fit the processor's cache.
_MOST_VALUES, _BLOCK = 1 << 20, 1 << 15


class PathMoments(NamedTuple):
    """Moments without and with the interactions of rows, see `uqwidgets.inference.interactions`.

    Attributes
    ----------
    moments : Moments
        Arrays of shape (2, ...): without and with interactions. The latter are NaN where they are
        not needed or not computed.
    plain_variance, plain_error : ndarray of shape (2, ...)
        As the moments of these names, without the leverage; they decide whether interactions are
        needed.
    """

    moments: Moments
    plain_variance: Floats
    plain_error: Floats

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
        _, low, high = bounds_of_moments(self.moments, level)
        is_needed = _needs_interactions(self)
        is_known = np.isfinite(self.plain_variance[1])
        used = is_needed & is_known
        return (
            np.where(used, low[1], low[0]),
            np.where(used, high[1], high[0]),
            is_needed & ~is_known,
        )


def _needs_interactions(path: PathMoments) -> npt.NDArray[np.bool_]:
    variance, error = path.plain_variance[0], path.plain_error[0]
    precision = _precision(variance, error)
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
) -> PathMoments:
    """Return the moments of each measure's change, arrays of shape (2, measures, t).

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
    """
    # Values are taken fastest by positions of this type.
    drawn = np.ascontiguousarray(donors, dtype=np.intp)
    receivers = np.empty_like(drawn)
    np.put_along_axis(receivers, drawn, np.arange(drawn.shape[1])[None], axis=1)
    parts = []
    for part in populations.parts(_MOST_VALUES):
        check()
        path = _Path(part, changes, drawn, receivers)
        rows = [path.rows(m, original) for m, original in enumerate(originals)]
        without = np.stack([path.fields(m, each) for m, each in enumerate(rows)], axis=1)
        both = np.stack([without, np.full_like(without, np.nan)])
        if with_interactions and not path.scores_some and len(drawn) > 1:
            needed = _needs_interactions(_of_fields(both))
            for m, combination in _combinations(path, rows, originals, needed, check):
                is_known = np.isfinite(combination.of_rows[0])
                both[1][:, m, is_known] = path.fields(m, combination)[:, is_known]
        parts.append(both)
        del path, rows  # otherwise they stay in memory while the next are made
    return _of_fields(np.concatenate(parts, axis=-1))


def _of_fields(fields: Floats) -> PathMoments:
    """Return the moments from an array (2, fields, ...)."""
    each = fields.swapaxes(0, 1)
    return PathMoments(Moments(*each[:-2]), *each[-2:])


def _combinations(
    path: _Path,
    rows: Sequence[_Rows],
    originals: Sequence[Floats],
    needed: npt.NDArray[np.bool_],
    check: Callable[[], None],
) -> Iterator[tuple[int, _Rows]]:
    """Yield measures with the influences that contain the interactions, NaN where not needed.

    Parameters
    ----------
    path : _Path
    rows : sequence of _Rows
        Of each measure, without interactions.
    originals : sequence of ndarray of shape (n,)
    needed : ndarray of shape (measures, t)
    check : callable
        See `path_moments`.
    """
    measures = np.flatnonzero(needed.any(axis=1)).tolist()
    somewhere = np.flatnonzero(needed.any(axis=0))
    interactions = interaction_influences_in(
        [path.changes[m] for m in measures],
        path.donors,
        [originals[m] for m in measures],
        path.weights[:, somewhere],
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
    squared_error, other = (squared_deviations(each, unit) for each in (parts, others))
    precision = _precision(parts.sum(axis=0) / unit, np.sqrt(squared_error))
    share = share_of_interactions(precision, evenness)
    sums = squared_error + other
    weight = share * np.divide(squared_error, sums, out=np.zeros_like(sums), where=sums > 0)
    of_rows = (1 - weight) * without[0] + weight * interactions[0]
    double_counted = np.square(of_rows) - (1 - weight) * parts - weight * others
    return of_rows, double_counted, 1 - weight


def _precision(variance: Floats, error: Floats) -> Floats:
    """Relative precision of variances, see `uqwidgets.inference.variance`; -1 for unknown ones."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(variance > 0, np.square(variance / error), 0.0)
    return np.where(np.isnan(variance), -1.0, precision)


class _Rows(NamedTuple):
    """Influences of rows and what their squares contain twice, (n, t), with those of the pairs.

    The pairs have the coefficients of the measure of the scored row and of the donor, each with
    its values (n, t), subtracted, and are multiplied by their share (t,).
    """

    of_rows: Floats
    double_counted: Floats
    subtracted: tuple[tuple[Floats, Floats], tuple[Floats, Floats]] | tuple[()]
    share_of_pairs: Floats


class _Path:
    """Sums over the drawn pairs in every population.

    Parameters
    ----------
    populations : Populations
    changes : sequence of ndarray of shape (K, n)
    donors, receivers : ndarray of shape (K, n)
        A permutation of the rows in each line, and its inverse.
    """

    def __init__(
        self,
        populations: Populations,
        changes: Sequence[Floats],
        donors: Positions,
        receivers: Positions,
    ) -> None:
        self.weights, self.scored = populations.weights, populations.scored
        self.scores_some = populations.scored is not populations.weights
        self.populations = populations
        self.changes, self.donors, self.receivers = changes, donors, receivers
        self.n, self.t = self.weights.shape
        shape = (len(changes), self.n, self.t)
        # Sums over the repeats of the weight of the other row of the pair, times powers of the
        # change; then the same of its square.
        self._drawn, self._received = np.zeros(shape[1:]), np.zeros(shape[1:])
        self._squared = np.zeros(shape[1:])
        self._change_drawn, self._change_received = np.zeros(shape), np.zeros(shape)
        self._change_squared, self._squares = np.zeros(shape), np.zeros(shape)
        for rows in _blocks(self.n, self.t):
            self._sum(rows)
        w, s = self.weights, self.scored
        self.total = _sums(s, self._drawn)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.estimates = np.stack([_sums(s, d) for d in self._change_drawn]) / self.total
            self.pair_spread = _sums(np.square(s), self._squared) / self.total**2
            self.scale = self.n / self.total
        self._w, self._s = w, s

    def _sum(self, rows: slice) -> None:
        for k, (donors, receivers) in enumerate(zip(self.donors, self.receivers, strict=True)):
            of_donor = self.weights.take(donors[rows], axis=0)
            of_receiver = self.scored.take(receivers[rows], axis=0)
            self._drawn[rows] += of_donor
            self._received[rows] += of_receiver
            squared = np.square(of_donor)
            self._squared[rows] += squared
            for m, lines in enumerate(self.changes):
                change = lines[k, rows, None]
                of_donor_m, squared_m = of_donor * change, squared * change
                self._change_drawn[m, rows] += of_donor_m
                self._change_squared[m, rows] += squared_m
                squared_m *= change
                self._squares[m, rows] += squared_m
                change_of_receiver = lines[k].take(receivers[rows])[:, None]
                self._change_received[m, rows] += of_receiver * change_of_receiver

    def rows(self, m: int, original: Floats) -> _Rows:
        """Return the influences, with control variates where these are needed."""
        estimate = self.estimates[m]
        scored, donated = self._roles(m)
        squares = self._squares[m] - 2 * estimate * self._change_squared[m]
        squares += estimate**2 * self._squared
        squares *= np.square(self.scale * self._s)
        np.maximum(squares, 0.0, out=squares)  # it may be below zero by rounding
        plain = _Rows(scored + donated, squares, (), np.ones(self.t))
        if not squares.any():
            return plain
        total, unit = _Total(self.n, self.t), np.square(self._largest(plain.of_rows))
        for block in _blocks(self.n, self.t):
            total.add((np.square(plain.of_rows[block]) - squares[block]) / unit)
        share = share_of_controls(_precision(total.sum, total.error))
        if not share.any():
            return plain
        return self._controlled(plain, m, original, share, scored, donated)

    def _roles(self, m: int) -> tuple[Floats, Floats]:
        """Return the influences of rows as scored and as donors."""
        donated = self._change_received[m] - self.estimates[m] * self._received
        return self._as_scored(m, slice(None)), self._w * donated * self.scale

    def _as_scored(self, m: int, rows: slice) -> Floats:
        """Return the influences of some rows as scored."""
        change = self._change_drawn[m, rows] - self.estimates[m] * self._drawn[rows]
        return np.asarray(self._s[rows] * change * self.scale)

    def _controlled(
        self,
        plain: _Rows,
        m: int,
        original: Floats,
        share: Floats,
        by_scored: Floats,
        by_donor: Floats,
    ) -> _Rows:
        """Subtract a share of the measure of both rows of a pair, as control variates."""
        of_scored, of_donor = (
            w * (original[:, None] - _sums(w, original[:, None]) / w.sum(axis=0))
            for w in (self._s, self._w)
        )
        drawn, received = np.zeros_like(of_donor), np.zeros_like(of_scored)
        for donors, receivers in zip(self.donors, self.receivers, strict=True):
            drawn += of_donor.take(donors, axis=0)
            received += of_scored.take(receivers, axis=0)
        slopes = share * regression_on_two(
            len(self.donors),
            _sums(of_scored, of_scored),
            _sums(of_donor, of_donor),
            _sums(of_scored, drawn),
            _sums(of_scored, by_scored),
            _sums(of_donor, by_donor),
        )
        of_rows = plain.of_rows - slopes[1] * drawn - slopes[0] * received
        subtracted = (slopes[0], of_scored), (slopes[1], of_donor)
        squares = np.zeros_like(of_rows)
        for k in range(len(self.donors)):
            squares += np.square(self._pairs(m, k, slice(None), subtracted))
        return _Rows(of_rows, squares, subtracted, plain.share_of_pairs)

    def _pairs(self, m: int, k: int, rows: slice, subtracted: Any) -> Floats:
        """Return the influence of each pair of a repeat."""
        donors = self.donors[k, rows]
        pairs = self._w.take(donors, axis=0)
        pairs *= self.changes[m][k, rows, None] - self.estimates[m]
        pairs *= self._s[rows]
        pairs *= self.scale
        if subtracted:
            (a, of_scored), (b, of_donor) = subtracted
            pairs -= a * of_scored[rows] + b * of_donor.take(donors, axis=0)
        return pairs

    def fields(self, m: int, rows: _Rows) -> Floats:
        """Return the moments of the influences, and those without leverage, (fields, t)."""
        unit = self._largest(rows.of_rows)
        leverage = self.populations.leverage_cubed
        s_total, w_total = self._s.sum(axis=0), self._w.sum(axis=0)
        squares, cubes, of_weights = np.zeros(self.t), np.zeros(self.t), np.zeros(self.t)
        plain, leveraged = _Total(self.n, self.t), _Total(self.n, self.t)
        pooled = PooledSkewness(self.t)
        for block in _blocks(self.n, self.t):
            relative = rows.of_rows[block] / unit
            pooled.add(self._as_scored(m, block) / unit, relative, self._w[block])
            parts = np.square(relative)
            squares += parts.sum(axis=0)
            cubes += _sums(parts, relative)
            of_weights += _sums(relative, self._s[block]) / s_total
            of_weights += _sums(relative, self._w[block]) / w_total
            parts -= rows.double_counted[block] / unit**2
            plain.add(parts)
            parts *= leverage[block]
            leveraged.add(parts)
        scale = np.where(squares > 0, squares, 1.0)
        chains, of_pairs = self._third_order(m, rows, unit)
        skewness = (cubes - of_pairs) / scale**1.5 + pooled.excess(squares, cubes)
        ess, evenness = self.populations.ess_and_evenness
        return np.stack(
            [
                self.estimates[m],
                unit * np.sqrt(squares) / self.n,
                leveraged.sum / scale,
                leveraged.error / scale,
                skewness,
                2 * (chains - plain.sum * of_weights) / scale**1.5,
                1 / ess,
                self.pair_spread,
                evenness,
                plain.sum / scale,
                plain.error / scale,
            ]
        )

    def _largest(self, of_rows: Floats) -> Floats:
        """Largest absolute value in each population, 1 where all are zero."""
        largest = np.maximum(of_rows.max(axis=0), -of_rows.min(axis=0))
        return np.where(largest > 0, largest, 1.0)

    def _third_order(self, m: int, rows: _Rows, unit: Floats) -> tuple[Floats, Floats]:
        """Return the sums that `Change.interaction` and ``double_counted_cubes`` are made of."""
        relative = rows.of_rows / unit
        chains, cubes = np.zeros(self.t), np.zeros(self.t)
        for block in _blocks(self.n, self.t):
            for k in range(len(self.donors)):
                pairs = self._pairs(m, k, block, rows.subtracted)
                pairs *= rows.share_of_pairs / unit
                others = relative[block] - pairs
                others *= relative.take(self.donors[k, block], axis=0) - pairs
                chains += _sums(pairs, others)
                cubes += _sums(np.square(pairs), pairs)
        return chains, cubes


def _blocks(n: int, t: int) -> Iterator[slice]:
    step = max(1, _BLOCK // t)
    yield from (slice(start, start + step) for start in range(0, n, step))


def _sums(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("nt,nt->t", *np.broadcast_arrays(one, other)))


class _Total:
    """The sum over rows of independent parts, with its standard error, block by block."""

    def __init__(self, n: int, t: int) -> None:
        self._n = n
        self.sum, self._squares = np.zeros(t), np.zeros(t)

    def add(self, parts: Floats) -> None:
        """Add the parts (m, t) of some rows."""
        self.sum += parts.sum(axis=0)
        self._squares += _sums(parts, parts)

    @property
    def error(self) -> Floats:
        """Standard error of the sum."""
        return np.sqrt(np.maximum(self._squares - self.sum**2 / self._n, 0.0))
