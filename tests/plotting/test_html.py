"""Static HTML of results: its numbers and its words; it runs and loads nothing."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from example_results import (
    HOSTILE,
    dependence,
    diagnosis,
    fan,
    importance,
    importance_over_tau,
    redundancy,
    reweighting,
    stress,
    surface,
)
from offline import outside_references
from reading_html import StaticHtml, numbers
from uqwidgets.dependence.html import dependence_html
from uqwidgets.dependence.result import ice_sample
from uqwidgets.dependence.surface_html import surface_html
from uqwidgets.importance.diagnosis_html import diagnosis_html
from uqwidgets.importance.html import importance_html
from uqwidgets.plotting.choice import evenly, segments
from uqwidgets.plotting.svg import fitted, ticks
from uqwidgets.plotting.text import clipped, number, pixels
from uqwidgets.redundancy.html import redundancy_html
from uqwidgets.stress.constrained.html import reweighting_html
from uqwidgets.stress.html import stress_html
from uqwidgets.stress.importance_html import importance_over_tau_html
from uqwidgets.stress.result import by_response, emphasised, response

NAN = np.nan


ALL_HOSTILE = {"features": (HOSTILE, "b"), "labels": {"error_rate": HOSTILE}}
# One of every kind, with every name hostile.
PICTURES = {
    "importance": lambda: importance_html(
        importance([HOSTILE, "b"], [0.5, 0.25], label=HOSTILE, unit=HOSTILE)
    ),
    "curve": lambda: dependence_html(
        dependence(feature=HOSTILE, label=HOSTILE, remarks=(HOSTILE,))
    ),
    "categories": lambda: dependence_html(
        dependence(np.array([HOSTILE, "b"], dtype=object), [0.5, 0.25], feature=HOSTILE)
    ),
    "diagnosis": lambda: diagnosis_html(
        diagnosis([HOSTILE, "b"], (0.5, 0.25), (0.25, 0.0), unit=HOSTILE, remarks=(HOSTILE,))
    ),
    "redundancy": lambda: redundancy_html(
        redundancy([HOSTILE, "b"], (0.5, 0.25), with_target=True, target=HOSTILE)
    ),
    "no redundancy": lambda: redundancy_html(redundancy([HOSTILE, "b"], (NAN, NAN))),
    "surface": lambda: surface_html(
        surface(
            (np.array([HOSTILE, "b"], dtype=object), [1.0, 2.0]),
            features=(HOSTILE, "b"),
            label=HOSTILE,
            remarks=(HOSTILE,),
            near=np.eye(2, dtype=bool),
        )
    ),
    "no surface": lambda: surface_html(surface(average=[[NAN] * 2] * 3, label=HOSTILE)),
    "stress": lambda: stress_html(stress(fan(2), remarks=(HOSTILE,), **ALL_HOSTILE)),
    "no stress": lambda: stress_html(stress([[NAN] * 5] * 2, status="constant", **ALL_HOSTILE)),
    "importance over tau": lambda: importance_over_tau_html(
        importance_over_tau(fan(2), [HOSTILE, "b"], stressed=HOSTILE, label=HOSTILE, unit=HOSTILE)
    ),
    "no importance over tau": lambda: importance_over_tau_html(
        importance_over_tau([[NAN] * 5] * 2, stressed=HOSTILE, status=np.full(5, "constant"))
    ),
    "weights": lambda: reweighting_html(reweighting(names=(HOSTILE,), remarks=(HOSTILE,))),
}


@pytest.fixture(params=PICTURES)
def html(request):
    return PICTURES[request.param]()


def test_names_are_text_and_nothing_runs_or_loads(html):
    read = StaticHtml(html)
    assert HOSTILE in read.text
    assert all(image["src"].startswith("data:image/svg+xml;base64,") for image in read.all("img"))
    assert "http" not in html
    assert outside_references(html) == []
    names = {name for _, attributes in read.tags for name in attributes}
    assert not [name for name in names if name.startswith("on") or name in ("id", "class", "href")]


def test_pictures_say_in_words_what_they_show(html):
    (picture,) = StaticHtml(html).all("svg")
    assert picture["role"] == "img"
    assert len(picture["aria-label"]) > 20
    assert picture["viewbox"].startswith("0 0 640 ")


def test_labels_are_out_of_sight_where_a_host_removes_the_picture_around_them(html):
    read = StaticHtml(re.sub("</?svg[^>]*>", "", html))
    tags = [attributes.get("style") for tag, attributes in read.tags if tag == "div"]
    assert tags.count("font-size:0") == 1
    assert StaticHtml(html).all("svg")[0]["font-size"] == "12"
    hidden = re.search(r'<div style="font-size:0">(.*?)</div>', html, re.DOTALL).group(1)
    assert re.sub("<[^>]*>", "", html.replace(hidden, "")).strip()
    assert "<text" not in html.replace(hidden, "")


def test_a_hidden_image_holds_the_same_picture(html):
    # JupyterLab removes SVG elements and the attribute `hidden` from notebooks it does not trust.
    (image,), (svg,) = StaticHtml(html).all("img"), StaticHtml(html).all("svg")
    assert "hidden" in image
    assert image["alt"] == svg["aria-label"]
    kind, data = image["src"].split(",")
    assert kind == "data:image/svg+xml;base64"
    root = ElementTree.fromstring(base64.b64decode(data))
    assert root.attrib["viewBox"] == svg["viewbox"]
    assert root.attrib["color"] == "#767676"
    marks = [tag for tag, _ in StaticHtml(html).tags if tag in ("path", "line", "circle", "rect")]
    assert sum(not child.tag.endswith(("svg", "text")) for child in root.iter()) == len(marks)


def test_unencodable_text_is_replaced():
    html = importance(["a\ud800b", "b", "c"])._repr_html_()
    assert "a?b" in html.encode().decode()


def test_pictures_contain_no_nan(html):
    drawn = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert "nan" not in "".join(re.sub(r">[^<]*<|aria-label=\"[^\"]*\"", "", svg) for svg in drawn)


def test_repr_html_is_the_static_html():
    assert importance()._repr_html_() == importance_html(importance())
    assert dependence()._repr_html_() == dependence_html(dependence())
    assert diagnosis()._repr_html_() == diagnosis_html(diagnosis())
    assert redundancy()._repr_html_() == redundancy_html(redundancy())
    assert stress(fan(2))._repr_html_() == stress_html(stress(fan(2)))
    assert surface()._repr_html_() == surface_html(surface())
    over_tau = importance_over_tau(fan(2))
    assert over_tau._repr_html_() == importance_over_tau_html(over_tau)
    assert reweighting()._repr_html_() == reweighting_html(reweighting())


class TestImportance:
    def test_table_holds_the_numbers(self):
        result = importance()
        read = StaticHtml(importance_html(result))
        (table,) = read.tables
        assert table[0] == ["feature", "likelihood loss (nats)", "std error", "low", "high"]
        assert [line[0] for line in table[1:]] == list(result.features)
        shown = np.array([numbers(line) for line in table[1:]])
        frame = result.frame[["importance", "std_error", "low", "high"]].to_numpy()
        assert shown == pytest.approx(frame, abs=5e-5)

    def test_dots_and_whiskers_stand_where_the_numbers_are(self):
        result = importance()
        read = StaticHtml(importance_html(result))
        _heading, *dots = [float(c["cx"]) for c in read.all("circle")]
        x = np.polyfit(result.importance, dots, 1)
        assert dots == pytest.approx(np.polyval(x, result.importance), abs=0.11)
        whiskers = [p["d"] for p in read.all("path")]
        ends = np.array([[float(v) for v in re.findall(r"[ML]([\d.]+)", d)] for d in whiskers])
        expected = np.stack([result.low, result.high], axis=1)
        assert ends == pytest.approx(np.polyval(x, expected), abs=0.2)
        zero = [float(m["x1"]) for m in read.all("line") if m["stroke-opacity"] == "0.7"]
        assert zero == pytest.approx([np.polyval(x, 0)], abs=0.2)

    def test_words(self):
        read = StaticHtml(
            importance_html(importance(weighted=True, ess=4.5, remarks=("mind this",)))
        )
        assert (
            "Likelihood loss rises most when b is replaced: by 0.5 nats (95% interval 0.438 to "
            "0.562), from a mean of 0.75. Next: a." in read.text
        )
        assert "7 rows, weighted, worth about 4.5 (effective sample size)" in read.text
        assert "mind this" in read.text

    def test_one_feature(self):
        read = StaticHtml(importance_html(importance(["only"], [0.5])))
        assert "Next" not in read.text
        assert "Table of 1 feature" in read.texts
        assert len(read.tables[0]) == 2

    def test_the_first_30_of_200_features_are_drawn_and_the_rest_counted(self):
        values = np.linspace(1, 0, 200)
        read = StaticHtml(importance_html(importance([f"f{j}" for j in range(200)], values)))
        assert len(read.all("circle")) == 30 + 1
        assert "Drawn are the first 30; 170 more are left out." in read.text
        assert "Table of the first 60 features (140 more are left out)" in read.text
        assert [line[0] for line in read.tables[0]] == ["feature", *(f"f{j}" for j in range(60))]

    def test_missing_values_are_named_and_not_drawn(self):
        result = importance(["a", "b", "c"], [0.5, np.inf, NAN])
        read = StaticHtml(importance_html(result))
        assert len(read.all("circle")) == 1 + 1
        assert read.tables[0][3] == ["c", "not available", "0.03125", *["not available"] * 2]
        assert "when a is replaced" in read.text

    def test_without_any_number(self):
        read = StaticHtml(importance_html(importance(["a", "b"], [NAN, NAN])))
        assert "Importance for likelihood loss is not available." in read.text
        assert len(read.all("circle")) == 1

    def test_a_value_without_an_interval_is_drawn_without_whisker(self):
        result = importance(low=np.array([0.4, NAN, NAN]))
        read = StaticHtml(importance_html(result))
        assert len(read.all("circle")) == 3 + 1
        assert len(read.all("path")) == 1

    def test_an_importance_of_zeros_only(self):
        read = StaticHtml(importance_html(importance(["a", "b"], [0.0, 0.0], width=0.0)))
        assert [numbers(line) for line in read.tables[0][1:]] == [[0, 0, 0, 0]] * 2

    def test_only_features_with_an_interval_above_zero_are_named(self):
        read = StaticHtml(importance_html(importance(width=0.75)))
        assert "rises" not in read.text
        assert (
            "Likelihood loss: no feature is clearly above zero. The largest importance is that of "
            "b: 0.5 nats (95% interval \N{MINUS SIGN}0.25 to 1.25), beside a mean of 0.75."
        ) in read.text
        low = np.array([-0.25, 0.125, -0.5])
        read = StaticHtml(importance_html(importance(low=low)))
        assert "rises most when a is replaced: by 0.25 nats" in read.text
        assert "Next" not in read.text
        ratio = importance(values=(1.5, 1.25, 0.5), width=0.75, compare="ratio", unit="times")
        assert "no feature is clearly above 1." in StaticHtml(importance_html(ratio)).text
        alone = importance(low=np.full(3, NAN), high=np.full(3, NAN))
        assert "rises most when b is replaced" in StaticHtml(importance_html(alone)).text

    def test_a_second_measure_follows_the_order_of_the_first(self):
        second = importance(["c", "b"], [0.75, 0.125], label="entropy")
        read = StaticHtml(importance_html(importance(), second))
        (table,) = read.tables
        assert [line[0] for line in table[1:]] == ["b", "a", "c"]
        assert [line[5] for line in table[1:]] == ["0.125", "not available", "0.75"]
        assert len({c["fill"] for c in read.all("circle")}) == 2
        assert "Entropy rises most when c is replaced" in read.text


class TestDependence:
    def test_table_holds_the_numbers(self):
        result = dependence()
        (table,) = StaticHtml(dependence_html(result)).tables
        assert table[0] == ["width", "predicted mean", "low", "high"]
        shown = np.array([[float(line[0]), *numbers(line)] for line in table[1:]])
        assert shown == pytest.approx(result.frame.drop(columns="near").to_numpy())

    def test_line_and_band_stand_where_the_numbers_are(self):
        result = dependence()
        read = StaticHtml(dependence_html(result))
        (average,) = [p for p in read.all("path") if p.get("stroke-width") == "2.6"]
        (band,) = [p for p in read.all("path") if p.get("fill-opacity") == "0.35"]
        xs, ys = points(average["d"])
        x, y = np.polyfit(result.grid, xs, 1), np.polyfit(result.average, ys, 1)
        assert xs == pytest.approx(np.polyval(x, result.grid), abs=0.11)
        assert ys == pytest.approx(np.polyval(y, result.average), abs=0.11)
        assert y[0] < 0
        _, edge = points(band["d"])
        outline = np.concatenate([result.high, result.low[::-1]])
        assert edge == pytest.approx(np.polyval(y, outline), abs=0.4)

    @pytest.mark.parametrize(
        ("n_rows", "drawn", "note"),
        [(4, 4, "4 rows, all drawn"), (1000, 100, "100 of 1,000 rows, evenly chosen")],
    )
    def test_at_most_100_rows_are_drawn_and_a_note_counts_them(self, n_rows, drawn, note):
        read = StaticHtml(dependence_html(dependence(n_rows=n_rows)))
        assert len([p for p in read.all("path") if p.get("stroke-opacity") == "0.16"]) == drawn
        assert note in read.text

    def test_the_rug_shows_observed_values_within_the_grid(self):
        observed = np.array([1.0, 2.5, 2.5, 4.0, 7.0, NAN])
        read = StaticHtml(dependence_html(dependence(n_rows=6, observed=observed)))
        (rug,) = [p for p in read.all("path") if p.get("stroke-opacity") == "0.45"]
        assert rug["d"].count("M") == 3
        assert "observed values, 1 more beyond its ends" in read.text

    def test_rug_of_nullable_integers(self):
        observed = pd.Series([1, None, 4], dtype="Int64").to_numpy()
        html = dependence_html(dependence(np.array([1, 4]), [0.25, 0.5], 3, observed=observed))
        (rug,) = [p for p in StaticHtml(html).all("path") if p.get("stroke-opacity") == "0.45"]
        assert rug["d"].count("M") == 2

    def test_rug_does_not_grow_with_the_rows(self):
        observed = np.random.default_rng(0).uniform(1, 4, 50_000)
        html = dependence_html(dependence(n_rows=3, observed=observed))
        assert len(html) < 100_000

    def test_words(self):
        read = StaticHtml(dependence_html(dependence()))
        assert (
            "Averaged over rows, predicted mean goes from 0.25 at 1 to 0.375 at 4; it is lowest "
            "at 1 (0.25) and highest at 2 (0.5)." in read.text
        )

    def test_missing_numbers_are_gaps(self):
        result = dependence((1.0, 2.0, 3.0, 4.0), (0.25, NAN, 0.5, 0.75))
        read = StaticHtml(dependence_html(result))
        (average,) = [p for p in read.all("path") if p.get("stroke-width") == "2.6"]
        assert average["d"].count("M") == 2
        assert "h0" in average["d"]
        assert read.tables[0][2] == ["2", *["not available"] * 3]

    def test_a_curve_is_dashed_where_few_rows_are(self):
        near = np.array([False, True, True, True])
        read = StaticHtml(
            dependence_html(dependence((1.0, 2.0, 3.0, 4.0), np.arange(4), near=near))
        )
        dashed, solid = (p for p in read.all("path") if p.get("stroke-width") in ("2", "2.6"))
        assert dashed["stroke-dasharray"]
        assert "stroke-dasharray" not in solid
        ends = [points(p["d"])[0][[0, -1]] for p in (dashed, solid)]
        assert ends[0][1] == ends[1][0]
        assert (len(points(dashed["d"])[0]), len(points(solid["d"])[0])) == (2, 3)
        assert "Dashed: hardly any data here (1 of 4 values far from the data)." in read.text
        assert read.tables[0][0][-1] == "rows around it"
        assert [line[-1] for line in read.tables[0][1:]] == ["few", "enough", "enough", "enough"]

    def test_a_category_of_few_rows_is_hollow(self):
        grid = np.array(["a", "b", "c"], dtype=object)
        near = np.array([True, False, True])
        read = StaticHtml(dependence_html(dependence(grid, near=near)))
        assert [c["fill"] == "none" for c in read.all("circle")[1:]] == [False, True, False]
        assert "Hollow: hardly any data here (1 of 3 values that few rows have)." in read.text

    def test_changes_have_a_line_at_zero(self):
        read = StaticHtml(dependence_html(dependence(center=1.0, average=(0.0, 0.5, 1.0))))
        zero = [m for m in read.all("line") if m["stroke-opacity"] == "0.7"]
        assert len(zero) == 1
        assert "Change of predicted mean from width = 1" in read.text
        assert not [
            m
            for m in StaticHtml(dependence_html(dependence())).all("line")
            if m["stroke-opacity"] == "0.7"
        ]

    def test_a_missing_value_is_in_the_table_and_not_on_the_line(self):
        grid = np.array([1.0, 2.0, NAN])
        result = dependence(grid, spacing="observed", observed=np.array([1.0, 2.0, NAN, NAN]))
        read = StaticHtml(dependence_html(result))
        assert "goes from 0.25 at 1 to 0.5 at 2." in read.text
        assert read.tables[0][3][:2] == ["missing", "0.375"]
        (average,) = [p for p in read.all("path") if p.get("stroke-width") == "2.6"]
        assert len(points(average["d"])[0]) == 2

    def test_a_missing_category_is_one_of_them(self):
        grid = np.array(["a", None], dtype=object)
        result = dependence(grid, (0.25, 0.5), observed=np.array(["a", None, None, "a"], object))
        assert [line[0] for line in StaticHtml(dependence_html(result)).tables[0][1:]] == [
            "a",
            "missing",
        ]
        assert [line[-1] for line in StaticHtml(dependence_html(result)).tables[0][1:]] == [
            "2",
            "2",
        ]

    def test_the_summary_calls_a_flat_curve_flat(self):
        read = StaticHtml(dependence_html(dependence(average=(0.25, 0.25 + 1e-9, 0.25))))
        assert "Averaged over rows, predicted mean is 0.25 at every value." in read.text

    def test_lines_over_many_values_stay_few(self):
        grid = np.arange(1000.0)
        html = dependence_html(dependence(grid, grid, n_rows=300))
        assert "5 of 300 rows, evenly chosen" in StaticHtml(html).text
        assert len(html) < 300_000

    def test_without_any_number(self):
        read = StaticHtml(dependence_html(dependence(average=(NAN, NAN, NAN))))
        assert "predicted mean is not available at any value of width." in read.text
        assert read.all("path") == []

    def test_categories_are_dots_with_whiskers(self):
        grid = np.array(["red", "blue", "<b>"], dtype=object)
        result = dependence(grid, n_rows=7, feature="colour")
        read = StaticHtml(dependence_html(result))
        assert len(read.all("circle")) == 3 + 1
        assert read.tables[0][0] == ["colour", "predicted mean", "low", "high", "rows"]
        assert [line[0] for line in read.tables[0][1:]] == ["red", "blue", "<b>"]
        assert [line[-1] for line in read.tables[0][1:]] == ["3", "2", "2"]
        assert "<b> (2)" in read.texts
        strokes = [p for p in read.all("path") if p.get("stroke-opacity") == "0.2"]
        assert [p["d"].count("M") for p in strokes] == [7, 7, 7]

    @pytest.mark.parametrize(
        "grid",
        [
            [False, True],
            [pd.Timestamp("2020-01-01T12:00"), pd.Timestamp("2021-01-01T00:01")],
            [0, "zero"],
        ],
    )
    def test_categories_of_any_kind(self, grid):
        values = np.empty(2, dtype=object)
        values[:] = grid
        result = dependence(values, (0.25, 0.5), observed=np.array([*grid, grid[1]], dtype=object))
        lines = StaticHtml(dependence_html(result)).tables[0][1:]
        assert [line[0] for line in lines] == [str(v) for v in grid]
        assert [line[-1] for line in lines] == ["1", "2"]

    def test_many_categories(self):
        grid = np.array([f"c{j}" for j in range(50)], dtype=object)
        read = StaticHtml(dependence_html(dependence(grid, np.linspace(0, 1, 50))))
        assert len(read.all("circle")) == 30 + 1
        assert "Drawn are the first 30 of 50 categories." in read.text
        assert len(read.tables[0]) == 51

    def test_a_single_value_is_a_dot(self):
        read = StaticHtml(dependence_html(dependence((2.0,), (0.5,))))
        assert "Averaged over rows, predicted mean is 0.5 at 2." in read.text
        assert len(read.all("circle")) == 1 + 1


class TestSurface:
    def test_table_holds_the_numbers(self):
        result = surface()
        (table,) = StaticHtml(surface_html(result)).tables
        assert table[0] == ["width, by length", "0", "10"]
        assert [line[0] for line in table[1:]] == ["1", "2", "4"]
        assert np.array([numbers(line) for line in table[1:]]) == pytest.approx(result.average)

    def test_cells_are_placed_at_their_values_and_darker_for_larger_ones(self):
        read = StaticHtml(surface_html(surface()))
        cells = [p for p in read.all("path") if p["d"].endswith("z") and p.get("fill") != "none"]
        cells, legend = cells[:6], cells[6:]
        corners = [[float(v) for v in re.findall(r"[-\d.]+", c["d"])] for c in cells]
        left = np.array([c[0] for c in corners]).reshape(3, 2)
        right = np.array([c[2] for c in corners]).reshape(3, 2)
        assert left[1:] == pytest.approx(right[:-1])
        x = np.polyfit([1, 1.5, 3], left[:, 0], 1)
        assert right[:, 0] == pytest.approx(np.polyval(x, [1.5, 3, 4]), abs=0.2)
        darkness = [-sum(int(c["fill"][k : k + 2], 16) for k in (1, 3, 5)) for c in cells]
        assert darkness == sorted(darkness)
        assert len(set(darkness)) == 6
        assert (legend[0]["fill"], legend[-1]["fill"]) == (cells[0]["fill"], cells[-1]["fill"])

    def test_values_far_from_the_data_are_hatched_and_in_brackets(self):
        near = np.array([[True, True], [True, False], [True, True]])
        read = StaticHtml(surface_html(surface(near=near)))
        dark, light = (p for p in read.all("path") if p.get("stroke") in ("#000", "#fff"))
        assert dark["d"] == light["d"]
        (cell,) = (
            p
            for p in read.all("path")
            if p["d"].endswith("z")
            and p.get("fill") == surface_fill(surface(), 1, 1)
            and float(re.findall(r"[-\d.]+", p["d"])[0]) < 540
        )
        x0, y0, x1, y1, _ = (float(v) for v in re.findall(r"[-\d.]+", cell["d"]))
        xs, ys = points(dark["d"])
        assert xs.min() >= min(x0, x1) - 0.2
        assert xs.max() <= max(x0, x1) + 0.2
        assert ys.min() >= min(y0, y1) - 0.2
        assert ys.max() <= max(y0, y1) + 0.2
        assert read.tables[0][2][1:] == ["0.25", "(0.375)"]
        assert "Hatched: hardly any data here (1 of 6 points far from the data)." in read.text

    def test_words(self):
        read = StaticHtml(surface_html(surface(average=[[0, 1], [1, 2], [2, 5]])))
        assert (
            "Averaged over rows, predicted mean is lowest at width = 1 and length = 0 (0) and "
            "highest at width = 4 and length = 10 (5). Interaction of the two makes "
            "9% of its variance over the rows." in read.text
        )

    def test_without_any_number(self):
        read = StaticHtml(surface_html(surface(average=[[NAN] * 2] * 3)))
        assert "predicted mean is not available at any point." in read.text
        assert read.all("path") == []

    def test_a_flat_surface(self):
        read = StaticHtml(surface_html(surface(average=np.full((3, 2), 0.5))))
        assert "Interaction" not in read.text
        assert read.tables[0][1][1:] == ["0.5", "0.5"]

    def test_many_categories_keep_some_of_their_names(self):
        names = np.array([f"category {k}" for k in range(40)], dtype=object)
        read = StaticHtml(surface_html(surface((names, names))))
        drawn = [t for t in read.texts if t.startswith("category")]
        assert "category 0" in drawn
        assert len(read.tables[0]) == 41
        assert len(surface_html(surface((names, names)))) < 400_000


def surface_fill(result, i, j):
    """Colour of a cell whose value no other cell has."""
    read = StaticHtml(surface_html(result))
    cells = [p for p in read.all("path") if p["d"].endswith("z") and p.get("fill") != "none"]
    return cells[i * result.average.shape[1] + j]["fill"]


class TestStress:
    def test_table_holds_the_numbers_most_responsive_first(self):
        result = stress(fan(3))
        (table,) = StaticHtml(stress_html(result)).tables
        assert [line[0] for line in table[1:]] == ["f2", "f1", "f0"]
        assert table[0][4] == "error rate at τ = −1".replace(" =", "\u00a0=").replace(
            "= ", "=\u00a0"
        )
        for line, j in zip(table[1:], [2, 1, 0], strict=True):
            expected = [*result.reached[j, [0, 2, 4]], *result.values["error_rate"][j, [0, 2, 4]]]
            assert numbers(line[:-1]) == pytest.approx([*expected, 40, 40], abs=5e-5)
            assert line[-1] == "ok"

    def test_five_are_emphasised_each_with_its_own_dash_and_name(self):
        read = StaticHtml(stress_html(stress(fan(8))))
        strong = [p for p in read.all("path") if p.get("stroke-width") == "2.2"]
        faint = [p for p in read.all("path") if p.get("stroke-opacity") == "0.22"]
        # Each feature has a line and a legend entry.
        assert len(strong) == 10
        assert len({(p["stroke"], p["stroke-dasharray"]) for p in strong}) == 5
        assert len({p["stroke"] for p in strong}) == 5
        assert len({p["stroke-dasharray"] for p in strong}) == 5
        assert len(faint) == 3
        assert {f"f{j}" for j in range(3, 8)} <= set(read.texts)
        assert "Faint: the other 3 features." in read.text

    def test_lines_stand_where_the_numbers_are(self):
        result = stress(fan(2))
        read = StaticHtml(stress_html(result))
        strong = [p for p in read.all("path") if p.get("stroke-width") == "2.2"]
        xs, ys = points(strong[0]["d"])
        values = result.values["error_rate"][1]
        y = np.polyfit(values, ys, 1)
        assert ys == pytest.approx(np.polyval(y, values), abs=0.11)
        assert np.diff(xs) == pytest.approx(np.diff(xs)[0], abs=0.11)

    def test_names_do_not_overlap(self):
        result = stress(0.5 + 1e-3 * (fan(5) - 0.5))
        svg = re.search(r"<svg.*</svg>", stress_html(result), re.DOTALL).group()
        at = sorted(float(y) for y in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>f\d<', svg))
        assert len(at) == 5
        assert np.diff(at).min() > 15

    def test_words(self):
        read = StaticHtml(stress_html(stress(fan(2))))
        assert (
            "Without stress, error rate is 0.5; it responds most to f1 (0.25 to 0.75) and f0 "
            "(0.375 to 0.625)." in read.text
        )

    def test_a_feature_without_numbers_has_a_reason(self):
        values = fan(3)
        values[1] = NAN
        read = StaticHtml(stress_html(stress(values, status="constant")))
        assert "Not available (constant): f1." in read.text
        assert [line[0] for line in read.tables[0][1:]] == ["f2", "f0", "f1"]
        assert read.tables[0][3] == ["f1", *["not available"] * 8, "constant"]
        assert len([p for p in read.all("path") if p.get("stroke-width") == "2.2"]) == 4

    def test_without_any_number(self):
        read = StaticHtml(stress_html(stress([[NAN] * 5], status="constant")))
        assert "Error rate under stress is not available" in read.text
        assert read.all("path") == []

    def test_leading_features_are_the_same_for_all_indicators(self):
        values = {"mean": fan(9), "rmse": fan(9)[::-1]}
        result = stress(values["mean"])
        name = result.indicators[0]
        both = replace(
            result,
            indicators=("mean", "rmse"),
            values=values,
            low=values,
            high=values,
        )
        assert emphasised(result) == by_response(result, name)[:5].tolist()
        first, second = (by_response(both, name).tolist() for name in both.indicators)
        leading = emphasised(both)
        assert len(leading) == 7
        assert leading[:4] == [first[0], second[0], first[1], second[1]]

    def test_a_line_may_end_early(self):
        values = fan(2)
        values[1, 3:] = NAN
        read = StaticHtml(stress_html(stress(values, status="beyond quantile")))
        (line,) = [line for line in read.tables[0] if line[0] == "f1"]
        assert line[4:7] == ["0.25", "0.5", "not available"]
        assert line[-1] == "beyond quantile, use anchor='tail-mean'"
        lengths = [p["d"].count(" ") for p in read.all("path")]
        assert lengths == [2, 5, 3, 2, 2]

    def test_intervals_are_bands_and_numbers(self):
        values = fan(7)
        ends = {"low": {"error_rate": values - 0.1}, "high": {"error_rate": values + 0.2}}
        result = stress(values, level=0.9, **ends)
        read = StaticHtml(stress_html(result))
        bands = [p for p in read.all("path") if p.get("fill-opacity") == "0.12"]
        assert len(bands) == 5  # one for each emphasised feature
        assert len({p["fill"] for p in bands}) == 5
        lines = [p for p in read.all("path") if p.get("stroke-width") == "2.2"]
        xs, ys = points(lines[0]["d"])
        outline_x, outline_y = points(bands[0]["d"].rstrip("z"))
        assert outline_x == pytest.approx([*xs, *xs[::-1]], abs=0.11)
        per_unit = np.polyfit(result.values["error_rate"][6], ys, 1)[0]
        assert outline_y[: len(xs)] == pytest.approx(np.array(ys) + 0.2 * per_unit, abs=0.3)
        assert outline_y[len(xs) :] == pytest.approx(np.array(ys[::-1]) - 0.1 * per_unit, abs=0.3)
        assert "Bands: pointwise 90% intervals." in read.text
        (table,) = read.tables
        assert "(90% interval)" in table[0][4]
        assert table[1][5] == "0.5 (0.4 to 0.7)"

    def test_without_a_level_intervals_are_not_mentioned(self):
        read = StaticHtml(stress_html(stress(fan(2))))
        assert "interval" not in read.text
        assert not [p for p in read.all("path") if p.get("fill-opacity")]

    def test_the_note_names_the_ends_of_tau(self):
        read = StaticHtml(stress_html(stress(fan(2), anchor="tail-mean", tail=0.1)))
        assert "to the means of its lowest and highest 0.1 of the rows" in read.text
        assert "to its quantiles 0.05 and 0.95" in StaticHtml(stress_html(stress(fan(2)))).text

    def test_edges_are_marked_and_explained(self):
        result = stress(fan(1))
        result.status[0, -1] = "edge"
        read = StaticHtml(stress_html(result))
        assert len(read.all("rect")) == 1
        assert "Squares: only rows at the extreme of the feature still count." in read.text

    def test_most_of_200_features_are_counted_only(self):
        values = np.vstack([fan(170), np.full((30, 5), NAN)])
        remarks = tuple(f"g{j} is left out: categorical" for j in range(20))
        read = StaticHtml(stress_html(stress(values, status="constant", remarks=remarks)))
        assert "Not available (constant): f170, f171, f172, f173, f174 and 25 more." in read.text
        assert "Faint: the other 165 features." in read.text
        assert "14 more remarks in the result." in read.text
        assert len(read.tables[0]) == 61

    def test_other_indicators_are_named(self):
        values = {"error_rate": fan(1), "nll": fan(1)}
        labels = {"error_rate": "error rate", "nll": "mean likelihood loss"}
        result = stress(fan(1), indicators=("error_rate", "nll"), values=values, labels=labels)
        assert "Also in the result: mean likelihood loss." in StaticHtml(stress_html(result)).text


class TestChoice:
    @pytest.mark.parametrize(("count", "most"), [(1, 100), (100, 100), (101, 100), (5000, 7)])
    def test_evenly_keeps_both_ends(self, count, most):
        chosen = evenly(count, most)
        assert len(chosen) == min(count, most)
        assert chosen[0] == 0
        assert chosen[-1] == count - 1
        assert np.ptp(np.diff(chosen)) <= 1 if len(chosen) > 2 else True

    def test_evenly_of_an_empty_sequence(self):
        assert ice_sample(dependence(n_rows=0))[1].shape == (0, 3)

    @pytest.mark.parametrize(
        ("near", "parts"),
        [
            ([1, 1, 1], [(0, 3, True)]),
            ([0, 0], [(0, 2, False)]),
            ([1, 1, 0, 1], [(0, 2, True), (1, 4, False)]),
            ([0, 1, 1, 0], [(0, 2, False), (1, 3, True), (2, 4, False)]),
            ([0, 1, 0], [(0, 3, False)]),
            ([1], [(0, 1, True)]),
            ([0], [(0, 1, False)]),
        ],
    )
    def test_segments_share_their_ends(self, near, parts):
        assert segments(np.array(near, dtype=bool)) == parts

    def test_the_response_ignores_missing_values(self):
        values = np.array([[0.0, NAN, 1.0], [NAN, NAN, NAN], [2.0, 5.0, np.inf]])
        assert response(values) == pytest.approx([1, NAN, 3], nan_ok=True)
        taus = (-1.0, 0.0, 1.0)
        assert by_response(stress(values, taus=taus), "error_rate").tolist() == [2, 0, 1]


class TestTicks:
    @pytest.mark.parametrize(
        ("low", "high", "labels"),
        [
            (0, 1, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (-0.011, 0.032, ["−0.01", "0.00", "0.01", "0.02", "0.03"]),
            (9_000, 21_000, ["10,000", "15,000", "20,000"]),
            (1987, 1994, ["1988", "1990", "1992", "1994"]),
            (0, 4e-5, ["0", "1e−05", "2e−05", "3e−05", "4e−05"]),
            (0, 4e7, ["0", "1e+07", "2e+07", "3e+07", "4e+07"]),
            (0, 4e6, ["0", "1,000,000", "2,000,000", "3,000,000", "4,000,000"]),
            (1e7, 1.2e7, ["1e+07", "1.05e+07", "1.1e+07", "1.15e+07", "1.2e+07"]),
        ],
    )
    def test_round_numbers(self, low, high, labels):
        assert [label for _, label in ticks(low, high, 5)] == labels

    @pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 7.3, 1e9])
    @pytest.mark.parametrize("offset", [-3.0, 0.0, 1e3])
    def test_ticks_are_within_the_range_and_evenly_spaced(self, scale, offset):
        low, high = offset * scale, (offset + 1) * scale
        at = np.array([value for value, _ in ticks(low, high, 6)])
        assert 3 <= len(at) <= 7
        assert (at >= low - 1e-9 * scale).all()
        assert (at <= high + 1e-9 * scale).all()
        assert np.diff(at) == pytest.approx(np.diff(at)[0], rel=1e-6)
        assert len({label for _, label in ticks(low, high, 6)}) == len(at)

    def test_a_scale_of_equal_numbers_has_some_length(self):
        scale = fitted([[5.0, 5.0]], 0, 100)
        assert scale is not None
        assert scale(5) == pytest.approx(50)
        assert fitted([[NAN, np.inf], []], 0, 100) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.123456, "0.123"),
        (-0.5, "−0.5"),
        (1234.5, "1234"),
        (-123456.7, "−123,457"),
        (1.5e9, "1.5e+09"),
        (-2e-7, "−2e−07"),
        (0.0, "0"),
        (-0.0, "0"),
        (NAN, "not available"),
        (np.inf, "not available"),
    ],
)
def test_numbers_are_formatted_with_few_digits(value, text):
    assert number(value) == text


def test_long_names_end_in_an_ellipsis():
    assert clipped("short", 200) == "short"
    for name in ("a rather long name of a feature", "特徴量の名前はとても長い"):
        cut = clipped(name, 100)
        assert cut.endswith("…")
        assert name.startswith(cut[:-1])
        assert 80 < pixels(cut) <= 100


def points(d):
    """Coordinates of a path of straight lines."""
    pairs = np.array([[float(v) for v in pair.split()] for pair in re.findall(r"[\d.]+ [\d.]+", d)])
    return pairs[:, 0], pairs[:, 1]


def test_a_ratio_is_compared_with_one():
    result = importance(values=(1.5, 1.25, 0.875), compare="ratio", unit="times")
    html = result._repr_html_()
    assert "0.0" not in [text.strip() for text in re.findall(r">([^<>]+)</text>", html)]
    chart = result.to_altair().to_dict()
    assert chart["layer"][0]["encoding"]["x"]["datum"] == 1.0
