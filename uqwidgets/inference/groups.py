"""Groups of rows that belong together, such as the rows of one patient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from uqwidgets._typing import Floats, Positions
from uqwidgets.plotting.text import counted


def described(name: str, count: int) -> str:
    """Return a number of groups in words: "30 patients", or "30 values of patient_id"."""
    if not name:
        return counted(count, "group")
    is_word = name.isascii() and name.isalpha() and name.islower() and not name.endswith("s")
    return counted(count, name) if is_word else f"{counted(count, 'value')} of {name}"


class GroupCount(NamedTuple):
    """How many groups the rows of a result belong to.

    Attributes
    ----------
    name : str
        See `RowGroups`.
    number : int
        Groups with a row that is averaged over.
    ess : float
        Effective number of groups: as many groups of equal weight give as narrow intervals.
    """

    name: str
    number: int
    ess: float

    def __str__(self) -> str:
        return described(self.name, self.number)


@dataclass(frozen=True, eq=False)
class RowGroups:
    """The group of each row: rows of one group may depend on each other, groups do not.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Position of the group of each row, from 0; every group has a row.
    name : str
        What the groups are, such as the name of the column of their labels; may be empty.
    in_time : bool
        Whether they are blocks of rows that follow each other in time.
    column : str or None
        The column that was named as the groups; None where labels were passed.
    """

    codes: Positions
    name: str = ""
    in_time: bool = False
    column: str | None = None

    def __len__(self) -> int:
        """Return the number of groups, G."""
        return self._count

    def __str__(self) -> str:
        return described(self.name, len(self))

    def sums(self, values: Floats) -> Floats:
        """Return the sums over the rows of each group: (..., n) to (..., G)."""
        if values.ndim == 1:
            return np.asarray(np.bincount(self.codes, values, minlength=len(self)))
        return np.moveaxis(self.sums_of_rows(np.moveaxis(values, -1, 0)), 0, -1)

    def sums_of_rows(self, values: npt.NDArray[Any]) -> Floats:
        """Return the sums over the rows of each group: (n, ...) to (G, ...)."""
        sums = self._matrix @ values.reshape(len(values), -1)
        return np.asarray(sums).reshape(len(self), *values.shape[1:])

    def among(self, rows: Positions) -> RowGroups:
        """Return the groups of some of the rows."""
        _, codes = np.unique(self.codes[rows], return_inverse=True)
        return RowGroups(codes, self.name, self.in_time, self.column)

    @cached_property
    def first_rows(self) -> Positions:
        """Position of the first row of each group, shape (G,)."""
        return np.asarray(np.unique(self.codes, return_index=True)[1])

    @cached_property
    def _count(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def _matrix(self) -> csr_array:
        n = len(self.codes)
        return csr_array((np.ones(n), (self.codes, np.arange(n))), shape=(len(self), n))
