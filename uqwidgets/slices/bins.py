"""Bins of a column, of which the candidates for slices are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.columns import Columns
from uqwidgets.evaluation.encoding import ordered_numbers
from uqwidgets.plotting.text import few, value_text

Mask = npt.NDArray[np.bool_]
# Numbers and dates are cut at so many quantiles; no more distinct values have a bin of each.
N_BINS = 40
# Of pairs of features, each is cut into so many.
N_COARSE = 8


@dataclass(frozen=True, eq=False)
class Bins:
    """A column cut into bins: ranges of numbers or dates in their order, or categories.

    Attributes
    ----------
    name : str
    codes : ndarray of int, shape (n,)
        The bin of each row, from 0; rows that belong to no bin, as those of rare categories, have
        the last one, which is in no slice.
    n_ordered : int
        The first so many bins are ranges in their order; every other one stands alone.
    labels : sequence
        Of a range, its lowest and its highest value; of a category, its text; None for missing
        values.
    """

    name: str
    codes: npt.NDArray[Any]
    n_ordered: int
    labels: list[Any]

    def __len__(self) -> int:
        """Return the number of bins, without that of the rows in none."""
        return len(self.labels)

    @classmethod
    def of(cls, columns: Columns, name: str, least: int) -> Bins:
        """Cut a column.

        Parameters
        ----------
        columns : Columns
        name : str
            Of one of them.
        least : int
            Categories of fewer rows have no bin.
        """
        order = ordered_numbers(columns, name)
        if order is not None:
            values: Any = columns.column(name).array if columns.holds_dates(name) else order
            return cls._of_order(name, order, values)
        texts, positions = columns.labels(name).by_text
        # The code -1 of a missing value is the last of the counts.
        counts = np.bincount(positions % (len(texts) + 1), minlength=len(texts) + 1)
        kept = np.flatnonzero(counts >= least)
        codes = np.full(len(texts) + 1, len(kept), dtype=np.intp)
        codes[kept] = np.arange(len(kept))
        return cls(name, _small(codes)[positions], 0, [[*texts, None][place] for place in kept])

    @classmethod
    def _of_order(cls, name: str, order: Floats, values: Any) -> Bins:
        """Cut a column by numbers that have the order of its values, NaN where one is missing."""
        by_order = np.argsort(order, kind="stable")[: np.count_nonzero(~np.isnan(order))]
        ordered = order[by_order]
        starts = np.unique(ordered)
        if len(starts) > N_BINS:
            starts = np.unique(ordered[np.arange(N_BINS) * len(ordered) // N_BINS])
        codes = np.searchsorted(starts, order, side="right") - 1
        codes[np.isnan(order)] = len(starts)
        first = np.searchsorted(ordered, starts)
        last = np.append(first, len(ordered))[1:] - 1
        ends = zip(by_order[first], by_order[last], strict=True)
        labels: list[Any] = [(values[low], values[high]) for low, high in ends]
        if len(ordered) < len(order):
            labels.append(None)
        return cls(name, _small(codes), len(starts), labels)

    def coarse(self) -> tuple[Positions, list[Mask]]:
        """Return a coarser bin of each row, and the masks of the bins that each coarse one holds.

        Neighbouring ranges are joined; of the bins that stand alone, the most frequent stay.
        """
        n_joined = min(self.n_ordered, N_COARSE)
        of = np.full(len(self) + 1, -1, dtype=np.intp)
        of[: self.n_ordered] = np.arange(self.n_ordered) * n_joined // max(self.n_ordered, 1)
        counts = np.bincount(self.codes, minlength=len(self) + 1)[self.n_ordered : len(self)]
        frequent = np.argsort(-counts, kind="stable")[: N_COARSE - n_joined]
        of[self.n_ordered + frequent] = n_joined + np.arange(len(frequent))
        n_coarse = n_joined + len(frequent)
        of[of < 0] = n_coarse
        return of[self.codes], [of[:-1] == bin_ for bin_ in range(n_coarse)]

    def condition(self, bins: Mask) -> dict[str, Any]:
        """Return the condition that the rows of some bins meet, as filters of a widget have it.

        Parameters
        ----------
        bins : ndarray of bool, shape (k,)
        """
        if not self.n_ordered:
            return {"feature": self.name, "values": [self.labels[k] for k in np.flatnonzero(bins)]}
        ranges = np.flatnonzero(bins[: self.n_ordered])
        if not len(ranges):
            return {"feature": self.name, "missing": "only"}
        low, high = self.labels[ranges[0]][0], self.labels[ranges[-1]][1]
        ends = {
            "low": None if ranges[0] == 0 else _plain(low),
            "high": None if ranges[-1] == self.n_ordered - 1 else _plain(high),
        }
        with_missing = {"missing": bool(bins[-1])} if len(bins) > self.n_ordered else {}
        return {"feature": self.name, **ends, **with_missing}

    def text(self, bins: Mask) -> str:
        """Return the condition in words: "age ≥ 61", "colour = red"."""
        condition = self.condition(bins)
        if "values" in condition:
            names = ["missing" if value is None else value for value in condition["values"]]
            return f"{self.name} = {' or '.join(few(names))}"
        if condition.get("missing") == "only":
            return f"{self.name} is missing"
        ranges = np.flatnonzero(bins[: self.n_ordered])
        low, high = (value_text(v) for v in (self.labels[ranges[0]][0], self.labels[ranges[-1]][1]))
        if len(ranges) == 1 and self.labels[ranges[0]][0] == self.labels[ranges[0]][1]:
            text = f"{self.name} = {low}"
        elif condition["low"] is None:
            text = f"{self.name} ≤ {high}"
        elif condition["high"] is None:
            text = f"{self.name} ≥ {low}"
        else:
            text = f"{self.name} from {low} to {high}"
        return f"{text} or missing" if condition.get("missing") else text


def _small(codes: Positions) -> npt.NDArray[Any]:
    """Return the same numbers in as few bytes as they need."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def _plain(value: Any) -> float | str:
    """Return an end of a range in plain form."""
    return value.isoformat() if hasattr(value, "isoformat") else float(value)
