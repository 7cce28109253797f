"""The means that tau = -1 and tau = 1 stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import one_of

Anchor = Literal["quantile", "tail-mean"]
ANCHORS: tuple[Anchor, ...] = get_args(Anchor)


@dataclass(frozen=True)
class EndInfluence:
    r"""What a row of value x does to an end of its column: what the end would move by, times n.

    .. math:: \mathrm{IF}(x) = c + s (x - m) + 1\{x \in \mathrm{tail}\} \{j + k (x - q)\}

    where m is the mean of the column, and its tail reaches from the end of the data to q.

    Attributes
    ----------
    tail : float
        The q of the equation.
    constant, slope, jump, rise : float
        Its c, s, j and k.
    """

    tail: float
    constant: float = 0.0
    slope: float = 0.0
    jump: float = 0.0
    rise: float = 0.0

    def __call__(self, values: Floats, mean: float, inside: npt.NDArray[np.bool_]) -> Floats:
        """Influence of rows of these values (n,), of which some are inside of the tail."""
        everywhere = self.constant + self.slope * (values - mean)
        return everywhere + inside * (self.jump + self.rise * (values - self.tail))


@dataclass(frozen=True)
class Anchors:
    """Two ends for the mean of a column, and how they hang on its rows.

    Attributes
    ----------
    low, high : float
        In the unit of the column.
    kind : {"quantile", "tail-mean", "share"}
        ``quantile``: the quantiles alpha and 1 - alpha (Bachoc et al. 2023, section 2.2).
        ``tail-mean``: the means of the lowest and the highest alpha of the rows, which lie on their
        own side of the mean however skewed the column is. ``share``, for columns of two values:
        alpha and 1 - alpha of the rows at the upper one, or half-way to none and to all of them
        where the share lies beyond already.
    alpha : float
    tails : tuple of float
        How far the tails reach that the ends are of: to the quantiles, to the last rows that
        are averaged, or to the two values.
    """

    low: float
    high: float
    kind: Literal["quantile", "tail-mean", "share"]
    alpha: float
    tails: tuple[float, float]

    def influence(self, values: Floats, *, upper: bool) -> Floats:
        """Influence of each row on an end, shape (n,): what the end would move by, times n.

        Parameters
        ----------
        values : ndarray of shape (n,)
            The column.
        upper : bool
            Which end.
        """
        turned = -values if upper else values
        found = self.end_influence(len(values), lambda p: np.quantile(turned, p), upper=upper)
        inside = values >= found.tail if upper else values <= found.tail
        return found(values, float(values.mean()), inside)

    def end_influence(
        self, n: int, quantiles: Callable[[Floats], Floats], *, upper: bool
    ) -> EndInfluence:
        """Influence on an end as a function of a row's value.

        Parameters
        ----------
        n : int
            Rows of the column.
        quantiles : callable
            Quantiles of the column at several probabilities, up to a constant; for the upper end,
            of the column turned round. Asked only where the ends are quantiles.
        upper : bool
            Which end.
        """
        end, tail = (self.high, self.tails[1]) if upper else (self.low, self.tails[0])
        if self.kind == "share":
            return EndInfluence(tail, slope=0.5 if self._is_beyond(upper=upper) else 0.0)
        if self.kind == "quantile":
            step = _sparsity(quantiles, n, self.alpha) * (-1.0 if upper else 1.0)
            return EndInfluence(tail, constant=step * self.alpha, jump=-step)
        part = tail_rows(n, self.alpha) / (self.alpha * n)
        return EndInfluence(tail, constant=part * (tail - end), rise=1 / self.alpha)

    def _is_beyond(self, *, upper: bool) -> bool:
        """Whether the share was beyond alpha already, so that the end is half-way from it."""
        least, most = self.tails
        usual = 1 - self.alpha if upper else self.alpha
        return (self.high if upper else self.low) != least + usual * (most - least)


def anchors_of(values: Floats, alpha: float, anchor: Anchor) -> Anchors:
    """Find the ends of a column (n,) of finite values; a column of two values goes by its share."""
    least, most = float(values.min()), float(values.max())
    upper = values == most
    if least < most and bool((upper | (values == least)).all()):
        return share_anchors(float(upper.mean()), alpha, least, most)
    if anchor == "quantile":
        low, high = (float(q) for q in np.quantile(values, [alpha, 1 - alpha]))
        return Anchors(low, high, anchor, alpha, (low, high))
    rows = tail_rows(len(values), alpha)
    ranked = np.partition(values, [rows - 1, len(values) - rows])
    tails = float(ranked[rows - 1]), float(ranked[-rows])
    low, high = float(ranked[:rows].mean()), float(ranked[-rows:].mean())
    return Anchors(low, high, anchor, alpha, tails)


def share_anchors(share: float, alpha: float, least: float = 0.0, most: float = 1.0) -> Anchors:
    """Place the ends of a column of two values, this share of whose rows has the greater."""
    low, high = share_ends(share, alpha)
    span = most - least
    return Anchors(least + low * span, least + high * span, "share", alpha, (least, most))


def checked_wishes(alpha: float, anchor: str, missing: str) -> Anchor:
    """Check how a column is to be stressed, and return the anchor.

    Raises
    ------
    ValueError
        If one of these cannot be.
    """
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha is {alpha}; it must be between 0 and 0.5, such as 0.05.")
    if missing not in ("error", "drop"):
        raise ValueError(f"missing is {missing!r}; it must be 'error' or 'drop'.")
    return one_of(ANCHORS, anchor, "anchor")


def share_ends(share: float, alpha: float) -> tuple[float, float]:
    """Shares that tau = -1 and 1 stand for: alpha and 1 - alpha, or half-way to 0 and 1."""
    low = alpha if share > alpha else share / 2
    high = 1 - alpha if share < 1 - alpha else (1 + share) / 2
    return low, high


def tail_rows(n: int, alpha: float) -> int:
    """How many of the rows the lowest or highest alpha of them are."""
    return max(1, int(np.ceil(alpha * n - 1e-9)))


def _sparsity(quantiles: Callable[[Floats], Floats], n: int, p: float) -> float:
    """Slope of the quantile function at ``p``: a difference over Hall and Sheather's bandwidth.

    Taken along normal scores, in which quantiles in a tail are nearly straight: along ``p`` they
    bend, and the difference is too large.
    """
    z = norm.ppf(p)
    width = n ** (-1 / 3) * norm.ppf(0.975) ** (2 / 3)
    width *= (1.5 * norm.pdf(z) ** 2 / (2 * z**2 + 1)) ** (1 / 3)
    low, high = max(p - width, 0.5 / n), min(p + width, 1 - 0.5 / n)
    below, above = quantiles(np.array([low, high]))
    return float((above - below) / ((norm.ppf(high) - norm.ppf(low)) * norm.pdf(z)))
