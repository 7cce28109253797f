"""The private attributes of scikit-learn's scorers that the package reads.

A release of scikit-learn that renames one of them fails here, with its name.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    mean_absolute_error,
)

import uqwidgets
from uqwidgets.metrics.scorer import SCORER, ScorerParts


def own(y_true, y_pred, power=1):
    return np.abs(y_true - y_pred).mean() ** power


def test_every_scorer_is_an_instance_of_the_scorer_class():
    assert all(isinstance(get_scorer(name), SCORER) for name in get_scorer_names())
    assert isinstance(make_scorer(own), SCORER)
    assert not isinstance(accuracy_score, SCORER)


def test_function():
    assert ScorerParts.of(get_scorer("accuracy")).function is accuracy_score
    assert ScorerParts.of(make_scorer(own)).function is own


def test_arguments_are_a_copy():
    scorer = make_scorer(fbeta_score, beta=2)
    parts = ScorerParts.of(scorer)
    assert parts.arguments == {"beta": 2}
    parts.arguments["beta"] = 3
    assert ScorerParts.of(scorer).arguments == {"beta": 2}


@pytest.mark.parametrize(("greater_is_better", "sign"), [(True, 1), (False, -1)])
def test_sign(greater_is_better, sign):
    assert ScorerParts.of(make_scorer(own, greater_is_better=greater_is_better)).sign == sign
    name = "accuracy" if sign > 0 else "neg_mean_absolute_error"
    assert ScorerParts.of(get_scorer(name)).sign == sign


@pytest.mark.parametrize(
    ("response_method", "expected"),
    [
        ("predict", ("predict",)),
        ("predict_proba", ("predict_proba",)),
        (("decision_function", "predict_proba"), ("decision_function", "predict_proba")),
    ],
)
def test_response_methods(response_method, expected):
    scorer = make_scorer(own, response_method=response_method)
    assert ScorerParts.of(scorer).response_methods == expected
    assert "predict_proba" in ScorerParts.of(get_scorer("roc_auc")).response_methods


def test_parameters_with_their_defaults():
    assert ScorerParts.of(make_scorer(own)).parameters["power"].default == 1
    assert "sample_weight" in ScorerParts.of(get_scorer("accuracy")).parameters


@pytest.mark.parametrize(
    ("function", "is_label_metric", "is_regression_metric"),
    [
        (accuracy_score, True, False),
        (brier_score_loss, True, False),
        (mean_absolute_error, False, True),
        (own, False, False),
    ],
)
def test_kind_of_the_function(function, is_label_metric, is_regression_metric):
    parts = ScorerParts.of(make_scorer(function))
    assert parts.is_label_metric is is_label_metric
    assert parts.is_regression_metric is is_regression_metric


def test_name_has_sign_function_and_arguments():
    assert ScorerParts.of(make_scorer(own)).name == "own"
    scorer = make_scorer(own, greater_is_better=False, power=2)
    assert ScorerParts.of(scorer).name == "neg_own(power=2)"


def test_bounds_of_a_negated_loss_are_negative():
    assert ScorerParts.of(get_scorer("neg_mean_absolute_error")).bounds == (-np.inf, 0)
    assert ScorerParts.of(get_scorer("accuracy")).bounds == (0, 1)
    assert ScorerParts.of(make_scorer(own)).bounds == (-np.inf, np.inf)
    counts = make_scorer(accuracy_score, normalize=False)
    assert ScorerParts.of(counts).bounds == (-np.inf, np.inf)


def test_private_attributes_of_a_scorer_are_read_in_one_file():
    private = {"_score_func", "_kwargs", "_sign", "_response_method"}
    package = Path(uqwidgets.__file__).parent
    readers = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            of_self = isinstance(getattr(node, "value", None), ast.Name) and node.value.id == "self"
            if isinstance(node, ast.Attribute) and node.attr in private and not of_self:
                readers.add(path.relative_to(package).as_posix())
    assert readers == {"metrics/scorer.py"}


def test_a_function_need_not_have_a_signature():
    assert not ScorerParts.of(make_scorer(min)).takes_weights


def test_a_function_need_not_say_in_which_module_it_is():
    class Bare:
        def __call__(self, truth, predicted):
            return float(np.mean(truth == predicted))

        @property
        def __module__(self):
            raise AttributeError

    parts = ScorerParts.of(make_scorer(Bare()))
    assert (parts.name, parts.bounds) == ("Bare", (-np.inf, np.inf))
