"""The means that tau = -1 and tau = 1 stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.stats import norm

from uqwidgets.names import one_of
from uqwidgets.predictive.distributions import Floats

Anchor = Literal["quantile", "tail-mean"]
ANCHORS: tuple[Anchor, ...] = get_args(Anchor)


@dataclass(frozen=True)
class Anchors:
    """Two ends for the mean of a column, and how they hang on its rows.

    Attributes
    ----------
    low, high : float
        In the unit of the column.
    kind : {"quantile", "tail-mean", "share"}
        ``quantile``: the quantiles alpha and 1 - alpha (004, section 2.2). ``tail-mean``: the
        means of the lowest and the highest alpha of the rows, which lie on their own side of
        the mean however skewed the column is. ``share``, for columns of two values: alpha and
        1 - alpha of the rows at the upper one, or half-way to none and to all of them where the
        share lies beyond already.
    alpha : float
    """

    low: float
    high: float
    kind: Literal["quantile", "tail-mean", "share"]
    alpha: float

    def influence(self, values: Floats, *, upper: bool) -> Floats:
        """Influence of each row on an end, shape (n,): what the end would move by, times n.

        Parameters
        ----------
        values : ndarray of shape (n,)
            The column.
        upper : bool
            Which end.
        """
        if self.kind == "share":
            return self._share_influence(values, upper=upper)
        # The lower end of the column turned round is its upper end.
        sign = -1.0 if upper else 1.0
        turned = sign * values
        if self.kind == "quantile":
            quantile = sign * (self.high if upper else self.low)
            step = self.alpha - np.asarray(turned <= quantile, dtype=np.float64)
            return step * (sign * _sparsity(turned, self.alpha))
        last = _tail(len(values), self.alpha) - 1
        excess = np.minimum(turned - np.partition(turned, last)[last], 0.0) / self.alpha
        return np.asarray(sign * (excess - excess.mean()))

    def _share_influence(self, values: Floats, *, upper: bool) -> Floats:
        share = float((values == values.max()).mean())
        beyond = share >= 1 - self.alpha if upper else share <= self.alpha
        return 0.5 * (values - values.mean()) if beyond else np.zeros(len(values))


def anchors_of(values: Floats, alpha: float, anchor: Anchor) -> Anchors:
    """Find the ends of a column (n,) of finite values; a column of two values goes by its share."""
    least, most = float(values.min()), float(values.max())
    upper = values == most
    if least < most and bool((upper | (values == least)).all()):
        low, high = share_ends(float(upper.mean()), alpha)
        span = most - least
        return Anchors(least + low * span, least + high * span, "share", alpha)
    if anchor == "quantile":
        low, high = (float(q) for q in np.quantile(values, [alpha, 1 - alpha]))
    else:
        tail = _tail(len(values), alpha)
        ranked = np.partition(values, [tail - 1, len(values) - tail])
        low, high = float(ranked[:tail].mean()), float(ranked[len(values) - tail :].mean())
    return Anchors(low, high, anchor, alpha)


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


def _tail(n: int, alpha: float) -> int:
    return max(1, int(np.ceil(alpha * n - 1e-9)))


def _sparsity(values: Floats, p: float) -> float:
    """Slope of the quantile function at ``p``: a difference over Hall and Sheather's bandwidth.

    Taken along normal scores, in which quantiles in a tail are nearly straight: along ``p`` they
    bend, and the difference is too large.
    """
    n, z = len(values), norm.ppf(p)
    width = n ** (-1 / 3) * norm.ppf(0.975) ** (2 / 3)
    width *= (1.5 * norm.pdf(z) ** 2 / (2 * z**2 + 1)) ** (1 / 3)
    low, high = max(p - width, 0.5 / n), min(p + width, 1 - 0.5 / n)
    below, above = np.quantile(values, [low, high])
    return float((above - below) / ((norm.ppf(high) - norm.ppf(low)) * norm.pdf(z)))
