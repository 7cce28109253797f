"""Pictures of a learner's results: the mean, its interval, and the single refits."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from example_results import HOSTILE, dependence, importance, surface
from offline import outside_references
from reading_html import StaticHtml, numbers
from uqwidgets.dependence.html import dependence_html
from uqwidgets.dependence.surface_html import surface_html
from uqwidgets.importance.html import importance_html
from uqwidgets.learner.performance_result import Comparison, Performance

REFITS = np.array([[0.5, 0.25, 0.75], [0.25, 0.125, 0.375], [-0.125, -0.25, 0.0]])


def performance(**more):
    arguments = {
        "learner": "Forest",
        "measure": "squared_error",
        "label": "squared error",
        "unit": "",
        "mean": 0.5,
        "std_error": 0.125,
        "low": 0.25,
        "high": 0.75,
        "per_refit": np.array([0.375, 0.5, 0.625]),
        "level": 0.95,
        "correction": 0.5,
        "n_rows": 80,
    }
    return Performance(**(arguments | more))


def comparison(difference=-0.25, **more):
    arguments = {
        "learner": "Forest",
        "other": "Line",
        "measure": "squared_error",
        "label": "squared error",
        "unit": "",
        "difference": difference,
        "std_error": 0.0625,
        "low": difference - 0.125,
        "high": difference + 0.125,
        "p_value": 0.03125,
        "per_refit": difference + np.array([-0.125, 0.0, 0.125]),
        "level": 0.95,
        "correction": 0.5,
        "n_rows": 80,
    }
    return Comparison(**(arguments | more))


def strokes(read, opacity="0.2"):
    """Horizontal positions of the faint strokes of every row."""
    result = [p["d"] for p in read.all("path") if p.get("stroke-opacity") == opacity]
    return [[float(v) for v in re.findall(r"M([\d.]+)", d)] for d in result]


class TestImportance:
    RESULT = importance(per_refit=REFITS, interval="learner")

    def test_refits_are_strokes_on_the_scale_of_the_dots(self):
        read = StaticHtml(importance_html(self.RESULT))
        _, *dots = [float(c["cx"]) for c in read.all("circle")]
        x = np.polyfit(self.RESULT.importance, dots, 1)
        result = strokes(read)
        assert np.array(result) == pytest.approx(np.polyval(x, REFITS), abs=0.2)
        assert (
            "(permutation, 3 repeats, mean over 3 refits); strokes: single refits; whiskers: 95% "
            "interval (learner)" in read.text
        )

    def test_the_picture_of_one_model_does_not_mention_refits(self):
        read = StaticHtml(importance_html(importance()))
        assert "refit" not in read.text
        assert strokes(read) == []
        assert "refit" not in repr(importance())
        assert "refit" not in json.dumps(importance().to_altair().to_dict())

    def test_a_second_learner_follows_the_order_of_the_first(self):
        second = importance(
            ("a", "c"), (0.25, 0.125), per_refit=np.array([[0.25, 0.5], [0.125, 0.0]])
        )
        read = StaticHtml(importance_html(self.RESULT, second))
        assert [len(row) for row in strokes(read)] == [3, 3, 3, 2, 2]

    def test_its_repr_names_the_refits(self):
        assert ": permutation, 3 repeats, mean over 3 refits, 7 rows" in repr(self.RESULT)

    def test_the_chart_has_a_stroke_of_every_refit(self):
        chart = self.RESULT.to_altair()
        drawn = pd.DataFrame(chart.layer[1].data)
        np.testing.assert_array_equal(drawn["importance"], REFITS.ravel())
        assert drawn["feature"].tolist() == ["b"] * 3 + ["a"] * 3 + ["c"] * 3
        assert chart.to_dict()["title"]["subtitle"].endswith(
            "mean over 3 refits, 95% interval (learner)"
        )


class TestDependence:
    LINES = np.array([[0.125, 0.5, 0.375], [0.375, 0.5, 0.375]])

    def test_refits_are_drawn_instead_of_rows(self):
        read = StaticHtml(dependence_html(dependence(per_refit=self.LINES, n_rows=50)))
        assert len([p for p in read.all("path") if p.get("stroke-opacity") == "0.16"]) == 2
        assert "Thick line: mean over 2 refits, with its 95% band." in read.text
        assert "Thin lines: the refits, each over those of 50 rows it has not seen." in read.text
        assert "Averaged over refits and rows, predicted mean goes from 0.25" in read.text

    def test_refits_are_strokes_for_categories(self):
        grid = np.array(["a", "b", "c"], dtype=object)
        read = StaticHtml(dependence_html(dependence(grid, per_refit=self.LINES)))
        assert [len(row) for row in strokes(read)] == [2, 2, 2]
        assert "Dots: mean over 2 refits with its 95% interval" in read.text

    def test_the_chart_draws_them_too(self):
        result = dependence(per_refit=self.LINES)
        chart = result.to_altair()
        lines = pd.DataFrame(chart.layer[0].data)
        assert lines["ice"].to_numpy().reshape(2, 3) == pytest.approx(self.LINES)
        subtitle = chart.to_dict()["title"]["subtitle"]
        assert subtitle == "mean over 2 refits with 95% band; 2 refits"

    def test_reprs_name_the_refits(self):
        assert "4 rows, mean over 2 refits, 95% band" in repr(dependence(per_refit=self.LINES))
        assert "refit" not in repr(dependence())


def test_surfaces_name_the_refits():
    result = surface(per_refit=np.zeros((2, 3, 2)))
    assert "4 rows, mean over 2 refits, 95% band" in repr(result)
    assert "average over 2 refits and 4 rows" in StaticHtml(surface_html(result)).text
    assert result.to_altair().to_dict()["title"]["subtitle"] == "average over 2 refits and 4 rows"
    assert "refit" not in surface_html(surface())


class TestPerformance:
    def test_it_shows_the_mean_and_the_refits(self):
        read = StaticHtml(performance()._repr_html_())
        assert "Forest has a mean squared error of 0.5 (95% interval 0.25 to 0.75)" in read.text
        (line,) = strokes(read)
        _, dot = [float(c["cx"]) for c in read.all("circle")]
        assert line[1] == pytest.approx(dot, abs=0.11)
        assert line[2] - line[1] == pytest.approx(line[1] - line[0], abs=0.2)
        (table,) = read.tables
        assert [row[0] for row in table[1:]] == [
            *("mean", "std error", "low", "high"),
            *("refit 1", "refit 2", "refit 3"),
        ]
        shown = np.array([numbers(row) for row in table[1:]]).ravel()
        assert shown == pytest.approx([0.5, 0.125, 0.25, 0.75, 0.375, 0.5, 0.625])

    def test_its_chart_holds_the_numbers(self):
        chart = performance().to_altair()
        np.testing.assert_array_equal(
            pd.DataFrame(chart.layer[0].data)["mean"], [0.375, 0.5, 0.625]
        )
        expected = performance().frame.assign(name="Forest")
        pd.testing.assert_frame_equal(chart.layer[1].data, expected)
        json.dumps(chart.to_dict(), allow_nan=False)

    def test_names_are_text(self):
        for result in (
            performance(learner=HOSTILE, label=HOSTILE, remarks=(HOSTILE,)),
            comparison(learner=HOSTILE, other=HOSTILE, unit=HOSTILE),
        ):
            html = result._repr_html_()
            assert HOSTILE in StaticHtml(html).text
            assert "<img src=x" not in html
            assert outside_references(html) == []


class TestComparison:
    @pytest.mark.parametrize(
        ("difference", "sentence"),
        [(-0.25, "does not contain zero (p = 0.0312)"), (0.0625, "contains zero")],
    )
    def test_it_says_whether_the_interval_contains_zero(self, difference, sentence):
        read = StaticHtml(comparison(difference)._repr_html_())
        assert sentence in read.text
        assert "Forest − Line" in read.text
        (line,) = strokes(read)
        assert len(line) == 3

    def test_its_chart_shows_where_zero_is(self):
        chart = comparison().to_altair()
        spec = chart.to_dict()
        assert spec["layer"][0]["encoding"]["x"]["datum"] == 0
        assert spec["title"]["text"].startswith("Mean squared error of Forest minus that of Line")
