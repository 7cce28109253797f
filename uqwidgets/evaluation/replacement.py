"""Replacements: which values take the place of a feature's own."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.distinct import distinct_rows, kind_of
from uqwidgets.evaluation.table import Table

Scheme = Literal["permutation", "ablation", "conditional"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
Repeats = int | Literal["all"]


# Named tuples, because replacements are the keys of the cache and named tuples hash quickly.
class Original(NamedTuple):
    """No replacement: the rows as they are."""


class Drawn(NamedTuple):
    """Values of other rows, the donors: one repeat for the features in ``columns``.

    ``permutation`` shuffles the column; ``ablation`` draws from it with replacement (Merrick 2019,
    eq. 9); ``conditional`` shuffles within subgroups of rows that are alike in the other features.
    """

    columns: tuple[int, ...]
    scheme: Scheme
    repeat: int
    seed: int


class Constant(NamedTuple):
    """The same values in every row: a point of a dependence curve's grid.

    Values of different types are not equal here, although 1 == True in Python, because a model
    may distinguish them.
    """

    columns: tuple[int, ...]
    values: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, other) is True and all(
            one is two or kind_of(one) is kind_of(two)
            for one, two in zip(self.values, other.values, strict=True)  # type: ignore[attr-defined]
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


Replacement = Original | Drawn | Constant


class Part(NamedTuple):
    """A replacement in some of the rows, those of one part of the `RowOrder`."""

    replacement: Replacement
    number: int


class Draws(NamedTuple):
    """The replacements that estimate the importance of one feature, or group of features.

    Attributes
    ----------
    scheme : {"permutation", "ablation", "conditional"}
    n_repeats : int or "all"
        Number of draws. ``"all"`` takes every row as a donor of every row, which needs one
        constant replacement per distinct value instead of draws.
    seed : int
    """

    scheme: Scheme
    n_repeats: Repeats
    seed: int

    def replacements(self, table: Table, columns: tuple[int, ...]) -> list[Replacement]:
        """Return the replacements of the features in some columns, which move together."""
        if self.n_repeats == "all":
            return [Constant(columns, values) for values in distinct_rows(table, columns)[0]]
        return [Drawn(columns, self.scheme, k, self.seed) for k in range(self.n_repeats)]


def checked_scheme(replacement: str) -> Scheme:
    """Return the scheme of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(SCHEMES, replacement, "replacement")
