"""A probability per class."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.predictive.base import (
    PredictiveDistribution,
    blocks,
    floats,
    inside,
    simplex,
    targets,
)

# Cumulative probabilities differ from a level by this much through rounding alone.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Categorical(PredictiveDistribution):
    """One probability per class for each row.

    Parameters
    ----------
    probabilities : array-like of shape (n, k)
        Non-negative, each row sums to one. Or (n, m, k): ``m`` distributions for each row, the
        members of a `Mixture`; the methods then return arrays (n, m).
    classes : array-like of shape (k,)
        The labels, in the order of the columns; strings, bools or numbers. Of two, the positive
        class is 1 beside 0 or -1, True beside False, and else the second.

    Raises
    ------
    ValueError
        If the shapes do not fit, a label comes twice, a value is NaN or negative, or a row does
        not sum to one.

    See Also
    --------
    Mixture : Several distributions for each row, one per member of an ensemble.
    as_predictive : Reads the probabilities off a fitted model.

    References
    ----------
    Wood et al. 2024 (entropy); Brier 1950; Gneiting and Raftery 2007.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> q = uq.Categorical([[0.5, 0.5], [0.9, 0.1]], classes=["no", "yes"])
    >>> q.entropy().round(3)
    array([0.693, 0.325])
    >>> q.log_prob(["yes", "no"]).round(3)
    array([-0.693, -0.105])
    """

    probabilities: Floats
    classes: npt.NDArray[Any]

    _arrays: ClassVar[tuple[str, ...]] = ("probabilities",)

    def __post_init__(self) -> None:
        p, classes = floats(self.probabilities, "probabilities"), _labels(self.classes)
        if p.ndim not in (2, 3) or p.shape[-1] != len(classes):
            raise ValueError(
                f"probabilities of shape {p.shape} do not fit {len(classes)} classes; "
                f"expected (rows, {len(classes)})."
            )
        p = _in_order_of(classes, self.probabilities, p)
        if getattr(self.probabilities, "dtype", None) == np.float16:
            p = _without_half_precision(p)
        simplex(p, "probability", "probabilities")
        if p.size and p.min() < 0:
            p = np.maximum(p, 0.0)
        object.__setattr__(self, "probabilities", p)
        object.__setattr__(self, "classes", classes)

    def entropy(self) -> Floats:
        """Shannon entropy in nats (Wood et al. 2024, section 3.2).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.entropy().round(3)
        array([1.03])
        """
        entropy = np.empty(self.probabilities.shape[:-1])
        for rows in blocks(len(self), self.probabilities[:1].size):
            p = self.probabilities[rows]
            log_p = np.log(p, out=np.zeros_like(p), where=p > 0)
            entropy[rows] = -np.einsum("...k,...k->...", p, log_p)
        return entropy + 0.0  # -0.0 would print as a negative entropy

    def log_prob(self, y: npt.ArrayLike) -> Floats:
        """Log probability of the labels ``y`` (n,), in nats.

        Raises
        ------
        ValueError
            If a label is none of the classes.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.log_prob([4]).round(3)
        array([-0.693])
        """
        return self.log_prob_of_codes(class_codes(y, self.classes))

    def log_prob_of_codes(self, codes: npt.NDArray[np.intp]) -> Floats:
        """Log probability of the classes in these columns (n,), in nats.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> import numpy as np
        >>> q.log_prob_of_codes(np.array([2])).round(3)
        array([-0.693])
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._chosen(codes)))

    def mode(self) -> npt.NDArray[np.intp]:
        """Column of the most probable class; the first one of equally probable classes.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.mode()
        array([2])
        >>> q.classes[q.mode()]
        array([4])
        """
        return np.asarray(self.probabilities.argmax(axis=-1), dtype=np.intp)

    def brier_of_codes(self, codes: npt.NDArray[np.intp]) -> Floats:
        """Squared error of all probabilities, from 0 to 2, of the classes in these columns (n,).

        The sum over classes of (p - 1{class is true})^2 (Brier 1950).

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> import numpy as np
        >>> q.brier_of_codes(np.array([2])).round(3)
        array([0.38])
        """
        chosen = self._chosen(codes)
        squares = np.einsum("...k,...k->...", self.probabilities, self.probabilities)
        # Rounding could make the score of a certain, correct prediction negative.
        return np.asarray(np.maximum(squares - 2 * chosen + 1.0, 0.0))

    def mean(self) -> Floats:
        """Mean of classes that are numbers or bools.

        Raises
        ------
        ValueError
            If they are not, as in all methods that need numbers.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.mean().round(3)
        array([2.8])
        """
        values = self._numbers("mean")
        return np.asarray(self.probabilities @ values)

    def variance(self) -> Floats:
        """Variance of classes that are numbers or bools.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.variance().round(3)
        array([1.56])
        """
        values = self._numbers("variance")
        # Centred on a class: without it, the squares of years would cost half of the digits.
        centred = values - values[0]
        square, mean = self.probabilities @ np.square(centred), self.probabilities @ centred
        return np.asarray(np.maximum(square - np.square(mean), 0.0))

    def quantile(self, p: float) -> Floats:
        """Smallest class whose cumulative probability, in numerical order, reaches ``p``.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.quantile(0.9).round(3)
        array([4.])
        """
        values, _, below = self._ordered("quantile")
        reached = below >= inside(p, "p") - _ROUNDING
        return np.asarray(values[reached.argmax(axis=-1)])

    def crps(self, y: npt.ArrayLike) -> Floats:
        """Continuous ranked probability score of the numbers ``y`` (n,).

        By E|X - y| - E|X - X'| / 2 (Gneiting and Raftery 2007, eq. 21), the second term as
        the sum of F (1 - F) over the gaps between classes.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> q = uq.Categorical([[0.2, 0.3, 0.5]], [1, 2, 4])
        >>> q.crps([4]).round(3)
        array([0.54])
        """
        values, p, below = self._ordered("crps")
        at = targets(y, len(self)).reshape((-1,) + (1,) * (p.ndim - 1))
        distance = np.einsum("...k,...k->...", p, np.abs(values - at))
        f = below[..., :-1]
        return np.asarray(distance - (f * (1 - f)) @ np.diff(values))

    def _chosen(self, codes: npt.NDArray[np.intp]) -> Floats:
        columns = codes.reshape((-1,) + (1,) * (self.probabilities.ndim - 1))
        return np.take_along_axis(self.probabilities, columns, axis=-1)[..., 0]

    def _numbers(self, what: str) -> Floats:
        if self.classes.dtype.kind not in "biuf":
            few = ", ".join(repr(c) for c in self.classes.tolist()[:3])
            raise ValueError(f"classes that are not numbers ({few}) have no {what}.")
        return self.classes.astype(np.float64)

    def _ordered(self, what: str) -> tuple[Floats, Floats, Floats]:
        """Classes in numerical order, their probabilities, and the cumulative probabilities."""
        values = self._numbers(what)
        order = np.argsort(values)
        p = self.probabilities[..., order]
        below = np.cumsum(p, axis=-1)
        below[..., -1] = 1.0
        return values[order], p, below


def positive_position(classes: npt.NDArray[Any]) -> int:
    """Position of the positive one of two classes: the second, unless only the first can be meant.

    For scikit-learn 1 is positive beside 0 or -1, and True beside False, in any order.
    """
    first, second = classes.tolist()
    return 0 if first == 1 and second in (0, -1) else 1


def class_codes(
    y: npt.ArrayLike, classes: npt.NDArray[Any], *, predicted: bool = False
) -> npt.NDArray[np.intp]:
    """Position of each label of ``y`` (n,) in ``classes`` (k,), which may be in any order.

    ``predicted`` says that they are labels that the model predicts, for the error.

    Raises
    ------
    ValueError
        If a label is none of the classes.
    """
    labels = _array(y)
    if labels.ndim != 1:
        raise ValueError(f"y has shape {labels.shape}; pass one label for each row.")
    codes = label_positions(labels, classes)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        label = labels.tolist()[row]
        if predicted:
            raise ValueError(
                f"the model predicts {label!r} in row {row}, which is none of its classes "
                f"{', '.join(repr(c) for c in classes.tolist())}; if it predicts scores or "
                "probabilities, pass a function that returns the probability of each class, as "
                "as_predictive(function, classes=[...])."
            )
        raise ValueError(
            f"y has the label {label!r} in row {row}, which the model does not know; its classes "
            f"are {', '.join(repr(c) for c in classes.tolist())}{_cast(label, classes)}."
        )
    return codes


def label_positions(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Position of each label (n,) in ``classes`` (k,), which may be in any order; -1 for none.

    Numbers are compared by value; bools, numbers and texts are different labels.
    """
    places = {_key(label): place for place, label in enumerate(_plain(classes))}
    if labels.dtype.kind not in "biuf":
        return np.array([places.get(_key(label), -1) for label in _plain(labels)], dtype=np.intp)
    codes, different = pd.factorize(labels)
    # The code -1 of NaN points at the last element.
    return np.array([*(places.get(_key(one), -1) for one in different.tolist()), -1])[codes]


def _key(label: Any) -> tuple[bool, Any]:
    return isinstance(label, (bool, np.bool_)), label  # True == 1


def _plain(labels: npt.NDArray[Any]) -> list[Any]:
    # numpy would turn moments into whole numbers, in the unit of each array.
    return list(pd.Index(labels) if labels.dtype.kind in "mM" else labels.tolist())


def classes_among(predicted: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """All labels, sorted, among the predicted ones and those of ``y``, each of shape (n,).

    Raises
    ------
    ValueError
        If they have no common order, such as strings and numbers.
    """
    labels = np.concatenate([predicted, y])
    try:
        if len({isinstance(label, (bool, np.bool_)) for label in labels.tolist()}) > 1:
            raise TypeError  # they have an order, in which True is 1
        return np.unique(labels)
    except TypeError as error:
        raise ValueError(
            f"the model predicts labels such as {predicted.tolist()[0]!r}, but y has "
            f"{y.tolist()[0]!r}; pass labels of one kind."
        ) from error


def _array(labels: npt.ArrayLike) -> npt.NDArray[Any]:
    array = np.asarray(labels)
    if array.ndim == 1 and array.dtype.kind in "Uiuf" and not hasattr(labels, "dtype"):
        # numpy turns a list of strings and numbers into strings, and bools among numbers into
        # numbers: keep each label as it is.
        originals = list(labels)  # type: ignore[arg-type]
        kind: Any = str if array.dtype.kind == "U" else Number
        if not all(isinstance(one, kind) and not isinstance(one, bool) for one in originals):
            array = np.empty(len(originals), dtype=object)
            array[:] = originals
    return array


def _cast(label: Any, classes: npt.NDArray[Any]) -> str:
    """Return the conversion of y, as a clause, if the label differs from a class only in type."""
    if isinstance(label, bool) and classes.dtype.kind in "iuf" and np.isin([0, 1], classes).all():
        return "; pass y.astype(int)"
    if isinstance(label, (int, float)) and classes.dtype.kind == "b" and label in (0, 1):
        return "; pass y.astype(bool)"
    return ""


def _labels(classes: npt.ArrayLike) -> npt.NDArray[Any]:
    labels = _array(classes)
    if labels.ndim != 1:
        raise ValueError(f"classes of shape {labels.shape} must be one label per column.")
    places = label_positions(labels, labels)  # a label that comes twice has the last one
    if (places != np.arange(len(labels))).any():
        twice = labels.tolist()[int(np.argmax(places != np.arange(len(labels))))]
        raise ValueError(f"the class {twice!r} comes twice; every column needs its own label.")
    return labels


def _in_order_of(classes: npt.NDArray[Any], table: Any, p: Floats) -> Floats:
    """Put the columns of a table that has the names of the classes in their order."""
    names = [str(name) for name in getattr(table, "columns", ())]
    labels = [str(label) for label in classes.tolist()]
    if names == labels or sorted(names) != sorted(labels):
        return p
    return np.ascontiguousarray(p[:, [names.index(label) for label in labels]])


def _without_half_precision(p: Floats) -> Floats:
    """Divide rows by their sums, which are off from one by the rounding of half precision."""
    totals = p.sum(axis=-1, keepdims=True)
    is_rounded = np.abs(totals - 1) <= p.shape[-1] * float(np.finfo(np.float16).eps)
    return np.asarray(np.divide(p, totals, out=p.copy(), where=is_rounded))
