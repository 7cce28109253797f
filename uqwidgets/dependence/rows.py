"""The parts of a figure of a curve for single rows: their colours, own values and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.distinct import positions_of
from uqwidgets.plotting.figure import Shade
from uqwidgets.plotting.text import value_text

# A number with no more distinct values is coloured as categories are.
_FEW = 6


def colours_of(
    result: Dependence, color_by: Any, rows: Positions
) -> tuple[npt.NDArray[Any], Shade]:
    """Return the value that colours the line of each row, and their title.

    Parameters
    ----------
    result : Dependence
    color_by : array-like of shape (n,)
        A value for each row of the table.
    rows : ndarray of shape (r,)
        Positions of the rows whose lines are drawn.

    Raises
    ------
    ValueError
        If it has not one value for each row.
    """
    column = color_by if isinstance(color_by, pd.Series) else pd.Series(color_by)
    n = result.curves.shape[1] if result.curve_rows is None else None
    if n is not None and len(column) != n:
        raise ValueError(
            f"color_by has {len(column):,} values and the table {n:,} rows; give a value for each."
        )
    if len(column) <= rows.max(initial=-1):
        raise ValueError(
            f"color_by has {len(column):,} values, and the chart draws row {rows.max():,}; give a "
            "value for each row of the table."
        )
    title = str(column.name) if column.name is not None else "color_by"
    values = column.iloc[rows]
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if is_number and column.nunique() > _FEW:
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where(np.isfinite(numbers), numbers, np.nan), Shade("colour", title)
    texts = ["missing" if pd.isna(value) else value_text(value) for value in values]
    return np.array(texts, dtype=object), Shade("colour", title)


def own_values_of(result: Dependence, rows: Positions, lines: Floats) -> dict[str, Any]:
    """Own value of the feature of each row that has one, and the height of its line there.

    Parameters
    ----------
    result : Dependence
    rows : ndarray of shape (r,)
    lines : ndarray of shape (r, g)

    Returns
    -------
    dict
        Columns ``row, value, ice``. Between two numbers of the grid a line is straight; of
        categories only those of the grid count.

    Raises
    ------
    ValueError
        For lines of refits or of slopes.
    """
    if result.per_refit is not None:
        raise ValueError(
            "the lines of a learner are its refits, which have no own values; draw the curve of "
            "a fitted model."
        )
    if result.derivative:
        raise ValueError(
            "a slope has no value of the row itself; draw own values with derivative=False."
        )
    observed = result.observed[pd.Index(result.rows).get_indexer(pd.Index(rows))]
    if result.categorical or len(result.grid) == 1:
        own = [value_text(value) for value in observed]
        places = positions_of(pd.Series(observed), result.grid.tolist())
        known = np.flatnonzero(places >= 0).tolist()
        heights = [lines[k, places[k]] for k in known]
        return {"row": rows[known], "value": [own[k] for k in known], "ice": heights}
    numbers = observed.astype(np.float64)
    finite = np.isfinite(result.grid)
    grid = result.grid[finite].astype(np.float64)
    inside = (numbers >= grid[0]) & (numbers <= grid[-1])
    heights = [np.interp(numbers[k], grid, lines[k, finite]) for k in np.flatnonzero(inside)]
    return {"row": rows[inside], "value": numbers[inside], "ice": np.array(heights)}


def counts_of(result: Dependence) -> list[int]:
    """Return how many rows have each category of the grid."""
    observed = pd.Series(result.observed, dtype=result.observed.dtype)
    places = positions_of(observed, result.grid.tolist())
    counts: list[int] = np.bincount(places[places >= 0], minlength=len(result.grid)).tolist()
    return counts


def observed_within(result: Dependence) -> tuple[Floats, int]:
    """Return the observed numbers within the ends of the grid, and how many are beyond them."""
    observed = pd.to_numeric(pd.Series(result.observed), errors="coerce").to_numpy(np.float64)
    observed = observed[np.isfinite(observed)]
    grid = result.grid[np.isfinite(result.grid)]
    inside = observed[(observed >= grid.min()) & (observed <= grid.max())]
    return inside, len(observed) - len(inside)
