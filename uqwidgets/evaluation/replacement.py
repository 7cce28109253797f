"""Replacements: which values take the place of a feature's own."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self, get_args

from uqwidgets._utils.choices import one_of
from uqwidgets.evaluation.distinct import distinct_rows, kind_of
from uqwidgets.evaluation.table import Table

Scheme = Literal["permutation", "ablation", "conditional", "permutation of groups", "residuals"]
# The last two are forms of the first and the third that other options choose.
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)[:3]
Repeats = int | Literal["all"]


# Named tuples, because replacements are the keys of the cache and named tuples hash quickly.
class Original(NamedTuple):
    """No replacement: the rows as they are."""


class Drawn(NamedTuple):
    """Values of other rows, the donors: one repeat for the features in ``columns``.

    ``permutation`` shuffles the column; ``ablation`` draws from it with replacement (Merrick 2019,
    eq. 9); ``conditional`` shuffles within subgroups of rows that are alike in the other features;
    ``permutation of groups`` shuffles the groups of rows, and each row of a group takes the values
    of the first row of another one; ``residuals`` takes the residuals of a model of the feature
    from other rows (see `uqwidgets.evaluation.residuals`).
    """

    columns: tuple[int, ...]
    scheme: Scheme
    repeat: int
    seed: int


class _TypedValues(NamedTuple):
    """Values, and their types (see `kind_of`), of some columns."""

    columns: tuple[int, ...]
    values: tuple[Any, ...]
    kinds: tuple[type, ...]


class Constant(_TypedValues):
    """The same values in every row: a point of a dependence curve's grid.

    Values of different types are not equal here, although 1 == True in Python, because a model
    may distinguish them. So the types are a part of the tuple: its own comparison, which every
    look-up in the cache runs several times, is much faster than one written in Python.
    """

    __slots__ = ()

    def __new__(cls, columns: tuple[int, ...], values: tuple[Any, ...]) -> Self:
        """Add the types of the values."""
        return super().__new__(cls, columns, values, tuple(map(kind_of, values)))

    def __getnewargs__(self) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        return self.columns, self.values  # for copies and other processes


Replacement = Original | Drawn | Constant


class PredictAnswer(NamedTuple):
    """What the model's own `predict` answers under a replacement, in place of the distribution."""

    replacement: Replacement


class PartOfRows(NamedTuple):
    """A replacement in some of the rows, those of one part of the `RowOrder`."""

    replacement: Replacement | PredictAnswer
    number: int


class SingleRow(NamedTuple):
    """A replacement in one row."""

    replacement: Constant | PredictAnswer
    row: int
    # A tuple of a replacement and a number would be equal to the part of this number.
    is_row: bool = True


#: What the model is evaluated on: a replacement in all rows, in a part of them or in one.
Request = Replacement | PredictAnswer | PartOfRows | SingleRow


def whole_of(request: Request) -> Replacement | PredictAnswer:
    """Return what a request asks in all rows."""
    return request.replacement if isinstance(request, (PartOfRows, SingleRow)) else request


def answer_to(request: Request) -> Request:
    """Return the request for the answer of `predict` in the same rows."""
    match request:
        case PredictAnswer():
            return request
        case PartOfRows(replacement, number):
            return PartOfRows(_answer(replacement), number)
        case SingleRow(replacement, row):
            return SingleRow(_answer(replacement), row)
    return PredictAnswer(request)


def _answer(replacement: Replacement | PredictAnswer) -> PredictAnswer:
    return replacement if isinstance(replacement, PredictAnswer) else PredictAnswer(replacement)


class Draws(NamedTuple):
    """The replacements that estimate the importance of one feature, or group of features.

    Attributes
    ----------
    scheme : {"permutation", "ablation", "conditional", "permutation of groups", "residuals"}
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
