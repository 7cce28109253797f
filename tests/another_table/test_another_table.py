"""From the rows at hand to another table: weights, what they miss, and what is expected there."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from uqwidgets.another_table import TowardsTable
from uqwidgets.another_table.moments import moments_of
from uqwidgets.another_table.own_word import expected_loss
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.moments import bounds_of_moments, moments_of_influences
from uqwidgets.predictive import as_predictive

SHIFT = np.array([0.7, 0.0, 0.0])
ZERO = as_predictive(lambda X: np.zeros(len(X)))


def towards(X, new, *, squares=True, groups=None, there=None):
    table, other = Table(X, None, ZERO), Table(new, None, ZERO)
    moments = moments_of(table, other, table.features, squares=squares)
    return TowardsTable.of(moments, np.ones(len(X)), np.ones(len(new)), groups, there)


def people(n, seed, shift=0.0):
    """Return rows whose ages, sites and missing doses shift."""
    rng = np.random.default_rng(seed)
    shares = [0.6 - 0.3 * shift, 0.3, 0.1 + 0.3 * shift]
    X = pd.DataFrame(
        {
            "age": rng.normal(50 + 8 * shift, 10, n),
            "dose": rng.normal(size=n),
            "site": rng.choice(["Bern", "Graz", "Oslo"], n, p=shares),
        }
    )
    X.loc[rng.random(n) < 0.1 + 0.1 * shift, "dose"] = np.nan
    return X


def outcome(X, seed, slope=1.0):
    rng = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-slope * (X["age"] - 50) / 10 - X["dose"].fillna(0)))
    return (rng.random(len(X)) < p).astype(int)


def model(X):
    p = 1 / (1 + np.exp(-(X["age"] - 50) / 20 - X["dose"].fillna(0))).to_numpy()
    return np.column_stack([1 - p, p])


def test_the_rows_get_the_moments_of_the_other_table_up_to_a_quarter_of_their_errors():
    X, new = people(1500, 0), people(800, 1, shift=1.0)
    ex = uq.Explainer(model, X, outcome(X, 2))
    calls = ex.model_calls
    result = ex.stress_to(table=new)
    assert ex.model_calls == calls
    w = result.weights
    for site in ("Bern", "Graz", "Oslo"):
        reached = np.average(X["site"] == site, weights=w)
        assert reached == pytest.approx((new["site"] == site).mean(), abs=0.01)
    assert np.average(X["age"], weights=w) == pytest.approx(new["age"].mean(), abs=0.3)
    spread = np.average(np.square(X["age"] - X["age"].mean()), weights=w)
    assert spread == pytest.approx(np.square(new["age"] - X["age"].mean()).mean(), rel=0.03)
    missing = np.average(X["dose"].isna(), weights=w)
    assert missing == pytest.approx(new["dose"].isna().mean(), abs=0.01)
    assert np.sqrt(np.mean(np.square(result.misses))) <= 0.25
    frame = result.frame
    assert list(frame["feature"][:2]) == ["age", "age"]
    assert frame["low"][0] > 0
    # A classifier tells the tables apart, and no longer with the weights.
    assert result.told_apart.low > 0.7
    assert result.told_apart_weighted.low < 0.5 < result.told_apart_weighted.high
    np.testing.assert_array_equal(np.asarray(result), w)
    assert "another table" in repr(result)
    assert result._repr_html_()


def test_without_a_ridge_the_weights_are_those_of_the_constraints():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(400, 2)), rng.normal(size=(100_000, 2)) + 0.3
    ex = uq.Explainer(lambda X: X[:, 0], X)
    means = {"x0": new[:, 0].mean(), "x1": new[:, 1].mean()}
    np.testing.assert_allclose(
        ex.stress_to(table=new, squares=False).weights, ex.stress_to(means).weights, atol=0.02
    )


@pytest.mark.parametrize("squares", [False, True])
def test_influences_are_what_a_row_more_or_less_changes(squares):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(50, 2)) + np.array([0.4, 0.0])
    loss = np.exp(0.5 * X[:, 0]) + rng.normal(size=60)

    def solved(base, base_there):
        from uqwidgets.stress.constrained.tilting import tilt

        q, share = base / base.sum(), base_there / base_there.sum()
        there = np.column_stack([each.there for each in full.moments])
        weights = tilt(full.here, q, share @ there, ridge=full.ridge).weights
        return weights @ loss

    full = towards(X, new, squares=squares)
    value = full.weights @ loss / full.weights.sum()
    here, there = full.influences(loss - value)
    share = full.weights / full.weights.sum()
    centred = full.here - full.reached
    leverage = share * (1 + np.einsum("ij,jk,ik->i", centred, full._inverse, centred))
    step = 1e-5
    for row in (0, 7, 31):
        more = np.ones(60)
        more[row] += step
        slope = (solved(more, np.ones(50)) - value) / step
        assert here[row] * (1 - leverage[row]) == pytest.approx(slope, rel=1e-3)
    for row in (0, 20):
        more = np.ones(50)
        more[row] += step
        slope = (solved(np.ones(60), more) - value) / step
        assert there[row] == pytest.approx(slope, rel=1e-3)


def test_intervals_hold_for_the_errors_of_both_tables():
    def loss(X, rng):
        return 1 + 0.5 * X[:, 0] + 0.3 * X[:, 0] ** 2 + rng.exponential(size=len(X))

    rng = np.random.default_rng(99)
    truth = loss(rng.normal(size=(300_000, 3)) + SHIFT, rng).mean()
    covered, without_there = 0, 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, new = rng.normal(size=(400, 3)), rng.normal(size=(150, 3)) + SHIFT
        losses, at = loss(X, rng), towards(X, new)
        value = at.weights @ losses / at.weights.sum()
        here, there = at.influences(losses - value)
        for both, influences in ((True, np.append(here, there)), (False, here)):
            moments = moments_of_influences(value, influences, 60.0)
            _, low, high = bounds_of_moments(moments, 0.95)
            covered += both and low <= truth <= high
            without_there += not both and low <= truth <= high
    assert covered >= 90
    assert without_there < covered


def test_rows_that_belong_together_widen_the_interval():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    X = rng.normal(size=(60, 2))[groups] + 0.1 * rng.normal(size=(600, 2))
    y = X[:, 0] + rng.normal(size=60)[groups]
    new = rng.normal(size=(300, 2)) + np.array([0.4, 0.0])
    alone, grouped = (
        uq.Explainer(lambda X: X[:, 0], X, y, groups=of).expected(new, scoring="rmse")
        for of in (None, groups)
    )
    assert alone.there == pytest.approx(grouped.there)
    assert grouped.there_high - grouped.there_low > 1.8 * (alone.there_high - alone.there_low)
    codes = RowGroups(np.arange(300) // 10)
    X, new = rng.normal(size=(200, 2)), np.repeat(new[:30], 10, axis=0)
    assert towards(X, new, there=codes).errors[0] > 2 * towards(X, new).errors[0]


def test_scores_are_expected_with_what_the_model_expects_of_itself_and_what_drives_them():
    X, new = people(2500, 0), people(1500, 1, shift=1.0)
    ex = uq.Explainer(model, X, outcome(X, 2))
    result = ex.expected(new, outcome(new, 3))
    seen = uq.Explainer(model, new, outcome(new, 3)).scores()
    assert result.names == seen.names
    # The relation of y to x is the same, so what is seen is what was expected.
    assert (result.surprise_low < 0).all()
    assert (result.surprise_high > 0).all()
    np.testing.assert_allclose(result.seen, seen.value)
    np.testing.assert_allclose(result.here, ex.scores().value)
    np.testing.assert_allclose(
        result.there, ex.scores(sample_weight=result.weights).value, rtol=1e-9
    )
    # Ages drive the difference.
    drives = result.by_feature[result.by_feature["score"] == "nll"].set_index("feature")
    assert drives["difference"].abs().idxmax() == "age"
    assert result.own[list(result.names).index("nll")] == pytest.approx(
        uq.Explainer(ex.predictive, new).evaluations.original.entropy().mean()
    )
    # Another relation is seen with y, and only with it.
    other = ex.expected(new, outcome(new, 3, slope=-1.0))
    assert other.surprise_low[list(other.names).index("nll")] > 0
    np.testing.assert_array_equal(other.there, result.there)
    assert "expected there" in result._repr_html_()
    assert result.to_altair().to_dict()


def test_the_targets_of_some_rows_are_enough():
    X, new = people(600, 0), people(400, 1, shift=0.5)
    y = pd.Series(outcome(new, 3)).astype("float").where(np.arange(400) % 2 == 0)
    result = uq.Explainer(model, X, outcome(X, 2)).expected(new, y, scoring=["nll"])
    known = uq.Explainer(model, new[::2], outcome(new, 3)[::2]).scores("nll")
    assert result.seen == pytest.approx(known.value)


def test_what_has_no_counterpart_is_said():
    X, new = people(500, 0), people(400, 1)
    X["dose"] = X["dose"].fillna(0)
    new.loc[:39, "site"] = "Rome"
    new.loc[40:79, "age"] = 120.0
    result = uq.Explainer(model, X, outcome(X, 2)).stress_to(table=new)
    assert result.outside[:80].all()
    share, words = result.what_is_outside["site"]
    assert (share, words) == (0.1, "Rome")
    assert "missing values" in result.what_is_outside["dose"][1]
    (remark,) = (one for one in result.remarks if one.code == "no-counterpart")
    assert "age above" in remark
    # Shares are those of the rows that have a counterpart.
    reached = np.average(X["site"] == "Oslo", weights=result.weights)
    rest = new[(new["site"] != "Rome") & new["dose"].notna()]
    assert reached == pytest.approx((rest["site"] == "Oslo").mean(), abs=0.02)


def test_a_table_that_is_x_itself_has_no_difference():
    X = people(500, 0)
    ex = uq.Explainer(model, X, outcome(X, 2))
    result = ex.expected(X)
    np.testing.assert_allclose(result.weights.weights, 1.0)
    np.testing.assert_allclose(result.difference, 0.0, atol=1e-12)
    apart = result.weights.told_apart
    assert apart.low - 0.05 < 0.5 < apart.high + 0.05


def test_what_a_model_expects_of_itself_is_the_mean_over_draws_from_its_distributions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = rng.integers(0, 3, 40)
    q = uq.Explainer(LogisticRegression().fit(X, y), X, y).evaluations.original
    p = q.probabilities
    draws = np.array([rng.choice(3, 20_000, p=row) for row in p])
    losses = {
        "nll": -np.log(np.take_along_axis(p, draws, axis=1)),
        "error_rate": draws != p.argmax(axis=1)[:, None],
        "brier": sum(np.square((draws == k) - p[:, [k]]) for k in range(3)),
    }
    for name, values in losses.items():
        np.testing.assert_allclose(expected_loss(name, q), values.mean(axis=1), atol=0.03)
    normal = uq.Normal([0.0, 1.0], [1.0, 2.0])
    np.testing.assert_allclose(expected_loss("squared_error", normal), [1.0, 4.0])
    assert expected_loss("roc_auc", q) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda new: new.drop(columns="age"), "age"),
        (lambda new: new.assign(age="old"), "'age' holds numbers or dates in X and categories"),
        (lambda new: new.assign(site="Rome"), "no weights represent it"),
        (lambda new: new.iloc[:0], "no rows"),
    ],
)
def test_another_table_that_does_not_fit_is_refused_in_one_sentence(change, sentence):
    X, new = people(100, 0), people(100, 1)
    ex = uq.Explainer(model, X, outcome(X, 2))
    with pytest.raises(ValueError, match=sentence):
        ex.stress_to(table=change(new))


def test_a_table_and_constraints_are_refused_together():
    X = people(50, 0)
    ex = uq.Explainer(model, X, outcome(X, 2))
    with pytest.raises(ValueError, match="table and constraints"):
        ex.stress_to({"age": 50.0}, table=X)
    with pytest.raises(ValueError, match="y has shape"):
        ex.expected(X, [1, 0])
