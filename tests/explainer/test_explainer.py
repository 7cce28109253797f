"""The explainer of one model and one table, end to end."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import train_test_split

import uqwidgets as uq
from models import classification, regression
from uqwidgets import Explainer


@pytest.fixture(scope="module")
def forest():
    """Fit a smaller version of the calibrated forest of Wood et al. 2024, B.2."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, X_test, y, y_test = train_test_split(X.iloc[:, :8], y, random_state=0)
    X, X_calibration, y, y_calibration = train_test_split(X, y, test_size=0.2, random_state=0)
    fitted = RandomForestClassifier(30, max_depth=8, random_state=0).fit(X, y)
    model = CalibratedClassifierCV(FrozenEstimator(fitted)).fit(X_calibration, y_calibration)
    return model, X_test, y_test


def test_a_calibrated_forest_from_end_to_end(forest):
    model, X, y = forest
    explainer = Explainer(model, X, y)
    importance = explainer.importance("nll")
    entropy = explainer.importance("entropy")
    calls = explainer.model_calls
    assert explainer.rows_evaluated == len(X) * (1 + 10 * 8)
    weights = explainer.stress_weights("mean radius", 0.5)
    stressed = explainer.importance("nll", sample_weight=weights, rows=(y == 0).to_numpy())
    profile = explainer.stress()
    assert explainer.model_calls == calls
    assert (importance.low < importance.high).sum() >= 6
    assert set(importance.features) == set(entropy.features) == set(stressed.features)
    curve = explainer.dependence(importance.features[0], "entropy", sample_weight=weights)
    assert np.isfinite(curve.average).all()
    radius = profile.features.index("mean radius")
    assert profile.values["share:0"][radius, -1] > profile.values["share:0"][radius, 0]
    for result in (importance, curve, profile):
        assert isinstance(result.frame, pd.DataFrame)
        assert len(repr(result).splitlines()) > 3


def test_a_regressor_from_end_to_end():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    explainer = Explainer(BayesianRidge().fit(X[:300], y[:300]), X[300:], y[300:])
    outcome = explainer.importance()
    assert "bmi" in outcome.features[:4]
    assert explainer.stress(["bmi"]).values["mean"][0, -1] > y.mean()


def test_the_global_random_state_is_unchanged(forest):
    model, X, y = forest
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    explainer = Explainer(model, X, y, random_state=3)
    explainer.importance(n_repeats=2)
    explainer.stress()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_repr_counts_model_calls_and_rows():
    explainer = regression()
    explainer.importance()
    message = f"3 features; {explainer.model_calls:,} model calls, 1,868 rows evaluated)"
    assert repr(explainer).endswith(message)


def test_a_model_of_one_class_is_refused_and_rows_of_one_class_are_not():
    X = np.random.default_rng(0).normal(size=(30, 2))

    class Sure:
        classes_ = np.array([1])

        def predict_proba(self, X):
            return np.ones((len(X), 1))

    with pytest.raises(ValueError, match=r"the single class \[1\]; fit it on at least two"):
        Explainer(Sure(), X, np.ones(30))
    model = LogisticRegression().fit(X, X[:, 0] > 0)
    explainer = Explainer(model, X, np.ones(30, dtype=bool))
    assert np.isfinite(explainer.importance().importance).all()


def test_a_label_unknown_to_the_model_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = LogisticRegression().fit(X, np.where(X[:, 0] > 0, "a", "b"))
    with pytest.raises(
        ValueError, match="label 'c' in row 0, which the model does not know; its cl"
    ):
        Explainer(model, X, ["c"] * 30)


def test_intervals_need_three_rows():
    X = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 5.0]])
    three = Explainer(lambda X: (X[:, 0], X[:, 1]), X, [1.0, 4.0, 4.0]).importance(n_repeats=50)
    assert np.isfinite(three.low).all()
    two = Explainer(lambda X: (X[:, 0], X[:, 1]), X[:2], [1.0, 4.0]).importance(n_repeats=50)
    assert np.isnan(two.low).all()
    one = Explainer(lambda X: (X[:, 0], X[:, 1]), X[:1], [1.0]).importance()
    assert (one.importance == 0).all()
    assert np.isnan(one.low).all()


def test_memory_limit_takes_sizes_as_text():
    assert classification(memory_limit="10 MB").evaluations is not None
    with pytest.raises(ValueError, match="memory_limit is 'much'"):
        classification(memory_limit="much")


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
def test_invalid_seeds_are_refused(seed):
    with pytest.raises(ValueError, match=r"^random_state is .*; pass a whole number from 0"):
        regression(random_state=seed)


def test_diagnosis_uses_cached_predictions():
    explainer = classification()
    explainer.importance("nll")
    calls = explainer.model_calls
    outcome = explainer.diagnose()
    assert explainer.model_calls == calls
    assert set(outcome.frame["feature"]) == set(explainer.features)
    assert "x2" in repr(outcome)


def test_redundancy_needs_no_model_call():
    explainer = regression(200)
    calls = explainer.model_calls
    outcome = explainer.redundancy(n_estimators=50)
    assert explainer.model_calls == calls
    r2 = dict(zip(outcome.frame["feature"], outcome.frame["r2"], strict=True))
    assert r2["x1"] > r2["x2"]  # x1 depends on x0


@pytest.mark.parametrize("limit", [True, False, None, 0, -1, "much"])
def test_invalid_memory_limits_are_refused(limit):
    X = np.zeros((10, 1))
    message = r"memory_limit is .*; give bytes or a text such as '1GiB'"
    with pytest.raises(ValueError, match=message):
        Explainer(lambda X: X[:, 0], X, X[:, 0], memory_limit=limit)


def test_dir_is_the_public_surface():
    public = dir(uq)
    assert {"explore", "Explorer", "Explainer", "NetworkEnsemble", "__version__"} <= set(public)
    assert set(uq.__all__) <= set(public)
    # Modules that happen to be imported are not listed.
    modules = {name for name in public if isinstance(vars(uq).get(name), ModuleType)}
    assert modules <= {"datasets", "teach"}


def test_only_relative_curves_over_observed_values_have_an_importance():
    explainer = regression(60)
    curve = explainer.dependence("x0", "prediction")
    assert not hasattr(curve, "importance")
    with pytest.raises(AttributeError, match="only the mean of a curve with relative=True"):
        _ = curve.importance
    relative = explainer.dependence("x0", "nll", relative=True, spacing="observed")
    assert np.isfinite(relative.importance)
