"""A figure: panels of marks along two axes. `plotting.static` and `plotting.altair` draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.svg import BLUE

# Columns by name: a table of pandas refuses some names, such as halves of surrogate pairs.
Columns = Mapping[str, Any] | pd.DataFrame
Kind = Literal[
    "line", "band", "interval", "dot", "ring", "square", "stroke", "rug", "cell", "cross", "text"
]
# An axis, "x" or "y", and a value on it.
Rule = tuple[Literal["x", "y"], float]


@dataclass(frozen=True, eq=False)
class Axis:
    """What stands along one side of a panel; panels with the same object share its scale.

    Attributes
    ----------
    title : str or None
    names : sequence of str or None
        Categories in their order; None for numbers.
    labels : sequence of str or None
        What a static picture writes in place of the names.
    ends : tuple of float or None
        Fixed ends of a scale of numbers.
    tight : bool
        Whether a scale of numbers ends with them.
    ticks : sequence of (float, str) or None
        Where an axis of numbers has labels; None for round numbers.
    """

    title: str | None = None
    names: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    ends: tuple[float, float] | None = None
    tight: bool = False
    ticks: Sequence[tuple[float, str]] | None = None


@dataclass(frozen=True)
class Shade:
    """A column whose values are colours, with its title.

    Attributes
    ----------
    column, title : str
    colours : tuple of str
        From the lowest to the highest number; empty for the colours of the renderer.
    ends : tuple of float or None
        The lowest and the highest number; None for those of the column.
    """

    column: str
    title: str
    colours: tuple[str, ...] = ()
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Mark:
    """What is drawn for the lines of a table.

    Attributes
    ----------
    kind : str
    data : mapping or DataFrame
        Columns by name.
    x, y : str
        Columns; a rug has no ``y``.
    x2, y2 : str
        Columns of the other end of an interval, a band or a cell.
    order : str
        The column along which a line goes, if not along its axis.
    each : str
        A column: there is one line for each of its values.
    in_series : bool
        Whether the column of the figure's series says which colour and dash it has.
    colour : str or None
        None for a faint mark in the background.
    opacity, width : float
        Of lines and bands.
    dashed : bool
    solid : str
        A column of bool: where false, lines are dashed, dots hollow and cells crossed out.
    shade : Shade or None
    text : str
        The column that a text shows.
    percent : bool
        Whether the text is a share.
    tips : sequence of str
        Columns that a chart shows on hover.
    """

    kind: Kind
    data: Columns
    x: str
    y: str = ""
    x2: str = ""
    y2: str = ""
    order: str = ""
    each: str = ""
    in_series: bool = False
    colour: str | None = BLUE
    opacity: float = 1.0
    width: float = 2.2
    dashed: bool = False
    solid: str = ""
    shade: Shade | None = None
    text: str = ""
    percent: bool = False
    tips: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Panel:
    """Marks along two axes.

    Attributes
    ----------
    x, y : Axis
    marks : sequence of Mark
        From the back to the front.
    title : str
    rules : sequence of tuple of (str, float)
        Lines across the panel at a value of an axis, "x" or "y"; the scale includes it.
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    title: str = ""
    rules: Sequence[Rule] = ()


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels beside and below each other.

    Attributes
    ----------
    title : str
    subtitle : str or sequence of str
        Of the chart; a static picture has its own words around it.
    panels : sequence of Panel
    series : tuple of (str, sequence of str) or None
        A column of the marks and its values, in the order of their colours.
    columns : int
        Panels beside each other.
    size : tuple of float
        Width of a static picture and height of each of its panels, in pixels.
    words : sequence of str
        A text at the end of each row of a static picture.
    """

    title: str
    subtitle: str | Sequence[str]
    panels: Sequence[Panel]
    series: tuple[str, Sequence[str]] | None = None
    columns: int = 1
    size: tuple[float, float] = (640.0, 220.0)
    words: Sequence[str] = ()


def dots(
    data: Columns, value: str, name: str, low: str = "low", high: str = "high", **more: Any
) -> list[Mark]:
    """Return whiskers and a dot for each name.

    Parameters
    ----------
    data : mapping or DataFrame
    value, name, low, high : str
        Columns.
    **more
        Other fields of both marks.
    """
    return [
        Mark("interval", data, low, name, x2=high, **more),
        Mark("dot", data, value, name, **more),
    ]


def chosen(columns: Mapping[str, Any], which: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Return some lines of columns."""
    lines = np.flatnonzero(which).tolist()
    return {
        name: values[lines] if isinstance(values, np.ndarray) else [values[i] for i in lines]
        for name, values in columns.items()
    }


def present(figure: Figure, panel: Panel) -> list[str]:
    """Return the series that a panel shows, in their order."""
    if figure.series is None:
        return []
    column, names = figure.series
    shown = {name for mark in panel.marks if mark.in_series for name in mark.data[column]}
    return [name for name in names if name in shown]


def edges(values: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return where cells around numbers begin and end: midway to the next, or with the last."""
    grid, places = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    ends = np.concatenate([grid[:1], grid[:-1] + np.diff(grid) / 2, grid[-1:]])
    return ends[places], ends[places + 1]


def values_along(
    figure: Figure, axis: Axis, side: Literal["x", "y"]
) -> tuple[list[npt.ArrayLike], tuple[Floats, Floats] | None]:
    """Return all numbers along an axis, and the ends of bands along it.

    Parameters
    ----------
    figure : Figure
    axis : Axis
    side : str
        Where the axis stands: "x" or "y".
    """
    values: list[npt.ArrayLike] = []
    bands: list[Floats] = []
    for panel in figure.panels:
        if getattr(panel, side) is not axis:
            continue
        rules = [value for of, value in panel.rules if of == side]
        for mark in panel.marks:
            columns = [name for name in (getattr(mark, side), getattr(mark, side + "2")) if name]
            ends = np.array([mark.data[name] for name in columns], dtype=np.float64)
            if mark.kind == "band" and len(columns) == 2:
                bands.append(ends)
            elif mark.kind != "rug":
                values.append(ends)
                # A line of reference alone needs no axis.
                values += [rules] if np.isfinite(ends).any() else []
    if not bands:
        return values, None
    low, high = np.concatenate(bands, axis=1)
    return values, (low, high)
