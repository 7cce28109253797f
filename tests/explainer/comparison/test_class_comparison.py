"""Two classes of one model in the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import uqwidgets as uq


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5])]
    return uq.Explainer(LogisticRegression().fit(X, y), X, y)


def test_the_difference_is_that_of_the_probabilities_of_each_row(explainer):
    def difference(q, _):
        columns = [list(q.classes).index(name) for name in ("high", "low")]
        return q.probabilities[:, columns[0]] - q.probabilities[:, columns[1]]

    compared = explainer.compare_classes("high", "low")
    rows = np.arange(80)
    result = compared.importance(n_repeats=4, rows=rows)
    expected = explainer.importance(difference, n_repeats=4, rows=rows)
    own = result.difference
    assert own.features == expected.features
    for name in ("importance", "low", "high"):
        np.testing.assert_allclose(getattr(own, name), getattr(expected, name))
    curve = compared.dependence("x0", grid=5, rows=rows).difference
    of_function = explainer.dependence("x0", difference, grid=5, rows=rows)
    for name in ("average", "low", "high"):
        np.testing.assert_allclose(getattr(curve, name), getattr(of_function, name))
    stress = compared.stress(["x0"], ["probability"], taus=3, level=0.95).difference
    mean = explainer.stress(["x0"], [difference], taus=3, level=0.95)
    for name in ("values", "low", "high"):
        np.testing.assert_allclose(
            getattr(stress, name)["probability"], getattr(mean, name)["difference"]
        )


def test_the_sides_are_those_of_the_model(explainer):
    result = explainer.compare_classes("high", "low").stress(["x0"], taus=3)
    plain = explainer.stress(["x0"], ["share:low", "probability:high"], taus=3)
    np.testing.assert_allclose(result.second.values["share"], plain.values["share:low"])
    np.testing.assert_allclose(result.first.values["probability"], plain.values["probability:high"])
    assert result.difference.labels["share"] == "share of predictions, high minus low"


def test_classes_that_cannot_be_compared_are_refused(explainer):
    with pytest.raises(ValueError, match="no class 'lo'; did you mean 'low'"):
        explainer.compare_classes("high", "lo")
    with pytest.raises(ValueError, match="give two different ones"):
        explainer.compare_classes("low", "low")
    with pytest.raises(ValueError, match="no indicator 'nll'"):
        explainer.compare_classes("high", "low").stress(indicators=["nll"])
    X = np.arange(20.0).reshape(10, 2)
    numbers = uq.Explainer(LinearRegression().fit(X, X[:, 0]), X)
    with pytest.raises(ValueError, match="only a classifier has classes"):
        numbers.compare_classes("a", "b")
