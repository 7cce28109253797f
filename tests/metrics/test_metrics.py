"""Metrics of whole sets of rows compared with the scorers of scikit-learn."""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    accuracy_score,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
    max_error,
    mean_pinball_loss,
    precision_score,
    r2_score,
    roc_auc_score,
)

from uqwidgets import Categorical, Normal, Point
from uqwidgets.metrics import find_metric, is_metric, undefined
from uqwidgets.predictive import Mixture

RNG = np.random.default_rng(0)
N = 80
WEIGHTS = RNG.exponential(size=N) * (RNG.random(N) > 0.2)


class Classifier(ClassifierMixin, BaseEstimator):
    """A fitted estimator as scorers expect it."""

    def __init__(self, p=None, classes=None):
        self.p, self.classes = p, classes

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        return np.asarray(self.classes)

    def predict_proba(self, X):
        return self.p[X[:, 0]]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Regressor(RegressorMixin, BaseEstimator):
    def __init__(self, values=None):
        self.values = values

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return self.values[X[:, 0]]


ROWS = np.arange(N)[:, None]


def classified(k, labels):
    p = RNG.dirichlet(np.ones(k), size=N)
    codes = np.array([RNG.choice(k, p=one) for one in p])
    return Categorical(p, labels), codes, Classifier(p, labels)


def of_scikit_learn(scorer, estimator, y, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if weights is None:
            return scorer(estimator, ROWS, y)
        return scorer(estimator, ROWS, y, sample_weight=weights)


def names(sort):
    return [
        name
        for name in get_scorer_names()
        if get_scorer(name)._score_func.__module__.endswith(sort)
    ]


NO_SCORE = {  # scikit-learn refuses these too
    2: {"f1_samples", "jaccard_samples", "precision_samples", "recall_samples"},
    3: {"f1_samples", "jaccard_samples", "precision_samples", "recall_samples", "roc_auc"}
    | {"f1", "jaccard", "precision", "recall"}
    | {"positive_likelihood_ratio", "neg_negative_likelihood_ratio"},
}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", names("._classification") + names("._ranking") + names("_scorer"))
def test_every_scorer_of_classes_gives_its_own_value(name, k):
    q, y, estimator = classified(k, np.arange(k))
    metric = find_metric(name, q.classes)
    scorer = get_scorer(name)
    if name in NO_SCORE[k]:
        with pytest.raises(ValueError, match=rf"^{name} cannot score this model: .*\.$"):
            metric.score(q, y)
        return
    # Scikit-learn has no weighted areas of pairs of classes.
    weighted = metric.takes_weights and not (k == 3 and "ovo" in name)
    for weights in (None, np.ones(N), WEIGHTS) if weighted else (None, np.ones(N)):
        expected = of_scikit_learn(scorer, estimator, y, weights if weighted else None)
        expected = np.nan if (k, name) == (2, "top_k_accuracy") else expected  # always 1
        assert metric.score(q, y, weights) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    if not metric.takes_weights:
        with pytest.raises(ValueError, match=rf"^{name} cannot score this model: .*weight"):
            metric.score(q, y, WEIGHTS)


@pytest.mark.parametrize("name", names("._regression"))
def test_every_scorer_of_numbers_gives_its_own_value(name):
    values = RNG.gamma(2, size=N) + 0.1
    y = values * RNG.gamma(5, 0.2, size=N)
    metric = find_metric(name, None)
    mixture = Mixture(Normal(values[:, None] + [-0.05, 0.05], np.ones((N, 2))))
    for q in (Normal(values, np.ones(N)), Point(values), mixture):
        for weights in (None, WEIGHTS) if metric.takes_weights else (None,):
            expected = of_scikit_learn(get_scorer(name), Regressor(values), y, weights)
            assert metric.score(q, y, weights) == pytest.approx(expected, rel=1e-9)
            assert metric.on(q, y)(weights) == metric.score(q, y, weights)


@pytest.mark.parametrize("labels", [["no", "yes"], ["yes", "no"], [False, True], ["b", 1]])
@pytest.mark.parametrize("name", ["average_precision", "f1", "neg_log_loss", "roc_auc", "accuracy"])
def test_the_second_of_two_non_numeric_classes_is_the_positive_one(name, labels):
    q, y, _ = classified(2, np.array(labels, dtype=object))
    expected = of_scikit_learn(
        get_scorer(name), Classifier(q.probabilities, np.arange(2)), y, WEIGHTS
    )
    metric = find_metric(name, q.classes)
    assert metric.score(q, y, WEIGHTS) == pytest.approx(expected)
    assert metric.label.endswith(f" of {labels[1]}") == (name in ("average_precision", "f1"))


@pytest.mark.parametrize("name", ["average_precision", "f1", "neg_log_loss", "roc_auc", "accuracy"])
@pytest.mark.parametrize("labels", [[1, 2], [2, 1], [1.0, 0.0]])
def test_numbers_as_labels_mean_what_they_mean_to_scikit_learn(name, labels):
    q, codes, _ = classified(2, labels)
    columns = np.argsort(labels)
    as_it_wants = Classifier(q.probabilities[:, columns], np.sort(labels))
    expected = of_scikit_learn(get_scorer(name), as_it_wants, q.classes[codes], WEIGHTS)
    assert find_metric(name, q.classes).score(q, codes, WEIGHTS) == pytest.approx(expected)


def test_three_classes_in_any_order():
    q, codes, _ = classified(3, ["b", "c", "a"])
    expected = -log_loss(q.classes[codes], q.probabilities[:, [2, 0, 1]])
    assert find_metric("neg_log_loss", q.classes).score(q, codes) == pytest.approx(expected)
    own = make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)
    assert find_metric(own, q.classes).score(q, codes) == pytest.approx(expected)


def test_a_mixture_is_scored_by_the_mean_of_its_members():
    members = RNG.dirichlet(np.ones(3), size=(N, 5))
    q = Mixture(Categorical(members, [0, 1, 2]))
    y = RNG.integers(3, size=N)
    p = members.mean(axis=1)
    accuracy = accuracy_score(y, p.argmax(axis=1), sample_weight=WEIGHTS)
    assert find_metric("accuracy", q.classes).score(q, y, WEIGHTS) == pytest.approx(accuracy)
    loss = -log_loss(y, p, sample_weight=WEIGHTS)
    assert find_metric("neg_log_loss", q.classes).score(q, y, WEIGHTS) == pytest.approx(loss)


def test_labels_without_probabilities():
    classes = np.array(["no", "yes"])
    y, predicted = (RNG.choice(classes, size=N) for _ in range(2))
    positive = fbeta_score(y == "yes", predicted == "yes", beta=1, sample_weight=WEIGHTS)
    assert find_metric("f1", classes).score(Point(predicted), y, WEIGHTS) == pytest.approx(positive)
    predicted[3] = "perhaps"
    expected = accuracy_score(y, predicted, sample_weight=WEIGHTS)
    assert find_metric("accuracy", classes).score(Point(predicted), y, WEIGHTS) == pytest.approx(
        expected
    )
    with pytest.raises(ValueError, match=r"roc_auc cannot .* the model predicts labels only"):
        find_metric("roc_auc", classes).score(Point(predicted), y)


def test_a_custom_scorer_receives_the_labels():
    q, codes, _ = classified(2, ["no", "yes"])
    y, predicted = q.classes[codes], q.classes[q.mode()]
    metric = find_metric(make_scorer(fbeta_score, beta=2, pos_label="no"), q.classes)
    expected = fbeta_score(y, predicted, beta=2, pos_label="no", sample_weight=WEIGHTS)
    assert metric.score(q, codes, WEIGHTS) == pytest.approx(expected)
    assert metric.name == "fbeta_score(beta=2, pos_label='no')"

    def cost(truth, predicted):
        assert set(truth) == {"no", "yes"}
        return float((truth != predicted).sum())

    metric = find_metric(make_scorer(cost, greater_is_better=False), q.classes)
    assert metric.name == "neg_cost"
    assert metric.score(q, codes) == -(codes != q.mode()).sum()
    assert not metric.takes_weights
    rows = (np.arange(N) % 2).astype(float)
    assert metric.score(q, codes, rows) == -(codes != q.mode())[1::2].sum()
    with pytest.raises(ValueError, match=r"neg_cost cannot .*: it takes no weights of rows"):
        metric.score(q, codes, WEIGHTS)


def test_scorers_with_the_same_name_are_distinguished():
    low, high = (make_scorer(mean_pinball_loss, alpha=a) for a in (0.1, 0.9))
    assert find_metric(low, None).key != find_metric(high, None).key
    assert find_metric(low, None).key == find_metric(low, None).key
    named = [make_scorer(lambda *_: 0.0), make_scorer(lambda *_: 1.0)]
    assert find_metric(named[0], None).name == find_metric(named[1], None).name
    assert find_metric(named[0], None).key != find_metric(named[1], None).key


ONE_CLASS = ("average_precision", "precision", "recall", "f1", "jaccard")


@pytest.mark.parametrize("name", ["roc_auc", *ONE_CLASS])
def test_an_undefined_metric_is_missing_and_no_error(name):
    q, y, _ = classified(2, ["no", "yes"])
    metric = find_metric(name, q.classes)
    nothing = Categorical(np.tile([0.9, 0.1], (N, 1)), q.classes)
    for weights in (None, WEIGHTS):
        assert np.isnan(metric.score(nothing, np.zeros(N, dtype=int), weights))
    # Only one class has weight, as if the other rows were absent.
    assert np.isnan(metric.score(nothing, y, (y == 0) * 1.0))
    assert np.isnan(metric.score(q, y, np.zeros(N)))


def of_scikit_learn_where_defined(metric, q, y, weights):
    """The score of scikit-learn, NaN where it warns that there is none."""
    scorer, rows = get_scorer(metric.name), np.flatnonzero(weights)
    estimator = Classifier(q.probabilities[rows], q.classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        warnings.filterwarnings("error", "No positive class found")
        try:
            return scorer(estimator, ROWS[: len(rows)], y[rows], sample_weight=weights[rows])
        except (UndefinedMetricWarning, UserWarning):
            return np.nan


@pytest.mark.parametrize("average", ["", "_macro", "_micro", "_weighted"])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
def test_a_metric_is_defined_where_scikit_learn_gives_no_warning(name, average):
    k = 3 if average else 2
    q, y, _ = classified(k, np.arange(k))
    metric = find_metric(name + average, q.classes)
    generator, n_undefined = np.random.default_rng(0), 0
    for _ in range(200):
        weights = generator.exponential(size=N) * (np.arange(N) < generator.integers(1, 7))
        weights = generator.permutation(weights)
        expected = of_scikit_learn_where_defined(metric, q, y, weights)
        score = metric.score(q, y, weights)
        if (name, average) == ("recall", "_weighted"):
            # The recall of a class without rows has no weight, so that the average is defined.
            expected = np.average(q.mode() == y, weights=weights)
        n_undefined += np.isnan(expected)
        assert score == pytest.approx(expected, rel=1e-12, nan_ok=True)
    sometimes = {"": True, "_macro": name in ("precision", "recall"), "_micro": False}
    assert (n_undefined > 0) == sometimes.get(average, name == "precision")


def test_metrics_are_scored_in_several_threads(monkeypatch):
    monkeypatch.setattr(warnings, "filters", list(warnings.filters))
    before = list(warnings.filters)
    q, y, _ = classified(2, ["no", "yes"])
    nothing = Categorical(np.tile([0.9, 0.1], (N, 1)), q.classes)
    generator = np.random.default_rng(0)
    weights = generator.exponential(size=(60, N)) * (y == 0)

    def score(name):
        metric = find_metric(name, q.classes)
        return [metric.score(nothing, y, of_rows) for of_rows in weights]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            scores = list(threads.map(score, ONE_CLASS * 2))
    finally:
        sys.setswitchinterval(interval)
    assert np.isnan(scores).all()
    assert warnings.filters == before
    # In the code of the user scikit-learn says what it always says.
    with pytest.warns(UndefinedMetricWarning, match="Precision is ill-defined"):
        precision_score([0, 1], [0, 0])


def test_no_weight_at_all_and_one_row_are_not_defined():
    q = Normal(np.zeros(N), np.ones(N))
    metric = find_metric("r2", None)
    assert np.isnan(metric.score(q, np.arange(N) * 1.0, np.zeros(N)))
    assert np.isnan(metric.score(q, np.arange(N) * 1.0, np.eye(N)[0]))


def test_a_class_without_rows_is_still_a_class_of_the_model():
    q, y, _ = classified(3, list("abc"))
    of_a = (y == 0) * 1.0
    result = find_metric("neg_log_loss", q.classes).score(q, y, of_a)
    assert result == pytest.approx(np.log(q.probabilities[y == 0, 0]).mean())
    brier = find_metric("neg_brier_score", np.arange(2))
    two, codes, _ = classified(2, [0, 1])
    result = brier.score(two, codes, (codes == 0) * 1.0)
    assert result == pytest.approx(-np.square(two.probabilities[codes == 0, 1]).mean())


@pytest.mark.parametrize(
    ("scoring", "classes", "message"),
    [
        ("roc_auc", None, "roc_auc .* needs probabilities of classes, and the target is a number"),
        ("r2", ["no", "yes"], "r2 .* metric of numbers, and the target is a class"),
        ("average_precision", [2, 3], "average_precision .* pos_label is 1, which is none of the"),
        ("roc_au", None, "there is no metric 'roc_au'; did you mean 'roc_auc'"),
        (
            make_scorer(accuracy_score, response_method="decision_function"),
            [0, 1],
            "it reads decision_function; only",
        ),
        (make_scorer(roc_auc_score, response_method="predict_proba"), ["a", 1], "have no order"),
    ],
)
def test_a_metric_of_another_task_is_refused(scoring, classes, message):
    labels = None if classes is None else np.array(classes, dtype=object)
    if classes is not None and isinstance(classes[0], int):
        labels = np.array(classes)
    with pytest.raises(ValueError, match=message):
        find_metric(scoring, labels)


@pytest.mark.parametrize("scoring", [r2_score, 3, None])
def test_an_object_that_is_no_scorer_is_refused(scoring):
    assert not is_metric(scoring)
    with pytest.raises(TypeError, match="give the name of a scikit-learn scorer, or what"):
        find_metric(scoring, None)


def test_the_error_of_a_metric_is_one_sentence():
    def strict(truth, predicted):  # noqa: ARG001
        raise KeyError("of another\nline")

    q, y = Normal(np.zeros(3), np.ones(3)), np.arange(3.0)
    with pytest.raises(ValueError, match=r"^strict cannot score this model: .*of another.*\.$"):
        find_metric(make_scorer(strict), None).score(q, y)
    scores = find_metric(make_scorer(np.subtract), None)
    with pytest.raises(ValueError, match="cannot score this model"):
        scores.score(q, y)
    with pytest.raises(ValueError, match="neg_mean_squared_log_error cannot score this model"):
        find_metric("neg_mean_squared_log_error", None).score(q, y - 5)


def test_warnings_of_scikit_learn_are_hidden_and_those_of_a_function_are_not():
    q, y, _ = classified(3, [0, 1, 2])
    metric = find_metric("balanced_accuracy", q.classes)
    two = (y != 2) * 1.0
    expected = np.mean([(q.mode()[y == c] == c).mean() for c in (0, 1)])
    assert metric.score(q, y, two) == pytest.approx(expected)

    def loud(truth, predicted):  # noqa: ARG001
        warnings.warn("mind the scale", stacklevel=1)
        return 1.0

    with pytest.raises(ValueError, match="mind the scale"):
        find_metric(make_scorer(loud), q.classes).score(q, y)


def test_a_zero_division_that_is_chosen_stays():
    q = Categorical([[0.9, 0.1], [0.8, 0.2]], [0, 1])
    y = np.array([1, 0])
    assert np.isnan(find_metric("precision", q.classes).score(q, y))
    chosen = make_scorer(precision_score, zero_division=0.0)
    assert find_metric(chosen, q.classes).score(q, y) == 0.0
    as_by_default = make_scorer(precision_score, zero_division="warn", average="macro")
    assert np.isnan(find_metric(as_by_default, q.classes).score(q, y))
    # All rows are right, but none is of the class 1, which has to be averaged here.
    of_both = make_scorer(precision_score, labels=[0, 1], average="macro")
    assert np.isnan(find_metric(of_both, q.classes).score(q, 0 * y))
    assert find_metric("precision_macro", q.classes).score(q, 0 * y) == 1.0


def test_the_greatest_error_takes_no_weights():
    q, y = Normal(np.zeros(N), np.ones(N)), RNG.normal(size=N)
    metric = find_metric("neg_max_error", None)
    assert metric.score(q, y) == -max_error(y, np.zeros(N))
    with pytest.raises(ValueError, match=r"neg_max_error cannot .* takes no weights of rows"):
        metric.score(q, y, WEIGHTS)


def test_missing_values_are_reported():
    remark = undefined("roc auc", 2, 30, "points")
    assert remark == "roc auc is not defined, as where one class is left, for 2 of 30 points"


def test_with_many_classes_rows_are_scored():
    q, y, _ = classified(120, np.arange(120))
    expected = accuracy_score(y, q.mode(), sample_weight=WEIGHTS)
    assert find_metric("accuracy", q.classes).score(q, y, WEIGHTS) == pytest.approx(expected)


def test_the_area_under_the_curve_is_that_of_scikit_learn_with_ties_and_weights():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p = rng.integers(1, 9, size=N) / 10
        q, y = Categorical(np.column_stack([1 - p, p]), [5, 3]), rng.integers(2, size=N)
        for weights in (None, rng.exponential(size=N)):
            # The larger numeric label is the positive class: here the first.
            expected = roc_auc_score(y == 0, 1 - p, sample_weight=weights)
            result = find_metric("roc_auc", q.classes).score(q, y, weights)
            assert result == pytest.approx(expected, rel=1e-12)
