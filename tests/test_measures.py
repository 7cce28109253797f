"""Measures against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from models import classification, normal_model, regression, table, three_classes, two_classes
from uqwidgets import Categorical, Explainer, Normal, Point
from uqwidgets.measures import NLL_CEILING, available, find
from uqwidgets.names import unknown

P = np.array([[0.2, 0.8], [0.6, 0.4], [1.0, 0.0]])
CODES = np.array([1, 1, 1])


def of(name, q, y, classifier=False):
    return find(name, available(q, classifier)).of(q, y)


def test_measures_of_two_classes():
    q = Categorical(P, ["no", "yes"])
    np.testing.assert_allclose(of("nll", q, CODES), [-np.log(0.8), -np.log(0.4), NLL_CEILING])
    np.testing.assert_allclose(of("entropy", q, CODES), q.entropy())
    np.testing.assert_allclose(of("prediction", q, CODES), [0.8, 0.4, 0.0])
    np.testing.assert_allclose(of("squared_error", q, CODES), [0.04, 0.36, 1.0])
    np.testing.assert_allclose(of("zero_one", q, CODES), [0, 1, 1])
    np.testing.assert_allclose(of("probability:no", q, CODES), P[:, 0])


def test_nll_floors_what_scikit_learn_floors():
    q = Categorical(P, ["no", "yes"])
    expected = [log_loss([1], [row], labels=[0, 1]) for row in P]
    np.testing.assert_allclose(of("nll", q, CODES), expected, rtol=1e-9)


def test_measures_of_three_classes_name_the_class():
    q = Categorical([[0.2, 0.5, 0.3]], ["a", "b", 3])
    assert of("probability:3", q, np.array([0]))[0] == 0.3
    for name in ("prediction", "squared_error"):
        with pytest.raises(
            ValueError, match=rf"'{name}' is not available: 3 classes.*probability:"
        ):
            of(name, q, np.array([0]))


def test_measures_of_a_normal():
    q, y = Normal([1.0, 2.0], [0.5, 2.0]), np.array([1.5, -1.0])
    np.testing.assert_allclose(of("nll", q, y), -q.log_prob(y))
    np.testing.assert_allclose(of("entropy", q, y), q.entropy())
    np.testing.assert_allclose(of("prediction", q, y), [1.0, 2.0])
    np.testing.assert_allclose(of("squared_error", q, y), [0.25, 9.0])


def test_measures_of_points():
    numbers, y = Point([1, 2]), np.array([1.5, -1.0])
    np.testing.assert_allclose(of("prediction", numbers, y), [1, 2])
    assert of("prediction", numbers, y).dtype == float
    np.testing.assert_allclose(of("squared_error", numbers, y), [0.25, 9.0])
    labels = Point(np.array(["a", "b"]))
    np.testing.assert_allclose(of("zero_one", labels, np.array(["a", "a"]), True), [0, 1])


@pytest.mark.parametrize("explainer", [regression(), classification(labels="abc")])
def test_the_table_of_measures_is_complete_and_gives_reasons(explainer):
    listed = explainer.measures()
    assert list(listed.columns) == ["measure", "label", "unit", "available", "reason"]
    assert {"nll", "entropy", "prediction", "squared_error", "zero_one"} <= set(listed["measure"])
    assert (listed["reason"].str.len() > 0).eq(~listed["available"]).all()
    assert set(listed.loc[listed["measure"].isin(["nll", "entropy"]), "unit"]) == {"nats"}


def test_an_observed_class_of_probability_zero_is_said():
    X, y = table(40)

    def sure(X):
        return np.where(np.asarray(X)[:, :1] > 0, [0.0, 1.0], [1.0, 0.0])

    explainer = Explainer(sure, X, y > 0)
    wrong = int(((X[:, 0] > 0) != (y > 0)).sum())
    assert wrong > 0
    for found in (explainer.importance(n_repeats=1), explainer.dependence("x0", "nll")):
        assert f"in {wrong} of 40 rows the model gives the observed class prob" in found.remarks[0]
        assert "36.0 nats" in found.remarks[0]
    assert explainer.importance("entropy", n_repeats=1).remarks == ()


def test_a_row_far_from_a_normal_is_not_of_probability_zero():
    X, y = table(40)
    explainer = Explainer(normal_model, X, y + 100)
    found = explainer.importance("nll", n_repeats=1)
    assert found.baseline > NLL_CEILING
    assert found.remarks == ()


@pytest.mark.parametrize("model", [two_classes, three_classes])
def test_measures_of_an_explainer_are_those_of_its_rows(model):
    X, _ = table(50)
    k = model(X).shape[1]
    y = np.arange(50) % k
    baseline = Explainer(model, X, y).importance("nll", n_repeats=1).baseline
    assert baseline == pytest.approx(log_loss(y, model(X)))


@pytest.mark.parametrize(
    ("name", "near"), [("nl", "'nll'"), ("entropie", "'entropy'"), ("zzz", "'nll', 'entropy'")]
)
def test_a_measure_that_does_not_exist_brings_those_that_do(name, near):
    with pytest.raises(ValueError, match=f"there is no measure '{name}'; did you mean {near}"):
        regression().importance(name)


@given(st.text(max_size=8), st.lists(st.text(max_size=8), min_size=1, max_size=30))
def test_an_unknown_name_is_one_sentence(name, known):
    said = unknown("thing", name, known)
    assert said.startswith(f"there is no thing {name!r}; did you mean ")
    assert said.endswith("?")
    assert any(repr(k) in said for k in known)
