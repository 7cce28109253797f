"""What a measure is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats

Truth = npt.NDArray[Any]


@dataclass(frozen=True)
class Measure:
    """A named number per row.

    Attributes
    ----------
    name : str
        As it is asked for.
    label : str
        As it is shown.
    unit : str
        ``"nats"``, or empty where it depends on the target.
    of : callable
        ``of(distribution, y)`` of shape (n,). ``y`` holds class positions where the
        distribution has classes, the target's own values otherwise.
    ceiling : float
        What values are cut off at.
    same_as : str
        Name of a measure that has the same numbers and is the one to show; empty where it is
        itself.
    identity : hashable
        Tells a function that was handed in from others of its name.
    """

    name: str
    label: str
    unit: str
    of: Callable[[Any, Truth], Floats]
    ceiling: float = np.inf
    same_as: str = ""
    identity: Hashable = None

    @property
    def key(self) -> Hashable:
        """What its values are remembered by: two measures of one key have the same values."""
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
        From the text of a parameter to its measure; raises a `ValueError` if it is none.
    """

    example: str
    label: str
    unit: str
    member: Callable[[str], Measure]


# What can be asked for by name, a parameter being in angle brackets, or why it cannot.
Offers = dict[str, Measure | Family | str]
