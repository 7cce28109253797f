"""Static pictures of dependence and of surfaces."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from example_results import (
    dependence,
    surface,
)
from reading_html import StaticHtml, numbers, points
from uqwidgets.dependence.html import dependence_html
from uqwidgets.dependence.surface_html import surface_html


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
        observed = np.array([1.0, 2.5, 2.5, 4.0, 7.0, np.nan])
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
        result = dependence((1.0, 2.0, 3.0, 4.0), (0.25, np.nan, 0.5, 0.75))
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
        assert "Hollow: hardly any data here (1 of 3 values that few rows have, " in read.text

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
        grid = np.array([1.0, 2.0, np.nan])
        result = dependence(grid, spacing="observed", observed=np.array([1.0, 2.0, np.nan, np.nan]))
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
        read = StaticHtml(dependence_html(dependence(average=(np.nan, np.nan, np.nan))))
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
        read = StaticHtml(surface_html(surface(average=[[np.nan] * 2] * 3)))
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
