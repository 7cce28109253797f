"""Labels: the distinct values of a column as texts, which filters offer and compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import date, timedelta
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.constants import is_missing
from uqwidgets.evaluation.distinct import distinct, kind_of

# A misspelt value is compared with so many texts at most: an id-like column has too many.
_MAX_COMPARED = 1000


class ColumnLabels:
    """Distinct values, each with a text of its own, and the value of each row.

    Values are told apart by their types as well: 1, 1.0 and True are three of them.

    Parameters
    ----------
    values : sequence, length k
        Distinct and present.
    codes : ndarray of shape (n,)
        Position of each row's value, -1 where it is missing.

    Attributes
    ----------
    values : tuple of object, length k
    texts : tuple of str
        One for each value, in the same order.
    """

    def __init__(self, values: Sequence[Any], codes: npt.NDArray[np.intp]) -> None:
        texts = [_text(value) for value in values]
        repeated = {text for text, count in Counter(texts).items() if count > 1}
        for place, value in enumerate(values):
            if texts[place] in repeated and not isinstance(value, str):
                texts[place] += f" ({type(value).__name__})"  # 1 beside "1"
        self.values = tuple(values)
        self._texts = texts
        self._places: dict[str, list[int]] = {}
        self._equal: dict[Any, list[int]] = {}
        for place, (text, value) in enumerate(zip(texts, values, strict=True)):
            self._places.setdefault(text, []).append(place)
            self._equal.setdefault(value, []).append(place)
        self.texts = tuple(self._places)
        self._codes = codes
        self._examples = list({type(value): value for value in values}.values())

    @classmethod
    def of(cls, column: pd.Series[Any]) -> ColumnLabels:
        """Labels of a column (n,): values in their order, or else in that of their texts."""
        values, codes = distinct(column)
        order = [place for place, value in enumerate(values) if not is_missing(value)]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            with suppress(TypeError):  # values of several types have no order
                order.sort(key=values.__getitem__)
        places = np.full(len(values), -1, dtype=np.intp)
        places[order] = np.arange(len(order))
        return cls([values[place] for place in order], places[codes])

    @property
    def by_text(self) -> tuple[tuple[str, ...], npt.NDArray[np.intp]]:
        """Texts in their own order, and the position of each row's among them, -1 without one."""
        texts = tuple(sorted(self._places))
        # The code -1 of a missing value points at the last element.
        positions = np.full(len(self.values) + 1, -1, dtype=np.intp)
        for position, text in enumerate(texts):
            positions[self._places[text]] = position
        return texts, positions[self._codes]

    def place(self, value: Any, of: str, noun: str = "value") -> int:
        """Return the position of a value among the distinct ones.

        Parameters
        ----------
        value : object
            The value, its text, or another way to write it, such as 1.0 or a date's text.
        of, noun : str
            Name of the column, and what its values are called, for the error.

        Raises
        ------
        ValueError
            If no row has it.
        """
        if isinstance(value, str) and value in self._places:
            return self._places[value][0]
        for read in (value, *(_like(example, value) for example in self._examples)):
            try:
                equal = self._equal.get(read, [])
            except TypeError:  # lists cannot be hashed
                continue
            if equal:
                return min(equal, key=lambda place: _differs(self.values[place], read))
        shown = list(self.texts[:_MAX_COMPARED])
        raise ValueError(unknown(noun, str(value), shown, f"of {of}"))

    def text(self, value: Any, of: str, noun: str = "value") -> str | None:
        """Return the text of a value, which may be a text itself; None for a missing value.

        Raises
        ------
        ValueError
            As in `place`.
        """
        return None if is_missing(value) else self._texts[self.place(value, of, noun)]

    def rows_of(self, place: int) -> npt.NDArray[np.bool_]:
        """Mask of the rows with the value at this position, shape (n,)."""
        return np.asarray(self._codes == place)

    def mask(self, texts: Collection[str | None]) -> npt.NDArray[np.bool_]:
        """Mask of the rows with one of these texts, shape (n,); None stands for a missing value."""
        chosen = np.zeros(len(self.values) + 1, dtype=np.bool_)
        for text in texts:
            # The code -1 of a missing value points at the last element.
            chosen[[len(self.values)] if text is None else self._places[text]] = True
        return np.asarray(chosen[self._codes])


def _text(value: Any) -> str:
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return str(value.date())
    return str(value)


def _differs(own: Any, value: Any) -> tuple[bool, bool]:
    """Order equal values by how much they differ from another in type; a bool is no number."""
    one, other = kind_of(own), kind_of(value)
    return (one is bool) is not (other is bool), one is not other


def _like(example: Any, value: Any) -> Any:
    """Convert a value to the type of another; None if it cannot be converted."""
    if isinstance(value, Number):  # pandas would read nanoseconds
        return None
    try:
        match example:
            case pd.Timestamp():
                return pd.Timestamp(value)
            case pd.Period():
                return pd.Period(value, example.freqstr)
            case timedelta():  # pandas' own too
                return pd.Timedelta(value)
            case date():
                return pd.Timestamp(value).date()
            case bytes():
                return value.encode() if isinstance(value, str) else None
            case int() | float() if isinstance(value, str):
                return float(value)
    except (ValueError, TypeError, OverflowError):
        pass
    return None
