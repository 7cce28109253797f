"""Intervals of stressed summaries from sums over nodes: the delta method, for many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from scipy.special import stdtrit

from uqwidgets._typing import Floats
from uqwidgets.inference.sums import dot
from uqwidgets.stress.anchors import Anchors, EndInfluence
from uqwidgets.stress.compressed.compression import Compressed
from uqwidgets.stress.compressed.levels import Levels
from uqwidgets.stress.indicators import RATIO, Indicator
from uqwidgets.stress.intervals import clopper_pearson, is_zero_or_one, transformed_interval
from uqwidgets.stress.out_of_core.second_moments import Squared

# An effective sample size that is no greater is that of a single row.
_ONE_ROW = 1 + 1e-9


class Influences:
    r"""A column at every level of tau: mean products of what its rows do to stressed means.

    With :math:`w, \theta, t, \beta` and :math:`\mathrm{IF} = w r + \beta\,\mathrm{IF}(t)` of
    `uqwidgets.stress.influence.StressedRows`, the weighted residuals :math:`w r` are orthogonal to
    1 and to the column. So, for outputs a and b, the mean over rows is

    .. math:: \overline{\mathrm{IF}_a \mathrm{IF}_b} = \overline{w^2 r_a r_b}
        + |\tau| (\beta_b \overline{w r_a h} + \beta_a \overline{w r_b h})
        + \beta_a \beta_b\,\overline{\mathrm{IF}(t)^2},

    where h is what the influence on the end has inside of the tail only, see
    `uqwidgets.stress.anchors.EndInfluence`. All of it are means of 1, of outputs and of products
    of two outputs, times w or its square and powers of x - t, over all rows or those in a tail;
    the nodes give them. Rows are taken to be many: nothing is done about heavy rows that draw
    the solution to themselves, nor about skewness.

    Parameters
    ----------
    found : Levels
        Of the column with its outputs and products.
    rows : Squared
        What it was made of.
    anchors : Anchors
        Ends of the column.
    """

    def __init__(self, found: Levels, rows: Squared, anchors: Anchors) -> None:
        self._found, self._rows = found, rows
        whole, *tails = (replace(found.compressed, sums=sums) for sums in rows.centred())
        means, slopes, spreads = _moments(found, 1, whole)
        # On the edge of the data all weight lies on one value, and there is nothing to solve.
        spread = spreads[:, :1]
        inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread != 0)
        outputs = slice(1, 1 + len(rows.centres))
        self._off = means[:, outputs]
        self._slopes = (slopes[:, outputs] - self._off * slopes[:, :1]) * inverse
        self._squares = _moments(found, 2, whole)
        self._ends = [
            _End(found, tail, _end_influence(found.compressed, anchors, upper), self._off)
            for tail, upper in zip(tails, (False, True), strict=True)
        ]

    @cached_property
    def products(self) -> Floats:
        """Mean product of the influences on each pair of means, shape (t, k)."""
        size, q = np.abs(self._found.taus)[:, None], len(self._rows.centres)
        plain, sloped, curved = self._squares
        off, slopes = self._off, self._slopes
        leaning = sloped[:, 1 : 1 + q] - off * sloped[:, :1]
        in_tail = size * (self._at_end("outputs") - slopes * self._at_end("column"))
        across = in_tail - leaning
        both = curved[:, :1] + self._at_end("target")
        one, other = self._rows.pairs.T
        found = plain[:, 1 + q :] + off[:, one] * off[:, other] * plain[:, :1]
        found -= off[:, one] * plain[:, 1 + other] + off[:, other] * plain[:, 1 + one]
        found += slopes[:, other] * across[:, one] + slopes[:, one] * across[:, other]
        return np.asarray(found + slopes[:, one] * slopes[:, other] * both)

    def mean_square(self, start: int, slopes: Floats) -> Floats:
        """Mean square of the influence on a function of means, shape (t,).

        Parameters
        ----------
        start : int
            The first of its means.
        slopes : ndarray of shape (m, t)
            Its derivative by each.
        """
        pairs = self._rows.pairs
        own = np.flatnonzero((pairs[:, 0] >= start) & (pairs[:, 0] < start + len(slopes)))
        one, other = pairs[own].T - start
        twice = np.where(one == other, 1.0, 2.0)[:, None]
        squares = twice * slopes[one] * slopes[other] * self.products[:, own].T
        return np.asarray(np.maximum(squares.sum(axis=0), 0.0))

    def sample_size(self, output: int) -> Floats:
        """Effective sample size of the weights times an output, shape (t,)."""
        pairs, centre = self._rows.pairs, self._rows.centres[output]
        own = int(np.flatnonzero((pairs == output).all(axis=1))[0])
        plain, q = self._squares[0], len(self._rows.centres)
        square = plain[:, 1 + q + own] + centre * (2 * plain[:, 1 + output] + centre * plain[:, 0])
        n, mean = self._found.compressed.n, self._off[:, output] + centre
        # Of next to none of the weight, rounding is all that is left.
        size = np.divide(n * mean**2, square, out=np.ones_like(square), where=square > 0)
        return np.asarray(np.clip(size, 1.0, n))

    def _at_end(self, what: str) -> Floats:
        low, high = (getattr(end, what) for end in self._ends)
        return np.asarray(np.where(self._found.taus[:, None] > 0, high, low))


class _End:
    """How stressed means answer to an end of the column at every level.

    Parameters
    ----------
    found : Levels
    tail : Compressed
        The rows in its tail, outputs less their centres.
    end : EndInfluence
    off : ndarray of shape (t, q)
        Stressed means less the centres.

    Attributes
    ----------
    outputs : ndarray of shape (t, q)
        Mean of w h (o - theta), with h and x in standard deviations of the column.
    column : ndarray of shape (t, 1)
        Mean of w h (x - t).
    target : ndarray of shape (t, 1)
        Mean square of the influence on the target.
    """

    def __init__(self, found: Levels, tail: Compressed, end: EndInfluence, off: Floats) -> None:
        sums, unit = _moments(found, 1, tail), found.compressed.std or 1.0
        step = (end.jump / unit + end.rise * ((found.target - end.tail) / unit))[:, None]
        heights = [step * sums[degree] + end.rise * sums[degree + 1] for degree in range(2)]
        self.outputs = heights[0][:, 1:] - off * heights[0][:, :1]
        self.column = heights[1][:, :1]
        self.target = _target_square(found, tail, end)[:, None]


def _target_square(found: Levels, tail: Compressed, end: EndInfluence) -> Floats:
    """Mean square of g (x - m) + |tau| (c + h), with g = 1 - |tau| + |tau| s; shape (t,).

    In standard deviations of the column, in which that of x - m is 1.
    """
    whole, rows, size = found.compressed, tail.sums.masses[0], np.abs(found.taus)
    unit, grid = whole.std or 1.0, whole.grid
    beyond = (grid.below - (end.tail / grid.unit - whole.least / grid.unit)) / (whole.spread or 1.0)
    share, first, second = (dot(rows, beyond**degree) / whole.n for degree in range(3))
    jump, constant = end.jump / unit, end.constant / unit
    mean = jump * share + end.rise * first
    square = jump * mean + end.rise * (jump * first + end.rise * second)
    along = jump * first + end.rise * second + (end.tail - whole.mean) / unit * mean
    straight = 1 - size + size * end.slope
    still = constant**2 + 2 * constant * mean + square
    return straight**2 + 2 * straight * size * along + size**2 * still


def _moments(found: Levels, power: int, of: Compressed) -> list[Floats]:
    """Means of w^power (x - t)^degree o, x in standard deviations, for degrees 0 to 2."""
    return [found.moments(power, degree, of=of, standard=True) for degree in range(3)]


def _end_influence(column: Compressed, anchors: Anchors, upper: bool) -> EndInfluence:
    quantiles = partial(column.quantiles, upper=upper)
    return anchors.end_influence(column.n, quantiles, upper=upper)


def interval_ends(
    indicators: Sequence[Indicator],
    lengths: Sequence[int],
    values: Floats,
    found: Levels,
    influences: Influences,
    level: float,
) -> Floats:
    """Lower and upper ends of the intervals of every indicator at every level of tau.

    The standard error is the root of the mean squared influence over n, and the quantile that
    of t with one degree of freedom less than the effective sample size of the weights.

    Parameters
    ----------
    indicators : sequence of Indicator, length q
    lengths : sequence of int, length q
        How many means each is made of.
    values : ndarray of shape (q, t)
    found : Levels
    influences : Influences
    level : float

    Returns
    -------
    ndarray of shape (2, q, t)
        NaN where there is no value, or all weight lies on a single row.
    """
    ends, start = np.full((2, *values.shape), np.nan), 0
    spread = found.ess > _ONE_ROW
    quantile = stdtrit(np.maximum(found.ess - 1, 1.0), (1 + level) / 2)
    for q, (indicator, length) in enumerate(zip(indicators, lengths, strict=True)):
        means = found.means[:, start : start + length].T
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.stack(indicator.combination.slopes(*means))
            error = np.sqrt(influences.mean_square(start, slopes) / found.compressed.n)
        sizes = found.ess
        if indicator.combination is RATIO:  # the rows that it is a rate of
            sizes = influences.sample_size(start + 1)
        for t in np.flatnonzero(spread & np.isfinite(values[q])).tolist():
            value = float(values[q, t])
            if is_zero_or_one(value, indicator.bounds):
                ends[:, q, t] = clopper_pearson(value, float(sizes[t]), level)
            else:
                half = float(quantile[t] * error[t])
                ends[:, q, t] = transformed_interval(value, half, indicator.bounds)
        start += length
    return ends
