"""Groups of rows by class or by a column, distinguished by colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.columns import Columns
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import mean_intervals_in
from uqwidgets.predictive.distributions import class_codes
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.conditions import columns_with
from uqwidgets.widgets.rows.places import axis_places, place_text

# Steps of the colours of a number, whose ends are these quantiles of the column.
RAMP_STEPS = 9
_ENDS = (0.02, 0.98)
# Categories with a colour of their own, beside those of all others and of missing values.
_MOST = 8
# A number with no more distinct values has a group for each.
_FEW = 6
_THIRDS = (1 / 3, 2 / 3)


@dataclass(frozen=True, eq=False)
class RowGroups:
    """The group of every row.

    Attributes
    ----------
    names : tuple of str
        Of the groups; empty where all rows are alike.
    codes : ndarray of shape (n,)
        Position of each row's group.
    steps : ndarray of shape (n,)
        What the colour of each row's line shows: its group, or the step of its number on the
        ramp, `RAMP_STEPS` where it is missing.
    ramp : tuple of two str, or None
        The numbers at both ends of the ramp.
    """

    names: tuple[str, ...]
    codes: Positions
    steps: Positions
    ramp: tuple[str, str] | None = None

    @property
    def count(self) -> int:
        """Number of groups, at least one."""
        return max(1, len(self.names))

    def among(self, rows: Positions) -> RowGroups:
        """Return the groups of some of the rows."""
        return RowGroups(self.names, self.codes[rows], self.steps[rows], self.ramp)

    def averages(
        self, curves: Floats, populations: Sequence[Population]
    ) -> tuple[Floats, Floats, Floats]:
        """Average the curves of each group, with pointwise intervals.

        Parameters
        ----------
        curves : ndarray of shape (g, n)
        populations : sequence of Population, length t

        Returns
        -------
        average, low, high : ndarray of shape (t, groups, g)
            NaN for a group without scored rows.
        """
        shape = (len(populations), self.count, len(curves))
        average, low, high = np.full((3, *shape), np.nan)
        for k in range(self.count):
            members = np.flatnonzero(self.codes == k)
            own = [p.among(members) if p.scored[members].any() else None for p in populations]
            known = [p for p in own if p is not None]
            if not known:
                continue
            means = mean_intervals_in(curves[:, members], known)
            places = [i for i, p in enumerate(own) if p is not None]
            average[places, k] = means.estimate
            low[places, k], high[places, k] = means.at(LEVEL)
        return average, low, high


class Groupings:
    """The groups of the rows by class, and by every column that was chosen.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._known: dict[str, RowGroups] = {}

    def of(self, column: str) -> RowGroups:
        """Return the groups by a feature or an extra column; by class if the name is empty."""
        if column not in self._known:
            columns = columns_with(self._explainer, column) if column else None
            self._known[column] = (
                self._classes() if columns is None else _groups_by(columns, column)
            )
        return self._known[column]

    def _classes(self) -> RowGroups:
        table, classes = self._explainer.table, self._explainer.classes
        if classes is None or not table.has_target:
            codes = np.zeros(len(table), dtype=np.intp)
            return RowGroups((), codes, codes)
        codes = class_codes(table.y, classes)
        return RowGroups(tuple(str(c) for c in classes), codes, codes)


def _groups_by(columns: Columns, name: str) -> RowGroups:
    numbers = axis_places(columns, name)
    if numbers is None:
        return _by_category(columns, name)
    finite = np.unique(numbers[np.isfinite(numbers)])
    return (
        _by_category(columns, name) if len(finite) <= _FEW else _by_number(columns, name, numbers)
    )


def _by_category(columns: Columns, name: str) -> RowGroups:
    """Group by the most frequent values, all others together, and missing ones."""
    labels = columns.labels(name)
    texts, codes = labels.by_text
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    frequent = {texts[k] for k in np.argsort(-counts, kind="stable")[:_MOST].tolist()}
    names = [text for text in labels.texts if text in frequent]
    place_of = {text: place for place, text in enumerate(names)}
    places = np.array([place_of.get(text, len(names)) for text in texts], dtype=np.intp)
    others = len(texts) - len(names)
    if others:
        names.append(f"{others} others" if others > 1 else "1 other")
    value = np.where(codes < 0, -1, places[codes])
    return _with_missing(names, value)


def _by_number(columns: Columns, name: str, numbers: Floats) -> RowGroups:
    """Group by thirds of the rows; colours follow the number itself."""
    finite = np.isfinite(numbers)
    low, high = np.quantile(numbers[finite], _ENDS)
    if low == high:
        low, high = numbers[finite].min(), numbers[finite].max()
    share = np.clip((np.where(finite, numbers, low) - low) / (high - low), 0, 1)
    cuts = np.unique(np.quantile(numbers[finite], _THIRDS))
    cuts = cuts[cuts < numbers[finite].max()]
    texts = [place_text(columns, name, cut) for cut in cuts.tolist()]
    names = [
        f"up to {texts[0]}",
        *(f"{a} to {b}" for a, b in pairwise(texts)),
        f"above {texts[-1]}",
    ]
    value = np.where(finite, np.searchsorted(cuts, numbers, side="left"), -1)
    steps = np.where(finite, np.minimum((share * RAMP_STEPS).astype(np.intp), RAMP_STEPS - 1), -1)
    groups = _with_missing(names, value)
    ends = place_text(columns, name, float(low)), place_text(columns, name, float(high))
    return RowGroups(groups.names, groups.codes, np.where(steps < 0, RAMP_STEPS, steps), ends)


def _with_missing(names: list[str], codes: npt.NDArray[np.intp]) -> RowGroups:
    """Make the rows without a value a group of their own."""
    if (codes < 0).any():
        codes, names = np.where(codes < 0, len(names), codes), [*names, "missing"]
    return RowGroups(tuple(names), codes, codes)
