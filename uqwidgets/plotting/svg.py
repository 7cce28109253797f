"""The parts of a picture: its frame, its axes, its lines."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence

from uqwidgets.plotting.html import Markup, element, words
from uqwidgets.plotting.scale import Scale

WIDTH = 640.0
FONT = 12

# Of Okabe and Ito's colours, those that stand out on white and on black; the page's own stands
# for their black.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY = "#E69F00", "#56B4E9"
PAGE = "currentColor"
# An image knows nothing of the page: this grey has a contrast of 4.5 with white and with black.
GREY = "#767676"


def picture(height: float, summary: str, *parts: Markup) -> Markup:
    """Return a picture that shrinks with its page and says in words what it shows."""
    # Where a host keeps the labels but not the picture, they are at least single words.
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


def label(text: str, x: float, y: float, anchor: str = "start", **more: str | float) -> Markup:
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
    """Cut a line where it has no number."""
    found: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            found[-1].append((x, y))
        elif found[-1]:
            found.append([])
    return [run for run in found if run]


def path(run: Sequence[tuple[float, float]]) -> str:
    """Return a line through points; through a single one, a line that round ends turn to a dot."""
    through = "L".join(f"{x:.1f} {y:.1f}" for x, y in run)
    return f"M{through}" if len(run) > 1 else f"M{through}h0"


def curve(xs: Sequence[float], ys: Iterable[float], **style: str | float) -> Markup:
    """Return a line with gaps where it has no number."""
    return element(
        "path",
        d="".join(path(run) for run in runs(xs, ys)),
        fill="none",
        stroke_linecap="round",
        stroke_linejoin="round",
        **style,
    )


def band(
    xs: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str, opacity: float
) -> Markup:
    """Return what lies between two lines, with gaps where one of them has no number."""
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
    # The outline keeps a band over a single value in sight.
    faint = f"{opacity:g}"
    return element(
        "path", d=d, fill=colour, fill_opacity=faint, stroke=colour, stroke_opacity=faint
    )
