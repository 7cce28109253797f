"""The parts of the views' content that tau moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from uqwidgets.widgets.over_tau.levels import Check, Level, Samples

#: Columns whose names begin with this belong to other views than the one that computes them.
OF_OTHERS = "."


@dataclass(frozen=True)
class Track:
    """A part of the content of a view that tau moves.

    Attributes
    ----------
    name : str
        Tells apart the tracks of a view.
    key : tuple
        Identifies what it is computed from, besides the rows and the stressed feature.
    sample : callable
        From levels, and a function that is called now and then and may end the work, to the columns
        there, with the levels as the first axis.
    n_read : int
        Numbers that are read at each level, if another process can have a copy of them and sample
        the track; 0 if not.
    """

    name: str
    key: tuple[Any, ...]
    sample: Callable[[Sequence[Level], Check], Samples]
    n_read: int = 0
