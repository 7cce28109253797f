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
    FAIR,
    FAIR_UNDER_WEIGHTS,
    PRECISE,
    interaction_influences,
    regression_on_two,
)
from uqwidgets.inference.moments import Moments, bounds_of_moments
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import Populations

# Up to this many rows the interaction of rows is summed over all repeats. With more it is small,
# and estimated from one of them.
_ALL_REPEATS_ROWS, _FEW_REPEATS = 20_000, 1
# The second candidate is computed where it is needed, or nearly.
_NEARLY = 1.5
# Interpolated precisions may be wrong by this factor.
_SLIGHTLY = 1.03
# Values of an array (rows, populations): about a dozen of them are in memory at a time. They are
# filled in blocks that fit the processor's cache.
_MOST_VALUES, _BLOCK = 1 << 20, 1 << 15


class Candidates(NamedTuple):
    """Moments by each estimate of the influences, see `uqwidgets.inference.cancelling`.

    Attributes
    ----------
    moments : Moments
        Arrays of shape (3, ...): from the pairs as they are, with control variates, and from the
        interactions. NaN for those that are not needed.
    plain_variance, plain_error : ndarray of shape (3, ...)
        As the moments of these names, without the leverage; they decide which is used.
    """

    moments: Moments
    plain_variance: Floats
    plain_error: Floats

    def bounds(self, uniform: npt.ArrayLike, level: float) -> tuple[Floats, Floats, Floats]:
        """Return the ends of the intervals by the candidate that is used, see `less_noisy`.

        Parameters
        ----------
        uniform : array-like of bool
            Where all rows are scored and have equal weights.
        level : float

        Returns
        -------
        low, high, other : ndarray
            ``other`` is how far the ends are from those of another candidate, which would be used
            if a precision were slightly different; 0 where none would, and infinite where the
            interactions would be needed but are not known.
        """
        precision = _precision(self.plain_variance, self.plain_error)
        best = _best(precision, uniform)
        possible = np.zeros(precision.shape, dtype=np.bool_)
        for factor in (1 / _SLIGHTLY, _SLIGHTLY):
            for c in range(len(precision)):
                nearby = precision.copy()
                nearby[c] *= factor
                np.put_along_axis(possible, _best(nearby, uniform), True, axis=0)
        np.put_along_axis(possible, best, True, axis=0)
        ends = np.full((2, *precision.shape), np.nan)
        moments = Moments(*(each[possible] for each in self.moments))
        ends[:, possible] = bounds_of_moments(moments, level)[1:]
        low, high = np.take_along_axis(ends, best[None], axis=1)[:, 0]
        off = np.abs(ends - np.stack([low, high])[:, None])
        other = np.nan_to_num(off).max(axis=(0, 1))
        needed = needs_interactions(precision / _SLIGHTLY, uniform) & (precision[2] == -1.0)
        return low, high, np.where(needed, np.inf, other)


def needs_interactions(precision: Floats, uniform: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return where neither of the first two candidates is precise enough, see `less_noisy`."""
    fair = np.where(uniform, FAIR, FAIR_UNDER_WEIGHTS)
    return np.asarray((precision[0] <= PRECISE) & (precision[1] < fair))


def _best(precision: Floats, uniform: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return the candidate that is used, as an axis of length 1 before the others."""
    among = precision.copy()
    among[2, ~needs_interactions(precision, uniform)] = -1.0
    return np.where(precision[0] > PRECISE, 0, among.argmax(axis=0))[None]


def candidate_moments(
    populations: Populations,
    changes: Sequence[Floats],
    donors: npt.NDArray[np.integer[Any]],
    originals: Sequence[Floats],
    check: Callable[[], None],
    *,
    with_interactions: bool,
) -> Candidates:
    """Return the moments of each measure's change, arrays of shape (3, measures, t).

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
        Whether the third candidate is computed where it is needed. It takes long, and is no smooth
        function of the weights.
    """
    # Values are taken fastest by positions of this type.
    drawn = np.ascontiguousarray(donors, dtype=np.intp)
    receivers = np.empty_like(drawn)
    np.put_along_axis(receivers, drawn, np.arange(drawn.shape[1])[None], axis=1)
    parts = []
    for part in populations.parts(_MOST_VALUES):
        check()
        path = _Path(part, changes, drawn, receivers)
        parts.append(
            np.stack(
                [
                    _of_measure(path, m, original, check if with_interactions else None)
                    for m, original in enumerate(originals)
                ],
                axis=2,
            )
        )
    fields = np.concatenate(parts, axis=-1).swapaxes(0, 1)
    return Candidates(Moments(*fields[:-2]), *fields[-2:])


def _of_measure(path: _Path, m: int, original: Floats, check: Callable[[], None] | None) -> Floats:
    """Return the fields of all three candidates, shape (3, fields, t).

    The third is computed if there is a function to ``check`` whether to go on.
    """
    fields = np.full((3, len(Candidates._fields) - 1 + len(Moments._fields), path.t), np.nan)
    plain = path.plain(m)
    fields[0] = path.fields(m, plain)
    precision = _precision(*fields[:, -2:].swapaxes(0, 1))
    if not plain.double_counted.any() or (precision[0] > _NEARLY * PRECISE).all():
        return fields
    fields[1] = path.fields(m, path.controlled(m, original))
    if check is None or path.scores_some or len(path.donors) < 2:
        return fields
    precision = _precision(*fields[:, -2:].swapaxes(0, 1))
    needed = needs_interactions(precision, np.ptp(path.weights, axis=0) == 0)
    of_rows, double_counted = np.full((2, path.n, path.t), np.nan)
    for t in np.flatnonzero(needed):
        check()
        w = path.weights[:, t]
        population = Population(w, w, None, weighted=True)
        for each in interaction_influences(path.changes[m], path.donors, original, population):
            of_rows[:, t], double_counted[:, t] = each.of_rows, each.double_counted
    if np.isfinite(of_rows).any():
        fields[2] = path.fields(m, _Rows(of_rows, double_counted, None))
        fields[2, :, np.isnan(of_rows[0])] = np.nan
    return fields


def _precision(variance: Floats, error: Floats) -> Floats:
    """Relative precision of variances, see `uqwidgets.inference.variance`; -1 for unknown ones."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(variance > 0, np.square(variance / error), 0.0)
    return np.where(np.isnan(variance), -1.0, precision)


class _Rows(NamedTuple):
    """Influences of rows and what their squares contain twice, (n, t), with those of the pairs.

    The pairs have the coefficients of the measure of the scored row and of the donor, each with
    its values (n, t), subtracted; None if there are no pairs.
    """

    of_rows: Floats
    double_counted: Floats
    subtracted: tuple[tuple[Floats, Floats], tuple[Floats, Floats]] | tuple[()] | None


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
        for rows in self._blocks():
            self._sum(rows)
        w, s = self.weights, self.scored
        self.total = _sums(s, self._drawn)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.estimates = np.stack([_sums(s, d) for d in self._change_drawn]) / self.total
            self.pair_spread = _sums(np.square(s), self._squared) / self.total**2
            self.scale = self.n / self.total
        self._w, self._s = w, s

    def _blocks(self) -> Iterator[slice]:
        step = max(1, _BLOCK // self.t)
        for first in range(0, self.n, step):
            yield slice(first, first + step)

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

    def plain(self, m: int) -> _Rows:
        """Return the influences as they follow from the pairs."""
        estimate = self.estimates[m]
        scored, donated = self._roles(m)
        squares = self._squares[m] - 2 * estimate * self._change_squared[m]
        squares += estimate**2 * self._squared
        squares *= np.square(self.scale * self._s)
        # A difference of equal numbers may be below zero by rounding.
        return _Rows(scored + donated, np.maximum(squares, 0.0), ())

    def _roles(self, m: int) -> tuple[Floats, Floats]:
        """Return the influences of rows as scored and as donors."""
        estimate = self.estimates[m]
        scored = self._s * (self._change_drawn[m] - estimate * self._drawn)
        donated = self._w * (self._change_received[m] - estimate * self._received)
        return scored * self.scale, donated * self.scale

    def controlled(self, m: int, original: Floats) -> _Rows:
        """Return the influences with the measure of both rows of a pair as control variates."""
        by_scored, by_donor = self._roles(m)
        of_scored, of_donor = (
            w * (original[:, None] - _sums(w, original[:, None]) / w.sum(axis=0))
            for w in (self._s, self._w)
        )
        drawn, received = np.zeros_like(of_donor), np.zeros_like(of_scored)
        for donors, receivers in zip(self.donors, self.receivers, strict=True):
            drawn += of_donor.take(donors, axis=0)
            received += of_scored.take(receivers, axis=0)
        slopes = regression_on_two(
            len(self.donors),
            _sums(of_scored, of_scored),
            _sums(of_donor, of_donor),
            _sums(of_scored, drawn),
            _sums(of_scored, by_scored),
            _sums(of_donor, by_donor),
        )
        of_rows = by_scored + by_donor - slopes[1] * drawn - slopes[0] * received
        subtracted = (slopes[0], of_scored), (slopes[1], of_donor)
        squares = np.zeros_like(of_rows)
        for k in range(len(self.donors)):
            squares += np.square(self._pairs(m, k, slice(None), subtracted))
        return _Rows(of_rows, squares, subtracted)

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
        for block in self._blocks():
            relative = rows.of_rows[block] / unit
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
        interaction = np.zeros(self.t)
        if rows.subtracted is not None:
            chains, of_pairs = self._third_order(m, rows, unit)
            cubes -= of_pairs
            interaction = 2 * (chains - plain.sum * of_weights)
        ess, evenness = self.populations.ess_and_evenness
        return np.stack(
            [
                self.estimates[m],
                unit * np.sqrt(squares) / self.n,
                leveraged.sum / scale,
                leveraged.error / scale,
                cubes / scale**1.5,
                interaction / scale**1.5,
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
        repeats = len(self.donors)
        used = repeats if self.n <= _ALL_REPEATS_ROWS else min(repeats, _FEW_REPEATS)
        relative = rows.of_rows / unit
        chains, cubes = np.zeros(self.t), np.zeros(self.t)
        for block in self._blocks():
            for k in range(used):
                pairs = self._pairs(m, k, block, rows.subtracted)
                pairs /= unit
                others = relative[block] - pairs
                others *= relative.take(self.donors[k, block], axis=0) - pairs
                chains += _sums(pairs, others)
                cubes += _sums(np.square(pairs), pairs)
        return chains * (repeats / used), cubes * (repeats / used)


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
