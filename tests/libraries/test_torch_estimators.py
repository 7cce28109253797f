"""Both kinds of networks as scikit-learn estimators."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from cases import thorough_after
from models import table
from uqwidgets import Categorical, Explainer, Normal, as_predictive
from uqwidgets.predictive import Mixture
from uqwidgets.predictive.torch import BayesByBackprop, MonteCarloDropout

pytestmark = pytest.mark.usefixtures("one_thread")

X, Y = table(120)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
LABELS = np.where(Y > 0, "up", "down")
QUICK = {"n_samples": 7, "random_state": 3}
MODELS = [MonteCarloDropout(epochs=60, **QUICK), BayesByBackprop(epochs=10, **QUICK)]

each = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
both_tasks = pytest.mark.parametrize("y", [Y, LABELS], ids=["regression", "classification"])


def arrays(q):
    """Return the parameters of a mixture, with rows and members as the first axes."""
    members = q.members
    if isinstance(members, Categorical):
        return members.probabilities
    return np.stack([members.loc, members.scale], axis=-1)


@each
@both_tasks
def test_a_clone_with_the_same_seed_predicts_exactly_the_same(model, y):
    first = clone(model).fit(X, y)
    again = clone(first).fit(X, y)
    np.testing.assert_array_equal(
        arrays(first.predict_distribution(X)), arrays(again.predict_distribution(X))
    )
    refitted = first.fit(X, y)
    np.testing.assert_array_equal(
        arrays(refitted.predict_distribution(X)), arrays(again.predict_distribution(X))
    )
    other = clone(model).set_params(random_state=4).fit(X, y)
    assert not np.allclose(
        arrays(other.predict_distribution(X)), arrays(again.predict_distribution(X))
    )


@each
@both_tasks
def test_a_row_gets_the_same_prediction_whatever_the_other_rows_are(model, y):
    model = clone(model).fit(X, y)
    whole = arrays(model.predict_distribution(X))
    for rows in (np.arange(1), np.arange(40, 120), np.arange(119, -1, -1), np.array([5, 90, 5])):
        part = arrays(model.predict_distribution(X[rows]))
        np.testing.assert_array_equal(part, whole[rows])


@each
@both_tasks
def test_members_are_a_mixture_of_doubles(model, y):
    model = clone(model).fit(FRAME, y)
    q = model.predict_distribution(FRAME)
    assert arrays(q).dtype == np.float64
    np.testing.assert_allclose(q.weights, 1 / 7)
    if y is Y:
        assert isinstance(q.members, Normal)
        np.testing.assert_allclose(q.members.scale, model.precision_**-0.5)
        np.testing.assert_array_equal(model.predict(FRAME), q.mean())
        assert not hasattr(model, "classes_")
        assert not hasattr(model, "predict_proba")
    else:
        assert model.classes_.tolist() == ["down", "up"]
        np.testing.assert_array_equal(model.predict_proba(FRAME), q.probabilities)
        np.testing.assert_array_equal(model.predict(FRAME), q.classes[q.mode()])
        assert (model.predict(FRAME) == y).mean() > 0.8
    assert model.score(FRAME, y) > 0.6


@each
@pytest.mark.parametrize(
    "labels",
    [np.array([True, False]), np.array([7, -2]), np.array(["b", "a"]), np.array([2.0, 1.0])],
    ids=["bools", "ints", "strings", "floats"],
)
def test_labels_of_any_kind(model, labels):
    y = labels[(Y > 0).astype(int)]
    model = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.sort(labels))
    assert model.classes_.dtype == labels.dtype
    q = model.predict_distribution(X)
    assert q.log_prob(y).mean() > -0.6


@each
def test_three_classes_and_categories(model):
    y = pd.Series(np.digitize(Y, [-0.5, 0.5])).astype("category")
    model = clone(model).fit(X, y)
    assert model.task_ == "classification"
    assert model.predict_proba(X).shape == (120, 3)


@each
def test_integer_targets_need_a_task(model):
    y = np.digitize(Y, [-0.5, 0.5])
    with pytest.raises(ValueError, match=r"y holds whole numbers.*task='regression' or"):
        clone(model).fit(X, y)
    assert clone(model).set_params(task="regression").fit(X, y).predict(X).dtype == float
    assert clone(model).set_params(task="classification").fit(X, y).classes_.tolist() == [0, 1, 2]


@each
def test_refitting_to_numbers_removes_the_classes(model):
    model = clone(model).fit(X, LABELS).fit(X, Y)
    assert not hasattr(model, "classes_")
    assert as_predictive(model).classes is None


@each
def test_conventions_of_scikit_learn(model):
    assert is_regressor(clone(model).set_params(task="regression"))
    assert is_classifier(clone(model).set_params(task="classification"))
    assert type(model).__name__ in repr(model)
    scores = cross_val_score(clone(model), X, Y, cv=3)
    assert np.isfinite(scores).all()
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(FRAME, LABELS)
    assert pipeline.predict_proba(FRAME).shape == (120, 2)
    assert pipeline.classes_.tolist() == ["down", "up"]
    fitted = clone(model).fit(FRAME, LABELS)
    assert is_classifier(fitted)
    assert fitted.n_features_in_ == 3
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("model", "task"),
    thorough_after(1, [(m, task) for task in ("regression", "classification") for m in MODELS]),
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_check_estimator_passes(model, task):
    model = clone(model).set_params(task=task)
    # The checks use small and unusual data, for which some warnings are intended.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = check_estimator(model, on_skip=None)
    assert len(done) > 50


@each
def test_pipelines_with_columns_of_every_type(model):
    data = FRAME.assign(town=np.where(X[:, 2] > 0, "Oslo", "Rome"))
    columns = make_column_transformer(
        (OneHotEncoder(), ["town"]), remainder="passthrough", sparse_threshold=0
    )
    explainer = Explainer(make_pipeline(columns, clone(model)).fit(data, Y), data, Y)
    assert isinstance(explainer.evaluations.original, Mixture)
    result = explainer.importance("epistemic", n_repeats=2)
    assert set(result.features) == {"a", "b", "c", "town"}
    assert np.isfinite(result.importance).all()


@each
def test_predictions_do_not_depend_on_the_default_dtype_of_torch(model):
    expected = arrays(clone(model).fit(X, Y).predict_distribution(X))
    torch.set_default_dtype(torch.float64)
    try:
        result = arrays(clone(model).fit(X, Y).predict_distribution(X))
    finally:
        torch.set_default_dtype(torch.float32)
    np.testing.assert_allclose(result, expected, rtol=1e-3)


@each
@both_tasks
def test_a_pickled_model_predicts_the_same(model, y):
    model = clone(model).fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        arrays(back.predict_distribution(X)), arrays(model.predict_distribution(X))
    )


@each
def test_several_threads_may_predict_at_once(model):
    model = clone(model).fit(X, Y)
    expected = arrays(model.predict_distribution(X))
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(model.predict_distribution, [X] * 12):
            np.testing.assert_array_equal(arrays(answer), expected)


@each
def test_the_global_generator_of_torch_is_unchanged(model):
    before = torch.get_rng_state()
    clone(model).fit(X, Y).predict_distribution(X)
    assert torch.equal(before, torch.get_rng_state())


@each
def test_epistemic_uncertainty_grows_away_from_the_data(model):
    regression = clone(model).set_params(n_samples=20).fit(X, Y)
    near, far = (regression.predict_distribution(scale * X).variance() for scale in (1, 10))
    assert far.mean() > 4 * near.mean()
    near, far = (
        regression.predict_distribution(scale * X[:40]).epistemic().mean() for scale in (1, 10)
    )
    assert far > near + 0.3


@pytest.mark.usefixtures("frozen_clock")
@each
@both_tasks
def test_the_explainer_needs_few_calls_for_all_measures(model, y):
    model = clone(model).fit(FRAME, y)
    explainer = Explainer(model, FRAME, y)
    likelihood = explainer.importance("nll", n_repeats=3)
    calls = explainer.model_calls
    assert calls <= 1 + 3 * 3
    entropy = explainer.importance("entropy", n_repeats=3)
    assert explainer.model_calls == calls
    assert explainer.rows_evaluated == len(X) * (1 + 3 * 3)
    assert set(likelihood.features[:2]) == {"a", "b"}
    assert likelihood.importance[0] > 0.05
    assert np.isfinite(entropy.importance).all()


@each
@both_tasks
def test_the_importance_of_a_constant_column_is_exactly_zero(model, y):
    data = np.column_stack([X, np.full(len(X), 5.0)])
    result = Explainer(clone(model).fit(data, y), data, y).importance("nll", n_repeats=2)
    assert result.importance[result.features.index("x3")] == 0


@each
@pytest.mark.parametrize(
    ("change", "data", "y", "message"),
    [
        ({"n_samples": 0}, X, Y, "n_samples must be greater than zero, not 0"),
        ({"epochs": 0}, X, Y, "epochs must be greater than zero"),
        ({"learning_rate": 1e9}, X, Y, r"training diverged: the loss is \w+ after.*lower learn"),
        ({"precision": -1.0}, X, Y, "precision must be greater than zero, not -1.0"),
        ({"precision": 1.0}, X, LABELS, "precision is that of a regression; y holds classes"),
        ({"task": "regress"}, X, Y, "task must be 'regression' or 'classification', not"),
        ({"task": "regression"}, X, LABELS, "y holds '(up|down)', which is not a number"),
        ({"task": "classification"}, X, Y, "Unknown label type: continuous"),
        ({}, X, np.full(120, "up"), "y holds only 1 class, 'up'; it must hold two or more"),
        ({}, X[:1], Y[:1], "1 sample.* minimum of 2 is required"),
        ({}, np.where(X > 2, np.nan, X), Y, "Input X contains NaN"),
        ({}, FRAME.assign(c="text"), Y, "could not convert string to float"),
    ],
)
def test_invalid_settings_and_data_are_refused(model, change, data, y, message):
    with pytest.raises(ValueError, match=message):
        clone(model).set_params(**change).fit(data, y)


@each
def test_invalid_rows_are_refused_when_predicting(model):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        clone(model).predict_distribution(X)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        clone(model).fit(X, Y).predict_distribution(X[:, :2])
    model = clone(model).fit(FRAME, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict_distribution(FRAME.rename(columns={"a": "z"}))
