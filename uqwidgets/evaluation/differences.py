"""Changes of a measure in every row when the values of a feature are replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from uqwidgets._typing import Floats, Positions


class DifferenceBlock(NamedTuple):
    """Changes of a measure in every row under k of the replacements of one feature.

    Attributes
    ----------
    replacements : slice
        Which of the feature's replacements.
    values : ndarray of shape (k, n)
    donors : ndarray of shape (k, n) or None
        Rows that the values come from; None for constant replacements.
    """

    replacements: slice
    values: Floats
    donors: Positions | None = None


@dataclass(frozen=True, eq=False)
class Differences:
    """Changes of a measure in every row under all replacements of one feature, or group.

    Attributes
    ----------
    original : ndarray of shape (n,)
        The measure of each row as it is.
    subgroups : ndarray of shape (n,) or None
        Subgroup of each row, within which donors are drawn; None for all rows.
    codes : ndarray of shape (n,) or None
        With every row as a donor: which of the replacements has the row's own value. None where
        donors are drawn.
    n_replacements, n_blocks : int
    blocks : iterator of DifferenceBlock
        To be iterated over once; the model is evaluated on the way.
    donors : iterator of ndarray of shape (n,)
        Donors of each draw, one draw at a time.
    """

    original: Floats
    subgroups: Positions | None
    codes: Positions | None
    n_replacements: int
    n_blocks: int
    blocks: Iterator[DifferenceBlock]
    donors: Iterator[Positions]
