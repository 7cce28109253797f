"""The table that is explained: rows, features, target, and values put in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.names import unknown
from uqwidgets.predictive.adapters import Predictive

Kind = Literal["numeric", "categorical"]


@dataclass(frozen=True)
class Segment:
    """A run of rows for the model, with one feature's values replaced, or none.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Positions of the rows that are asked.
    column : int or None
        Position of the replaced feature.
    donors : ndarray of shape (m,) or None
        Positions of the rows the replacement values come from.
    value : object
        The one replacement value, where there are no donors.
    """

    rows: npt.NDArray[np.intp]
    column: int | None = None
    donors: npt.NDArray[np.intp] | None = None
    value: Any = None

    def cut(self, start: int, stop: int) -> Segment:
        """Rows ``start`` to ``stop`` of this segment."""
        donors = None if self.donors is None else self.donors[start:stop]
        return Segment(self.rows[start:stop], self.column, donors, self.value)


class Table:
    """Features and target, checked once, never modified.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
    y : array-like of shape (n,)
    predictive : Predictive
        Decides which columns are wanted, in which order, and whether as a DataFrame.

    Attributes
    ----------
    features : tuple of str
        Names of the columns the model sees.
    y : ndarray of shape (n,)
        The target as given.
    target : str
        Its name.

    Raises
    ------
    ValueError
        If a wanted column is missing, names repeat, lengths differ, or y has missing values.
    """

    def __init__(self, X: Any, y: Any, predictive: Predictive) -> None:
        frame = _frame(X, predictive)
        self.features = tuple(str(c) for c in frame.columns)
        self._positions = {name: position for position, name in enumerate(self.features)}
        # Taken out once: pandas makes a new object each time.
        self._columns = [frame.iloc[:, position] for position in range(frame.shape[1])]
        self._kinds = [_kind(column) for column in self._columns]
        _check_names(self.features)
        self.y, self.target = _target(y, len(frame))
        self._frame = frame
        # A model fitted on bare arrays would warn about names at every call.
        texts = all(isinstance(c, str) for c in frame.columns)
        on_arrays = predictive.wanted is None and predictive.n_wanted is not None and texts
        named = isinstance(X, pd.DataFrame) or predictive.wanted is not None
        self._as_frame = named and not on_arrays
        dtypes = set(frame.dtypes)
        plain = len(dtypes) == 1 and all(isinstance(d, np.dtype) and d.kind == "f" for d in dtypes)
        self._matrix = frame.to_numpy() if plain else None

    def __len__(self) -> int:
        return len(self._frame)

    def index(self, feature: str) -> int:
        """Position of a feature.

        Raises
        ------
        ValueError
            If there is none of that name.
        """
        try:
            return self._positions[str(feature)]
        except KeyError:
            raise ValueError(unknown("feature", feature, list(self.features))) from None

    def kind(self, feature: str) -> Kind:
        """Whether a feature is a number or a category (bools, strings, dates)."""
        return self._kinds[self.index(feature)]

    def column(self, feature: str) -> pd.Series[Any]:
        """Values of a feature, with their own dtype."""
        return self._columns[self.index(feature)]

    def numbers(self, feature: str) -> npt.NDArray[np.float64]:
        """Values of a numeric feature as floats, shape (n,); missing ones are NaN.

        Raises
        ------
        ValueError
            If the feature is not numeric.
        """
        if self.kind(feature) != "numeric":
            raise ValueError(
                f"{feature!r} is categorical; this needs a numeric feature, one of "
                f"{', '.join(repr(f) for f in self.numeric[:6])}."
            )
        column = self.column(feature)
        if column.dtype == np.float64:
            return column.to_numpy()  # no copy
        return column.to_numpy(dtype=np.float64, na_value=np.nan)

    def target_numbers(self) -> npt.NDArray[np.float64]:
        """Return the target as floats, shape (n,).

        Raises
        ------
        ValueError
            If it is not made of finite numbers.
        """
        try:
            numbers = self.y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y holds {self.y.tolist()[0]!r}, which is no number, but the model predicts "
                "numbers; pass the target the model was fitted on."
            ) from None
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(f"y is {numbers[row]} in row {row}; drop this row from X and y.")
        return numbers

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the numeric features."""
        return tuple(f for f in self.features if self.kind(f) == "numeric")

    def stacked(self, segments: Sequence[Segment]) -> Any:
        """All segments below each other, as the model wants them: a DataFrame or an array."""
        rows = np.concatenate([s.rows for s in segments])
        if self._matrix is not None and all(_fits_floats(s.value) for s in segments):
            matrix = self._stacked_matrix(segments, rows)
            if not self._as_frame:
                return matrix
            return pd.DataFrame(matrix, columns=self._frame.columns, copy=False)
        columns = {
            position: self._stacked_column(position, segments, rows)
            for position in range(len(self.features))
        }
        block = pd.DataFrame(columns, copy=False)
        block.columns = self._frame.columns
        return block if self._as_frame else block.to_numpy()

    def _stacked_matrix(
        self, segments: Sequence[Segment], rows: npt.NDArray[np.intp]
    ) -> npt.NDArray[Any]:
        assert self._matrix is not None
        block = self._matrix[rows]
        start = 0
        for s in segments:
            stop = start + len(s.rows)
            if s.column is not None:
                block[start:stop, s.column] = (
                    s.value if s.donors is None else self._matrix[s.donors, s.column]
                )
            start = stop
        return block

    def _stacked_column(
        self, position: int, segments: Sequence[Segment], rows: npt.NDArray[np.intp]
    ) -> pd.Series[Any]:
        # Every new value is a look-up in a pool: the column itself, then the constants.
        column = self._columns[position]
        constants: list[Any] = []
        picked, start = rows, 0
        for s in segments:
            stop = start + len(s.rows)
            if s.column == position:
                if picked is rows:
                    picked = rows.copy()
                if s.donors is not None:
                    picked[start:stop] = s.donors
                else:
                    picked[start:stop] = len(column) + len(constants)
                    constants.append(s.value)
            start = stop
        pool = _with_constants(column, constants)
        return pool.take(picked).reset_index(drop=True)


def _frame(X: Any, predictive: Predictive) -> pd.DataFrame:
    wanted = predictive.wanted
    if not isinstance(X, pd.DataFrame):
        values = np.asarray(X)
        if values.ndim != 2:
            raise ValueError(f"X has shape {values.shape}; it must be (rows, features).")
        names = wanted if wanted is not None else tuple(f"x{j}" for j in range(values.shape[1]))
        if len(names) != values.shape[1]:
            raise ValueError(f"X has {values.shape[1]} columns; the model wants {len(names)}.")
        X = pd.DataFrame(values.copy(), columns=list(names)).infer_objects()
    elif wanted is not None:
        missing = [name for name in wanted if name not in X.columns]
        if missing:
            raise ValueError(
                f"X has no column {missing[0]!r}, which the model was fitted with"
                + (f" ({len(missing)} are missing in all)" if len(missing) > 1 else "")
                + "; pass the columns that the model was fitted on."
            )
        _check_names(tuple(str(c) for c in X.columns))
        X = X[list(wanted)]
    if predictive.n_wanted is not None and X.shape[1] != predictive.n_wanted:
        raise ValueError(f"X has {X.shape[1]} columns; the model wants {predictive.n_wanted}.")
    if len(X) == 0:
        raise ValueError("X has no rows; pass the rows that are to be explained.")
    return pd.DataFrame(X).reset_index(drop=True)


def _check_names(names: tuple[str, ...]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has more than one column named {twice!r}; rename one of them.")


def _target(y: Any, n: int) -> tuple[npt.NDArray[Any], str]:
    name = getattr(y, "name", None)
    values = np.array(y)  # a copy: a later change of y must not reach what is explained
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n:
        raise ValueError(f"y has shape {values.shape} but X has {n} rows; pass one value per row.")
    missing = pd.isna(values)
    if missing.any():
        raise ValueError(
            f"y is missing in {int(missing.sum())} of {n} rows (the first is row "
            f"{int(missing.argmax())}); drop these rows from X and y."
        )
    return values, "y" if name is None else str(name)


def _kind(column: pd.Series[Any]) -> Kind:
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    return "numeric" if numeric and not pd.api.types.is_bool_dtype(column.dtype) else "categorical"


def _fits_floats(value: Any) -> bool:
    return value is None or isinstance(value, (int, float, np.integer, np.floating))


def _with_constants(column: pd.Series[Any], constants: list[Any]) -> pd.Series[Any]:
    if not constants:
        return column
    more = pd.Series(constants)
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_float_dtype(column.dtype):
        more = more.astype(column.dtype)
    elif pd.api.types.is_integer_dtype(column.dtype):
        more = _as_integers(more, column)
    return pd.concat([column, more], ignore_index=True)


def _as_integers(values: pd.Series[Any], column: pd.Series[Any]) -> pd.Series[Any]:
    # A model may mind the width of its integers, but a value between them is a wish to keep.
    with np.errstate(invalid="ignore"):
        narrow = values.astype(np.int64).astype(column.dtype)
    return narrow if (narrow == values).all() else values
