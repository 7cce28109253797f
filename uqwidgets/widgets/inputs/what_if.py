"""Changed values of one row, as plain JSON; those of the browser are validated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.options import brief
from uqwidgets.evaluation.constants import is_missing
from uqwidgets.evaluation.distinct import kind_of, missing_value
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.checks import CONTAINERS, check_length, check_list, number
from uqwidgets.widgets.inputs.conditions import moment_of, read_moment

MOST_CHANGES = 1000


@dataclass(frozen=True)
class ChangedValue:
    """Another value of a feature.

    Attributes
    ----------
    feature : str
    value : float, str or None
        A number; the text of a category, see `uqwidgets.evaluation.labels`; an ISO 8601 text of a
        date; None for a missing value.
    """

    feature: str
    value: float | str | None

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        return {"feature": self.feature, "value": self.value}


def changes(value: Any, explainer: Explainer) -> tuple[ChangedValue, ...]:
    """Read changed values in the form that travels.

    Raises
    ------
    ValueError
        If one is malformed, names what does not exist, or cannot be a value of its feature.
    """
    check_list(value, "what_if", "[{'feature': 'age', 'value': 40}]")
    if len(value) > MOST_CHANGES:
        raise ValueError(f"what_if has {len(value):,} values; it can have {MOST_CHANGES:,}.")
    read = tuple(_change(item, explainer) for item in value)
    names = [change.feature for change in read]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise ValueError(f"what_if changes {double!r} twice; give one value.")
    return read


def _change(item: Any, explainer: Explainer) -> ChangedValue:
    if not isinstance(item, dict) or item.keys() != {"feature", "value"}:
        raise ValueError("each value of what_if must be {'feature', 'value'}.")
    feature, value, table = item["feature"], item["value"], explainer.table
    if isinstance(feature, CONTAINERS):
        raise ValueError(f"the feature of what_if is {brief(feature)}, not a name.")
    feature = str(feature)
    check_length("the feature of what_if", feature, explainer)
    feature = table.features[table.index(feature)]
    what = f"the value of {feature!r} in what_if"
    if isinstance(value, CONTAINERS):
        raise ValueError(f"{what} is {brief(value)}, not a single value.")
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        if not table.missing(feature):
            raise ValueError(f"{what} is missing, but no row of X lacks it; give a value.")
        return ChangedValue(feature, None)
    if table.kind(feature) == "numeric":
        return ChangedValue(feature, number(value, what, -np.inf, np.inf))
    if table.holds_dates(feature):
        return ChangedValue(feature, _date(value, what, table.column(feature)))
    return ChangedValue(feature, table.labels(feature).text(value, repr(feature)))


def replacement_of(table: Table, row: int, changed: tuple[ChangedValue, ...]) -> Constant | None:
    """Return the replacement that makes the changes in a row; None if it has these values.

    Parameters
    ----------
    table : Table
    row : int
    changed : tuple of ChangedValue
    """
    columns, values = [], []
    for change in changed:
        value = _value(table, change)
        own = table.column(change.feature).iloc[row]
        if change.value is None or is_missing(own):
            is_own = change.value is None and is_missing(own)
        else:
            is_alike = table.kind(change.feature) == "numeric" or kind_of(own) is kind_of(value)
            is_own = is_alike and bool(own == value)  # 1 and True are two categories
        if not is_own:
            columns.append(table.index(change.feature))
            values.append(value)
    if not columns:
        return None
    order = np.argsort(columns)
    return Constant(tuple(columns[k] for k in order), tuple(values[k] for k in order))


def _value(table: Table, change: ChangedValue) -> Any:
    """Return a value as the grids of curves have it, so that both are one evaluation."""
    column = table.column(change.feature)
    if change.value is None:
        return missing_value(table.exact_column(change.feature))
    if table.kind(change.feature) == "numeric":
        is_whole = pd.api.types.is_integer_dtype(column.dtype)
        number = float(change.value)
        return int(number) if is_whole and number.is_integer() else number
    if table.holds_dates(change.feature):
        # It is converted, because a moment of another unit would be another replacement.
        moment = moment_of(change.value, column)
        return pd.Series([moment]).astype(column.dtype).tolist()[0]
    labels = table.labels(change.feature)
    return labels.values[labels.place(change.value, repr(change.feature))]


def _date(value: Any, what: str, column: pd.Series[Any]) -> str:
    text = value if isinstance(value, str) else getattr(value, "isoformat", value.__repr__)()
    return str(read_moment(text, column, what).isoformat())
