"""The anchors: the means that tau = -1 and tau = 1 stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of
from uqwidgets._utils.options import brief, is_real

Anchor = Literal["quantile", "tail-mean"]
ANCHORS: tuple[Anchor, ...] = get_args(Anchor)


@dataclass(frozen=True)
class EndInfluence:
    r"""Influence of a row of value x on an anchor: the change of the anchor, times n.

    .. math:: \mathrm{IF}(x) = c + s (x - m) + 1\{x \in \mathrm{tail}\} \{j + k (x - q)\}

    where m is the mean of the column, and the tail is from the extreme of the data to q.

    Attributes
    ----------
    edge : float
        The q of the equation: where the tail ends.
    constant, slope, jump, rise : float
        The c, s, j and k of the equation.
    """

    edge: float
    constant: float = 0.0
    slope: float = 0.0
    jump: float = 0.0
    rise: float = 0.0

    def __call__(self, values: Floats, mean: float, inside: npt.NDArray[np.bool_]) -> Floats:
        """Influence of rows with values (n,); ``inside`` says which are in the tail."""
        outside = self.constant + self.slope * (values - mean)
        return outside + inside * (self.jump + self.rise * (values - self.edge))


@dataclass(frozen=True)
class Anchors:
    """The means of a column that tau = -1 and tau = 1 stand for, and how they depend on its rows.

    Attributes
    ----------
    low, high : float
        In the unit of the column.
    kind : {"quantile", "tail-mean", "share"}
        ``quantile``: the quantiles tail and 1 - tail (Bachoc et al. 2023, section 2.2).
        ``tail-mean``: the means of the lowest and of the highest tail of the rows, which are on
        different sides of the mean however skewed the column is. ``share``, for columns of two
        values: the share of the greater value is tail or 1 - tail, or half-way to 0 or 1 where the
        share is beyond that already.
    tail : float
        Probability in each tail.
    tail_edges : tuple of float
        Where the lower and the upper tail end: at the quantiles, at the innermost rows that are
        averaged, or at the two values.
    """

    low: float
    high: float
    kind: Literal["quantile", "tail-mean", "share"]
    tail: float
    tail_edges: tuple[float, float]

    def influence(self, values: Floats, *, upper: bool) -> Floats:
        """Influence of each row on an anchor, shape (n,): the change of the anchor, times n.

        Parameters
        ----------
        values : ndarray of shape (n,)
            The column.
        upper : bool
            Whether the anchor is that of tau = 1.
        """
        reflected = -values if upper else values
        influence = self.end_influence(
            len(values), lambda p: np.quantile(reflected, p), upper=upper
        )
        inside = values >= influence.edge if upper else values <= influence.edge
        return influence(values, float(values.mean()), inside)

    def end_influence(
        self, n: int, quantiles: Callable[[Floats], Floats], *, upper: bool
    ) -> EndInfluence:
        """Influence on an anchor as a function of a row's value.

        Parameters
        ----------
        n : int
            Number of rows of the column.
        quantiles : callable
            Quantiles of the column at several probabilities, up to a constant; those of the
            negated column for the upper anchor. It is called only where the anchors are quantiles.
        upper : bool
            Whether the anchor is that of tau = 1.
        """
        end, edge = (self.high, self.tail_edges[1]) if upper else (self.low, self.tail_edges[0])
        if self.kind == "share":
            return EndInfluence(edge, slope=0.5 if self._is_beyond(upper=upper) else 0.0)
        if self.kind == "quantile":
            step = _sparsity(quantiles, n, self.tail) * (-1.0 if upper else 1.0)
            return EndInfluence(edge, constant=step * self.tail, jump=-step)
        part = tail_rows(n, self.tail) / (self.tail * n)
        return EndInfluence(edge, constant=part * (edge - end), rise=1 / self.tail)

    def _is_beyond(self, *, upper: bool) -> bool:
        """Whether the share is beyond the tail already: then the anchor is half-way to 0 or 1."""
        least, most = self.tail_edges
        usual = 1 - self.tail if upper else self.tail
        return (self.high if upper else self.low) != least + usual * (most - least)


def anchors_of(values: Floats, tail: float, anchor: Anchor) -> Anchors:
    """Compute the anchors of a column (n,) of finite values; a column of two values has shares."""
    least, most = float(values.min()), float(values.max())
    upper = values == most
    if least < most and bool((upper | (values == least)).all()):
        return share_anchors(float(upper.mean()), tail, least, most)
    if anchor == "quantile":
        low, high = (float(q) for q in np.quantile(values, [tail, 1 - tail]))
        return Anchors(low, high, anchor, tail, (low, high))
    rows = tail_rows(len(values), tail)
    ranked = np.partition(values, [rows - 1, len(values) - rows])
    tail_edges = float(ranked[rows - 1]), float(ranked[-rows])
    low, high = float(ranked[:rows].mean()), float(ranked[-rows:].mean())
    return Anchors(low, high, anchor, tail, tail_edges)


def share_anchors(share: float, tail: float, least: float = 0.0, most: float = 1.0) -> Anchors:
    """Compute the anchors of a column of two values, from the share of the greater value."""
    low, high = share_ends(share, tail)
    span = most - least
    return Anchors(least + low * span, least + high * span, "share", tail, (least, most))


def checked_options(
    tail: float, anchor: str, missing: str, choices: tuple[str, ...] = ("error", "drop")
) -> Anchor:
    """Check the options of stress, and return the kind of anchor.

    Parameters
    ----------
    tail, anchor, missing
        See `uqwidgets.Explainer.stress`.
    choices : tuple of str
        What ``missing`` may be.

    Raises
    ------
    ValueError
        If one of them is out of range.
    """
    if not is_real(tail) or not 0 < tail < 0.5:
        raise ValueError(f"tail is {brief(tail)}; it must be between 0 and 0.5, such as 0.05.")
    if not isinstance(missing, str) or missing not in choices:
        raise ValueError(
            f"missing is {brief(missing)}; it must be {' or '.join(map(repr, choices))}."
        )
    return one_of(ANCHORS, anchor, "anchor")


def share_ends(share: float, tail: float) -> tuple[float, float]:
    """Shares that tau = -1 and 1 stand for: tail and 1 - tail, or half-way to 0 and 1."""
    low = tail if share > tail else share / 2
    high = 1 - tail if share < 1 - tail else (1 + share) / 2
    return low, high


def tail_rows(n: int, tail: float) -> int:
    """Return the number of rows in a tail, at least one."""
    return max(1, int(np.ceil(tail * n - 1e-9)))


def _sparsity(quantiles: Callable[[Floats], Floats], n: int, p: float) -> float:
    """Slope of the quantile function at ``p``: a difference over a bandwidth.

    The bandwidth is that of Hall and Sheather 1988. The difference is that of normal scores, on
    which quantiles in a tail are nearly linear; on the scale of ``p`` they are convex, and the
    difference would be too large.
    """
    z = norm.ppf(p)
    width = n ** (-1 / 3) * norm.ppf(0.975) ** (2 / 3)
    width *= (1.5 * norm.pdf(z) ** 2 / (2 * z**2 + 1)) ** (1 / 3)
    low, high = max(p - width, 0.5 / n), min(p + width, 1 - 0.5 / n)
    below, above = quantiles(np.array([low, high]))
    return float((above - below) / ((norm.ppf(high) - norm.ppf(low)) * norm.pdf(z)))
