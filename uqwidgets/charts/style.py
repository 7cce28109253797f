"""What all charts have in common."""

from __future__ import annotations

import altair as alt

from uqwidgets.stills.drawing import BLUE, GREEN, PURPLE, VERMILLION

# Altair refuses longer tables, for they make notebooks heavy.
MOST_LINES = 5000
# On the white of a chart, Okabe and Ito's black is in its place.
PALETTE = [BLUE, VERMILLION, GREEN, PURPLE, "#000000"]
DASHES = [[1, 0], [7, 4], [2, 4], [9, 3, 2, 3], [4, 2]]
FAINT = "#888888"
WIDTH = 420

# Columns of the frames have fixed names. Features never become a column: their names may hold
# what Vega-Lite reads as a path, such as dots and brackets.


def tooltips(names: list[str], numbers: list[str]) -> list[alt.Tooltip]:
    """Return columns to be shown as they are, and columns to be rounded."""
    return [
        *(alt.Tooltip(name) for name in names),
        *(alt.Tooltip(number, format=".4~g") for number in numbers),
    ]
