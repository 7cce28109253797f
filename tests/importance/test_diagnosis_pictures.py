"""Static HTML and chart of a diagnosis hold its numbers and words."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from example_results import diagnosis, redundancy
from reading_charts import AWKWARD, fields, tables
from reading_html import StaticHtml, numbers
from uqwidgets import Explainer
from uqwidgets.importance.diagnosis_html import diagnosis_html
from uqwidgets.plotting.text import pixels

NAN = np.nan


class TestStaticHtml:
    def test_the_html_table_holds_the_numbers(self):
        result = diagnosis()
        (table,) = StaticHtml(diagnosis_html(result)).tables
        assert table[0] == [
            *("feature", "likelihood (nats)", "low", "high"),
            *("entropy (nats)", "low", "high", "verdict"),
        ]
        assert [line[0] for line in table[1:]] == list(result.features)
        assert [line[-1] for line in table[1:]] == list(result.verdict)
        shown = np.array([numbers(line[:-1]) for line in table[1:]])
        expected = result.frame.drop(columns=["feature", "verdict", "explanation"]).to_numpy()
        assert shown == pytest.approx(expected, abs=5e-5)

    def test_html_holds_the_verdicts_explanations_and_remarks(self):
        result = diagnosis(remarks=("mind this",))
        read = StaticHtml(diagnosis_html(result))
        assert result.verdict == (
            "shares information",
            "informative",
            "confidence only",
        )
        assert "Shares information: b. Informative: a. Confidence only: c." in read.text
        assert "whole interval is within 0.01 nats of zero" in read.text
        for explanation in result.explanation:
            assert explanation in read.text
        assert "mind this" in read.text

    def test_features_of_one_verdict_keep_their_own_explanations(self):
        result = diagnosis(nll=(0.0, 0.005, 0.5), entropy=(0.5, 0.005, 0.5))
        wide = replace(result, verdict=("not clear", "not clear", result.verdict[2]))
        read = StaticHtml(diagnosis_html(wide))
        assert f"Not clear (b): {result.explanation[0]}." in read.text
        assert f"Not clear (a): {result.explanation[1]}." in read.text
        assert f"Shares information: {result.explanation[2]}." in read.text

    def test_with_a_redundancy_the_table_has_r2(self):
        of_b_and_c = redundancy(["b", "c"], (0.5, NAN), ess=7.0)
        read = StaticHtml(diagnosis_html(diagnosis(redundancy=of_b_and_c)))
        (table,) = read.tables
        assert table[0][7:] == ["R2", "low", "high", "verdict"]
        assert [line[7] for line in table[1:]] == ["0.5", "not available", "not available"]
        assert "R2: share of a feature's variance that the other features explain" in read.text

    def test_each_row_ends_with_its_verdict_within_the_picture(self):
        html = diagnosis_html(diagnosis())
        read = StaticHtml(html)
        assert len(read.all("circle")) == 3 * 2 + 2
        marks = [t for t in read.all("text") if t["text-anchor"] == "start"]
        ends = [float(t["x"]) for t in marks]
        assert len(set(ends)) == 3  # two column titles and the verdicts
        longest = max(pixels(verdict) for verdict in diagnosis().verdict)
        assert max(ends) + longest <= 640
        assert max(float(c["cx"]) for c in read.all("circle")) < max(ends)

    def test_the_first_30_of_200_features_are_drawn_and_the_rest_counted(self):
        values = np.linspace(1, 0.5, 200)
        read = StaticHtml(diagnosis_html(diagnosis([f"f{j}" for j in range(200)], values, values)))
        assert len(read.all("circle")) == 2 * 30 + 2
        assert "Shares information: f0, f1, f2, f3, f4 and 195 more." in read.text
        assert "Drawn are the first 30; 170 more are left out." in read.text

    def test_missing_values_are_stated_in_the_table_and_not_drawn(self):
        read = StaticHtml(diagnosis_html(diagnosis(nll=(0.5, NAN, 0.25))))
        assert len(read.all("circle")) == 2 + 3 + 2
        assert read.tables[0][2][1:4] == ["not available"] * 3


class TestChart:
    def test_the_chart_holds_the_numbers(self):
        values = np.linspace(0.5, 0.25, 6)
        result = diagnosis(AWKWARD, values, values[::-1])
        chart = result.to_altair()
        for table in tables(chart):
            pd.testing.assert_frame_equal(table, result.frame.drop(columns="explanation"))
        assert fields(chart) == {
            *("feature", "verdict", "nll", "nll_low", "nll_high"),
            *("entropy", "entropy_low", "entropy_high"),
        }
        spec = chart.to_dict()
        assert spec["title"]["text"] == "Likelihood and entropy importance, read together"
        assert "permutation, 95% interval (u-statistic)" in spec["title"]["subtitle"]
        assert "entropy importance (nats)" in json.dumps(spec)

    def test_verdicts_differ_in_colour_and_in_shape(self):
        *_, dots, _names = diagnosis().to_altair().to_dict()["layer"]
        assert len(set(dots["encoding"]["color"]["scale"]["range"])) == 3
        assert dots["encoding"]["shape"]["field"] == dots["encoding"]["color"]["field"]

    def test_a_chart_with_missing_numbers_is_valid_json(self):
        chart = diagnosis(entropy=(NAN, 0.5, 0.25)).to_altair()
        json.dumps(chart.to_dict(), allow_nan=False)


def test_every_explanation_of_a_verdict_is_printed():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    one = Explainer(lambda X: (X["a"], np.ones(len(X))), X, X["a"]).diagnose(n_repeats=2)
    explanations = ("it leaves the model as sure", "it is undecided", "it is undecided")
    printed = repr(replace(one, verdict=("informative",) * 3, explanation=explanations))
    first, second, third = one.features
    assert f"informative ({first}): it leaves the model as sure" in printed
    assert f"informative ({second}, {third}): it is undecided" in printed
