"""Measures that a person hands in as a function."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import IN_PLACE, in_one_line, is_write
from uqwidgets.measures.measure import Measure, Truth
from uqwidgets.predictive.distributions import Distribution

Function = Callable[[Any, Truth], Any]


def given(function: Function) -> Measure:
    """Return the measure of a function of a distribution and the true labels.

    Parameters
    ----------
    function : callable
        ``function(distribution, y)`` of shape (n,). The distribution has n rows, of which
        several may be the same row of X with other values in its place; y holds their labels.
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    if str(getattr(function, "__module__", "")).startswith("sklearn.metrics"):
        raise ValueError(
            f"{name} is a function of (y_true, y_pred), not of (distribution, y); for a metric of "
            f"all rows together pass sklearn.metrics.make_scorer({name}) or its name."
        )

    def of(q: Distribution, y: Truth) -> Floats:
        labels = y if q.classes is None else q.classes[y]
        try:
            found = function(q, labels)
        except Exception as error:
            said = IN_PLACE if is_write(error) else in_one_line(error)
            raise ValueError(f"measure {name!r} failed: {said}") from error
        return _checked(name, found, len(q))

    return Measure(name, name, "", of, identity=_identity(function))


def _checked(name: str, found: Any, n: int) -> Floats:
    try:
        values, shape = np.asarray(found), f"shape {np.shape(found)}"
    except ValueError:
        values, shape = np.empty(()), "a ragged list"
    if values.shape != (n,):
        raise ValueError(
            f"measure {name!r} gave {shape} for {n} rows; it must return one number per row, "
            f"shape ({n},)."
        )
    if values.dtype.kind not in "biuf":
        raise ValueError(f"measure {name!r} gave {values.dtype} instead of numbers.")
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"measure {name!r} is {values[bad][0]} in {int(bad.sum())} of {n} rows; it must be "
            "finite."
        )
    # A copy, for it will be kept and must not change with what the function holds on to.
    return np.array(values, dtype=np.float64)


def _identity(function: Function) -> Hashable:
    # A method is another object each time that it is asked for, and knows its equals.
    return function if isinstance(function, MethodType) else _Same(function)


@dataclass(frozen=True, eq=False)
class _Same:
    """Holds on to a function, so that no later one can be taken for it."""

    function: Function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.function is self.function

    def __hash__(self) -> int:
        return id(self.function)
