"""Constraints of `stress_to`, alone, together and infeasible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from uqwidgets import Explainer
from uqwidgets.evaluation.table import Table
from uqwidgets.predictive import as_predictive
from uqwidgets.stress.constrained.constraints import project_table, stress_to
from uqwidgets.stress.constrained.entropic import project

N = 400


def rows():
    rng = np.random.default_rng(0)
    age = rng.integers(17, 90, N)
    return pd.DataFrame(
        {
            "age": age,
            "income": 20 + 0.5 * age + rng.gamma(2, 10, N),
            "sex": rng.choice(["female", "male"], N, p=[0.3, 0.7]),
            "smokes": rng.random(N) < 0.3,
            "region": pd.Categorical(rng.choice(list("nesw"), N)),
        }
    )


X = rows()
Y = np.random.default_rng(1).choice(["no", "yes"], N, p=[0.8, 0.2])


def table_of(X, y=None):
    return Table(X, np.zeros(len(X)) if y is None else y, as_predictive(lambda X: X))


TABLE = table_of(X, pd.Series(Y, name="bought"))


def weights_to(*args, **constraints):
    return stress_to(*args, **constraints).weights


def mean(values, weights):
    return float(np.average(values, weights=weights))


def covariance(first, second, weights):
    """Return the weighted covariance by numpy, with the population's denominator."""
    return np.cov(X[first], X[second], aweights=weights, bias=True)[0, 1]


def test_all_kinds_of_constraints_together():
    weights = weights_to(
        TABLE,
        means={"age": 60},
        variances={"income": 500},
        covariances={("age", "income"): 100},
        shares={"sex": {"female": 0.6}, None: {"yes": 0.5}},
        pinned=["smokes", "region"],
    )
    assert weights.shape == (N,)
    assert weights.mean() == pytest.approx(1)
    assert mean(X["age"], weights) == pytest.approx(60)
    assert covariance("income", "income", weights) == pytest.approx(500)
    assert covariance("age", "income", weights) == pytest.approx(100)
    assert mean(X["income"], weights) == pytest.approx(X["income"].mean())
    assert mean(X["sex"] == "female", weights) == pytest.approx(0.6)
    assert mean(Y == "yes", weights) == pytest.approx(0.5)
    assert mean(X["smokes"], weights) == pytest.approx(X["smokes"].mean())
    for region in "nesw":
        share = (X["region"] == region).mean()
        assert mean(X["region"] == region, weights) == pytest.approx(share)


def test_weights_equal_those_of_the_functions_in_the_paper():
    # Bachoc et al. 2023, end of section 2.2: Phi = (X_i, X_j, X_i X_j), t = (m_i, m_j, c_ij + m_i
    # m_j).
    constraints = {"means": {"age": 50, "income": 70}, "covariances": {("age", "income"): 250}}
    phi = np.stack([X["age"], X["income"], X["age"] * X["income"]], axis=1)
    papers = project(phi, [50, 70, 250 + 50 * 70])
    np.testing.assert_allclose(weights_to(TABLE, **constraints), papers.weights, atol=1e-8)


def test_a_variance_is_around_the_mean_under_the_weights():
    result = project_table(TABLE, means={"age": 45}, variances={"age": 200})
    assert result.names == ("mean of 'age'", "variance of 'age'")
    assert covariance("age", "age", result.weights) == pytest.approx(200)
    alone = project_table(TABLE, variances={"age": 200})
    assert mean(X["age"], alone.weights) == pytest.approx(X["age"].mean())
    assert covariance("age", "age", alone.weights) == pytest.approx(200)


def test_a_covariance_constraint_keeps_the_other_means():
    result = project_table(TABLE, covariances={("age", "income"): 0})
    assert result.names == (
        "mean of 'age'",
        "mean of 'income'",
        "covariance of 'age' and 'income'",
    )
    assert covariance("age", "income", result.weights) == pytest.approx(0, abs=1e-7)
    np.testing.assert_allclose(result.reached[:2], X[["age", "income"]].mean())


@pytest.mark.parametrize("factor", [1e-5, 1.0, 1e5])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_weights_do_not_depend_on_unit_and_origin_of_a_feature(factor, shift):
    moved = X.assign(income=(X["income"] + shift) * factor)
    first = weights_to(TABLE, {"age": 55, "income": 70}, {"income": 300}, {("age", "income"): 150})
    second = weights_to(
        table_of(moved),
        {"age": 55, "income": (70 + shift) * factor},
        {"income": 300 * factor**2},
        {("age", "income"): 150 * factor},
    )
    np.testing.assert_allclose(second, first, atol=1e-6)


def test_pinned_features_do_not_move_with_the_others():
    free = weights_to(TABLE, means={"age": 65})
    pinned = weights_to(TABLE, means={"age": 65}, pinned=["income"])
    assert mean(X["income"], free) > X["income"].mean() + 1
    assert mean(X["income"], pinned) == pytest.approx(X["income"].mean())
    np.testing.assert_array_equal(pinned, weights_to(TABLE, {"age": 65}, pinned="income"))


def test_a_share_scales_the_rows_of_each_category_alike():
    result = project_table(TABLE, shares={"sex": {"female": 0.5}})
    women = (X["sex"] == "female").to_numpy()
    np.testing.assert_allclose(result.weights[women], 0.5 / women.mean())
    np.testing.assert_allclose(result.weights[~women], 0.5 / (~women).mean())
    both = weights_to(TABLE, shares={"sex": {"female": 0.5, "male": 0.5}})
    np.testing.assert_allclose(both, result.weights, atol=1e-9)


def test_shares_of_truth_values_numbers_and_the_target():
    whole = X.assign(children=np.arange(N) % 3)
    shares = {"smokes": {True: 0.5}, "children": {0: 0.2, 2: 0.7}, None: {"yes": 0.4}}
    weights = weights_to(table_of(whole, Y), shares=shares)
    assert mean(X["smokes"], weights) == pytest.approx(0.5)
    assert mean(whole["children"] == 1, weights) == pytest.approx(0.1)
    assert mean(Y == "yes", weights) == pytest.approx(0.4)


def test_a_row_without_a_value_belongs_to_no_category():
    sex = X["sex"].where(np.arange(N) >= 40, None)
    weights = weights_to(table_of(X.assign(sex=sex)), shares={"sex": {"female": 0.4, "male": 0.4}})
    assert weights[:40].mean() * 40 / N == pytest.approx(0.2)
    pinned = weights_to(table_of(X.assign(sex=sex)), {"age": 60}, pinned=["sex"])
    assert pinned[:40].sum() / N == pytest.approx(0.1)


def test_a_share_of_one_is_the_edge():
    result = project_table(TABLE, means={"age": 60}, shares={"sex": {"female": 1}})
    assert result.status == "edge"
    women = (X["sex"] == "female").to_numpy()
    alone = project(X["age"][women], 60)
    np.testing.assert_allclose(result.weights[women], alone.weights * N / women.sum(), atol=1e-9)
    assert not result.weights[~women].any()


def test_any_function_of_the_rows():
    def rich(X):
        return X["income"] > 70

    weights = weights_to(TABLE, functions={"rich": (rich, 0.5)}, pinned=["age"])
    assert mean(rich(X), weights) == pytest.approx(0.5)
    assert mean(X["age"], weights) == pytest.approx(X["age"].mean())


def test_infeasible_constraints_give_a_status_or_an_error():
    result = project_table(TABLE, means={"age": 70}, variances={"age": 1500})
    assert result.status == "infeasible"
    assert result.message.startswith(
        "variance of 'age' cannot be 1500 together with mean of 'age' at 70: weights of these "
        "rows reach 0 to "
    )
    # All weight is on the least and the greatest age.
    assert float(result.message.rstrip(".").rsplit(" ", 1)[1]) == pytest.approx(19 * 53, rel=1e-4)
    with pytest.raises(ValueError, match="variance of 'age' cannot be 1500 together with"):
        weights_to(TABLE, means={"age": 70}, variances={"age": 1500})
    with pytest.raises(ValueError, match=r"mean of 'age' cannot be 95: .* reach 17 to 89\.$"):
        weights_to(TABLE, means={"age": 95})


def test_a_constant_feature_can_be_pinned_but_not_moved():
    table = table_of(X.assign(one=1.0))
    first = weights_to(TABLE, means={"age": 60})
    np.testing.assert_allclose(weights_to(table, {"age": 60}, pinned=["one"]), first)
    assert project_table(table, means={"one": 2}).status == "constant"
    with pytest.raises(ValueError, match="mean of 'one' cannot be 2: it is 1 in every row"):
        weights_to(table, means={"one": 2})


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({}, "there is no constraint"),
        ({"means": {"agee": 5}}, "no feature 'agee'; did you mean 'age'"),
        ({"pinned": ["agee"]}, "no feature 'agee'"),
        ({"shares": {"sexx": {"female": 0.5}}}, "no feature 'sexx'"),
        ({"means": {"sex": 0.5}}, "'sex' is categorical"),
        ({"variances": {"region": 1}}, "'region' is categorical"),
        ({"covariances": {("age", "smokes"): 1}}, "'smokes' is categorical"),
        ({"means": {"age": float("nan")}}, "the mean of 'age' is nan; give a finite number"),
        ({"means": {"age": "old"}}, "the mean of 'age' is 'old'; give a number"),
        ({"variances": {"age": -1}}, "the variance of 'age' is -1; give 0 or more"),
        ({"covariances": {"age": 1}}, "a covariance has the key 'age'; it must be a pair"),
        ({"means": [1]}, r"means is \[1\]; pass a dict from features to numbers"),
        ({"shares": {"sex": 0.5}}, "the shares in 'sex' is 0.5; pass a dict"),
        (
            {"covariances": {("age", "age"): 1}},
            r"a covariance has the key \('age', 'age'\); it must be a pair",
        ),
        (
            {"covariances": {("age", "income"): 1, ("income", "age"): 1}},
            "the covariance of 'income' and 'age' is given twice",
        ),
        (
            {"variances": {"age": 100, "income": 400}, "covariances": {("age", "income"): 201}},
            "cannot be 201: with these variances it lies within -200 to 200",
        ),
        ({"shares": {"sex": {"female": 1.2}}}, "the share of 'female' in 'sex' is 1.2"),
        ({"shares": {"sex": {"female": -0.1}}}, "the share of 'female' in 'sex' is -0.1"),
        ({"shares": {"sex": {"femal": 0.5}}}, "no category 'femal' of 'sex'"),
        ({"shares": {None: {"maybe": 0.5}}}, "no category 'maybe' of 'bought'"),
        (
            {"shares": {"sex": {"female": 0.6, "male": 0.5}}},
            "the shares in 'sex' sum to 1.1; they cannot exceed 1",
        ),
        (
            {"shares": {"sex": {"female": 0.5, "male": 0.4}}},
            "share of 'male' in 'sex' cannot be 0.4 together with share of 'female' in 'sex' at",
        ),
        ({"means": {"age": 50}, "pinned": ["age"]}, "'age' is both pinned and given a value"),
        (
            {"functions": {"odd": (lambda X: X["age"].to_numpy()[:3], 1)}},
            r"'odd' gives values of shape \(3,\); it must give one for each of the 400 rows",
        ),
        (
            {"functions": {"log": (lambda X: np.where(X["age"] > 20, X["age"], np.nan), 1)}},
            "log is nan in row",
        ),
    ],
)
def test_an_infeasible_constraint_raises_an_error_that_names_it(constraints, message):
    with pytest.raises(ValueError, match=message) as raised:
        weights_to(TABLE, **constraints)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(bad):
    table = table_of(X.assign(income=X["income"].where(np.arange(N) >= 7, bad)))
    with pytest.raises(ValueError, match="'income' is missing or infinite in 7 of 400 rows"):
        weights_to(table, means={"income": 70})
    with pytest.raises(ValueError, match="'income' is missing or infinite in 7 of 400 rows"):
        weights_to(table, means={"age": 70}, pinned=["income"])
    assert mean(X["age"], weights_to(table, means={"age": 70})) == pytest.approx(70)


def test_one_row_cannot_be_reweighted():
    with pytest.raises(ValueError, match="the table has only one row"):
        weights_to(table_of(X[:1]), means={"age": 50})


def test_shares_may_differ_by_rounding_only():
    X = pd.DataFrame({"a": np.arange(40.0), "k": np.tile(["u", "v"], 20)})
    explainer = Explainer(lambda X: X["a"], X, X["a"])
    weights = explainer.stress_to(shares={"k": {"u": 1 + 2e-16}})
    np.testing.assert_allclose(weights, np.tile([2.0, 0.0], 20), atol=1e-9)
    weights = explainer.stress_to(shares={"k": {"u": -2e-16}})
    np.testing.assert_allclose(weights, np.tile([0.0, 2.0], 20), atol=1e-9)
    with pytest.raises(
        ValueError, match=r"the share of 'u' in 'k' is 1\.01; give a number from 0 to 1"
    ):
        explainer.stress_to(shares={"k": {"u": 1.01}})


@pytest.mark.parametrize("container", [pd.Index, pd.Series, np.array, tuple])
def test_constraints_may_come_in_any_container(container):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    explainer = Explainer(lambda X: X["a"], X, X["a"])
    expected = explainer.stress_to({"c": 0.1}, pinned=["a", "b"])
    weights = explainer.stress_to(pd.Series({"c": 0.1}), pinned=container(["a", "b"]))
    np.testing.assert_array_equal(weights, expected)
    np.testing.assert_array_equal(
        explainer.stress_to({"c": 0.1}, pinned=container([])), (explainer.stress_to({"c": 0.1}))
    )


class TestChosenRows:
    """Only the chosen rows are reweighted."""

    CHOSEN = np.flatnonzero(X["age"] > 40)

    def test_they_have_the_weights_of_a_table_of_their_own(self):
        constraints = {
            "means": {"age": 60},
            "variances": {"income": 500},
            "shares": {"sex": {"female": 0.5}, None: {"yes": 0.4}},
            "pinned": ["region"],
            "functions": {"rich": (lambda frame: frame["income"] > 70, 0.4)},
        }
        result = stress_to(TABLE, **constraints, rows=self.CHOSEN)
        alone = table_of(X.iloc[self.CHOSEN], pd.Series(Y[self.CHOSEN], name="bought"))
        expected = stress_to(alone, **constraints)
        np.testing.assert_allclose(result.weights[self.CHOSEN], expected.weights, rtol=1e-10)
        others = np.setdiff1d(np.arange(N), self.CHOSEN)
        assert (result.weights[others] == 1).all()
        assert (result.n_rows, result.ess) == (len(self.CHOSEN), pytest.approx(expected.ess))

    def test_importance_of_these_rows_takes_the_result_as_weights(self):
        rng = np.random.default_rng(0)
        table = rng.normal(size=(60, 2))
        explainer = Explainer(lambda A: A[:, 0], table, table.sum(axis=1))
        chosen = table[:, 1] > 0
        result = explainer.stress_to({"x0": 0.3}, rows=chosen)
        importance = explainer.importance("squared_error", rows=chosen, sample_weight=result)
        assert importance.ess == pytest.approx(result.ess)

    def test_one_row_cannot_be_reweighted(self):
        with pytest.raises(ValueError, match="rows chooses only one row"):
            stress_to(TABLE, {"age": 50}, rows=np.array([3]))
