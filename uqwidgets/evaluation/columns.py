"""Columns: named columns of a table with their kind, their values as texts, and their span."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.dtypes import is_time, nested_type
from uqwidgets._utils.unicode import invalid_text
from uqwidgets.evaluation.dataframes import to_pandas
from uqwidgets.evaluation.labels import ColumnLabels
from uqwidgets.evaluation.objects import Objects

ColumnKind = Literal["numeric", "categorical"]
# Types of columns, as pandas infers them, that hold hashable values only. To infer the type takes
# a fifth of the time of hashing every value.
_HASHABLE = {"string", "bytes", "boolean", "integer", "floating", "mixed-integer-float"}
_HASHABLE |= {"decimal", "date", "datetime"}


class Span(NamedTuple):
    """Lowest and highest finite value, NaN if there is none, and whether all values are finite."""

    low: float
    high: float
    all_finite: bool


class Columns:
    """Named columns of the same rows.

    Parameters
    ----------
    frame : DataFrame of shape (n, p)
        Not copied.
    noun : str, default="feature"
        What one of them is called in error messages.

    Attributes
    ----------
    names : tuple of str

    Raises
    ------
    ValueError
        If names repeat, or a column holds values that cannot be compared, counted or sorted.
    """

    def __init__(self, frame: pd.DataFrame, noun: str = "feature") -> None:
        self.names = tuple(str(c) for c in frame.columns)
        self._noun = noun
        self._positions = {name: position for position, name in enumerate(self.names)}
        # Extracted once, because pandas makes a new Series at every access.
        self._columns = [column for _, column in frame.items()]
        read = {j: Objects.of(column) for j, column in enumerate(self._columns)}
        self._objects = {j: objects for j, objects in read.items() if objects is not None}
        for j, objects in self._objects.items():
            self._columns[j] = objects.numbers
        self._kinds = [_kind(column) for column in self._columns]
        check_names(self.names, "X" if noun == "feature" else "extra")
        _check_values(self._columns)
        self._labels: dict[str, ColumnLabels] = {}
        self._missing: dict[str, int] = {}
        self._spans: dict[str, Span] = {}
        self._n = len(frame)

    def __len__(self) -> int:
        return self._n

    def __contains__(self, name: object) -> bool:
        return str(name) in self._positions

    def index(self, feature: str) -> int:
        """Position of a column.

        Raises
        ------
        ValueError
            If none has this name.
        """
        try:
            return self._positions[str(feature)]
        except KeyError:
            raise ValueError(unknown(self._noun, feature, list(self.names))) from None

    def kind(self, feature: str) -> ColumnKind:
        """Whether a column holds numbers or categories (bools, strings, dates)."""
        return self._kinds[self.index(feature)]

    def holds_dates(self, feature: str) -> bool:
        """Whether a column holds points in time, by its dtype."""
        return is_time(self.column(feature).dtype)

    def column(self, feature: str) -> pd.Series[Any]:
        """Values of a column, with their own dtype; numbers among objects as numbers."""
        return self._columns[self.index(feature)]

    def exact_column(self, feature: str) -> pd.Series[Any]:
        """Values of a column as the model gets them, objects included.

        Values that are the same number may differ there: None and NaN, 1 and Decimal(1).
        """
        objects = self._objects.get(self.index(feature))
        return self.column(feature) if objects is None else objects.column

    def labels(self, feature: str) -> ColumnLabels:
        """Distinct values of a column as texts, computed once."""
        name = self.names[self.index(feature)]
        if name not in self._labels:
            self._labels[name] = ColumnLabels.of(self.column(name))
        return self._labels[name]

    def missing(self, feature: str) -> int:
        """Return the number of rows with a missing value of a column."""
        name = self.names[self.index(feature)]
        if name not in self._missing:
            is_complete = self.kind(name) == "numeric" and self.span(name).all_finite
            self._missing[name] = 0 if is_complete else int(self.column(name).isna().sum())
        return self._missing[name]

    def span(self, feature: str) -> Span:
        """Return the lowest and highest finite value of a numeric column, computed once.

        Raises
        ------
        ValueError
            If the column is not numeric.
        """
        name = self.names[self.index(feature)]
        if name not in self._spans:
            # A column of a table of rows is copied faster than it is read twice.
            numbers = np.ascontiguousarray(self.numbers(name))
            low, high = float(numbers.min()), float(numbers.max())
            # NaN and infinities reach one of the two, so that finite columns need no mask.
            all_finite = bool(np.isfinite(low) and np.isfinite(high))
            if not all_finite:
                finite = numbers[np.isfinite(numbers)]
                low, high = (
                    (float(finite.min()), float(finite.max())) if len(finite) else (np.nan, np.nan)
                )
            self._spans[name] = Span(low, high, all_finite)
        return self._spans[name]

    def numbers(self, feature: str) -> npt.NDArray[np.float64]:
        """Values of a numeric column as floats, shape (n,); missing ones are NaN.

        Raises
        ------
        ValueError
            If the column is not numeric.
        """
        if self.kind(feature) != "numeric":
            known = ", ".join(repr(f) for f in self.numeric[:6])
            raise ValueError(
                f"{feature!r} is categorical; this needs a numeric {self._noun}"
                + (f", one of {known}." if known else ", and there is none (see the dtypes).")
            )
        column = self.column(feature)
        if column.dtype == np.float64:
            numbers = column.to_numpy().view()  # no copy
            numbers.flags.writeable = False
            return numbers
        return column.to_numpy(dtype=np.float64, na_value=np.nan)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the numeric columns."""
        return tuple(f for f in self.names if self.kind(f) == "numeric")


def extra_columns(extra: Any, X: Any, features: Columns) -> Columns:
    """Return columns that are not features, in the order of the rows of X.

    Parameters
    ----------
    extra : DataFrame (see `to_pandas`), Series, mapping of str to array-like, or None
        Where X is a DataFrame with the same labels of rows in another order, rows are matched by
        their labels; so they are where X has labels of its own and all of them are among those of
        ``extra``. Otherwise rows are matched by position.
    X : object
        What the features were read from.
    features : Columns
        The features; they and the extra columns have different names.

    Raises
    ------
    ValueError
        If the number of rows differs, or a name is that of a feature.
    """
    if extra is None:
        return Columns(pd.DataFrame(index=range(len(features))), "extra column")
    if isinstance(extra, pd.Series):
        extra = extra.to_frame("extra" if extra.name is None else extra.name)
    elif isinstance(extra, dict):
        try:
            extra = pd.DataFrame(extra)
        except ValueError as error:
            raise ValueError(f"extra cannot be read as a table: {error}.") from None
    frame = to_pandas(extra)
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(
            f"extra is of type {type(extra).__name__}; pass a DataFrame with a row for each row of "
            "X."
        )
    if isinstance(X, pd.DataFrame) and _has_rows_of(frame.index, X.index):
        frame = frame.loc[X.index]
    if len(frame) != len(features):
        raise ValueError(
            f"extra has {len(frame):,} rows but X has {len(features):,}; pass a row for each row "
            "of X, in the same order or with the same index."
        )
    double = next((str(c) for c in frame.columns if c in features), None)
    if double is not None:
        raise ValueError(
            f"extra has a column {double!r}, which is a feature already; leave it out or rename it."
        )
    # A deep copy, because pandas may share memory with the user's table, which may change later.
    return Columns(frame.reset_index(drop=True).copy(), "extra column")


def _has_rows_of(index: pd.Index[Any], rows: pd.Index[Any]) -> bool:
    """Whether an index identifies the rows of another; equal ones need no reordering."""
    if index.equals(rows) or not (index.is_unique and rows.is_unique):
        return False
    if len(index) == len(rows):
        return bool(rows.isin(index).all())
    # The labels 0, 1, 2, ... may be mere positions.
    return not rows.equals(pd.RangeIndex(len(rows))) and bool(rows.isin(index).all())


def check_names(names: tuple[str, ...], table: str = "X") -> None:
    """Raise a ValueError if names of a table's columns repeat or are not valid Unicode."""
    invalid = invalid_text(names)
    if invalid is not None:
        raise ValueError(f"the column name {invalid!r} is not valid Unicode; rename the column.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{table} has more than one column named {twice!r}; rename one of them.")


def _check_values(columns: Sequence[pd.Series[Any]]) -> None:
    """Raise an error if a column holds values that cannot be compared, counted or sorted."""
    for column in columns:
        if column.dtype.kind == "c":
            raise ValueError(
                f"column {str(column.name)!r} holds complex numbers; pass their real and imaginary "
                "parts as two columns."
            )
        nested = nested_type(column.dtype)
        if nested is not None:
            raise ValueError(
                f"column {str(column.name)!r} holds a {nested} in each row; a feature needs a "
                "single value per row."
            )
        is_coded = isinstance(column.dtype, pd.CategoricalDtype)
        check_texts(column.cat.categories if is_coded else column, f"column {str(column.name)!r}")
        if column.dtype != object or pd.api.types.infer_dtype(column) in _HASHABLE:
            continue
        values = column.tolist()
        try:
            deque(map(hash, values), maxlen=0)
        except TypeError as error:
            row = next(row for row, value in enumerate(values) if not _is_hashable(value))
            raise ValueError(
                f"column {str(column.name)!r} holds a {type(values[row]).__name__} in row {row}; a "
                "feature needs a single value per row."
            ) from error


def check_texts(values: Any, what: str) -> None:
    """Raise a ValueError if a text in an array, Index or Series is not valid Unicode."""
    may_be = getattr(values.dtype, "kind", "O") in "OU" and values.dtype != "str"
    invalid = invalid_text(values.tolist()) if may_be else None
    if invalid is not None:
        raise ValueError(f"{what} holds {invalid!r}, which is not valid Unicode; replace it.")


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _kind(column: pd.Series[Any]) -> ColumnKind:
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    return "numeric" if numeric and not pd.api.types.is_bool_dtype(column.dtype) else "categorical"
