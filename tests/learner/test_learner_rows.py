"""Random states and weights of the rows of a learner, and its intervals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from learner_table import LABELS, X, Y
from uqwidgets import Explainer, GroundTruth, Learner, loco_importance
from uqwidgets.learner.intervals import variance_components_interval
from uqwidgets.learner.row_effects import interaction_variance, row_effect_variance


class TestRandomState:
    """random_state is checked in one place and gives one seed."""

    @pytest.mark.parametrize("resampling", ["bootstrap", "subsampling", "leave-two-groups-out"])
    def test_without_a_seed_no_training_row_is_scored(self, resampling):
        learner = Learner(Memory(), X, Y, resampling=resampling, random_state=None)
        assert not learner.performance("prediction").per_refit.any()
        model = Memory().fit(X[:40], Y[:40])
        assert model.predict(X).mean() == 0.5

    def test_noise_is_not_predicted_without_a_seed(self):
        rng = np.random.default_rng(0)
        noise, y = rng.normal(size=(300, 3)), rng.normal(size=300)
        for seed in (0, None):
            learner = Learner(DecisionTreeRegressor(), noise, y, n_refits=10, random_state=seed)
            assert learner.performance("squared_error").mean > 1.6 * y.var()

    def test_random_state_none_draws_a_seed_and_generators_give_theirs(self):
        made = [Learner(LinearRegression(), X, Y, random_state=None) for _ in range(2)]
        rows = [learner._refits.plan.resample(0).held_out for learner in made]
        assert not np.array_equal(*rows)
        for stream in (np.random.RandomState, np.random.default_rng):
            one, same = (
                Learner(LinearRegression(), X, Y, random_state=stream(5), n_refits=3)
                for _ in range(2)
            )
            assert one.importance("squared_error").seed == same.importance("squared_error").seed

    @pytest.mark.parametrize("bad", [-1, 1.5, "0", True, 2**32])
    def test_an_invalid_random_state_raises_the_same_sentence_everywhere(self, bad):
        line = LinearRegression().fit(X, Y)
        truth = (lambda Z: Z[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        for make in (
            lambda: Explainer(line, X, Y, random_state=bad),
            lambda: Learner(line, X, Y, random_state=bad),
            lambda: loco_importance(line, X, Y, X, Y, "squared_error", random_state=bad),
            lambda: GroundTruth(*truth, random_state=bad),
            lambda: GroundTruth(*truth).data(5, random_state=bad),
        ):
            with pytest.raises(
                ValueError, match=r"^random_state is .*; pass a whole number from 0"
            ):
                make()

    def test_without_a_seed_all_fits_without_a_feature_share_one_seed(self):
        # A tree of depth 1 never uses x2, so leaving it out changes nothing.
        tree = DecisionTreeRegressor(max_depth=1, splitter="random", max_features=None)
        result = loco_importance(tree, X, Y, X, Y, "squared_error", random_state=None)
        assert isinstance(result.seed, int)
        again = loco_importance(tree, X, Y, X, Y, "squared_error", random_state=result.seed)
        np.testing.assert_array_equal(result.importance, again.importance)

    def test_a_ground_truth_without_a_seed_draws_one_seed(self):
        truth = GroundTruth(
            lambda Z: Z[:, 0], lambda n, rng: rng.normal(size=(n, 2)), random_state=None
        )
        one, same = truth.importance(n=50), truth.importance(n=50)
        np.testing.assert_array_equal(one.importance, same.importance)


class Memory(RegressorMixin, BaseEstimator):
    """A model that predicts 1 for its training rows and 0 for all others."""

    def fit(self, X, y):  # noqa: ARG002
        self.learned_ = {tuple(row) for row in X}
        return self

    def predict(self, X):
        return np.array([float(tuple(row) in self.learned_) for row in X])


class TestWeightsOfRows:
    LEARNER = Learner(LinearRegression(), X, Y, n_refits=4)

    @pytest.mark.parametrize("n", [3, 79, 81])
    def test_there_is_one_for_each_row_of_the_table(self, n):
        message = rf"sample_weight has shape \({n},\) but X has 80 rows"
        with pytest.raises(ValueError, match=message):
            self.LEARNER.importance("squared_error", sample_weight=np.ones(n))
        with pytest.raises(ValueError, match=message):
            self.LEARNER.dependence("x0", sample_weight=np.ones(n))
        with pytest.raises(ValueError, match=message):
            self.LEARNER.dependence(["x0", "x1"], sample_weight=np.ones(n))

    def test_a_wrong_weight_is_named_by_its_row_in_the_table(self):
        weights = np.ones(80)
        weights[7] = -1
        with pytest.raises(ValueError, match="sample_weight is -1 in row 7"):
            self.LEARNER.importance("squared_error", sample_weight=weights)

    def test_a_refit_needs_a_row_with_weight(self):
        weights = np.zeros(80)
        weights[0] = 1
        with pytest.raises(ValueError, match=r"is 0 for every row that refit [0-3] held out"):
            self.LEARNER.dependence("x0", sample_weight=weights)

    def test_nothing_is_fitted_before_they_are_checked(self):
        learner = Learner(LinearRegression(), X, Y, n_refits=4)
        with pytest.raises(ValueError, match="sample_weight"):
            learner.importance("squared_error", sample_weight=np.ones(3))
        assert learner.refits == []


class TestIntervals:
    """The default interval has the best coverage, which every result states."""

    LEARNER = Learner(LogisticRegression(), X, LABELS)
    GROUPS = Learner(LogisticRegression(), X, LABELS, resampling="leave-two-groups-out")
    FEW = Learner(LogisticRegression(), X, LABELS, n_refits=3)

    def test_the_default_interval_of_each_result(self):
        for measure, options, interval in (
            ("nll", {}, "variance-components"),
            ("entropy", {}, "variance-components"),
            ("nll", {"compare": "ratio"}, "corrected"),
            ("roc_auc", {}, "corrected"),
            ("nll", {"sample_weight": np.ones(80)}, "corrected"),
        ):
            learner = self.LEARNER if measure != "roc_auc" else self.FEW
            result = learner.importance(measure, ["x0"], n_repeats=1, **options)
            assert result.interval == interval
            text = f"the interval ({interval}) is for the mean result of the procedure"
            assert result.remarks[-1].startswith(text)
        assert self.GROUPS.importance("nll").interval == "variance-components"
        assert self.LEARNER.loco("nll").interval == "corrected"
        own = Learner(LogisticRegression(), X, LABELS, n_refits=4, correction=0.5)
        assert own.importance("nll").interval == "corrected"

    def test_the_interval_equals_its_formula_on_held_out_values(self):
        for learner in (self.LEARNER, self.GROUPS):
            for measure, of_loss in (("nll", True), ("entropy", False)):
                average = learner.importance(measure)
                values = np.full((15, 80, 3), np.nan)
                for refit, line in zip(learner.refits, values, strict=True):
                    result = refit.explainer.importance(measure, n_repeats=5)
                    at = [result.features.index(name) for name in average.features]
                    line[refit.held_out] = result.per_row[at].T
                sizes = np.mean([(r.n_train, len(r.held_out)) for r in learner.refits], axis=0)
                expected = variance_components_interval(
                    average.per_refit.T,
                    row_effect_variance(values),
                    interaction_variance(values),
                    *(80, *sizes),
                    bootstrap=learner is self.LEARNER,
                    of_loss=of_loss,
                )
                np.testing.assert_allclose(average.low, expected.low)
                np.testing.assert_allclose(average.high, expected.high)

    def test_the_interval_of_a_curve_equals_its_formula(self):
        drawn = self.LEARNER.dependence("x0", grid=3), self.GROUPS.dependence("x0", grid=3)
        for result, interval in zip(drawn, ("variance-components", "group-jackknife"), strict=True):
            assert f"the interval ({interval})" in result.remarks[-1]
        requested = self.GROUPS.dependence("x0", grid=3, interval="group-jackknife")
        np.testing.assert_array_equal(requested.low, drawn[1].low)
        assert "(corrected)" in self.LEARNER.dependence(["x0", "x1"], grid=2).remarks[-1]

    def test_row_effects_are_for_losses(self):
        message = "which holds for importance by a loss and not for importance by a measure without"
        with pytest.raises(ValueError, match=message):
            self.LEARNER.importance("entropy", interval="row-effect")
        with pytest.raises(ValueError, match="use interval='variance-components'"):
            self.LEARNER.dependence("x0", grid=3, interval="row-effect")
        with pytest.raises(
            ValueError, match=r"mean over rows, which this is not \(importance as a"
        ):
            self.LEARNER.importance("nll", compare="ratio", interval="row-effect")

        def certainty(distribution, y):  # noqa: ARG001
            return distribution.entropy()

        with pytest.raises(ValueError, match="not for importance by a measure without the target"):
            self.LEARNER.importance(certainty, interval="row-effect")

    def test_remarks_state_the_coverage_and_a_better_interval(self):
        learner = self.LEARNER
        best = learner.importance("nll").remarks[-1]
        assert re.search(r"of importance by a loss by bootstrap covered it in \d+ to", best)
        worse = learner.importance("nll", interval="corrected").remarks[-1]
        assert "and those by interval='variance-components' in" in worse
        for result in (learner.performance("nll"), learner.compare(learner, "nll")):
            assert "in simulations 95 % intervals of" in result.remarks[-1]
        weighted = learner.importance("nll", sample_weight=np.ones(80)).remarks[-1]
        assert weighted.endswith("its coverage with weights of rows was not simulated")

    def test_without_common_held_out_rows_the_corrected_interval_is_used(self):
        few = Learner(LinearRegression(), X[:6], Y[:6], n_refits=2, resampling="subsampling")
        assert few.importance("squared_error").interval == "corrected"

    @pytest.mark.parametrize("labels", [LABELS, LABELS.astype(object), Y > 0, 5 + 2 * (Y > 0)])
    def test_losses_of_models_that_predict_labels_only(self, labels):
        result = Learner(LinearSVC(), X, labels, n_refits=3).importance("zero_one", n_repeats=1)
        assert "of importance by a loss by bootstrap" in result.remarks[-1]
