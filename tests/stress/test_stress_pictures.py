"""Static pictures of stress."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from example_results import (
    fan,
    stress,
)
from reading_html import StaticHtml, numbers, points
from uqwidgets.stress.html import stress_html
from uqwidgets.stress.result import by_response, clear_response, emphasised, response


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
        values[1] = np.nan
        read = StaticHtml(stress_html(stress(values, status="constant")))
        assert "Not available (constant): f1." in read.text
        assert [line[0] for line in read.tables[0][1:]] == ["f2", "f0", "f1"]
        assert read.tables[0][3] == ["f1", *["not available"] * 8, "constant"]
        assert len([p for p in read.all("path") if p.get("stroke-width") == "2.2"]) == 4

    def test_without_any_number(self):
        read = StaticHtml(stress_html(stress([[np.nan] * 5], status="constant")))
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
        values[1, 3:] = np.nan
        read = StaticHtml(stress_html(stress(values, status="beyond quantile")))
        (line,) = [line for line in read.tables[0] if line[0] == "f1"]
        assert line[4:7] == ["0.25", "0.5", "not available"]
        assert line[-1] == "beyond quantile, use anchor='tail-mean'"
        lengths = [p["d"].count(" ") for p in read.all("path")]
        assert lengths == [5, 3, 2, 2]

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
        values = np.vstack([fan(170), np.full((30, 5), np.nan)])
        remarks = tuple(f"g{j} is left out: categorical" for j in range(20))
        read = StaticHtml(stress_html(stress(values, status="constant", remarks=remarks)))
        assert "Not available (constant): f170, f171, f172, f173, f174 and 25 more." in read.text
        assert "Faint: 25 of the other 165 features, those with the largest responses." in read.text
        assert "14 more remarks in the result." in read.text
        assert len(read.tables[0]) == 51

    def test_other_indicators_are_named(self):
        values = {"error_rate": fan(1), "nll": fan(1)}
        labels = {"error_rate": "error rate", "nll": "mean likelihood loss"}
        result = stress(fan(1), indicators=("error_rate", "nll"), values=values, labels=labels)
        assert "Also in the result: mean likelihood loss." in StaticHtml(stress_html(result)).text


def test_what_rests_on_few_rows_does_not_lead():
    rng = np.random.default_rng(0)
    rare = np.where(np.arange(2000) < 7, "rare", "common")
    X = pd.DataFrame({"kind": rare, "x": rng.normal(size=2000)})
    X["noise"] = rng.normal(size=2000)
    y = X["x"].to_numpy() + rng.normal(size=2000)
    explainer = uq.Explainer(lambda X: (0.2 * X["x"] + X["noise"]).to_numpy(), X, y)
    for level in (None, 0.95):
        result = explainer.stress(indicators=["mean"], level=level, taus=9)
        names = [result.features[j] for j in by_response(result, "mean")]
        assert {"x", "noise"} == set(names[:2])
    assert clear_response(result, "mean").shape == (len(names),)
    assert response(result.values["mean"])[names.index("x")] > 0
    assert "it responds most to noise (" in result._repr_html_()
