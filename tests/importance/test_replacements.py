"""Importance by every replacement and comparison, compared with loops over row-donor pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression

from models import Recorder, classification, measures_of, normal_model, regression, table
from uqwidgets import Explainer
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.evaluation.donors import subgroups_of


def nll_of(X, y):
    mean, std = normal_model(X)
    return 0.5 * ((y - mean) / std) ** 2 + np.log(std) + 0.5 * np.log(2 * np.pi)


def changes_of(explainer, columns):
    """Return the change of the nll for each row (axis 0) and donor (axis 1)."""
    X, y = table(len(explainer.table))
    result = np.empty((len(X), len(X)))
    for donor in range(len(X)):
        replaced = X.copy()
        replaced[:, columns] = X[donor, columns]
        result[:, donor] = nll_of(replaced, y) - nll_of(X, y)
    return result


@pytest.mark.parametrize("options", ["plain", "weighted", "filtered", "both"])
@pytest.mark.parametrize("columns", [[0], [0, 1]])
def test_all_donors_give_the_mean_over_all_pairs(options, columns):
    explainer = regression(40, feature_groups={"pair": ["x0", "x1"]})
    unit = "pair" if len(columns) == 2 else "x0"
    weights = np.random.default_rng(0).gamma(1.0, size=40) if options != "filtered" else np.ones(40)
    weights = weights if options != "plain" else np.ones(40)
    rows = np.arange(40) % 3 > 0 if options in ("filtered", "both") else np.ones(40, dtype=bool)
    scored = weights * rows
    expected = scored @ changes_of(explainer, columns) @ weights / scored.sum() / weights.sum()
    result = explainer.importance("nll", [unit], n_repeats="all", sample_weight=weights, rows=rows)
    assert result.importance[0] == pytest.approx(expected, rel=1e-12)
    assert result.low[0] < expected < result.high[0]
    assert result.repeats.shape == (1, 0)
    assert "permutation, every donor" in repr(result)


def test_all_donors_give_the_limit_of_many_permutations():
    explainer = classification(30)
    every = explainer.importance("nll", n_repeats="all")
    many = explainer.importance("nll", n_repeats=3000, features=every.features[:2])
    for j, name in enumerate(many.features):
        at = every.features.index(name)
        noise = many.repeats[j].std() / np.sqrt(3000)
        assert many.importance[j] == pytest.approx(every.importance[at], abs=4 * noise)
        assert every.std_error[at] == pytest.approx(many.std_error[j], rel=0.03)


def test_all_donors_evaluate_each_distinct_value_once_and_share_it_with_the_curve():
    X, y = table(40)
    X[:, 0] = np.round(X[:, 0])
    explainer = Explainer(normal_model, X, y)
    distinct = len(np.unique(X[:, 0]))
    before = explainer.rows_evaluated
    explainer.importance("nll", ["x0"], n_repeats="all")
    assert explainer.rows_evaluated - before == distinct * 40 + ROWS_ALONE
    explainer.dependence("x0", "entropy", grid=distinct)
    explainer.importance("entropy", ["x0"], n_repeats="all", replacement="conditional")
    assert explainer.rows_evaluated - before == distinct * 40 + ROWS_ALONE


@pytest.mark.parametrize("limit", [1, 40_000])
def test_all_donors_with_a_small_memory(limit):
    small, roomy = (regression(40, memory_limit=m) for m in (limit, "1GiB"))
    one, other = (e.importance(n_repeats="all") for e in (small, roomy))
    np.testing.assert_allclose(one.importance, other.importance, rtol=1e-12)
    np.testing.assert_allclose(one.high, other.high, rtol=1e-12)


def test_ablation_equals_the_mean_over_its_donors():
    explainer = regression(40)
    result = explainer.importance("nll", replacement="ablation", n_repeats=5)
    pairs = changes_of(explainer, [0])
    donors = explainer.evaluations.donors((0,), "ablation", 0, 5)
    expected = pairs[np.arange(40), donors].mean()
    assert result.importance[result.features.index("x0")] == pytest.approx(expected, rel=1e-12)
    assert result.replacement == "ablation"


@pytest.mark.parametrize("n_repeats", [4, "all"])
def test_conditional_replacement_stays_within_subgroups(n_repeats):
    explainer = regression(90)
    result = explainer.importance("nll", ["x1"], replacement="conditional", n_repeats=n_repeats)
    groups = explainer.evaluations.subgroups((1,), "conditional").codes
    assert groups.max() > 0
    pairs = changes_of(explainer, [1])
    if n_repeats == "all":
        same = groups[:, None] == groups
        expected = (np.where(same, pairs, 0).sum(axis=1) / same.sum(axis=1)).mean()
    else:
        donors = explainer.evaluations.donors((1,), "conditional", 0, 4)
        expected = pairs[np.arange(90), donors].mean()
    assert result.importance[0] == pytest.approx(expected, rel=1e-12)
    assert list(result.subgroups.columns) == ["feature", "subgroups", "smallest", "separation"]
    line = result.subgroups.iloc[0]
    assert (line["feature"], line["subgroups"]) == ("x1", groups.max() + 1)
    assert line["smallest"] == np.bincount(groups).min()


def test_conditional_importance_of_a_correlated_feature_is_small():
    # x1 is x0 with a little noise, so it hardly varies within subgroups of x0.
    rng = np.random.default_rng(0)
    x0 = rng.normal(size=2000)
    X = np.column_stack([x0, x0 + 0.1 * rng.normal(size=2000), rng.normal(size=2000)])
    model = LinearRegression().fit(X, X @ [0.0, 1.0, 1.0])
    explainer = Explainer(model, X, X @ [0.0, 1.0, 1.0])
    plain = explainer.importance("squared_error")
    within = explainer.importance("squared_error", replacement="conditional")
    correlated, independent = (
        [r.importance[r.features.index(name)] for r in (plain, within)] for name in ("x1", "x2")
    )
    assert correlated[1] < 0.1 * correlated[0]
    assert independent[1] == pytest.approx(independent[0], rel=0.1)
    separation = dict(zip(within.subgroups["feature"], within.subgroups["separation"], strict=True))
    assert separation["x1"] > 0.9
    assert separation["x2"] < 0.3
    # The text says what the result is conditional on, and a remark how much that is.
    assert "conditional, given these subgroups, 10 repeats" in repr(within)
    (remark,) = (r for r in within.remarks if r.code == "given-subgroups")
    for name, share in separation.items():
        assert f"{share:.0%} of {name}" in remark
    assert "given" not in repr(plain)


def test_subgroups_of_every_column_type():
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], size=300)
    data = pd.DataFrame(
        {
            "number": np.where(kind == "a", 5.0, 0.0) + rng.normal(size=300),
            "kind": pd.Categorical(kind),
            "text": np.where(kind == "b", "x", "y"),
            "flag": kind == "c",
            "gaps": np.where(rng.uniform(size=300) < 0.2, np.nan, rng.normal(size=300)),
            "constant": 1.0,
        }
    )
    explainer = Explainer(lambda X: X["number"].to_numpy(), data, data["number"])
    for j, name in enumerate(data.columns):
        result = subgroups_of(explainer.table, (j,))
        assert result.sizes.sum() == 300
        assert result.sizes.min() >= 20
        assert (result.separation > 0.6) == (name in ("number", "kind", "text", "flag"))
    assert len(subgroups_of(explainer.table, ()).sizes) == 1
    everything = tuple(range(len(data.columns)))
    assert len(subgroups_of(explainer.table, everything).sizes) == 1


def test_subgroups_are_averaged_by_weight():
    # The rows of the second subgroup have three times the weight.
    flag = np.repeat([0.0, 1.0], 100)
    x = np.random.default_rng(0).normal(size=200) + 10 * flag
    data = pd.DataFrame({"x": x, "flag": flag})
    explainer = Explainer(lambda X: X["x"].to_numpy() * (1 + X["flag"].to_numpy()), data, x)
    weights = np.where(flag == 1, 3.0, 1.0)
    options = {"replacement": "conditional", "n_repeats": "all"}
    parts = [
        explainer.importance("squared_error", ["x"], rows=flag == f, **options).importance[0]
        for f in (0, 1)
    ]
    whole = explainer.importance("squared_error", ["x"], sample_weight=weights, **options)
    assert whole.importance[0] == pytest.approx((parts[0] + 3 * parts[1]) / 4, rel=1e-9)
    drawn = explainer.importance(
        "squared_error", ["x"], sample_weight=weights, replacement="conditional", n_repeats=60
    )
    assert drawn.importance[0] == pytest.approx(whole.importance[0], rel=0.05)


class TestRatios:
    def test_a_ratio_is_one_of_means_and_needs_no_model_call(self):
        explainer = classification(40)
        difference = explainer.importance("nll", n_repeats=4)
        calls = explainer.model_calls
        ratio = explainer.importance("nll", n_repeats=4, compare="ratio")
        assert explainer.model_calls == calls
        assert ratio.features == difference.features
        expected = 1 + difference.importance / difference.baseline
        np.testing.assert_allclose(ratio.importance, expected)
        np.testing.assert_allclose(ratio.per_row.mean(axis=1), expected)
        ignored = ratio.features.index("x2")
        assert ratio.low[ignored] == ratio.importance[ignored] == ratio.high[ignored] == 1
        assert (ratio.compare, ratio.unit) == ("ratio", "times")
        assert "as a ratio" in repr(ratio)

    @pytest.mark.thorough
    def test_the_standard_error_of_a_ratio_is_that_over_fresh_samples(self):
        estimates, errors = [], []
        for seed in range(300):
            X, y = table(150, seed=seed)
            explainer = Explainer(normal_model, X, y)
            result = explainer.importance("squared_error", ["x0"], compare="ratio", n_repeats=10)
            estimates.append(result.importance[0])
            errors.append(result.std_error[0])
        # The standard deviation of 300 has a relative error of 4 %.
        assert np.median(errors) == pytest.approx(np.std(estimates), rel=0.2)

    def test_a_ratio_needs_a_positive_mean(self):
        X = table(40)[0]
        explainer = Explainer(lambda X: (X[:, 0], np.full(len(X), 1e-3)), X, X[:, 0])
        with pytest.raises(ValueError, match=r"the mean nll of the scored rows is -5.*a positive"):
            explainer.importance("nll", compare="ratio")
        assert explainer.importance("nll").importance[0] > 0


GROUPS = {"first two": ["x0", "x1"]}


class TestGroups:
    def test_a_group_moves_together_from_one_donor(self):
        X, y = table(30, p=4)
        model = Recorder(lambda batch: batch[:, 0] + batch[:, 1] * batch[:, 3])
        explainer = Explainer(model, X, y, feature_groups={"ab": ["x0", "x1"]})
        assert explainer.table.groups_and_features == ("ab", "x2", "x3")
        result = explainer.importance("squared_error", n_repeats=2)
        assert sorted(result.features) == ["ab", "x2", "x3"]
        pairs = {tuple(row) for row in X[:, :2].tolist()}
        batch = np.concatenate(model.batches)
        assert {tuple(row) for row in batch[:, :2].tolist()} <= pairs

    def test_features_of_a_group_have_their_own_importance(self):
        explainer = regression(30, feature_groups=GROUPS)
        plain = regression(30)
        alone = explainer.importance("nll", ["x0", "first two"])
        assert set(alone.features) == {"x0", "first two"}
        at = plain.importance("nll", ["x0"]).importance[0]
        assert alone.importance[alone.features.index("x0")] == at

    def test_all_replacements_support_groups(self):
        explainer = regression(60, feature_groups=GROUPS)
        for replacement in ("permutation", "ablation", "conditional"):
            for n_repeats in (2, "all"):
                result = explainer.importance(replacement=replacement, n_repeats=n_repeats)
                assert np.isfinite(result.high).all()
        over = explainer.importance_over_tau("x0", taus=3)
        assert over.features == ("first two", "x2")

    def test_groups_of_mixed_types_move_together(self):
        data = pd.DataFrame(
            {"a": pd.Categorical(list("xyz") * 10), "b": np.arange(30), "c": np.linspace(0, 1, 30)}
        )
        model = Recorder(lambda X: X["c"] + X["b"] + X["a"].cat.codes)
        explainer = Explainer(model, data, data["c"], feature_groups={"ab": ["a", "b"]})
        explainer.importance("squared_error", n_repeats="all")
        pairs = set(zip(data["a"], data["b"], strict=True))
        for batch in model.batches:
            assert batch.dtypes.tolist() == data.dtypes.tolist()
            assert set(zip(batch["a"], batch["b"], strict=True)) <= pairs

    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ({"g": []}, "group 'g' is empty; name its features"),
            ({"g": "x0"}, "group 'g' is 'x0'; give a list of features"),
            ({"g": ["x0", "y1"]}, "there is no feature 'y1'"),
            ({"x2": ["x0", "x1"]}, "group 'x2' has the name of a feature; give it another name"),
        ],
    )
    def test_invalid_groups_are_refused(self, groups, message):
        with pytest.raises(ValueError, match=message):
            regression(20, feature_groups=groups)

    def test_unknown_names_suggest_groups_too(self):
        with pytest.raises(ValueError, match="no feature 'first'; did you mean 'first two'"):
            regression(20, feature_groups=GROUPS).importance(features=["first"])


def test_a_new_interval_or_measure_needs_no_model_call():
    explainer = classification(40)
    explainer.importance("nll")
    calls = explainer.model_calls
    for interval in ("u-statistic", "model", "fixed-data", "random-variable", "quantile"):
        for reference in ("t", "normal"):
            result = explainer.importance("nll", interval=interval, reference=reference)
            assert (result.interval, result.reference) == (interval, reference)
    for measure in measures_of(explainer):
        explainer.importance(measure)
    assert explainer.model_calls == calls


def test_the_permutations_of_scikit_learn_give_its_importance():
    X, y = table(80)
    model = RandomForestRegressor(10, random_state=0).fit(X, y)
    theirs = permutation_importance(
        model, X, y, scoring="neg_mean_squared_error", n_repeats=3, random_state=7
    )
    # scikit-learn shuffles the same order again in each repeat, and uses it for every feature.
    state = np.random.RandomState(np.random.RandomState(7).randint(np.iinfo(np.int32).max + 1))
    order, donors = np.arange(80), [np.arange(80)]
    for _ in range(3):
        state.shuffle(order)
        donors.append(donors[-1][order])
    explainer = Explainer(model, X, y)
    for j in range(3):
        key = ("donors", (j,), "permutation", 0)
        explainer.evaluations.cached(key, lambda: np.array(donors[1:]))
    ours = explainer.importance("squared_error", n_repeats=3)
    for j, name in enumerate(ours.features):
        at = explainer.features.index(name)
        np.testing.assert_allclose(ours.repeats[j], theirs.importances[at], rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"replacement": "shuffle"},
            "there is no replacement 'shuffle'; did you mean 'permutation'",
        ),
        ({"compare": "quotient"}, "there is no comparison 'quotient'; did you mean 'difference'"),
        ({"n_repeats": "every"}, "n_repeats is 'every'; it must be a whole number.* or 'all'"),
        ({"n_repeats": "all", "interval": "quantile"}, "interval 'quantile' needs several repeats"),
        ({"n_repeats": 1, "interval": "fixed-data"}, "needs several repeats, and n_repeats is 1"),
        ({"reference": "z"}, "there is no reference distribution 'z'"),
    ],
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        regression(20).importance(**options)


def test_subgroups_with_infinite_and_very_large_numbers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    X.loc[:3, "b"] = [np.inf, -np.inf, 1e40, -1e40]
    explainer = Explainer(lambda X: X["a"], X, X["a"] + rng.normal(size=80))
    result = explainer.importance("squared_error", replacement="conditional")
    at = result.features.index("a")
    assert result.importance[at] > 0
    assert np.isfinite(result.importance).all()
