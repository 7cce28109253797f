"""Table: the rows to explain, with features, groups of features and the target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Positions
from uqwidgets._utils.choices import as_names, unknown
from uqwidgets._utils.masks import refuse_masked
from uqwidgets._utils.options import brief
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.columns import Columns, check_names, check_texts
from uqwidgets.evaluation.containers import Container, container_of
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import Population
from uqwidgets.plotting.text import counted, counted_rows
from uqwidgets.predictive.adapters import Predictive


class Table(Columns):
    """Features and target, validated once, never modified.

    Parameters
    ----------
    X : DataFrame (see `container_of`) or array-like of shape (n, p)
    y : array-like of shape (n,) or None
    predictive : Predictive
        Determines the columns, their order, and whether the model expects a DataFrame.
    groups : mapping of str to sequence of str, optional
        Features that move together, by the name of their group.

    Attributes
    ----------
    features : tuple of str
        Names of the columns the model sees.
    groups : dict of str to tuple of str
    groups_and_features : tuple of str
        Names that importance is computed for: the groups, and every feature in no group.
    target : str
        Name of the target; empty without one.
    row_labels : Index of length n
        Labels of the rows in X; positions where X has none.
    row_groups : RowGroups or None
        Rows that belong together; None if each row is independent of all others.
    time_order : ndarray of shape (n,) or None
        Positions of the rows in the order of time; None if there is none.
    time : Series of length n or None
        The numbers or dates of this order, with the name of their column, or without a name.
    remarks : tuple of Remark
        What a reader of results should know about these groups.
    target_remarks : tuple of Remark
        Whether the target has another name than the one it came with.

    Raises
    ------
    ValueError
        If a column of the model is missing, names repeat, lengths differ, or y has missing
        values; if a group is empty, names an unknown feature, or has the name of a feature.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        predictive: Predictive,
        groups: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._is_labelled = isinstance(X, pd.DataFrame)
        chosen = _chosen(X, predictive)
        frame = chosen.frame()
        super().__init__(frame.reset_index(drop=True))
        self.features = self.names
        self.row_labels = frame.index
        self.check_order(y, "y")
        self._y: npt.NDArray[Any] | None = None
        self.target = ""
        self.target_remarks: tuple[Remark, ...] = ()
        if y is not None:
            self._y, named = _target(y, len(chosen))
            self.target = _free_name(named, self.names)
            if named != self.target:
                self.target_remarks = (_remark_on_name(named, self.target),)
        if groups is not None and not isinstance(groups, Mapping):
            raise ValueError(
                f"feature_groups is {brief(groups)}; pass a dict from names to lists of features."
            )
        as_names([*(groups or {})] or [""], "feature_groups")
        self.groups = {str(g): self._members(str(g), of) for g, of in (groups or {}).items()}
        self._check_overlap()
        self.groups_and_features = self._groups_and_features()
        self.row_groups: RowGroups | None = None
        self.time_order: Positions | None = None
        self.time: pd.Series[Any] | None = None
        self.remarks: tuple[Remark, ...] = ()
        self._container = _as_fitted(chosen, predictive)

    def population(self, sample_weight: Any = None, rows: Any = None) -> Population:
        """Return the population of weights and rows that a user passes, see `Population.of`.

        Raises
        ------
        ValueError
            If they are invalid, or have the index of X in another order.
        """
        self.check_order(sample_weight, "sample_weight")
        if getattr(rows, "dtype", None) in (np.dtype(bool), pd.BooleanDtype()):
            self.check_order(rows, "rows")
        return Population.of(len(self), sample_weight, rows, self.row_groups)

    @property
    def size(self) -> str:
        """Number of rows in words, with what they belong to."""
        return counted_rows(len(self), self.row_groups)

    def check_order(self, values: Any, name: str) -> None:
        """Raise an error if values have the index of X in another order: rows match by position."""
        if self._is_labelled:
            check_order(values, name, self.row_labels)

    @property
    def has_target(self) -> bool:
        """Whether the true target is known."""
        return self._y is not None

    @property
    def y(self) -> npt.NDArray[Any]:
        """The target in the form that the user passed, shape (n,).

        Raises
        ------
        ValueError
            If it is not known.
        """
        self.require_target("this")
        assert self._y is not None
        return self._y

    def require_target(self, what: str) -> None:
        """Raise a ValueError, which says what needs the true target, if it is not known."""
        if self._y is None:
            raise ValueError(f"{what} needs y; pass it to Explainer.")

    def columns_of(self, feature: str) -> tuple[int, ...]:
        """Positions of a feature, or of the features of a group.

        Raises
        ------
        ValueError
            If neither a feature nor a group has this name.
        """
        members = self.groups.get(str(feature))
        if members is None and str(feature) not in self._positions:
            raise ValueError(unknown("feature", feature, [*self.groups, *self.features]))
        return tuple(self._positions[name] for name in members or (str(feature),))

    def named_features(self, features: Sequence[str] | None = None) -> list[str]:
        """Return the names of features and groups, by default `groups_and_features`.

        Raises
        ------
        ValueError
            If a name does not exist.
        """
        if features is None:
            return list(self.groups_and_features)
        names = as_names(features)
        for name in names:
            self.columns_of(name)
        return [str(name) for name in names]

    def target_numbers(self) -> npt.NDArray[np.float64]:
        """Return the target as floats, shape (n,).

        Raises
        ------
        ValueError
            If it holds anything but finite numbers.
        """
        try:
            if self.y.dtype.kind in "mMc":  # dates and complex numbers would convert too
                raise TypeError
            numbers = self.y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y holds {self.y.tolist()[0]!r}, which is not a number, but the model predicts "
                "numbers; pass the target the model was fitted on."
            ) from None
        if not np.isfinite(numbers).all():
            row = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(f"y is {numbers[row]} in row {row}; drop this row from X and y.")
        return numbers

    def _members(self, group: str, features: Sequence[str]) -> tuple[str, ...]:
        if isinstance(features, (str, bytes, Mapping, set, frozenset)) or not isinstance(
            features, Iterable
        ):
            raise ValueError(f"group {group!r} is {brief(features)}; give a list of features.")
        if group in self._positions:
            raise ValueError(f"group {group!r} has the name of a feature; give it another name.")
        if isinstance(features, Sized) and len(features) == 0:
            raise ValueError(f"group {group!r} is empty; name its features.")
        names = as_names(features, f"group {group!r}")
        return tuple(self.features[self.index(f)] for f in names)

    def _check_overlap(self) -> None:
        """Raise a ValueError if a feature is in two groups."""
        group_of: dict[str, str] = {}
        for group, members in self.groups.items():
            for name in members:
                if group_of.setdefault(name, group) != group:
                    raise ValueError(
                        f"feature_groups has {name!r} in the groups {group_of[name]!r} and "
                        f"{group!r}; leave it out of one of them."
                    )

    def _groups_and_features(self) -> tuple[str, ...]:
        # A group has the place of the first of its features.
        grouped = {name for members in self.groups.values() for name in members}
        alone = [name for name in self.features if name not in grouped]
        return tuple(
            sorted([*self.groups, *alone], key=lambda feature: min(self.columns_of(feature)))
        )

    def unchanged(self, block: RowBlock) -> npt.NDArray[np.intp]:
        """Return positions in a block of the rows whose replaced values equal their own."""
        if block.donors is not None:
            return np.flatnonzero(block.donors == block.positions)
        rows = (
            slice(block.rows.start, block.rows.stop)
            if isinstance(block.rows, range)
            else block.rows
        )
        same = np.full(len(block.rows), bool(block.columns))
        for column, value in zip(block.columns, block.values, strict=True):
            if column in self._objects:
                return np.empty(0, dtype=np.intp)
            whole = self._columns[column]
            if isinstance(whole.dtype, np.dtype) and whole.dtype.kind in "biuf":
                same &= whole.to_numpy()[rows] == value
                continue
            own = whole.iloc[rows]
            if own.dtype == object:
                # A model may distinguish values that are equal in Python, but not equal strings.
                if type(value) is not str:
                    return np.empty(0, dtype=np.intp)
                equal = (type(each) is str and each == value for each in own.to_numpy())
                same &= np.fromiter(equal, np.bool_, len(own))
                continue
            same &= (own == value).to_numpy(dtype=np.bool_, na_value=False)
        return np.flatnonzero(same)

    def stacked(self, blocks: Sequence[RowBlock]) -> Any:
        """Return all blocks below each other, in the container that the model gets."""
        if self._objects:
            blocks = [self._with_objects(block) for block in blocks]
        return self._container.batch(blocks)

    def _with_objects(self, block: RowBlock) -> RowBlock:
        """Return a block whose constants are of the kind of their column of objects."""
        columns = [self._objects.get(column) for column in block.columns]
        if block.donors is not None or not any(columns):
            return block
        values = zip(columns, block.values, strict=True)
        return block._replace(values=tuple(v if own is None else own.own(v) for own, v in values))


def check_order(values: Any, name: str, row_labels: pd.Index[Any]) -> None:
    """Raise an error if values have these labels of rows in another order."""
    if not isinstance(values, (pd.Series, pd.DataFrame)) or len(values) != len(row_labels):
        return
    own, other = row_labels, values.index
    if own.equals(other) or not (own.is_unique and other.is_unique):
        return
    # Sets, because labels of mixed types cannot be sorted.
    if set(own) == set(other):
        raise ValueError(
            f"{name} has the index of X in another order, and rows are matched by position; "
            f"pass {name}.loc[X.index]."
        )


def _chosen(X: Any, predictive: Predictive) -> Container:
    """Return the columns of a table that the model was fitted on."""
    table, fitted = container_of(X), predictive.columns
    by_position = fitted.of_array or isinstance(table.table, np.ndarray)
    if isinstance(table.table, np.ndarray):
        if fitted.required is not None:
            if len(fitted.required) != len(table.labels):
                raise ValueError(_wrong_width(len(table.labels), len(fitted.required)))
            table = container_of(_named(table, fitted.required))
    elif fitted.names is not None:
        places = {label: place for place, label in enumerate(table.labels)}
        columns = fitted.among(table.labels)
        check_names(tuple(map(str, table.labels)))
        table = table.columns([places[column] for column in columns])
    # More columns are the model's business, which may take what it needs by name.
    width, count = len(table.labels), fitted.count
    if count is not None and (width < count or (by_position and width > count)):
        raise ValueError(_wrong_width(width, count))
    if len(table.labels) == 0:
        raise ValueError("X has no columns; pass the features that are to be explained.")
    if len(table) == 0:
        raise ValueError("X has no rows; pass the rows that are to be explained.")
    return table.owned()


def _named(array: Container, names: tuple[Any, ...]) -> pd.DataFrame:
    """Return an array as the DataFrame that a model with names of columns was fitted on."""
    frame = array.frame().set_axis(list(names), axis=1)
    # Such a model may refuse numbers of dtype object; other types would lose None, or be texts of
    # another type.
    for name, column in frame.infer_objects().items():
        if not (isinstance(column.dtype, pd.StringDtype) or column.hasnans):
            frame[name] = column
    return frame


def _as_fitted(chosen: Container, predictive: Predictive) -> Container:
    """Return the container that the model gets: an array if it was fitted on one."""
    # By the convention of scikit-learn, a model that was fitted on a DataFrame with texts as names
    # knows them; one that was fitted on an array warns about names at every call.
    texts = all(isinstance(label, str) for label in chosen.labels)
    if predictive.columns.of_array and texts and isinstance(chosen.table, pd.DataFrame):
        return container_of(chosen.table.to_numpy(copy=True))
    return chosen


def _wrong_width(width: int, expected: int) -> str:
    return (
        f"X has {counted(width, 'column')}, but the model was fitted on {expected:,}; pass the "
        "columns that the model was fitted on."
    )


def _target(y: Any, n: int) -> tuple[npt.NDArray[Any], str]:
    name = getattr(y, "name", None)
    refuse_masked(y, "y", "leave these rows out of X and y")
    values = np.array(y)  # a copy, so that a later change of y does not reach the table
    values.flags.writeable = False
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n:
        raise ValueError(f"y has shape {values.shape} but X has {n} rows; pass one value per row.")
    if values.dtype.kind == "V":
        raise ValueError("y holds several values in each row; pass one value per row.")
    check_texts(values, "y")
    missing = pd.isna(values)
    if missing.any():
        raise ValueError(
            f"y is missing in {int(missing.sum())} of {n} rows (the first is row "
            f"{int(missing.argmax())}); drop these rows from X and y."
        )
    return values, "y" if name is None else str(name)


def _free_name(name: str, features: Sequence[str]) -> str:
    """Return the name of the target, or another one where a feature has it.

    pandas keeps the name of a column through arithmetic, as in ``X["age"] + noise``.
    """
    return next(one for one in (name, "target", "true target", "y", "") if one not in features)


def _remark_on_name(name: str, target: str) -> Remark:
    text = (
        f"y has the name of the feature {name!r}, so it is called {target!r} here; rename y to "
        "choose another name"
    )
    return Remark("target-named-as-a-feature", text)
