"""One description of a figure, drawn as SVG and by Altair."""

from __future__ import annotations

import json
from typing import get_args

import numpy as np
import pytest

from reading_html import StaticHtml
from uqwidgets.plotting.altair import chart
from uqwidgets.plotting.figure import Axis, Figure, Kind, Mark, Panel, Shade, dots, edges
from uqwidgets.plotting.static import drawn

POINTS = {"x": [1.0, 2.0], "y": [3.0, 5.0], "x2": [1.5, 2.5], "y2": [4.0, 6.0], "text": ["a", "b"]}


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if kind != "cross"])
def test_both_renderers_draw_every_kind_of_mark(kind):
    text = {"text": "text"} if kind == "text" else {}
    shade = Shade("y", "height", ("#ffffff", "#000000")) if kind == "cell" else None
    ends = {"x2": "x2"} if kind == "interval" else {"y2": "y2"} if kind == "band" else {}
    y = "" if kind == "rug" else "y"
    mark = Mark(kind, POINTS, "x", y, shade=shade, **ends, **text)
    # A rug has no height of its own.
    line = Mark("line", POINTS, "x", "y")
    x, y_axis = Axis("x", ends=(0.0, 3.0)), Axis("y", ends=(0.0, 7.0))
    figure, plain = (
        Figure("title", "", [Panel(x, y_axis, marks)]) for marks in ([line, mark], [line])
    )
    assert len(chart(figure).to_dict()["layer"]) == 2
    marks, fewer = (
        [tag for tag, _ in StaticHtml(drawn(one, "summary")).tags] for one in (figure, plain)
    )
    assert len(marks) > len(fewer)


def test_panels_with_the_same_axis_share_its_scale():
    low, high = ({"x": [0.0, 1.0], "y": values} for values in ([0.0, 1.0], [1.0, 9.0]))

    def figure(axes):
        panels = [
            Panel(Axis("x"), axis, [Mark("dot", data, "x", "y")])
            for axis, data in zip(axes, (low, high), strict=True)
        ]
        return Figure("", "", panels, columns=2)

    one = Axis("y")
    shared, apart = (
        [float(c["cy"]) for c in StaticHtml(drawn(figure(axes), "summary")).all("circle")]
        for axes in ((one, one), (Axis("y"), Axis("y")))
    )
    assert shared[1] == shared[2]
    assert apart[1] != apart[2]
    domains = [
        panel["layer"][0]["encoding"]["y"]["scale"].get("domain")
        for panel in chart(figure((one, one))).to_dict()["concat"]
    ]
    assert domains == [[0, 9], [0, 9]]


def test_several_series_share_a_row_each_with_its_number():
    data = {
        "name": ["a", "b", "a", "b"],
        "of": ["one", "one", "two", "two"],
        "value": [0.25, 0.5, 0.75, np.nan],
        "low": [0.2, 0.4, 0.7, np.nan],
        "high": [0.3, 0.6, 0.8, np.nan],
    }
    marks = dots(data, "value", "name", in_series=True)
    panel = Panel(Axis("share"), Axis(names=["a", "b"]), marks)
    figure = Figure("", "", [panel], ("of", ["one", "two"]))
    read = StaticHtml(drawn(figure, "summary"))
    circles = read.all("circle")
    assert len({c["cy"] for c in circles}) == len(circles) == 3
    assert circles[0]["fill"] == circles[1]["fill"] != circles[2]["fill"]
    assert read.texts.count("not available") == 1
    assert {"one", "two", "0.25", "0.5", "0.75"} <= set(read.texts)
    spec = chart(figure).to_dict()
    json.dumps(spec, allow_nan=False)
    assert {layer["encoding"]["yOffset"]["field"] for layer in spec["layer"]} == {"of"}


def test_a_line_of_reference_alone_needs_no_axis():
    nothing = Mark("line", {"x": [0.0, 1.0], "y": [np.nan, np.nan]}, "x", "y")
    panel = Panel(Axis("x"), Axis("y"), [nothing], rules=[("y", 0.0)])
    read = StaticHtml(drawn(Figure("", "", [panel]), "summary"))
    assert "not available" in read.text
    assert read.all("line") == read.all("path") == []


def test_cells_meet_midway_between_their_values():
    starts, stops = edges([1.0, 2.0, 4.0, 1.0])
    assert starts.tolist() == [1.0, 1.5, 3.0, 1.0]
    assert stops.tolist() == [1.5, 3.0, 4.0, 1.5]
