"""Numbers, names and units as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Protocol
from unicodedata import east_asian_width

import pandas as pd

NOT_AVAILABLE = "not available"

# Numbers of this size and more are written with an exponent.
EXPONENT_FROM = 1e7

# Width of most letters in pixels, in the font size of the pictures, and what wide and narrow
# letters measure beside it; a wide font such as DejaVu Sans needs this much.
LETTER = 7.2
_WIDE, _NARROW = frozenset("mwMW@%"), frozenset("ijltfI.,:;'|! ")


def number(value: float, digits: int = 3) -> str:
    """Return a number with significant digits, whole from a thousand; NaN is "not available"."""
    if not math.isfinite(value):
        return NOT_AVAILABLE
    size = abs(value)
    if size >= EXPONENT_FROM or 0 < size < 1e-4:
        return minus(f"{value:.{digits}g}")
    if size >= 1e4:
        return minus(f"{value:,.0f}")
    return minus(f"{value:.0f}" if size >= 1e3 else f"{value:.{digits}g}")


def value_text(value: Any) -> str:
    """Return a value of a feature: a number in significant digits, a day without its midnight."""
    if isinstance(value, float) and math.isfinite(value):
        return number(value, 4)
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return str(value.date())
    return "missing" if pd.isna(value) is True else str(value)


def minus(text: str) -> str:
    """Replace hyphens by minus signs, and drop the sign of a zero."""
    return text.replace("-", "\N{MINUS SIGN}") if text.strip("-0.") else text.lstrip("-")


def interval(low: float, high: float) -> str:
    """Return both ends of an interval, or "no interval" if one is not finite."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "no interval"
    return f"{number(low)} to {number(high)}"


def with_unit(label: str, unit: str) -> str:
    """Return "entropy (nats)", or just the label where there is no unit."""
    return f"{label} ({unit})" if unit else label


def measured(value: float, unit: str) -> str:
    """Return "0.31 nats"."""
    return f"{number(value)} {unit}" if unit and math.isfinite(value) else number(value)


def counted(count: int, noun: str) -> str:
    """Return "1 row", "1,000 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def sentence(text: str) -> str:
    """Return text with a capital letter at its start."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def few(names: list[str]) -> list[str]:
    """Return up to six names, or the first five of more and the number of the others."""
    return names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]


def not_available(names: Sequence[str], reasons: Sequence[str]) -> list[str]:
    """Return a sentence for each reason, with up to six of the names that have no number."""
    of: dict[str, list[str]] = {}
    for name, reason in zip(names, reasons, strict=True):
        of.setdefault(reason, []).append(name)
    return [f"{sentence(NOT_AVAILABLE)} ({why}): {listed(few(of[why]))}." for why in of]


class Groups(Protocol):
    """Groups of rows; their text is such as "30 patients"."""

    @property
    def ess(self) -> float:
        """Effective number of groups."""


def counted_rows(n_rows: int, groups: object | None = None) -> str:
    """Return a number of rows, and what they belong to: "900 rows of 30 patients"."""
    rows = counted(n_rows, "row")
    return rows if groups is None else f"{rows} of {groups}"


def population(weighted: bool, ess: float, n_rows: int, groups: Groups | None = None) -> str:
    """Return the number of rows of a result, and their effective sample size if weighted."""
    rows = counted_rows(n_rows, groups)
    if not weighted:
        return rows
    worth = number(ess) if groups is None else f"{number(groups.ess)} groups"
    return f"{rows}, weighted, worth about {worth} (effective sample size)"


def pixels(text: str) -> float:
    """Approximate width of a text in pixels."""
    return LETTER * sum(_letters(letter) for letter in text)


def _letters(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 2.0
    return 1.65 if letter in _WIDE else 0.6 if letter in _NARROW else 1.0


def distinct(names: Sequence[str]) -> list[str]:
    """Return names without the beginning and the end that all long ones have in common.

    Names of up to 24 letters stay whole, and so do words.

    Parameters
    ----------
    names : sequence of str

    Examples
    --------
    >>> distinct(["age", *(f"expression of gene {k} (log2 counts)" for k in "AB")])
    ['age', '…A…', '…B…']
    """
    long = [name for name in names if len(name) > _WHOLE]
    if len(long) < 2:
        return list(names)
    start, end = _common(long), _common([name[::-1] for name in long])
    if any(len(name) <= start + end for name in long):
        return list(names)
    return [
        f"{'…' * (start > 0)}{name[start : len(name) - end]}{'…' * (end > 0)}"
        if len(name) > _WHOLE
        else name
        for name in names
    ]


def _common(names: Sequence[str]) -> int:
    """Length of the beginning that names have in common, in whole words; 0 if it is short."""
    first, last = min(names), max(names)
    at = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    size = len(_WORD_BEFORE.sub("", first[:at]))
    return size if size > 3 else 0


# Letters of a name that is always shown whole, and the part of a word at the end of a beginning.
_WHOLE, _WORD_BEFORE = 24, re.compile(r"[^ _.,:()/-]*$")


def clipped(text: str, room: float) -> str:
    """Return a text, shortened with an ellipsis if it is wider than ``room`` pixels."""
    fits = 0
    # The rest of a long text is not measured.
    for end, wide in enumerate(accumulate(_letters(letter) for letter in text), start=1):
        if LETTER * wide > room:
            return f"{text[:fits].rstrip()}…"
        if LETTER * wide + LETTER <= room:
            fits = end
    return text
