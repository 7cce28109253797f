"""Grids for columns that are only seen batch by batch, fixed before any rows are summed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.stress.anchors import Anchor, Anchors, anchors_of, share_anchors
from uqwidgets.stress.compressed.compression import Compressed, Grid
from uqwidgets.stress.compressed.grids import Distinct, Sums
from uqwidgets.stress.compressed.panels import Panels
from uqwidgets.stress.out_of_core.anchors import ends_of
from uqwidgets.stress.out_of_core.scan import Categories, Numeric, column_of, numbers_in
from uqwidgets.stress.out_of_core.sources import Source


@dataclass(frozen=True, eq=False)
class Placed:
    """A column whose mean, or a category whose share, is moved, and the grid for its rows.

    Attributes
    ----------
    name : str
        The feature, or ``feature=category``.
    feature : str
    category : object or None
    least, most : float
    ends : Anchors
    grid : Grid
    """

    name: str
    feature: str
    category: Hashable | None
    least: float
    most: float
    ends: Anchors
    grid: Grid

    def values(self, batch: pd.DataFrame) -> Floats:
        """Numbers whose mean is moved, shape (n,); NaN where there is none."""
        column = column_of(batch, self.feature)
        if self.category is None:
            return numbers_in(column)
        held = np.asarray(column == self.category, dtype=np.float64)
        return np.where(column.isna(), np.nan, held)

    def compressed(self, sums: Sums) -> Compressed:
        """Table of all rows."""
        return Compressed(self.least, self.most, self.ends.low, self.ends.high, self.grid, sums)


def placed(
    source: Source,
    surveyed: Mapping[str, Numeric | Categories],
    alpha: float,
    anchor: Anchor,
) -> list[Placed]:
    """Fix the grids of all columns, which the rows of every batch then share.

    Raises
    ------
    ValueError
        If a column cannot be placed on a grid; the message says why.
    """
    numeric = {f: s for f, s in surveyed.items() if isinstance(s, Numeric)}
    ends = ends_of(source, numeric, alpha, anchor)
    found = []
    for feature, column in surveyed.items():
        if isinstance(column, Numeric):
            found.append(_numeric(feature, column, ends[feature]))
        else:
            found.extend(_categories(feature, column, alpha))
    return found


def _numeric(feature: str, column: Numeric, ends: Anchors) -> Placed:
    grid: Grid
    if column.distinct is not None:
        grid = Distinct(column.distinct)
    else:
        grid = Panels(column.least, column.most, ends.low, ends.high, column.n)
        if grid.too_fine:
            raise ValueError(
                f"{feature!r} runs from {column.least:g} to {column.most:g}, next to which tau = "
                "-1 or 1 comes too near to an end, or there are too few floats between; subtract "
                "its offset, or stress its logarithm."
            )
    return Placed(feature, feature, None, column.least, column.most, ends, grid)


def _categories(feature: str, column: Categories, alpha: float) -> list[Placed]:
    assert column.counts is not None
    found = []
    for label in sorted(column.counts, key=str):
        share = column.counts[label] / column.n
        values = np.array([0.0, 1.0] if share < 1 else [1.0])
        ends = share_anchors(share, alpha) if share < 1 else anchors_of(values, alpha, "quantile")
        name = f"{feature}={label}"
        found.append(Placed(name, feature, label, values[0], values[-1], ends, Distinct(values)))
    return found
