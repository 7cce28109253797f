"""The static picture in few bytes: images of the same marks, and tables without end tags."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.picture.compact import compact
from uqwidgets.widgets.picture.static_picture import static_picture

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "a\"'<b>&amp;%41#é"


def explorer(n_features):
    rng = np.random.default_rng(0)
    names = [HOSTILE, *(f"mean fractal dimension {j}" for j in range(1, n_features))]
    X = pd.DataFrame(rng.normal(size=(150, n_features)), columns=names)
    y = X[HOSTILE] + 0.1 * rng.normal(size=150)
    weights = np.linspace(1, 0, n_features)

    def model(X):
        return np.tanh(X.to_numpy()) @ weights, np.exp(X[HOSTILE].to_numpy() / 9)

    return uq.explore(model, X, y, n_repeats=2)


def images(html):
    """Return the pictures of the images, as they are decoded by a browser."""
    sources = re.findall(r'<img src="data:image/svg\+xml,([^"]*)"', html)
    return [ET.fromstring(unquote(unescape(source))) for source in sources]


def points(d):
    """Return the points of a path, in tenths of a pixel."""
    at, start, result = (0, 0), (0, 0), []
    for command, numbers in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", d):
        steps = [round(10 * float(n)) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
        if command in "zZ":
            at = start
            continue
        if command in "hv":
            steps = [
                value for step in steps for value in ((step, 0) if command == "h" else (0, step))
            ]
        for dx, dy in zip(steps[::2], steps[1::2], strict=True):
            at = (dx, dy) if command in "ML" else (at[0] + dx, at[1] + dy)
            start = at if command in "mM" else start
            result.append(at)
    return result


def marked(root, namespace=""):
    """Return all points where something is drawn, and all texts with their places."""
    marks, texts = [], []
    for mark in root.iter():
        place = mark.attrib
        if mark.tag == f"{namespace}path":
            marks += points(place["d"])
        elif mark.tag == f"{namespace}line":
            marks += points("M{x1} {y1}L{x2} {y2}".format(**place))
        elif mark.tag == f"{namespace}circle":
            marks += points("M{cx} {cy}h0".format(**place))
        elif mark.tag == f"{namespace}text":
            texts.append((mark.text, place["x"], place["y"]))
    return sorted(marks), sorted(texts)


def test_the_images_show_the_same_marks_and_texts():
    with explorer(5) as widget:
        widget.wait()
        html = static_picture(widget._session, widget._inputs()[0])
    short = compact(html)
    drawn = [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]
    shown = images(short)
    assert len(shown) == len(drawn) >= 4
    for one, other in zip(drawn, shown, strict=True):
        assert other.attrib["viewBox"] == one.attrib["viewBox"]
        assert marked(other, SVG) == marked(one)
    assert any(text.startswith(HOSTILE[:5]) for text, *_ in marked(shown[0], SVG)[1])
    assert "<svg" not in short
    words = (
        re.sub(r"<[^>]*>", " ", text).split()
        for text in (re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL), short)
    )
    assert next(words) == next(words)


@pytest.mark.parametrize("n_features", [5, 30, 150])
def test_a_display_keeps_at_most_64_kb(n_features):
    with explorer(n_features) as widget:
        assert widget.wait(60)
        assert len(widget._picture_html().encode()) <= 64_000
