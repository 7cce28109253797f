"""The value at which curves are centred, as the text that kernel and page exchange."""

from __future__ import annotations

from math import isfinite

import numpy as np

from uqwidgets.dependence import Grid
from uqwidgets.dependence.grids import dates_of
from uqwidgets.evaluation.table import Table


def is_value(table: Table, feature: str, text: str) -> bool:
    """Whether a text may stand for a value of a feature: a number, a category or a date."""
    dates = dates_of(table.column(feature))
    if dates is not None:
        try:
            dates.parse(feature, [text])
        except ValueError:
            return False
        return True
    if table.kind(feature) == "categorical":
        return text in table.labels(feature).texts
    return _number(text) is not None


def nearest_point(table: Table, grid: Grid, text: str) -> int | None:
    """Position of the point of a grid that is nearest to a value.

    Parameters
    ----------
    table : Table
    grid : Grid
    text : str
        Of a value of any feature; see `is_value`.

    Returns
    -------
    int or None
        None where the text is that of a value of another feature.
    """
    if not is_value(table, grid.feature, text):
        return None
    dates = dates_of(table.column(grid.feature))
    if dates is not None:
        at, places = (
            dates.to_numbers(dates.parse(grid.feature, [text])),
            dates.to_numbers(grid.points),
        )
        return int(np.argmin(np.abs(places - at[0])))
    if grid.categorical:
        labels = table.labels(grid.feature)
        texts = [labels.text(point, grid.feature) for point in grid.points]
        return texts.index(text) if text in texts else None
    number = _number(text)
    assert number is not None, "it is a value of the feature"
    return int(np.nanargmin(np.abs(grid.values.astype(np.float64) - number)))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
