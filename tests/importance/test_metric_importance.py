"""Importance for metrics of the whole set, compared with scikit-learn on replaced rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer, mean_squared_error, r2_score, roc_auc_score

from cases import thorough_after
from models import classification, regression, table, two_classes
from uqwidgets import Explainer


def weights_of(options):
    weights = np.random.default_rng(5).gamma(1.0, size=60) if "weighted" in options else np.ones(60)
    rows = np.arange(60) % 4 > 0 if "filtered" in options else np.ones(60, dtype=bool)
    return weights, rows


def loss_of_auc(explainer, column, donors, weights, rows):
    """Return the loss of AUC of each repeat."""
    X, truth = table()[0], explainer.table.y == "yes"

    def auc(replaced, pairs):
        weighted = pairs > 0
        p = two_classes(replaced)[:, 1]
        return roc_auc_score(truth[weighted], p[weighted], sample_weight=pairs[weighted])

    outcome = []
    for of_repeat in donors:
        replaced = X.copy()
        replaced[:, column] = X[of_repeat, column]
        pairs = weights * rows * weights[of_repeat]
        outcome.append(auc(X, pairs) - auc(replaced, pairs))
    return outcome


@pytest.mark.parametrize(
    "options", thorough_after(1, ["weighted", "plain", "filtered", "weighted filtered"])
)
@pytest.mark.parametrize("replacement", thorough_after(1, ["permutation", "ablation"]))
def test_the_loss_of_auc_equals_that_of_scikit_learn(options, replacement):
    explainer = classification()
    weights, rows = weights_of(options)
    chosen = {"sample_weight": weights} if "weighted" in options else {}
    chosen |= {"rows": rows} if "filtered" in options else {}
    outcome = explainer.importance("roc_auc", n_repeats=4, replacement=replacement, **chosen)
    for j, name in enumerate(outcome.features):
        column = explainer.features.index(name)
        donors = explainer.evaluations.donors((column,), replacement, 0, 4)
        expected = loss_of_auc(explainer, column, donors, weights, rows)
        np.testing.assert_allclose(outcome.repeats[j], expected, atol=1e-12)
        assert outcome.importance[j] == pytest.approx(np.mean(expected), abs=1e-12)
    ignored = outcome.features.index("x2")
    assert outcome.importance[ignored] == outcome.low[ignored] == outcome.high[ignored] == 0
    assert np.isnan(outcome.per_row).all()
    assert "loss of roc auc" in repr(outcome)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("replacement", ["permutation", "conditional"])
def test_all_donors_give_the_metric_over_all_pairs(weighted, replacement):
    explainer = regression(50)
    X, y = table(50)
    weights = np.random.default_rng(1).gamma(1.0, size=50) if weighted else np.ones(50)
    outcome = explainer.importance(
        "r2", ["x1"], n_repeats="all", replacement=replacement, sample_weight=weights
    )
    groups = explainer.evaluations.subgroups((1,), replacement).codes
    pairs = np.where(groups[:, None] == groups, weights, 0)
    pairs = weights[:, None] * pairs / pairs.sum(axis=1, keepdims=True)
    replaced = np.repeat(X[:, 1:2], 50, axis=1).T  # [i, d] is the value of donor d
    predicted = X[:, [0]] - 0.5 * replaced**2
    truth = np.repeat(y[:, None], 50, axis=1)
    plain = r2_score(y, X[:, 0] - 0.5 * X[:, 1] ** 2, sample_weight=weights)
    loss = plain - r2_score(truth.ravel(), predicted.ravel(), sample_weight=pairs.ravel())
    assert outcome.importance[0] == pytest.approx(loss, rel=1e-10)
    assert outcome.repeats.shape == (1, 1)


def test_a_custom_scorer_of_a_mean_agrees_with_the_measure():
    explainer = regression()
    scorer = make_scorer(mean_squared_error, greater_is_better=False)
    loss = explainer.importance(scorer, n_repeats=5)
    measure = explainer.importance("squared_error", n_repeats=5)
    assert loss.features == measure.features
    np.testing.assert_allclose(loss.importance, measure.importance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(loss.std_error[:2], measure.std_error[:2], rtol=0.35)
    f1 = make_scorer(f1_score, pos_label="yes")
    assert np.isfinite(classification().importance(f1, n_repeats=2).high).all()


@pytest.mark.thorough
def test_the_standard_error_is_that_over_fresh_samples():
    estimates, errors = [], []
    for seed in range(40):
        X, y = table(150, seed=seed)
        explainer = Explainer(two_classes, X, np.where(y > 0, "yes", "no"))
        outcome = explainer.importance("roc_auc", ["x0"], n_repeats=3)
        estimates.append(outcome.importance[0])
        errors.append(outcome.std_error[0])
    # The standard deviation of 40 has a relative error of 11 %.
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(estimates), rel=0.33)
    rows_only = explainer.importance("roc_auc", ["x0"], n_repeats=3, interval="model")
    assert rows_only.std_error[0] < errors[-1]


def test_intervals_over_repeats_are_those_of_the_repeat_losses():
    explainer = classification()
    plain = explainer.importance("accuracy", ["x0"], n_repeats=8)
    each = plain.repeats[0]
    over = explainer.importance("accuracy", ["x0"], n_repeats=8, interval="fixed-data")
    assert over.std_error[0] == pytest.approx(each.std(ddof=1) / np.sqrt(8))
    bands = explainer.importance("accuracy", ["x0"], n_repeats=8, interval="quantile", level=0.9)
    assert (bands.low[0], bands.importance[0], bands.high[0]) == pytest.approx(
        np.quantile(each, [0.05, 0.5, 0.95])
    )


def test_a_metric_needs_no_further_model_call():
    explainer = classification()
    explainer.importance("nll")
    calls = explainer.model_calls
    explainer.importance("roc_auc")
    explainer.importance("accuracy", interval="model")
    assert explainer.model_calls == calls


def test_an_undefined_metric_gives_nan_and_a_remark():
    explainer = classification()
    one_class = explainer.table.y == "yes"
    outcome = explainer.importance("roc_auc", rows=one_class)
    assert np.isnan(outcome.importance).all()
    assert "roc auc is not defined, as where one class is left, for 3 of 3" in outcome.remarks[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compare": "ratio"}, "accuracy is a score, .* use compare='difference'"),
        ({"interval": "random-variable"}, "accuracy has no value for a single pair of rows"),
    ],
)
def test_options_without_meaning_for_metrics_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        classification().importance("accuracy", **options)


def test_metrics_of_another_task_are_refused():
    with pytest.raises(ValueError, match="r2 cannot score this model"):
        classification().importance("r2")
    with pytest.raises(ValueError, match="roc_auc cannot score this model"):
        regression().importance("roc_auc")


class Spy:
    """A scorer's function that counts its calls and the rows that it receives."""

    def __init__(self, function):
        self.function, self.sizes = function, []

    def __call__(self, y, predicted):
        self.sizes.append(len(y))
        return self.function(y, predicted)


def power_loss(y, predicted):
    return -float(np.mean(np.abs(y - predicted) ** 1.5))


def total_loss(y, predicted):
    return len(y) * power_loss(y, predicted)


class TestScorersOfOnesOwn:
    """A call of the scorer's function may take long, so few are made, and on few rows."""

    @pytest.mark.parametrize("interval", ["u-statistic", "model", "quantile"])
    @pytest.mark.parametrize("n_repeats", [5, 10, 12])
    @pytest.mark.parametrize("function", [power_loss, total_loss])
    def test_a_repeat_takes_three_calls_with_the_rows_of_about_three(
        self, function, n_repeats, interval
    ):
        explainer, spy = regression(120), Spy(function)
        explainer.importance(make_scorer(spy), n_repeats=n_repeats, interval=interval)
        of_scikit_learn = 1 + 3 * n_repeats
        times = 1 if interval == "quantile" else 3
        assert len(spy.sizes) <= times * of_scikit_learn
        assert sum(spy.sizes) <= (1 if times == 1 else 3.6) * of_scikit_learn * 120

    @pytest.mark.parametrize("options", [{}, {"rows": np.arange(40)}, {"interval": "model"}])
    def test_a_total_has_the_intervals_of_the_mean_times_the_rows(self, options):
        explainer = regression(80)
        mean, total = (
            explainer.importance(make_scorer(function), **options)
            for function in (power_loss, total_loss)
        )
        n = 40 if "rows" in options else 80
        np.testing.assert_allclose(total.repeats, n * mean.repeats)
        np.testing.assert_allclose(total.std_error, n * mean.std_error, rtol=1e-9)
        ignored = mean.features.index("x2")
        assert mean.importance[ignored] == mean.low[ignored] == mean.high[ignored] == 0

    @pytest.mark.parametrize("options", thorough_after(1, [{}, {"interval": "model"}]))
    @pytest.mark.parametrize("name", ["neg_mean_squared_error", "neg_mean_absolute_error"])
    def test_the_standard_error_is_on_average_that_of_groups_that_are_left_out(self, name, options):
        power = 2 if "squared" in name else 1
        own = make_scorer(lambda y, p: -np.mean(np.abs(y - p) ** power))
        squares = []
        for seed in range(25):
            X, y = table(100, seed=seed)
            explainer = Explainer(lambda A: A[:, 0] - 0.5 * A[:, 1] ** 2, X, y)
            both = [explainer.importance(m, ["x0"], **options) for m in (name, own)]
            np.testing.assert_allclose(both[0].repeats, both[1].repeats, rtol=1e-12, atol=1e-12)
            squares.append([result.std_error[0] ** 2 for result in both])
        left_out, alone = np.mean(squares, axis=0)
        # A variance of 10 groups has a relative error of 0.47, the mean of 25 one of 0.1.
        assert alone == pytest.approx(left_out, rel=0.3)

    def test_a_scorer_of_which_parts_tell_nothing_leaves_groups_out(self):
        def of_size(y, predicted):
            return power_loss(y, predicted) * np.log(len(y))

        spy = Spy(of_size)
        result = regression(60).importance(make_scorer(spy), ["x0"], n_repeats=4)
        plain = regression(60).importance(make_scorer(power_loss), ["x0"], n_repeats=4)
        assert result.importance[0] == pytest.approx(plain.importance[0] * np.log(60))
        assert len(spy.sizes) > 2 * 4 * 5  # before and after, of each repeat without each group
        assert 0.5 < result.std_error[0] / (plain.std_error[0] * np.log(60)) < 2

    @pytest.mark.parametrize("refuses", [False, True])
    def test_groups_are_left_out_where_a_part_has_no_score(self, refuses):
        def area(y, p):
            if refuses and len(set(y)) < 2:
                raise ValueError("there is one class")
            return roc_auc_score(y, p) if len(set(y)) == 2 else np.nan

        explainer = classification(60)
        is_yes = explainer.table.y == "yes"
        rows = np.r_[np.flatnonzero(is_yes)[:6], np.flatnonzero(~is_yes)[:6]]
        own = make_scorer(area, response_method="predict_proba")
        result = explainer.importance(own, ["x0"], rows=rows, n_repeats=1)
        known = explainer.importance("roc_auc", ["x0"], rows=rows, n_repeats=1)
        np.testing.assert_array_equal(np.isnan(result.std_error), np.isnan(known.std_error))
        np.testing.assert_allclose(result.importance, known.importance)

    def test_rows_have_weights_where_the_scorer_takes_them(self):
        def weighted(y, predicted, sample_weight=None):
            return -np.average(np.square(y - predicted), weights=sample_weight)

        weights = np.random.default_rng(5).gamma(3.0, size=60)
        own, known = (
            regression().importance(scorer, ["x0"], sample_weight=weights)
            for scorer in (make_scorer(weighted), "neg_mean_squared_error")
        )
        np.testing.assert_allclose(own.repeats, known.repeats)
        assert 0.4 < own.std_error[0] / known.std_error[0] < 2.5

    def test_both_models_of_a_comparison_have_the_same_groups(self):
        one, two = regression(), regression()
        both = one.compare(two).importance(make_scorer(power_loss))
        np.testing.assert_array_equal(both.difference.low, 0)
        np.testing.assert_array_equal(both.difference.high, 0)


class TestRatioOfLosses:
    @pytest.mark.parametrize("interval", thorough_after(1, ["u-statistic", "model", "fixed-data"]))
    @pytest.mark.parametrize("rows", thorough_after(1, [np.arange(50) % 4 > 0, None]))
    def test_the_ratio_of_a_negated_loss_is_that_of_the_loss(self, interval, rows):
        explainer = regression(50)
        options = {"n_repeats": 6, "interval": interval, "rows": rows}
        ratio = explainer.importance("neg_mean_squared_error", compare="ratio", **options)
        difference = explainer.importance("neg_mean_squared_error", **options)
        by_rows = explainer.importance("squared_error", compare="ratio", **options)
        assert ratio.features == by_rows.features == difference.features
        np.testing.assert_allclose(ratio.importance, by_rows.importance)
        np.testing.assert_allclose(ratio.repeats, by_rows.repeats)
        assert (
            ratio.baseline == pytest.approx(by_rows.baseline) == pytest.approx(-difference.baseline)
        )
        np.testing.assert_array_equal(ratio.low > 1, difference.low > 0)
        assert (ratio.low >= 0).all()
        moved = ratio.importance != 1
        assert (ratio.low < ratio.importance)[moved].all()
        assert (ratio.importance < ratio.high)[moved].all()
        assert (ratio.label, ratio.unit) == ("mean squared error", "times")
        assert "Mean squared error rises most" in ratio._repr_html_()

    def test_the_interval_of_a_ratio_reaches_farther_up(self):
        result = regression(50).importance(
            "neg_root_mean_squared_error", ["x0"], n_repeats="all", compare="ratio"
        )
        difference = regression(50).importance(
            "neg_root_mean_squared_error", ["x0"], n_repeats="all"
        )
        # The ratio is less certain than the difference: the baseline of 0.35 is an estimate too.
        assert result.importance[0] == pytest.approx(1 + difference.importance[0] / result.baseline)
        above = result.high[0] - result.importance[0]
        assert above > result.importance[0] - result.low[0]
        assert above > (difference.high[0] - difference.importance[0]) / result.baseline

    def test_the_ratio_of_a_custom_scorer(self):
        scorer = make_scorer(mean_squared_error, greater_is_better=False)
        result = regression(50).importance(scorer, n_repeats=3, compare="ratio")
        assert result.label == "mean squared error"
        named = regression(50).importance("neg_mean_squared_error", n_repeats=3, compare="ratio")
        np.testing.assert_allclose(result.high, named.high)

    def test_a_loss_of_zero_has_no_ratio(self):
        X, _ = table(30)
        perfect = Explainer(lambda A: np.asarray(A)[:, 0], X, X[:, 0])
        with pytest.raises(
            ValueError, match=r"mean squared error of the scored rows is 0, and a r"
        ):
            perfect.importance("neg_mean_squared_error", compare="ratio")

    def test_a_score_without_ratio_is_refused_with_alternatives(self):
        with pytest.raises(ValueError, match=r"r2 is a score, .* or a scorer of a loss such as"):
            regression(50).importance("r2", compare="ratio")
