"""Paired differences of two models of the same rows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import uqwidgets as uq
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.performance.shares import paired_shares

NAMES = ("line", "bent")


def line(X):
    return X["a"] + 0.5 * X["b"]


def bent(X):
    return 0.8 * X["a"] + 0.1 * X["b"] ** 2


def numbers(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, (line(X) + rng.normal(size=n)).to_numpy()


@pytest.fixture(scope="module")
def models():
    """Two models, and a single one whose standard deviation hides the second's prediction."""
    X, y = numbers()
    first, second = uq.Explainer(line, X, y), uq.Explainer(bent, X, y)
    joint = uq.Explainer(lambda X: (line(X).to_numpy(), np.exp(bent(X).to_numpy())), X, y)
    return first.compare(second, names=NAMES), joint


def error_difference(q, y):
    """Squared error of the first model minus that of the second, from the joint model."""
    return (y - q.mean()) ** 2 - (y - np.log(q.std())) ** 2


def prediction_difference(q, _):
    return q.mean() - np.log(q.std())


WEIGHTS = np.random.default_rng(1).gamma(2.0, size=60)


@pytest.mark.parametrize("replacement", ["permutation", "ablation", "conditional"])
@pytest.mark.parametrize("n_repeats", [4, "all"])
@pytest.mark.parametrize("interval", ["u-statistic", "model", "random-variable"])
def test_importance_differs_as_that_of_the_difference_of_the_losses(
    models, replacement, n_repeats, interval
):
    comparison, joint = models
    options = {
        "replacement": replacement,
        "n_repeats": n_repeats,
        "interval": interval,
        "sample_weight": WEIGHTS,
        "rows": np.arange(5, 50),
    }
    result = comparison.importance("squared_error", **options)
    expected = joint.importance(error_difference, **options)
    assert result.difference.features == expected.features
    for name in ("importance", "std_error", "low", "high", "per_row", "repeats"):
        np.testing.assert_allclose(
            getattr(result.difference, name), getattr(expected, name), rtol=1e-8, atol=1e-10
        )
    own = comparison.first.importance("squared_error", **options)
    np.testing.assert_array_equal(result.first.importance, own.importance)
    other = comparison.second.importance("squared_error", **options)
    np.testing.assert_array_equal(result.second.high, other.high)


def test_importance_is_the_same_however_the_work_is_cut():
    X, y = numbers(3000)
    whole, parts = (
        uq.Explainer(line, X, y).compare(uq.Explainer(bent, X, y, memory_limit=limit), names=NAMES)
        for limit in ("1GiB", "1MiB")
    )
    expected, result = (
        each.importance("squared_error", n_repeats=7).difference for each in (whole, parts)
    )
    np.testing.assert_allclose(result.importance, expected.importance, rtol=1e-9)
    # The skewness of several parts is that of each part's own centre.
    np.testing.assert_allclose(result.low, expected.low, rtol=1e-3)
    np.testing.assert_allclose(result.high, expected.high, rtol=1e-3)


def test_the_loss_of_a_metric_has_a_jackknife_of_the_difference(models):
    comparison, _ = models
    result = comparison.importance("neg_mean_squared_error", n_repeats=3)
    plain = comparison.importance("squared_error", n_repeats=3)
    order = [result.difference.features.index(f) for f in plain.difference.features]
    np.testing.assert_allclose(result.difference.importance[order], plain.difference.importance)
    # Twenty groups instead of sixty rows.
    np.testing.assert_allclose(
        result.difference.std_error[order], plain.difference.std_error, rtol=0.6
    )
    apart = np.hypot(result.first.std_error, result.second.std_error)
    by_name = dict(zip(result.difference.features, result.difference.std_error, strict=True))
    assert by_name["a"] < apart[result.first.features.index("a")]


def test_a_model_does_not_differ_from_itself():
    X, y = numbers()
    one, two = uq.Explainer(line, X, y), uq.Explainer(line, X, y)
    comparison = one.compare(two)
    for difference in (
        comparison.importance("squared_error").difference.frame,
        comparison.dependence("a").difference.frame,
    ):
        ends = difference[["low", "high"]].to_numpy(float)
        np.testing.assert_allclose(ends, 0, atol=1e-12)
    scores = comparison.scores()
    np.testing.assert_allclose(scores.difference.value, 0, atol=1e-12)
    # No row changes the difference, which says nothing of other rows.
    assert np.isnan(scores.difference.low).all()
    sentence = "leaving out any one row does not change the value"
    assert any(sentence in remark for remark in scores.remarks)


@pytest.mark.parametrize("form", [{}, {"center": True}, {"derivative": True}, {"relative": True}])
def test_curves_differ_as_those_of_the_difference(models, form):
    comparison, joint = models
    options = {"grid": 6, "sample_weight": WEIGHTS, "rows": np.arange(40), **form}
    result = comparison.dependence("b", "prediction", **options)
    expected = joint.dependence("b", prediction_difference, **options)
    for name in ("grid", "average", "std_error", "low", "high", "curves"):
        np.testing.assert_allclose(
            getattr(result.difference, name), getattr(expected, name), rtol=1e-6, atol=1e-9
        )
    np.testing.assert_allclose(
        result.difference.average, result.first.average - result.second.average, atol=1e-12
    )


def test_stress_differs_as_that_of_the_difference(models):
    comparison, joint = models
    options = {"taus": 5, "level": 0.9, "rows": np.arange(3, 60)}
    result = comparison.stress(["a", "c"], ["squared_error", "rmse"], **options)
    expected = joint.stress(["a", "c"], [error_difference], **options)
    (name,) = expected.indicators
    for part in ("values", "low", "high"):
        own, other = getattr(result.difference, part), getattr(expected, part)
        np.testing.assert_allclose(own["squared_error"], other[name], rtol=1e-6)
    np.testing.assert_allclose(
        result.difference.values["rmse"], result.first.values["rmse"] - result.second.values["rmse"]
    )
    # Without intervals the rows are compressed; another pair must not get the values of this one.
    X, y = numbers()
    other = comparison.first.compare(uq.Explainer(lambda X: 0 * X["a"], X, y))
    values = [
        c.stress(["a"], ["mean"], taus=3).difference.values["mean"] for c in (comparison, other)
    ]
    mean = comparison.first.stress(["a"], ["mean"], taus=3).values["mean"]
    np.testing.assert_allclose(values[1], mean, atol=1e-9)
    assert np.abs(values[0] - mean).max() > 0.1


def test_scores_differ_as_that_of_the_difference(models):
    comparison, joint = models
    result = comparison.scores(["squared_error", "r2"], sample_weight=WEIGHTS)
    expected = joint.scores([error_difference], sample_weight=WEIGHTS)
    for name in ("value", "std_error", "low", "high"):
        assert getattr(result.difference, name)[0] == pytest.approx(getattr(expected, name)[0])
    assert result.difference.value[1] == pytest.approx(
        result.first.value[1] - result.second.value[1]
    )


def classifiers(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    y = np.where(X["a"] + rng.normal(size=n) > 0, "yes", "no")
    return X, y, LogisticRegression().fit(X, y), DecisionTreeClassifier(max_depth=2).fit(X, y)


def test_scores_of_classes_have_paired_intervals():
    X, y, line_of_odds, tree = classifiers()
    comparison = uq.Explainer(line_of_odds, X, y).compare(uq.Explainer(tree, X, y))
    result = comparison.scores(["error_rate", "roc_auc", "accuracy"]).difference
    # Bonett and Price 2012: one row is added to each of the cells that differ.
    wrong = [model.predict(X) != y for model in (line_of_odds, tree)]
    p10 = ((wrong[0] & ~wrong[1]).sum() + 1) / (len(y) + 2)
    p01 = ((wrong[1] & ~wrong[0]).sum() + 1) / (len(y) + 2)
    half = 1.959964 * np.sqrt((p10 + p01 - (p10 - p01) ** 2) / (len(y) + 2))
    assert (result.low[0], result.high[0]) == pytest.approx((p10 - p01 - half, p10 - p01 + half))
    assert (result.low[2], result.high[2]) == pytest.approx((-result.high[0], -result.low[0]))
    # DeLong et al. 1988: structural components of the difference of the two areas.
    components = []
    for model in (line_of_odds, tree):
        p = model.predict_proba(X)[:, 1]
        kernel = np.sign(p[y == "yes"][:, None] - p[y == "no"]) / 2 + 0.5
        components.append((kernel.mean(axis=1), kernel.mean(axis=0)))
    of_yes, of_no = (own - other for own, other in zip(*components, strict=True))
    variance = of_yes.var() / len(of_yes) + of_no.var() / len(of_no)
    assert result.value[1] == pytest.approx(of_yes.mean())
    assert result.std_error[1] == pytest.approx(np.sqrt(variance * 80 / 79))


def test_a_difference_of_shares_has_a_width_where_the_models_agree():
    agree = np.repeat([0.0, 1.0], 10)
    low, high = paired_shares(agree, agree, np.ones(20), 20.0)(0.95)
    assert low == -high < 0
    X, y, model, _ = classifiers(40)
    one, two = uq.Explainer(model, X, y), uq.Explainer(model, X, y)
    result = one.compare(two).stress(["a"], ["error_rate", "fpr"], taus=3, level=0.95).difference
    reach = 1 - 0.025 ** (1 / result.ess)
    np.testing.assert_allclose(result.high["error_rate"], reach)
    np.testing.assert_allclose(result.low["error_rate"], -reach)
    assert np.isnan(result.low["fpr"]).all()


def test_models_of_other_features_are_compared_where_both_have_them():
    X, y = numbers()
    few, many = LinearRegression().fit(X[["b", "a"]], y), LinearRegression().fit(X, y)
    comparison = uq.Explainer(few, X, y).compare(uq.Explainer(many, X, y), names=("few", "many"))
    assert comparison.features == ("b", "a")
    result = comparison.importance("squared_error")
    assert sorted(result.first.features) == ["a", "b"]
    assert result.remarks[0] == "only many sees 'c': not compared"
    assert set(result.difference.features) == {"a", "b"}
    np.testing.assert_allclose(
        result.frame["difference"], result.frame["first"] - result.frame["second"]
    )
    curve = comparison.dependence("b", grid=5)
    np.testing.assert_allclose(
        curve.difference.average, curve.first.average - curve.second.average, atol=1e-12
    )
    assert comparison.stress(taus=3).first.features == ("b", "a")
    with pytest.raises(ValueError, match="'c' is no feature of few; name one that both models see"):
        comparison.dependence("c")
    with pytest.raises(ValueError, match="'conditional' draws donors among rows that are alike"):
        comparison.importance("squared_error", replacement="conditional")


def test_what_cannot_be_compared_is_refused_in_one_sentence():
    X, y = numbers()
    ex = uq.Explainer(line, X, y)
    with pytest.raises(ValueError, match="first has 60 rows and second has 50"):
        ex.compare(uq.Explainer(line, X[:50], y[:50]))
    with pytest.raises(ValueError, match="'b' has other values for first than for second"):
        ex.compare(uq.Explainer(line, X.assign(b=0.0), y))
    with pytest.raises(ValueError, match="'a' has other values"):
        ex.compare(uq.Explainer(line, X[::-1], y[::-1]))
    with pytest.raises(ValueError, match="y has other values for first than for second"):
        ex.compare(uq.Explainer(line, X, y + 1))
    with pytest.raises(ValueError, match="second has no y"):
        ex.compare(uq.Explainer(line, X))
    with pytest.raises(TypeError, match="other is function; pass an Explainer"):
        ex.compare(line)
    with pytest.raises(ValueError, match="give two different names"):
        ex.compare(ex, names=("same", "same"))
    normal = uq.Explainer(lambda X: (line(X), np.ones(len(X))), X, y).compare(ex)
    with pytest.raises(ValueError, match=r"second: .*entropy"):
        normal.importance("entropy")
    labels = np.where(y > 0, "yes", "no")
    model = LogisticRegression().fit(X, labels)
    with pytest.raises(ValueError, match="first predicts classes and second numbers"):
        uq.Explainer(model, X, labels).compare(ex)
    other = np.where(y > 0, "yes", "never")
    with pytest.raises(ValueError, match="predicts the classes 'no', 'yes', and second 'never'"):
        uq.Explainer(model, X, labels).compare(
            uq.Explainer(LogisticRegression().fit(X, other), X, other)
        )
    grouped = uq.Explainer(line, X, y, feature_groups={"g": ["a", "b"]})
    others = uq.Explainer(line, X, y, feature_groups={"g": ["a", "c"]})
    with pytest.raises(ValueError, match="the group 'g' has other features"):
        grouped.compare(others).importance("squared_error", ["g"])


def test_columns_of_another_type_with_the_same_values_are_the_same_rows():
    X, y = numbers()
    X["c"] = np.arange(60)
    comparison = uq.Explainer(line, X, y).compare(
        uq.Explainer(line, X.astype({"c": float}), list(y))
    )
    assert comparison.features == ("a", "b", "c")


def test_the_second_model_is_asked_once_for_all_measures_and_populations():
    X, y = numbers()
    one, two = uq.Explainer(line, X, y), uq.Explainer(bent, X, y)
    comparison = one.compare(two)
    comparison.importance("squared_error")
    assert one.rows_evaluated == two.rows_evaluated == 60 * 31 + ROWS_ALONE
    comparison.importance("absolute_error", sample_weight=WEIGHTS)
    comparison.stress(taus=3)
    comparison.scores()
    assert one.rows_evaluated == two.rows_evaluated == 60 * 31 + ROWS_ALONE


@pytest.mark.parametrize("analysis", ["importance", "dependence", "categories", "stress", "scores"])
def test_a_difference_has_a_table_a_text_a_picture_and_a_chart(models, analysis):
    comparison, _ = models
    if analysis == "categories":
        X, y = numbers()
        X["kind"] = np.resize(["<b>one</b>", "two"], 60)
        one, two = (uq.Explainer(f, X, y) for f in (line, bent))
        result = one.compare(two, names=("<i>", "other")).dependence("kind")
    else:
        arguments = {"importance": ["squared_error"], "dependence": ["b"]}.get(analysis, [])
        result = getattr(comparison, analysis)(*arguments)
    picture = result._repr_html_()
    assert "<i>" not in picture
    assert "<b>one" not in picture
    assert len(repr(result).splitlines()) > 2
    json.dumps(result.to_altair().to_dict(), allow_nan=False)
    assert list(result.frame)[-5:] == ["first", "second", "difference", "low", "high"]


def test_the_summary_names_what_is_clear_only():
    X, y = numbers(400)
    one, two = uq.Explainer(line, X, y), uq.Explainer(lambda X: 0.1 * X["a"], X, y)
    picture = one.compare(two, names=("own", "flat")).importance("squared_error")._repr_html_()
    assert "Clearly higher for own than for flat: a and b." in picture
    assert "Not clear from these rows: 1 of 3 differences." in picture
