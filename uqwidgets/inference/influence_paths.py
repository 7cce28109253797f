"""Influences of rows on the mean change over drawn pairs, in many populations at once.

`uqwidgets.inference.mean_change` gives them in one population. Sums over the pairs of all
populations are products of a sparse matrix, see `pair_matrices`. Arrays have the rows first and
the populations last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from uqwidgets._typing import Floats
from uqwidgets.inference.cancelling import regression_on_two, share_of_controls
from uqwidgets.inference.drawn_pairs import ThirdOrderRows
from uqwidgets.inference.pooled_skewness import PooledSkewness
from uqwidgets.inference.populations import ManyPopulations, pair_matrices
from uqwidgets.inference.sums import dots_over_rows, values_at

# Values of an array (rows, populations) that fit the processor's cache.
_BLOCK = 1 << 16


class RowInfluences(NamedTuple):
    """Influences of rows and what their squares contain twice, (n, t), with those of the pairs.

    The pairs have the coefficients (t,) of the measure of the scored row and of the donor, each
    with its values, subtracted.
    """

    of_rows: Floats
    double_counted: Floats
    subtracted: tuple[tuple[Floats, Floats], tuple[Floats, Floats]] | tuple[()]


class DrawnPairs(NamedTuple):
    """The drawn pairs of the rows, as sparse matrices with a line for every row.

    Attributes
    ----------
    changes : sequence of ndarray of shape (K, n)
    donors : ndarray of shape (K, n)
        A permutation of the rows in each line.
    as_scored : sequence of sparse arrays of shape (n, n)
        The first has ones in the columns of the donors of a row, the others the changes.
    """

    changes: Sequence[Floats]
    donors: npt.NDArray[np.integer[Any]]
    as_scored: Sequence[csr_array]

    @classmethod
    def of(cls, changes: Sequence[Floats], donors: npt.NDArray[np.integer[Any]]) -> DrawnPairs:
        """Return the pairs with these changes."""
        matrix = pair_matrices(donors, donors.shape[1])
        as_scored = [matrix(each) for each in (np.ones(donors.shape), *changes)]
        return cls(changes, donors, as_scored)


class PathInfluences:
    """Influences of the rows, from sums over the drawn pairs in every population.

    Parameters
    ----------
    populations : ManyPopulations
    pairs : DrawnPairs
    """

    def __init__(self, populations: ManyPopulations, pairs: DrawnPairs) -> None:
        self.populations, self.pairs = populations, pairs
        self.n, self.t = populations.weights.shape
        self._step = max(1, _BLOCK // self.t)
        s, w = self._roles = populations.scored, populations.weights
        # Sums over the repeats of the weight of the other row of the pair, times powers of the
        # change; then the same of its square.
        squared = np.square(w)
        both = np.concatenate([w, squared], axis=1)
        ones = pairs.as_scored[0]
        self._drawn, self._squared = _parts(ones @ both, 2)
        self._received = np.asarray(ones.T @ s)
        shape = (len(pairs.changes), *self._drawn.shape)
        self._change_drawn, self._change_received = np.empty(shape), np.empty(shape)
        self._change_squared, self._squares = np.empty(shape), np.empty(shape)
        of_square = ones.copy()
        for m, of_change in enumerate(pairs.as_scored[1:]):
            self._change_drawn[m], self._change_squared[m] = _parts(of_change @ both, 2)
            self._change_received[m] = of_change.T @ s
            np.square(of_change.data, out=of_square.data)
            self._squares[m] = of_square @ squared
        self._totals = [each.sum(axis=0) for each in self._roles]
        self._third_order_rows = ThirdOrderRows(np.any(s > 0, axis=1))
        total = dots_over_rows(s, self._drawn)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.estimates = np.stack([dots_over_rows(s, d) for d in self._change_drawn]) / total
            self._pair_spread = dots_over_rows(np.square(s), self._squared) / total**2
        # Where no pair has a weight, nothing is known.
        self._scale = np.divide(self.n, total, out=np.full(self.t, np.nan), where=total > 0)

    def rows(self, m: int, original: Floats) -> RowInfluences:
        """Return the influences, with control variates where these are needed."""
        estimate = self.estimates[m]
        scored = self._as_scored(m, slice(None))
        donated = self._change_received[m] - estimate * self._received
        donated *= self._roles[1]
        donated *= self._scale
        squares = self._squares[m] - 2 * estimate * self._change_squared[m]
        squares += estimate**2 * self._squared
        squares *= np.square(self._scale * self._roles[0])
        np.maximum(squares, 0.0, out=squares)  # it may be below zero by rounding
        plain = RowInfluences(scored + donated, squares, ())
        if not squares.any():
            return plain
        of_units, twice = (
            self.populations.of_units(plain.of_rows),
            self.populations.of_units(squares),
        )
        total, unit = self._total(), np.square(_largest(of_units))
        for block in self._blocks():
            total.add((np.square(of_units[block]) - twice[block]) / unit)
        share = share_of_controls(relative_precisions(total.sum, total.error))
        if not share.any():
            return plain
        return self._controlled(plain, m, original, share, scored, donated)

    def _as_scored(self, m: int, rows: slice) -> Floats:
        """Return the influences of some rows as scored."""
        change: Floats = self._change_drawn[m, rows] - self.estimates[m] * self._drawn[rows]
        change *= self._roles[0][rows]
        change *= self._scale
        return change

    def _controlled(
        self,
        plain: RowInfluences,
        m: int,
        original: Floats,
        share: Floats,
        by_scored: Floats,
        by_donor: Floats,
    ) -> RowInfluences:
        """Subtract a share of the measure of both rows of a pair, as control variates."""
        of_scored, of_donors = (
            weights * (original[:, None] - np.einsum("i,it->t", original, weights) / total)
            for weights, total in zip(self._roles, self._totals, strict=True)
        )
        ones, of_change = self.pairs.as_scored[0], self.pairs.as_scored[m + 1]
        weighted = self.populations.weights * of_donors
        together = np.concatenate([of_donors, np.square(of_donors), weighted], axis=1)
        drawn, drawn_squared, drawn_weighted = _parts(ones @ together, 3)
        received = np.asarray(ones.T @ of_scored)
        repeats = len(self.pairs.donors)
        slopes = share * regression_on_two(
            repeats,
            dots_over_rows(of_scored, of_scored),
            dots_over_rows(of_donors, of_donors),
            dots_over_rows(of_scored, drawn),
            dots_over_rows(of_scored, by_scored),
            dots_over_rows(of_donors, by_donor),
        )
        a, b = slopes
        of_rows = plain.of_rows - b * drawn - a * received
        # The squares of the pairs minus both control variates, multiplied out.
        products = of_change @ weighted - self.estimates[m] * drawn_weighted
        products *= self._scale * self._roles[0]
        squares = plain.double_counted + b * (b * drawn_squared - 2 * products)
        own = a * of_scored
        squares += own * (repeats * own + 2 * (b * drawn - by_scored))
        np.maximum(squares, 0.0, out=squares)  # it may be below zero by rounding
        subtracted = (a, of_scored), (b, of_donors)
        return RowInfluences(of_rows, squares, subtracted)

    def fields(self, m: int, rows: RowInfluences) -> Floats:
        """Return the `Moments` of the influences, (fields, t)."""
        of_units, twice = map(self.populations.of_units, rows[:2])
        as_scored = self.populations.of_units(self._as_scored(m, slice(None)))
        units, unit = self.populations.units, _largest(of_units)
        totals = units.scored.sum(axis=0), units.weights.sum(axis=0)
        squares, cubes, of_weights = np.zeros(self.t), np.zeros(self.t), np.zeros(self.t)
        variance, leveraged = np.zeros(self.t), self._total()
        pooled = PooledSkewness(self.t)
        for block in self._blocks():
            w, s = units.weights[block], units.scored[block]
            relative = of_units[block] / unit
            pooled.add(as_scored[block] / unit, relative, w)
            parts = np.square(relative)
            squares += parts.sum(axis=0)
            cubes += dots_over_rows(parts, relative)
            for weights, total in zip((s, w), totals, strict=True):
                of_weights += dots_over_rows(relative, weights) / total
            parts -= twice[block] / unit**2
            variance += parts.sum(axis=0)
            parts *= units.leverage_cubed[block]
            leveraged.add(parts)
        scale = np.where(squares > 0, squares, 1.0)
        own = rows._replace(of_rows=self.populations.of_rows(of_units))
        chains, of_pairs = self._third_order(m, own, unit)
        skewness = (cubes - of_pairs) / scale**1.5 + pooled.excess(squares, cubes)
        ess, evenness = units.ess_and_evenness
        return np.stack(
            [
                self.estimates[m],
                unit * np.sqrt(squares) / self.n,
                leveraged.sum / scale,
                leveraged.error / scale,
                skewness,
                2 * (chains - variance * of_weights) / scale**1.5,
                1 / ess,
                self._pair_spread,
                evenness,
            ]
        )

    def _third_order(self, m: int, rows: RowInfluences, unit: Floats) -> tuple[Floats, Floats]:
        """Return the sums that `Change.interaction` and ``double_counted_cubes`` are made of."""
        # These sums correct the skewness only, so single precision is enough; it takes half of the
        # time.
        changes = self.pairs.changes[m]
        size = float(max(changes.max(), -changes.min())) or 1.0
        estimate = _single(self.estimates[m] / size)
        relative = _single(rows.of_rows / unit)
        scored = _single(size / unit * self._scale * self._roles[0])
        donated = _single(self.populations.weights)
        terms = [_single(slope / unit * each) for slope, each in rows.subtracted]
        chains, cubes = np.zeros(self.t), np.zeros(self.t)
        for block in self._third_order_rows.blocks(self._step):
            of_rows, s = relative[block], scored[block]
            for change, donors in zip(changes, self.pairs.donors, strict=True):
                here = donors[block].astype(np.intp)
                pairs = _single(change[block] / size)[:, None] - estimate
                pairs *= values_at(donated, here)
                pairs *= s
                if terms:
                    pairs -= terms[0][block]
                    pairs -= values_at(terms[1], here)
                others = of_rows - pairs
                of_donors = values_at(relative, here)
                of_donors -= pairs
                others *= of_donors
                chains += dots_over_rows(pairs, others)
                np.square(pairs, out=others)
                cubes += dots_over_rows(others, pairs)
        factor = self._third_order_rows.factor
        return factor * chains, factor * cubes

    def _blocks(self) -> Iterator[slice]:
        n = len(self.populations.units.weights)
        yield from (slice(start, start + self._step) for start in range(0, n, self._step))

    def _total(self) -> _Total:
        return _Total(len(self.populations.units.weights), self.t)


def _parts(values: npt.NDArray[Any], k: int) -> list[Floats]:
    """Split an array (n, k t) into k arrays (n, t)."""
    return np.split(np.asarray(values), k, axis=1)


def _single(values: Floats) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(values, dtype=np.float32)


def _largest(of_rows: Floats) -> Floats:
    """Largest absolute value in each population, 1 where all are zero."""
    largest = np.maximum(of_rows.max(axis=0), -of_rows.min(axis=0))
    return np.where(largest > 0, largest, 1.0)


class _Total:
    """The sum over n rows of independent parts, with its standard error, block by block."""

    def __init__(self, n: int, t: int) -> None:
        self._n = n
        self.sum, self._squares = np.zeros(t), np.zeros(t)

    def add(self, parts: Floats) -> None:
        """Add the parts (m, t) of some rows."""
        self.sum += parts.sum(axis=0)
        self._squares += dots_over_rows(parts, parts)

    @property
    def error(self) -> Floats:
        """Standard error of the sum."""
        return np.sqrt(np.maximum(self._squares - self.sum**2 / self._n, 0.0))


def relative_precisions(variance: Floats, error: Floats) -> Floats:
    """Relative precision of variances, see `uqwidgets.inference.variance`; -1 for unknown ones."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(variance > 0, np.square(variance / error), 0.0)
    return np.where(np.isnan(variance), -1.0, precision)
