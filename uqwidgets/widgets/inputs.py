"""What a person can set, checked: whatever comes from a browser is untrusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.data import Table
from uqwidgets.explainer import Explainer
from uqwidgets.inference import checked_interval
from uqwidgets.labels import Labels
from uqwidgets.names import unknown
from uqwidgets.stress.columns import unstressable

MOST_LINES = 1000
MOST_REPEATS = 1000


@dataclass(frozen=True)
class Condition:
    """Rows whose feature lies in a range (both ends included) or has one of some values.

    A missing value lies in no range and is a value of its own.

    Attributes
    ----------
    feature : str or None
        None for the target.
    low, high : float or None
        Open where None.
    values : tuple of (str or None) or None
        Texts of categories or classes, see `uqwidgets.labels`; among them, None is for rows
        without a value.
    missing : bool or None
        Of a range, whether rows without a value meet it too; None where every row has one.
    """

    feature: str | None
    low: float | None = None
    high: float | None = None
    values: tuple[str | None, ...] | None = None
    missing: bool | None = None

    def mask(self, explainer: Explainer) -> npt.NDArray[np.bool_]:
        """Rows that meet it, shape (n,)."""
        if self.values is not None:
            return labels(explainer, self.feature).mask(self.values)
        assert self.feature is not None
        numbers = explainer.table.numbers(self.feature)
        met = self.within(numbers)
        return met | np.isnan(numbers) if self.missing else met

    def within(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Numbers that lie in the range, both ends included."""
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        return (numbers >= low) & (numbers <= high)

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        if self.values is not None:
            return {"feature": self.feature, "values": list(self.values)}
        ends = {"feature": self.feature, "low": self.low, "high": self.high}
        return ends if self.missing is None else {**ends, "missing": self.missing}


def labels(explainer: Explainer, feature: str | None) -> Labels:
    """Values of a feature, or of the target where None, by the texts that name them."""
    if feature is not None:
        return explainer.table.labels(feature)
    if explainer.classes is None:
        return Labels.of(pd.Series(explainer.table.y))
    # The target may hold 1.0 where the model knows 1: both are the same class.
    return Labels(explainer.classes.tolist(), explainer.evaluations.truth)


@dataclass(frozen=True)
class Inputs:
    """Everything that decides what the widget shows."""

    tau: float
    stress_feature: str
    feature: str
    measure: str
    indicator: str
    ice_filter: tuple[Condition, ...] = field(default=())
    ice_lines: int = 100
    n_repeats: int = 10
    interval: str = "u-statistic"
    center: bool = False
    derivative: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        return {**vars(self), "ice_filter": [c.plain() for c in self.ice_filter]}


NAMES = tuple(Inputs.__dataclass_fields__)


def checked(name: str, value: Any, explainer: Explainer) -> Any:
    """Return the value of an input if it may be one.

    Raises
    ------
    ValueError
        With a sentence that says what may be given.
    """
    match name:
        case "tau":
            return _number(value, "tau", -1.0, 1.0)
        case "ice_lines":
            return _whole(value, "ice_lines", 0, MOST_LINES)
        case "n_repeats":
            return _whole(value, "n_repeats", 2, MOST_REPEATS)
        case "center" | "derivative":
            return _switch(value, name)
        case "ice_filter":
            return [c.plain() for c in conditions(value, explainer)]
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; it must be a text.")
    match name:
        case "measure":
            explainer.measure(value)
        case "indicator":
            if value not in explainer.indicators:
                raise ValueError(unknown("indicator", value, list(explainer.indicators)))
        case "interval":
            checked_interval(value)
        case "feature" if value:
            explainer.table.index(value)
        case "stress_feature" if value:
            explainer.table.index(value)
            reason = immovable(explainer.table, value)
            if reason is not None and reason != "constant":
                raise ValueError(f"{value!r} cannot be stressed: {reason}.")
    return value


def immovable(table: Table, feature: str) -> str | None:
    """Why the slider cannot move a feature's mean, or None if it can."""
    if table.kind(feature) != "numeric":
        return "categorical"
    return unstressable(table, feature)


def conditions(value: Any, explainer: Explainer) -> tuple[Condition, ...]:
    """Read filters in the form that travels.

    Raises
    ------
    ValueError
        If one is malformed or names what does not exist.
    """
    if not isinstance(value, (list, tuple)):
        raise ValueError("ice_filter must be a list of conditions.")
    return tuple(_condition(item, explainer) for item in value)


def _condition(item: Any, explainer: Explainer) -> Condition:
    if not isinstance(item, dict) or "feature" not in item:
        raise ValueError(
            "each ice_filter condition must be {'feature', 'low', 'high', 'missing'} or "
            "{'feature', 'values'}."
        )
    feature = item["feature"]
    if feature is not None:
        feature = explainer.features[explainer.table.index(str(feature))]
    if "values" in item:
        values = item["values"]
        if not isinstance(values, (list, tuple)):
            raise ValueError("the values of an ice_filter condition must be a list.")
        known = labels(explainer, feature)
        of = repr(explainer.table.target if feature is None else feature)
        return Condition(feature, values=tuple(known.text(value, of) for value in values))
    if feature is None:
        raise ValueError("the target is filtered by its classes: {'feature': None, 'values': []}.")
    numbers = explainer.table.numbers(feature)
    low, high = (_bound(item.get(end), end, feature) for end in ("low", "high"))
    if low is not None and high is not None and low > high:
        raise ValueError(f"the filter of {feature!r} runs from {low:g} to {high:g}, backwards.")
    if not explainer.table.missing(feature):
        return Condition(feature, low, high)
    if item.get("missing") is not None:
        of = f"missing of the filter of {feature!r}"
        return Condition(feature, low, high, missing=_switch(item["missing"], of))
    # A range that leaves out no value leaves out no row.
    numbers = numbers[~np.isnan(numbers)]
    bounded = Condition(feature, low, high)
    return Condition(feature, low, high, missing=bool(bounded.within(numbers).all()))


def _bound(value: Any, end: str, feature: str) -> float | None:
    if value is None:
        return None
    return _number(value, f"the {end} end of the filter of {feature!r}", -np.inf, np.inf)


def _number(value: Any, what: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ValueError(f"{what} is {value!r}; it must be a number.")
    if not isfinite(value):
        raise ValueError(f"{what} is {value}; it must be finite.")
    if not low <= value <= high:
        raise ValueError(f"{what} is {value:g}; it lies within [{low:g}, {high:g}].")
    return float(value)


def _switch(value: Any, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{what} is {value!r}; it must be True or False.")
    return bool(value)


def _whole(value: Any, what: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{what} is {value!r}; it must be a whole number.")
    if not low <= value <= high:
        raise ValueError(f"{what} is {value}; it lies within [{low}, {high}].")
    return int(value)
