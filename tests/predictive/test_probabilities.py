"""Probabilities in other shapes: of the second class alone, and scores that do not sum to one."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from models import table, three_classes, two_classes
from uqwidgets import Explainer, Learner, ModelError, as_predictive, loco_importance
from uqwidgets.predictive import Categorical, Point

X, Y = table(80)
BITS = (Y > 0) * 1
TEXTS = np.array(["no", "yes"])[BITS]
KINDS = np.digitize(Y, [-0.5, 0.5])
SECOND = two_classes(X)[:, 1]


def flat(X):
    return two_classes(X)[:, 1].astype(np.float32)


def column(X):
    return flat(X)[:, None]


class Network:
    """A network whose last layer is a sigmoid; without classes."""

    def __init__(self, answer=column):
        self.answer = answer

    def predict(self, X):
        return self.answer(X)


class Additive:
    """An estimator that answers with P(y = 1) and does not name its classes."""

    classes_ = property(lambda self: self.not_set)

    def __init__(self, answer=flat):
        self.answer = answer

    def get_params(self, deep=True):  # noqa: ARG002
        return {"answer": self.answer}

    def fit(self, X, y):  # noqa: ARG002
        return self

    def predict(self, X):
        return flat(X) > 0.5

    def predict_proba(self, X):
        return self.answer(X)


class Named(Additive):
    classes_ = np.array(["no", "yes"])


def of_series(X):
    return pd.Series(flat(X))[::-1]


def several_labels():
    with warnings.catch_warnings(action="ignore"):  # that it did not converge
        return MLPClassifier(4, max_iter=9, random_state=0).fit(X, np.c_[BITS, BITS[::-1]])


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (column, BITS),
        (column, TEXTS),
        (flat, TEXTS),
        (Network().predict, BITS),
        (as_predictive(flat, classes=[0, 1]), BITS),
        (as_predictive(flat, classes=[False, True]), BITS == 1),
        (as_predictive(Network(), classes=[0, 1]), BITS),
        (as_predictive(Network(flat), classes=["no", "yes"]), TEXTS),
        (as_predictive(Network(two_classes), classes=[0, 1]), BITS),
        (Additive(), BITS),
        (Additive(column), TEXTS),
        (Additive(two_classes), TEXTS),
        (as_predictive(Additive(of_series), classes=[0, 1]), BITS),
        (Named(), TEXTS),
        (Named(column), TEXTS),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_one_column_is_the_probability_of_the_second_of_two_classes(model, y):
    explainer = Explainer(model, X, y)
    q = explainer.evaluations.original
    assert isinstance(q, Categorical)
    np.testing.assert_allclose(q.probabilities[:, 1], SECOND, rtol=1e-6)
    assert explainer.classes.tolist() == sorted(set(y.tolist()))
    expected = log_loss(y, SECOND)
    assert explainer.scores("nll").value[0] == pytest.approx(expected, rel=1e-5)
    assert np.isfinite(explainer.importance(n_repeats=2).importance).all()


def test_labels_remain_labels():
    for labels, y in ([0, 1], BITS), (["no", "yes"], TEXTS), ([1.0, 2.0], BITS + 1.0):
        answer = np.array(labels)[(SECOND > 0.5) * 1]
        predictive = as_predictive(lambda _, answer=answer: answer, classes=labels)
        assert isinstance(predictive(X), Point)
        explainer = Explainer(Network(lambda X, y=labels: np.array(y)[(flat(X) > 0.5) * 1]), X, y)
        assert isinstance(explainer.evaluations.original, Point)
    named = as_predictive(LinearSVC().fit(X, BITS), classes=["no", "yes"])
    explainer = Explainer(named, X, TEXTS)
    accuracy = LinearSVC().fit(X, BITS).score(X, BITS)
    assert explainer.scores("accuracy").value[0] == pytest.approx(accuracy)


def test_numbers_for_a_target_of_bits_are_a_regression_with_a_remark():
    for model in (Network(), Network(flat), flat):
        explainer = Explainer(model, X, BITS)
        assert isinstance(explainer.evaluations.original, Point)
        (remark,) = explainer.importance("squared_error", n_repeats=2).remarks
        assert remark.code == "numbers-like-probabilities"
        with pytest.raises(ValueError, match=r"nll.*two classes as_predictive\(model, cl"):
            explainer.importance("nll")
    for values in (lambda X: X[:, 0], lambda X: (flat(X) > 0.5) * 1.0):
        remarks = Explainer(values, X, BITS).importance("squared_error", n_repeats=2).remarks
        assert "numbers-like-probabilities" not in {remark.code for remark in remarks}


def test_a_target_of_one_label_names_no_classes():
    with pytest.raises(
        TypeError, match="Additive has predict_proba but no classes_; pass as_predi"
    ):
        Explainer(Additive(), X, np.ones(len(X)))


@pytest.mark.parametrize("adapter", [None, lambda fitted: fitted.predict_proba])
def test_refits_name_the_classes_by_their_target(adapter):
    options = {} if adapter is None else {"adapter": adapter}
    learner = Learner(Additive(), X, TEXTS, n_refits=2, **options).fit()
    assert learner.refits[0].explainer.classes.tolist() == ["no", "yes"]
    loco = loco_importance(
        Additive(lambda X: flat(np.c_[X, X])), X[:50], TEXTS[:50], X[50:], TEXTS[50:], **options
    )
    assert np.isfinite(loco.importance).all()


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (
            lambda X: X[:, :1] * 9,
            BITS,
            r"probability of the class 1 is .*; one number",
        ),
        (
            lambda X: X[:, 0] * 9,
            TEXTS,
            r"probability of the class 'yes' is .* in row \d+ of X",
        ),
        (Network(lambda X: X[:, :2]), Y, "Network predicts 2 numbers for each row; if they are ta"),
        (
            as_predictive(Network(lambda X: (X[:, 0] > 0) * 2), classes=[0, 1]),
            BITS,
            r"^the model predicts 2 in row \d+, which is none of its classes 0, 1; if it predi",
        ),
        (
            LinearRegression().fit(X, np.c_[Y, Y]),
            Y,
            r"predicts 2 numbers.*X: model.predict\(X\)",
        ),
        (lambda X: X[:, :2], Y, "if it predicts several targets, return one of them"),
        (
            OneVsRestClassifier(LogisticRegression()).fit(X, np.c_[BITS, BITS[::-1]]),
            BITS,
            "^OneVsRestClassifier predicts several labels for each row; explain one of them: pass",
        ),
        (
            several_labels(),
            BITS,
            "MLPClassifier predicts several labels for each row; explain one of them: pass a funct",
        ),
        (
            GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, refit=False).fit(X, BITS),
            BITS,
            r"^GridSearchCV was fitted with refit=False, so that it holds no best model; fit it w",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_read_is_explained_in_one_sentence(model, y, message):
    with pytest.raises(ValueError, match=message):
        Explainer(model, X, y)


class Against(LogisticRegression):
    """A classifier of scores of each class against the others."""

    def predict_proba(self, X):
        return super().predict_proba(X) * [0.9, 1.2, 0.8]


def test_scores_that_do_not_sum_to_one_are_normalised_on_request():
    model = Against().fit(X, KINDS)
    advice = r"sum to .* in row 0 of X; if they are scores of one class against the others, pass as"
    with pytest.raises(ModelError, match=advice + r"_predictive\(model, normalize=True\), which d"):
        Explainer(model, X, KINDS)
    scores = model.predict_proba(X)
    for normalised in (
        as_predictive(model, normalize=True),
        as_predictive(make_pipeline(model), normalize=True),
        as_predictive(model.predict_proba, classes=[0, 1, 2], normalize=True),
        as_predictive(Network(model.predict_proba), classes=[0, 1, 2], normalize=True),
    ):
        explainer = Explainer(normalised, X, KINDS)
        p = explainer.evaluations.original.probabilities
        np.testing.assert_allclose(p, scores / scores.sum(axis=1, keepdims=True))
    frame = as_predictive(
        lambda X: pd.DataFrame(three_classes(X) * 2, columns=["a", "b", "c"])[["c", "a", "b"]],
        classes=["c", "a", "b"],
        normalize=True,
    )
    np.testing.assert_allclose(frame(X).probabilities, three_classes(X)[:, [2, 0, 1]])
    with pytest.raises(ValueError, match="scores of all classes sum to 0"):
        as_predictive(lambda X: three_classes(X) * 0, classes=[0, 1, 2], normalize=True)(X)
    several = several_labels()
    with pytest.raises(ValueError, match="several labels for each row"):
        as_predictive(several, normalize=True)(X)
    with pytest.raises(TypeError, match="normalize is 1; it must be True or False"):
        as_predictive(model, normalize=1)
    with pytest.raises(ValueError, match="normalize was passed, but the function returned one val"):
        as_predictive(lambda X: X[:, 0], normalize=True)(X)


def test_a_dict_of_scorers_names_the_scores():
    model = LogisticRegression().fit(X, BITS)
    explainer = Explainer(model, X, BITS)
    named = {"acc": "accuracy", "area": "roc_auc", "loss": "nll"}
    result = explainer.scores(named)
    assert result.names == tuple(named)
    assert result.frame["score"].tolist() == list(named)
    np.testing.assert_array_equal(result.value, explainer.scores([*named.values()]).value)
    other = Explainer(LogisticRegression(C=0.1).fit(X, BITS), X, BITS)
    assert explainer.compare(other).scores(named).difference.names == tuple(named)
    assert explainer.compare_rows(X[:, 0] > 0).scores(named).difference.names == tuple(named)
    stressed = explainer.stress(["x0"], {"loss": "nll"}, taus=3)
    np.testing.assert_array_equal(
        stressed.values["loss"], explainer.stress(["x0"], ["nll"], taus=3).values["nll"]
    )
    with pytest.raises(ValueError, match="scoring is empty; name at least one"):
        explainer.scores({})
