"""What of a table can be stressed: numeric columns, and the share of each category."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.table import Table
from uqwidgets.stress.anchors import Anchor, checked_wishes
from uqwidgets.stress.projection import Column

# Each category is a column of its own over all rows, and a person reads no more of them.
MOST_CATEGORIES = 50


@dataclass(frozen=True, eq=False)
class Stressed:
    """A column whose mean, or a category whose share, is moved.

    Attributes
    ----------
    name : str
        The feature, or ``feature=category``.
    column : Column
        Of the rows that are kept.
    kept : ndarray of shape (m,) or None
        Positions of the chosen rows with a value; None for all of the table.
    rows : ndarray of shape (r,) or None
        Positions of the chosen rows, whose population is stressed; None for all.
    """

    name: str
    column: Column
    kept: npt.NDArray[np.intp] | None
    rows: npt.NDArray[np.intp] | None = None

    def spread(self, weights: Floats, n: int) -> Floats:
        """Weights of all ``n`` rows, mean 1, from those of the kept ones.

        The chosen rows weigh as much together as without stress. The others keep weight 1: as
        donors they are what they were.
        """
        if self.kept is None:
            return weights
        everywhere = np.zeros(n)
        if self.rows is None:
            chosen = n
        else:
            chosen = len(self.rows)
            everywhere += 1
            everywhere[self.rows] = 0
        everywhere[self.kept] = weights * (chosen / len(weights))
        return everywhere

    def scored(self, score: Callable[[Floats], float], n: int) -> Callable[[Floats], float]:
        """Turn a score of weights of all ``n`` rows into one of those of the kept ones."""
        kept = self.kept
        if kept is None:
            return score

        def of_rows(weights: Floats) -> float:
            everywhere = np.zeros(n)
            everywhere[kept] = weights * (n / len(weights))
            return score(everywhere)

        return of_rows


def stressed(
    table: Table,
    feature: str,
    alpha: float,
    anchor: str = "quantile",
    missing: str = "error",
    rows: npt.NDArray[np.intp] | None = None,
) -> list[Stressed]:
    """Return what there is to stress of a feature: one column, or one for each category.

    Of more than `MOST_CATEGORIES` categories, the most frequent (see `categories_left_out`).

    Parameters
    ----------
    table : Table
    feature : str
    alpha : float
        Between 0 and 0.5.
    anchor : {"quantile", "tail-mean"}
        See `uqwidgets.stress.anchors.Anchors`.
    missing : {"error", "drop"}
        What to do about rows without a value.
    rows : ndarray of shape (r,), optional
        Positions of the rows whose population is stressed, mean and quantiles included.

    Raises
    ------
    ValueError
        If an argument cannot be, or values are missing and not to be dropped.
    """
    kind = checked_wishes(alpha, anchor, missing)
    with_value = _rows_with_value(table, feature, missing, rows)
    if table.kind(feature) == "numeric":
        return [_of_numbers(table, feature, alpha, kind, with_value, rows)]
    categories = _categories(table, feature, with_value)
    codes, labels = pd.factorize(categories)
    # Of equally frequent ones, the first in the table.
    frequent = np.argsort(-np.bincount(codes), kind="stable")[:MOST_CATEGORIES]
    return [
        _of_category(feature, categories, label, alpha, kind, with_value, rows)
        for label in sorted(labels[frequent], key=str)
    ]


def stressed_one(
    table: Table,
    feature: str,
    category: object | None,
    alpha: float,
    anchor: str = "quantile",
    missing: str = "error",
    rows: npt.NDArray[np.intp] | None = None,
) -> Stressed:
    """Return the one column that is meant: a feature's, or that of one of its categories.

    Raises
    ------
    ValueError
        As in `stressed`; or if a category is wanted and not named, or the other way round.
    """
    kind = checked_wishes(alpha, anchor, missing)
    with_value = _rows_with_value(table, feature, missing, rows)
    if table.kind(feature) == "numeric":
        if category is not None:
            raise ValueError(f"{feature!r} is numeric; stress it without a category.")
        return _of_numbers(table, feature, alpha, kind, with_value, rows)
    categories = _categories(table, feature, with_value)
    labels = {str(label): label for label in sorted(categories.unique(), key=str)}
    if category is None:
        raise ValueError(
            f"{feature!r} is categorical; say which category's share to move, one of "
            f"{', '.join(repr(label) for label in list(labels)[:6])}."
        )
    if str(category) not in labels:
        raise ValueError(unknown(f"category of {feature!r}", str(category), list(labels)))
    label = labels[str(category)]
    return _of_category(feature, categories, label, alpha, kind, with_value, rows)


def categories_left_out(
    table: Table, feature: str, rows: npt.NDArray[np.intp] | None = None
) -> tuple[str, ...]:
    """Say so where `stressed` leaves out the rarer categories of a feature."""
    if table.kind(feature) == "numeric":
        return ()
    distinct = _categories(table, feature, rows).nunique()
    if distinct <= MOST_CATEGORIES:
        return ()
    return (
        f"{feature}: the {MOST_CATEGORIES} most frequent of {distinct:,} categories are stressed; "
        "stress_weights takes any other as its category",
    )


def _rows_with_value(
    table: Table, feature: str, missing: str, rows: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.intp] | None:
    """Positions of the chosen rows that have a value; None for all of the table."""
    present = _present(table, feature, rows)
    absent = int((~present).sum())
    if absent and missing == "error":
        raise ValueError(
            f"{feature!r} is {_absence(present, rows)}; a mean can be "
            "stressed only where every row has a value, so drop or fill them, or pass "
            "missing='drop'."
        )
    if absent == len(present):
        where = "any row" if rows is None else "any of the chosen rows"
        raise ValueError(f"{feature!r} has no value in {where}; there is nothing to stress.")
    if not absent:
        return rows
    return np.flatnonzero(present) if rows is None else rows[present]


def _of_numbers(
    table: Table,
    feature: str,
    alpha: float,
    kind: Anchor,
    with_value: npt.NDArray[np.intp] | None,
    rows: npt.NDArray[np.intp] | None,
) -> Stressed:
    values = table.numbers(feature)
    values = np.ascontiguousarray(values if with_value is None else values[with_value])
    return Stressed(feature, Column(values, alpha, kind), with_value, rows)


def _of_category(
    feature: str,
    categories: pd.Series[Any],
    label: Any,
    alpha: float,
    kind: Anchor,
    with_value: npt.NDArray[np.intp] | None,
    rows: npt.NDArray[np.intp] | None,
) -> Stressed:
    held = (categories == label).to_numpy(dtype=np.float64)
    return Stressed(f"{feature}={label}", Column(held, alpha, kind), with_value, rows)


def _categories(table: Table, feature: str, rows: npt.NDArray[np.intp] | None) -> pd.Series[Any]:
    column = table.column(feature)
    return column if rows is None else column.iloc[rows]


def unstressable(
    table: Table, feature: str, rows: npt.NDArray[np.intp] | None = None
) -> str | None:
    """Why a feature cannot be stressed as it is in these rows, or None if it can."""
    present = _present(table, feature, rows)
    if not present.all():
        return _absence(present, rows)
    if table.kind(feature) == "numeric":
        values = table.numbers(feature)
        values = values if rows is None else values[rows]
        return "constant" if values.min() == values.max() else None
    return "constant" if _categories(table, feature, rows).nunique() == 1 else None


def _present(
    table: Table, feature: str, rows: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.bool_]:
    if table.kind(feature) == "numeric":
        present = np.isfinite(table.numbers(feature))
    else:
        present = table.column(feature).notna().to_numpy()
    return present if rows is None else present[rows]


def _absence(present: npt.NDArray[np.bool_], rows: npt.NDArray[np.intp] | None) -> str:
    of = "rows" if rows is None else "chosen rows"
    return f"missing or infinite in {int((~present).sum())} of {len(present)} {of}"


def stressable(
    table: Table, missing: str = "error", rows: npt.NDArray[np.intp] | None = None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the features to stress where none is named, and a remark for each left out.

    A constant one is among them: its status says that it is.
    """
    left_out = {}
    for feature in table.features:
        why = unstressable(table, feature, rows) if missing == "error" else None
        if why in (None, "constant") and categories_left_out(table, feature, rows):
            distinct = _categories(table, feature, rows).nunique()
            why = (
                f"it has {distinct:,} categories; name it to stress the {MOST_CATEGORIES} most "
                "frequent of them"
            )
        if why not in (None, "constant"):
            left_out[feature] = why
    remarks = tuple(f"{f} is left out: {why}" for f, why in left_out.items())
    return [f for f in table.features if f not in left_out], remarks
