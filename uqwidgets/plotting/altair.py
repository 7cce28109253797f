"""Colours, sizes and display that all Altair charts share."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib.util import find_spec

import altair as alt
import numpy.typing as npt

from uqwidgets.plotting.svg import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    extent_with_bands,
)

# Altair refuses longer tables, since they make notebooks heavy.
MOST_LINES = 5000
# Charts have a white background, so that the black of Okabe and Ito 2008 can be used.
PALETTE = [BLUE, VERMILLION, GREEN, PURPLE, "#000000", ORANGE, SKY]
DASHES = [[1, 0], [7, 4], [2, 4], [9, 3, 2, 3], [4, 2], [12, 3], [2, 2]]
FAINT = "#888888"
WIDTH = 420

# Columns of the frames have fixed names. Features never become a column: their names may hold
# what Vega-Lite reads as a path, such as dots and brackets.


def show_without_network() -> None:
    """Have notebooks show charts as SVG, which vl-convert draws without the network.

    Altair's default display loads scripts from the network. A renderer that the user has chosen,
    before or after the first chart, is left unchanged.
    """
    if alt.renderers.active != "default":
        return
    if find_spec("vl_convert"):
        alt.renderers.enable("svg")
    elif _is_in_kernel():
        warnings.warn(
            "Altair needs the network to show charts in this notebook; install the extra "
            "uqwidgets[charts], or show the result itself, which needs no network.",
            stacklevel=2,
        )


def _is_in_kernel() -> bool:
    # A script may import ipykernel too: ipywidgets does.
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


show_without_network()


def line_styles(names: list[str], field: str = "feature") -> tuple[alt.Color, alt.StrokeDash]:
    """Return a colour and a dash for every one of these features, or names in another column.

    The scale names all of them, so that charts side by side, which share it, agree.
    """
    # Without explicit symbols, the legend would take the faint colour of a band.
    legend = alt.Legend(
        symbolType="stroke", symbolSize=300, symbolStrokeWidth=2.5, symbolOpacity=1, labelLimit=180
    )
    colours = [PALETTE[k % len(PALETTE)] for k in range(len(names))]
    # Beyond the number of colours, the same colours have other dashes.
    dashes = [DASHES[(k + k // len(PALETTE)) % len(DASHES)] for k in range(len(names))]
    colour = alt.Scale(domain=names, range=colours)
    dash = alt.Scale(domain=names, range=dashes)
    return (
        alt.Color(f"{field}:N", title=None, scale=colour, legend=legend),
        alt.StrokeDash(f"{field}:N", title=None, scale=dash, legend=legend),
    )


def scale_with_bands(
    values: Sequence[npt.ArrayLike], bands: tuple[npt.ArrayLike, npt.ArrayLike] | None
) -> alt.Scale:
    """Return the scale of `extent_with_bands`; the marks of the bands have to be clipped."""
    extent = extent_with_bands(values, bands)
    # Without a finite value, Altair chooses.
    return alt.Scale(zero=False) if extent is None else alt.Scale(domain=list(extent), nice=True)


def tooltips(names: list[str], numbers: list[str]) -> list[alt.Tooltip]:
    """Return tooltips: names are shown as they are, numbers with four significant digits."""
    return [
        *(alt.Tooltip(name) for name in names),
        *(alt.Tooltip(number, format=".4~g") for number in numbers),
    ]
