"""Redundancy: R2 of each feature from the others, compared with loops and known truths."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

from shared import features_and_target
from uqwidgets import Explainer
from uqwidgets.evaluation.table import Table
from uqwidgets.importance.redundancy import UnexplainedShare, out_of_bag, redundancy
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.inference.population import Population
from uqwidgets.predictive import as_predictive


def ask(X, y=None, *, weights=None, rows=None, units=None, groups=None, **options):
    """Return the redundancy of a table without a model."""
    y = np.zeros(len(X)) if y is None else y
    table = Table(X, y, as_predictive(lambda X: np.zeros(len(X))), groups)
    defaults = {"with_target": False, "n_estimators": 50, "level": 0.95, "seed": 0}
    return redundancy(
        table,
        units or table.groups_and_features,
        Population.of(len(X), weights, rows),
        **(defaults | options),
    )


def line(result, feature):
    """Return the line of a feature in the frame."""
    return result.frame.set_index("feature").loc[feature]


def related(n=400, seed=0):
    """Correlated pair, a copy with noise, and a feature that is independent of all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    X[:, 2] = X[:, 1] + 0.05 * X[:, 2]
    return X


class TestForests:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_each_row_is_predicted_by_the_trees_grown_without_it(self, weighted):
        X, rng = related(40), np.random.default_rng(1)
        y = X[:, [0, 3]] - X[:, [0, 3]].mean(axis=0)
        weights = rng.choice([0.0, 1.0, 2.5], 40) if weighted else np.ones(40)
        output = out_of_bag(X[:, 1:3].astype(np.float32), y, weights, n_estimators=4, seed=3)
        total, counts = np.zeros((40, 2)), np.zeros(40)
        for stream in np.random.SeedSequence(3).spawn(4):
            generator = np.random.default_rng(stream)
            bag = generator.integers(40, size=40)
            out = np.setdiff1d(np.arange(40), bag)
            times = np.bincount(bag, minlength=40) * weights
            tree = DecisionTreeRegressor(random_state=int(generator.integers(2**31)))
            tree.fit(X[times > 0, 1:3], y[times > 0], sample_weight=times[times > 0])
            total[out] += tree.predict(X[out, 1:3])
            counts[out] += 1
        np.testing.assert_allclose(output, total / np.maximum(counts, 1)[:, None], atol=1e-12)
        assert (counts == 0).any()  # with few trees

    @pytest.mark.thorough
    def test_out_of_bag_r2_is_that_of_scikit_learn_forests(self):
        X = related(800)[:, [0, 1, 3]]
        output = ask(X, n_estimators=100)
        for j in range(3):
            forest = RandomForestRegressor(100, oob_score=True, random_state=0)
            forest.fit(np.delete(X, j, axis=1), X[:, j])
            assert line(output, f"x{j}").r2 == pytest.approx(forest.oob_score_, abs=0.02)

    def test_trees_without_a_row_of_positive_weight_are_skipped(self):
        X = related(60)
        weights = np.zeros(60)
        weights[:2] = 1.0
        y = X[:, [0]] - X[:2, 0].mean()
        output = out_of_bag(X[:, 1:].astype(np.float32), y, weights, n_estimators=50, seed=0)
        assert np.isfinite(output).all()
        # Each of two rows is predicted from the other.
        assert output[0, 0] == pytest.approx(y[1, 0])


class TestScores:
    """R2 of known predictions."""

    def made(self, n=300, seed=0):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(n, 2))
        return values, 0.8 * values + 0.3 * rng.normal(size=(n, 2)), rng.gamma(4.0, size=n)

    @pytest.mark.parametrize("options", ["plain", "weighted", "rows", "both"])
    def test_r2_is_that_of_scikit_learn(self, options):
        values, predicted, weights = self.made()
        weights = weights if options in ("weighted", "both") else None
        rows = np.arange(300) % 3 > 0 if options in ("rows", "both") else np.ones(300, dtype=bool)
        population = Population.of(300, weights, rows)
        score = UnexplainedShare.of(values, predicted, population)
        expected = r2_score(
            values[rows],
            predicted[rows],
            sample_weight=None if weights is None else weights[rows],
            multioutput="variance_weighted",
        )
        assert score.r2(0.95)[0] == pytest.approx(expected, abs=1e-12)

    def test_whole_weights_are_repetitions(self):
        values, predicted, _ = self.made(100)
        times = np.random.default_rng(1).integers(0, 4, 100)
        weighted = UnexplainedShare.of(values, predicted, Population.of(100, times))
        repeated = UnexplainedShare.of(
            *(np.repeat(v, times, axis=0) for v in (values, predicted)),
            Population.of(int(times.sum())),
        )
        assert weighted.unexplained == pytest.approx(repeated.unexplained, abs=1e-12)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_intervals_are_those_of_a_jackknife_over_rows(self, weighted):
        values, predicted, weights = self.made()
        w = weights if weighted else np.ones(300)
        population = Population.of(300, w)
        worse = predicted + 0.5 * np.random.default_rng(2).normal(size=predicted.shape)
        score, before = (UnexplainedShare.of(values, p, population) for p in (predicted, worse))
        left = np.empty((300, 2))
        for i in range(300):
            remaining = np.arange(300) != i
            for k, p in enumerate((predicted, worse)):
                left[i, k] = UnexplainedShare.of(
                    values[remaining], p[remaining], Population.of(299, w[remaining])
                ).unexplained
        ess = w.sum() ** 2 / np.square(w).sum()
        quantile = stats.t.ppf(0.95, ess - 1) * np.sqrt(299 / 300)

        def half(jackknifed):
            return quantile * np.sqrt(np.square(jackknifed - jackknifed.mean()).sum())

        r2, low, high = score.r2(0.9)
        # Alike to both sides for the logarithm of what is left.
        assert np.log((1 - low) / (1 - r2)) == pytest.approx(half(np.log(left[:, 0])), rel=0.03)
        assert np.log((1 - r2) / (1 - high)) == pytest.approx(half(np.log(left[:, 0])), rel=0.03)
        gain, low, high = score.gain(before, 0.9)
        assert gain == pytest.approx(before.unexplained - score.unexplained)
        assert high - gain == pytest.approx(half(left[:, 1] - left[:, 0]), rel=0.03)
        assert gain - low == pytest.approx(high - gain)

    def test_a_perfect_prediction_has_an_interval_of_width_zero(self):
        values, _, _ = self.made()
        assert UnexplainedShare.of(values, values, Population.of(300)).r2(0.95) == (1, 1, 1)


class TestDefinition:
    def test_r2_of_categories_is_that_of_their_indicators(self):
        rng = np.random.default_rng(2)
        X = pd.DataFrame({"x": rng.normal(size=600), "z": rng.normal(size=600)})
        X["kind"] = np.select([X["x"] < -0.5, X["x"] < 0.7], ["low", "middle"], "high")
        noisy = np.where(rng.random(600) < 0.4, rng.permutation(X["kind"]), X["kind"])
        output = line(ask(X.assign(kind=noisy)), "kind")
        indicators = pd.get_dummies(noisy).to_numpy(float)
        forest = RandomForestRegressor(50, oob_score=True, random_state=0)
        forest.fit(X[["x", "z"]], indicators)
        errors = np.square(indicators - forest.oob_prediction_).sum()
        spreads = np.square(indicators - indicators.mean(axis=0)).sum()
        assert output.r2 == pytest.approx(1 - errors / spreads, abs=0.04)
        assert 0.1 < output.r2 < 0.4

    def test_a_bool_a_pair_of_texts_and_a_column_of_zeros_and_ones_are_alike(self):
        rng = np.random.default_rng(3)
        x = rng.normal(size=200)
        z = x + rng.normal(size=200) > 0
        values = [z.astype(int), z, np.where(z, "yes", "no"), pd.Categorical(z)]
        values.append(pd.array(z, dtype="boolean"))
        output = [line(ask(pd.DataFrame({"x": x, "z": v})), "z").r2 for v in values]
        assert output == pytest.approx([output[0]] * 5, abs=1e-9)

    def test_r2_of_a_group_is_the_mean_over_its_features(self):
        X = related(600)
        output = ask(X, groups={"pair": ["x0", "x3"]})
        assert sorted(output.features) == ["pair", "x1", "x2"]
        # One forest predicts both.
        forest = RandomForestRegressor(50, oob_score=True, random_state=0)
        both = X[:, [0, 3]] / X[:, [0, 3]].std(axis=0)
        forest.fit(X[:, 1:3], both)
        expected = r2_score(both, forest.oob_prediction_, multioutput="uniform_average")
        assert line(output, "pair").r2 == pytest.approx(expected, abs=0.04)
        everything = {"all": ["x0", "x1", "x2", "x3"]}
        with pytest.raises(ValueError, match="nothing to predict 'all' from"):
            ask(X, groups=everything)


class TestKnownRedundancies:
    def test_copies_companions_and_independents(self):
        output = ask(related(2000), n_estimators=100)
        assert output.features[-1] == "x3"
        # 0.6^2 of the variance of x1 is its own; the copy x2 tells it but for 0.05^2.
        assert line(output, "x1").low > 0.98
        assert line(output, "x2").low > 0.98
        assert 0.5 < line(output, "x0").r2 < 0.64
        assert line(output, "x3").high < 0.05

    def test_redundancy_is_not_symmetric(self):
        x = np.random.default_rng(5).normal(size=600)
        output = ask(np.column_stack([x, np.square(x)]))
        assert line(output, "x1").low > 0.95
        assert line(output, "x0").high < 0.2

    @pytest.mark.thorough
    def test_figure_7_age_is_predicted_with_the_strength_only(self):
        X, y = features_and_target("concrete.csv", "strength")
        output = ask(X, y, with_target=True, n_estimators=100)
        age = line(output, "age")
        assert output.features[-1] == "age"
        assert age.high < 0.2
        assert age.low_with_target > 0.5
        assert age.gain_low > 0.4
        others = output.frame.iloc[:-1]
        assert (others["low"] > 0.9).all()
        assert (others["gain"].abs() < 0.02).all()
        assert "Strength adds most to age" in output._repr_html_()

    def test_weights_make_another_population(self):
        rng = np.random.default_rng(6)
        X = rng.normal(size=(400, 2))
        X[:200, 1] = X[:200, 0]
        bound = np.repeat([1.0, 0.0], 200)
        assert line(ask(X, weights=bound), "x1").r2 > 0.95
        assert line(ask(X, weights=1 - bound), "x1").high < 0.2
        assert line(ask(X), "x1").r2 < 0.6

    def test_chosen_rows_are_scored_by_forests_of_all_rows(self):
        X = related(400)
        output = ask(X, rows=X[:, 0] > 0)
        assert output.ess == (X[:, 0] > 0).sum()
        assert line(output, "x1").rows == (X[:, 0] > 0).sum()
        # Within half of its range a feature varies less, and what is left of it weighs more.
        assert line(output, "x0").r2 < line(ask(X), "x0").r2

    @pytest.mark.thorough
    def test_the_gain_is_the_r2_that_the_target_adds(self):
        X = related(500)
        output = ask(X, y=X[:, 3] + X[:, 0], with_target=True)
        assert line(output, "x3").gain_low > 0.3
        assert line(output, "x3").r2_with_target == pytest.approx(
            line(output, "x3").r2 + line(output, "x3").gain
        )
        assert abs(line(output, "x2").gain) < 0.02
        labels = np.where(X[:, 3] > 0, "up", "down")
        classes = ask(X, y=labels, with_target=True)
        assert line(classes, "x3").gain_low > 0.3


class TestTables:
    @pytest.mark.thorough
    def test_monotone_transforms_of_predictors_change_nothing(self):
        X = related(150)
        plain = ask(X).frame.set_index("feature")
        contrast = pd.DataFrame(
            {
                "x0": X[:, 0] * 1e-5,
                "x1": X[:, 1] + 1e6,
                "x2": X[:, 2] * -3e200,
                "x3": X[:, 3],
            }
        )
        again = ask(contrast).frame.set_index("feature")
        for feature in ("x0", "x1", "x3"):
            assert again.loc[feature, "r2"] == pytest.approx(plain.loc[feature, "r2"], abs=0.02)
        # Trees use only the order of a predictor's values.
        bent = ask(np.column_stack([np.exp(5 * X[:, 0]), X[:, 1:]])).frame.set_index("feature")
        for feature in ("x1", "x2", "x3"):
            assert bent.loc[feature, "r2"] == plain.loc[feature, "r2"]

    def test_texts_categories_dates_nullable_and_missing_values(self):
        rng = np.random.default_rng(7)
        x = rng.normal(size=240)
        day = pd.Timestamp("2020-01-01", tz="UTC") + pd.to_timedelta(np.round(50 * x), unit="D")
        X = pd.DataFrame(
            {
                "x": x,
                "text": np.where(x > 0, "up", "down"),
                "ordered": pd.Categorical(
                    np.select([x < -1, x < 1], ["low", "mid"], "high"),
                    categories=["low", "mid", "high"],
                    ordered=True,
                ),
                "day": pd.Series(day),
                "whole": pd.array(np.round(x * 3), dtype="Int64"),
                "mixed": [("a",) if v > 0.5 else 3 if v > -0.5 else "b" for v in x],
                "noise": rng.normal(size=240),
            }
        )
        X.loc[::10, "text"] = None
        X.loc[::8, "whole"] = pd.NA
        X.loc[::6, "day"] = pd.NaT
        X.loc[::5, "x"] = np.nan
        output = ask(X)
        assert output.status == ("ok",) * 7
        assert output.features[-1] == "noise"
        assert (output.frame.iloc[:-1]["r2"] > 0.9).all()
        assert output.frame.set_index("feature")["rows"].to_dict() == {
            "x": 192,
            "text": 216,
            "ordered": 240,
            "day": 200,
            "whole": 210,
            "mixed": 240,
            "noise": 240,
        }
        assert "text: 24 of 240 rows without a value are left out of its score" in output.remarks

    def test_a_missing_value_may_be_informative(self):
        rng = np.random.default_rng(8)
        missing = rng.random(300) < 0.4
        X = pd.DataFrame({"x": np.where(missing, np.nan, rng.normal(size=300)), "y": missing * 1.0})
        assert line(ask(X), "y").low > 0.99

    def test_rare_categories_are_predicted_as_one(self):
        rng = np.random.default_rng(9)
        code = np.minimum(rng.geometric(0.12, size=500), 45)
        X = pd.DataFrame({"code": code, "name": [f"n{c}" for c in code]})
        output = ask(X)
        assert line(output, "name").r2 > 0.9
        (remark,) = output.remarks
        assert remark == (
            f"name: the 20 most frequent of {X['name'].nunique()} categories are predicted one by "
            "one, the others as one"
        )

    def test_features_without_a_score_have_a_status(self):
        X = pd.DataFrame(related(60), columns=list("abcd"))
        X["same"] = "one"
        X["level"] = 0.1
        X["wild"] = np.where(np.arange(60) == 7, np.inf, X["a"])
        X["rare"] = np.where(np.arange(60) < 9, X["a"], np.nan)
        X["none"] = np.nan
        output = ask(X, with_target=True, y=X["a"])
        status = dict(zip(output.features, output.status, strict=True))
        assert status == {
            **dict.fromkeys("abcd", "ok"),
            "same": "constant",
            "level": "constant",
            "wild": "infinite values",
            "rare": "too few rows",
            "none": "too few rows",
        }
        assert output.features[4:] == ("same", "level", "wild", "rare", "none")
        numbers = output.frame.iloc[4:].drop(columns=["feature", "rows", "status"])
        assert numbers.isna().all(axis=None)
        assert (output.n_rows[4:] == 0).all()

    def test_a_feature_that_is_constant_in_the_chosen_rows(self):
        X = related(100)
        X[:40, 1] = 3.0
        output = ask(X, rows=np.arange(40))
        assert line(output, "x1").status == "constant"
        assert line(output, "x0").status == "ok"


class TestInterface:
    def test_frame_and_repr_of_a_redundancy(self):
        output = ask(related(100), y=np.arange(100.0), units=["x3", "x0"], level=0.9, seed=5)
        assert isinstance(output, Redundancy)
        assert output.features == ("x0", "x3")
        assert list(output.frame) == ["feature", "r2", "low", "high", "rows", "status"]
        assert (output.seed, output.level, output.n_estimators) == (5, 0.9, 50)
        assert not output.with_target
        assert np.isnan(output.gain).all()
        assert (output.low <= output.r2).all()
        assert (output.r2 <= output.high).all()
        assert (output.high < 1).all()
        assert repr(output).startswith(
            "R2 of 2 features from the others: out of bag, forests of 50 trees, 90% interval"
        )
        beside = ask(related(100), y=np.arange(100.0), units=["x3"], with_target=True)
        assert "from the others, and from y beside them" in repr(beside)
        assert list(beside.frame)[4:7] == ["r2_with_target", "low_with_target", "high_with_target"]
        with pytest.raises(dataclasses.FrozenInstanceError):
            output.level = 0.5

    def test_the_same_seed_gives_the_same_in_parallel(self):
        X = related(100)
        one, two, other = ask(X), ask(X, n_jobs=2), ask(X, seed=1)
        np.testing.assert_array_equal(one.r2, two.r2)
        assert (one.r2 != other.r2).all()
        np.testing.assert_allclose(one.r2, other.r2, atol=0.1)

    def test_progress_is_reported_and_may_be_stopped(self):
        reported = []
        X = related(100)
        X[:, 2] = 1.0
        ask(X, with_target=True, callback=reported.append)
        # A constant feature needs no forest.
        assert [p.rows_done for p in reported] == [100, 200, 300, 400, 500, 600]
        assert {p.rows_total for p in reported} == {600}

        def stop(progress):
            if progress.rows_done == 200:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ask(X, callback=stop)

    def test_the_table_is_not_changed(self):
        X = pd.DataFrame(related(60), columns=list("abcd")).assign(t="u")
        before = X.copy()
        ask(X)
        pd.testing.assert_frame_equal(X, before)

    def test_invalid_arguments_are_refused(self):
        with pytest.raises(ValueError, match="nothing to predict 'x0' from; X needs more features"):
            ask(related(50)[:, :1])
        for wrong in (20, 99.5, "100"):
            with pytest.raises(ValueError, match="it must be a whole number of at least 50"):
                ask(related(50), n_estimators=wrong)
        with pytest.raises(ValueError, match="there is no feature 'x7'"):
            ask(related(50), units=["x7"])


@pytest.mark.parametrize("dtype", [float, object])
def test_a_feature_without_values_has_no_score_and_predicts_nothing(dtype):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    X["empty"] = pd.Series([None] * 40, dtype=dtype)
    result = Explainer(lambda X: X["a"], X, X["a"]).redundancy(n_estimators=50)
    assert dict(zip(result.features, result.status, strict=True)) == {
        "a": "ok",
        "b": "ok",
        "empty": "too few rows",
    }
    without = Explainer(lambda X: X["a"], X[["a", "b"]], X["a"]).redundancy(n_estimators=50)
    np.testing.assert_array_equal(np.isfinite(result.r2), [True, True, False])
    assert (result.r2[:2] < 0.5).all()
    assert without.features == result.features[:2]


def test_redundancy_is_the_same_in_any_order_of_the_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x10": rng.normal(size=60), "x2": rng.integers(0, 3, 60)})
    X["c"], X["d"], y = rng.choice(list("ab"), 60), X["x10"], rng.normal(size=60)
    found = []
    for order in (["x10", "x2", "c", "d"], ["d", "c", "x2", "x10"], ["c", "x10", "d", "x2"]):
        members = [name for name in order if name in ("c", "x2")]
        explainer = Explainer(
            lambda X: np.zeros(len(X)),
            X[order],
            y,
            random_state=0,
            feature_groups={"g": members},
        )
        result = explainer.redundancy(True, n_estimators=50)
        columns = np.column_stack([result.r2, result.low, result.high, result.gain])
        found.append(dict(zip(result.features, columns.tolist(), strict=True)))
    assert found[0] == found[1] == found[2]
