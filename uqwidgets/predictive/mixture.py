"""Several distributions for each row: the members of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive import normal_mixture
from uqwidgets.predictive.base import (
    InvalidRowError,
    PredictiveDistribution,
    Rows,
    equal_up_to_rounding,
    finite,
    floats,
    inside,
    simplex,
    targets,
)
from uqwidgets.predictive.categorical import Categorical, class_codes
from uqwidgets.predictive.normal import Normal

Method = Literal["quadrature", "moments"]


@dataclass(frozen=True, eq=False, init=False)
class Mixture(PredictiveDistribution):
    """A mixture of normal distributions, or of probabilities per class, for each row.

    Parameters
    ----------
    members : Normal or Categorical
        A `Normal` of shape (n, m), or a `Categorical` of (n, m, k).
    weights : array-like of shape (m,) or (n, m), optional
        Non-negative, sum to one; by default all members have the same weight.

    Attributes
    ----------
    members, weights
        As passed; equal weights have shape (m,). Weights are divided by their sum, which may
        differ from one by rounding.

    Raises
    ------
    ValueError
        If the shapes do not fit, or weights are negative, NaN or do not sum to one.

    Notes
    -----
    With the weights w, the density or probability is q(y) = sum_m w_m q_m(y). Its entropy, the
    total uncertainty, is the mean entropy of the members plus the mutual information of the
    target and the member (Depeweg et al. 2018)::

        H[q] = sum_m w_m H[q_m]  +  I[y; m]
        total  = aleatoric       +  epistemic

    See Also
    --------
    as_predictive : Reads a fitted ensemble as a mixture, with ``members=True``.

    References
    ----------
    Depeweg et al. 2018; Grimit et al. 2006 (the score of normal members); Silverman 1986
    (`from_samples`).

    Examples
    --------
    Two members that are sure of different classes: all uncertainty is epistemic.

    >>> import uqwidgets as uq
    >>> q = uq.Mixture(uq.Categorical([[[1.0, 0.0], [0.0, 1.0]]], ["no", "yes"]))
    >>> q.entropy().round(3), q.aleatoric().round(3), q.epistemic().round(3)
    (array([0.693]), array([0.]), array([0.693]))

    Normal members: their mean variance plus the variance of their means.

    >>> uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]])).variance()
    array([1.25])
    """

    members: Normal | Categorical
    weights: Floats

    _arrays: ClassVar[tuple[str, ...]] = ("members", "weights")

    def __init__(self, members: Normal | Categorical, weights: npt.ArrayLike | None = None) -> None:
        if not isinstance(members, (Normal, Categorical)):
            raise TypeError(
                "members must be a Normal of shape (rows, members) or a Categorical of shape "
                f"(rows, members, classes), not an object of type {type(members).__name__}."
            )
        array = members.loc if isinstance(members, Normal) else members.probabilities
        ndim = 2 if isinstance(members, Normal) else 3
        if array.ndim != ndim or array.shape[1] == 0:
            axes = "(rows, members)" if ndim == 2 else "(rows, members, classes)"
            raise ValueError(f"members of shape {array.shape} must be {axes}, one or more.")
        n, m = array.shape[:2]
        object.__setattr__(self, "members", members)
        object.__setattr__(self, "weights", _weights(weights, n, m))

    @classmethod
    def from_samples(cls, draws: npt.ArrayLike) -> Self:
        """Gaussian kernel density of the draws of each row, with one member for each draw.

        The standard deviation of the members is Silverman's bandwidth,
        0.9 min(std, IQR / 1.34) m^(-1/5) (Silverman 1986, eq. 3.31); where half of the draws are
        equal up to rounding, so that the interquartile range is 0, the std alone is used.

        Parameters
        ----------
        draws : array-like of shape (m, n)
            Two or more draws of the target for each row.

        Raises
        ------
        ValueError
            If the shape is another, a draw is not finite, or all draws of a row are equal up to
            rounding.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> draws = np.random.default_rng(0).normal(size=(200, 3))  # 200 draws of 3 rows
        >>> uq.Mixture.from_samples(draws).mean().shape
        (3,)
        """
        x = floats(draws, "draws").T
        if x.ndim != 2 or x.shape[1] < 2:
            raise ValueError(
                f"draws of shape {x.T.shape} must be (draws, rows), two or more draws."
            )
        finite(x, "draw")
        equal = equal_up_to_rounding(x)
        if equal.any():
            raise InvalidRowError(
                "draws must differ to make a density (where the model is sure, give its noise as "
                "well: Mixture(Normal(draws, noise))), but all are equal",
                int(equal.argmax()),
            )
        ends = np.quantile(x, [0.25, 0.75], axis=1).T
        std, quartiles = x.std(axis=1, ddof=1), (ends[:, 1] - ends[:, 0]) / 1.34
        spread = np.where(equal_up_to_rounding(ends), std, np.minimum(std, quartiles))
        bandwidth = 0.9 * spread * x.shape[1] ** -0.2
        return cls(Normal(x, np.broadcast_to(bandwidth[:, None], x.shape)))

    @property
    def classes(self) -> npt.NDArray[Any] | None:
        """Labels (k,) of a mixture of `Categorical`, otherwise None."""
        return self.members.classes

    @property
    def probabilities(self) -> Floats:
        """Probability of each class, shape (n, k): the members' weighted mean.

        Raises
        ------
        ValueError
            If the members are normal, as in all methods for classes.
        """
        return self._categorical("probabilities of classes").probabilities

    def entropy(self, method: Method = "quadrature") -> Floats:
        """Entropy of the mixture in nats, shape (n,): the total uncertainty.

        Parameters
        ----------
        method : {"quadrature", "moments"}
            For normal members; the entropy of classes is exact. ``"quadrature"`` is exact to
            about 1e-9 nats. ``"moments"`` is the entropy of the normal distribution of the same
            mean and variance: a fast upper bound, since no density of this variance has a larger
            entropy, too large by the Kullback-Leibler divergence of the mixture from that normal
            distribution.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.entropy().round(3)
        array([1.359])
        """
        if method not in ("quadrature", "moments"):
            raise ValueError(f"method must be 'quadrature' or 'moments', not {method!r}.")
        if isinstance(self.members, Categorical):
            return self._averaged().entropy()
        if method == "moments":
            return Normal(np.zeros(len(self)), self.std()).entropy()
        return normal_mixture.entropy(self.members, self._weights_by_row())

    def aleatoric(self) -> Floats:
        """Mean entropy of the members in nats, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Categorical([[[1.0, 0.0], [0.6, 0.4]]], ["no", "yes"]))
        >>> q.aleatoric().round(3)
        array([0.337])
        """
        return self._over_members(self.members.entropy())

    def epistemic(self) -> Floats:
        """Entropy due to the members' disagreement, in nats, shape (n,).

        `entropy` minus `aleatoric`: the mutual information of the target and the member.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Categorical([[[1.0, 0.0], [0.6, 0.4]]], ["no", "yes"]))
        >>> q.epistemic().round(3)
        array([0.164])
        """
        # Entropy is concave, so that a negative difference is a rounding error.
        return np.maximum(self.entropy() - self.aleatoric(), 0.0)

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log density or log probability at ``y`` (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.log_prob([0.0]).round(3)
        array([-2.226])
        """
        if isinstance(self.members, Categorical):
            return self.log_prob_of_codes(class_codes(y, self.members.classes))
        at = targets(y, len(self))
        return normal_mixture.log_density(self.members, self._weights_by_row(), at)

    def log_prob_of_codes(self, codes: npt.NDArray[np.intp]) -> Floats:
        """Log probability of the classes in these columns, shape (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Categorical([[[1.0, 0.0], [0.6, 0.4]]], ["no", "yes"]))
        >>> import numpy as np
        >>> q.log_prob_of_codes(np.array([1])).round(3)
        array([-1.609])
        """
        return self._categorical("classes").log_prob_of_codes(codes)

    def brier_of_codes(self, codes: npt.NDArray[np.intp]) -> Floats:
        """Squared error of all probabilities (see `Categorical.brier_of_codes`), shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Categorical([[[1.0, 0.0], [0.6, 0.4]]], ["no", "yes"]))
        >>> import numpy as np
        >>> q.brier_of_codes(np.array([1])).round(3)
        array([1.28])
        """
        return self._categorical("classes").brier_of_codes(codes)

    def mode(self) -> npt.NDArray[np.intp]:
        """Column of the most probable class, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Categorical([[[1.0, 0.0], [0.6, 0.4]]], ["no", "yes"]))
        >>> q.mode()
        array([0])
        """
        return self._categorical("classes").mode()

    def mean(self) -> Floats:
        """Mean, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.mean().round(3)
        array([0.])
        """
        if isinstance(self.members, Categorical):
            return self._averaged().mean()
        return self._over_members(self.members.loc)

    def variance(self) -> Floats:
        """Variance, shape (n,): mean variance of the members plus variance of their means.

        The law of total variance: sum_m w_m (s_m^2 + (mu_m - mu)^2).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.variance().round(3)
        array([1.25])
        """
        if isinstance(self.members, Categorical):
            return self._averaged().variance()
        apart = self.members.loc - self.mean()[:, None]
        return self._over_members(np.square(self.members.scale) + np.square(apart))

    def quantile(self, p: float) -> Floats:
        """Quantile at level ``p``, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.quantile(0.9).round(3)
        array([1.421])
        """
        if isinstance(self.members, Categorical):
            return self._averaged().quantile(p)
        return normal_mixture.quantile(self.members, self._weights_by_row(), inside(p, "p"))

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of ``y``, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.crps([0.0]).round(3)
        array([0.367])
        """
        if isinstance(self.members, Categorical):
            return self._averaged().crps(y)
        at = targets(y, len(self))
        return normal_mixture.crps(self.members, self._weights_by_row(), at)

    def arrays(self) -> list[npt.NDArray[Any]]:
        """Return the arrays that define the mixture, each with the rows first.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> [array.shape for array in q.arrays()]
        [(1, 2), (1, 2), (1, 2)]
        """
        return [*self.members.arrays(), self._weights_by_row()]

    def take(self, rows: Rows) -> Self:
        """Return these rows only.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> len(q.take(slice(0, 1)))
        1
        """
        weights = self.weights if self.weights.ndim == 1 else self.weights[rows]
        return self._with(members=self.members.take(rows), weights=weights)

    def owned(self, rows: slice = slice(None)) -> Self:
        """Return a read-only copy of these rows that shares no memory with other objects.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> q.owned().members is q.members
        False
        """
        weights = self.weights if self.weights.ndim == 1 else self.weights[rows]
        return self._with(members=self.members.owned(rows), weights=weights.copy())

    def joined(self, others: Sequence[Self]) -> Self:
        """Return this mixture followed by ``others``, which have as many members.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Mixture(uq.Normal([[-1.0, 1.0]], [[0.5, 0.5]]))
        >>> len(q.joined([q, q]))
        3
        """
        members: Any = self.members
        shared = all(
            one.weights.ndim == 1 and np.array_equal(one.weights, self.weights)
            for one in (self, *others)
        )
        weights = (
            self.weights
            if shared
            else np.concatenate([one._weights_by_row() for one in (self, *others)])
        )
        return self._with(members=members.joined([o.members for o in others]), weights=weights)

    def _weights_by_row(self) -> Floats:
        n, m = len(self), self.weights.shape[-1]
        return np.broadcast_to(self.weights, (n, m))

    def _over_members(self, values: Floats) -> Floats:
        return np.asarray(np.einsum("nm,nm->n", self._weights_by_row(), values))

    def _averaged(self) -> Categorical:
        members = self.members
        assert isinstance(members, Categorical)
        weights, scale = self.weights, 1.0
        if weights.ndim == 1 and (weights == weights[0]).all():
            # As libraries average: half of the votes are exactly 1/2, so that ties stay ties.
            weights, scale = np.ones(len(weights)), float(len(weights))
        averaged = (weights[..., None, :] @ members.probabilities)[:, 0] / scale
        # A mean of distributions is a distribution: it needs no check.
        new = object.__new__(Categorical)
        vars(new).update(probabilities=averaged, classes=members.classes)
        return new

    def _categorical(self, what: str) -> Categorical:
        if isinstance(self.members, Categorical):
            return self._averaged()
        raise ValueError(f"a mixture of normal distributions has no {what}.")


def _weights(weights: npt.ArrayLike | None, n: int, m: int) -> Floats:
    if weights is None:
        return np.full(m, 1.0 / m)
    array = floats(weights, "weights")
    if array.shape not in ((m,), (n, m)):
        raise ValueError(
            f"weights of shape {array.shape} do not fit {m} members of {n} rows; "
            f"expected ({m},) or ({n}, {m})."
        )
    try:
        simplex(np.atleast_2d(array), "weight", "weights")
    except InvalidRowError as error:
        if array.ndim == 2:
            raise
        raise ValueError(f"{error.problem.removesuffix(',')}.") from None
    return np.asarray(array / array.sum(axis=-1, keepdims=True))
