"""Conditions on rows, which are untrusted where they come from a browser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import one_of, unknown
from uqwidgets._utils.dtypes import of_pandas
from uqwidgets._utils.options import brief, checked_flag
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.columns import Columns
from uqwidgets.evaluation.labels import ColumnLabels
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.plotting.text import counted
from uqwidgets.predictive.distributions import class_codes
from uqwidgets.widgets.inputs.checks import CONTAINERS, check_length, check_list, number
from uqwidgets.widgets.inputs.rows_text import rows_of_text, rows_text

MOST_CONDITIONS = 200
# Values of all conditions together.
MOST_VALUES = 100_000
#: The rows without a value of a column, and no others.
ONLY = "only"
# Other texts, such as "today", stand for a date too, but not always for the same one.
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ][0-9:.+Z-]{1,40})?")
# The keys that each form of a condition needs, and those that it may have.
_FORMS = (
    ({"rows"}, {"rows"}),
    ({"predicted"}, {"predicted"}),
    ({"feature", "values"}, {"feature", "values"}),
    ({"feature"}, {"feature", "low", "high", "missing"}),
)


@dataclass(frozen=True)
class Condition:
    """Rows whose value lies in a range (both ends included) or is one of some values; or positions.

    A missing value lies in no range and is a value of its own.

    Attributes
    ----------
    feature : str or None
        A feature or an extra column; None for the target.
    low, high : float, str or None
        Open where None. Ends of a range of dates are ISO 8601 texts; a date without a time is all
        of its day.
    values : tuple of (str or None) or None
        Texts of categories or classes, see `uqwidgets.evaluation.labels`; among them, None is
        for rows without a value.
    missing : bool, "only" or None
        Of a range, whether rows without a value meet it too, or no others; None where every row
        has one.
    rows : str or None
        Positions of the rows that meet it, see `uqwidgets.widgets.inputs.rows_text`; then it has no
        feature, range or values.
    predicted : tuple of str or None
        Classes that the model predicts; then it has nothing else.
    """

    feature: str | None
    low: float | str | None = None
    high: float | str | None = None
    values: tuple[str | None, ...] | None = None
    missing: bool | str | None = None
    rows: str | None = None
    predicted: tuple[str, ...] | None = None

    def mask(self, explainer: Explainer) -> npt.NDArray[np.bool_]:
        """Rows that meet it, shape (n,)."""
        if self.rows is not None:
            met = np.zeros(len(explainer.table), dtype=np.bool_)
            met[rows_of_text(self.rows, len(met))] = True
            return met
        if self.predicted is not None:
            texts, codes = _predictions(explainer)
            return np.isin(codes, [texts.index(text) for text in self.predicted])
        if self.values is not None:
            return labels(explainer, self.feature).mask(self.values)
        assert self.feature is not None
        columns = columns_with(explainer, self.feature)
        column = columns.column(self.feature)
        if self.missing == ONLY:
            return np.asarray(column.isna().to_numpy(), dtype=np.bool_)
        if columns.holds_dates(self.feature):
            met = self._during(column)
        else:
            met = self._within(columns.numbers(self.feature))
        return met | column.isna().to_numpy() if self.missing else met

    def missing_left_out(self, explainer: Explainer) -> int:
        """Count the rows without a value, if all values but the missing one are listed."""
        if self.values is None or None in self.values or self.feature is None:
            return 0
        if set(self.values) < set(labels(explainer, self.feature).texts):
            return 0
        return columns_with(explainer, self.feature).missing(self.feature)

    def _within(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        low = -np.inf if self.low is None else float(self.low)
        high = np.inf if self.high is None else float(self.high)
        return (numbers >= low) & (numbers <= high)

    def _during(self, column: pd.Series[Any]) -> npt.NDArray[np.bool_]:
        met = column.notna()
        if self.low is not None:
            met &= column >= moment_of(self.low, column)
        if self.high is not None:
            end = moment_of(self.high, column)
            is_day = len(str(self.high)) == len("2024-01-31")
            met &= column < end + pd.Timedelta(days=1) if is_day else column <= end
        return met.to_numpy(dtype=np.bool_)

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        if self.rows is not None:
            return {"rows": self.rows}
        if self.predicted is not None:
            return {"predicted": list(self.predicted)}
        if self.values is not None:
            return {"feature": self.feature, "values": list(self.values)}
        ends = {"feature": self.feature, "low": self.low, "high": self.high}
        return ends if self.missing is None else {**ends, "missing": self.missing}


def columns_with(explainer: Explainer, name: str) -> Columns:
    """Return the columns that one of this name belongs to: the features, or the extra ones.

    Raises
    ------
    ValueError
        If there is none.
    """
    for columns in (explainer.table, explainer.extra):
        if name in columns:
            return columns
    names = [*explainer.features, *explainer.extra.names]
    what = "feature or extra column" if explainer.extra.names else "feature"
    raise ValueError(unknown(what, name, names))


def labels(explainer: Explainer, feature: str | None) -> ColumnLabels:
    """Values of a column, or of the target where None, by the texts that name them."""
    if feature is not None:
        return columns_with(explainer, feature).labels(feature)
    explainer.table.require_target("a filter of the target")
    if explainer.classes is None:
        return ColumnLabels.of(pd.Series(explainer.table.y))
    # The target may hold 1.0 where the model knows 1: both are the same class.
    return ColumnLabels(
        explainer.classes.tolist(), class_codes(explainer.table.y, explainer.classes)
    )


def conditions(value: Any, explainer: Explainer) -> tuple[Condition, ...]:
    """Read filters in the form that travels.

    Raises
    ------
    ValueError
        If one is malformed or names what does not exist.
    """
    check_list(value, "ice_filter", "[{'feature': 'age', 'low': 40}]")
    if len(value) > MOST_CONDITIONS:
        raise ValueError(
            f"ice_filter has {len(value):,} conditions; it can have {MOST_CONDITIONS:,}."
        )
    listed = n_listed(value)
    if listed > MOST_VALUES:
        raise ValueError(f"ice_filter lists {listed:,} values; it can list {MOST_VALUES:,}.")
    return tuple(_condition(item, explainer) for item in value)


def notes_on_missing(filters: Sequence[Condition], explainer: Explainer) -> list[Remark]:
    """Say which conditions list every value, and yet leave out the rows without one.

    Parameters
    ----------
    filters : sequence of Condition
    explainer : Explainer
    """
    counts = {one.feature: n for one in filters if (n := one.missing_left_out(explainer))}
    return [
        Remark(
            "filter-of-all-values",
            f"the filter of {feature} lists every value and leaves out the {counted(n, 'row')} "
            "without one (to include them, tick “missing”, or add None to its values)",
        )
        for feature, n in counts.items()
    ]


def n_listed(filters: Any) -> int:
    """Count the values that filters list, however malformed these are."""
    items = filters if isinstance(filters, (list, tuple)) else ()
    dicts = [item for item in items if isinstance(item, dict)]
    values = [item.get(name) for item in dicts for name in ("values", "predicted")]
    return sum(len(each) for each in values if isinstance(each, (list, tuple)))


def _condition(item: Any, explainer: Explainer) -> Condition:
    if not isinstance(item, dict) or not any(
        needed <= item.keys() <= fields for needed, fields in _FORMS
    ):
        of = f", not {{{brief(list(item))[1:-1]}}}" if isinstance(item, dict) else ""
        raise ValueError(
            "each ice_filter condition must be {'feature', 'low', 'high', 'missing'}, "
            f"{{'feature', 'values'}}, {{'predicted'}} or {{'rows'}}{of}."
        )
    if "rows" in item:
        return Condition(None, rows=rows_text(item["rows"], len(explainer.table)))
    if "predicted" in item:
        return _prediction(item["predicted"], explainer)
    feature = item["feature"]
    if isinstance(feature, CONTAINERS):
        raise ValueError(f"the feature of an ice_filter condition is {brief(feature)}, not a name.")
    if feature is not None:
        feature = str(feature)
        check_length("the feature of an ice_filter condition", feature, explainer)
        columns_with(explainer, feature)
    if "values" in item:
        return _choice(feature, item["values"], explainer)
    if feature is None:
        raise ValueError("the target is filtered by its classes: {'feature': None, 'values': []}.")
    return _range(feature, item, columns_with(explainer, feature))


def _predictions(explainer: Explainer) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the texts of the labels that are predicted, and the position of each row's."""
    evaluations = explainer.evaluations
    texts = [str(label) for label in evaluations.predicted_labels.tolist()]
    return texts, evaluations.predicted_codes(evaluations.answer)


def _prediction(values: Any, explainer: Explainer) -> Condition:
    check_list(values, "'predicted' of an ice_filter condition", "['yes']")
    if explainer.classes is None:
        raise ValueError("the model predicts numbers, and only classes are filtered by prediction.")
    known = _predictions(explainer)[0]
    for value in values:
        if isinstance(value, CONTAINERS) or str(value) not in known:
            shown = value if isinstance(value, str) else brief(value)
            raise ValueError(unknown("class", shown, known, "that the model predicts"))
    return Condition(None, predicted=tuple(str(value) for value in values))


def _choice(feature: str | None, values: Any, explainer: Explainer) -> Condition:
    check_list(values, "'values' of an ice_filter condition", "['red', 'blue']")
    nested = next((v for v in values if isinstance(v, CONTAINERS)), None)
    if nested is not None:
        raise ValueError(f"a value of an ice_filter condition is {brief(nested)}, not a text.")
    known = labels(explainer, feature)
    of = repr(explainer.table.target if feature is None else feature)
    return Condition(feature, values=tuple(known.text(value, of) for value in values))


def _range(feature: str, item: dict[str, Any], columns: Columns) -> Condition:
    low: Any
    high: Any
    if columns.holds_dates(feature):
        column = columns.column(feature)
        low, high = (_date(item.get(end), end, feature, column) for end in ("low", "high"))
        is_backwards = low and high and moment_of(low, column) > moment_of(high, column)
    else:
        columns.numbers(feature)  # raises for categories
        low, high = (_bound(item.get(end), end, feature) for end in ("low", "high"))
        is_backwards = low is not None and high is not None and low > high
    if is_backwards:
        raise ValueError(
            f"the filter of {feature!r} runs from {_end(low)} to {_end(high)}, backwards."
        )
    if not columns.missing(feature):
        return Condition(feature, low, high)
    missing = item.get("missing")
    of = f"missing of the filter of {feature!r}"
    if isinstance(missing, str):
        return Condition(feature, missing=one_of((ONLY,), missing, of))
    if missing is not None:
        return Condition(feature, low, high, missing=checked_flag(missing, of))
    # A range that leaves out no value leaves out no row.
    return Condition(feature, low, high, missing=_holds_all(columns, feature, low, high))


def _holds_all(columns: Columns, feature: str, low: Any, high: Any) -> bool:
    bounded, column = Condition(feature, low, high), columns.column(feature)
    if columns.holds_dates(feature):
        return bool(bounded._during(column)[column.notna().to_numpy()].all())
    numbers = columns.numbers(feature)
    return bool(bounded._within(numbers[~np.isnan(numbers)]).all())


def _bound(value: Any, end: str, feature: str) -> float | None:
    if value is None:
        return None
    return number(value, f"the {end} end of the filter of {feature!r}", -np.inf, np.inf)


def _date(value: Any, end: str, feature: str, column: pd.Series[Any]) -> str | None:
    """Read an end of a range of dates as ISO 8601: a day, or a time as precise as it was given."""
    if value is None:
        return None
    if not isinstance(value, str):
        try:
            value = value.isoformat()
        except (AttributeError, TypeError):
            value = brief(value)
    moment = read_moment(value, column, f"the {end} end of the filter of {feature!r}")
    is_day = moment == moment.normalize() and "T" not in value and ":" not in value
    return moment.date().isoformat() if is_day else value


def read_moment(text: str, column: pd.Series[Any], what: str) -> pd.Timestamp:
    """Read an ISO 8601 text as a point in time in the zone of a column.

    Raises
    ------
    ValueError
        If it is no such text; ``what`` names it.
    """
    try:
        moment = moment_of(text, column) if _ISO.fullmatch(text) else None
    except (ValueError, TypeError, OverflowError):
        moment = None
    if moment is None:
        raise ValueError(f"{what} is {brief(text)}; it must be a date such as '2024-01-31'.")
    return moment


def moment_of(text: Any, column: pd.Series[Any]) -> pd.Timestamp:
    """Point in time in the zone of a column."""
    moment = pd.Timestamp(text)
    zone = getattr(of_pandas(column.dtype), "tz", None)
    if zone is None:
        return moment.tz_localize(None)
    return moment.tz_localize(zone) if moment.tzinfo is None else moment.tz_convert(zone)


def _end(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
