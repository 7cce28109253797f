"""Learners with an adapter compared with the same fits and adapter in a loop."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression
from sklearn.metrics import mean_squared_error

from models import table
from uqwidgets import Explainer, GroundTruth, Learner, ModelError, as_predictive, loco_importance
from uqwidgets.predictive import Mixture, Normal, Point

X, Y = table(80)
NOISE = 0.4
FOREST = RandomForestRegressor(5, min_samples_leaf=4)
SPLIT = X[:50], Y[:50], X[50:], Y[50:]


def trees(forest):
    return as_predictive(forest, members=True, noise=NOISE)


def mixture_by_hand(forest, X):
    values = np.stack([tree.predict(X) for tree in forest.estimators_], axis=1)
    return Mixture(Normal(values, np.full(values.shape, NOISE)))


def nll_by_hand(forest, X, y):
    each = [norm.logpdf(y, tree.predict(X), NOISE) for tree in forest.estimators_]
    return (np.log(len(each)) - logsumexp(each, axis=0)).mean()


@pytest.fixture(scope="module")
def learner():
    return Learner(FOREST, X, Y, n_refits=4, adapter=trees).fit()


def by_hand(learner, estimator=FOREST, left_out=()):
    """Forests of the same seeds, with the rows each learned from and those held out."""
    for refit in learner.refits:
        rows = learner._refits.plan.resample(refit.number)
        seeded = clone(estimator).set_params(random_state=refit.seed)
        parts = [np.delete(X[of], left_out, axis=1) for of in (rows.train, rows.held_out)]
        yield seeded.fit(parts[0], Y[rows.train]), parts[1], Y[rows.held_out]


class Trees(RandomForestRegressor):
    """A forest that is a mixture of its trees by itself."""

    def predict_distribution(self, X):
        return mixture_by_hand(self, X)


class TestForests:
    def test_refits_predict_mixtures_of_their_trees(self, learner):
        for refit, (forest, held_out, _) in zip(learner.refits, by_hand(learner), strict=True):
            text, expected = refit.explainer.predictive(held_out), trees(forest)(held_out)
            assert isinstance(text, Mixture)
            np.testing.assert_allclose(text.members.loc, expected.members.loc, rtol=1e-12)
            np.testing.assert_array_equal(text.members.scale, NOISE)
            np.testing.assert_allclose(
                refit.explainer.evaluations.original.entropy(),
                mixture_by_hand(forest, held_out).entropy(),
                rtol=1e-12,
            )

    @pytest.mark.parametrize("measure", ["nll", "entropy", "epistemic"])
    def test_importance_and_curves_are_those_of_the_mixtures(self, learner, measure):
        average = learner.importance(measure, n_repeats=2)
        curve = learner.dependence("x0", measure, grid=3)
        ranks, curves = [], []
        for refit, (forest, held_out, y) in zip(learner.refits, by_hand(learner), strict=True):
            explainer = Explainer(trees(forest), held_out, y, random_state=refit.seed)
            result = explainer.importance(measure, n_repeats=2)
            ranks.append([result.importance[result.features.index(f)] for f in average.features])
            curves.append(explainer.dependence("x0", measure, grid=curve.grid).average)
        np.testing.assert_allclose(average.per_refit.T, ranks, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(curve.per_refit, curves, rtol=1e-12, atol=1e-12)
        assert (average.low < average.importance).all()
        assert np.isfinite(average.high).all()

    def test_performance_and_loco_are_sums_over_trees(self, learner):
        whole = [nll_by_hand(*each) for each in by_hand(learner)]
        np.testing.assert_allclose(learner.performance("nll").per_refit, whole, rtol=1e-12)
        result = learner.loco("nll", ["x0", "x2"])
        for feature, line in zip(result.features, result.per_refit, strict=True):
            without = by_hand(learner, left_out=[int(feature[1])])
            losses = np.array([nll_by_hand(*each) for each in without])
            np.testing.assert_allclose(line, losses - whole, rtol=1e-12, atol=1e-12)

    def test_learners_with_different_adapters_can_be_compared(self, learner):
        lines, plain = Learner(BayesianRidge(), X, Y, n_refits=4), Learner(FOREST, X, Y, n_refits=4)
        compared = learner.compare(lines, "nll")
        differences = learner.performance("nll").per_refit - lines.performance("nll").per_refit
        np.testing.assert_array_equal(compared.per_refit, differences)
        same = learner.compare(plain, "squared_error")
        np.testing.assert_allclose(same.per_refit, 0, atol=1e-12)
        assert isinstance(plain.refits[0].explainer.evaluations.original, Point)
        with pytest.raises(ValueError, match="'nll' is not available"):
            learner.compare(plain, "nll")

    def test_an_adapter_may_estimate_the_noise_from_each_fit(self):
        forest = RandomForestRegressor(40, min_samples_leaf=4, oob_score=mean_squared_error)
        learner = Learner(
            forest,
            X,
            Y,
            n_refits=2,
            resampling="subsampling",
            adapter=lambda fitted: as_predictive(
                fitted, members=True, noise=np.sqrt(fitted.oob_score_)
            ),
        ).fit()
        for refit, (fitted, _, _) in zip(learner.refits, by_hand(learner, forest), strict=True):
            rows = learner._refits.plan.resample(refit.number)
            residuals = Y[rows.train] - fitted.oob_prediction_
            scale = refit.explainer.evaluations.original.members.scale
            np.testing.assert_allclose(scale, np.sqrt(np.mean(residuals**2)), rtol=1e-12)

    def test_classifiers_too(self):
        adapter = partial(as_predictive, members=True)
        learner = Learner(RandomForestClassifier(4), X, Y > 0, n_refits=2, adapter=adapter)
        assert (learner.importance("epistemic", n_repeats=1).importance != 0).any()
        assert learner.adapter is adapter


def test_gaussian_processes_need_no_adapter():
    estimator = GaussianProcessRegressor(alpha=0.2)
    learner = Learner(estimator, X, Y, n_refits=3)
    scores = learner.performance("nll"), learner.performance("entropy")
    for number, (process, held_out, y) in enumerate(by_hand(learner, estimator)):
        text = norm(*process.predict(held_out, return_std=True))
        by_row = -text.logpdf(y), text.entropy()
        for result, values in zip(scores, by_row, strict=True):
            assert result.per_refit[number] == pytest.approx(values.mean(), rel=1e-12, abs=1e-12)
        original = learner.refits[number].explainer.evaluations.original
        np.testing.assert_allclose(original.scale, text.std(), rtol=1e-12)


class TestProcesses:
    def test_the_adapter_runs_in_the_process_of_the_fit(self, learner):
        noise = NOISE  # a closure, which must be sent to the processes

        def adapter(forest):
            return as_predictive(forest, members=True, noise=noise)

        with parallel_config("loky", inner_max_num_threads=1):
            several = Learner(FOREST, X, Y, n_refits=2, n_jobs=2, adapter=adapter)
            result = several.loco("nll", ["x0", "x1"])
        alone = learner.loco("nll", ["x0", "x1"])
        order = [alone.features.index(feature) for feature in result.features]
        np.testing.assert_allclose(result.per_refit, alone.per_refit[order, :2], rtol=1e-12)


class TestLeavingOut:
    @pytest.mark.parametrize("n_jobs", [None, 2])
    def test_the_adapter_is_called_with_every_fit(self, n_jobs):
        X, y, X_test, y_test = SPLIT
        forest = clone(FOREST).set_params(random_state=3)
        with parallel_config("loky", inner_max_num_threads=1):
            result = loco_importance(
                forest, *SPLIT, adapter=lambda fitted: trees(fitted), n_jobs=n_jobs
            )
        baseline = nll_by_hand(forest.fit(X, y), X_test, y_test)
        assert result.baseline == pytest.approx(baseline, rel=1e-12)
        for feature, importance in zip(result.features, result.importance, strict=True):
            rows, scored = (np.delete(of, int(feature[1]), axis=1) for of in (X, X_test))
            loss = nll_by_hand(clone(forest).fit(rows, y), scored, y_test)
            assert importance == pytest.approx(loss - baseline, rel=1e-10, abs=1e-12)

    def test_a_constant_replacement_needs_one_fit_only(self):
        X, y, X_test, y_test = SPLIT
        forest = clone(FOREST).set_params(random_state=3)
        seen = []
        result = loco_importance(
            forest,
            *SPLIT,
            replace="mean",
            adapter=lambda fitted: seen.append(fitted) or trees(fitted),
        )
        assert len(seen) == 1
        replaced = X_test.copy()
        replaced[:, 0] = X[:, 0].mean()
        forest.fit(X, y)
        expected = nll_by_hand(forest, replaced, y_test) - nll_by_hand(forest, X_test, y_test)
        at = result.features.index("x0")
        assert result.importance[at] == pytest.approx(expected, rel=1e-10)


def line(X):
    return X @ [1.0, -0.5, 0.0]


def truth():
    return GroundTruth(line, lambda n, rng: rng.normal(size=(n, 3)), NOISE)


class TestGroundTruth:
    OPTIONS = {"n_train": 40, "n_test": 20, "n_datasets": 3, "n_truth": 100}  # noqa: RUF012

    @pytest.mark.parametrize("feature", [None, "x0"])
    def test_the_adapter_of_a_learner_is_used(self, feature):
        measure = "nll" if feature is None else "entropy"
        learner = Learner(FOREST, X, Y, adapter=lambda fitted: trees(fitted))
        result = truth().decompose(learner, feature, measure, n_jobs=2, **self.OPTIONS)
        own = Trees(**FOREST.get_params())
        expected = truth().decompose(own, feature, measure, **self.OPTIONS)
        np.testing.assert_allclose(result.estimates, expected.estimates, rtol=1e-12, atol=1e-12)
        assert result.procedure == "RandomForestRegressor"
        if feature is not None:  # a mixture has a larger entropy than its members
            assert (result.estimates > expected.truth.min()).all()

    def test_the_parts_of_the_bias_are_those_of_the_adapted_models(self):
        learner = Learner(LinearRegression(), X, Y, adapter=lambda _: line)
        result = truth().decompose(learner, **self.OPTIONS)
        numbers = result.bias_parts.drop(columns="feature").to_numpy()
        np.testing.assert_allclose(numbers, 0, atol=1e-12)

    def test_an_error_of_the_adapter_names_the_training_set(self):
        learner = Learner(LinearRegression(), X, Y, adapter=lambda fitted: fitted.estimators_)
        message = "adapter failed on the fitted LinearRegression of training set 0: AttributeError"
        with pytest.raises(ModelError, match=message):
            truth().decompose(learner, **self.OPTIONS)


class Counting(LinearRegression):
    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        return super().fit(X, y)


class TestErrors:
    @pytest.mark.parametrize("adapter", [0.4, "members", BayesianRidge().fit(X, Y)])
    def test_an_adapter_that_cannot_be_called_is_refused_before_any_fit(self, adapter):
        Counting.fits = 0
        message = (
            f"adapter is of type {type(adapter).__name__}; pass a function that is called with "
        )
        with pytest.raises(TypeError, match=message):
            Learner(Counting(), X, Y, adapter=adapter)
        with pytest.raises(TypeError, match=message):
            loco_importance(Counting(), *SPLIT, adapter=adapter)
        assert Counting.fits == 0

    def test_a_predictive_model_is_no_adapter(self):
        with pytest.raises(TypeError, match="adapter is of type Predictive; pass a function"):
            Learner(FOREST, X, Y, adapter=as_predictive(clone(FOREST).fit(X, Y), members=True))

    def test_an_error_of_the_adapter_is_raised_at_the_first_fit(self):
        Counting.fits = 0
        learner = Learner(Counting(), X, Y, adapter=lambda fitted: fitted.estimators_)
        with pytest.raises(ModelError) as caught:
            learner.importance("nll")
        _, seed = learner._refits.plan.seeds(0)
        assert str(caught.value) == (
            f"adapter failed on the fitted Counting of refit 0 (seed {seed}): AttributeError: "
            "'Counting' object has no attribute 'estimators_'; pass a function that takes every "
            "fit."
        )
        assert Counting.fits == 1
        assert learner._refits.failed(15) == []

    def test_errors_of_as_predictive_keep_their_words(self):
        adapter = partial(as_predictive, samples=True)
        message = (
            ": ValueError: samples has no effect here, because LinearRegression answers one value"
        )
        with pytest.raises(ModelError, match=message):
            Learner(LinearRegression(), X, Y, adapter=adapter).importance("nll")
        with pytest.raises(
            ModelError, match=f"adapter failed on the fitted LinearRegression{message}"
        ):
            loco_importance(LinearRegression(), *SPLIT, adapter=adapter)

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            (
                None,
                r"adapter returned NoneType for the fitted LinearRegression of refit 0 \(seed \d+",
            ),
            (LinearRegression, "LinearRegression is a class; pass a fitted model"),
            ({"x": 1}, "adapter returned dict"),
        ],
    )
    def test_an_adapter_must_return_what_as_predictive_takes(self, answer, message):
        with pytest.raises(ModelError, match=message):
            Learner(LinearRegression(), X, Y, adapter=lambda _: answer).performance("squared_error")

    def test_an_adapted_model_that_fails_to_predict_is_a_failed_refit(self):
        learner = Learner(
            LinearRegression(), X, Y, n_refits=3, adapter=lambda _: LinearRegression()
        )
        with pytest.raises(ModelError, match=r"0 of 3 refits succeeded.* NotFittedError"):
            learner.fit()

    def test_earlier_fits_stay_and_the_next_call_continues(self, learner):
        seen = []

        def adapter(forest):
            seen.append(forest)
            if len(seen) == 3:
                raise OSError("the disk is full\nof numbers")
            return trees(forest)

        once = Learner(FOREST, X, Y, n_refits=4, adapter=adapter)
        with pytest.raises(ModelError, match=r"refit 2 .*: OSError: the disk is full; pass"):
            once.fit()
        assert len(once.refits) == 2
        result = once.performance("nll").per_refit
        assert len(seen) == 5
        np.testing.assert_array_equal(result, learner.performance("nll").per_refit)

    def test_the_error_names_the_column_that_the_adapter_misses(self):
        def adapter(fitted):
            return as_predictive(fitted) if fitted.coef_[2] else None

        message = (
            r"adapter failed on the fitted LinearRegression without 'x1': IndexError: .*; pass a fu"
        )
        with pytest.raises(ModelError, match=f"{message}.*; pass replace='mean' to keep one fit"):
            loco_importance(
                LinearRegression(), *SPLIT, "squared_error", features="x1", adapter=adapter
            )
        learner = Learner(LinearRegression(), X, Y, n_refits=2, adapter=adapter)
        with pytest.raises(ModelError, match=f"{message}.*; name other features"):
            learner.loco("squared_error", ["x1"])
        assert len(learner.refits) == 2
