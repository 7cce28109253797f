"""What a person can set, checked: whatever comes from a browser is untrusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import inf, isfinite
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
import pandas as pd
import traitlets as t

from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.labels import Labels
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings
from uqwidgets.inference import checked_interval
from uqwidgets.stress.columns import unstressable

MOST_LINES = 1000
MOST_REPEATS = 1000
MOST_CONDITIONS = 200
# Values of all conditions together.
MOST_VALUES = 100_000
# Letters of a name that does not exist.
_MOST_LETTERS = 1000
# What a message may have the model work for; Python may have it work for longer.
_MOST_SECONDS = 3600.0


# What a name or a value of a column cannot be.
_CONTAINERS = (dict, list, tuple, set)


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
        Texts of categories or classes, see `uqwidgets.evaluation.labels`; among them, None is
        for rows without a value.
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
    explainer.table.require_target("a filter of the target")
    if explainer.classes is None:
        return Labels.of(pd.Series(explainer.table.y))
    # The target may hold 1.0 where the model knows 1: both are the same class.
    return Labels(explainer.classes.tolist(), explainer.evaluations.truth)


def _input(default: Any, check: Callable[[str, Any, Explainer], Any]) -> Any:
    """Declare an input: its default, and what returns a value in its plain form or raises."""
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True)
class Inputs:
    """Everything that decides what the widget shows: each input once, with its validation.

    The traits of `Explorer` and the types of the front end are made from these declarations. A
    check gets the name of the input, the value and the explainer; it runs for every value, from
    Python and from the browser.
    """

    tau: float = _input(0.0, lambda name, value, _: _number(value, name, -1.0, 1.0))
    stress_feature: str = _input("", lambda *value: _stress_feature(*value))
    feature: str = _input("", lambda *value: _feature(*value))
    measure: str = _input("", lambda *value: _measure(*value))
    indicator: str = _input("", lambda *value: _indicator(*value))
    ice_filter: tuple[Condition, ...] = _input(
        (), lambda _, value, explainer: [c.plain() for c in conditions(value, explainer)]
    )
    ice_lines: int = _input(100, lambda name, value, _: _whole(value, name, 0, MOST_LINES))
    n_repeats: int = _input(10, lambda name, value, _: _whole(value, name, 2, MOST_REPEATS))
    interval: str = _input(
        "u-statistic", lambda name, value, ex: checked_interval(_text(name, value, ex))
    )
    center: bool = _input(False, lambda name, value, _: _switch(value, name))
    derivative: bool = _input(False, lambda name, value, _: _switch(value, name))

    def plain(self) -> dict[str, Any]:
        """Return the form that travels."""
        return {**vars(self), "ice_filter": [c.plain() for c in self.ice_filter]}


NAMES = tuple(f.name for f in fields(Inputs))
_CHECKS = {f.name: f.metadata["check"] for f in fields(Inputs)}
_TRAITS: dict[Any, type[t.TraitType[Any, Any]]] = {
    float: t.Float,
    int: t.Int,
    str: t.Unicode,
    bool: t.Bool,
}


def input_traits(**metadata: Any) -> dict[str, t.TraitType[Any, Any]]:
    """Make a trait of every input, tagged with the metadata; lists travel as lists of dicts."""
    types = get_type_hints(Inputs)
    traits = {
        f.name: _TRAITS[types[f.name]](f.default) if types[f.name] in _TRAITS else t.List(t.Dict())
        for f in fields(Inputs)
    }
    return {name: trait.tag(**metadata) for name, trait in traits.items()}


def validate(name: str, value: Any, explainer: Explainer) -> Any:
    """Return the value of an input if it may be one.

    Raises
    ------
    ValueError
        With a sentence that says what may be given.
    """
    return _CHECKS[name](name, value, explainer)


def validate_from_browser(name: str, value: Any, explainer: Explainer) -> Any:
    """Return the value of an input if a page may set it.

    Raises
    ------
    ValueError
        If it may not be one, or would have the model work for more than an hour.
    """
    plain = validate(name, value, explainer)
    if name == "n_repeats":
        settings = Settings(n_repeats=plain, seed=explainer.seed)
        replacements = settings.draws.replacements(explainer.table, (0,))
        seconds = len(explainer.features) * explainer.evaluations.seconds(replacements)
        if seconds > _MOST_SECONDS:
            raise ValueError(
                f"n_repeats is {plain}, for which the model would work for {seconds / 3600:.1f} "
                "hours; a page may ask for one hour, so choose fewer or set n_repeats in Python."
            )
    return plain


def immovable(table: Table, feature: str) -> str | None:
    """Why the slider cannot move a feature's mean, or None if it can."""
    if table.kind(feature) != "numeric":
        return "categorical"
    return unstressable(table, feature, missing="keep")


def is_stressable(table: Table, feature: str) -> bool:
    """Whether the slider takes the feature; a constant one stays where it is."""
    return immovable(table, feature) in (None, "constant")


def conditions(value: Any, explainer: Explainer) -> tuple[Condition, ...]:
    """Read filters in the form that travels.

    Raises
    ------
    ValueError
        If one is malformed or names what does not exist.
    """
    if not isinstance(value, (list, tuple)):
        raise ValueError("ice_filter must be a list of conditions.")
    if len(value) > MOST_CONDITIONS:
        raise ValueError(
            f"ice_filter has {len(value):,} conditions; it can have {MOST_CONDITIONS:,}."
        )
    listed = n_listed(value)
    if listed > MOST_VALUES:
        raise ValueError(f"ice_filter lists {listed:,} values; it can list {MOST_VALUES:,}.")
    return tuple(_condition(item, explainer) for item in value)


def n_listed(filters: Any) -> int:
    """Count the values that filters list, however malformed these are."""
    items = filters if isinstance(filters, (list, tuple)) else ()
    values = [item.get("values") for item in items if isinstance(item, dict)]
    return sum(len(each) for each in values if isinstance(each, (list, tuple)))


def _condition(item: Any, explainer: Explainer) -> Condition:
    if not isinstance(item, dict) or "feature" not in item:
        raise ValueError(
            "each ice_filter condition must be {'feature', 'low', 'high', 'missing'} or "
            "{'feature', 'values'}."
        )
    feature = item["feature"]
    if isinstance(feature, _CONTAINERS):
        raise ValueError(f"the feature of an ice_filter condition is {_brief(feature)}, no name.")
    if feature is not None:
        _check_length("the feature of an ice_filter condition", str(feature), explainer)
        feature = explainer.features[explainer.table.index(str(feature))]
    if "values" in item:
        values = item["values"]
        if not isinstance(values, (list, tuple)):
            raise ValueError("the values of an ice_filter condition must be a list.")
        nested = next((v for v in values if isinstance(v, _CONTAINERS)), None)
        if nested is not None:
            raise ValueError(f"a value of an ice_filter condition is {_brief(nested)}, no text.")
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


def _text(name: str, value: Any, explainer: Explainer) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {_brief(value)}; it must be a text.")
    _check_length(name, value, explainer)
    return value


def _measure(name: str, value: Any, explainer: Explainer) -> str:
    explainer.measure(_text(name, value, explainer))
    return str(value)


def _indicator(name: str, value: Any, explainer: Explainer) -> str:
    if _text(name, value, explainer) not in explainer.indicators:
        raise ValueError(unknown("indicator", value, list(explainer.indicators)))
    return str(value)


def _feature(name: str, value: Any, explainer: Explainer) -> str:
    if _text(name, value, explainer):
        explainer.table.index(value)
    return str(value)


def _stress_feature(name: str, value: Any, explainer: Explainer) -> str:
    if _feature(name, value, explainer) and not is_stressable(explainer.table, value):
        reason = immovable(explainer.table, value)
        raise ValueError(f"{value!r} cannot be stressed: {reason}.")
    return str(value)


def _bound(value: Any, end: str, feature: str) -> float | None:
    if value is None:
        return None
    return _number(value, f"the {end} end of the filter of {feature!r}", -np.inf, np.inf)


def _number(value: Any, what: str, low: float, high: float) -> float:
    real = isinstance(value, (int, float, np.integer, np.floating))
    if isinstance(value, bool) or not real:
        raise ValueError(f"{what} is {_brief(value)}; it must be a number.")
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        number = inf
    if not isfinite(number):
        raise ValueError(f"{what} is {_brief(value)}; it must be finite.")
    if not low <= number <= high:
        raise ValueError(f"{what} is {number:g}; it lies within [{low:g}, {high:g}].")
    return number


def _switch(value: Any, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{what} is {_brief(value)}; it must be True or False.")
    return bool(value)


def _whole(value: Any, what: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{what} is {_brief(value)}; it must be a whole number.")
    if not low <= value <= high:
        raise ValueError(f"{what} is {_brief(value)}; it lies within [{low}, {high}].")
    return int(value)


def _check_length(what: str, text: str, explainer: Explainer) -> None:
    # The nearest names that do exist are looked for letter by letter.
    if len(text) <= _MOST_LETTERS:
        return
    measures = explainer.measures()["measure"]
    if text not in {*explainer.features, *explainer.indicators, *measures}:
        raise ValueError(
            f"{what} is {_brief(text)}, a text of {len(text):,} letters; none is so long."
        )


def _brief(value: Any) -> str:
    """Write a value as an error shows it, however large or deep it is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # lists in lists; whole numbers of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:80]}..."
