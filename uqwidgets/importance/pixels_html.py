"""Static HTML of the importance of every pixel, for features that are the pixels of a picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.importance.result import Importance
from uqwidgets.plotting.html import Markup, element, panel
from uqwidgets.plotting.svg import BLUE, FONT, PAGE, VERMILLION, label, picture
from uqwidgets.plotting.text import clipped, counted, interval, measured, with_unit

# Side of the drawn picture, and the side of a pixel whose interval contains no change, as a share.
_SIDE, _UNCLEAR = 280.0, 0.45
# Strengths of a colour; the pixels of one strength are one path.
_SHADES = 8
_TOP = 26.0
_NOTE = (
    "Blue: {label} is larger without the pixel's own value; red: smaller. The stronger the colour, "
    "the larger the change. Small squares: not clear from these rows."
)


def pixels_html(result: Importance, features: tuple[str, ...], n_rows: int) -> str:
    """Draw the importance of every pixel in its place.

    Parameters
    ----------
    result : Importance
        Of all pixels.
    features : tuple of str
        The pixels in the order of the picture, row by row.
    n_rows : int
        Number of rows of the picture.

    Returns
    -------
    str
    """
    places = {name: j for j, name in enumerate(result.features)}
    order = np.array([places[name] for name in features])
    value, low, high = (v[order] for v in (result.importance, result.low, result.high))
    is_clear = (low > result.unchanged) | (high < result.unchanged)
    summary = _summary(result, is_clear)
    n_columns = len(features) // n_rows
    side = _SIDE / max(n_rows, n_columns)
    frame = element(
        "rect",
        x=0,
        y=_TOP,
        width=f"{side * n_columns:.1f}",
        height=f"{side * n_rows:.1f}",
        fill="none",
        stroke=PAGE,
        stroke_opacity="0.4",
    )
    heading = label(clipped(with_unit(result.label, result.unit), _SIDE), 0, FONT / 2)
    drawn = _cells(value - result.unchanged, is_clear, n_columns, side)
    return panel(
        f"Importance of pixels for {result.label}",
        summary,
        picture(_TOP + side * n_rows + 6, summary, heading, frame, *drawn),
        [_NOTE.format(label=result.label)],
        Markup(""),
    )


def _summary(result: Importance, is_clear: npt.NDArray[np.bool_]) -> str:
    clear = counted(int(is_clear.sum()), "pixel")
    have = "has" if int(is_clear.sum()) == 1 else "have"
    text = f"{clear} of {len(is_clear):,} {have} an interval without {result.unchanged:g}."
    known = np.flatnonzero(np.isfinite(result.importance))
    if not len(known):
        return text
    top = int(known[np.argmax(result.importance[known])])
    size = measured(float(result.importance[top]), result.unit)
    ends = interval(result.low[top], result.high[top])
    return f"{text} The largest importance is that of {result.features[top]}: {size} ({ends})."


def _cells(
    change: Floats, is_clear: npt.NDArray[np.bool_], n_columns: int, side: float
) -> list[Markup]:
    """Return a path for the pixels of each colour and strength; none for those without a change."""
    size = np.where(np.isfinite(change), np.abs(change), 0.0)
    shade = np.ceil(_SHADES * size / (size.max(initial=0.0) or 1.0)).astype(int)
    cells = []
    for colour, sign in ((BLUE, 1), (VERMILLION, -1)):
        for strength in range(1, _SHADES + 1):
            pixels = np.flatnonzero((shade == strength) & (np.sign(change) == sign))
            if not len(pixels):
                continue
            drawn = "".join(_square(int(p), bool(is_clear[p]), n_columns, side) for p in pixels)
            opacity = f"{strength / _SHADES:.2f}"
            cells.append(element("path", d=drawn, fill=colour, fill_opacity=opacity))
    return cells


def _square(pixel: int, is_clear: bool, n_columns: int, side: float) -> str:
    length = side if is_clear else side * _UNCLEAR
    row, column = divmod(pixel, n_columns)
    gap = (side - length) / 2
    x, y = column * side + gap, _TOP + row * side + gap
    return f"M{x:.1f} {y:.1f}h{length:.1f}v{length:.1f}h{-length:.1f}z"
