"""An estimator and its table, without some of the columns.

Parameters that name columns, or have an entry per column, are adapted to the columns that remain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from uqwidgets.learner.loco_importance.copies import has_params, unfitted_copy

# Parameters of estimators and kernels that may have one entry, or one row, per column.
_PER_COLUMN = {
    "length_scale": 1,
    "length_scale_bounds": 2,
    "monotonic_cst": 1,
    "monotone_constraints": 1,
    "feature_types": 1,
    "feature_names": 1,
}
# Parameters that select columns.
_SELECTIONS = ("categorical_features", "cat_features", "text_features", "embedding_features")


def estimator_without(estimator: Any, labels: Sequence[Any], left_out: Sequence[int]) -> Any:
    """Clone of an estimator whose parameters no longer refer to some columns.

    A ColumnTransformer selects columns by name or position, and boosted trees, Gaussian processes
    and others have parameters with an entry per column. Without the column, the name would be
    unknown and the position would be that of another column.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator. It is not changed.
    labels : sequence of length p
        Names of the columns of the whole table.
    left_out : sequence of int
        Positions of the columns to leave out.

    Raises
    ------
    ValueError
        If a part selects columns by position after earlier steps made them, so that their origin
        is unknown; or if a part is frozen.
    """
    copy = unfitted_copy(estimator)
    table = _RemainingColumns(list(labels), frozenset(left_out))
    direct = {id(part) for part in _see_table(copy)}
    parts = [copy, *copy.get_params(deep=True).values()]
    for part in {id(part): part for part in parts if has_params(part)}.values():
        if isinstance(part, FrozenEstimator):
            # A copy shares what it holds, so that a fit would change the user's model.
            raise ValueError(f"{type(part).__name__} is frozen, and never fitted anew")
        changed = _changed(part, table, id(part) in direct)
        if changed:
            part.set_params(**changed)
    return copy


class _RemainingColumns:
    """Column names of a table, and the positions that are left out."""

    def __init__(self, labels: list[Any], left_out: frozenset[int]) -> None:
        self.labels = labels
        self.left_out = left_out

    def select(self, selection: Any, direct: bool) -> Any:
        """Translate a selection of columns: a name or position, a list or mask, or a slice."""
        if callable(selection):  # it selects among the columns that it is shown
            return selection
        if isinstance(selection, slice):
            selection = self._expand(selection)
        single = isinstance(selection, (str, int, np.integer))
        entries = [selection] if single else list(selection)
        remaining: list[Any]
        if all(isinstance(entry, str) for entry in entries):
            names = {self.labels[j] for j in self.left_out}
            remaining = [entry for entry in entries if entry not in names]
        elif not direct:
            raise ValueError(
                "selects columns by position from the output of other steps, so that the column to "
                "leave out is not known"
            )
        elif all(isinstance(entry, (bool, np.bool_)) for entry in entries):
            remaining = self.entries(entries)
        else:
            remaining = self.positions(entries)
        return remaining[0] if single and remaining else remaining

    def positions(self, selection: Sequence[int]) -> list[int]:
        """Positions of the same columns in the smaller table."""
        columns = [entry % len(self.labels) for entry in selection]
        return [
            column - sum(j < column for j in self.left_out)
            for column in columns
            if column not in self.left_out
        ]

    def entries(self, values: Sequence[Any]) -> list[Any]:
        """Entries of the columns that remain."""
        return [value for j, value in enumerate(values) if j not in self.left_out]

    def _expand(self, selection: slice) -> list[Any]:
        bounds = [selection.start, selection.stop]
        if not any(isinstance(bound, str) for bound in bounds):
            return list(range(len(self.labels)))[selection]
        start, stop = (None if bound is None else self.labels.index(bound) for bound in bounds)
        # A slice of names includes its last one, a slice of positions does not.
        return self.labels[slice(start, None if stop is None else stop + 1, selection.step)]


def _changed(part: Any, table: _RemainingColumns, direct: bool) -> dict[str, Any]:
    """Parameters of a part of the estimator that refer to columns, for the columns that remain."""
    changed: dict[str, Any] = {}
    try:
        if isinstance(part, ColumnTransformer):
            changed["transformers"] = [
                (name, transformer, table.select(selection, direct))
                for name, transformer, selection in part.transformers
            ]
        for name, value in part.get_params(deep=False).items():
            if value is None or isinstance(value, str):
                continue
            if name in _SELECTIONS:
                changed[name] = table.select(value, direct)
            elif name == "interaction_cst":
                changed[name] = [set(table.select(sorted(group), direct)) for group in value]
            elif name in _PER_COLUMN and isinstance(value, dict):
                names = {table.labels[j] for j in table.left_out}
                changed[name] = {key: entry for key, entry in value.items() if key not in names}
            elif name in _PER_COLUMN and _per_column(value, _PER_COLUMN[name], table):
                changed[name] = np.array(table.entries(value))
    except ValueError as error:
        raise ValueError(f"{type(part).__name__} {error}") from error
    return changed


def _per_column(value: Any, dimensions: int, table: _RemainingColumns) -> bool:
    return np.ndim(value) == dimensions and len(value) == len(table.labels)


def _see_table(estimator: Any) -> Iterator[Any]:
    """Yield the parts of an estimator whose input is the table itself."""
    yield estimator
    if isinstance(estimator, ColumnTransformer):
        return
    if isinstance(estimator, Pipeline):
        inner = [step for _, step in estimator.steps if has_params(step)][:1]
    else:
        inner = []
        for value in estimator.get_params(deep=False).values():
            several = isinstance(value, (list, tuple))
            named = [one[1] for one in value if _is_named(one)] if several else [value]
            inner += [one for one in named if has_params(one)]
    for part in inner:
        yield from _see_table(part)


def _is_named(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) > 1
