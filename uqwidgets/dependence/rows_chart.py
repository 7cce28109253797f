"""The parts of an Altair chart of a curve for single rows: their colour, and their own values."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.distinct import positions_of
from uqwidgets.plotting.altair import PALETTE
from uqwidgets.plotting.text import value_text

# A number with no more distinct values is coloured as categories are.
_FEW = 6


def colours_of(result: Dependence, color_by: Any, rows: Positions) -> tuple[list[Any], alt.Color]:
    """Return the value that colours the line of each row, and how it is encoded.

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
        plain: list[Any] = [float(v) if np.isfinite(v) else None for v in numbers]
        return plain, alt.Color("colour:Q", title=title, scale=alt.Scale(scheme="viridis"))
    texts: list[Any] = ["missing" if pd.isna(value) else value_text(value) for value in values]
    # Without its own opacity, the legend would be as faint as the lines.
    legend = alt.Legend(symbolOpacity=1, labelLimit=180)
    scale = alt.Scale(range=PALETTE)
    return texts, alt.Color("colour:N", title=title, scale=scale, legend=legend)


def own_values(result: Dependence, rows: Positions, lines: Floats) -> pd.DataFrame:
    """Own value of the feature of each row that has one, and the height of its line there.

    Parameters
    ----------
    result : Dependence
    rows : ndarray of shape (r,)
    lines : ndarray of shape (r, g)

    Returns
    -------
    DataFrame
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
        return pd.DataFrame({"row": rows[known], "value": [own[k] for k in known], "ice": heights})
    numbers = observed.astype(np.float64)
    finite = np.isfinite(result.grid)
    grid = result.grid[finite].astype(np.float64)
    inside = (numbers >= grid[0]) & (numbers <= grid[-1])
    heights = [np.interp(numbers[k], grid, lines[k, finite]) for k in np.flatnonzero(inside)]
    return pd.DataFrame({"row": rows[inside], "value": numbers[inside], "ice": heights})
