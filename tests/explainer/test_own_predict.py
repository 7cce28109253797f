"""Labels and predicted numbers are what the outermost `predict` answers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score, get_scorer, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import uqwidgets as uq

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(160, 3)), columns=list("abc"))
LATENT = X["a"].to_numpy() + 0.5 * X["b"].to_numpy() + RNG.logistic(size=160)
BINARY = (LATENT > 1.5).astype(int)
TEXTS = np.where(BINARY, "yes", "no")
THREE = np.digitize(LATENT, [-1.0, 1.5])
NUMBERS = np.exp(1 + X["a"].to_numpy() + 0.8 * RNG.normal(size=160))


class LowThreshold(Pipeline):
    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.15).astype(int)]


class Rejecting(ClassifierMixin, BaseEstimator):
    """Answers "unsure" where no probability is large."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict(self, X):
        p = self.predict_proba(X)
        labels = self.classes_[p.argmax(axis=1)].astype(object)
        return np.where(p.max(axis=1) < 0.75, "unsure", labels)


class LastClass(GridSearchCV):
    """Predicts the last class whose probability is at least 0.2."""

    def predict(self, X):
        likely = self.predict_proba(X) >= 0.2
        return self.classes_[likely.shape[1] - 1 - likely[:, ::-1].argmax(axis=1)]


class Recalibrated(Pipeline):
    """Has probabilities of its own, and the labels of its last step."""

    def predict_proba(self, X):
        p = super().predict_proba(X) ** 0.1 * [1.0, 1.3]
        return p / p.sum(axis=1, keepdims=True)


class Clipping(Pipeline):
    def predict(self, X):
        return np.clip(super().predict(X), 1.0, 4.0)


class Shifted(RegressorMixin, BaseEstimator):
    """Predicts an upper quantile, beside the distribution."""

    def fit(self, X, y):
        self.model_ = BayesianRidge().fit(X, y)
        return self

    def predict(self, X, return_std=False):
        mean, std = self.model_.predict(X, return_std=True)
        return (mean, std) if return_std else mean + std


class WithDistribution(Shifted):
    def predict(self, X):
        return super().predict(X)

    def predict_distribution(self, X):
        return uq.Normal(*self.model_.predict(X, return_std=True))


def classifiers():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # its probabilities are deprecated
        machine = SVC(probability=True, class_weight="balanced", random_state=0).fit(X, BINARY)
    yield machine, BINARY
    yield FixedThresholdClassifier(LogisticRegression(), threshold=0.15).fit(X, TEXTS), TEXTS
    pipeline = make_pipeline(
        StandardScaler(), FixedThresholdClassifier(LogisticRegression(), threshold=0.15)
    )
    yield pipeline.fit(X, BINARY), BINARY
    yield (
        LowThreshold([("scale", StandardScaler()), ("fit", LogisticRegression())]).fit(X, TEXTS),
        TEXTS,
    )
    yield LastClass(DecisionTreeClassifier(max_depth=3), {"max_depth": [3]}).fit(X, THREE), THREE
    yield Recalibrated([("fit", LogisticRegression())]).fit(X, BINARY), BINARY
    forest = RandomForestClassifier(20, max_depth=4, random_state=0)
    of_members = LowThreshold([("fit", forest)]).fit(X, BINARY)
    yield (of_members, uq.as_predictive(of_members, members=True)), BINARY


def regressors():
    scaled = [("scale", StandardScaler())]
    yield Clipping([*scaled, ("fit", LinearRegression())]).fit(X, NUMBERS)
    yield Clipping([*scaled, ("fit", BayesianRidge())]).fit(X, NUMBERS)
    for inner in (BayesianRidge(), GaussianProcessRegressor(alpha=1.0)):
        transformed = TransformedTargetRegressor(inner, func=np.log1p, inverse_func=np.expm1)
        yield transformed.fit(X, NUMBERS)
    yield Shifted().fit(X, NUMBERS)
    yield WithDistribution().fit(X, NUMBERS)
    forest = RandomForestRegressor(20, max_depth=4, random_state=0)
    of_members = Clipping([("fit", forest)]).fit(X, NUMBERS)
    yield of_members, uq.as_predictive(of_members, members=True)


def split(model):
    """Return the model, and what an explainer takes."""
    return model if isinstance(model, tuple) else (model, model)


def name_of(model):
    return type(split(model)[0]).__name__


CLASSIFIERS, REGRESSORS = list(classifiers()), list(regressors())
OF_CLASSES = pytest.mark.parametrize(
    ("model", "y"), CLASSIFIERS, ids=[name_of(m) for m, _ in CLASSIFIERS]
)
OF_NUMBERS = pytest.mark.parametrize("model", REGRESSORS, ids=map(name_of, REGRESSORS))


def score_on(scorer, model, X, y):
    """Score the model itself, with the second class as the positive one."""
    if isinstance(y[0], str) and scorer in ("f1", "recall", "precision"):
        predicted = model.predict(X) == "yes"
        return get_scorer(scorer)._score_func(y == "yes", predicted)
    return get_scorer(scorer)(model, X, y)


def tables(replaced):
    """Return the replaced table of each repeat."""
    n = len(X)
    return [replaced.X.iloc[k * n : (k + 1) * n] for k in range(len(replaced.donors))]


@OF_CLASSES
def test_all_that_is_made_of_labels_follows_predict(model, y):
    model, explained = split(model)
    explainer = uq.Explainer(explained, X, y)
    labels = model.predict(X)
    assert (labels != model.classes_[model.predict_proba(X).argmax(axis=1)]).any()
    assert explainer.scores("error_rate").value[0] == pytest.approx((labels != y).mean())
    expected = confusion_matrix(y, labels) / len(y)
    np.testing.assert_allclose(explainer.confusion().share, expected, atol=1e-12)
    for label in model.classes_:
        share = explainer.indicator(f"share:{label}").per_row[0]
        np.testing.assert_array_equal(share, labels == label)
    scorers = ["accuracy", "balanced_accuracy", "f1_macro"]
    scorers += ["f1", "recall"] if len(model.classes_) == 2 else []
    for scorer in scorers:
        own = score_on(scorer, model, X, y)
        assert explainer.scores(scorer).value[0] == pytest.approx(own)
        replaced = tables(explainer.replaced("a", n_repeats=3))
        after = np.array([score_on(scorer, model, part, y) for part in replaced])
        repeats = explainer.importance(scorer, ["a"], n_repeats=3).repeats[0]
        np.testing.assert_allclose(repeats, own - after, atol=1e-12)
    replaced = explainer.replaced("b", "zero_one", n_repeats=2)
    wrong = np.concatenate([model.predict(part) != y for part in tables(replaced)])
    np.testing.assert_array_equal(replaced.frame["zero_one"], wrong)
    curve = explainer.dependence("a", "zero_one", grid=[0.5])
    wrong = (model.predict(X.assign(a=0.5)) != y).mean()
    assert curve.average[0] == pytest.approx(wrong)


@OF_CLASSES
def test_probabilities_stay_those_of_the_distribution(model, y):
    model, explained = split(model)
    explainer = uq.Explainer(explained, X, y)
    p = model.predict_proba(X)
    own = np.log(p[np.arange(len(y)), np.searchsorted(model.classes_, y)])
    assert explainer.scores("nll").value[0] == pytest.approx(-own.mean())
    (remark,) = [r for r in explainer.scores("accuracy").remarks if r.code == "own-predict"]
    assert "another label than the most probable class" in remark


@OF_NUMBERS
def test_all_that_is_made_of_predicted_numbers_follows_predict(model):
    model, explained = split(model)
    explainer = uq.Explainer(explained, X, NUMBERS)
    error = NUMBERS - model.predict(X)
    own = get_scorer("r2")(model, X, NUMBERS)
    assert explainer.scores("r2").value[0] == pytest.approx(own)
    assert explainer.scores("rmse").value[0] == pytest.approx(np.sqrt(np.square(error).mean()))
    assert explainer.indicator("mean").per_row[0].mean() == pytest.approx(model.predict(X).mean())
    replaced = explainer.replaced("a", ["prediction", "absolute_error"], n_repeats=2)
    predicted = np.concatenate([model.predict(part) for part in tables(replaced)])
    np.testing.assert_allclose(replaced.frame["prediction"], predicted, rtol=1e-9)
    off = np.abs(predicted - np.tile(NUMBERS, 2))
    np.testing.assert_allclose(replaced.frame["absolute_error"], off, rtol=1e-9)
    repeats = explainer.importance("r2", ["a"], n_repeats=2).repeats[0]
    after = [get_scorer("r2")(model, part, NUMBERS) for part in tables(replaced)]
    np.testing.assert_allclose(repeats, own - np.array(after), atol=1e-9)
    curve = explainer.dependence("a", "prediction", grid=[0.0, 1.0])
    expected = [model.predict(X.assign(a=value)).mean() for value in (0.0, 1.0)]
    np.testing.assert_allclose(curve.average, expected, rtol=1e-9)


def test_labels_that_are_no_classes_are_wrong_predictions():
    model = Rejecting().fit(X, TEXTS)
    explainer, labels = uq.Explainer(model, X, TEXTS), model.predict(X)
    assert "unsure" in labels
    assert explainer.scores("accuracy").value[0] == pytest.approx((labels == TEXTS).mean())
    table = explainer.confusion()
    assert table.classes == ("no", "yes", "unsure")
    expected = confusion_matrix(TEXTS, labels, labels=["no", "yes", "unsure"]) / len(X)
    np.testing.assert_allclose(table.share, expected)

    assert [name for name in explainer.indicators if name.startswith("share:")] == [
        "share:no",
        "share:yes",
    ]
    hit = (labels == "yes")[TEXTS == "yes"].mean()
    assert explainer.scores("tpr").value[0] == pytest.approx(hit)

    def price(y, predicted, sample_weight=None):
        each = np.where(predicted == "unsure", 0.2, predicted != y)
        return np.average(each, weights=sample_weight)

    scorer = make_scorer(price, greater_is_better=False)
    assert explainer.scores([scorer]).value[0] == pytest.approx(-price(TEXTS, labels))
    after = [-price(TEXTS, model.predict(part)) for part in tables(explainer.replaced("a"))]
    repeats = explainer.importance(scorer, ["a"], n_repeats=1).repeats[0]
    np.testing.assert_allclose(repeats, -price(TEXTS, labels) - np.array(after))


def test_truth_values_of_a_threshold_are_the_labels_0_and_1():
    class Threshold(LogisticRegression):
        def predict(self, X):
            return self.predict_proba(X)[:, 1] > 0.15

    model = Threshold().fit(X, BINARY)
    scores = uq.Explainer(model, X, BINARY).scores(["accuracy", "f1"])
    expected = [get_scorer(name)(model, X, BINARY) for name in ("accuracy", "f1")]
    np.testing.assert_allclose(scores.value, expected)


@pytest.mark.parametrize("replace", [None, "mean"])
def test_loco_follows_predict_of_every_fit(replace):
    model = FixedThresholdClassifier(LogisticRegression(), threshold=0.15)
    train, test = slice(0, 80), slice(80, 160)
    result = uq.loco_importance(
        model, X[train], TEXTS[train], X[test], TEXTS[test], "accuracy", replace=replace
    )
    full = model.fit(X[train], TEXTS[train])
    baseline = full.score(X[test], TEXTS[test])
    for feature, value in zip(result.features, result.importance, strict=True):
        if replace is None:
            fit = FixedThresholdClassifier(LogisticRegression(), threshold=0.15)
            fit.fit(X[train].drop(columns=feature), TEXTS[train])
            without = fit.score(X[test].drop(columns=feature), TEXTS[test])
        else:
            constant = X[test].assign(**{feature: X[train][feature].mean()})
            without = full.score(constant, TEXTS[test])
        assert value == pytest.approx(baseline - without)
    assert [r.code for r in result.remarks].count("own-predict") == 1


def test_a_learner_follows_predict_of_every_refit():
    learner = uq.Learner(
        FixedThresholdClassifier(LogisticRegression(), threshold=0.15),
        X,
        BINARY,
        n_refits=3,
        random_state=0,
    )
    result = learner.performance("f1")

    def fitted(rows):
        model = FixedThresholdClassifier(LogisticRegression(), threshold=0.15)
        return model.fit(X.iloc[rows], BINARY[rows])

    expected = [
        f1_score(BINARY[r.held_out], fitted(r.rows.train).predict(X.iloc[r.held_out]))
        for r in learner.refits
    ]
    np.testing.assert_allclose(result.per_refit, expected)
    assert "own-predict" in [r.code for r in result.remarks]
    # Probabilities and labels of the fits without a feature are of one and the same fits.
    losses = learner.loco("zero_one"), learner.loco("nll")
    assert losses[0].baseline != losses[1].baseline


class Counted:
    """Counts the rows of each method of a model."""

    def __init__(self, model, threshold=0.5):
        self.model, self.threshold = model, threshold
        self.classes_ = model.classes_
        self.asked = {"predict": [], "predict_proba": []}

    def predict_proba(self, X):
        self.asked["predict_proba"].append(len(X))
        return self.model.predict_proba(X)

    def predict(self, X):
        self.asked["predict"].append(len(X))
        return self.classes_[(self.model.predict_proba(X)[:, 1] > self.threshold).astype(int)]


LOGISTIC = LogisticRegression().fit(X, BINARY)


@pytest.mark.parametrize(
    "model",
    [
        LOGISTIC,
        RandomForestClassifier(10, random_state=0).fit(X, BINARY),
        make_pipeline(StandardScaler(), LogisticRegression()).fit(X, BINARY),
        GridSearchCV(LogisticRegression(), {"C": [1.0]}).fit(X, BINARY),
        uq.as_predictive(RandomForestClassifier(10).fit(X, BINARY), members=True),
    ],
    ids=lambda model: getattr(model, "name", type(model).__name__),
)
def test_models_that_agree_by_construction_are_asked_nothing_more(model):
    explainer = uq.Explainer(model, X, BINARY)
    assert explainer.rows_evaluated == len(X)
    result = explainer.importance("f1", n_repeats=2)
    assert explainer.rows_evaluated == len(X) * (1 + 3 * 2)
    assert "own-predict" not in [r.code for r in result.remarks]


def test_a_model_that_agrees_is_compared_twice_and_then_asked_nothing_more():
    model = Counted(LOGISTIC)
    explainer = uq.Explainer(model, X, BINARY)
    explainer.importance("nll", n_repeats=4)
    explainer.importance("zero_one", n_repeats=4)
    explainer.importance("accuracy", n_repeats=6)
    first, second = model.asked["predict"]
    assert first == len(X)
    assert 0 < second <= 1000
    assert sum(model.asked["predict_proba"]) == len(X) * (1 + 3 * 6)
    calls = [*model.asked["predict"], *model.asked["predict_proba"]]
    assert explainer.model_calls == len(calls)
    assert explainer.rows_evaluated == sum(calls)
    assert "own-predict" not in [r.code for r in explainer.scores("accuracy").remarks]


def test_a_model_that_differs_is_asked_only_where_labels_are_wanted():
    model = Counted(LOGISTIC, threshold=0.15)
    explainer = uq.Explainer(model, X, BINARY)
    explainer.importance("nll", n_repeats=4)
    explainer.dependence("a", "entropy")
    assert model.asked["predict"] == [len(X)]
    asked = list(model.asked["predict_proba"])
    explainer.importance("zero_one", n_repeats=4)
    assert model.asked["predict_proba"] == asked
    assert sum(model.asked["predict"]) == len(X) * (1 + 3 * 4)
    calls = explainer.model_calls
    for scorer in ("zero_one", "accuracy", "f1"):
        weights = explainer.stress_weights("a", 0.5)
        explainer.importance(scorer, n_repeats=4, sample_weight=weights, interval="model")
        explainer.scores(scorer, sample_weight=weights, rows=np.arange(50))
    explainer.confusion()
    explainer.stress("a")
    explainer.calibration()
    assert explainer.model_calls == calls
    counted = [*model.asked["predict"], *model.asked["predict_proba"]]
    assert explainer.model_calls == len(counted)
    assert explainer.rows_evaluated == sum(counted)


def test_a_difference_that_only_replaced_rows_show_counts():
    """No row of the table lies where the rule of `predict` and the probabilities differ."""

    class Rule(Counted):
        def predict(self, X):
            labels = super().predict(X)
            far = (X["a"].to_numpy() > 0) != (X["b"].to_numpy() > 0)
            return np.where(far, 1 - labels, labels)

    rows = X.assign(b=X["a"] + 0.0)
    model = Rule(LogisticRegression().fit(rows, BINARY))
    explainer = uq.Explainer(model, rows, BINARY)
    result = explainer.importance("accuracy", ["a"], n_repeats=3)
    replaced = explainer.replaced("a", n_repeats=3)
    score = (model.predict(rows) == BINARY).mean()
    after = [(model.predict(part) == BINARY).mean() for part in tables(replaced)]
    np.testing.assert_allclose(result.repeats[0], score - np.array(after), atol=1e-12)
    (remark,) = [r for r in result.remarks if r.code == "own-predict"]
    assert "replaced rows" in remark


def test_a_predict_that_answers_no_labels_or_fails_is_said():
    class Probability(Counted):
        def predict(self, X):
            return self.model.predict_proba(X)[:, 1]

    class Failing(Counted):
        def predict(self, X):
            raise NotImplementedError("only probabilities")

    for kind, reason in ((Probability, "none of the classes"), (Failing, "only probabilities")):
        result = uq.Explainer(kind(LOGISTIC), X, BINARY).scores("accuracy")
        assert result.value[0] == pytest.approx(LOGISTIC.score(X, BINARY))
        (remark,) = result.remarks
        assert remark.code == "own-predict"
        assert reason in remark
        assert "the most probable class stands for its labels" in remark


def test_rounding_is_no_difference():
    class Single(Shifted):
        def predict(self, X, return_std=False):
            mean, std = self.model_.predict(X, return_std=True)
            return (mean, std) if return_std else mean.astype(np.float32)

    explainer = uq.Explainer(Single().fit(X, NUMBERS + 1000), X, NUMBERS + 1000)
    assert explainer.scores("r2").remarks == ()


def test_classes_that_the_user_names_are_those_of_predict():
    model = LowThreshold([("fit", LogisticRegression())]).fit(X, BINARY)
    explainer = uq.Explainer(uq.as_predictive(model, classes=["no", "yes"]), X, TEXTS)
    right = (model.predict(X) == BINARY).mean()
    assert explainer.scores("accuracy").value[0] == pytest.approx(right)
