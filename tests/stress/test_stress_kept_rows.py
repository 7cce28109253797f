"""Stress over the rows with a value, while rows without one keep their weight."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.metrics import make_scorer, mean_squared_error

import uqwidgets as uq
from stressed import stressed_rows
from uqwidgets.inference.population import effective_sample_size
from uqwidgets.inference.sums import dot
from uqwidgets.stress import replicates
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.stress.profile import divergence, half_share
from uqwidgets.stress.projection import Column
from uqwidgets.stress.replicates import group_influence

TAUS = [-1, -0.4, 0, 0.7, 1]
N, GAPS = 120, 30


def table(n=N, gaps=GAPS, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.gamma(3, 10, n), "pay": rng.normal(size=n)})
    X["sort"] = rng.choice(["u", "v", "w"], n)
    X.loc[rng.permutation(n)[:gaps], "age"] = np.nan
    X.loc[rng.permutation(n)[:gaps], "sort"] = None
    y = X["pay"] + X["age"].fillna(0) / 10 + rng.normal(size=n) + X["age"].isna()
    return X, y.to_numpy()


def model(X):
    return X["pay"].to_numpy() + X["age"].fillna(20).to_numpy() / 10, np.ones(len(X))


@pytest.fixture(scope="module")
def explainer():
    return uq.Explainer(model, *table())


@pytest.mark.parametrize("tau", [-0.8, 0.5])
def test_weights_are_the_nearest_that_keep_the_share_of_missing_values(tau):
    explainer = uq.Explainer(model, *table(40, 10))
    weights = explainer.stress_weights("age", tau, missing="keep")
    age = explainer.table.numbers("age")
    known = np.isfinite(age)
    present = age[known]
    end = np.quantile(present, 0.05 if tau < 0 else 0.95)
    target = (1 - abs(tau)) * present.mean() + abs(tau) * end
    assert (weights[~known] == 1).all()
    assert np.average(present, weights=weights[known]) == pytest.approx(target)
    assert weights.mean() == pytest.approx(1)

    # By brute force: the weights themselves are the unknowns.
    x = np.where(known, (age - target) / present.std(), 0.0)
    constraints = [
        {"type": "eq", "fun": lambda w: dot(w, x), "jac": lambda _: x},
        *(
            {"type": "eq", "fun": lambda w, r=r: w[r].mean() - 1, "jac": lambda _, r=r: r / r.sum()}
            for r in (known, ~known)
        ),
    ]
    nearest = minimize(
        lambda w: float(np.sum(w * np.log(w))),
        np.ones(len(x)),
        jac=lambda w: np.log(w) + 1,
        bounds=[(1e-9, None)] * len(x),
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-12},
    )
    assert nearest.success
    np.testing.assert_allclose(weights, nearest.x, atol=2e-3)
    assert len(x) * divergence(weights) <= nearest.fun + 1e-6


@pytest.mark.parametrize("rows", [None, np.arange(20, 100)])
@pytest.mark.parametrize("level", [None, 0.95])
def test_summaries_are_those_of_the_weighted_rows(explainer, rows, level):
    # With a level they are computed over rows, without one over nodes.
    options = {"taus": TAUS, "missing": "keep", "level": level, "rows": rows}
    result = explainer.stress(["age", "sort"], ["mean", "squared_error"], **options)
    chosen = np.arange(N) if rows is None else rows
    error = explainer.evaluations.original_values(explainer.measure("squared_error"))
    means = explainer.evaluations.original_values(explainer.measure("prediction"))
    assert result.features == ("age", "sort=u", "sort=v", "sort=w")
    for j, name in enumerate(result.features):
        feature, _, category = name.partition("=")
        for t, tau in enumerate(result.taus):
            weights = explainer.stress_weights(
                feature, tau, category=category or None, missing="keep", rows=rows
            )
            w = weights[chosen]
            assert w.mean() == pytest.approx(1)
            for indicator, values in (("mean", means), ("squared_error", error)):
                expected = np.average(values[chosen], weights=w)
                assert result.values[indicator][j, t] == pytest.approx(expected, rel=1e-9)
            assert result.ess[j, t] == pytest.approx(effective_sample_size(w), rel=1e-9)
            assert result.kl[j, t] == pytest.approx(divergence(w), abs=1e-9)
            assert result.half_share[j, t] == pytest.approx(half_share(w), abs=1 / len(w))
    missing = int(explainer.table.column("age").iloc[chosen].isna().sum())
    of = f"{len(chosen)} {'rows' if rows is None else 'chosen rows'}"
    assert f"age: {missing} of {of} without a value keep their weight" in result.remarks
    # Without stress all rows count, those without a value too.
    assert result.values["mean"][0, 2] == pytest.approx(means[chosen].mean())


def test_every_feature_with_a_value_is_stressed_and_importance_follows(explainer):
    assert explainer.stress(["age"], taus=3, missing="keep").status.tolist() == [["ok"] * 3]
    assert "age" not in explainer.stress(taus=3).features
    assert explainer.stress(taus=3, missing="keep").features[0] == "age"
    over = explainer.importance_over_tau(
        "age", "squared_error", taus=[0.6], missing="keep", n_repeats=3
    )
    weights = explainer.stress_weights("age", 0.6, missing="keep")
    at = explainer.importance("squared_error", n_repeats=3, sample_weight=weights)
    t = over.taus.tolist().index(0.6)
    for j, name in enumerate(over.features):
        expected = at.importance[at.features.index(name)]
        assert over.importance[j, t] == pytest.approx(expected, rel=1e-9)


def test_a_column_without_any_value_is_left_out_or_refused():
    X, y = table()
    ex = uq.Explainer(model, X.assign(none=np.nan), y)
    result = ex.stress(["age"], taus=3, missing="keep")
    assert result.features == ("age",)
    assert "none is left out: no value in any row" in ex.stress(taus=3, missing="keep").remarks
    with pytest.raises(ValueError, match="'none' has no value in any row"):
        ex.stress(["none"], missing="keep")
    with pytest.raises(ValueError, match="missing='keep', with which they keep weight 1"):
        ex.stress(["age"])


def rows_at(tau, seed=0):
    X, y = table(200, 50, seed)
    age = X["age"].to_numpy()
    known = np.isfinite(age)
    column = Column(age[known], 0.05, "tail-mean")
    stressed = StressedColumn("age", column, np.flatnonzero(known), unmoved=np.flatnonzero(~known))
    rows = stressed.stressed_rows(tau, column.project(tau).weights)
    return rows, np.concatenate([y[known], y[~known]]), stressed_rows(column, tau)


@pytest.mark.parametrize("tau", [-0.6, 0.0, 0.5])
def test_means_without_a_row_are_those_of_weights_solved_anew(tau):
    rows, output, complete = rows_at(tau)
    m, n = complete.n, rows.n
    without, spread = rows.means_without(output), output.std() / n
    for i in (0, 7, m - 1):
        mean = complete.means_without(output[:m])[i]
        others = ((m - 1) * mean + output[m:].sum()) / (n - 1)
        assert without[i] == pytest.approx(others, abs=0.02 * spread)
    for i in (m, n - 1):
        left = np.delete(np.arange(n), i)
        expected = np.average(output[left], weights=rows.weights[left])
        assert without[i] == pytest.approx(expected, abs=0.02 * spread)
    # The influence is the change when a row is left out, up to terms of the second order.
    influence, _ = rows.influence(output)
    change = (n - 1) * (without.mean() - without)
    assert np.corrcoef(influence, change)[0, 1] > 0.99
    assert np.square(influence).mean() == pytest.approx(np.square(change).mean(), rel=0.3)


def test_without_stress_error_and_skewness_are_those_of_the_plain_mean():
    rows, output, _ = rows_at(0.0)
    influence, slope = rows.influence(output)
    centred = output - output.mean()
    np.testing.assert_allclose(influence, centred, rtol=0.05, atol=0.05 * centred.std())
    skewness = np.mean(centred**3) / np.mean(centred**2) ** 1.5 / np.sqrt(len(output))
    assert slope == pytest.approx(skewness / 2, rel=0.15)


def test_the_interval_has_the_width_of_a_bootstrap_that_solves_the_weights_anew():
    X, y = table(400, 120)
    ex = uq.Explainer(model, X, y)
    options = {"taus": [0.6], "missing": "keep", "anchor": "tail-mean"}
    result = ex.stress(["age"], ["squared_error"], level=0.95, **options)
    t = result.taus.tolist().index(0.6)
    ends = (result.low["squared_error"][0, t], result.high["squared_error"][0, t])
    rng, values = np.random.default_rng(0), []
    age, error = X["age"].to_numpy(), (y - model(X)[0]) ** 2
    for _ in range(300):
        drawn = rng.integers(0, len(y), len(y))
        known = np.isfinite(age[drawn])
        weights = np.ones(len(y))
        weights[known] = Column(age[drawn][known], 0.05, "tail-mean").project(0.6).weights
        values.append(np.average(error[drawn], weights=weights))
    assert (ends[1] - ends[0]) / 2 / 1.96 == pytest.approx(np.std(values), rel=0.2)


def test_groups_of_rows_have_the_error_of_the_rows_as_with_complete_columns(monkeypatch):
    rows, output, known = rows_at(0.5)

    def ratio(some, values):
        """Variance by groups, averaged over divisions into groups, over that by rows."""
        means, squares = some.means_without(values), []
        for division in range(8):
            monkeypatch.setattr(
                replicates,
                "_split",
                lambda n, d=division: np.random.default_rng(d).permutation(n) % 63,
            )
            score = lambda w: float(np.average(values, weights=w))  # noqa: E731
            influence, _ = group_influence(score, score(some.weights), some)
            squares.append(np.square(influence).mean() / len(influence))
        return np.mean(squares) / np.sum(np.square(means - means.mean()))

    complete = ratio(known, output[: known.n])
    assert ratio(rows, output) == pytest.approx(complete, rel=0.15)


def test_scorers_of_all_rows_have_intervals_around_them(explainer):
    score = make_scorer(mean_squared_error)
    result = explainer.stress(["age"], ["squared_error", score], taus=3, missing="keep", level=0.95)
    plain, scorer = result.indicators
    np.testing.assert_allclose(result.values[scorer], result.values[plain], rtol=1e-9)
    assert (result.low[scorer] < result.values[scorer]).all()
    assert (result.values[scorer] < result.high[scorer]).all()
