"""Static HTML and chart of redundancy hold its numbers and words."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from example_results import redundancy
from reading_charts import AWKWARD, fields, tables
from reading_html import StaticHtml, numbers
from uqwidgets.importance.redundancy_html import redundancy_html

NAN = np.nan


class TestHtml:
    @pytest.mark.parametrize("with_target", [False, True])
    def test_the_html_table_holds_the_numbers(self, with_target):
        result = redundancy(with_target=with_target)
        (table,) = StaticHtml(redundancy_html(result)).tables
        beside = ["R² with price beside them", "low", "high", "gain", "low", "high"]
        assert table[0] == [
            *("feature", "R² from the others", "low", "high"),
            *(beside if with_target else []),
            *("rows", "status"),
        ]
        assert [line[-1] for line in table[1:]] == ["ok"] * 3
        shown = np.array([numbers(line[:-1]) for line in table[1:]])
        requested = result.frame.drop(columns=["feature", "status"]).to_numpy()
        assert shown == pytest.approx(requested, abs=5e-5)

    def test_html_holds_the_summary_and_remarks(self):
        read = StaticHtml(redundancy_html(redundancy(remarks=("mind this",))))
        assert (
            "b is known best from the other features: they explain 0.688 of its variance (95% "
            "interval 0.625 to 0.719). They explain less than a quarter of c." in read.text
        )
        assert "forests of 100 trees predict out of bag" in read.text
        assert "40 rows." in read.text
        assert "mind this" in read.text
        assert "price" not in read.text
        beside = StaticHtml(redundancy_html(redundancy(with_target=True)))
        assert "Price adds most to b: 0.25." in beside.text

    def test_dots_are_placed_at_their_numbers(self):
        result = redundancy(with_target=True)
        circles = [float(c["cx"]) for c in StaticHtml(redundancy_html(result)).all("circle")]
        for first, values in ((0, result.r2), (3, result.r2_with_target)):
            dots = circles[first : first + 3]
            x = np.polyfit(values, dots, 1)
            assert x[0] > 0
            assert dots == pytest.approx(np.polyval(x, values), abs=0.11)

    def test_features_without_a_score_state_the_reason(self):
        read = StaticHtml(redundancy_html(redundancy(r2=(0.5, 0.25, NAN))))
        assert "Not available (constant): c." in read.text
        assert read.tables[0][3] == ["c", *["not available"] * 3, "0", "constant"]
        assert len(read.all("circle")) == 2 + 1
        nothing = StaticHtml(redundancy_html(redundancy(r2=(NAN, NAN, NAN), with_target=True)))
        assert "What the other features tell of each is not available." in nothing.text
        assert nothing.all("circle") == []

    def test_the_first_30_of_200_features_are_drawn_and_the_rest_counted(self):
        read = StaticHtml(
            redundancy_html(redundancy([f"f{j}" for j in range(200)], np.linspace(1, 0, 200)))
        )
        assert len(read.all("circle")) == 30 + 1
        assert "Drawn are the first 30; 170 more are left out." in read.text


class TestChart:
    def test_the_chart_holds_the_numbers(self):
        result = redundancy(AWKWARD, np.linspace(0.5, 0.25, 6))
        chart = result.to_altair()
        for table in tables(chart):
            requested = result.frame[["feature", "r2", "low", "high"]].assign(source="the others")
            pd.testing.assert_frame_equal(table, requested)
        assert fields(chart) == {"feature", "source", "r2", "low", "high"}
        assert "forests of 100 trees, 95% interval" in chart.to_dict()["title"]["subtitle"]

    def test_the_chart_has_two_dots_per_feature_with_the_target(self):
        result = redundancy(with_target=True)
        chart = result.to_altair()
        table = tables(chart)[0]
        assert table["source"].tolist() == ["the others"] * 3 + ["the others and price"] * 3
        assert table["r2"].tolist() == [*result.r2, *result.r2_with_target]
        *_, dots = chart.to_dict()["layer"]
        assert dots["encoding"]["shape"]["field"] == dots["encoding"]["color"]["field"] == "source"

    def test_a_chart_with_missing_numbers_is_valid_json(self):
        json.dumps(redundancy(r2=(0.5, NAN, NAN)).to_altair().to_dict(), allow_nan=False)
