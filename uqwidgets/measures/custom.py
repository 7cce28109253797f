"""Measures that a user passes as a function."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import IN_PLACE, in_one_line, is_write
from uqwidgets.measures.measure import UNKNOWN_TRUTH, Measure, Truth, UnknownTruthError
from uqwidgets.predictive.distributions import Distribution

Function = Callable[[Any, Truth], Any]


def of_function(function: Function) -> Measure:
    """Return the measure of a function of a distribution and the true labels.

    Parameters
    ----------
    function : callable
        ``function(distribution, y)`` of shape (n,). The distribution has n rows, of which
        several may be the same row of X with different replaced values; y holds their labels.

    Raises
    ------
    ValueError
        If it is one of scikit-learn's metrics, which takes other arguments.
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    if str(getattr(function, "__module__", "")).startswith("sklearn.metrics"):
        raise ValueError(
            f"{name} is a function of (y_true, y_pred), not of (distribution, y); for a metric of "
            f"all rows together pass sklearn.metrics.make_scorer({name}) or its name."
        )

    def of(q: Distribution, y: Truth) -> Floats:
        try:
            labels = y if y is UNKNOWN_TRUTH or q.classes is None else q.classes[y]
            values = function(q, labels)
        except UnknownTruthError:
            raise ValueError(f"measure {name!r} needs y; pass it to Explainer.") from None
        except Exception as error:
            reason = IN_PLACE if is_write(error) else in_one_line(error)
            raise ValueError(f"measure {name!r} failed: {reason}") from error
        return _checked(name, values, len(q))

    return Measure(name, name, "", of, identity=_identity(function))


def _checked(name: str, returned: Any, n: int) -> Floats:
    try:
        values, shape = np.asarray(returned), f"shape {np.shape(returned)}"
    except ValueError:
        values, shape = np.empty(()), "a ragged list"
    if values.shape != (n,):
        raise ValueError(
            f"measure {name!r} gave {shape} for {n} rows; it must return one number per row, "
            f"shape ({n},)."
        )
    if values.dtype.kind not in "biuf":
        raise ValueError(f"measure {name!r} gave {values.dtype} instead of numbers; return floats.")
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"measure {name!r} is {values[bad][0]} in {int(bad.sum())} of {n} rows; it must be "
            "finite."
        )
    # A copy, because it is cached and the function may later change the array that it returned.
    return np.array(values, dtype=np.float64)


def _identity(function: Function) -> Hashable:
    # Python makes a new object of a bound method at each access; these compare equal.
    return function if isinstance(function, MethodType) else _Same(function)


@dataclass(frozen=True, eq=False)
class _Same:
    """Identity of a function; the reference keeps its id from being used for a later function."""

    function: Function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.function is self.function

    def __hash__(self) -> int:
        return id(self.function)
