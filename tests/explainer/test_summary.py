"""Texts and HTML summaries of explainers, learners, and the objects that they return."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge, LogisticRegression

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


def _named_sides(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    names = ("<b>old</b>", "new")
    one = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    if kind == "models":
        return one.compare(uq.Explainer(lambda X: X[:, 1], X, X[:, 0]), names=names)
    if kind == "rows":
        return one.compare_rows(np.arange(20), names=names)
    labels = np.where(X[:, 0] > 0, *names)
    return uq.Explainer(LogisticRegression().fit(X, labels), X, labels).compare_classes(*names)


@pytest.mark.parametrize("kind", ["models", "rows", "classes"])
def test_the_summary_of_a_comparison_names_both_sides_and_its_methods(kind):
    comparison = _named_sides(kind)
    html = comparison._repr_html_()
    read = StaticHtml(html)
    assert "<b>old</b> minus new" in read.text
    assert "<b>old</b>" not in html
    assert "x0 and x1" in read.text
    assert "60" in read.text or "20 and 40 rows" in read.text
    calls = [line[0].split("(")[0] for line in read.tables[0][1:]]
    assert calls == [
        name
        for name in ("importance", "dependence", "stress", "scores")
        if hasattr(comparison, name)
    ]


def test_the_summary_of_a_ground_truth_draws_nothing_and_names_its_methods():
    def sample(*_):
        raise AssertionError("a summary draws no rows")

    def surface(X):
        return X[:, 0]

    truth = uq.GroundTruth(surface, sample, noise=0.5, random_state=3)
    read = StaticHtml(truth._repr_html_())
    assert "GroundTruth of surface" in read.text
    assert "noise: 0.5; random_state: 3." in read.text
    calls = [line[0].split("(")[0] for line in read.tables[0][1:]]
    assert calls == ["data", "importance", "dependence", "decompose", "coverage"]
    assert all(callable(getattr(truth, name)) for name in calls)


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
