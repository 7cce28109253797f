"""Intervals of stressed summaries from sums over nodes: the delta method, for many rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.moments import quantile
from uqwidgets.inference.sums import dot
from uqwidgets.inference.transformed import transformed_interval
from uqwidgets.stress.anchors import Anchors, EndInfluence
from uqwidgets.stress.compressed.compression import Compressed
from uqwidgets.stress.compressed.levels import Levels
from uqwidgets.stress.indicators import RATIO
from uqwidgets.stress.intervals import are_zero_or_one, clopper_pearson
from uqwidgets.stress.out_of_core.columns import GridColumn
from uqwidgets.stress.out_of_core.sums import BatchSums, SecondMoments

# Up to this effective sample size, all weight lies on a single row.
_ONE_ROW = 1 + 1e-9


class Influences:
    r"""A column at every level of tau: mean products of the influences on its stressed means.

    With :math:`w, \theta, t, \beta` and :math:`\mathrm{IF} = w r + \beta\,\mathrm{IF}(t)` of
    `uqwidgets.stress.influence.StressedRows`, the weighted residuals :math:`w r` are orthogonal to
    1 and to the column. So, for outputs a and b, the mean over rows is

    .. math:: \overline{\mathrm{IF}_a \mathrm{IF}_b} = \overline{w^2 r_a r_b}
        + |\tau| (\beta_b \overline{w r_a h} + \beta_a \overline{w r_b h})
        + \beta_a \beta_b\,\overline{\mathrm{IF}(t)^2},

    where h is the part of the influence on the anchor that is non-zero only inside the tail (see
    `uqwidgets.stress.anchors.EndInfluence`). Every term is a mean of 1, of an output or of a
    product of two outputs, times w or its square and a power of x - t, over all rows or over the
    rows in a tail; the nodes give them all. The sample is assumed to be large: neither the leverage
    of heavy rows nor the skewness of the error is corrected for.

    Parameters
    ----------
    levels : Levels
        Of the column with its outputs and products.
    moments : SecondMoments
        The sums from which the levels were computed.
    anchors : Anchors
        Of the column.
    """

    def __init__(self, levels: Levels, moments: SecondMoments, anchors: Anchors) -> None:
        self._levels, self._moments = levels, moments
        whole, *tails = (replace(levels.compressed, sums=sums) for sums in moments.centred())
        means, slopes, variances = _moments(levels, 1, whole)
        # On the edge of the data all weight lies on one value, and there is nothing to solve.
        variance = variances[:, :1]
        inverse = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance != 0)
        outputs = slice(1, 1 + len(moments.centres))
        self._centred_means = means[:, outputs]
        self._slopes = (slopes[:, outputs] - self._centred_means * slopes[:, :1]) * inverse
        self._squares = _moments(levels, 2, whole)
        self._anchor_terms = [
            _AnchorTerms(
                levels, rows, _end_influence(levels.compressed, anchors, upper), self._centred_means
            )
            for rows, upper in zip(tails, (False, True), strict=True)
        ]

    @cached_property
    def products(self) -> Floats:
        """Mean product of the influences on each pair of means, shape (t, k)."""
        size, q = np.abs(self._levels.taus)[:, None], len(self._moments.centres)
        plain, sloped, curved = self._squares
        means, slopes = self._centred_means, self._slopes
        residual = sloped[:, 1 : 1 + q] - means * sloped[:, :1]
        in_tail = size * (self._anchor_term("outputs") - slopes * self._anchor_term("column"))
        mixed = in_tail - residual
        both = curved[:, :1] + self._anchor_term("target")
        one, other = self._moments.pairs.T
        products = plain[:, 1 + q :] + means[:, one] * means[:, other] * plain[:, :1]
        products -= means[:, one] * plain[:, 1 + other] + means[:, other] * plain[:, 1 + one]
        products += slopes[:, other] * mixed[:, one] + slopes[:, one] * mixed[:, other]
        return np.asarray(products + slopes[:, one] * slopes[:, other] * both)

    def mean_square(self, start: int, slopes: Floats) -> Floats:
        """Mean square of the influence on a function of means, shape (t,).

        Parameters
        ----------
        start : int
            Position of the first of its means.
        slopes : ndarray of shape (m, t)
            Its derivative with respect to each of them.
        """
        pairs = self._moments.pairs
        own = np.flatnonzero((pairs[:, 0] >= start) & (pairs[:, 0] < start + len(slopes)))
        one, other = pairs[own].T - start
        twice = np.where(one == other, 1.0, 2.0)[:, None]
        squares = twice * slopes[one] * slopes[other] * self.products[:, own].T
        return np.asarray(np.maximum(squares.sum(axis=0), 0.0))

    def sample_size(self, output: int) -> Floats:
        """Effective sample size of the weights times an output, shape (t,)."""
        pairs, centre = self._moments.pairs, self._moments.centres[output]
        own = int(np.flatnonzero((pairs == output).all(axis=1))[0])
        plain, q = self._squares[0], len(self._moments.centres)
        square = plain[:, 1 + q + own] + centre * (2 * plain[:, 1 + output] + centre * plain[:, 0])
        n, mean = self._levels.compressed.n, self._centred_means[:, output] + centre
        # Where the output has almost no weight, the square is only rounding error.
        size = np.divide(n * mean**2, square, out=np.ones_like(square), where=square > 0)
        return np.asarray(np.clip(size, 1.0, n))

    def _anchor_term(self, attribute: str) -> Floats:
        low, high = (getattr(terms, attribute) for terms in self._anchor_terms)
        return np.asarray(np.where(self._levels.taus[:, None] > 0, high, low))


class _AnchorTerms:
    """The terms of `Influences` that contain the influence on one anchor, at every level.

    Parameters
    ----------
    levels : Levels
    tail : Compressed
        The rows in the tail of the anchor, outputs minus their centres.
    influence : EndInfluence
        Influence on the anchor.
    means : ndarray of shape (t, q)
        Stressed means minus the centres.

    Attributes
    ----------
    outputs : ndarray of shape (t, q)
        Mean of w h (o - theta), with h and x in standard deviations of the column.
    column : ndarray of shape (t, 1)
        Mean of w h (x - t).
    target : ndarray of shape (t, 1)
        Mean square of the influence on the target.
    """

    def __init__(
        self, levels: Levels, tail: Compressed, influence: EndInfluence, means: Floats
    ) -> None:
        sums, unit = _moments(levels, 1, tail), levels.compressed.std or 1.0
        distance = (levels.target - influence.edge) / unit
        step = (influence.jump / unit + influence.rise * distance)[:, None]
        h = [step * sums[degree] + influence.rise * sums[degree + 1] for degree in range(2)]
        self.outputs = h[0][:, 1:] - means * h[0][:, :1]
        self.column = h[1][:, :1]
        self.target = _target_square(levels, tail, influence)[:, None]


def _target_square(levels: Levels, tail: Compressed, influence: EndInfluence) -> Floats:
    """Mean square of g (x - m) + |tau| (c + h), with g = 1 - |tau| + |tau| s; shape (t,).

    The unit is the standard deviation of the column, so that the mean square of x - m is 1.
    """
    whole, rows, size = levels.compressed, tail.sums.masses[0], np.abs(levels.taus)
    unit, grid = whole.std or 1.0, whole.grid
    beyond = grid.below - (influence.edge / grid.unit - whole.least / grid.unit)
    beyond = beyond / (whole.unit_std or 1.0)
    share, first, second = (dot(rows, beyond**degree) / whole.n for degree in range(3))
    jump, constant = influence.jump / unit, influence.constant / unit
    mean = jump * share + influence.rise * first
    square = jump * mean + influence.rise * (jump * first + influence.rise * second)
    along = jump * first + influence.rise * second + (influence.edge - whole.mean) / unit * mean
    straight = 1 - size + size * influence.slope
    constant_square = constant**2 + 2 * constant * mean + square
    return straight**2 + 2 * straight * size * along + size**2 * constant_square


def _moments(levels: Levels, power: int, rows: Compressed) -> list[Floats]:
    """Means of w^power (x - t)^degree o, x in standard deviations, for degrees 0 to 2."""
    return [levels.moments(power, degree, rows=rows, standard=True) for degree in range(3)]


def _end_influence(column: Compressed, anchors: Anchors, upper: bool) -> EndInfluence:
    quantiles = partial(column.quantiles, upper=upper)
    return anchors.end_influence(column.n, quantiles, upper=upper)


def intervals(
    sums: BatchSums, column: GridColumn, levels: Levels, values: Floats, level: float | None
) -> Floats:
    """Intervals of every indicator at every level of tau.

    The standard error is the root of the mean squared influence over n, and the quantile is that
    of t with one degree of freedom less than the effective sample size of the weights.

    Parameters
    ----------
    sums : BatchSums
        Of all batches, with second moments if there is a level.
    column : GridColumn
    levels : Levels
        Of the column.
    values : ndarray of shape (q, t)
        Of the indicators.
    level : float or None
        Of the intervals; None for none.

    Returns
    -------
    ndarray of shape (2, q, t)
        Lower and upper ends; NaN where there is no value, where all weight lies on a single row,
        and for a constant column, whose mean no row can move.
    """
    ends, start = np.full((2, *values.shape), np.nan), 0
    if level is None or column.least == column.most:
        return ends
    influences = Influences(levels, sums.sums[column.name], column.anchors)
    several_rows = levels.ess > _ONE_ROW
    quantiles = quantile(np.maximum(levels.ess - 1, 1.0), level, "t")
    for q, (indicator, length) in enumerate(zip(sums.indicators, sums.lengths, strict=True)):
        means = levels.means[:, start : start + length].T
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.stack(indicator.combination.slopes(*means))
            error = np.sqrt(influences.mean_square(start, slopes) / levels.compressed.n)
        sizes = levels.ess
        if indicator.combination is RATIO:  # a rate refers to the rows of its denominator
            sizes = influences.sample_size(start + 1)
        for t in np.flatnonzero(several_rows & np.isfinite(values[q])).tolist():
            value = float(values[q, t])
            if are_zero_or_one(value, indicator.bounds):
                ends[:, q, t] = clopper_pearson(value, float(sizes[t]), level)
            else:
                half = float(quantiles[t] * error[t])
                ends[:, q, t] = transformed_interval(value, half, indicator.bounds)
        start += length
    return ends
