"""Checks of single values that come from a browser; each error is one sentence."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np
import traitlets as t

from uqwidgets._utils.options import brief, is_whole
from uqwidgets.explainer.explainer import Explainer

# Letters of a name that does not exist.
_MOST_CHARACTERS = 1000
# What a name or a value of a column cannot be.
CONTAINERS = (dict, list, tuple, set)


class InputError(ValueError, t.TraitError):
    """A value that an input cannot have.

    As an error of traitlets it has values that are held back together put back.
    """


def text(name: str, value: Any, explainer: Explainer) -> str:
    """Return a text that may be a name."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is {brief(value)}; it must be a text.")
    check_length(name, value, explainer)
    return str(value)


def number(value: Any, what: str, low: float, high: float) -> float:
    """Return a finite number within [low, high]."""
    real = isinstance(value, (int, float, np.integer, np.floating))
    if isinstance(value, bool) or not real:
        raise ValueError(f"{what} is {brief(value)}; it must be a number.")
    try:
        result = float(value)
    except OverflowError:  # a whole number beyond all floats
        result = inf
    if not isfinite(result):
        raise ValueError(f"{what} is {brief(value)}; it must be finite.")
    if not low <= result <= high:
        raise ValueError(f"{what} is {result:g}; it lies within [{low:g}, {high:g}].")
    return result


def whole(value: Any, what: str, low: int, high: int) -> int:
    """Return a whole number within [low, high]."""
    if not is_whole(value):
        raise ValueError(f"{what} is {brief(value)}; it must be a whole number.")
    if not low <= value <= high:
        raise ValueError(f"{what} is {brief(value)}; it lies within [{low}, {high}].")
    return int(value)


def check_list(value: Any, what: str, example: str) -> None:
    """Raise a ValueError for what is no list, with an example of one."""
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{what} is {brief(value)}; it must be a list, such as {example}.")


def check_length(what: str, value: str, explainer: Explainer) -> None:
    """Raise a ValueError for a text that is longer than any name."""
    # The nearest names that do exist are looked for letter by letter.
    if len(value) <= _MOST_CHARACTERS:
        return
    measures = explainer.measures["measure"]
    names = {*explainer.features, *explainer.extra.names, *explainer.indicators, *measures}
    if value not in names:
        raise ValueError(
            f"{what} is {brief(value)}, a text of {len(value):,} characters, longer than any name."
        )
