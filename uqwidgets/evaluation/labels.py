"""Values of a column by the texts that name them, as a filter offers and compares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import unknown

# Of a misspelt value with these, not with all of an id-like column, the nearest are told.
_COMPARED = 1000


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
        often = {text for text, count in Counter(texts).items() if count > 1}
        for place, value in enumerate(values):
            if texts[place] in often and not isinstance(value, str):
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
        """Labels of a column (n,): values in their order, or else as their texts ascend."""
        try:
            codes, values = pd.factorize(column, sort=True)
        except TypeError:  # lists have no hash, and complex objects no order
            codes, values = pd.factorize(column.map(str, na_action="ignore"), sort=True)
        return cls(values.tolist(), codes)

    def text(self, value: Any, of: str) -> str | None:
        """Return the text of a value that may itself be a text; None for a missing one.

        Parameters
        ----------
        value : object
            The value, its text, or another way to write it, such as 1.0 or a date's text.
        of : str
            Whose value it is.

        Raises
        ------
        ValueError
            If no row has it.
        """
        if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
            return None
        if isinstance(value, str) and value in self._places:
            return value
        for read in (value, _like(self._first, value)):
            try:
                return self._by_value[read]
            except (KeyError, TypeError):  # lists have no hash
                continue
        raise ValueError(unknown(f"value of {of}", str(value), list(self.texts[:_COMPARED])))

    def mask(self, texts: Collection[str | None]) -> npt.NDArray[np.bool_]:
        """Rows whose value has one of these texts, shape (n,); None stands for a missing value."""
        chosen = np.zeros(self._count + 1, dtype=np.bool_)
        for text in texts:
            # The code of a missing value points at the last.
            chosen[[self._count] if text is None else self._places[text]] = True
        return np.asarray(chosen[self._codes])


def _text(value: Any) -> str:
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return str(value.date())
    return str(value)


def _like(model: Any, value: Any) -> Any:
    """Read a value as one of the same type as another; None where it cannot be."""
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
