"""An estimator and its table, without some of the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

# Parameters of estimators and kernels that may have an entry, or a line, for each column.
_PER_COLUMN = {"length_scale": 1, "length_scale_bounds": 2, "monotonic_cst": 1}


def columns_without(X: Any, left_out: Sequence[int]) -> Any:
    """Return a DataFrame or an array without the columns at these positions."""
    if isinstance(X, pd.DataFrame):
        return X.drop(columns=X.columns[list(left_out)])
    return np.delete(X, list(left_out), axis=1)


def estimator_without(estimator: Any, labels: Sequence[Any], left_out: Sequence[int]) -> Any:
    """Copy of an estimator, not fitted, that no longer speaks of some columns.

    A ColumnTransformer picks columns by name or by position, and boosted trees, Gaussian processes
    and others have parameters with an entry per column: without its column a name is unknown,
    and a position is that of another column.

    Parameters
    ----------
    estimator : object
        An estimator of scikit-learn's kind. It is not changed.
    labels : sequence of length p
        Names of the columns it was made for.
    left_out : sequence of int
        Positions of those that it does without.

    Raises
    ------
    ValueError
        If a part counts columns that earlier steps made, which leaves open which are meant; or
        if one is frozen.
    """
    copy = clone(estimator)
    table = _Columns(list(labels), frozenset(left_out))
    facing = {id(part) for part in _facing(copy)}
    parts = [copy, *copy.get_params(deep=True).values()]
    for part in {id(part): part for part in parts if _has_params(part)}.values():
        if isinstance(part, FrozenEstimator):
            # Nor is it copied: what is within belongs to who made it.
            raise ValueError(f"{type(part).__name__} is frozen, and never fitted anew")
        changed = _changed(part, table, id(part) in facing)
        if changed:
            part.set_params(**changed)
    return copy


class _Columns:
    """Columns of a table, and those among them that are left out."""

    def __init__(self, labels: list[Any], left_out: frozenset[int]) -> None:
        self.labels = labels
        self.left_out = left_out

    def kept(self, picked: Any, facing: bool) -> Any:
        """Translate a choice of columns: a name or position, a list or mask, or a slice."""
        if callable(picked):  # it will look at the columns that are there
            return picked
        if isinstance(picked, slice):
            picked = self._spelled_out(picked)
        single = isinstance(picked, (str, int, np.integer))
        choice = [picked] if single else list(picked)
        if all(isinstance(one, str) for one in choice):
            gone = {self.labels[j] for j in self.left_out}
            found = [one for one in choice if one not in gone]
        elif not facing:
            raise ValueError(
                "picks columns by position after other steps made them, so that it is open which "
                "one goes"
            )
        elif all(isinstance(one, (bool, np.bool_)) for one in choice):
            found = self.entries(choice)
        else:
            found = self.positions(choice)
        return found[0] if single and found else found

    def positions(self, choice: Sequence[int]) -> list[int]:
        """Positions after the others have closed up."""
        counted = [one % len(self.labels) for one in choice]
        return [
            one - sum(j < one for j in self.left_out) for one in counted if one not in self.left_out
        ]

    def entries(self, values: Sequence[Any]) -> list[Any]:
        """Entries of the columns that are kept."""
        return [value for j, value in enumerate(values) if j not in self.left_out]

    def _spelled_out(self, picked: slice) -> list[Any]:
        ends = [picked.start, picked.stop]
        if not any(isinstance(end, str) for end in ends):
            return list(range(len(self.labels)))[picked]
        start, stop = (None if end is None else self.labels.index(end) for end in ends)
        # Unlike positions, names include the last.
        return self.labels[slice(start, None if stop is None else stop + 1, picked.step)]


def _changed(part: Any, table: _Columns, facing: bool) -> dict[str, Any]:
    """Parameters of a part of the estimator that speak of columns, without those left out."""
    found: dict[str, Any] = {}
    try:
        if isinstance(part, ColumnTransformer):
            found["transformers"] = [
                (name, transformer, table.kept(picked, facing))
                for name, transformer, picked in part.transformers
            ]
        for name, value in part.get_params(deep=False).items():
            if value is None or isinstance(value, str):
                continue
            if name == "categorical_features":
                found[name] = table.kept(value, facing)
            elif name == "interaction_cst":
                found[name] = [set(table.kept(sorted(group), facing)) for group in value]
            elif name in _PER_COLUMN and isinstance(value, dict):
                gone = {table.labels[j] for j in table.left_out}
                found[name] = {key: one for key, one in value.items() if key not in gone}
            elif name in _PER_COLUMN and _per_column(value, _PER_COLUMN[name], table):
                found[name] = np.array(table.entries(value))
    except ValueError as error:
        raise ValueError(f"{type(part).__name__} {error}") from error
    return found


def _per_column(value: Any, dimensions: int, table: _Columns) -> bool:
    return np.ndim(value) == dimensions and len(value) == len(table.labels)


def _facing(estimator: Any) -> Iterator[Any]:
    """Find the parts of an estimator that are given the table's own columns."""
    yield estimator
    if isinstance(estimator, ColumnTransformer):
        return
    if isinstance(estimator, Pipeline):
        inner = [step for _, step in estimator.steps if _has_params(step)][:1]
    else:
        inner = []
        for value in estimator.get_params(deep=False).values():
            several = isinstance(value, (list, tuple))
            named = [one[1] for one in value if _is_named(one)] if several else [value]
            inner += [one for one in named if _has_params(one)]
    for part in inner:
        yield from _facing(part)


def _has_params(part: Any) -> bool:
    return hasattr(part, "get_params") and not isinstance(part, type)


def _is_named(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) > 1
