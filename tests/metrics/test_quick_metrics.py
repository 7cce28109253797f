"""Metrics that are computed without scikit-learn's functions, compared with these functions."""

from __future__ import annotations

import pickle
import warnings
from inspect import signature

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    d2_log_loss_score,
    d2_tweedie_score,
    f1_score,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    hamming_loss,
    jaccard_score,
    log_loss,
    make_scorer,
    mean_pinball_loss,
    mean_tweedie_deviance,
    normalized_mutual_info_score,
    precision_score,
    recall_score,
    roc_auc_score,
    top_k_accuracy_score,
    v_measure_score,
    zero_one_loss,
)

import uqwidgets as uq
from uqwidgets import Categorical, Normal, Point
from uqwidgets.metrics import find_metric
from uqwidgets.metrics.metric import Metric
from uqwidgets.metrics.ranks import area_under_roc, average_precision

OF_LABELS = [
    *("accuracy", "balanced_accuracy", "matthews_corrcoef"),
    *(
        name + average
        for name in ("precision", "recall", "f1", "jaccard")
        for average in ("_macro", "_micro", "_weighted")
    ),
]
OF_ONE_CLASS = ["precision", "recall", "f1", "jaccard", "roc_auc", "average_precision"]
OF_NUMBERS = [
    *("r2", "neg_mean_squared_error", "neg_root_mean_squared_error"),
    "neg_mean_absolute_error",
]


AVERAGES = ("macro", "weighted", "micro")


def probabilities(generator, n, k):
    # Few different values, so that some are equal, and no class is certain.
    p = generator.integers(1, 6, size=(n, k)).astype(float)
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "k"), [(n, k) for n in OF_LABELS for k in (2, 4)] + [(n, 2) for n in OF_ONE_CLASS]
)
def test_a_metric_is_the_one_of_scikit_learn(name, k):
    generator, n = np.random.default_rng(k), 60
    scorer, labels = get_scorer(name), np.arange(k)
    metric = find_metric(name, labels)
    assert metric._of_confusion is not None or metric._of_weights is not None
    for _ in range(20):
        q = Categorical(probabilities(generator, n, k), labels)
        y = generator.integers(k, size=n)
        predicted = q.mode() if metric._of_weights is None else q.probabilities[:, 1]
        weights = generator.exponential(size=n) * (generator.random(n) > 0.3)
        for w in (None, weights):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = scorer._score_func(y, predicted, sample_weight=w, **scorer._kwargs)
            assert metric.score(q, y, w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "k"), [("neg_log_loss", 2), ("neg_log_loss", 4), ("neg_brier_score", 2)]
)
def test_a_mean_over_rows_is_the_one_of_scikit_learn(name, k):
    generator, n = np.random.default_rng(k), 60
    for labels in (np.arange(k), np.array(["d", "a", "c", "b"][:k])):
        metric = find_metric(name, labels)
        assert metric._of_weights is not None
        p = probabilities(generator, n, k)
        p[:4] = np.eye(k)[0]  # certain of what may be wrong
        y = generator.integers(k, size=n)
        function = get_scorer(name)._score_func
        predicted = p[:, 1] if k == 2 else p
        for weights in (None, generator.exponential(size=n) * (generator.random(n) > 0.3)):
            expected = function(y, predicted, sample_weight=weights, labels=np.arange(k))
            score = metric.score(Categorical(p, labels), y, weights)
            assert score == pytest.approx(-expected, rel=1e-12)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovr_weighted"])
@pytest.mark.parametrize("labels", [[0, 1, 2, 3], ["d", "a", "c", "b"]])
def test_the_area_of_each_class_is_the_one_of_scikit_learn(name, labels):
    generator, n = np.random.default_rng(1), 60
    scorer, labels = get_scorer(name), np.array(labels)
    for metric in (find_metric(name, labels), find_metric(scorer, labels)):
        assert metric._of_weights is not None
        p, y = probabilities(generator, n, 4), generator.integers(4, size=n)
        q, order = Categorical(p, labels), np.argsort(labels)
        for weights in (None, generator.exponential(size=n) * (generator.random(n) > 0.3)):
            expected = roc_auc_score(
                labels[y], p[:, order], sample_weight=weights, **scorer._kwargs
            )
            assert metric.score(q, y, weights) == pytest.approx(expected, rel=1e-12)
        # One of the classes has no row, so that its area is not defined.
        assert np.isnan(metric.score(q, y, (y > 0) * 1.0))
        certain = Categorical(np.eye(4)[y], labels)
        assert {metric.score(certain, y, w) for w in generator.exponential(size=(50, n))} == {1.0}


def test_the_log_loss_of_a_scorer_has_classes_in_another_order():
    generator, labels = np.random.default_rng(0), np.array(["d", "a", "c"])
    metric = find_metric(make_scorer(log_loss, response_method="predict_proba"), labels)
    p, y = probabilities(generator, 30, 3), generator.integers(3, size=30)
    assert metric._of_weights is not None
    expected = log_loss(labels[y], p[:, [1, 2, 0]], labels=np.sort(labels))
    assert metric.score(Categorical(p, labels), y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_metric_of_numbers_is_the_one_of_scikit_learn(name):
    generator, n = np.random.default_rng(0), 50
    metric, scorer = find_metric(name, None), get_scorer(name)
    assert metric._of_weights is not None
    y = generator.normal(size=n) + 5
    for predicted in (y, y + generator.normal(size=n), np.full(n, 5.0)):
        q = Normal(predicted, np.ones(n))
        for weights in (None, generator.exponential(size=n) * (generator.random(n) > 0.3)):
            expected = scorer._sign * scorer._score_func(y, predicted, sample_weight=weights)
            assert metric.score(q, y, weights) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    constant = np.full(n, 5.0)
    for predicted in (constant, y):
        expected = scorer._sign * scorer._score_func(constant, predicted)
        assert metric.score(Normal(predicted, np.ones(n)), constant) == pytest.approx(expected)
    assert np.isnan(metric.score(Normal(y, np.ones(n)), y, np.zeros(n)))
    far = Normal(np.full(n, 1e200), np.ones(n))
    with np.errstate(over="ignore"):
        expected = scorer._sign * scorer._score_func(y, np.full(n, 1e200))
    assert metric.score(far, y) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("of_ranks", "function"),
    [(area_under_roc, roc_auc_score), (average_precision, average_precision_score)],
)
def test_one_probability_of_all_rows_and_single_rows(of_ranks, function):
    y = np.array([1, 0, 0, 1, 1])
    for p in (np.full(5, 0.5), np.array([0.9, 0.1, 0.2, 0.8, 0.7]), np.linspace(1, 0, 5)):
        weights = [[1, 1, 1, 1, 1], [0, 0, 2, 3, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
        scores = of_ranks(y == 1, p)(np.array(weights, dtype=float))
        of_two = function(y[2:4], p[2:4], sample_weight=[2, 3])
        assert scores[:2] == pytest.approx([function(y, p), of_two], rel=1e-12)
        assert np.isnan(scores[2:]).all()


@pytest.mark.parametrize(
    ("name", "k"), [(n, k) for n in OF_LABELS for k in (2, 5)] + [(n, 2) for n in OF_ONE_CLASS]
)
def test_a_perfect_score_is_1_under_all_weights(name, k):
    generator, n = np.random.default_rng(1), 50
    y = generator.integers(k, size=n)
    p = 0.1 * probabilities(generator, n, k) + 0.9 * np.eye(k)[y]
    score = find_metric(name, np.arange(k)).on(Categorical(p, np.arange(k)), y)
    weights = generator.exponential(size=(200, n))
    assert {score(one) for one in weights} == set(score.of_each(weights)) == {1.0}


def test_a_label_that_is_no_number_can_be_the_positive_one():
    generator, labels = np.random.default_rng(0), np.array(["no", "yes"])
    q = Categorical(probabilities(generator, 40, 2), labels)
    y = generator.integers(2, size=40)
    precision = find_metric(make_scorer(precision_score, pos_label="no"), labels)
    assert precision._of_confusion is not None
    expected = precision_score(labels[y], labels[q.mode()], pos_label="no")
    assert precision.score(q, y) == pytest.approx(expected, rel=1e-12)
    scorer = make_scorer(average_precision_score, response_method="predict_proba", pos_label="no")
    average = find_metric(scorer, labels)
    assert average._of_weights is not None
    expected = average_precision_score(labels[y], q.probabilities[:, 0], pos_label="no")
    assert average.score(q, y) == pytest.approx(expected, rel=1e-12)
    loss = make_scorer(roc_auc_score, response_method="predict_proba", greater_is_better=False)
    area = roc_auc_score(y, q.probabilities[:, 1])
    assert find_metric(loss, labels).score(q, y) == pytest.approx(-area, rel=1e-12)


def of_probabilities(function, **arguments):
    return make_scorer(function, response_method="predict_proba", **arguments)


#: Scorers of scikit-learn's functions with arguments, and the numbers of classes that they fit.
WITH_ARGUMENTS = [
    *((make_scorer(fbeta_score, beta=b), (2,)) for b in (0, 0.5, 2)),
    (make_scorer(fbeta_score, beta=2, average="macro"), (2, 4)),
    (make_scorer(fbeta_score, beta=1.3, average="weighted", zero_division=1.0), (2, 4)),
    *((make_scorer(f1_score, zero_division=z, pos_label=0), (2,)) for z in (0.0, 1.0, np.nan)),
    *(
        (make_scorer(function, average=average, labels=[2, 0], zero_division=z), (4,))
        for function in (precision_score, recall_score, f1_score)
        for average in ("micro", "macro", "weighted")
        for z in (0.0, 1.0, np.nan)
    ),
    (make_scorer(jaccard_score, average="macro", labels=[1, 3], zero_division=1), (4,)),
    (make_scorer(f1_score, average="macro", labels=[0, 1]), (2, 4)),
    (make_scorer(accuracy_score, normalize=False), (2, 4)),
    (make_scorer(zero_one_loss, greater_is_better=False), (2, 4)),
    (make_scorer(zero_one_loss, normalize=False), (2, 4)),
    (make_scorer(hamming_loss), (2, 4)),
    (make_scorer(balanced_accuracy_score, adjusted=True), (2, 4)),
    *((make_scorer(cohen_kappa_score, weights=w), (2, 4)) for w in (None, "linear", "quadratic")),
    (make_scorer(cohen_kappa_score, labels=[3, 0, 1], weights="linear"), (4,)),
    *((of_probabilities(roc_auc_score, max_fpr=most), (2,)) for most in (0.05, 0.3, 0.9, 1)),
    *(
        (of_probabilities(roc_auc_score, multi_class=against, average=average), (2, 4))
        for against in ("ovr", "ovo")
        for average in ("macro", "weighted")
    ),
    (of_probabilities(roc_auc_score, multi_class="ovr", average="micro"), (4,)),
    (of_probabilities(roc_auc_score, multi_class="ovr", labels=[0, 1, 2, 3]), (4,)),
    *((of_probabilities(average_precision_score, average=a), (2, 4)) for a in AVERAGES),
    (of_probabilities(average_precision_score, pos_label=0), (2,)),
    *((of_probabilities(top_k_accuracy_score, k=n, normalize=False), (2, 4)) for n in (1, 3)),
    (of_probabilities(log_loss, normalize=False), (2, 4)),
    (of_probabilities(log_loss, labels=[0, 1, 2, 3]), (4,)),
    (of_probabilities(brier_score_loss, pos_label=0), (2,)),
    (of_probabilities(d2_log_loss_score), (2, 4)),
]


@pytest.mark.parametrize(("scorer", "classes"), WITH_ARGUMENTS, ids=lambda each: str(each))
def test_a_scorer_with_arguments_is_the_one_of_scikit_learn(scorer, classes):
    for k in classes:
        generator, n, labels = np.random.default_rng(k), 40, np.arange(k)
        metric, function = find_metric(scorer, labels), scorer._score_func
        for number in range(6):
            q = Categorical(probabilities(generator, n, k), labels)
            # In later tables some classes have no true rows or no predicted ones.
            y = generator.integers(k if number < 3 or "proba" in str(scorer) else 2, size=n)
            arguments = dict(scorer._kwargs)
            predicted = q.mode()
            if "proba" in str(scorer):
                positive = arguments.get("pos_label", 1)
                predicted = q.probabilities if k > 2 else q.probabilities[:, positive]
                if "labels" in signature(function).parameters:
                    arguments.setdefault("labels", labels)
            score = metric.on(q, y)
            assert score.is_quick
            weights = generator.exponential(size=n) * (generator.random(n) > 0.3)
            of_pairs = arguments.get("multi_class") == "ovo" and k > 2
            for w in (None,) if of_pairs else (None, weights):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = scorer._sign * function(y, predicted, sample_weight=w, **arguments)
                if function is top_k_accuracy_score and arguments["k"] >= k:
                    expected = np.nan  # all rows, whatever the model
                assert score(w) == pytest.approx(expected, rel=1e-11, abs=1e-12, nan_ok=True)


#: Scorers of labels that take no weights.
OF_COUNTS = [
    *(
        get_scorer(name)
        for name in (
            *("rand_score", "adjusted_rand_score", "fowlkes_mallows_score"),
            *("mutual_info_score", "homogeneity_score", "completeness_score", "v_measure_score"),
            *("positive_likelihood_ratio", "neg_negative_likelihood_ratio"),
        )
    ),
    *(make_scorer(v_measure_score, beta=beta) for beta in (0.5, 2.0)),
    *(
        make_scorer(normalized_mutual_info_score, average_method=average)
        for average in ("arithmetic", "geometric", "min", "max")
    ),
]


@pytest.mark.parametrize("scorer", OF_COUNTS, ids=str)
@pytest.mark.parametrize("labels", [[0, 1], ["b", "a"], [0, 1, 2, 3]])
def test_a_score_of_counts_is_the_one_of_scikit_learn(scorer, labels):
    labels, generator, n = np.array(labels), np.random.default_rng(0), 40
    is_ratio = "likelihood" in str(scorer)
    if is_ratio and len(labels) > 2:
        assert find_metric(scorer, labels)._of_confusion is None
        return
    metric, eye = find_metric(scorer, labels), np.eye(len(labels))
    # At random, all right, all of one class, and both; a few rows.
    drawn = [generator.integers(len(labels), size=(2, n)) for _ in range(5)]
    same, zeros = drawn[0][:1].repeat(2, axis=0), np.zeros((2, n), dtype=int)
    one = [np.stack(pair) for pair in ((same[0], zeros[0]), (zeros[0], same[0]))]
    for y, answer in (*drawn, same, *one, *([] if is_ratio else [zeros, zeros[:, :1]])):
        score = metric.on(Categorical(eye[answer], labels), y)
        assert score.is_quick
        kept = generator.random(len(y)) > 0.3 if len(y) > 1 else np.ones(1, dtype=bool)
        for weights in (np.ones(len(y)), 3.0 * kept):
            rows = weights > 0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = scorer._score_func(
                    labels[y[rows]], labels[answer[rows]], **scorer._kwargs
                )
            expected *= scorer._sign
            assert score(weights) == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True)
        assert np.isnan(score(np.zeros(len(y))))
    with pytest.raises(ValueError, match="it takes no weights of rows; leave them out"):
        metric.score(Categorical(eye[same[0]], labels), same[0], np.arange(1.0, n + 1))


def test_the_explained_variance_of_constant_numbers_is_the_one_of_scikit_learn():
    function, y = get_scorer("explained_variance")._score_func, np.arange(6.0)
    for truth, predicted in ((y, y + 3), (y * 0, y), (y * 0, y * 0), (y * 0 + 2, y * 0)):
        score = find_metric("explained_variance", None).score(Point(predicted), truth)
        assert score == function(truth, predicted)


@pytest.mark.parametrize("scorer", ["accuracy", make_scorer(lambda y, p: float((y == p).mean()))])
def test_the_score_of_rows_that_are_there_several_times(scorer):
    y, answer = np.random.default_rng(0).integers(2, size=(2, 20))
    score = find_metric(scorer, np.arange(2)).on(Categorical(np.eye(2)[answer], [0, 1]), y)
    rows = np.array([0, 3, 3, 3, 19, 7])
    expected = (y == answer)[rows[:-1]].mean()
    assert score.of_rows(rows, np.array([1.0] * 5 + [0.0])) == pytest.approx(expected)


# Scikit-learn has them for several classes since versions 1.7 and 1.8.
@pytest.mark.parametrize(
    "name", sorted({"d2_brier_score", "neg_brier_score"} & {*get_scorer_names()})
)
def test_the_brier_score_of_several_classes_is_the_one_of_scikit_learn(name):
    generator, labels = np.random.default_rng(0), np.array(["b", "c", "a"])
    several = "labels" in signature(brier_score_loss).parameters
    for k in (2, 3) if several else (2,):
        p, y = probabilities(generator, 30, k), generator.integers(k, size=30)
        scorer, known = get_scorer(name), labels[:k]
        score = find_metric(scorer, known).on(Categorical(p, known), y)
        assert score.is_quick
        order = np.argsort(known)
        options = {"pos_label": known[order[1]]} if k == 2 else {"labels": known[order]}
        for weights in (None, generator.exponential(size=30) * (generator.random(30) > 0.3)):
            expected = scorer._score_func(
                known[y],
                p[:, order][:, 1] if k == 2 else p[:, order],
                sample_weight=weights,
                **options,
            )
            assert score(weights) == pytest.approx(scorer._sign * expected, rel=1e-12)


NUMBERS_WITH_ARGUMENTS = [
    *(make_scorer(mean_pinball_loss, alpha=alpha) for alpha in (0.1, 0.9)),
    *(make_scorer(mean_tweedie_deviance, power=p) for p in (-1, 0, 1, 1.5, 2, 3)),
    *(make_scorer(d2_tweedie_score, power=p) for p in (-1, 0, 1, 1.5, 2, 3)),
    *map(
        get_scorer,
        (
            *("neg_mean_absolute_percentage_error", "neg_mean_squared_log_error"),
            *("neg_root_mean_squared_log_error", "explained_variance"),
            *("neg_mean_poisson_deviance", "neg_mean_gamma_deviance"),
        ),
    ),
]


@pytest.mark.parametrize("scorer", NUMBERS_WITH_ARGUMENTS, ids=str)
def test_a_mean_of_numbers_is_the_one_of_scikit_learn(scorer):
    generator, n = np.random.default_rng(0), 50
    y, predicted = generator.gamma(2.0, size=(2, n)) + 0.1
    # What no loss exists for counts only with weight.
    y[0] = predicted[0] = -2.0
    score = find_metric(scorer, None).on(Normal(predicted, np.ones(n)), y)
    assert score.is_quick
    for weights in (np.ones(n), generator.exponential(size=n) * (generator.random(n) > 0.3)):
        weights[0], kept = 0.0, weights > 0
        kept[0] = False
        weighted = None if weights[1] == 1 else weights[kept]
        expected = scorer._sign * scorer._score_func(
            y[kept], predicted[kept], sample_weight=weighted, **scorer._kwargs
        )
        assert score(weights) == pytest.approx(expected, rel=1e-11)
    refused = np.ones(n)
    try:
        with np.errstate(all="ignore"):
            scorer._score_func(y, predicted, **scorer._kwargs)
    except ValueError:
        with pytest.raises(ValueError, match=r"cannot score this model: it needs .*\.$"):
            score(refused)


@pytest.mark.parametrize(
    "scorer",
    [
        make_scorer(precision_score, average="samples"),
        make_scorer(f1_score, average="macro", labels=[0, 7]),
        make_scorer(roc_auc_score, response_method="predict_proba", max_fpr=2),
        make_scorer(log_loss, response_method="predict_proba", labels=[1, 0]),
        make_scorer(lambda y, predicted: float((y == predicted).mean())),
    ],
)
def test_other_arguments_are_left_to_scikit_learn(scorer):
    metric = find_metric(scorer, np.arange(2))
    assert metric._of_confusion is None
    assert metric._of_weights is None


@pytest.mark.parametrize("predicted", [["no", "yes", "no"], ["no", "maybe", "no"]])
def test_labels_alone_have_cells_unless_one_is_no_class(predicted):
    labels, y = np.array(["no", "yes"]), np.array(["no", "yes", "yes"])
    q = Point(np.array(predicted, dtype=object))
    score = find_metric("accuracy", labels).on(q, y)
    assert score.is_quick == ("maybe" not in predicted)
    assert score(None) == pytest.approx(accuracy_score(y, predicted))


@pytest.mark.parametrize("name", ["f1", "precision_macro", "accuracy", "roc_auc"])
def test_a_metric_can_be_pickled(name):
    labels = np.array(["no", "yes"])
    q, y = Categorical([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]], labels), np.array([0, 1, 0])
    metric = find_metric(name, labels)
    assert pickle.loads(pickle.dumps(metric)).score(q, y) == metric.score(q, y)


@pytest.mark.parametrize("name", ["f1", "roc_auc", "average_precision", "balanced_accuracy"])
def test_importance_does_not_call_the_functions_of_scikit_learn(name, monkeypatch):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = (X[:, 0] + generator.normal(size=60) > 0).astype(int)
    model = LogisticRegression().fit(X, y)

    def scored(*_):
        raise AssertionError("scikit-learn was called")

    monkeypatch.setattr(Metric, "_score", scored)
    result = uq.Explainer(model, X, y).importance(name)
    assert result.importance[0] > 0.05
