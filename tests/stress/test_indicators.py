"""Indicators under stress compared with weighted sums.

Source: Bachoc et al. 2023, sections 3.1, 3.2 and A.1.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import make_scorer, mean_pinball_loss, recall_score, roc_auc_score

from models import classification, normal_model, regression, table, three_classes
from uqwidgets import Categorical, Explainer
from uqwidgets.measures import Measure, described
from uqwidgets.predictive import Mixture, Normal

TAUS = [-1.0, -0.4, 0.0, 0.7, 1.0]


def weights_at(explainer, feature):
    return np.stack([explainer.stress_weights(feature, tau) for tau in TAUS])


@pytest.mark.parametrize("make", [regression, classification])
def test_the_indicators_of_every_model(make):
    explainer = make()
    measures = [one for _, one in described(explainer._measures) if isinstance(one, Measure)]
    means = {one.name for one in measures if "indicator" in one.offered_as}
    if make is regression:
        assert means >= {"nll", "entropy", "squared_error", "absolute_error", "std", "crps"}
        others = {"mean", "variance", "rmse"}
    else:
        assert means >= {"nll", "entropy", "probability:no", "probability:yes", "brier"}
        others = {"share:no", "share:yes", "tpr", "fpr", "error_rate"}
    assert set(explainer.indicators) >= means | others
    # Their means have other names there.
    assert not {"prediction", "zero_one"} & set(explainer.indicators)
    for name, indicator in explainer.indicators.items():
        assert indicator.name == name
        assert indicator.label
    assert explainer.indicators["nll"].unit == "nats"


def test_indicators_of_a_regressor():
    explainer = regression()
    X, y = table()
    mean, std = normal_model(X)
    result = explainer.stress(taus=TAUS)
    for j, feature in enumerate(result.features):
        for t, w in enumerate(weights_at(explainer, feature)):
            values = {name: result.values[name][j, t] for name in result.indicators}
            m = (w * mean).mean()
            nll = 0.5 * ((y - mean) / std) ** 2 + np.log(std) + 0.5 * np.log(2 * np.pi)
            assert values["mean"] == pytest.approx(m)
            assert values["variance"] == pytest.approx((w * (mean - m) ** 2).mean())
            assert values["rmse"] == pytest.approx(np.sqrt((w * (mean - y) ** 2).mean()))
            assert values["nll"] == pytest.approx((w * nll).mean())
            entropy = np.log(std) + 0.5 * np.log(2 * np.pi * np.e)
            assert values["entropy"] == pytest.approx((w * entropy).mean())


def test_indicators_of_a_classifier():
    X = table()[0]
    y = np.arange(60) % 3
    explainer = Explainer(three_classes, X, np.array(["a", "b", "c"])[y])
    p = three_classes(X)
    predicted = p.argmax(axis=1)
    result = explainer.stress(taus=TAUS)
    for j, feature in enumerate(result.features):
        for t, w in enumerate(weights_at(explainer, feature)):
            values = {name: result.values[name][j, t] for name in result.indicators}
            assert values["error_rate"] == pytest.approx((w * (predicted != y)).mean())
            for k, label in enumerate("abc"):
                assert values[f"share:{label}"] == pytest.approx((w * (predicted == k)).mean())
                assert values[f"probability:{label}"] == pytest.approx((w * p[:, k]).mean())
            assert sum(values[f"share:{label}"] for label in "abc") == pytest.approx(1)
            nll = -np.log(p[np.arange(60), y])
            assert values["nll"] == pytest.approx((w * nll).mean())
            assert values["entropy"] == pytest.approx((w * -(p * np.log(p)).sum(axis=1)).mean())


def test_indicators_of_a_classifier_without_probabilities():
    X, y = table()
    labels = np.where(y > 0, "up", "down")
    explainer = Explainer(lambda X: np.where(X[:, 0] > 0, "up", "down"), X, labels)
    assert list(explainer.indicators) == ["error_rate"]
    wrong = (X[:, 0] > 0) != (y > 0)
    assert explainer.stress(taus=[0]).values["error_rate"][0, 1] == pytest.approx(wrong.mean())


def test_variance_survives_a_large_mean_and_a_single_row():
    X, y = table()
    plain = Explainer(lambda X: X[:, 0], X, y).stress(taus=TAUS).values["variance"]
    far = Explainer(lambda X: X[:, 0] + 1e9, X, y).stress(taus=TAUS).values["variance"]
    np.testing.assert_allclose(far, plain, rtol=1e-5)
    few = np.array([[0.0]] + [[5.0]] * 9)
    edge = Explainer(lambda X: X[:, 0] / 3, few, few[:, 0]).stress(tail=0.01, taus=[1])
    assert (edge.values["variance"][edge.status != "beyond quantile"] >= 0).all()


def test_an_unknown_indicator_suggests_the_nearest_one():
    explainer = classification()
    with pytest.raises(ValueError, match="no indicator 'error'; did you mean 'error_rate'"):
        explainer.stress(indicators=["error"])


def test_any_measure_is_an_indicator_when_it_is_asked_for():
    explainer = regression()

    def missed_by_one(q, y):
        return np.abs(q.mean() - y) > 1

    indicators = ["interval_width:0.5", missed_by_one, "prediction"]
    result = explainer.stress(["x0"], indicators, taus=TAUS)
    assert result.indicators == ("interval_width:0.5", "missed_by_one", "prediction")
    X, y = table()
    mean, std = normal_model(X)
    for t, w in enumerate(weights_at(explainer, "x0")):
        values = {name: result.values[name][0, t] for name in result.indicators}
        assert values["interval_width:0.5"] == pytest.approx((w * 2 * 0.67448975 * std).mean())
        assert values["missed_by_one"] == pytest.approx((w * (np.abs(mean - y) > 1)).mean())
        assert values["prediction"] == pytest.approx((w * mean).mean())
    assert result.labels["interval_width:0.5"] == "mean width of the 50 % interval"


def test_a_custom_scorer_is_an_indicator():
    explainer = regression()
    pinball = make_scorer(mean_pinball_loss, alpha=0.9, greater_is_better=False)
    result = explainer.stress(["x0"], [pinball], taus=TAUS)
    (name,) = result.indicators
    assert name == "neg_mean_pinball_loss(alpha=0.9)"
    X, y = table()
    for t, w in enumerate(weights_at(explainer, "x0")):
        expected = -mean_pinball_loss(y, normal_model(X)[0], alpha=0.9, sample_weight=w)
        assert result.values[name][0, t] == pytest.approx(expected)


def test_scorers_of_members_that_give_classes():
    X, y = table()
    labels = np.array(["no", "yes"])[(y > 0).astype(int)]

    class Members:
        def predict_distribution(self, X):
            p = 1 / (1 + np.exp(-X[:, :1] + np.linspace(-1, 1, 5)))
            return Mixture(Categorical(np.stack([1 - p, p], axis=2), ["no", "yes"]))

    explainer = Explainer(Members(), X, labels)
    own = make_scorer(recall_score, pos_label="yes")
    result = explainer.stress(["x1"], ["roc_auc", own], taus=TAUS)
    p = explainer.evaluations.original.probabilities[:, 1]
    for t, w in enumerate(weights_at(explainer, "x1")):
        assert result.values["roc_auc"][0, t] == pytest.approx(
            roc_auc_score(labels, p, sample_weight=w)
        )
        assert result.values["recall_score(pos_label='yes')"][0, t] == pytest.approx(
            recall_score(labels == "yes", p > 0.5, sample_weight=w)
        )


@pytest.mark.parametrize(
    ("indicators", "message"),
    [
        (["neg_max_error"], "neg_max_error takes no sample weights, and stress weights the rows"),
        (["roc_auc"], "roc_auc cannot score this model: it needs probabilities of classes"),
        (["neg_mean_squared_log_error"], "neg_mean_squared_log_error cannot score this model"),
        (["epistemic"], "'epistemic' is not available: the model is not read as an ensemble"),
        (["interval_width:2"], "interval_width has the level '2'"),
        (["interval_width"], "'interval_width' lacks its parameter"),
        ([], "indicators is empty; name at least one"),
        ([lambda *_: 0, lambda *_: 1], "indicators has '<lambda>' twice"),
        ("rms", "there is no indicator 'rms'; did you mean 'rmse'"),
    ],
)
def test_invalid_indicators_are_refused(indicators, message):
    with pytest.raises(ValueError, match=message):
        regression().stress(["x0"], indicators, taus=3)


def test_an_undefined_metric_gives_nan_and_a_remark():
    X = np.array([[-1.0], [0.0], [0.0], [1.0]])
    explainer = Explainer(lambda X: np.column_stack([0.6 - 0.1 * X, 0.4 + 0.1 * X]), X, X[:, 0] > 0)
    result = explainer.stress(["x0"], ["roc_auc"], taus=3, tail=0.01, anchor="tail-mean")
    values = result.values["roc_auc"][0]
    assert np.isnan(values[0])  # all weight on the lowest row
    assert np.isfinite(values[1])
    missing = int((np.isnan(values) & np.isfinite(result.reached[0])).sum())
    remark = f"roc auc is not defined, as where one class is left, for {missing} of 3 points"
    assert remark in result.remarks


def test_indicators_are_computed_lazily(monkeypatch):
    lengths = []

    def entropy(self, method="quadrature"):  # noqa: ARG001
        lengths.append(len(self))
        return np.zeros(len(self))

    monkeypatch.setattr(Mixture, "entropy", entropy)

    def model(X):
        return Mixture(Normal(np.stack([X[:, 0], X[:, 1]], axis=1), np.ones((len(X), 2))))

    X, y = table()
    explainer = Explainer(model, X, y)
    assert {"aleatoric", "epistemic", "crps"} <= set(explainer.indicators)
    explainer.stress(indicators=["rmse"])
    assert not lengths
    explainer.stress(indicators=["entropy"])
    explainer.stress(indicators=["entropy"], level=0.9)
    assert lengths == [60]


@pytest.mark.parametrize("make", [regression, classification])
def test_the_bounds_of_an_indicator_hold_for_every_row(make):
    explainer = make()
    every = explainer.indicators
    for one in explainer._measures.values():
        if isinstance(one, Measure):
            every[one.name] = explainer.indicator(one.name)
    for indicator in every.values():
        for values in indicator.per_row if len(indicator.per_row) == 1 else ():
            low, high = indicator.bounds
            assert (values >= low - 1e-12).all(), indicator.name
            assert (values <= high + 1e-12).all(), indicator.name
    assert explainer.indicator("entropy").bounds[0] == (-np.inf if make is regression else 0)
