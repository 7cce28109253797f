"""Texts and HTML summaries of explainers, learners, and the objects that they return."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge

import uqwidgets as uq
from example_results import HOSTILE
from models import regression, table
from offline import outside_references
from reading_html import StaticHtml


def learner():
    X, y = table()
    return uq.Learner(BayesianRidge(), X, y, n_refits=2)


@pytest.mark.parametrize("make", [regression, learner])
def test_the_summary_names_the_rows_and_existing_methods(make):
    subject = make()
    read = StaticHtml(subject._repr_html_())
    assert "60" in read.text
    assert outside_references(subject._repr_html_()) == []
    calls = [line[0] for line in read.tables[0][1:]]
    assert len(calls) >= 5
    for call in calls:
        name, parenthesis = re.match(r"(\w+)(\(?)", call).groups()
        assert callable(getattr(subject, name)) == bool(parenthesis)


def test_the_summary_counts_model_calls_and_names_features():
    explainer = regression(p=20)
    explainer.importance("nll", ["x1"])
    text = StaticHtml(explainer._repr_html_()).text
    assert (
        f"model calls so far: {explainer.model_calls} ({explainer.rows_evaluated:,} rows)" in text
    )
    assert "x0, x1" in text
    assert "8 more" in text


def test_texts_of_objects_are_short_and_show_no_arrays():
    explainer = regression(n=500)
    indicators = explainer.indicators
    assert repr(indicators["rmse"]) == (
        "Indicator(name='rmse', label='RMSE', unit='', bounds=(0.0, inf))"
    )
    texts = [repr(indicator) for indicator in indicators.values()]
    texts += [repr(explainer.indicator("r2")), repr(explainer.measure("nll"))]
    texts += [repr(explainer), repr(explainer.predictive)]
    with uq.explore(explainer) as widget, uq.StressView(explainer) as view:
        texts += [repr(widget), repr(view)]
    assert texts[-2:] == [
        f"{kind}({explainer.name}, 500 rows, 3 features)" for kind in ("Explorer", "StressView")
    ]
    for text in texts:
        assert len(text) < 200
        assert "array" not in text
        assert " at 0x" not in text


def test_headings_count_one_feature_and_one_repeat_in_the_singular():
    explainer = regression()
    heading = repr(explainer.importance("nll", ["x1"], n_repeats=1)).splitlines()[0]
    assert heading.startswith("Importance of 1 feature for ")
    assert "permutation, 1 repeat, 60 rows" in heading
    assert repr(explainer.stress(["x1"], taus=3)).startswith("Stress of 1 feature at 3 levels")


def test_names_are_escaped():
    X, y = table(p=2)
    frame = pd.DataFrame(X, columns=[HOSTILE, "b"])
    explainer = uq.Explainer(lambda A: np.asarray(A)[:, 0], frame, y)
    assert HOSTILE in StaticHtml(explainer._repr_html_()).text
    assert HOSTILE not in explainer._repr_html_()
