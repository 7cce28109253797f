"""Single values that the members of an ensemble predict, without the noise of the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import InvalidRowError, equal_up_to_rounding, finite
from uqwidgets.predictive.mixture import Method, Mixture
from uqwidgets.predictive.normal import Normal

# Standard deviation, as a share of their size, of members that all predict the same.
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False, init=False)
class MemberValues(Mixture):
    """Kernel density of the values that members predict; see `Mixture.from_samples`.

    It describes how the members disagree: its entropy and its standard deviation compare rows.
    But the members predict means of the target, which scatters around them by a noise that they
    do not know. A kernel density of the means ends where they end, so that it gives the target
    next to no density there, and its likelihood means nothing.
    """

    no_likelihood: ClassVar[str] = (
        "the members predict single values and not how far the target scatters around them; pass "
        "as_predictive(model, noise=...) with the standard deviation of the target around the "
        "prediction, or fit a forest with oob_score=True, from which it is estimated"
    )

    @classmethod
    def of(cls, values: Floats, weights: Floats | None = None) -> Self:
        """Return the kernel density of values of shape (n, m).

        Where all members predict the same, the standard deviation is that of rounding, and
        there is no entropy.

        Parameters
        ----------
        values : ndarray of shape (n, m)
        weights : ndarray of shape (m,), optional
            Of the members; those without weight are left out.
        """
        if weights is not None:
            values, weights = values[:, weights > 0], weights[weights > 0]
        finite(values, "prediction of a member")
        size = np.abs(values).max(axis=1, keepdims=True)
        tiny = np.finfo(np.float64).tiny
        scale = np.broadcast_to(np.maximum(_NO_SPREAD * size, tiny), values.shape).copy()
        differ = ~equal_up_to_rounding(values)
        if differ.any():
            if weights is not None and np.ptp(weights) > 0:
                scale[differ] = _weighted_bandwidth(values[differ], weights)[:, None]
            else:
                density = Mixture.from_samples(values[differ].T)
                assert isinstance(density.members, Normal)
                scale[differ] = density.members.scale
        return cls(Normal(values, scale), weights)

    def log_prob(self, y: npt.ArrayLike) -> NoReturn:  # noqa: ARG002
        """Raise a `ValueError`, since the members do not know the noise of the target."""
        raise ValueError(f"there is no likelihood: {self.no_likelihood}.")

    def entropy(self, method: Method = "quadrature") -> Floats:
        """Entropy of the kernel density in nats, shape (n,)."""
        self._refuse_equal_members()
        return super().entropy(method)

    def aleatoric(self) -> Floats:
        """Entropy of a kernel in nats, shape (n,)."""
        self._refuse_equal_members()
        return super().aleatoric()

    def _refuse_equal_members(self) -> None:
        assert isinstance(self.members, Normal)
        same = equal_up_to_rounding(self.members.loc)
        if same.any():
            raise InvalidRowError(
                "members all predict the same, which has no density without noise=... (the "
                "standard deviation of the target around it)",
                int(same.argmax()),
            )


def _weighted_bandwidth(x: Floats, weights: Floats) -> Floats:
    r"""Silverman's bandwidth of weighted values, shape (n,); see `Mixture.from_samples`.

    It is that of Silverman 1986, eq. 3.31. With weights that sum to 1, the number of values is the
    effective one, :math:`1 / \sum w_k^2`, and the variance is
    :math:`\sum w_k (x_k - \bar x)^2 / (1 - \sum w_k^2)`. Quartiles are interpolated between the
    values at the middles of their weights. Equal weights give the same as no weights.

    Parameters
    ----------
    x : ndarray of shape (n, m)
    weights : ndarray of shape (m,)
        Positive.
    """
    w = weights / weights.sum()
    squares = float(np.square(w).sum())
    mean = x @ w
    std = np.sqrt(np.square(x - mean[:, None]) @ w / (1 - squares))
    order = np.argsort(x, axis=1)
    ordered, of_ordered = np.take_along_axis(x, order, axis=1), w[order]
    middles = np.cumsum(of_ordered, axis=1) - of_ordered / 2
    middles = (middles - middles[:, :1]) / (middles[:, -1:] - middles[:, :1])
    ends = np.array(
        [np.interp([0.25, 0.75], at, values) for at, values in zip(middles, ordered, strict=True)]
    )
    quartiles = (ends[:, 1] - ends[:, 0]) / 1.34
    spread = np.where(equal_up_to_rounding(ends), std, np.minimum(std, quartiles))
    return np.asarray(0.9 * spread * squares**0.2)
