"""Rows with replaced values are those that an importance averages over."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"], index=range(5, 65))
    X["kind"] = rng.choice(["red", "blue"], 60)
    X["copy"] = X["a"]

    def model(X):
        return X["a"] + (X["kind"] == "red"), np.exp(X["b"] + abs(X["a"] - X["copy"]))

    return model, X, X["a"] + rng.normal(size=60)


@pytest.mark.parametrize("replacement", ["permutation", "ablation", "conditional"])
@pytest.mark.parametrize("feature", ["b", "kind", "both"])
def test_rows_and_values_are_those_of_the_importance(data, replacement, feature):
    model, X, y = data
    explainer = uq.Explainer(model, X, y, feature_groups={"both": ["a", "c"]})
    replaced = explainer.replaced(feature, ["nll", "entropy"], replacement=replacement, n_repeats=3)
    evaluated_rows = explainer.rows_evaluated
    for measure in ("nll", "entropy"):
        result = explainer.importance(measure, [feature], replacement=replacement, n_repeats=3)
        change = replaced.frame[measure] - replaced.frame[f"{measure}_before"]
        by_repeat = change.groupby(replaced.frame["repeat"]).mean()
        assert np.allclose(by_repeat, result.repeats[0])
    assert explainer.rows_evaluated == evaluated_rows

    moved = {"both": ["a", "c"]}.get(feature, [feature])
    for name in X.columns:
        rows = replaced.frame["donor" if name in moved else "row"]
        assert (replaced.X[name].to_numpy() == X[name].iloc[rows].to_numpy()).all()
    assert (replaced.X.dtypes == X.dtypes).all()
    means, deviations = model(replaced.X)
    for k, distribution in enumerate(replaced.distributions):
        part = slice(60 * k, 60 * (k + 1))
        assert np.allclose(distribution.loc, means[part])
        assert np.allclose(distribution.scale, deviations[part])
        assert (replaced.donors[k] == replaced.frame["donor"][part]).all()
    assert np.allclose(replaced.original.loc, model(X)[0])


def test_errors_say_what_there_is(data):
    explainer = uq.Explainer(*data)
    with pytest.raises(ValueError, match="there is no feature 'd'"):
        explainer.replaced("d")
    with pytest.raises(ValueError, match="there is no measure 'entropie'; did you mean 'entropy'"):
        explainer.replaced("a", "entropie")
    with pytest.raises(ValueError, match="replaced rows need a number"):
        explainer.replaced("a", n_repeats="all")
    with pytest.raises(ValueError, match="replacement"):
        explainer.replaced("a", replacement="shuffle")
    assert explainer.rows_evaluated == 60
    assert repr(explainer.replaced("a")) == "Replaced(a, permutation, 1 x 60 rows, seed 0)"
