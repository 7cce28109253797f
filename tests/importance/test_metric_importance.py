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
