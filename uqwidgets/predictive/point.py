"""A single predicted value, without uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import PredictiveDistribution, finite, targets, unmasked


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


@dataclass(frozen=True, eq=False)
class Point(PredictiveDistribution):
    """A single predicted value or label for each row, without any uncertainty.

    Parameters
    ----------
    value : array-like of shape (n,)
        Numbers of a regressor, or the labels of a classifier that gives no probabilities.

    Attributes
    ----------
    classes : None
        A predicted label does not say what the other classes are.

    Raises
    ------
    ValueError
        If it is not one value per row, or a number is not finite.

    See Also
    --------
    as_predictive : With ``noise`` or ``members=True``, reads many models with their uncertainty.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> q = uq.Point([1.0, 2.0])
    >>> q.crps([1.5, 2.0])
    array([0.5, 0. ])
    >>> q.entropy()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: a single predicted value has no entropy; ...
    """

    value: npt.NDArray[Any]

    classes: ClassVar[None] = None
    _arrays: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        value = np.asarray(unmasked(self.value))
        if value.ndim != 1:
            raise ValueError(f"predictions of shape {value.shape} must be (rows,).")
        if value.dtype == object and all(_is_number(one) for one in value.tolist()):
            value = value.astype(np.float64)
        if value.dtype.kind == "f":
            finite(value, "prediction")
        object.__setattr__(self, "value", value)

    def mean(self) -> Floats:
        """Return the predicted numbers, shape (n,).

        Raises
        ------
        ValueError
            If they are labels.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Point([1.0, 3.0])
        >>> q.mean()
        array([1., 3.])
        """
        if self.value.dtype.kind not in "biuf":
            raise ValueError("predicted labels have no mean.")
        return np.asarray(self.value, dtype=np.float64)

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Absolute error, to which the score reduces for a single value, shape (n,).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Point([1.0, 3.0])
        >>> q.crps([1.0, 1.0])
        array([0., 2.])
        """
        return np.abs(self.mean() - targets(y, len(self)))

    def entropy(self) -> NoReturn:
        """Raise a `ValueError`, since a single value has no uncertainty.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Point([1.0, 3.0])
        >>> q.entropy()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ValueError: a single predicted value has no entropy; ...
        """
        _no_uncertainty("entropy")

    def log_prob(self, y: npt.ArrayLike) -> NoReturn:  # noqa: ARG002
        """Raise a `ValueError`, since a single value has no uncertainty.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Point([1.0, 3.0])
        >>> q.log_prob([0.0, 0.0])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ValueError: a single predicted value has no log probability; ...
        """
        _no_uncertainty("log probability")

    def variance(self) -> NoReturn:
        """Raise a `ValueError`, since a single value has no uncertainty.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Point([1.0, 3.0])
        >>> q.variance()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ValueError: a single predicted value has no variance; ...
        """
        _no_uncertainty("variance")

    def quantile(self, p: float) -> NoReturn:  # noqa: ARG002
        """Raise a `ValueError`, since a single value has no uncertainty.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Point([1.0, 3.0])
        >>> q.quantile(0.9)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        ValueError: a single predicted value has no quantile; ...
        """
        _no_uncertainty("quantile")


class PredictedLabels(Point):
    """The label that a classifier's own ``predict`` answers for each row.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Position of each label.
    labels : list
        The classes, followed by labels that were predicted and are none of them. It may grow.
    """

    def __init__(self, codes: npt.NDArray[np.intp], labels: list[Any]) -> None:
        super().__init__(codes)
        object.__setattr__(self, "_labels", labels)

    @property
    def classes(self) -> npt.NDArray[Any]:  # type: ignore[override]
        """The classes, and what else was predicted."""
        labels: list[Any] = vars(self)["_labels"]
        array = np.asarray(labels)
        # Numpy would turn the numbers among texts into texts.
        return array if array.tolist() == labels else np.array(labels, dtype=object)

    def mode(self) -> npt.NDArray[np.intp]:
        """Position of the predicted label among the classes, shape (n,)."""
        return np.asarray(self.value, dtype=np.intp)


def _no_uncertainty(what: str) -> NoReturn:
    raise ValueError(
        f"a single predicted value has no {what}; use a model that says how sure it is, or "
        "as_predictive(model, noise=...), or for an ensemble as_predictive(model, members=True)."
    )
