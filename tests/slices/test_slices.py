"""Slices: found where they are, not where they are not, with numbers that anyone can recompute."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from uqwidgets.inference import Family
from uqwidgets.inference.moments import bounds_of_moments, moments_of_influences, one_sided_p_values
from uqwidgets.widgets.inputs.conditions import conditions

N = 1200


def table(n=N, seed=0):
    """Return columns of every kind and a loss that is higher where x1 > 1 and colour is red."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x0": rng.normal(size=n),
            "x1": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n, p=[0.5, 0.3, 0.2]),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "few": rng.integers(0, 3, n),
        }
    )
    X.loc[rng.random(n) < 0.2, "x0"] = np.nan
    is_worse = (X["x1"] > 1).to_numpy() & (X["colour"] == "red").to_numpy()
    return X, rng.exponential(size=n), is_worse


def explainer(X, loss, **more):
    return uq.Explainer(lambda X: np.zeros(len(X)), X, loss, **more)


def loss_of(_, y):
    return y


def test_a_slice_of_two_features_is_found_and_its_numbers_are_those_of_its_rows():
    X, loss, is_worse = table()
    ex = explainer(X, loss + 2 * is_worse)
    before = ex.model_calls
    result = ex.slices(loss_of)
    assert ex.model_calls == before
    assert {each["feature"] for each in result.conditions[0]} == {"x1", "colour"}
    (mask, *_), values = result.masks, loss + 2 * is_worse
    assert (mask & is_worse).sum() > 0.7 * (mask | is_worse).sum()
    # The filter of the explorer chooses the same rows.
    chosen = [one.mask(ex) for one in conditions(result.conditions[0], ex)]
    np.testing.assert_array_equal(np.logical_and.reduce(chosen), mask)
    assert result.rows[0] == mask.sum()
    # The slice was not found in the half of the rows that it is estimated in.
    difference = values[mask].mean() - values[~mask].mean()
    assert result.difference[0] == pytest.approx(difference, abs=0.5)
    assert result.value[0] != pytest.approx(values[mask].mean(), abs=1e-9)
    assert 0 < result.low[0] < result.difference[0] < result.high[0]
    assert result.p_adjusted[0] < 0.001
    assert result.frame["slice"][0] in repr(result)


@pytest.mark.parametrize(
    ("column", "worse"),
    [
        ("day", lambda column: column >= pd.Timestamp("2024-09-01")),
        ("few", lambda column: column == 2),
        ("x0", lambda column: column.isna()),
        ("colour", lambda column: column == "blue"),
    ],
)
def test_dates_few_values_missing_values_and_categories_are_found(column, worse):
    X, loss, _ = table()
    is_worse = worse(X[column]).to_numpy()
    ex = explainer(X, loss + 1.5 * is_worse)
    result = ex.slices(loss_of)
    mask = result.masks[0]
    assert (mask & is_worse).sum() > 0.7 * (mask | is_worse).sum()
    assert column in result.slices[0]
    chosen = [one.mask(ex) for one in conditions(result.conditions[0], ex)]
    np.testing.assert_array_equal(np.logical_and.reduce(chosen), mask)


def test_an_extra_column_is_searched_and_the_same_rows_in_other_words_are_one_slice():
    X, loss, _ = table()
    is_worse = (X["colour"] == "blue").to_numpy()
    site = pd.DataFrame({"site": np.where(is_worse, "Graz", "Wien")})
    ex = explainer(X, loss + 1.5 * is_worse, extra=site)
    result = ex.slices(loss_of, max_features=1)
    assert len(result) == 1
    assert {result.slices[0], result.same_rows[0]} == {"colour = blue", "site = Graz"}
    assert ex.slices(loss_of, ["site"]).slices == ("site = Graz",)


def test_at_most_a_twentieth_of_the_tables_without_slices_report_one():
    # In 120 tables 5 % are 6, and their standard error is 2.4.
    reported = 0
    for seed in range(120):
        X, loss, _ = table(240, seed)
        reported += len(explainer(X, -loss, random_state=seed).slices(loss_of)) > 0
    assert reported <= 11


def test_rows_of_one_group_are_in_one_half_and_count_as_one():
    # Ten groups have a high loss by chance, which is no finding about other groups.
    rng = np.random.default_rng(1)
    reported = {"rows": 0, "groups": 0}
    for seed in range(30):
        group = np.repeat(np.arange(60), 10)
        X = rng.normal(size=(60, 4))[group]
        loss = rng.exponential(size=60)[group] + 0.1 * rng.exponential(size=600)
        reported["rows"] += len(explainer(X, loss, random_state=seed).slices(loss_of)) > 0
        by_groups = explainer(X, loss, groups=group, random_state=seed).slices(loss_of)
        reported["groups"] += len(by_groups) > 0
    assert reported["rows"] > 20
    assert reported["groups"] <= 4


def test_weights_and_chosen_rows_are_those_of_the_population():
    X, loss, is_worse = table()
    values = loss + 2 * is_worse
    ex = explainer(X, values)
    few = ex.slices(loss_of, rows=~is_worse)
    assert few.n_rows == (~is_worse).sum()
    assert not any(mask[is_worse].any() for mask in few.masks)
    # Without weight, rows are as if they were not there.
    weights = np.where(is_worse, 0.0, 1.0)
    np.testing.assert_array_equal(
        ex.slices(loss_of, sample_weight=weights).difference, few.difference
    )


def test_the_interval_of_a_difference_is_that_of_welch_and_agrees_with_its_p_value():
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(0.5, 1.0, 400), rng.normal(0.0, 2.0, 900)
    influences = np.concatenate(
        [
            (inside - inside.mean()) / len(inside) * np.sqrt(400 / 399),
            -(outside - outside.mean()) / len(outside) * np.sqrt(900 / 899),
        ]
    )
    difference = inside.mean() - outside.mean()
    moments = moments_of_influences(difference, influences, 1e6)
    test = ttest_ind(inside, outside, equal_var=False)
    ends = test.confidence_interval(0.95)
    error, low, high = bounds_of_moments(moments, 0.95)
    assert error == pytest.approx(difference / test.statistic, rel=1e-12)
    # Normal samples are hardly skewed, so Hall's correction is small.
    assert [low, high] == pytest.approx([ends.low, ends.high], abs=0.01)
    p = float(2 * min(map(float, one_sided_p_values(moments, "t"))))
    assert p == pytest.approx(test.pvalue, rel=0.3)
    _, low, _ = bounds_of_moments(moments, 1 - p)
    assert low == pytest.approx(0, abs=1e-6)


def test_p_values_for_all_at_once_agree_with_the_intervals_for_all_at_once():
    rng = np.random.default_rng(0)
    family = Family(0)
    family.add(rng.normal(size=(12, 200)) + rng.normal(size=200))
    level = family.pointwise_level(0.95)
    p = np.array([1e-30, 0.001, 1 - level - 1e-6, 1 - level + 1e-6, 0.2, np.nan])
    adjusted = family.adjusted(p)
    assert (adjusted[:3] <= 0.05 + 1e-3).all()
    assert (adjusted[3:5] >= 0.05 - 1e-3).all()
    assert (adjusted[:5] >= p[:5]).all()
    assert (np.diff(adjusted[:5]) >= 0).all()
    assert np.isnan(adjusted[5])


def test_overconfidence_and_miscalibration_have_mean_zero_where_the_model_is_right():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    y = X[:, 0] + rng.normal(size=4000)
    right = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, y)
    too_sure = uq.Explainer(lambda X: (X[:, 0], np.full(len(X), 0.5)), X, y)
    p = 1 / (1 + np.exp(-X[:, 0]))
    classes = (rng.random(4000) < p).astype(int)
    model = uq.as_predictive(lambda X: 1 / (1 + np.exp(-X[:, 0])), classes=[0, 1])
    of_classes = uq.Explainer(model, X, classes)
    for name in ("overconfidence", "miscalibration"):
        for ex in (right, of_classes):
            score = ex.scores([name])
            assert score.low[0] < 0 < score.high[0]
        assert too_sure.scores([name]).low[0] > 0


def test_too_few_rows_are_said_and_not_tested():
    X, loss, _ = table(30)
    result = explainer(X, loss).slices(loss_of)
    assert len(result) == 0
    assert [remark.code for remark in result.remarks] == ["few-rows-for-slices"]
    assert "no slice" in repr(result)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "rmse"}, "metric of all rows"),
        ({"features": ["weight"]}, "no feature or extra column"),
        ({"max_features": 3}, "max_features"),
        ({"min_rows": 5}, "min_rows"),
        ({"level": 2}, "level"),
    ],
)
def test_bad_input_gets_one_sentence(options, sentence):
    X, loss, _ = table(100)
    with pytest.raises(ValueError, match=sentence):
        explainer(X, loss).slices(**{"measure": loss_of, **options})


def test_the_pictures_show_the_slices_or_say_that_there_is_none():
    X, loss, is_worse = table()
    result = explainer(X, loss + 2 * is_worse).slices(loss_of)
    assert result.slices[0] in result._repr_html_()
    assert len(result.to_altair().to_dict()["layer"]) >= 2
    none = explainer(X, loss).slices(loss_of)
    assert "In no slice" in none._repr_html_()


def test_a_classifier_is_searched_by_its_nll():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=["a", "b", "c"])
    y = (X["a"] + rng.logistic(size=N) > 0).to_numpy()
    y = np.where((X["b"] > 1.2) & (rng.random(N) < 0.8), X["a"] < 0, y)
    result = uq.Explainer(LogisticRegression().fit(X, y), X, y).slices()
    assert any("b" in text for text in result.slices)
