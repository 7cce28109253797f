"""Learners compared with refits in a loop."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.metrics import mean_squared_error, roc_auc_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from learner_table import LABELS, X, Y
from uqwidgets import Explainer, Learner, Remark
from uqwidgets.learner.averaging import merge_remarks
from uqwidgets.learner.intervals import row_effect_interval
from uqwidgets.learner.resampling import ResamplingPlan
from uqwidgets.learner.row_effects import row_effect_variance


def by_hand(learner, estimator, X, y):
    """Fitted models with their held-out rows."""
    plan = learner._refits.plan
    for number in range(learner.n_refits):
        rows = plan.resample(number)
        yield clone(estimator).fit(X[rows.train], y[rows.train]), rows.held_out


class TestResamples:
    @pytest.mark.parametrize("resampling", ["bootstrap", "subsampling"])
    def test_training_and_held_out_rows_partition_the_table(self, resampling):
        plan = ResamplingPlan.of(Y, resampling, 0.632, False, 0, 15)
        for number in range(20):
            rows = plan.resample(number)
            assert not set(rows.train) & set(rows.held_out)
            assert set(rows.train) | set(rows.held_out) == set(range(80))
            assert len(rows.train) == (80 if resampling == "bootstrap" else 51)
            np.testing.assert_array_equal(plan.resample(number).train, rows.train)
        assert len({tuple(plan.resample(k).train) for k in range(20)}) == 20

    def test_a_bootstrap_holds_out_a_share_of_one_over_e(self):
        plan = ResamplingPlan.of(np.zeros(2000), "bootstrap", 0.632, False, 1, 15)
        share = np.mean([len(plan.resample(k).held_out) for k in range(30)]) / 2000
        assert share == pytest.approx(np.exp(-1), abs=0.005)

    @pytest.mark.parametrize("resampling", ["bootstrap", "subsampling"])
    def test_rare_classes_are_resampled_by_themselves(self, resampling):
        y = np.array(["a"] * 50 + ["b"] * 3)
        plan = ResamplingPlan.of(y, resampling, 0.632, True, 0, 15)
        assert plan.strata is not None
        for number in range(50):
            rows = plan.resample(number)
            assert set(y[rows.train]) == set(y[rows.held_out]) == {"a", "b"}
        assert ResamplingPlan.of(LABELS, resampling, 0.632, True, 0, 15).strata is None


@pytest.mark.parametrize("resampling", ["bootstrap", "subsampling"])
@pytest.mark.parametrize("correction", ["nadeau-bengio", None, 0.25])
def test_importance_is_the_mean_over_refits_with_the_corrected_interval(resampling, correction):
    estimator = BayesianRidge()
    learner = Learner(
        estimator, X, Y, n_refits=6, resampling=resampling, correction=correction, random_state=3
    )
    for measure in ("nll", "entropy"):
        average = learner.importance(measure, n_repeats=3, level=0.9, interval="corrected")
        each, sizes = [], []
        for refit, (model, held_out) in zip(
            learner.refits, by_hand(learner, estimator, X, Y), strict=True
        ):
            explainer = Explainer(model, X[held_out], Y[held_out], random_state=refit.seed)
            result = explainer.importance(measure, n_repeats=3)
            each.append(dict(zip(result.features, result.importance, strict=True)))
            sizes.append((refit.n_train, len(held_out)))
        values = np.array([[line[name] for name in average.features] for line in each])
        np.testing.assert_allclose(average.per_refit, values.T, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(average.importance, values.mean(axis=0))
        n1, n2 = np.mean(sizes, axis=0)
        c = {None: 0.0, "nadeau-bengio": n2 / n1}.get(correction, correction)
        error = np.sqrt((1 / 6 + c) * values.var(axis=0, ddof=1))
        np.testing.assert_allclose(average.std_error, error)
        half = stats.t.ppf(0.95, 5) * error
        np.testing.assert_allclose(average.high - average.importance, half, atol=1e-14)
        assert average.interval == "corrected"
        assert (np.diff(average.importance) <= 0).all()
        assert average.per_row.shape == (3, 80)


class TestGroups:
    """resampling="leave-two-groups-out" with six groups."""

    LEARNER = Learner(LinearRegression(), X, Y, resampling="leave-two-groups-out", random_state=2)

    def test_every_row_is_held_out_by_a_third_of_the_refits(self):
        learner = self.LEARNER.fit()
        count = np.zeros(80)
        for refit in learner.refits:
            count[refit.held_out] += 1
        np.testing.assert_array_equal(count, 5)

    def test_importance_has_the_interval_of_row_effects(self):
        learner = self.LEARNER
        average = learner.importance("squared_error", interval="row-effect")
        values = np.full((15, 80, 3), np.nan)
        for refit, line in zip(learner.refits, values, strict=True):
            result = refit.explainer.importance("squared_error", n_repeats=5)
            at = [result.features.index(name) for name in average.features]
            line[refit.held_out] = result.per_row[at].T
        sizes = (np.mean([r.n_train for r in learner.refits]), 80 / 3)
        expected = row_effect_interval(
            average.per_refit.T, row_effect_variance(values), 80, sizes[0], sizes[1]
        )
        np.testing.assert_allclose(average.low, expected.low)
        np.testing.assert_allclose(average.high, expected.high)
        assert average.interval == "row-effect"

    def test_curves_have_the_interval_of_the_group_jackknife(self):
        learner = self.LEARNER
        plain = learner.dependence("x0", grid=[-1.0, 1.0])
        result = learner.dependence("x0", grid=[-1.0, 1.0], interval="group-jackknife")
        np.testing.assert_allclose(result.average, plain.average)
        assert (result.high - result.low >= (plain.high - plain.low) * (1 - 1e-9)).all()

    def test_options_that_exclude_each_other_are_refused(self):
        learner, weights = self.LEARNER, np.ones(80)
        with pytest.raises(ValueError, match="does not support sample_weight; use inter"):
            learner.importance("squared_error", interval="row-effect", sample_weight=weights)
        with pytest.raises(ValueError, match="needs a mean over rows, which this is not"):
            learner.importance("r2", interval="row-effect")
        with pytest.raises(ValueError, match="needs a mean over rows, which this is not"):
            learner.dependence(["x0", "x1"], grid=2, interval="group-jackknife")
        with pytest.raises(ValueError, match="no interval 'jackknife' of a learner; did you mean"):
            learner.importance(interval="jackknife")
        with pytest.raises(ValueError, match="make the learner with resampling='leave-two-groups"):
            Learner(LinearRegression(), X, Y).importance(interval="group-jackknife")
        with pytest.raises(ValueError, match="groups were made for 15 refits; make a new learner"):
            learner.fit(21)
        with pytest.raises(ValueError, match=r"n_refits is 14; to leave out every two of G groups"):
            Learner(LinearRegression(), X, Y, resampling="leave-two-groups-out", n_refits=14)


def test_curves_and_surfaces_are_means_over_the_refits_rows():
    estimator = DecisionTreeRegressor(max_depth=3, random_state=0)
    learner = Learner(estimator, X, Y, n_refits=5)
    grid = [-1.0, 0.0, 1.0]
    curve = learner.dependence("x0", grid=grid, interval="corrected")
    flat = learner.dependence(["x0", "x1"], grid=[grid, [0.0, 0.5]])
    each, both = [], []
    for model, held_out in by_hand(learner, estimator, X, Y):
        rows = np.repeat(X[held_out][None], 3, axis=0)
        rows[:, :, 0] = np.array(grid)[:, None]
        each.append([model.predict(part).mean() for part in rows])
        pairs = []
        for one in grid:
            for other in (0.0, 0.5):
                replaced = X[held_out].copy()
                replaced[:, :2] = one, other
                pairs.append(model.predict(replaced).mean())
        both.append(np.reshape(pairs, (3, 2)))
    np.testing.assert_allclose(curve.per_refit, each)
    np.testing.assert_allclose(curve.average, np.mean(each, axis=0))
    np.testing.assert_allclose(flat.per_refit, both)
    np.testing.assert_allclose(flat.average, np.mean(both, axis=0))
    sizes = [(r.n_train, len(r.held_out)) for r in learner.refits]
    c = np.mean(sizes, axis=0)[1] / np.mean(sizes, axis=0)[0]
    error = np.sqrt((1 / 5 + c) * np.var(each, axis=0, ddof=1))
    np.testing.assert_allclose(curve.std_error, error)
    assert curve.curves.shape == (3, 80)
    assert curve.ice.shape == (80, 3)


def test_several_curves_are_those_of_single_calls():
    learner = Learner(LinearRegression(), X, Y, n_refits=5)
    curves = learner.dependences(["x1", "x0"], "squared_error", grid=4, center=True)
    assert list(curves) == ["x1", "x0"]
    for name, curve in curves.items():
        alone = learner.dependence(name, "squared_error", grid=4, center=True)
        np.testing.assert_array_equal(curve.per_refit, alone.per_refit)
        np.testing.assert_array_equal([curve.low, curve.high], [alone.low, alone.high])
    assert list(learner.dependences(grid=2)) == list(learner.refits[0].explainer.features)
    with pytest.raises(ValueError, match="no feature 'x9'"):
        learner.dependences(["x9"])


def test_a_learner_has_every_measure_and_transform_of_an_explainer():
    learner = Learner(
        LogisticRegression(), X, LABELS, n_refits=4, feature_groups={"g": ["x0", "x2"]}
    )
    assert learner.importance("nll").features[0] in ("g", "x1")
    metric = learner.importance("roc_auc", ["g", "x1"], n_repeats=2)
    assert metric.label == "loss of roc auc"
    for options in ({"replacement": "ablation"}, {"n_repeats": "all"}, {"compare": "ratio"}):
        result = learner.importance("nll", **options)
        assert np.isfinite(result.high).all()
    for options in ({"center": True}, {"derivative": True}, {"relative": True}):
        assert np.isfinite(learner.dependence("x0", "entropy", grid=5, **options).average).all()
    weights = np.linspace(0, 2, 80)
    assert learner.importance("nll", sample_weight=weights).weighted
    assert learner.dependence("x0", sample_weight=weights).weighted


def test_leaving_a_feature_out_refits_without_it():
    estimator = LinearRegression()
    learner = Learner(estimator, X, Y, n_refits=4)
    result = learner.loco("squared_error")
    each = []
    for number in range(4):
        rows = learner._refits.plan.resample(number)
        train, test = rows.train, rows.held_out
        losses = []
        for left_out in (None, 0, 1, 2):
            remaining = [j for j in range(3) if j != left_out]
            model = clone(estimator).fit(X[train][:, remaining], Y[train])
            losses.append(mean_squared_error(Y[test], model.predict(X[test][:, remaining])))
        each.append(np.array(losses[1:]) - losses[0])
    at = [["x0", "x1", "x2"].index(name) for name in result.features]
    np.testing.assert_allclose(result.per_refit.T, np.array(each)[:, at], rtol=1e-9, atol=1e-12)
    assert result.replacement == "refit"


def test_performance_and_comparison_are_the_corrected_t_test():
    one, other = (
        Learner(e, X, Y, n_refits=8)
        for e in (DecisionTreeRegressor(max_depth=4, random_state=0), LinearRegression())
    )
    losses = []
    for learner, estimator in ((one, one._refits.estimator), (other, other._refits.estimator)):
        losses.append(
            [
                mean_squared_error(Y[held_out], model.predict(X[held_out]))
                for model, held_out in by_hand(learner, estimator, X, Y)
            ]
        )
    performance = one.performance("squared_error")
    np.testing.assert_allclose(performance.per_refit, losses[0])
    compared = one.compare(other, "squared_error")
    difference = np.subtract(*losses)
    np.testing.assert_allclose(compared.per_refit, difference)
    sizes = [(r.n_train, len(r.held_out)) for r in one.refits]
    c = np.mean(sizes, axis=0)[1] / np.mean(sizes, axis=0)[0]
    t = difference.mean() / np.sqrt((1 / 8 + c) * difference.var(ddof=1))
    assert compared.p_value == pytest.approx(2 * stats.t.sf(abs(t), 7))
    assert (compared.low < 0 < compared.high) == (compared.p_value > 0.05)
    assert "DecisionTreeRegressor minus that of LinearRegression" in repr(compared)
    assert list(compared.frame.columns)[-1] == "p_value"
    itself = one.compare(one, "squared_error")
    assert (itself.difference, itself.std_error) == (0, 0)


def test_performance_by_a_metric():
    estimator = LogisticRegression()
    learner = Learner(estimator, X, LABELS, n_refits=4)
    expected = [
        roc_auc_score(LABELS[held_out], model.predict_proba(X[held_out])[:, 1])
        for model, held_out in by_hand(learner, estimator, X, LABELS)
    ]
    result = learner.performance("roc_auc")
    np.testing.assert_allclose(result.per_refit, expected)
    assert "Mean roc auc of LogisticRegression" in result._repr_html_()


def test_frames_and_gaussian_processes():
    data = pd.DataFrame(X, columns=["a", "b", "c"])
    learner = Learner(GaussianProcessRegressor(alpha=0.1), data, pd.Series(Y), n_refits=2)
    assert set(learner.importance("entropy", n_repeats=2).features) == {"a", "b", "c"}
    assert learner.dependence("a", "nll", grid=4).grid.shape == (4,)


def test_a_category_may_be_missing_from_the_held_out_rows_of_a_refit():
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    data = pd.DataFrame({"kind": ["a", "b"] * 39 + ["c", "c"], "x": X[:, 0]})
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]), remainder="passthrough"
    )
    learner = Learner(make_pipeline(encoder, LinearRegression()), data, Y, n_refits=6)
    curve = learner.dependence("kind")
    assert curve.grid.tolist() == ["a", "b", "c"]
    assert np.isfinite(curve.average).all()


def test_remarks_on_how_many_refits():
    few = Learner(LinearRegression(), X, Y, n_refits=3).performance("squared_error")
    assert "3 refits: fewer than 10 make wide and uncertain intervals" in few.remarks[0]
    many = Learner(LinearRegression(), X, Y, n_refits=21).performance("squared_error")
    assert many.remarks[0].endswith("because all learn from the same rows")
    (enough,) = Learner(LinearRegression(), X, Y).performance("squared_error").remarks
    assert "refits:" not in enough
    rare = Learner(LogisticRegression(), X, np.where(np.arange(80) < 5, "a", "b"), n_refits=10)
    assert "each class was resampled by itself" in rare.performance("nll").remarks[0]


class Untagged:
    """An estimator without scikit-learn's tags, as skpro's regressors are."""

    def get_params(self, deep=True):  # noqa: ARG002
        return {}

    def fit(self, X, y):
        self.model_ = (LinearRegression() if y.dtype.kind == "f" else LogisticRegression()).fit(
            X, y
        )
        return self

    def predict(self, X):
        return self.model_.predict(X)


def test_text_labels_are_classes_for_every_estimator():
    rare = np.arange(80) < 5
    for labels in (rare, np.where(rare, "a", "b"), np.where(rare, "a", "b").astype(object)):
        result = Learner(Untagged(), X, labels, n_refits=10).performance("zero_one")
        assert "each class was resampled by itself" in result.remarks[0]
    for numbers in (Y, np.where(rare, 0.0, 1.0)):
        assert Learner(Untagged(), X, numbers, n_refits=10).fit()._remarks() == ()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_refits": 1}, ValueError, "n_refits is 1; it must be a whole number of at least 2"),
        ({"n_refits": 2.5}, ValueError, "n_refits is 2.5"),
        ({"resampling": "boot"}, ValueError, "no resampling 'boot'; did you mean 'bootstrap'"),
        ({"train_fraction": 1.5}, ValueError, "train_fraction is 1.5; it must be between 0 and 1"),
        ({"correction": -1}, ValueError, "correction is -1"),
        ({"correction": "nadeau"}, ValueError, "no correction 'nadeau'"),
        ({"estimator": LinearRegression}, TypeError, "LinearRegression is no estimator that can"),
        ({"estimator": len}, TypeError, "no estimator that can be copied"),
        ({"y": Y[:5]}, ValueError, r"X has shape \(80, 3\) and y has shape \(5,\)"),
        ({"X": X[:3], "y": Y[:3]}, ValueError, "there are 3 rows; refits need at least 4"),
        (
            {"estimator": LogisticRegression(), "y": np.where(np.arange(80) < 1, "a", "b")},
            ValueError,
            "class 'a' has a single row",
        ),
    ],
)
def test_invalid_input_is_refused(options, error, message):
    arguments = {"estimator": LinearRegression(), "X": X, "y": Y} | options
    with pytest.raises(error, match=message):
        Learner(arguments.pop("estimator"), arguments.pop("X"), arguments.pop("y"), **arguments)


def test_learners_with_different_resamples_are_not_compared():
    one = Learner(LinearRegression(), X, Y, n_refits=3)
    for options in ({"random_state": 1}, {"n_refits": 4}, {"resampling": "subsampling"}):
        other = Learner(LinearRegression(), X, Y, **({"n_refits": 3} | options))
        with pytest.raises(ValueError, match="the two learners do not resample alike"):
            one.compare(other, "squared_error")


@pytest.mark.parametrize("other", ["x", LinearRegression(), None])
def test_only_learners_are_compared(other):
    learner = Learner(LinearRegression(), X, Y, n_refits=3)
    sentence = f"other is of type {type(other).__name__}; pass a Learner of the same table"
    with pytest.raises(TypeError, match=sentence):
        learner.compare(other, "squared_error")
    assert learner.refits == []  # no refit was made


def test_columns_named_by_numbers_are_selected_by_their_numbers():
    table = pd.DataFrame(X, columns=[0, 1, 2])
    learner = Learner(LinearRegression(), table, Y, n_refits=3)
    for feature, name in ((0, "0"), (np.int64(1), "1"), ("2", "2")):
        assert learner.dependence(feature, grid=3).feature == name
    for pair in ([0, 1], (0, 1), pd.Index([0, 1]), np.array([0, 1])):
        assert learner.dependence(pair, grid=2).features == ("0", "1")


def test_equal_importances_are_in_the_order_of_the_table():
    table = pd.DataFrame(X[:, [0, 1, 2, 0]], columns=["used", "z", "b", "a"])
    learner = Learner(FirstColumn(), table, Y, n_refits=3)
    model = FirstColumn().fit(table, Y)
    for ranked in (
        learner.importance("squared_error"),
        Explainer(model, table, Y).importance("squared_error"),
        learner.loco("squared_error", ["used", "z", "b", "a"]),
    ):
        assert ranked.features[-3:] == ("z", "b", "a")
    assert learner.importance("squared_error", ["a", "b", "z"]).features == ("a", "b", "z")


class FirstColumn(RegressorMixin, BaseEstimator):
    """A model that predicts the first column, whatever its training rows."""

    def fit(self, X, y):  # noqa: ARG002
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.asarray(X, dtype=float)[:, 0]


def test_a_remark_on_every_refit_comes_once():
    sure = DecisionTreeClassifier(random_state=0)
    learner = Learner(sure, X, LABELS, n_refits=10).fit()
    each = {refit.explainer.importance("nll").remarks for refit in learner.refits}
    assert len(each) > 1  # they differ in the number of rows
    for result in (learner.importance("nll"), learner.dependence("x0", "nll", grid=3)):
        (zero,) = [r for r in result.remarks if "the observed class probability 0" in r]
        least, most = (int(number) for number in re.search(r"in (\d+) to (\d+) of", zero).groups())
        counts = [int(re.search(r"in (\d+) of", r).group(1)) for (r, *_) in each]
        assert (least, most) == (min(counts), max(counts))
        assert zero.startswith("in each refit: in ")


def test_remarks_that_differ_in_numbers_are_merged_into_ranges():
    def merged(*of_refits):
        remarks = [tuple(Remark("few-pairs", text) for text in each) for each in of_refits]
        together = merge_remarks(remarks)
        assert {remark.code for remark in together} == {"few-pairs"}
        return together

    assert merged(["in 3 of 20 rows, p"], ["in 1 of 20 rows, p", "q"], ["in 12 of 20 rows, p"]) == (
        "in each refit: in 1 to 12 of 20 rows, p",
        "in 1 of 3 refits: q",
    )
    assert merged(["1,000 rows"], ["200.5 rows"]) == ("in each refit: 200.5 to 1,000 rows",)
    assert merged(["the same 5"], ["the same 5"]) == ("the same 5",)
