"""Labels: the distinct values of a column as texts, which filters offer and compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import unknown

# A misspelt value is compared with so many texts at most: an id-like column has too many.
_MAX_COMPARED = 1000


class Labels:
    """Distinct values, each with a text of its own, and the value of each row.

    Parameters
    ----------
    values : sequence, length k
        Distinct and present.
    codes : ndarray of shape (n,)
        Position of each row's value, -1 where it is missing.

    Attributes
    ----------
    texts : tuple of str
        One for each value, in the same order.
    """

    def __init__(self, values: Sequence[Any], codes: npt.NDArray[np.intp]) -> None:
        texts = [_text(value) for value in values]
        repeated = {text for text, count in Counter(texts).items() if count > 1}
        for place, value in enumerate(values):
            if texts[place] in repeated and not isinstance(value, str):
                texts[place] += f" ({type(value).__name__})"  # 1 beside "1"
        self._places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            self._places.setdefault(text, []).append(place)
        self.texts = tuple(self._places)
        self._codes, self._count = codes, len(texts)
        self._first = values[0] if len(values) else None
        self._by_value: dict[Any, str] = dict(zip(values, texts, strict=True))

    @classmethod
    def of(cls, column: pd.Series[Any]) -> Labels:
        """Labels of a column (n,): values in their order, or else in that of their texts."""
        try:
            codes, values = pd.factorize(column, sort=True)
        except TypeError:  # lists cannot be hashed, and complex numbers not ordered
            codes, values = pd.factorize(column.map(str, na_action="ignore"), sort=True)
        return cls(values.tolist(), codes)

    @property
    def by_text(self) -> tuple[tuple[str, ...], npt.NDArray[np.intp]]:
        """Texts in their own order, and the position of each row's among them, -1 without one."""
        texts = tuple(sorted(self._places))
        # The code -1 of a missing value points at the last element.
        positions = np.full(self._count + 1, -1, dtype=np.intp)
        for position, text in enumerate(texts):
            positions[self._places[text]] = position
        return texts, positions[self._codes]

    def text(self, value: Any, of: str) -> str | None:
        """Return the text of a value, which may be a text itself; None for a missing value.

        Parameters
        ----------
        value : object
            The value, its text, or another way to write it, such as 1.0 or a date's text.
        of : str
            Name of the column, for the error.

        Raises
        ------
        ValueError
            If no row has it.
        """
        if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
            return None
        if isinstance(value, str) and value in self._places:
            return str(value)
        for read in (value, _like(self._first, value)):
            try:
                return self._by_value[read]
            except (KeyError, TypeError):  # lists cannot be hashed
                continue
        raise ValueError(unknown("value", str(value), list(self.texts[:_MAX_COMPARED]), f"of {of}"))

    def mask(self, texts: Collection[str | None]) -> npt.NDArray[np.bool_]:
        """Mask of the rows with one of these texts, shape (n,); None stands for a missing value."""
        chosen = np.zeros(self._count + 1, dtype=np.bool_)
        for text in texts:
            # The code -1 of a missing value points at the last element.
            chosen[[self._count] if text is None else self._places[text]] = True
        return np.asarray(chosen[self._codes])


def _text(value: Any) -> str:
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return str(value.date())
    return str(value)


def _like(model: Any, value: Any) -> Any:
    """Convert a value to the type of another; None if it cannot be converted."""
    try:
        match model:
            case pd.Timestamp():
                return pd.Timestamp(value)
            case pd.Timedelta():
                return pd.Timedelta(value)
            case bytes():
                return value.encode() if isinstance(value, str) else None
            case int() | float() if isinstance(value, str):
                return float(value)
    except (ValueError, TypeError, OverflowError):
        pass
    return None
