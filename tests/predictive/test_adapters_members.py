"""Ensembles as mixtures of their members."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gaussian_kde
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from models import normal_model, table, three_classes, two_classes
from uqwidgets import Explainer
from uqwidgets.predictive import Categorical, Mixture, Normal, as_predictive
from uqwidgets.predictive.adapters.mixing import mixture_of_values

X, Y = table(90)
FRAME = pd.DataFrame(X, columns=["a b", "c", "d"])
KINDS = np.digitize(Y, [-0.5, 0.5])
LABELS = {
    "texts": np.array(["up", "down", "level"])[KINDS],
    "numbers": np.array([7, -3, 2])[KINDS],
    "bools": KINDS > 0,
}


def classifiers():
    yield RandomForestClassifier(6, random_state=0)
    yield ExtraTreesClassifier(6, random_state=0, n_jobs=2, bootstrap=True)
    yield BaggingClassifier(LogisticRegression(), 5, max_features=2, random_state=0)
    yield BaggingClassifier(KNeighborsClassifier(), 5, max_samples=0.3, random_state=1)
    yield BaggingClassifier(
        GaussianNB(), 5, max_features=0.7, bootstrap_features=True, random_state=0
    )
    yield VotingClassifier(
        [("lr", LogisticRegression()), ("nb", GaussianNB()), ("no", "drop")],
        voting="soft",
        weights=[3, 1, 5],
    )
    yield CalibratedClassifierCV(RandomForestClassifier(4, random_state=0), cv=3)
    yield make_pipeline(StandardScaler(), RandomForestClassifier(6, random_state=0))
    yield make_pipeline(RandomForestClassifier(6, random_state=0))
    yield GridSearchCV(RandomForestClassifier(4, random_state=0), {"max_depth": [2, 3]}, cv=2)


@pytest.mark.parametrize("model", list(classifiers()), ids=lambda m: type(m).__name__)
@pytest.mark.parametrize(
    ("data", "y"),
    [(FRAME, LABELS["texts"]), (X, LABELS["numbers"]), (X, LABELS["bools"])],
    ids=["texts", "numbers", "bools"],
)
def test_members_of_a_classifier_average_to_its_probabilities(model, y, data):
    q = as_predictive(model.fit(data, y), members=True)(data)
    assert isinstance(q, Mixture)
    assert q.classes.tolist() == sorted(set(y.tolist()))
    np.testing.assert_allclose(q.probabilities, model.predict_proba(data), rtol=1e-12, atol=1e-15)
    assert (q.epistemic() > 0).any()
    np.testing.assert_allclose(q.aleatoric() + q.epistemic(), q.entropy(), atol=1e-12)


def test_every_tree_is_a_member():
    forest = RandomForestClassifier(7, random_state=0).fit(X, LABELS["texts"])
    q = as_predictive(forest, members=True)(X)
    for j, tree in enumerate(forest.estimators_):
        np.testing.assert_array_equal(q.members.probabilities[:, j], tree.predict_proba(X))


def test_a_class_unknown_to_a_member_has_probability_zero():
    y = np.where(np.arange(90) < 2, "rare", LABELS["texts"])
    model = BaggingClassifier(KNeighborsClassifier(3), 8, max_samples=0.4, random_state=0)
    model.fit(X, y)
    known = [len(member.classes_) for member in model.estimators_]
    assert min(known) < 4
    q = as_predictive(model, members=True)(X)
    np.testing.assert_allclose(q.probabilities, model.predict_proba(X), rtol=1e-12)
    rare = model.classes_.tolist().index("rare")
    assert not q.members.probabilities[:, known.index(3), rare].any()


def test_a_member_without_probabilities_votes():
    model = BaggingClassifier(LinearSVC(), 4, random_state=0).fit(X, LABELS["texts"])
    q = as_predictive(model, members=True)(X)
    assert set(np.unique(q.members.probabilities)) == {0.0, 1.0}
    np.testing.assert_allclose(q.probabilities, model.predict_proba(X), rtol=1e-12)


def test_a_forest_behind_columns_made_sparse():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"size": X[:, 0], "town": rng.choice(["Oslo", "Rome"], 90)})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["size"])),
        RandomForestClassifier(5, random_state=0),
    )
    model[0].sparse_threshold = 1.0
    model.fit(data, LABELS["texts"])
    q = as_predictive(model, members=True)(data)
    np.testing.assert_allclose(q.probabilities, model.predict_proba(data), rtol=1e-12)


def test_missing_values_reach_trees_that_support_them():
    holes = X.copy()
    holes[::7, 1] = np.nan
    forest = RandomForestClassifier(5, random_state=0).fit(holes, LABELS["texts"])
    q = as_predictive(forest, members=True)(holes)
    np.testing.assert_allclose(q.probabilities, forest.predict_proba(holes), rtol=1e-12)


def test_a_forest_fitted_on_names_gets_its_frame_without_a_warning():
    forest = RandomForestRegressor(5, random_state=0).fit(FRAME, Y)
    q = as_predictive(forest, members=True, noise=0.3)(FRAME)
    np.testing.assert_allclose(q.mean(), forest.predict(FRAME), rtol=1e-12)


def regressors():
    yield RandomForestRegressor(6, random_state=0)
    yield ExtraTreesRegressor(6, random_state=0, n_jobs=2)
    yield BaggingRegressor(DecisionTreeRegressor(max_depth=3), 5, max_features=2, random_state=0)
    yield VotingRegressor([("lr", LinearRegression()), ("tree", DecisionTreeRegressor())])
    yield make_pipeline(StandardScaler(), RandomForestRegressor(6, random_state=0))


@pytest.mark.parametrize("model", list(regressors()), ids=lambda m: type(m).__name__)
def test_members_of_a_regressor_with_noise_are_normal(model):
    q = as_predictive(model.fit(X, Y), members=True, noise=0.25)(X)
    assert isinstance(q.members, Normal)
    assert (q.members.scale == 0.25).all()
    np.testing.assert_allclose(q.mean(), model.predict(X), rtol=1e-12)
    spread = q.members.loc.var(axis=1)
    np.testing.assert_allclose(q.variance(), spread + 0.25**2, rtol=1e-9)


def test_without_noise_a_forest_is_the_density_of_its_predictions():
    forest = RandomForestRegressor(20, max_depth=4, random_state=0).fit(X, Y)
    q = as_predictive(forest, members=True)(X)
    draws = np.array([tree.predict(X) for tree in forest.estimators_])
    expected = Mixture.from_samples(draws)
    np.testing.assert_array_equal(q.members.loc, expected.members.loc)
    np.testing.assert_allclose(q.members.scale, expected.members.scale, rtol=1e-12)


def forest_with_oob(**options):
    return RandomForestRegressor(**({"n_estimators": 60, "random_state": 0} | options))


@pytest.mark.parametrize(
    "model",
    [
        forest_with_oob(oob_score=True),
        forest_with_oob(oob_score=True, max_samples=0.5, min_samples_leaf=3),
        ExtraTreesRegressor(60, bootstrap=True, oob_score=True, random_state=0),
        make_pipeline(StandardScaler(), forest_with_oob(oob_score=True)),
        GridSearchCV(forest_with_oob(oob_score=True), {"max_depth": [3]}, cv=2),
    ],
    ids=["forest", "half of the rows", "extra trees", "pipeline", "search"],
)
def test_the_noise_of_a_forest_is_that_of_its_out_of_bag_residuals(model):
    predictive = as_predictive(model.fit(X, 3 * Y), members=True)
    q = predictive(X)
    forest = getattr(model, "best_estimator_", model)
    forest = forest[-1] if hasattr(forest, "steps") else forest
    residuals = 3 * Y - forest.oob_prediction_
    # The trees show the variance of the targets in their samples only.
    assert np.ptp(q.members.scale) == 0
    assert q.members.scale[0, 0] == pytest.approx(np.sqrt(np.mean(residuals**2)), rel=0.06)
    assert q.log_prob(3 * Y).min() > -10
    (remark,) = predictive.remarks
    assert f"{q.members.scale[0, 0]:.3g}, is estimated from the out-of-bag residuals" in remark


@pytest.mark.parametrize(
    ("model", "weights"),
    [
        (forest_with_oob(), None),
        (forest_with_oob(oob_score=True, n_estimators=5), None),
        (forest_with_oob(oob_score=True, criterion="absolute_error"), None),
        (forest_with_oob(oob_score=mean_squared_error), None),
        (forest_with_oob(oob_score=True), 1 + np.arange(90) % 3),
        (BaggingRegressor(DecisionTreeRegressor(max_depth=3), 60, oob_score=True), None),
        ([LinearRegression(), DecisionTreeRegressor(max_depth=3)], None),
    ],
    ids=["not asked", "few trees", "criterion", "other score", "weights", "bagging", "list"],
)
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_without_known_noise_members_have_no_likelihood(model, weights):
    for one in model if isinstance(model, list) else [model]:
        one.fit(X, Y, **({} if weights is None else {"sample_weight": weights}))
    predictive = as_predictive(model, members=not isinstance(model, list))
    q = predictive(X)
    assert not predictive.remarks
    for copied in (q, q.take(slice(1, 3)), q.owned(), q.joined([q])):
        with pytest.raises(ValueError, match=r"no likelihood: the members predict.*noise="):
            copied.log_prob(np.zeros(len(copied)))
        assert np.isfinite([copied.mean(), copied.std()]).all()


def test_where_members_agree_only_their_density_is_missing():
    members = [lambda X: X[:, 0], lambda X: X[:, 0] + np.maximum(X[:, 1], 0)]
    q = as_predictive(members)(X)
    np.testing.assert_allclose(q.mean(), X[:, 0] + np.maximum(X[:, 1], 0) / 2, atol=1e-12)
    same = X[:, 1] <= 0
    np.testing.assert_allclose(q.crps(Y)[same], np.abs(Y - X[:, 0])[same], rtol=1e-9)
    np.testing.assert_allclose(q.quantile(0.9)[same], X[same, 0], rtol=1e-9)
    assert (q.std()[same] < 1e-9).all()
    for measure in ("entropy", "aleatoric", "epistemic"):
        with pytest.raises(ValueError, match=r"members all predict the same.*noise=.*in row"):
            getattr(q, measure)()
    others = Mixture.from_samples(np.array([member(X[~same]) for member in members]))
    apart = q.take(np.flatnonzero(~same))
    np.testing.assert_allclose(apart.entropy(), others.entropy(), rtol=1e-12)
    np.testing.assert_allclose(apart.epistemic(), others.epistemic(), rtol=1e-12, atol=1e-12)


def test_members_keep_their_standard_deviations():
    model = BaggingRegressor(BayesianRidge(), 4, random_state=0).fit(X, Y)
    q = as_predictive(model, members=True)(X)
    for j, member in enumerate(model.estimators_):
        mean, std = member.predict(X, return_std=True)
        np.testing.assert_allclose(q.members.loc[:, j], mean, rtol=1e-12)
        np.testing.assert_allclose(q.members.scale[:, j], std, rtol=1e-12)
    assert np.isfinite(q.log_prob(Y)).all()


def test_weights_of_a_vote_are_those_of_the_mixture():
    model = VotingRegressor(
        [("a", LinearRegression()), ("no", "drop"), ("b", DecisionTreeRegressor(max_depth=2))],
        weights=[3, 9, 1],
    ).fit(X, Y)
    q = as_predictive(model, members=True, noise=0.5)(X)
    assert q.weights.tolist() == [0.75, 0.25]
    np.testing.assert_allclose(q.mean(), model.predict(X), rtol=1e-12)
    # Without noise only the likelihood is not known.
    values = as_predictive(model, members=True)(X)
    assert values.weights.tolist() == [0.75, 0.25]
    np.testing.assert_allclose(values.mean(), model.predict(X), rtol=1e-12)
    explainer = Explainer(as_predictive(model, members=True), X, Y)
    for measure in ("entropy", "aleatoric", "epistemic", "crps", "squared_error"):
        assert np.isfinite(explainer.importance(measure, n_repeats=2).importance).all()
    with pytest.raises(ValueError, match=r"there is no likelihood: the members predict single"):
        values.log_prob(Y)
    with pytest.raises(ValueError, match=r"pass as_predictive\(model, noise=\.\.\.\)"):
        explainer.importance("nll", n_repeats=2)


def test_the_kernel_density_of_weighted_members_has_the_bandwidth_of_silverman():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(50, 9)), rng.uniform(0.2, 1.0, size=9)
    weights[3] = 0.0
    q = mixture_of_values(values, None, weights / weights.sum())
    np.testing.assert_array_equal(q.members.loc, np.delete(values, 3, axis=1))
    largest = np.empty(50)
    for i, row in enumerate(values):
        # Its factor is Silverman's for a normal distribution, 1.06 in place of 0.9.
        density = gaussian_kde(row, "silverman", weights)
        largest[i] = 0.9 * density.neff**-0.2 * np.sqrt(density.covariance[0, 0]) / density.factor
    ratio = q.members.scale[:, 0] / largest
    assert (ratio <= 1 + 1e-12).all()
    assert np.isclose(ratio, 1).sum() > 10, "where the quartiles are wide, the deviation is used"
    assert (ratio < 0.9).any(), "where they are narrow, they are used"
    equal = mixture_of_values(values, None, np.full(9, 1 / 9))
    nearly = mixture_of_values(values, None, np.full(9, 1 / 9) + 1e-9 * np.arange(9))
    np.testing.assert_allclose(nearly.members.scale, equal.members.scale, rtol=1e-6)


def test_a_list_of_models_is_an_ensemble_of_them():
    models = [LogisticRegression(C=c).fit(X, LABELS["texts"]) for c in (0.01, 1.0, 100.0)]
    predictive = as_predictive(models)
    assert predictive.name == "3 x LogisticRegression"
    assert predictive.n_features == 3
    assert predictive.classes.tolist() == ["down", "level", "up"]
    q = predictive(X)
    for j, model in enumerate(models):
        np.testing.assert_allclose(q.members.probabilities[:, j], model.predict_proba(X))
    # A Gaussian process for each half of the rows: normal members.
    halves = [GaussianProcessRegressor(alpha=0.1).fit(X[s::2], Y[s::2]) for s in (0, 1)]
    q = as_predictive(halves)(X)
    np.testing.assert_allclose(q.mean(), np.mean([m.predict(X) for m in halves], axis=0))


def test_members_of_a_list_may_order_classes_differently():
    def backwards(X):
        return Categorical(two_classes(X)[:, ::-1], ["yes", "no"])

    def forwards(X):
        return Categorical(two_classes(X), ["no", "yes"])

    q = as_predictive([forwards, backwards])(X)
    assert q.classes.tolist() == ["no", "yes"]
    np.testing.assert_allclose(q.members.probabilities[:, 0], q.members.probabilities[:, 1])


def test_functions_of_a_list_get_their_classes():
    q = as_predictive([two_classes, two_classes], classes=["no", "yes"])(X)
    np.testing.assert_allclose(q.probabilities, two_classes(X))


@pytest.mark.parametrize("data", [X, FRAME], ids=["array", "frame"])
def test_a_member_that_modifies_its_batch_does_not_affect_the_next(data):
    def changing(X):
        X *= 0
        return normal_model(np.asarray(X))

    clean = np.array(data)
    q = as_predictive([changing, lambda X: normal_model(np.asarray(X))])(data.copy())
    np.testing.assert_array_equal(q.members.loc[:, 1], normal_model(clean)[0])


@pytest.mark.parametrize(
    ("model", "options", "error", "message"),
    [
        (
            GradientBoostingClassifier(n_estimators=2).fit(X, KINDS > 0),
            {},
            TypeError,
            r"GradientBoostingClassifier has no members.*RandomForestClassifier.*lists of models",
        ),
        (LinearRegression().fit(X, Y), {}, TypeError, "LinearRegression has no members"),
        (RandomForestClassifier(), {}, NotFittedError, "RandomForestClassifier is not fitted; c"),
        (BaggingRegressor(), {}, NotFittedError, "BaggingRegressor is not fitted; call its fit"),
        (
            RandomForestRegressor(1).fit(X, Y),
            {},
            ValueError,
            "RandomForestRegressor has one member; a mixture needs at least two",
        ),
        (
            CalibratedClassifierCV(GaussianNB(), ensemble=False, cv=2).fit(X, KINDS > 0),
            {},
            ValueError,
            "CalibratedClassifierCV has one member",
        ),
        ([normal_model], {}, ValueError, "the list has one member; a mixture needs at least two"),
        ([], {}, ValueError, "the list has no members"),
        (
            VotingClassifier([("lr", LogisticRegression())]).fit(X, KINDS > 0),
            {},
            ValueError,
            "VotingClassifier votes with labels; members=True needs voting='soft'",
        ),
        (
            RandomForestClassifier(2).fit(X, KINDS > 0),
            {"noise": 0.5},
            ValueError,
            "noise is for members that predict numbers; RandomForestClassifier is a classifier",
        ),
        (
            RandomForestRegressor(2).fit(X, Y),
            {"samples": True},
            ValueError,
            "samples has no effect here, because an ensemble is read by its members",
        ),
        (RandomForestRegressor(2).fit(X, Y), {"noise": 0}, ValueError, "noise is 0; it must be"),
        (RandomForestRegressor(2).fit(X, Y), {"noise": -1.0}, ValueError, "noise is -1.0; it mu"),
        (RandomForestRegressor(2).fit(X, Y), {"noise": np.nan}, ValueError, "noise is nan; it m"),
        (RandomForestRegressor(2).fit(X, Y), {"noise": "a"}, ValueError, "noise is 'a'; it must"),
        (RandomForestRegressor(2).fit(X, Y), {"members": 5}, TypeError, "members is 5; it must"),
    ],
)
def test_a_model_without_members_is_refused(model, options, error, message):
    with pytest.raises(error, match=message):
        as_predictive(model, **({"members": True} | options))


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ([two_classes, normal_model], {"classes": [0, 1]}, "all Categorical, Normal or Point"),
        (
            [two_classes, lambda X: Categorical(two_classes(X), ["a", "b"])],
            {"classes": ["a", "c"]},
            r"the members know different classes, \['a', 'b'\] and \['a', 'c'\]",
        ),
        ([normal_model, normal_model], {"noise": 1.0}, "standard deviations of their own"),
        ([three_classes] * 2, {"classes": [0, 1, 2], "noise": 1.0}, "these give probabilities"),
        ([lambda X: np.full(len(X), "up")] * 2, {}, "the members predict labels; use"),
    ],
)
def test_members_of_different_kinds_are_refused(models, options, message):
    with pytest.raises(ValueError, match=message):
        as_predictive(models, **options)(X)


def test_a_list_may_contain_models_and_functions():
    model = as_predictive(LinearRegression().fit(FRAME, Y), noise=0.5)
    predictive = as_predictive([model, lambda X: normal_model(X.to_numpy())])
    assert predictive.feature_names == tuple(FRAME.columns)
    q = predictive(FRAME)
    np.testing.assert_allclose(q.members.loc[:, 0], model(FRAME).loc)
    np.testing.assert_allclose(q.members.loc[:, 1], normal_model(X)[0])


def test_models_fitted_with_different_columns_are_refused():
    models = [LinearRegression().fit(X, Y), LinearRegression().fit(X[:, :2], Y)]
    with pytest.raises(ValueError, match="the models were fitted with different columns; fit th"):
        as_predictive(models)


def test_several_targets_are_refused():
    model = RandomForestRegressor(2).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="RandomForestRegressor predicts 2 targets at once; pass"):
        as_predictive(model, members=True)(X)
