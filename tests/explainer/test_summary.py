"""Explainers and learners show what they are, and calls that exist."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge

import uqwidgets as uq
from made import HOSTILE
from models import regression, table
from offline import outside_references
from reading_html import Still


def learner():
    X, y = table()
    return uq.Learner(BayesianRidge(), X, y, n_refits=2)


@pytest.mark.parametrize("make", [regression, learner])
def test_what_it_is_and_what_can_be_asked(make):
    subject = make()
    read = Still(subject._repr_html_())
    assert "60" in read.text
    assert outside_references(subject._repr_html_()) == []
    calls = [line[0] for line in read.tables[0][1:]]
    assert len(calls) >= 5
    for call in calls:
        assert callable(getattr(subject, re.match(r"\w+", call)[0]))


def test_an_explainer_counts_its_calls_and_names_its_features():
    explainer = regression(p=20)
    explainer.importance("nll", ["x1"])
    text = Still(explainer._repr_html_()).text
    assert (
        f"model calls so far: {explainer.model_calls} ({explainer.rows_evaluated:,} rows)" in text
    )
    assert "x0, x1" in text
    assert "8 more" in text


def test_names_are_text():
    X, y = table(p=2)
    frame = pd.DataFrame(X, columns=[HOSTILE, "b"])
    explainer = uq.Explainer(lambda A: np.asarray(A)[:, 0], frame, y)
    assert HOSTILE in Still(explainer._repr_html_()).text
    assert HOSTILE not in explainer._repr_html_()
