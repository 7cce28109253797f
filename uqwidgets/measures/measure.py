"""A measure: a number per row, with all that other rooms need to know of it.

To add one, declare it in `regression` if the target may be a number and in `classification` if it
may be a class. Nothing else refers to a measure by its name: its axis, its place in the widget and
its mean under stress follow from the attributes below, its place in lists from that of its
declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Range

Truth = npt.NDArray[Any]
Use = Literal["curve", "indicator"]


class UnknownTruthError(ValueError):
    """A function used the true target, which is not known."""


class UnknownTruth:
    """Stands in for the true target where it is not known; every use of it raises.

    A measure that needs no truth never uses it. Without this, a function of the user that compares
    a prediction with None would return numbers.
    """

    def _raise(self, *_: object) -> Any:
        raise UnknownTruthError("the true target is not known")

    __array__ = __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __float__ = _raise
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _raise
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _raise
    __truediv__ = __rtruediv__ = __neg__ = __invert__ = _raise


UNKNOWN_TRUTH: Any = UnknownTruth()

UNBOUNDED: Range = (-np.inf, np.inf)
NON_NEGATIVE: Range = (0.0, np.inf)
UNIT_INTERVAL: Range = (0.0, 1.0)


@dataclass(frozen=True)
class Measure:
    """A named number per row.

    Attributes
    ----------
    name : str
        Name by which a user selects it.
    label : str
        Name on axes and in tables.
    unit : str
        ``"nats"``, or empty where it depends on the target.
    of : callable
        ``of(distribution, y)`` of shape (n,). ``y`` holds class positions where the
        distribution has classes, the target's own values otherwise.
    bounds : tuple of float
        Least and greatest value that it can have, whatever the rows.
    needs_truth : bool
        Whether it is a loss, which compares the distribution with the true target.
    is_prediction : bool
        Whether it is the prediction itself; curves of predictions are listed first.
    reads_answer : bool
        Whether it is of the label or number that the model predicts, and not of the distribution:
        where the model's own ``predict`` differs, it is given what that answers.
    shown_with : str
        Name of the measure of uncertainty whose importance is shown beside that of this loss;
        empty where there is none.
    offered_as : tuple of {"curve", "indicator"}
        Whether it is offered as a curve and as an indicator under stress. It is not where another
        one that is offered has the same numbers or determines them.
    ceiling : float
        Value at which larger ones are cut off.
    identity : hashable
        Distinguishes a function of the user from others of the same name.
    """

    name: str
    label: str
    unit: str
    of: Callable[[Any, Truth], Floats] = field(repr=False)
    bounds: Range = UNBOUNDED
    needs_truth: bool = False
    is_prediction: bool = field(default=False, repr=False)
    reads_answer: bool = field(default=False, repr=False)
    shown_with: str = field(default="", repr=False)
    offered_as: tuple[Use, ...] = field(default=("curve", "indicator"), repr=False)
    ceiling: float = field(default=np.inf, repr=False)
    identity: Hashable = field(default=None, repr=False)

    @property
    def key(self) -> Hashable:
        """Key of its cached values: two measures with the same key have the same values."""
        return (self.name, self.identity)


@dataclass(frozen=True)
class Family:
    """Measures that differ in a parameter, which is a part of their name.

    Attributes
    ----------
    example : str
        Name of one of them.
    label, unit : str
    member : callable
        From the text of a parameter to its measure; raises a `ValueError` if it is invalid.
    """

    example: str
    label: str
    unit: str
    member: Callable[[str], Measure]


# Every measure by name, with a parameter in angle brackets, or the reason why a model does not give
# it. Lists of measures have this order.
Offers = dict[str, Measure | Family | str]
