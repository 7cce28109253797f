"""Remarks on rows that are not independent, which nobody asked for: groups, order, duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.columns import Columns
from uqwidgets.evaluation.distinct import distinct
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.groups import RowGroups, described
from uqwidgets.inference.row_dependence import RowDependence, along_order, within_groups

# Fewer groups, or larger ones, may be all that there are, such as sexes or countries: then they are
# no sample of groups. Dependence that is weaker, or less sure, has no remark.
_FEWEST_GROUPS, _MOST_ROWS_OF_GROUP, _LEAST_CORRELATION, _P_VALUE = 10, 100, 0.05, 0.002
_LEAST_FACTOR = 1.2
# Columns that are tested, and rows of each, so that large tables take little time and memory.
_MOST_COLUMNS, _MOST_ROWS = 50, 5_000
# Columns of numbers by which repeated rows are found.
_MOST_NUMBERS = 4
# Rows by which a column of numbers is judged before all are counted.
_FIRST_ROWS = 2000
# With fewer rows, neither test finds anything.
_LEAST_ROWS = 40
_SHARE_OF_DUPLICATES = 0.01
# With fewer effective rows, 86 of 100 intervals of 95 % held in a simulation.
_FEW_EFFECTIVE_ROWS = 50

_INDEPENDENT = RowDependence(0.0, 1.0, 1.0)

#: From positions of rows to their residuals and their losses, some arrays of that length.
Errors = Callable[[Positions], list[Floats]]


def remarks_on_rows(table: Table, extra: Columns, errors: Errors) -> tuple[Remark, ...]:
    """Return remarks on rows that depend on each other, which makes intervals too narrow.

    Parameters
    ----------
    table : Table
    extra : Columns
    errors : callable
        See `Errors`.
    """
    if len(table) < _LEAST_ROWS or not _varying(errors(np.arange(min(len(table), _MOST_ROWS)))):
        return ()
    if table.time_order is not None:
        return _in_time(table.time_order, errors)
    if table.row_groups is not None:
        return ()
    of_groups = _groups(table, extra, errors)
    return _duplicates(table, errors) + (of_groups or _order(table, extra, errors))


def _varying(values: list[Floats]) -> list[Floats]:
    return [each for each in values if np.isfinite(each).all() and np.ptp(each) > 0]


def _groups(table: Table, extra: Columns, errors: Errors) -> tuple[Remark, ...]:
    best: tuple[RowDependence, RowGroups] | None = None
    for count, (groups, ordered) in enumerate(_candidates(table, extra)):
        if count == _MOST_COLUMNS:
            break
        rows = _rows_of_some(groups)
        some, values = groups.among(rows), _varying(errors(rows))
        each = [within_groups(one, some, ordered=ordered) for one in values]
        clear = [
            one
            for one in each
            if one.p_value < _P_VALUE / len(values)
            and one.correlation > _LEAST_CORRELATION
            and one.factor > _LEAST_FACTOR
        ]
        if not clear:
            continue
        strongest = max(clear, key=lambda one: one.factor)
        # Of columns that divide the rows alike, the first is named.
        if best is None or strongest.factor > 1.01 * best[0].factor:
            best = strongest, groups
    if best is None:
        return ()
    dependence, groups = best
    return (
        Remark(
            "rows-of-groups",
            f"rows with the same {groups.name} have errors that resemble each other (correlation "
            f"{dependence.correlation:.2g}), as rows of one patient do: intervals are about "
            f"{dependence.factor:.2g} times too narrow for other values of it; if the "
            f"{described('', len(groups))} are a sample, pass groups={groups.name!r}",
            {"groups": groups.name},
        ),
    )


def _rows_of_some(groups: RowGroups) -> Positions:
    """Return the rows of so many groups that they are not too many, of all where they are few."""
    n = len(groups.codes)
    part = -(-n // _MOST_ROWS)
    return np.arange(n) if part == 1 else np.flatnonzero(groups.codes % part == 0)


def _candidates(table: Table, extra: Columns) -> Iterator[tuple[RowGroups, bool]]:
    """Yield the groups of columns with repeated values, and whether the values have an order."""
    n = len(table)
    for columns in (extra, table):
        for name in columns.names:
            column = columns.column(name)
            if column.iloc[:_FIRST_ROWS].nunique() > 0.9 * min(n, _FIRST_ROWS):
                continue
            if columns.missing(name):
                continue
            groups = RowGroups(distinct(column)[1], name)
            count = len(groups)
            if not max(_FEWEST_GROUPS, n / _MOST_ROWS_OF_GROUP) <= count <= 0.9 * n:
                continue
            is_ordered = columns.kind(name) == "numeric" or columns.holds_dates(name)
            # A category that the model reads may have an error of its own in independent rows,
            # unless it stands for something whose other features do not change.
            if columns is table and not is_ordered and not _fixes_another(groups, table, name):
                continue
            yield groups, is_ordered


def _fixes_another(groups: RowGroups, table: Table, name: str) -> bool:
    """Whether another feature with many values has one value in each group."""
    for other in table.names:
        if other == name or table.kind(other) != "numeric":
            continue
        numbers = table.numbers(other)
        first = np.full(len(groups), np.nan)
        first[groups.codes] = numbers
        is_fixed = np.array_equal(first[groups.codes], numbers)
        if is_fixed and len(np.unique(first)) >= len(groups) / 2:
            return True
    return False


def _strongest(order: Positions, errors: Errors) -> RowDependence:
    """Return the dependence along an order of those errors that depend most on each other."""
    each = map(along_order, _varying(errors(order[:_MOST_ROWS])))
    return max(each, key=lambda one: one.correlation, default=_INDEPENDENT)


def _in_time(order: Positions, errors: Errors) -> tuple[Remark, ...]:
    """Return a remark on what the rows are worth, if errors of neighbours in time are alike."""
    dependence = _strongest(order, errors)
    if dependence.p_value > _P_VALUE or dependence.correlation < _LEAST_CORRELATION:
        return ()
    worth = len(order) / dependence.factor**2
    doubt = f", but with fewer than {_FEW_EFFECTIVE_ROWS} they may still be too narrow"
    return (
        Remark(
            "rows-in-time",
            f"errors of rows that follow each other in time have the correlation "
            f"{dependence.correlation:.2g}, so that {len(order):,} rows are worth about "
            f"{worth:.0f} independent ones; intervals allow for it"
            + (doubt if worth < _FEW_EFFECTIVE_ROWS else ""),
        ),
    )


def _order(table: Table, extra: Columns, errors: Errors) -> tuple[Remark, ...]:
    """Return a remark if errors of rows that follow each other resemble each other."""
    orders = {"": np.arange(len(table))}
    for columns in (table, extra):
        for name in columns.names:
            if columns.holds_dates(name) and not columns.missing(name):
                orders[name] = np.argsort(columns.column(name).to_numpy(), kind="stable")
    if _is_sorted(table):
        del orders[""]
    for name, order in reversed(orders.items()):
        dependence = _strongest(order, errors)
        is_sure = dependence.p_value < _P_VALUE / (2 * len(orders))
        if is_sure and dependence.correlation > _LEAST_CORRELATION:
            where = f"that follow each other by {name}" if name else "that follow each other"
            advice = f"pass time={name!r}" if name else "pass time= with what orders them"
            return (
                Remark(
                    "rows-in-order",
                    f"rows {where} have errors that resemble each other (correlation "
                    f"{dependence.correlation:.2g}): {len(table):,} rows are worth about "
                    f"{len(table) / dependence.factor**2:.0f} independent ones, and intervals are "
                    f"about {dependence.factor:.2g} times too narrow; {advice}",
                    {"time": name} if name else None,
                ),
            )
    return ()


def _is_sorted(table: Table) -> bool:
    """Whether the rows are sorted by their target, so that their order means nothing else."""
    codes, classes = pd.factorize(pd.Series(table.y))
    if len(classes) <= np.sqrt(len(codes)):  # in any order of them
        return int((np.diff(codes) != 0).sum()) < 2 * len(classes)
    try:
        steps = np.diff(table.y.astype(np.float64))
    except (TypeError, ValueError):
        return False
    return bool(max((steps >= 0).mean(), (steps <= 0).mean()) > 0.95)


def _duplicates(table: Table, errors: Errors) -> tuple[Remark, ...]:
    """Return a remark if rows are there twice though their numbers hardly repeat."""
    n = min(len(table), _MOST_ROWS)
    fine = []
    for name in table.numeric:
        numbers = table.numbers(name)[:n]
        if len(np.unique(numbers[:_FIRST_ROWS])) > 0.5 * min(n, _FIRST_ROWS):
            fine.append(numbers)
        if len(fine) == _MOST_NUMBERS:
            break
    if not fine:
        return ()
    keys = pd.DataFrame(dict(enumerate([*fine, *errors(np.arange(n))])))
    number = int(keys.duplicated().sum())
    if number < max(2, _SHARE_OF_DUPLICATES * n):
        return ()
    first = "the first " if n < len(table) else ""
    return (
        Remark(
            "duplicated-rows",
            f"{number:,} of {first}{n:,} rows repeat another one exactly, so that intervals count "
            "them as if they were new; leave them out, or pass groups= with what they belong to",
        ),
    )
