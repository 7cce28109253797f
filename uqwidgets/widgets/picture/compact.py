"""The static picture in few bytes, as a notebook keeps it with every cell that shows a widget.

Notebooks may remove SVG elements, but no images. So each picture is an image here, in colours that
are legible on white and on black, and its repeated attributes are rules of its own style sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote
from xml.etree import ElementTree as ET

from uqwidgets.plotting.html import Markup, element
from uqwidgets.plotting.svg import FONT, GREY, PAGE

# The pictures that `uqwidgets.plotting.svg.picture` writes.
_PICTURE = re.compile(r'<div style="font-size:0">(<svg.*?</svg>)<img[^>]*></div>', re.DOTALL)
# End tags that HTML does without.
_OPTIONAL = re.compile(r"</(?:td|th|tr|thead|tbody)>")
# Where a mark is; all other attributes are properties of a style sheet, too.
_PLACES = ("x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "d", "width", "height", "transform")
_STYLE = f"svg{{font:{FONT}px sans-serif;color:{GREY};fill:{PAGE}}}"
# What a URL in an attribute cannot hold as it is.
_ENCODED = str.maketrans({one: quote(one) for one in '%#<>"'})
_COMMANDS = re.compile(r"([MLhvz])([^MLhvz]*)")
_LINES = re.compile(r"[MLhvz\d. -]*")


def compact(html: str) -> str:
    """Return HTML whose pictures are images in few bytes.

    Parameters
    ----------
    html : str
        With pictures of `uqwidgets.plotting.svg.picture`.
    """
    html = _PICTURE.sub(lambda match: _image(ET.fromstring(match.group(1))), html)
    return _OPTIONAL.sub("", html)


def _image(svg: ET.Element) -> Markup:
    classes: dict[str, str] = {}
    drawn = "".join(_marks(_joined(svg.iter()), classes))
    rules = "".join(f".{name}{{{style}}}" for style, name in classes.items())
    size = {name: svg.attrib[name] for name in ("width", "height")}
    text = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='{svg.attrib['viewBox']}'>"
        f"<style>{_STYLE}{rules}</style>{drawn}</svg>"
    )
    return element(
        "img",
        src=f"data:image/svg+xml,{text.translate(_ENCODED)}",
        alt=svg.attrib["aria-label"],
        **size,
        style="max-width:100%;height:auto",
    )


def _joined(marks: Iterable[ET.Element]) -> list[ET.Element]:
    """Put lines of one style into one path where the first of them is, and dots where the last is.

    Where faint curves cross, one path would be no darker than each of them, so they stay apart.
    """
    first: dict[str, ET.Element] = {}
    last: dict[str, ET.Element] = {}
    joined: list[ET.Element] = []
    for mark in marks:
        place = mark.attrib
        if mark.tag == "svg":
            continue
        if mark.tag == "line":
            d = f"M{place.pop('x1')} {place.pop('y1')}L{place.pop('x2')} {place.pop('y2')}"
            mark = ET.Element("path", {**place, "d": d})
        elif mark.tag == "path" and "opacity" in _style(mark):
            joined.append(mark)
            continue
        elif mark.tag == "circle" and {*place} == {"cx", "cy", "r", "fill"}:
            # A line of no length with round ends.
            d = f"M{place['cx']} {place['cy']}h0"
            width = f"{2 * float(place['r']):g}"
            rules = {"stroke": place["fill"], "stroke-width": width, "stroke-linecap": "round"}
            mark = ET.Element("path", {**rules, "d": d})
            former = last.get(_style(mark))
            if former is not None:
                joined.remove(former)
                mark.attrib["d"] = former.attrib["d"] + d
            last[_style(mark)] = mark
            joined.append(mark)
            continue
        if mark.tag != "path" or (path := first.setdefault(_style(mark), mark)) is mark:
            joined.append(mark)
        else:
            path.attrib["d"] += mark.attrib["d"]
    return joined


def _marks(marks: list[ET.Element], classes: dict[str, str]) -> Iterable[str]:
    for mark in marks:
        style = _style(mark)
        kind = f" class='{classes.setdefault(style, _name(len(classes)))}'" if style else ""
        places = "".join(
            f" {name}='{_relative(value) if name == 'd' else value}'"
            for name, value in mark.attrib.items()
            if name in _PLACES
        )
        content = f">{_escaped(mark.text)}</{mark.tag}>" if mark.text else "/>"
        yield f"<{mark.tag}{kind}{places}{content}"


def _relative(d: str) -> str:
    """Write a path by the steps from point to point, in tenths of a pixel."""
    if not _LINES.fullmatch(d):
        return d
    written: list[str] = []
    command, at = "", (0, 0)
    start = at
    for letter, numbers in _COMMANDS.findall(d):
        places = [round(10 * float(number)) for number in numbers.split()]
        if letter == "z":
            written.append("z")
            command, at = "", start
            continue
        if letter in "hv":
            point = (at[0] + places[0], at[1]) if letter == "h" else (at[0], at[1] + places[0])
        else:
            point = (places[0], places[1])
        step = [point[0] - at[0], point[1] - at[1]]
        if letter == "M":
            start, kind, steps = point, "m", step
        elif step[1] == 0:
            kind, steps = "h", step[:1]
        elif step[0] == 0:
            kind, steps = "v", step[1:]
        else:
            kind, steps = "l", step
        if kind == command == "l":
            kind = ""
        else:
            command = kind
        texts = [_number(step) for step in steps]
        for i, text in enumerate(texts):
            # A minus, or a letter, separates numbers already.
            written.append(text if (kind and i == 0) or text[0] == "-" else f" {text}")
            if kind and i == 0:
                written[-1] = kind + text
        at = point
    return "".join(written)


def _number(tenths: int) -> str:
    whole, rest = divmod(abs(tenths), 10)
    text = (f"{whole or ''}.{rest}" if rest else str(whole)) if tenths else "0"
    return f"-{text}" if tenths < 0 else text


def _style(mark: ET.Element) -> str:
    rules = {name: value for name, value in mark.attrib.items() if name not in _PLACES}
    if "font-size" in rules:
        rules["font-size"] += "px"
    return ";".join(f"{name}:{value}" for name, value in rules.items())


def _name(i: int) -> str:
    return f"c{i}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
