"""What two tables are compared by: means and squares of numbers, shares of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.evaluation.encoding import ordered_numbers
from uqwidgets.evaluation.table import Table
from uqwidgets.plotting.text import counted, few, listed, value_text

# Rarer categories share one moment.
_LEAST_ROWS = 10

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ColumnMoments:
    """Functions of a column whose means two tables are compared by.

    Attributes
    ----------
    feature : str
    names : list of str, length k
        Such as ``"mean"``, ``"mean square"``, ``"share of 'red'"`` and ``"share missing"``.
    units, centres : ndarray of shape (k,)
        A function times its unit plus its centre is in the unit of the column.
    here : ndarray of shape (n, k)
        Functions of the rows at hand.
    there : ndarray of shape (m, k)
        The same functions of the rows of the other table.
    is_new : ndarray of bool, shape (m,)
        Rows of the other table with a category that no row at hand has, or with a missing value
        where none is at hand: no weights represent them.
    outside : ndarray of bool, shape (m,)
        These, and rows with a number beyond the range of the rows at hand.
    what_is_outside : str
        These values in words; empty if there are none.
    """

    feature: str
    names: list[str]
    units: Floats
    centres: Floats
    here: Floats
    there: Floats
    is_new: Mask
    outside: Mask
    what_is_outside: str

    @classmethod
    def of(cls, table: Table, other: Table, feature: str, *, squares: bool) -> ColumnMoments:
        """Return the moments of one column.

        Parameters
        ----------
        table, other : Table
        feature : str
        squares : bool
            Whether squares of numbers are compared too.

        Raises
        ------
        ValueError
            If the column is of another kind in the other table.
        """
        here, there = (ordered_numbers(each, feature) for each in (table, other))
        if (here is None) != (there is None):
            kinds = ["categories" if each is None else "numbers or dates" for each in (here, there)]
            raise ValueError(
                f"column {feature!r} holds {kinds[0]} in X and {kinds[1]} in table; convert it."
            )
        if here is None or there is None:
            return cls._of_categories(table, other, feature)
        is_date = table.holds_dates(feature)
        return cls._of_numbers(feature, here, there, squares=squares, is_date=is_date)

    @classmethod
    def _of_numbers(
        cls, feature: str, here: Floats, there: Floats, *, squares: bool, is_date: bool
    ) -> ColumnMoments:
        known = here[np.isfinite(here)]
        low, high = (known.min(), known.max()) if len(known) else (np.inf, -np.inf)
        centre = float(known.mean()) if len(known) else 0.0
        spread = float(known.std()) or 1.0
        names, units, centres = ["mean"], [spread], [centre]
        missing = [np.isnan(each) for each in (here, there)]
        # A missing value is at the mean, and its share is a moment of its own.
        scaled = [
            np.where(np.isfinite(each), (each - centre) / spread, 0.0) for each in (here, there)
        ]
        functions = [[each] for each in scaled]
        if squares and len(np.unique(known[:1000])) > 2:
            names.append("mean square")
            units.append(spread**2)
            centres.append(0.0)
            for values, own in zip(scaled, functions, strict=True):
                own.append(np.square(values))
        if missing[0].any():
            names.append("share missing")
            units.append(1.0)
            centres.append(0.0)
            for is_missing, own in zip(missing, functions, strict=True):
                own.append(is_missing * 1.0)
        no_missing = missing[1] & (not missing[0].any())
        beyond = (there < low) | (there > high)
        ends = [
            f"{sign} {'its dates' if is_date else value_text(float(end))}"
            for sign, end, is_there in (
                ("below", low, (there < low).any()),
                ("above", high, (there > high).any()),
            )
            if is_there
        ]
        words = [*ends, *(["missing values"] if no_missing.any() else [])]
        of_here, of_there = (np.column_stack(own) for own in functions)
        outside, text = beyond | no_missing, listed(words) if words else ""
        moved = np.array(units), np.array(centres)
        return cls(feature, names, *moved, of_here, of_there, no_missing, outside, text)

    @classmethod
    def _of_categories(cls, table: Table, other: Table, feature: str) -> ColumnMoments:
        texts, here = table.labels(feature).by_text
        other_texts, there = other.labels(feature).by_text
        places = {text: place for place, text in enumerate(texts)}
        # Another category than those at hand is at the place after them; a missing one is last.
        unseen, missing = len(texts), len(texts) + 1
        to_own = np.array([places.get(text, unseen) for text in other_texts] + [missing])
        here = np.where(here < 0, missing, here)
        there = to_own[there]
        counts = np.bincount(here, minlength=missing + 1)
        is_new = np.array([count == 0 for count in counts])[there]
        frequent = [k for k in range(missing) if counts[k] >= _LEAST_ROWS]
        rare = [k for k in range(missing) if 0 < counts[k] < _LEAST_ROWS]
        groups = [([k], f"share of {texts[k]!r}") for k in frequent]
        groups += [(rare, f"share of {counted(len(rare), 'rare category')}")] if rare else []
        groups += [([missing], "share missing")] if counts[missing] else []
        of_here, of_there = (
            np.column_stack([np.isin(codes, group) * 1.0 for group, _ in groups])
            for codes in (here, there)
        )
        new = [text for text in other_texts if text not in places]
        if is_new[there == missing].any():
            new.append("missing values")
        k = len(groups)
        names = [name.replace("categorys", "categories") for _, name in groups]
        words = listed(few(new)) if new else ""
        moved = np.ones(k), np.zeros(k)
        return cls(feature, names, *moved, of_here, of_there, is_new, is_new, words)


def moments_of(
    table: Table, other: Table, features: Sequence[str], *, squares: bool
) -> list[ColumnMoments]:
    """Return the moments of some columns, see `ColumnMoments.of`."""
    return [ColumnMoments.of(table, other, feature, squares=squares) for feature in features]
