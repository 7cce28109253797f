"""Indicators under stress against direct weighted sums (004, sections 3.1, 3.2 and A.1)."""

from __future__ import annotations

import numpy as np
import pytest

from models import classification, normal_model, regression, table, three_classes
from uqwidgets import Explainer

TAUS = [-1.0, -0.4, 0.0, 0.7, 1.0]


def weights_at(explainer, feature):
    return np.stack([explainer.stress_weights(feature, tau) for tau in TAUS])


@pytest.mark.parametrize("make", [regression, classification])
def test_the_indicators_of_every_model(make):
    explainer = make()
    every = {"nll", "entropy"}
    if make is regression:
        every |= {"squared_error", "absolute_error", "std", "crps"}
        assert set(explainer.indicators) == every | {"mean", "variance", "rmse"}
    else:
        shares = {"share:no", "share:yes", "probability:no", "probability:yes", "tpr", "fpr"}
        assert set(explainer.indicators) == every | shares | {"error_rate", "brier"}
    for name, indicator in explainer.indicators.items():
        assert indicator.name == name
        assert indicator.label
    assert explainer.indicators["nll"].unit == "nats"


def test_of_a_regressor():
    explainer = regression()
    X, y = table()
    mean, std = normal_model(X)
    found = explainer.stress(taus=TAUS)
    for j, feature in enumerate(found.features):
        for t, w in enumerate(weights_at(explainer, feature)):
            values = {name: found.values[name][j, t] for name in found.indicators}
            m = (w * mean).mean()
            nll = 0.5 * ((y - mean) / std) ** 2 + np.log(std) + 0.5 * np.log(2 * np.pi)
            assert values["mean"] == pytest.approx(m)
            assert values["variance"] == pytest.approx((w * (mean - m) ** 2).mean())
            assert values["rmse"] == pytest.approx(np.sqrt((w * (mean - y) ** 2).mean()))
            assert values["nll"] == pytest.approx((w * nll).mean())
            entropy = np.log(std) + 0.5 * np.log(2 * np.pi * np.e)
            assert values["entropy"] == pytest.approx((w * entropy).mean())


def test_of_a_classifier():
    X = table()[0]
    y = np.arange(60) % 3
    explainer = Explainer(three_classes, X, np.array(["a", "b", "c"])[y])
    p = three_classes(X)
    predicted = p.argmax(axis=1)
    found = explainer.stress(taus=TAUS)
    for j, feature in enumerate(found.features):
        for t, w in enumerate(weights_at(explainer, feature)):
            values = {name: found.values[name][j, t] for name in found.indicators}
            assert values["error_rate"] == pytest.approx((w * (predicted != y)).mean())
            for k, label in enumerate("abc"):
                assert values[f"share:{label}"] == pytest.approx((w * (predicted == k)).mean())
                assert values[f"probability:{label}"] == pytest.approx((w * p[:, k]).mean())
            assert sum(values[f"share:{label}"] for label in "abc") == pytest.approx(1)
            nll = -np.log(p[np.arange(60), y])
            assert values["nll"] == pytest.approx((w * nll).mean())
            assert values["entropy"] == pytest.approx((w * -(p * np.log(p)).sum(axis=1)).mean())


def test_of_a_classifier_that_gives_labels_only():
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
    edge = Explainer(lambda X: X[:, 0] / 3, few, few[:, 0]).stress(alpha=0.01, taus=[1])
    assert (edge.values["variance"][edge.status != "beyond quantile"] >= 0).all()


def test_an_unknown_indicator_brings_the_nearest():
    explainer = classification()
    with pytest.raises(ValueError, match="no indicator 'error'; did you mean 'error_rate'"):
        explainer.stress(indicators=["error"])
