"""Static HTML of results: its numbers and its words; it runs and loads nothing."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import numpy as np
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
from uqwidgets.importance.redundancy_html import redundancy_html
from uqwidgets.plotting import text
from uqwidgets.plotting.choice import evenly, segments
from uqwidgets.plotting.svg import cut_off, extent_with_bands, fitted, ticks
from uqwidgets.plotting.text import clipped, number, pixels
from uqwidgets.stress.constrained.html import reweighting_html
from uqwidgets.stress.html import stress_html
from uqwidgets.stress.importance_html import importance_over_tau_html
from uqwidgets.stress.result import by_response, response


def named(name):
    return {"features": (name, "b"), "labels": {"error_rate": name}, "remarks": (name,)}


# One of every kind, with every name the given one.
PICTURES = {
    "importance": lambda name: importance_html(
        importance([name, "b"], [0.5, 0.25], label=name, unit=name)
    ),
    "curve": lambda name: dependence_html(dependence(feature=name, label=name, remarks=(name,))),
    "categories": lambda name: dependence_html(
        dependence(np.array([name, "b"], dtype=object), [0.5, 0.25], feature=name)
    ),
    "diagnosis": lambda name: diagnosis_html(
        diagnosis([name, "b"], (0.5, 0.25), (0.25, 0.0), unit=name, remarks=(name,))
    ),
    "redundancy": lambda name: redundancy_html(
        redundancy([name, "b"], (0.5, 0.25), with_target=True, target=name)
    ),
    "no redundancy": lambda name: redundancy_html(redundancy([name, "b"], (np.nan, np.nan))),
    "surface": lambda name: surface_html(
        surface(
            (np.array([name, "b"], dtype=object), [1.0, 2.0]),
            features=(name, "b"),
            label=name,
            remarks=(name,),
            near=np.eye(2, dtype=bool),
        )
    ),
    "no surface": lambda name: surface_html(surface(average=[[np.nan] * 2] * 3, label=name)),
    "stress": lambda name: stress_html(stress(fan(2), **named(name))),
    "no stress": lambda name: stress_html(
        stress([[np.nan] * 5] * 2, status="constant", **named(name))
    ),
    "importance over tau": lambda name: importance_over_tau_html(
        importance_over_tau(fan(2), [name, "b"], stressed=name, label=name, unit=name)
    ),
    "no importance over tau": lambda name: importance_over_tau_html(
        importance_over_tau([[np.nan] * 5] * 2, stressed=name, status=np.full(5, "constant"))
    ),
    "weights": lambda name: reweighting_html(reweighting(names=(name,), remarks=(name,))),
}


@pytest.fixture(params=PICTURES)
def html(request):
    return PICTURES[request.param](HOSTILE)


@pytest.mark.parametrize(
    ("text", "width"),
    # Measured in DejaVu Sans, in the size of the pictures.
    [("mean compactness", 117.2), ("mmmm", 46.8), ("illicit", 28.0), ("WWW", 35.6)],
)
def test_a_text_has_the_room_of_a_wide_font(text, width):
    assert width <= pixels(text) < 1.2 * width


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


def decoded_image(html):
    (image,) = StaticHtml(html).all("img")
    kind, data = image["src"].split(",")
    assert kind == "data:image/svg+xml;base64"
    return base64.b64decode(data)


def test_a_hidden_image_holds_the_same_picture(html):
    # JupyterLab removes SVG elements and the attribute `hidden` from notebooks it does not trust.
    (image,), (svg,) = StaticHtml(html).all("img"), StaticHtml(html).all("svg")
    assert "hidden" in image
    assert image["alt"] == svg["aria-label"]
    root = ElementTree.fromstring(decoded_image(html))
    assert root.attrib["viewBox"] == svg["viewbox"]
    assert root.attrib["color"] == "#767676"
    marks = [tag for tag, _ in StaticHtml(html).tags if tag in ("path", "line", "circle", "rect")]
    assert sum(not child.tag.endswith(("svg", "text")) for child in root.iter()) == len(marks)


# Unicode's control characters, halves of surrogate pairs and noncharacters.
ODD = [
    *(chr(code) for code in [*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000, 255)]),
    *(chr(code) for code in range(0xFDD0, 0xFDF0)),
    *(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF)),
]


@pytest.mark.parametrize("kind", PICTURES)
def test_every_picture_is_well_formed_and_encodable_whatever_a_name_holds(kind):
    for start in range(0, len(ODD), 8):
        html = PICTURES[kind](f"a{''.join(ODD[start : start + 8])}z")
        # A hidden image has no end tag.
        root = ElementTree.fromstring(re.sub("<img[^>]*>", "", html).encode())
        svg = next(root.iter("svg"))
        assert "a" in svg.attrib["aria-label"]
        assert ElementTree.fromstring(decoded_image(html)) is not None


@pytest.mark.parametrize("kind", PICTURES)
def test_a_long_name_is_measured_a_few_times(kind, monkeypatch):
    measured = []

    def letters(letter):
        measured.append(letter)
        return 1.0

    monkeypatch.setattr(text, "_letters", letters)
    PICTURES[kind]("x" * 10_000)
    # By letter and picture, not by letter and place where it could be cut.
    assert len(measured) < 5 * 10_000


def test_what_xml_cannot_hold_is_shown_as_such():
    html = importance(["a\ud800b\0c\td", "b", "c"])._repr_html_()
    assert "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\td" in html


def test_a_name_does_not_change_the_direction_of_the_words_after_it():
    html = importance(["a\u202eb", "b", "c"])._repr_html_()
    assert "a\N{REPLACEMENT CHARACTER}b" in html
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(html)


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
        assert "Table of the first 50 features (150 more are left out)" in read.text
        assert [line[0] for line in read.tables[0]] == ["feature", *(f"f{j}" for j in range(50))]

    def test_missing_values_are_named_and_not_drawn(self):
        result = importance(["a", "b", "c"], [0.5, np.inf, np.nan])
        read = StaticHtml(importance_html(result))
        assert len(read.all("circle")) == 1 + 1
        assert read.tables[0][3] == ["c", "not available", "0.03125", *["not available"] * 2]
        assert "when a is replaced" in read.text

    def test_without_any_number(self):
        read = StaticHtml(importance_html(importance(["a", "b"], [np.nan, np.nan])))
        assert "Importance for likelihood loss is not available." in read.text
        assert len(read.all("circle")) == 1

    def test_a_value_without_an_interval_is_drawn_without_whisker(self):
        result = importance(low=np.array([0.4, np.nan, np.nan]))
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
        alone = importance(low=np.full(3, np.nan), high=np.full(3, np.nan))
        assert "rises most when b is replaced" in StaticHtml(importance_html(alone)).text

    def test_a_second_measure_follows_the_order_of_the_first(self):
        second = importance(["c", "b"], [0.75, 0.125], label="entropy")
        read = StaticHtml(importance_html(importance(), second))
        (table,) = read.tables
        assert [line[0] for line in table[1:]] == ["b", "a", "c"]
        assert [line[5] for line in table[1:]] == ["0.125", "not available", "0.75"]
        assert len({c["fill"] for c in read.all("circle")}) == 2
        assert "Entropy rises most when c is replaced" in read.text


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
        values = np.array([[0.0, np.nan, 1.0], [np.nan, np.nan, np.nan], [2.0, 5.0, np.inf]])
        assert response(values) == pytest.approx([1, np.nan, 3], nan_ok=True)
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
        assert fitted([[np.nan, np.inf], []], 0, 100) is None


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
        (np.nan, "not available"),
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


def test_a_ratio_is_compared_with_one():
    result = importance(values=(1.5, 1.25, 0.875), compare="ratio", unit="times")
    html = result._repr_html_()
    assert "0.0" not in [text.strip() for text in re.findall(r">([^<>]+)</text>", html)]
    chart = result.to_altair().to_dict()
    assert chart["layer"][0]["encoding"]["x"]["datum"] == 1.0


@pytest.mark.parametrize(
    ("values", "bands", "expected"),
    [
        ([0.0, 1.0], ([0.2, 0.2], [0.8, 0.9]), (0.0, 1.0)),
        ([0.0, 1.0], ([-0.5, 0.0], [0.5, 1.25]), (-0.5, 1.25)),
        ([0.0, 1.0], ([-0.5, 0.0, -100], [0.5, 1.25, 100]), (-1.25, 2.25)),
        ([0.0, 0.1], ([-1.0, -1.0, -100], [1.5, 1.5, 100]), (-2.5, 2.6)),
        ([3.0, 3.0], ([3.0, 3.0, -100], [3.0, 3.0, 100]), (-100.0, 100.0)),
        ([np.nan, 2.0, 4.0], ([np.nan], [np.inf]), (2.0, 4.0)),
        ([2.0, 4.0], None, (2.0, 4.0)),
        ([np.nan], ([0.0], [1.0]), None),
    ],
)
def test_values_keep_a_third_of_an_axis_unless_most_bands_are_wider(values, bands, expected):
    assert extent_with_bands([values], bands) == expected


def test_a_band_is_cut_off_where_it_crosses_the_limits():
    xs, low, high = [0.0, 1.0, 2.0, 3.0], [5.0, 5.0, -5.0, np.nan], [6.0, 6.0, 26.0, 9.0]
    cut = np.array(cut_off(xs, low, high, (10.0, 0.0)))
    np.testing.assert_allclose(cut[0], [0, 1, 1.2, 1.5, 2, 2 + 16 / 17, 3])
    np.testing.assert_allclose(cut[1], [5, 5, 3, 0, 0, np.nan, np.nan])
    np.testing.assert_allclose(cut[2], [6, 6, 10, 10, 10, 10, 9])
