"""Permutation importance compared with loops over rows and repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from cases import thorough_after
from models import (
    Recorder,
    classification,
    measures_of,
    normal_model,
    permuted_donors,
    regression,
    table,
    two_classes,
)
from uqwidgets import Explainer, as_predictive
from uqwidgets.evaluation.consistency import ROWS_ALONE
from uqwidgets.measures import available, find
from uqwidgets.predictive.distributions import class_codes


def by_loop(explainer, model, X, y, measure, n_repeats, weights=None, rows=None):
    """Return the weighted mean change, computed for one row and one donor at a time."""
    predictive = as_predictive(model, explainer.classes)
    truth = y if explainer.classes is None else class_codes(y, explainer.classes)
    weights = np.ones(len(X)) if weights is None else weights
    rows = range(len(X)) if rows is None else rows

    def value(x, i):
        q = predictive(x[None])
        return find(measure, available(q, explainer.classes is not None)).of(q, truth[[i]])[0]

    result = {}
    for column, name in enumerate(explainer.features):
        donors = permuted_donors(column, explainer.seed, n_repeats, len(X))
        total = weight = 0.0
        for k in range(n_repeats):
            for i in rows:
                replaced = X[i].copy()
                replaced[column] = X[donors[k, i], column]
                pair = weights[i] * weights[donors[k, i]]
                total += pair * (value(replaced, i) - value(X[i], i))
                weight += pair
        result[name] = total / weight
    return result


EXPLAINERS = {
    "normal": (lambda: regression(20), normal_model),
    "classes": (lambda: classification(20), two_classes),
}


@pytest.mark.parametrize("kind", EXPLAINERS)
@pytest.mark.parametrize("options", thorough_after(1, ["weighted", "plain", "filtered", "both"]))
def test_every_measure_equals_the_loop(kind, options):
    make, model = EXPLAINERS[kind]
    explainer = make()
    X, y = table(20)[0], explainer.table.y
    weights = (
        np.random.default_rng(5).gamma(1.0, size=20) if options in ("weighted", "both") else None
    )
    rows = [1, 2, 3, 8, 13] if options in ("filtered", "both") else None
    for measure in measures_of(explainer):
        result = explainer.importance(measure, n_repeats=3, sample_weight=weights, rows=rows)
        expected = by_loop(explainer, model, X, y, measure, 3, weights, rows)
        for name, value in zip(result.features, result.importance, strict=True):
            assert value == pytest.approx(expected[name], abs=1e-12)


@pytest.mark.parametrize("explainer", [regression(40), classification(40)])
@pytest.mark.parametrize("interval", ["u-statistic", "model"])
def test_importance_and_interval_of_an_ignored_feature_are_exactly_zero(explainer, interval):
    weights = np.random.default_rng(0).lognormal(size=40)
    for options in ({}, {"sample_weight": weights}, {"sample_weight": weights, "rows": range(9)}):
        for measure in measures_of(explainer):
            result = explainer.importance(measure, interval=interval, **options)
            j = result.features.index("x2")
            assert (
                result.importance[j] == result.std_error[j] == result.low[j] == result.high[j] == 0
            )
            assert (result.per_row[j] == 0).all()


def test_importance_of_a_zero_coefficient_is_exactly_zero():
    # The rounding of a matrix product may depend on the other rows of the batch.
    X, y = table(200, 6)
    model = LogisticRegression().fit(X, y > 0)
    model.coef_[:, 4] = 0.0
    explainer = Explainer(model, X, y > 0)
    for measure in ("nll", "entropy", "prediction"):
        result = explainer.importance(measure)
        j = result.features.index("x4")
        assert result.importance[j] == result.std_error[j] == 0


def test_results_are_sorted_and_state_their_settings():
    explainer = classification()
    rows = np.arange(5, 25)
    weights = np.linspace(0.1, 2, 60)
    result = explainer.importance("nll", n_repeats=4, rows=rows, sample_weight=weights, level=0.9)
    assert (np.diff(result.importance) <= 0).all()
    assert sorted(result.features) == sorted(explainer.features)
    assert result.per_row.shape == (3, 20)
    assert result.repeats.shape == (3, 4)
    assert (
        result.measure,
        result.unit,
        result.interval,
        result.level,
        result.n_repeats,
        result.seed,
    ) == (
        "nll",
        "nats",
        "u-statistic",
        0.9,
        4,
        0,
    )
    assert result.weighted
    np.testing.assert_array_equal(result.rows, rows)
    assert result.ess == pytest.approx(weights[rows].sum() ** 2 / (weights[rows] ** 2).sum())
    codes = (explainer.table.y == "yes").astype(int)
    nll = -np.log(two_classes(table()[0])[np.arange(60), codes])
    assert result.baseline == pytest.approx(np.average(nll[rows], weights=weights[rows]))
    assert (result.low[:2] < result.importance[:2]).all()
    assert (result.importance[:2] < result.high[:2]).all()
    frame = result.frame
    assert list(frame.columns) == ["feature", "importance", "std_error", "low", "high"]
    assert frame["feature"].tolist() == list(result.features)
    assert "likelihood loss (nll) in nats: permutation, 4 repeats, 20 rows, weighted" in repr(
        result
    )
    with pytest.raises(AttributeError):
        result.level = 0.5


def test_equal_features_stay_in_the_order_of_the_table():
    X = np.random.default_rng(0).normal(size=(20, 4))
    result = Explainer(lambda X: X[:, 2], X, X[:, 2]).importance("squared_error")
    assert result.features == ("x2", "x0", "x1", "x3")


class TestSeeds:
    def test_the_same_seed_gives_the_same_numbers_and_another_others(self):
        one, same, other = (regression(random_state=s).importance() for s in (3, 3, 4))
        np.testing.assert_array_equal(one.importance, same.importance)
        assert (one.importance[:2] != other.importance[:2]).all()
        assert (one.seed, other.seed) == (3, 4)

    def test_none_and_a_random_state_draw_a_seed(self):
        seeds = {regression(random_state=None).seed for _ in range(3)}
        assert len(seeds) > 1
        states = [np.random.RandomState(5), np.random.RandomState(5)]
        assert regression(random_state=states[0]).seed == regression(random_state=states[1]).seed

    def test_fewer_features_or_repeats_give_the_same_numbers(self):
        whole = regression().importance(n_repeats=6)
        part = regression().importance(features=["x1"], n_repeats=6)
        j = whole.features.index("x1")
        assert part.importance[0] == whole.importance[j]
        assert part.std_error[0] == whole.std_error[j]
        fewer = regression().importance(features="x1", n_repeats=4)
        np.testing.assert_array_equal(fewer.repeats[0], whole.repeats[j][:4])


class TestCalls:
    def test_more_repeats_evaluate_only_the_new_ones(self):
        model = Recorder(normal_model)
        X, y = table(60)
        explainer = Explainer(model, X, y)
        explainer.importance(n_repeats=10)
        before = explainer.rows_evaluated
        assert before == 60 + 10 * 3 * 60 + ROWS_ALONE
        more = explainer.importance(n_repeats=30)
        assert explainer.rows_evaluated - before == 20 * 3 * 60
        assert model.rows == explainer.rows_evaluated
        assert len(model.batches) == explainer.model_calls
        at_once = regression().importance(n_repeats=30)
        np.testing.assert_array_equal(more.importance, at_once.importance)

    def test_fewer_repeats_and_other_options_need_no_model_call(self):
        explainer = classification()
        explainer.importance("nll", n_repeats=8)
        before = explainer.model_calls, explainer.rows_evaluated
        weights = explainer.stress_weights("x0", 0.7)
        for measure in measures_of(explainer):
            explainer.importance(measure, n_repeats=5, interval="model")
            explainer.importance(measure, n_repeats=8, level=0.5, rows=[1, 2, 3])
            explainer.importance(measure, n_repeats=8, sample_weight=weights)
        assert (explainer.model_calls, explainer.rows_evaluated) == before

    def test_thirty_features_need_at_most_ten_calls(self):
        X = np.random.default_rng(0).normal(size=(143, 30))
        explainer = Explainer(normal_model, X, X[:, 0])
        explainer.importance(n_repeats=10)
        assert explainer.rows_evaluated == 143 * 301
        assert explainer.model_calls <= 10

    def test_a_new_feature_evaluates_only_itself(self):
        explainer = regression()
        explainer.importance(features=["x0"], n_repeats=5)
        before = explainer.rows_evaluated
        explainer.importance(features=["x0", "x1"], n_repeats=5)
        assert explainer.rows_evaluated - before == 5 * 60


def test_weighted_importance_is_that_of_the_weighted_population():
    X, y = table(300, seed=7)
    explainer = Explainer(normal_model, X, y)
    weights = explainer.stress_weights("x0", 0.9)
    result = explainer.importance(
        "squared_error", ["x0", "x1"], n_repeats=200, sample_weight=weights
    )
    # Rows and donors drawn with these weights give the importance in the weighted population.
    rng = np.random.default_rng(1)
    size, moved = 200_000, []
    row, donor = (rng.choice(300, size, p=weights / weights.sum()) for _ in range(2))
    for name, value, std_error in zip(
        result.features, result.importance, result.repeats.std(axis=1), strict=True
    ):
        replaced = X[row]
        replaced[:, int(name[1])] = X[donor, int(name[1])]
        change = (normal_model(replaced)[0] - y[row]) ** 2 - (normal_model(X[row])[0] - y[row]) ** 2
        noise = np.hypot(change.std() / np.sqrt(size), std_error / np.sqrt(200))
        assert abs(value - change.mean()) < 4 * noise
        plain = explainer.importance("squared_error", [name], n_repeats=200).importance[0]
        moved.append(abs(plain - change.mean()) / noise)
    assert max(moved) > 5  # the importance without weights differs


def test_donors_come_from_all_rows_when_some_are_scored():
    X, y = table(40)
    model = Recorder(normal_model)
    explainer = Explainer(model, X, y)
    explainer.importance(features=["x0"], n_repeats=30, rows=[0])
    seen = {x[0] for block in model.batches[1:] for x in block if (x[1:] == X[0, 1:]).all()}
    assert len(seen) > 15


def test_weights_without_any_pair_give_nan_and_a_remark():
    alone = (np.arange(60) == 5).astype(float)
    donors = permuted_donors(0, 0, 1, 60)
    assert donors[0, 5] != 5
    result = regression().importance(features=["x0"], n_repeats=1, sample_weight=alone)
    assert np.isnan(result.importance[0])
    assert "for 1 of 1 features no repeat pairs a scored row with a donor" in result.remarks[0]


def test_predictions_so_narrow_that_few_rows_decide_are_named():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = X[:, 0] + 0.01 * random.normal(size=60)

    def remarks(std, **options):
        explainer = Explainer(lambda rows: (rows[:, 0], np.full(len(rows), std)), X, y)
        result = explainer.importance("nll", n_repeats=2, **options)
        return [remark for remark in result.remarks if remark.code == "narrow-predictions"]

    (remark,) = remarks(0.01)
    assert remark.startswith("without x0 the nll rises by ")
    assert remark.endswith("(rank by crps; pass noise= where the members of a model are read)")
    assert not remarks(1.0)


def coverage_of_losses_of_few_rows():
    """Least and greatest coverage of losses in the benchmark's cells with few effective rows."""
    report = Path(__file__).parents[2] / "benchmarks" / "importance_coverage.md"
    *_, by_rows = report.read_text(encoding="utf-8").split("\n## ")
    rows = [line.split("|")[1:-1] for line in by_rows.splitlines() if "|" in line]
    # The first column has 25 rows, the others have more than 30 effective rows.
    assert [cell.strip() for cell in rows[0][2:4]] == ["25 (17)", "50 (33)"]
    losses = ("nll", "squared error", "absolute error")
    covered = [float(row[2].split()[0]) for row in rows if row[0].strip() in losses]
    assert len(covered) == 9
    return f"{100 * min(covered):.0f} to {100 * max(covered):.0f} %"


def test_few_effective_rows_give_a_remark():
    explainer, few = regression(), np.where(np.arange(60) < 20, 1.0, 0.05)
    options = {"features": ["x0"], "n_repeats": 4, "sample_weight": few}
    ess = few.sum() ** 2 / (few**2).sum()
    (remark,) = explainer.importance(**options).remarks
    assert remark.startswith(f"the weights are worth {ess:.0f} rows (effective sample size)")
    assert f"{coverage_of_losses_of_few_rows()} of 95 % intervals of losses held the" in remark
    # Neither for intervals that take rows as fixed, nor for rows that weigh nearly the same.
    assert explainer.importance(**options, interval="fixed-data").remarks == ()
    even = np.where(np.arange(60) < 20, 1.0, 0.8)
    assert explainer.importance(**{**options, "sample_weight": even}).remarks == ()


@pytest.mark.parametrize(("n", "n_repeats"), [(49, 4), (49, 5), (50, 4), (49, "all")])
def test_few_repeats_on_few_rows_give_a_remark(n, n_repeats):
    explainer = regression(n)
    few = [
        remark
        for measure in ("squared_error", "r2")
        for remark in explainer.importance(measure, n_repeats=n_repeats).remarks
        if remark.code == "few-repeats"
    ]
    assert len(few) == (2 if (n, n_repeats) == (49, 4) else 0)
    for remark in few:
        assert remark.startswith("4 repeats on 49 rows: with fewer than 5 repeats on fewer than 50")
    fixed = explainer.importance("squared_error", n_repeats=4, interval="fixed-data")
    assert not [remark for remark in fixed.remarks if remark.code == "few-repeats"]


def test_few_repeats_count_groups_where_rows_belong_together():
    grouped = regression(98, groups=np.arange(98) // 2)
    (remark,) = grouped.importance("squared_error", n_repeats=2).remarks
    assert remark.startswith("2 repeats on 49 groups")
    assert regression(98).importance("squared_error", n_repeats=2).remarks == ()


def test_few_effective_pairs_give_a_remark_and_a_wider_interval():
    explainer = regression()
    heavy = np.where(np.arange(60) < 6, 1.0, 1e-3)
    few = explainer.importance(features=["x0"], n_repeats=2, sample_weight=heavy)
    assert "effective pairs of a scored row and a donor" in few.remarks[0]
    donors = permuted_donors(0, 0, 2, 60)
    products = heavy * heavy[donors]
    pairs = products.sum() ** 2 / (products**2).sum()
    ess = heavy.sum() ** 2 / (heavy**2).sum()
    quantile = stats.t.ppf(0.975, min(ess, pairs) - 1)
    rows_only = {"n_repeats": 2, "sample_weight": heavy, "interval": "model"}
    few = explainer.importance(features=["x0"], **rows_only)
    width = few.high[0] - few.importance[0]
    assert width == pytest.approx(quantile * few.std_error[0])
    assert explainer.importance(features=["x0"], n_repeats=2).remarks == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_repeats": 0}, "n_repeats is 0; it must be a whole number of at least 1"),
        ({"n_repeats": 2.5}, r"n_repeats is 2.5; it must be a whole number"),
        ({"n_repeats": True}, "n_repeats is True"),
        ({"level": 2}, "level is 2; it must be between 0 and 1"),
        ({"interval": "bootstrap"}, "there is no interval 'bootstrap'; did you mean 'u-statistic'"),
        ({"features": []}, "features is empty; name at least one"),
        ({"features": ["x9"]}, "there is no feature 'x9'; did you mean 'x"),
        ({"measure": "auc"}, "there is no measure 'auc'; did you mean"),
        ({"sample_weight": -np.ones(60)}, "sample_weight is -1 in row 0"),
        ({"rows": [99]}, "rows contains position 99"),
    ],
)
def test_invalid_arguments_are_refused_before_the_model_is_called(options, message):
    explainer = regression()
    with pytest.raises(ValueError, match=message):
        explainer.importance(**options)
    assert explainer.model_calls == 1


def scored_by_type(column):
    values = {int: 0.5, bool: -1.0, str: 2.0, float: -0.3}
    return np.array([values[type(value)] for value in column])


def test_values_of_a_mixed_column_keep_their_type():
    n = 60
    X = pd.DataFrame({"a": table(n)[0][:, 0]})
    mixed = np.array([1, True, "1", 1.0] * (n // 4), dtype=object)
    X["m"] = pd.Series(mixed, dtype=object)

    def model(batch):
        return batch["a"].to_numpy(dtype=float) * scored_by_type(batch["m"]), np.full(
            len(batch), 0.5
        )

    y = model(X)[0] + 0.1
    explainer = Explainer(model, X, y)
    result = explainer.importance("squared_error", ["m"], n_repeats="all").importance[0]
    under = [X.a.to_numpy() * one for one in scored_by_type(mixed)]
    brute = np.mean([np.mean((y - one) ** 2) for one in under]) - 0.1**2
    assert result == pytest.approx(brute, rel=1e-12)
    for options in ({}, {"spacing": "observed"}, {"grid": [True, 1]}):
        curve = explainer.dependence("m", **options)
        expected = [np.mean(X.a.to_numpy() * one) for one in scored_by_type(curve.grid)]
        np.testing.assert_allclose(curve.average, expected)
        assert len(set(map(type, curve.grid))) == (2 if "grid" in options else 4)
        np.testing.assert_allclose(curve.support, 0.25)


@pytest.mark.parametrize("replacement", ["permutation", "ablation", "conditional"])
def test_importance_does_not_depend_on_the_order_of_columns(replacement):
    X, y = table(200, p=5)
    frame = pd.DataFrame(X, columns=list("abcde"))
    # A copy makes splits equally good; a tree then chooses by the order of the columns.
    frame["f"] = frame["a"]

    def model(batch):
        return normal_model(batch[["a", "b"]].to_numpy())

    groups = {"pair": ["c", "d"]}
    straight, other = (
        Explainer(model, frame[list(columns)], y, feature_groups=of)
        for columns, of in (("abcdef", groups), ("fdbeca", {"pair": ["d", "c"]}))
    )
    weights = np.linspace(0.5, 1.5, 200)
    for measure in ("nll", "entropy"):
        one, two = (
            e.importance(measure, replacement=replacement, sample_weight=weights).frame
            for e in (straight, other)
        )
        one, two = (frame.set_index("feature").sort_index() for frame in (one, two))
        assert one["importance"].max() > 0.01
        pd.testing.assert_frame_equal(one, two, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("container", [pd.Index, pd.Series, np.array, tuple, iter])
def test_features_may_come_in_any_container(container):
    explainer = regression(60)
    names = list(explainer.features[:2])
    expected = explainer.importance("nll", names, n_repeats=2)
    result = explainer.importance("nll", container(names), n_repeats=2)
    assert result.features == expected.features
    np.testing.assert_array_equal(result.importance, expected.importance)
    assert set(explainer.stress(container(names), taus=[0]).features) == set(names)
    assert explainer.stress(names, container(["rmse", "mean"]), taus=[0]).indicators == (
        "rmse",
        "mean",
    )
    with pytest.raises(ValueError, match="features is empty; name at least one"):
        explainer.importance("nll", container([]))


class TestOneRow:
    """The remark on one row that dominates the mean of a measure."""

    def explainer(self, far, n=40):
        X = np.random.default_rng(0).normal(size=(n, 2))
        y = X[:, 0].copy()
        y[7] += far
        return Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, y)

    def test_a_dominating_row_is_named_with_its_share(self):
        result = self.explainer(100.0).importance("nll", n_repeats=5)
        assert result.remarks == (
            "row 7 alone makes up 99% of the mean nll (5001): the model is far too sure there",
        )

    @pytest.mark.parametrize("measure", ["nll", "entropy"])
    def test_a_row_that_dominates_without_surprise_is_not_too_sure(self, measure):
        # The other rows are certain and right; row 7 is an honest one half.
        p = np.full(40, 1 - 1e-9)
        p[7] = 0.5
        X = np.column_stack([p, np.arange(40)])
        model = as_predictive(lambda X: np.column_stack([1 - X[:, 0], X[:, 0]]), classes=[0, 1])
        result = Explainer(model, X, np.ones(40, int)).importance(measure, n_repeats=5)
        (remark,) = (r for r in result.remarks if r.code == "dominating-row")
        assert remark == f"row 7 alone makes up 100% of the mean {measure} (0.6931)"

    def test_similar_rows_get_no_remark(self):
        assert self.explainer(0.0).importance("nll", n_repeats=5).remarks == ()

    def test_a_row_that_is_not_scored_gets_no_remark(self):
        explainer = self.explainer(100.0)
        rows = np.delete(np.arange(40), 7)
        assert explainer.importance("nll", n_repeats=5, rows=rows).remarks == ()


@pytest.mark.parametrize("n_repeats", [5, "all"])
@pytest.mark.parametrize("compare", ["difference", "ratio"])
def test_two_rows_give_no_interval(n_repeats, compare):
    X, y = np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([0.5, 2.0])
    explainer = Explainer(lambda X: X[:, 0], X, y, random_state=0)
    result = explainer.importance("squared_error", n_repeats=n_repeats, compare=compare)
    assert result.importance[0] > 0
    assert np.isnan([result.low[0], result.high[0]]).all()
    assert any(remark.code == "no-interval" for remark in result.remarks)
    result._repr_html_()
    with uq.explore(explainer, n_repeats=5) as widget:
        assert widget.wait(60)
        assert widget._frame["meta"]["error"] is None


def test_the_label_of_quantiles_says_which_they_are_and_that_they_follow_the_level():
    X = np.random.default_rng(0).normal(size=(40, 2))
    ex = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
    for level, named in ((0.9, "5 % to 95 %"), (0.95, "2.5 % to 97.5 %")):
        result = ex.importance("squared_error", interval="quantile", level=level)
        tail = (1 - level) / 2
        ends = np.quantile(result.repeats, [tail, 0.5, 1 - tail], axis=1)
        np.testing.assert_allclose([result.low, result.importance, result.high], ends)
        assert f"quantile: {named} of the repeats" in repr(result)
        assert named in result._repr_html_()
