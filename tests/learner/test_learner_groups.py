"""Rows that belong together: resamples, intervals and words of a learner with groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks.learner_coverage.kinds import CURVES, GROUPED, PERFORMANCE, coverage
from uqwidgets import Learner, loco_importance
from uqwidgets.inference.groups import RowGroups
from uqwidgets.learner.intervals import (
    corrected_interval,
    group_jackknife_interval,
    row_effect_interval,
    variance_components_interval,
)
from uqwidgets.learner.resampling import RESAMPLINGS, ResamplingPlan
from uqwidgets.learner.row_effects import group_table, interaction_variance, row_effect_variance

SIZES = np.random.default_rng(1).integers(1, 9, 24)
PATIENT = np.random.default_rng(2).permutation(np.repeat(np.arange(24), SIZES))
N = len(PATIENT)
_RNG = np.random.default_rng(3)
X = _RNG.normal(size=(N, 3))
X[:, 2] = _RNG.normal(size=24)[PATIENT]
Y = X[:, 0] + 0.5 * X[:, 2] + _RNG.normal(size=24)[PATIENT] + _RNG.normal(size=N)


def plan_of(resampling, labels=PATIENT, y=Y, classifier=False, seed=0):
    return ResamplingPlan.of(y, resampling, 0.632, classifier, seed, 15, RowGroups(labels))


def learner(resampling="bootstrap", groups=PATIENT, **options):
    return Learner(LinearRegression(), X, Y, resampling=resampling, groups=groups, **options)


class TestResamples:
    @pytest.mark.parametrize("resampling", RESAMPLINGS)
    @pytest.mark.parametrize("seed", range(5))
    def test_no_resample_splits_a_group(self, resampling, seed):
        plan = plan_of(resampling, seed=seed)
        for number in range(15):
            rows = plan.resample(number)
            times = np.bincount(rows.train, minlength=N)
            for group in range(24):
                # All rows of a group are drawn as often as each other, or held out together.
                assert len(set(times[group == PATIENT])) == 1
            assert not set(PATIENT[rows.train]) & set(PATIENT[rows.held_out])
            if resampling != "leave-two-groups-out":
                assert set(rows.train) | set(rows.held_out) == set(range(N))

    def test_as_many_groups_are_drawn_as_rows_otherwise(self):
        for number in range(15):
            drawn = np.bincount(plan_of("bootstrap").resample(number).train, minlength=N)
            assert sum(drawn[group == PATIENT][0] for group in range(24)) == 24
            train = plan_of("subsampling").resample(number).train
            assert len(set(PATIENT[train])) == round(0.632 * 24)

    def test_every_two_of_six_groups_of_patients_are_left_out_once(self):
        plan = plan_of("leave-two-groups-out")
        held_out = [set(PATIENT[plan.resample(number).held_out]) for number in range(15)]
        assert all(len(patients) == 8 for patients in held_out)
        together = np.array(
            [[sum({a, b} <= s for s in held_out) for a in range(24)] for b in range(24)]
        )
        assert set(np.diag(together)) == {5}  # each patient is held out with each other group
        assert set(together.ravel()) == {1, 5}
        trained = [set(PATIENT[plan.resample(number).train]) for number in range(15)]
        assert all(len(patients) == int(0.632 * 24) for patients in trained)

    @pytest.mark.parametrize("resampling", ["bootstrap", "subsampling"])
    def test_the_groups_of_a_rare_class_are_resampled_by_themselves(self, resampling):
        # Class b is in three patients of 24, who have rows of class a too.
        labels = np.where((PATIENT < 3) & (np.arange(N) % 2 == 0), "b", "a")
        plan = plan_of(resampling, y=labels, classifier=True)
        for number in range(50):
            rows = plan.resample(number)
            assert set(labels[rows.train]) == set(labels[rows.held_out]) == {"a", "b"}
            assert not set(PATIENT[rows.train]) & set(PATIENT[rows.held_out])

    def test_a_class_in_every_group_needs_no_strata(self):
        labels, codes = np.tile(["a", "b"], 30), np.repeat(np.arange(15), 4)
        assert plan_of("bootstrap", codes, labels, True).strata is None
        assert plan_of("leave-two-groups-out", codes, labels, True).strata is None

    @pytest.mark.parametrize("resampling", RESAMPLINGS)
    def test_refits_are_scored_on_whole_groups(self, resampling):
        made = learner(resampling).fit()
        assert len(made.refits) == 15
        for refit in made.refits:
            assert not set(PATIENT[refit.rows.train]) & set(PATIENT[refit.held_out])
            of_explainer = refit.explainer.table.row_groups.codes
            same = PATIENT[refit.held_out][:, None] == PATIENT[refit.held_out]
            np.testing.assert_array_equal(of_explainer[:, None] == of_explainer, same)
        sizes = made.sizes
        assert len(sizes) == 15
        for k, refit in enumerate(made.refits):
            rows = refit.rows
            expected = [rows.train, rows.held_out, PATIENT[rows.train], PATIENT[rows.held_out]]
            assert sizes.iloc[k].tolist() == [len(set(each)) for each in expected]
        assert list(learner(groups=None).sizes) == ["train_rows", "held_out_rows"]


def results(made):
    """Yield every result of a learner, with all intervals that it has."""
    intervals = ["variance-components", "corrected"]
    if made._refits.plan.splits is not None:
        intervals.append("group-jackknife")
    for interval in [*intervals, "row-effect"]:
        yield made.importance("squared_error", interval=interval)
    for interval in intervals:
        yield made.importance("prediction", interval=interval)
        yield made.dependence("x2", grid=3, interval=interval)
        yield made.dependence("x0", "squared_error", grid=3, interval=interval)
    yield made.importance("squared_error", compare="ratio")
    yield made.importance("squared_error", sample_weight=1.0 + (np.arange(N) % 3))
    yield made.importance("r2")
    yield made.loco("squared_error")
    yield made.loco("r2", compare="difference")
    yield made.dependence(["x0", "x2"], grid=2)
    yield made.performance("squared_error")
    yield made.performance("r2")
    tree = Learner(
        DecisionTreeRegressor(max_depth=2),
        X,
        Y,
        n_refits=made.n_refits,
        resampling=made._refits.plan.resampling,
        groups=made._refits.plan.row_groups,
    )
    yield made.compare(tree, "squared_error")


@pytest.mark.parametrize("resampling", RESAMPLINGS)
def test_groups_of_single_rows_give_the_numbers_of_independent_rows(resampling):
    single = learner(resampling, RowGroups(np.arange(N)), n_refits=6)
    assert single._refits.plan.row_groups is not None  # the groups are not just left out
    pairs = zip(results(single), results(learner(resampling, None, n_refits=6)), strict=True)
    for of_groups, of_rows in pairs:
        numbers = [result.frame.select_dtypes("number") for result in (of_groups, of_rows)]
        np.testing.assert_allclose(*numbers, rtol=1e-12, atol=1e-12)


def unit_values(made, measure):
    """Values of each refit's held-out groups, by hand, (m, 24, p), and its estimates (m, p)."""
    of_groups, estimates = [], []
    for refit in made.refits:
        result = refit.explainer.importance(measure, n_repeats=5)
        order = [result.features.index(f"x{j}") for j in range(3)]
        values, codes = result.per_row[order], PATIENT[refit.held_out]
        estimates.append(values.mean(axis=1))
        line = np.full((24, 3), np.nan)
        for group in np.unique(codes):
            deviations = values[:, codes == group] - values.mean(axis=1, keepdims=True)
            line[group] = values.mean(axis=1) + deviations.sum(axis=1) / (N / 24)
        of_groups.append(line)
    return np.array(of_groups), np.array(estimates)


@pytest.mark.parametrize("resampling", RESAMPLINGS)
def test_every_interval_counts_groups_instead_of_rows(resampling):
    made = learner(resampling).fit()
    values, estimates = unit_values(made, "squared_error")
    n_train, n_test = made.sizes[["train_groups", "held_out_groups"]].mean()
    rows, both = row_effect_variance(values), interaction_variance(values)
    expected = {
        "corrected": corrected_interval(estimates, n_train, n_test),
        "row-effect": row_effect_interval(estimates, rows, 24, n_train, n_test),
        "variance-components": variance_components_interval(
            *(estimates, rows, both, 24, n_train, n_test),
            bootstrap=resampling == "bootstrap",
            of_loss=True,
        ),
    }
    splits = made._refits.plan.splits
    if splits is not None:
        table = group_table(values, splits)
        expected["group-jackknife"] = group_jackknife_interval(estimates, table, n_train, n_test)
    for name, interval in expected.items():
        frame = made.importance("squared_error", interval=name).frame.set_index("feature")
        frame = frame.loc[["x0", "x1", "x2"], ["importance", "std_error", "low", "high"]]
        by_hand = [interval.estimate, interval.std_error, interval.low, interval.high]
        np.testing.assert_allclose(frame.to_numpy().T, by_hand, rtol=1e-9)
    of = made.performance("squared_error")
    assert of.correction == pytest.approx(n_test / n_train)


def test_values_of_groups_have_the_variance_of_a_ratio_of_sums():
    values = np.random.default_rng(5).normal(size=(N, 2)) + PATIENT[:, None] / 8
    plan, mean = plan_of("bootstrap"), values.mean(axis=0)
    of_groups = plan.unit_values(values, np.arange(N), mean)
    np.testing.assert_allclose(of_groups.mean(axis=0), mean)
    sums = np.array([(values[group == PATIENT] - mean).sum(axis=0) for group in range(24)])
    np.testing.assert_allclose(of_groups.var(axis=0) / 24, np.square(sums).sum(axis=0) / N**2)


def test_intervals_choose_by_shared_groups_not_rows():
    # Both refits hold one patient out: they share many rows, and no two patients.
    made = Learner(
        LinearRegression(), X, Y, groups=PATIENT % 4, n_refits=2, resampling="subsampling",
        train_fraction=0.75,
    )  # fmt: skip
    assert made.sizes["held_out_groups"].tolist() == [1, 1]
    assert made.importance("squared_error").interval == "corrected"


class TestWords:
    def test_results_say_how_many_rows_of_how_many_groups(self):
        frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(patient=PATIENT)
        made = Learner(LinearRegression(), frame, Y, groups="patient")
        words = f"{N} rows of 24 patients"
        assert words in repr(made)
        assert words in made._repr_html_()
        others = Learner(DecisionTreeRegressor(), frame, Y, groups="patient")
        for result in (
            made.importance("squared_error"),
            made.loco("squared_error"),
            made.dependence("a", grid=3),
            made.dependence(["a", "b"], grid=2),
            made.performance("squared_error"),
            made.compare(others, "squared_error"),
        ):
            assert words in repr(result)
            assert words in result._repr_html_()
            assert "over tables of as many new groups" in result.remarks[-1]
            assert (result.groups.number, result.groups.name) == (24, "patient")
        assert "rows of" not in repr(learner(groups=None).performance("squared_error"))

    def test_the_effective_number_is_of_groups(self):
        weights = np.where(PATIENT < 12, 1.0, 0.2)
        result = learner().importance("squared_error", sample_weight=weights)
        each = [
            refit.explainer.importance("squared_error", sample_weight=weights[refit.held_out])
            for refit in learner().fit().refits
        ]
        assert result.groups.ess == pytest.approx(np.mean([one.groups.ess for one in each]))
        assert f"worth about {result.groups.ess:.3g} groups" in result._repr_html_()

    def test_the_column_of_the_groups_is_no_feature(self):
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        labels = pd.Series(PATIENT, name="patient")
        named = Learner(LinearRegression(), frame.assign(patient=labels), Y, groups="patient")
        result = named.importance("squared_error")
        assert set(result.features) == {"a", "b", "c"}
        same = Learner(LinearRegression(), frame, Y, groups=labels).importance("squared_error")
        pd.testing.assert_frame_equal(result.frame, same.frame)

    def test_rows_that_depend_on_each_other_have_a_remark_if_no_groups_are_passed(self):
        rng = np.random.default_rng(0)
        site = np.repeat(np.arange(20), 15)
        frame = pd.DataFrame({"x": rng.normal(size=300), "site": site})
        of_sites, of_rows = (
            Learner(LinearRegression(), frame, frame["x"] + effect + rng.normal(size=300))
            .importance("squared_error")
            .remarks
            for effect in (2 * rng.normal(size=20)[site], 0)
        )
        assert "rows-of-groups" in {remark.code for remark in of_sites}
        assert {remark.code for remark in of_rows} == {"learner-coverage"}

    def test_few_groups_and_single_rows_have_a_remark(self):
        few = learner(groups=PATIENT % 6).performance("squared_error").remarks
        assert few[0].code == "few-groups"
        assert f"the {N} rows belong to 6 groups" in few[0]
        single = learner(groups=np.arange(N))
        assert single._refits.plan.row_groups is None
        assert single.performance("squared_error").remarks[0].code == "single-groups"


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        (PATIENT[:5], {}, f"groups has 5 values but X has {N} rows; pass one value per row"),
        (np.zeros(N), {}, "groups has the same label in every row"),
        (np.where(PATIENT == 0, np.nan, PATIENT), {}, rf"groups is missing in {SIZES[0]} of {N}"),
        ("patient", {}, "no column 'patient'"),
        (np.zeros((N, 2)), {}, "pass the name of a column, or one value per row"),
        (PATIENT % 3, {}, "there are 3 groups; refits need at least 4 to hold some out"),
        (
            PATIENT % 10,
            {"resampling": "leave-two-groups-out"},
            "10 groups cannot be cut into 6 groups of two or more, which takes 12; use more",
        ),
        (
            PATIENT,
            {"estimator": LogisticRegression(), "y": np.where(PATIENT == 1, "b", "a")},
            "class 'b' is in a single group of rows, which cannot be learned from and held out",
        ),
        (
            PATIENT,
            {
                "estimator": LogisticRegression(),
                "y": np.where(PATIENT < 3, "b", "a"),
                "resampling": "leave-two-groups-out",
            },
            "a class is in fewer than 20 groups, too few to cut into groups",
        ),
    ],
)
def test_invalid_groups_are_refused(groups, options, message):
    arguments = {"estimator": LinearRegression(), "X": X, "y": Y, "groups": groups} | options
    with pytest.raises(ValueError, match=message):
        Learner(**arguments)


def test_labels_in_another_order_of_rows_are_refused():
    frame = pd.DataFrame(X, index=[f"row {i}" for i in range(N)])
    labels = pd.Series(PATIENT, index=frame.index)
    assert Learner(LinearRegression(), frame, Y, groups=labels) is not None
    with pytest.raises(ValueError, match="groups has the index of X in another order"):
        Learner(LinearRegression(), frame, Y, groups=labels[::-1])


def test_learners_of_other_groups_are_not_compared():
    assert learner().compare(learner(), "squared_error").difference == 0
    for groups in (None, PATIENT % 12):
        with pytest.raises(ValueError, match=r"with the same n_refits, resampling, .*groups"):
            learner().compare(learner(groups=groups), "squared_error")


class TestLocoOnOneSplit:
    def test_the_interval_is_that_of_a_mean_of_groups(self):
        train = PATIENT < 12
        split = (X[train], Y[train], X[~train], Y[~train])
        codes = np.unique(PATIENT[~train], return_inverse=True)[1]
        result = loco_importance(LinearRegression(), *split, "squared_error", groups=codes)
        assert result.groups.number == 12
        changes = result.per_row - result.importance[:, None]
        sums = np.stack([np.bincount(codes, line) for line in changes])
        size = np.bincount(codes)
        ess = size.sum() ** 2 / np.square(size).sum()
        error = np.sqrt(np.square(sums).sum(axis=1) * ess / (ess - 1)) / len(codes)
        np.testing.assert_allclose(result.std_error, error)
        half = stats.t.ppf(0.975, ess - 1) * error
        np.testing.assert_allclose(result.high, result.importance + half)
        rows = loco_importance(LinearRegression(), *split, "squared_error")
        np.testing.assert_array_equal(result.importance, rows.importance)
        score = loco_importance(LinearRegression(), *split, "r2", groups=codes)
        assert (
            score.std_error != loco_importance(LinearRegression(), *split, "r2").std_error
        ).all()

    def test_groups_are_named_by_a_column_that_fits_do_without(self):
        frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(patient=PATIENT)
        train = PATIENT < 12
        split = (frame[train], Y[train], frame[~train], Y[~train])
        result = loco_importance(LinearRegression(), *split, "squared_error", groups="patient")
        assert set(result.features) == {"a", "b", "c"}
        assert f"{(~train).sum()} rows of 12 patients" in repr(result)


def test_intervals_cover_where_rows_belong_to_patients_and_those_of_rows_do_not():
    name, tables = next(iter(GROUPED)), 20
    with threadpool_limits(1):  # tables are small
        told, untold = (
            coverage(name, tables=tables, told=told, resamplings=["bootstrap"]).coverage
            for told in (True, False)
        )
    for subject, interval in ((CURVES, "variance-components"), (PERFORMANCE, "corrected")):
        key = (subject, interval, "bootstrap")
        assert told[key].min() > 0.93 - 3 * np.sqrt(0.95 * 0.05 / tables), key
        assert untold[key].min() < 0.8, key
