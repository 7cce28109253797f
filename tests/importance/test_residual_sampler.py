"""Conditional replacement by residuals of a model: the values, the pairs and the truth of 0."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold

import uqwidgets as uq
from benchmarks.bench_conditional import held
from uqwidgets.evaluation.residuals import residual_sampler
from uqwidgets.inference import bounds, mean_change
from uqwidgets.inference.population import Population

RNG = np.random.default_rng(0)
N = 150
FIRST = RNG.normal(size=N)
X = pd.DataFrame(
    {
        "first": FIRST,
        "line": 0.9 * FIRST + 0.3 * RNG.normal(size=N),
        "kind": np.where(FIRST + 0.5 * RNG.normal(size=N) > 0, "high", "low"),
        "count": RNG.poisson(np.exp(0.5 * FIRST)),
    }
)
Y = FIRST + RNG.normal(size=N)
OPTIONS = {"replacement": "conditional", "sampler": "residuals"}


def model(X):
    deviation = np.exp(0.2 * X["line"] + 0.1 * X["count"] * (X["kind"] == "high"))
    return X["first"] + 0.5 * X["line"], deviation


EX = uq.Explainer(model, X, Y)


def test_values_are_predictions_plus_residuals_of_the_donors():
    table = EX.table
    column = table.index("line")
    sampler = residual_sampler(table, (column,))
    assert sampler.name == "ridge regression"
    numbers = X["line"].to_numpy()
    scaled = (numbers - numbers.mean()) / numbers.std()
    others = pd.get_dummies(X[["count", "first", "kind"]].assign(kind=X["kind"]), dtype=float)
    others = ((others - others.mean()) / others.std(ddof=0)).to_numpy()
    predicted = np.empty(N)
    for train, test in KFold(5, shuffle=True, random_state=0).split(others):
        fit = RidgeCV(np.logspace(-3, 3, 7)).fit(others[train], scaled[train])
        predicted[test] = fit.predict(others[test])
    donors = EX.evaluations.donors((column,), "permutation", 0, 2)
    wanted = (predicted + (scaled - predicted)[donors]) * numbers.std() + numbers.mean()
    rows = sampler.rows_of(donors)
    nearest = numbers[np.abs(wanted[:, :, None] - numbers).argmin(axis=2)]
    # The intercepts and penalties of both codings of the two categories differ a little.
    assert np.abs(numbers[rows] - nearest).max() < 0.05 * numbers.std()
    assert sampler.explained == pytest.approx(1 - np.square(scaled - predicted).mean(), abs=0.01)


def test_categories_keep_their_predicted_shares():
    table = EX.table
    sampler = residual_sampler(table, (table.index("kind"),))
    assert sampler.name == "logistic regression"
    rng = np.random.default_rng(1)
    donors = np.stack([rng.permutation(N) for _ in range(400)])
    is_high = (X["kind"].to_numpy()[sampler.rows_of(donors)] == "high").mean(axis=0)
    p = sampler._predicted[:, 0]  # "high" is the first category
    assert np.abs(is_high - p).mean() < 0.06
    assert np.corrcoef(is_high, X["first"])[0, 1] > 0.8
    # Each row in its own place keeps its category.
    own = sampler.rows_of(np.arange(N)[None])[0]
    assert (X["kind"].to_numpy()[own] == X["kind"].to_numpy()).all()


def test_the_estimate_and_the_interval_are_those_of_rows_and_of_donors_of_residuals():
    result = EX.importance("nll", n_repeats=6, **OPTIONS)
    for j, feature in enumerate(result.features):
        column = (EX.table.index(feature),)
        rows = EX.evaluations.donors(column, "residuals", EX.seed, 6)
        donors = EX.evaluations.donors(column, "permutation", EX.seed, 6)
        original = EX.evaluations.original_values(EX.measure("nll"))
        changes = []
        for line in rows:
            moved = X.assign(**{feature: X[feature].to_numpy()[line]})
            mean, deviation = model(moved)
            z = (Y - mean) / deviation
            nll = 0.5 * np.log(2 * np.pi) + np.log(deviation) + z**2 / 2
            changes.append(nll - original)
        expected = mean_change(np.array(changes), donors, original, Population.of(N))
        interval = bounds(expected, "u-statistic", 0.95, Population.of(N))
        assert result.importance[j] == pytest.approx(interval.estimate)
        assert (result.low[j], result.high[j]) == pytest.approx((interval.low, interval.high))
    assert "conditional by residuals of a model" in repr(result)
    (remark,) = (each for each in result.remarks if each.code == "given-models")
    assert "line by ridge regression" in remark
    assert result.subgroups is None
    assert EX.importance("nll", ["count"], **OPTIONS).importance.dtype == float  # whole numbers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replacement": "permutation", "sampler": "residuals"}, "replacement='conditional'"),
        ({**OPTIONS, "n_repeats": "all"}, "a number of repeats"),
        ({"replacement": "conditional", "sampler": "knockoffs"}, "sampler"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        EX.importance("nll", **options)


def test_features_that_have_no_residuals_are_refused():
    with pytest.raises(ValueError, match="for measures of rows"):
        EX.importance("r2", **OPTIONS)
    grouped = uq.Explainer(model, X, Y, feature_groups={"both": ["first", "line"]})
    with pytest.raises(ValueError, match="first, line move together"):
        grouped.importance("nll", **OPTIONS)
    gaps = X.assign(count=np.where(FIRST > 1, np.nan, X["count"]))
    ex = uq.Explainer(lambda X: model(X.fillna(0)), gaps, Y)
    with pytest.raises(ValueError, match="'count' has missing or infinite values"):
        ex.importance("nll", ["count"], **OPTIONS)
    few = uq.Explainer(model, X[:12], Y[:12])
    with pytest.raises(ValueError, match="at least 20"):
        few.importance("nll", ["line"], **OPTIONS)


def test_the_truth_of_0_is_held_where_the_correlation_is_strong():
    """A quick form of benchmarks/bench_conditional.py."""
    tables, counts = 12, {}
    for seed in range(tables):
        for sampler, measure, is_held, _ in held("classes, linear", 300, seed):
            counts[sampler, measure] = counts.get((sampler, measure), 0) + is_held
    assert counts["residuals", "entropy"] >= tables - 2
    assert counts["residuals", "nll"] >= tables - 2
    assert counts["subgroups", "entropy"] <= tables // 2
