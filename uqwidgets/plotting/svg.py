"""The parts of a picture: its frame, scales, axes and lines."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from uqwidgets.plotting.html import Markup, element, words
from uqwidgets.plotting.text import EXPONENT_FROM, minus

WIDTH = 640.0
FONT = 12

# The colours of Okabe and Ito 2008 that are visible on white and on black. The page's text colour
# replaces their black.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY = "#E69F00", "#56B4E9"
PAGE = "currentColor"
# Colours and dashes of several series, in their order.
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, PAGE, ORANGE, SKY)
DASHES = ("", "7 4", "2 4", "9 3 2 3", "4 2", "12 3", "2 2")
# An image cannot use the page's colours: this grey has a contrast of 4.5 with white and black.
GREY = "#767676"
# Pixels: points at one place have slopes as well.
_NO_DISTANCE = 1e-9


@dataclass(frozen=True)
class Scale:
    """A linear scale.

    Attributes
    ----------
    low, high : float
        Ends of the scale, in the unit of the data.
    start, stop : float
        Pixels of these ends.
    marked : sequence of (float, str) or None
        Values with labels; None for round numbers.
    """

    low: float
    high: float
    start: float
    stop: float
    marked: Sequence[tuple[float, str]] | None = None

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        # Whole numbers that differ may be the same float.
        share = (value - self.low) / (self.high - self.low) if self.high != self.low else 0.5
        return self.start + share * (self.stop - self.start)

    def pixels(self, values: npt.ArrayLike) -> list[float]:
        """Return the pixels of many values."""
        with np.errstate(over="ignore", invalid="ignore"):
            numbers, width = np.asarray(values, dtype=np.float64), self.high - self.low
            share = (numbers - self.low) / width if width else np.full(numbers.shape, 0.5)
            pixels: list[float] = (self.start + share * (self.stop - self.start)).tolist()
        return pixels

    def ticks(self, spacing: float) -> list[tuple[float, str]]:
        """Pixels and labels of round numbers, at least about ``spacing`` pixels apart."""
        marked = self.marked
        if marked is None:
            marked = ticks(self.low, self.high, max(1.0, abs(self.stop - self.start) / spacing))
        return [(self(value), label) for value, label in marked]


def extent_with_bands(
    values: Sequence[npt.ArrayLike], bands: tuple[npt.ArrayLike, npt.ArrayLike] | None
) -> tuple[float, float] | None:
    """Return the least and the largest value, with room for bands.

    On each side there is as much room as the values take, or the median width of the bands where
    that is more. So a band that is far wider than the others does not hide the values.

    Parameters
    ----------
    values : sequence of array-like
    bands : tuple of array-like, or None
        Lower and upper ends.

    Returns
    -------
    tuple of float, or None
        None if no value is finite.
    """
    ends = _extent(values)
    if ends is None or bands is None:
        return ends
    low, high = ends
    least, largest = _extent(bands) or ends
    widths = np.subtract(bands[1], bands[0])
    widths = widths[np.isfinite(widths)]
    usual = float(np.median(widths)) if widths.size else 0.0
    # If all values are equal and most bands have no width, the widest band determines it.
    room = max(high - low, usual) or math.inf
    return min(low, max(least, low - room)), max(high, min(largest, high + room))


def _extent(values: Sequence[npt.ArrayLike]) -> tuple[float, float] | None:
    """Return the least and the largest finite number."""
    numbers = np.concatenate(
        [np.empty(0), *(np.ravel(np.asarray(v, dtype=np.float64)) for v in values)]
    )
    numbers = numbers[np.isfinite(numbers)]
    return (float(numbers.min()), float(numbers.max())) if numbers.size else None


def fitted(
    values: Sequence[npt.ArrayLike], start: float, stop: float, margin: float = 0.04
) -> Scale | None:
    """Return a scale that holds all finite values, or None if there are none."""
    ends = _extent(values)
    if ends is None:
        return None
    low, high = ends
    # If all values are equal, the scale still needs a length.
    spare = margin * (high - low) if high > low else 0.1 * abs(low) or 1.0
    # The margin does not cross zero: most quantities are of one sign.
    low, high = (
        max(low - spare, 0.0) if low >= 0 else low - spare,
        min(high + spare, 0.0) if high <= 0 and low < 0 else high + spare,
    )
    return Scale(low, high, start, stop)


def ticks(low: float, high: float, count: float) -> list[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten between ``low`` and ``high``, about ``count``."""
    if low == high:
        return [(low, minus(f"{low:g}"))]
    least = (high - low) / count
    power = 10.0 ** math.floor(math.log10(least))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))
    values = [
        i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]
    magnitude = math.floor(math.log10(step) + 1e-9)
    largest = max(abs(low), abs(high))
    if largest >= EXPONENT_FROM or largest < 1e-3:
        digits = max(1, math.floor(math.log10(largest)) - magnitude + 1)
        return [(v, minus(f"{v:.{digits}g}")) for v in values]
    grouping = "," if largest >= 1e4 else ""
    return [(v, minus(f"{v:{grouping}.{max(0, -magnitude)}f}")) for v in values]


def picture(height: float, summary: str, *parts: Markup) -> Markup:
    """Return a picture that shrinks with its page and has a text alternative."""
    # Line breaks separate the labels where a host removes the SVG elements but not their text.
    drawn = "".join(f"{part}\n" for part in parts)
    size: dict[str, str | float] = {
        "width": WIDTH,
        "height": height,
        "viewBox": f"0 0 {WIDTH:g} {height:g}",
    }
    shown = element(
        "svg",
        Markup(drawn),
        role="img",
        aria_label=summary,
        font_size=FONT,
        fill=PAGE,
        **size,
        style="max-width:100%;height:auto;display:block",
    )
    # JupyterLab removes SVG elements from notebooks that it does not trust, and leaves their labels
    # behind: without the size that the picture gives them, these are out of sight. It also removes
    # the attribute `hidden`, so that the image takes the picture's place exactly there.
    return element("div", shown, _image(drawn, height, summary, size), style="font-size:0")


def _image(drawn: str, height: float, summary: str, size: dict[str, str | float]) -> Markup:
    """Return the same picture as a hidden image, in a grey that is legible on white and black."""
    source = element(
        "svg",
        Markup(drawn),
        xmlns="http://www.w3.org/2000/svg",
        **size,
        font_size=FONT,
        font_family="sans-serif",
        color=GREY,
        fill=PAGE,
    )
    data = base64.b64encode(source.encode()).decode()
    return element(
        "img",
        hidden="",
        src=f"data:image/svg+xml;base64,{data}",
        alt=summary,
        width=WIDTH,
        height=height,
    )


def label(
    text: str, x: float, y: float, anchor: str = "start", **more: str | float | None
) -> Markup:
    """Return text whose middle line is at ``y``."""
    return element("text", words(text), x=x, y=y + 0.35 * FONT, text_anchor=anchor, **more)


def line(
    x1: float, y1: float, x2: float, y2: float, opacity: float = 1.0, **more: str | float
) -> Markup:
    """Return a straight line in the colour of the page."""
    return element(
        "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=PAGE, stroke_opacity=f"{opacity:g}", **more
    )


def bottom_axis(scale: Scale, top: float, bottom: float, spacing: float = 58) -> list[Markup]:
    """Return grid lines from ``top`` to ``bottom`` and labels below."""
    parts = []
    for x, text in scale.ticks(spacing):
        parts += [line(x, top, x, bottom, 0.13), label(text, x, bottom + 11, "middle")]
    return parts


def left_axis(scale: Scale, left: float, right: float, spacing: float = 44) -> list[Markup]:
    """Return grid lines from ``left`` to ``right`` and labels beside."""
    parts = []
    for y, text in scale.ticks(spacing):
        parts += [line(left, y, right, y, 0.13), label(text, left - 7, y, "end")]
    return parts


def runs(xs: Sequence[float], ys: Iterable[float]) -> list[list[tuple[float, float]]]:
    """Cut a line into runs of finite points."""
    parts: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            parts[-1].append((x, y))
        elif parts[-1]:
            parts.append([])
    return [run for run in parts if run]


def path(run: Sequence[tuple[float, float]]) -> str:
    """Return a line through points; a single point is a line of length 0, a dot with round ends."""
    through = "L".join(f"{x:.1f} {y:.1f}" for x, y in run)
    return f"M{through}" if len(run) > 1 else f"M{through}h0"


def simplified(run: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Leave out points, of ascending x, without which the line moves by less than half a pixel."""
    points, low, high = [run[0]], -math.inf, math.inf
    for before, (x, y) in pairwise(run):
        # The slopes from the last point that pass all others within a quarter of a pixel.
        # Numbers that floats hardly tell apart may have the same place.
        distance, rise = max(x - points[-1][0], _NO_DISTANCE), y - points[-1][1]
        low, high = max(low, (rise - 0.25) / distance), min(high, (rise + 0.25) / distance)
        if low > high:
            points.append(before)
            distance, rise = max(x - before[0], _NO_DISTANCE), y - before[1]
            low, high = (rise - 0.25) / distance, (rise + 0.25) / distance
    return [*points, run[-1]] if len(run) > 1 else points


def faint_curve(
    xs: Sequence[float], ys: Iterable[float], opacity: float, dash: str | None = None
) -> Markup:
    """Return one of many lines in the background, which takes few bytes."""
    return element(
        "path",
        d="".join(path(simplified(run)) for run in runs(xs, ys)),
        fill="none",
        stroke=PAGE,
        stroke_opacity=f"{opacity:g}",
        stroke_dasharray=dash,
    )


def curve(xs: Sequence[float], ys: Iterable[float], **style: str | float | None) -> Markup:
    """Return a line with gaps where a coordinate is not finite."""
    return element(
        "path",
        d="".join(path(run) for run in runs(xs, ys)),
        fill="none",
        stroke_linecap="round",
        stroke_linejoin="round",
        **style,
    )


def cut_off(
    xs: Sequence[float], low: Sequence[float], high: Sequence[float], limits: tuple[float, float]
) -> tuple[list[float], list[float], list[float]]:
    """Return the corners of the area between two lines, without what is beyond the limits."""
    corners: list[tuple[float, float, float]] = []
    for here in zip(xs, low, high, strict=True):
        if corners:
            before = corners[-1]
            for share in sorted(_crossings(before[1:], here[1:], limits)):
                x, lower, upper = (
                    start + share * (stop - start) for start, stop in zip(before, here, strict=True)
                )
                corners.append((x, lower, upper))
        corners.append(here)

    def inside(at: float) -> float:
        # Clipping a number that is not finite would make a corner of it.
        return min(max(at, min(limits)), max(limits)) if math.isfinite(at) else at

    return (
        [x for x, _, _ in corners],
        [inside(lower) for _, lower, _ in corners],
        [inside(upper) for _, _, upper in corners],
    )


def _crossings(
    before: Sequence[float], here: Sequence[float], limits: Sequence[float]
) -> list[float]:
    """Return where, as shares of the way, numbers cross limits."""
    return [
        (limit - start) / (stop - start)
        for start, stop in zip(before, here, strict=True)
        for limit in limits
        if (start - limit) * (stop - limit) < 0
    ]


def band(
    xs: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str, opacity: float
) -> Markup:
    """Return the area between two lines, with gaps where one of them is not finite."""
    both = [
        math.isfinite(below) and math.isfinite(above)
        for below, above in zip(low, high, strict=True)
    ]
    lower, upper = (
        runs(xs, [at if known else math.nan for at, known in zip(side, both, strict=True)])
        for side in (low, high)
    )
    d = "".join(
        path([*above, *reversed(below)]) + "z" for above, below in zip(upper, lower, strict=True)
    )
    # The outline makes a band over a single value visible.
    faint = f"{opacity:g}"
    return element(
        "path", d=d, fill=colour, fill_opacity=faint, stroke=colour, stroke_opacity=faint
    )
