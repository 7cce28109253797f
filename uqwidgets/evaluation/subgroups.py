"""Subgroups of rows that are alike in all but some features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from uqwidgets._typing import Floats
from uqwidgets.evaluation.table import Table

# A subgroup of fewer rows offers too few values to draw from.
_SMALLEST = 20
_MOST = 32


@dataclass(frozen=True, eq=False)
class Subgroups:
    """A partition of the rows, within which a feature's values may move.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Which subgroup each row is in, from 0.
    separation : float
        Share of the feature's variance that lies between the subgroups (R2): 1 where they tell
        all about it, 0 where they tell nothing. For categories, of their indicators.
    """

    codes: npt.NDArray[np.intp]
    separation: float

    @property
    def sizes(self) -> npt.NDArray[np.intp]:
        """Rows of each subgroup, shape (g,)."""
        return np.bincount(self.codes)


def subgroups_of(table: Table, columns: tuple[int, ...]) -> Subgroups:
    """Leaves of a tree that predicts some features from all the others.

    Within a leaf the features are as good as independent of the others, as far as the tree
    can tell; so values that move within it make rows that might have been observed (Wood et al.
    2024, section 2.3). The tree has at most 32 leaves of at least 20 rows.

    Parameters
    ----------
    table : Table
    columns : tuple of int
        Positions of the features that move; none for a single group of all rows.
    """
    n = len(table)
    # By name: of splits that are equally good a tree takes one by the order of its columns, which
    # is not to change with that of the table.
    others = sorted(name for j, name in enumerate(table.features) if j not in columns)
    if not columns or not others:
        return Subgroups(np.zeros(n, dtype=np.intp), 0.0)
    moving = sorted(table.features[column] for column in columns)
    moved = np.hstack([_responses(table, name) for name in moving])
    known = np.column_stack([_ordered(table, name) for name in others])
    tree = DecisionTreeRegressor(
        max_leaf_nodes=_MOST, min_samples_leaf=min(_SMALLEST, max(1, n // 2)), random_state=0
    ).fit(known, moved)
    codes = np.unique(tree.apply(known), return_inverse=True)[1]
    means = np.stack([np.bincount(codes, column) for column in moved.T]) / np.bincount(codes)
    total = _spread(moved)
    within = float(np.square(moved - means[:, codes].T).sum())
    return Subgroups(codes, 1 - within / total if total else 0.0)


def _responses(table: Table, feature: str) -> Floats:
    """Give what the tree is to tell: the standardised number, or an indicator per category."""
    if table.kind(feature) == "categorical":
        found = pd.get_dummies(table.column(feature), dummy_na=True).to_numpy(dtype=np.float64)
    else:
        numbers = table.numbers(feature)
        finite = np.isfinite(numbers)
        found = np.where(finite, numbers, numbers[finite].mean() if finite.any() else 0.0)[:, None]
    scale = np.sqrt(_spread(found) / len(found))
    return np.asarray((found - found.mean(axis=0)) / (scale or 1.0))


def _ordered(table: Table, feature: str) -> Floats:
    """Numbers that a tree can split: categories as codes, missing values as such."""
    if table.kind(feature) == "numeric":
        # Trees see the order of values only, and hold them in single precision.
        limit = float(np.finfo(np.float32).max)
        return np.clip(table.numbers(feature), -limit, limit)
    codes, _ = pd.factorize(table.column(feature), sort=False)
    return np.where(codes < 0, np.nan, codes).astype(np.float64)


def _spread(values: Floats) -> float:
    return float(np.square(values - values.mean(axis=0)).sum())
