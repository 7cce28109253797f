"""The groups and the order of rows that a user names, checked, as the groups of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Positions
from uqwidgets._utils.choices import unknown
from uqwidgets._utils.dtypes import is_time
from uqwidgets._utils.masks import refuse_masked
from uqwidgets._utils.options import brief
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.columns import Columns
from uqwidgets.evaluation.constants import is_missing
from uqwidgets.evaluation.containers import container_of
from uqwidgets.evaluation.distinct import distinct
from uqwidgets.evaluation.table import Table, check_order
from uqwidgets.inference.groups import RowGroups, described

# With fewer groups, the variance between them is hardly known.
_FEW_GROUPS = 10
# Blocks of consecutive rows: with fewer, intervals are wider; with more, blocks are so short that
# their neighbours depend on each other. Chosen by simulation, see benchmarks/bench_groups.py.
_BLOCKS, _ROWS_OF_BLOCK, _FEWEST_BLOCKS = 16, 5, 4


def set_row_groups(groups: Any, X: Any, table: Table, extra: Columns) -> None:
    """Give a table the groups of its rows, with what a reader of results should know of them.

    Parameters
    ----------
    groups : str, array-like of shape (n,), RowGroups, or None
        The name of a column of X or of ``extra``, or a label for each row, or those of another
        table of the same rows.
    X : object
        What the features were read from; it may have columns that the model does not use.
    table : Table
    extra : Columns

    Raises
    ------
    ValueError
        If no column has this name, the length differs, a label is missing, or there is one group.
    """
    if groups is None or isinstance(groups, RowGroups):
        table.row_groups = groups
        return
    if isinstance(groups, str):
        labels, name = _column(groups, X, table, extra), groups
    else:
        table.check_order(groups, "groups")
        labels, name = _passed(groups, len(table))
    row_groups, table.remarks = _checked(labels, name)
    if row_groups is not None and isinstance(groups, str):
        row_groups = replace(row_groups, column=groups)
    table.row_groups = row_groups


def groups_of_rows(
    groups: Any, X: Any, n: int
) -> tuple[RowGroups | None, tuple[Remark, ...], int | None]:
    """Return the groups of n rows before there is a model, remarks, and which column names them.

    Parameters
    ----------
    groups : str, array-like of shape (n,), RowGroups, or None
        The name of a column of X, which models are to do without, or a label for each row.
    X : object
    n : int

    Returns
    -------
    row_groups : RowGroups or None
        None if each row is independent.
    remarks : tuple of Remark
    column : int or None
        Position of the column of this name.

    Raises
    ------
    ValueError
        As `set_row_groups`.
    """
    if groups is None or isinstance(groups, RowGroups):
        return groups, (), None
    if isinstance(groups, str):
        labels, place = _column_of(X, groups)
        return *_checked(labels, groups), place
    if isinstance(X, pd.DataFrame):
        check_order(groups, "groups", X.index)
    return *_checked(*_passed(groups, n)), None


def _checked(labels: pd.Series[Any], name: str) -> tuple[RowGroups | None, tuple[Remark, ...]]:
    """Return the groups of some labels, None if each row is one, and a remark if they are few."""
    codes = _codes(labels)
    count = int(codes.max()) + 1
    if count == 1:
        raise ValueError(
            "groups has the same label in every row, and intervals need rows of several groups; "
            "leave groups out, or pass the labels of independent groups."
        )
    if count == len(codes):
        remark = Remark(
            "single-groups",
            "every row is a group of its own, so that groups= changes nothing",
        )
        return None, (remark,)
    remarks: tuple[Remark, ...] = ()
    if count < _FEW_GROUPS:
        remark = Remark(
            "few-groups",
            f"the {len(codes):,} rows belong to {described(name, count)}, and each interval "
            f"rests on these {count} alone; with fewer than {_FEW_GROUPS} it is wide, and may "
            "still be too narrow",
        )
        remarks = (remark,)
    return RowGroups(codes, name), remarks


def set_time_blocks(time: Any, X: Any, table: Table, extra: Columns) -> None:
    """Give a table the order of its rows in time, and blocks of consecutive rows as groups.

    Means of blocks that are long beside the memory of the rows are nearly independent, so that a t
    interval with the degrees of freedom of the blocks holds (Ibragimov and Müller 2010). A variance
    that is robust to autocorrelation covers no better, see `benchmarks/time.md`. Where rows have
    groups already, these hold whole series, and stay.

    Parameters
    ----------
    time : str, array-like of shape (n,), or None
        The name of a column of X or of ``extra``, or a number or date for each row.
    X, table, extra
        As in `set_row_groups`.

    Raises
    ------
    ValueError
        If no column has this name, the length differs, a value is missing, values have no order,
        or there are too few rows or distinct values.
    """
    if time is None:
        return
    if isinstance(time, str):
        values = _column(time, X, table, extra)
    else:
        table.check_order(time, "time")
        values = _series(time, len(table), "time")
    values = values.infer_objects()
    if not (is_time(values.dtype) or pd.api.types.is_numeric_dtype(values.dtype)):
        raise ValueError(
            "time holds values that are neither numbers nor dates; convert them, such as by "
            "pandas.to_datetime."
        )
    _refuse_missing(values.isna().to_numpy(), "time")
    n = len(values)
    table.time_order = np.argsort(values.to_numpy(), kind="stable")
    table.time = values.rename(time if isinstance(time, str) else None)
    if table.row_groups is not None:
        return
    # Rows of the same time are in one block.
    first = (values.rank(method="min").to_numpy() - 1).astype(np.intp)
    codes = first * min(_BLOCKS, n // _ROWS_OF_BLOCK) // n
    blocks = RowGroups(np.unique(codes, return_inverse=True)[1], "block", in_time=True)
    if len(blocks) < _FEWEST_BLOCKS:
        raise ValueError(
            f"time orders {n:,} rows in {len(blocks)} blocks of {_ROWS_OF_BLOCK} rows or more, and "
            f"intervals need {_FEWEST_BLOCKS}; pass more rows or finer times, or leave time out."
        )
    table.row_groups = blocks


def _column(name: str, X: Any, table: Table, extra: Columns) -> pd.Series[Any]:
    for columns in (extra, table):
        if name in columns:
            return columns.exact_column(name)
    return _column_of(X, name, extra.names)[0]


def _column_of(X: Any, name: str, others: tuple[str, ...] = ()) -> tuple[pd.Series[Any], int]:
    """Return a column of X and its position; an error names those of X, and others."""
    container = container_of(X)
    names = [str(label) for label in container.labels]
    if name not in names:
        raise ValueError(unknown("column", name, list(dict.fromkeys([*others, *names]))))
    place = names.index(name)
    return container.columns([place]).frame().iloc[:, 0], place


def _passed(groups: Any, n: int) -> tuple[pd.Series[Any], str]:
    """Return labels that are no name of a column, and their own name."""
    return _series(groups, n), str(getattr(groups, "name", None) or "")


def _series(groups: Any, n: int, argument: str = "groups") -> pd.Series[Any]:
    refuse_masked(groups, argument, "give each row a value")
    labels = groups if isinstance(groups, pd.Series) else None
    if labels is None:
        try:
            values: npt.NDArray[Any] = np.asarray(groups)
        except ValueError:  # lists of several lengths
            values = np.empty((0, 0))
        if values.ndim != 1:
            raise ValueError(
                f"{argument} is {brief(groups)}; pass the name of a column, or one value per row."
            )
        labels = pd.Series(values)
    if len(labels) != n:
        raise ValueError(
            f"{argument} has {len(labels):,} values but X has {n:,} rows; pass one value per row."
        )
    return labels.reset_index(drop=True)


def _codes(labels: pd.Series[Any]) -> Positions:
    values, codes = distinct(labels)
    if is_missing(values[-1]):  # the last of the distinct values
        _refuse_missing(codes == len(values) - 1, "groups")
    return codes


def _refuse_missing(without: npt.NDArray[np.bool_], argument: str) -> None:
    if without.any():
        raise ValueError(
            f"{argument} is missing in {int(without.sum())} of {len(without):,} rows (the first is "
            f"row {int(without.argmax())}); give these rows a value, or leave them out."
        )
