"""Stress beyond a numeric mean: shares, skewed columns, missing values, metrics, intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score, roc_curve

import uqwidgets as uq
from example_results import stress
from uqwidgets.stress.anchors import share_ends
from uqwidgets.stress.compressed import features
from uqwidgets.stress.compressed.compression import compress
from uqwidgets.stress.projection import Column

TAUS = [-1.0, -0.5, 0.0, 0.5, 1.0]


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(5)
    n = 300
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "gain": np.where(rng.random(n) < 0.04, rng.lognormal(8, 1, n), 0.0),
            "sex": rng.choice(["f", "m"], n, p=[0.3, 0.7]),
            "rare": (rng.random(n) < 0.02) * 1,
        }
    )
    X.loc[:9, "gain"] = 5000.0 + np.arange(10)
    y = (X["age"] + 8 * (X["sex"] == "m") + rng.normal(0, 10, n) > 46).astype(int)
    numbers = pd.DataFrame({"age": X["age"], "m": X["sex"] == "m"})
    fitted = LogisticRegression().fit(numbers, y)

    def model(frame):
        return fitted.predict_proba(pd.DataFrame({"age": frame["age"], "m": frame["sex"] == "m"}))

    return uq.Explainer(model, X, y)


@pytest.mark.parametrize(
    ("share", "low", "high"), [(0.3, 0.05, 0.95), (0.02, 0.01, 0.95), (0.97, 0.05, 0.985)]
)
def test_shares_move_to_the_tail_and_its_complement_or_half_way(share, low, high):
    assert share_ends(share, 0.05) == pytest.approx((low, high))


def test_a_category_is_stressed_by_its_share(explainer):
    result = explainer.stress(["sex"], ["error_rate"], taus=TAUS)
    assert result.features == ("sex=f", "sex=m")
    male = (explainer.table.column("sex") == "m").to_numpy()
    share = male.mean()
    line = result.reached[1]
    np.testing.assert_allclose(
        line, [0.05, (share + 0.05) / 2, share, (share + 0.95) / 2, 0.95], atol=1e-9
    )
    assert (result.status == "ok").all()
    weights = explainer.stress_weights("sex", 0.5, category="m")
    assert np.unique(weights.round(12)).size == 2, "one weight inside, one outside"
    assert weights[male].sum() / weights.sum() == pytest.approx(line[3])
    # The two categories are each other's mirror.
    np.testing.assert_allclose(
        result.values["error_rate"][0], result.values["error_rate"][1][::-1], atol=1e-9
    )


def test_a_number_of_two_values_is_a_share(explainer):
    result = explainer.stress(["rare"], ["error_rate"], taus=TAUS)
    share = explainer.table.numbers("rare").mean()
    assert result.target[0, 0] == pytest.approx(share / 2), "half-way to none"
    assert result.target[0, -1] == pytest.approx(0.95)
    assert (result.status == "ok").all()


def test_a_skewed_column_is_stressed_by_tail_means(explainer):
    plain = explainer.stress(["gain"], ["error_rate"], taus=TAUS)
    gain = np.sort(explainer.table.numbers("gain"))
    beyond = np.quantile(gain, 0.95) <= gain.mean()
    assert (plain.status[0, 3:] == ("beyond quantile" if beyond else "ok")).all()
    tails = explainer.stress(["gain"], ["error_rate"], taus=TAUS, anchor="tail-mean")
    assert tails.target[0, -1] == pytest.approx(gain[-15:].mean())
    assert tails.target[0, 0] == pytest.approx(gain[:15].mean())
    assert (tails.status[0, 2:] == "ok").all()
    np.testing.assert_allclose(tails.reached[0, 2:], tails.target[0, 2:], rtol=1e-8)


def test_zero_inflated_columns_cannot_rise_to_a_quantile():
    values = np.where(np.arange(400) < 8, 1000.0 + np.arange(400), 0.0)
    column = Column(values, 0.05)
    assert column.project(0.5).status == "beyond quantile"
    assert Column(values, 0.05, "tail-mean").project(0.5).status == "ok"


def test_missing_values_are_an_error_or_dropped_and_counted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=50), "b": rng.choice(["x", "y"], 50)})
    X.loc[:4, "a"] = np.nan
    X.loc[0, "b"] = None
    explainer = uq.Explainer(lambda d: d["a"].fillna(0).to_numpy(), X, rng.normal(size=50))
    with pytest.raises(ValueError, match="'a' is missing or infinite in 5 of 50 rows"):
        explainer.stress(["a"])
    result = explainer.stress(["a", "b"], ["mean"], missing="drop", taus=3)
    assert result.remarks == (
        "a: 5 of 50 rows without a value are left out",
        "b: 1 of 50 rows without a value are left out",
    )
    present = X["a"].dropna()
    assert result.values["mean"][0, 1] == pytest.approx(present.mean())
    weights = explainer.stress_weights("a", 1.0, missing="drop")
    assert weights.mean() == pytest.approx(1)
    assert (weights[:5] == 0).all()
    assert np.average(X["a"].fillna(0), weights=weights) == pytest.approx(present.quantile(0.95))


@pytest.fixture
def compressions(monkeypatch):
    """Columns that are compressed, by their number of rows."""
    sizes = []

    def counted(values, *others):
        sizes.append(len(values))
        return compress(values, *others)

    monkeypatch.setattr(features, "compress", counted)
    return sizes


def small_explainer(memory_limit="1GiB"):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["x", "y"], 80)})
    X.loc[:4, "a"] = np.nan
    y = rng.normal(size=80)
    return uq.Explainer(lambda d: d["a"].fillna(0).to_numpy(), X, y, memory_limit=memory_limit)


def test_a_further_level_compresses_nothing(compressions):
    explainer = small_explainer()
    explainer.stress(["a", "b"], missing="keep", taus=3)
    assert compressions == [75, 80, 80]
    result = explainer.stress(["a", "b"], missing="keep", taus=[0.3])
    explainer.stress(["b"], missing="keep", taus=[-0.2, 0.7])
    assert len(compressions) == 3
    fresh = small_explainer().stress(["a", "b"], missing="keep", taus=[0.3])
    pd.testing.assert_frame_equal(result.frame, fresh.frame)
    assert result.remarks == fresh.remarks


def test_other_options_rows_and_indicators_are_compressed_anew(compressions):
    explainer = small_explainer()
    calls = [
        {"missing": "keep"},
        {"missing": "drop"},
        {"missing": "drop", "tail": 0.1},
        {"missing": "drop", "anchor": "tail-mean"},
        {"missing": "drop", "indicators": ["mean"]},
        {"missing": "drop", "indicators": [lambda q, y: q.value - y]},
        {"missing": "drop", "indicators": [lambda q, y: q.value + y]},
    ]
    for options in calls:
        fresh = small_explainer().stress(["a"], taus=[0.4], **options)
        compressions.clear()
        pd.testing.assert_frame_equal(
            explainer.stress(["a"], taus=[0.4], **options).frame, fresh.frame
        )
        assert compressions == [75]
    for _ in range(2):
        compressions.clear()
        explainer.stress(["a"], rows=range(40), missing="drop")
        assert compressions == [35]


def test_compressed_columns_are_within_the_memory_limit(compressions):
    explainer = small_explainer("20kB")
    for tail in (0.05, 0.1, 0.15, 0.2):
        explainer.stress(["a", "b"], missing="keep", taus=3, tail=tail)
    assert explainer.evaluations._cache.nbytes <= 8_000
    assert len(compressions) == 12


def test_rates_equal_weighted_rates_of_scikit_learn_and_form_a_roc_path(explainer):
    result = explainer.stress(["age"], ["tpr", "fpr", "error_rate"], taus=TAUS)
    path = result.roc_path("age")
    y = explainer.table.y
    predicted = explainer.evaluations.original.mode()
    for line in path.itertuples():
        w = explainer.stress_weights("age", line.tau)
        fpr, tpr, _ = roc_curve(y, predicted, sample_weight=w, drop_intermediate=False)
        assert line.fpr == pytest.approx(fpr[1])
        assert line.tpr == pytest.approx(tpr[1])
    with pytest.raises(ValueError, match="there is no stressed feature 'sex'"):
        result.roc_path("sex")


def test_scikit_learns_metrics_are_indicators(explainer):
    result = explainer.stress(["age"], ["roc_auc", "f1"], taus=TAUS, level=0.9)
    p = explainer.evaluations.original.probabilities[:, 1]
    for t, tau in enumerate(result.taus):
        w = explainer.stress_weights("age", tau)
        expected = roc_auc_score(explainer.table.y, p, sample_weight=w)
        assert result.values["roc_auc"][0, t] == pytest.approx(expected)
    for name in result.indicators:
        low, value, high = result.low[name], result.values[name], result.high[name]
        assert ((low > 0) & (low < value) & (value < high) & (high < 1)).all()
    X = np.random.default_rng(0).normal(size=(60, 2))
    regression = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
    result = regression.stress(["x1"], ["r2"], taus=3)
    w = regression.stress_weights("x1", 1.0)
    assert result.values["r2"][0, 2] == pytest.approx(
        r2_score(X[:, 0] + X[:, 1], X[:, 0], sample_weight=w)
    )
    with pytest.raises(ValueError, match="roc_auc cannot score this model: it needs prob"):
        regression.stress(["x1"], ["roc_auc"])
    with pytest.raises(ValueError, match="there is no indicator 'r3'"):
        regression.stress(["x1"], ["r3"])


def test_responses_rank_the_features(explainer):
    result = explainer.stress(["age", "sex", "rare"], ["share:1"], taus=TAUS)
    table = result.responses(0.0, 0.5)
    assert list(table.columns) == ["feature", "response", "low", "high", "ess"]
    assert (np.diff(table["response"]) <= 0).all()
    assert table["feature"][0] in ("age", "sex=m")
    assert table["feature"].iloc[-1] == "sex=f"
    row = table.set_index("feature").loc["age"]
    assert row["response"] == pytest.approx(result.values["share:1"][0, 3] - row["low"])
    with pytest.raises(ValueError, match=r"tau 0.3 is not among the levels; the nearest is 0.5"):
        result.responses(0.3, 1.0)


def test_responses_with_a_small_ess_come_last():
    result = stress([[0.1, 0.2, 0.9], [0.1, 0.2, 0.3], [0.1, np.nan, np.nan]], taus=(-1, 0, 1))
    ess = np.array([[40.0, 40.0, 1.1], [40.0, 40.0, 20.0], [40.0, np.nan, np.nan]])
    few = replace(result, ess=ess)
    assert few.responses()["feature"].tolist() == ["f1", "f0", "f2"]
    assert few.responses(least_ess=1)["feature"].tolist() == ["f0", "f1", "f2"]


def test_half_share_is_the_share_of_heaviest_rows_with_half_the_weight(explainer):
    result = explainer.stress(["age"], ["nll"], taus=TAUS)
    for t, tau in enumerate(result.taus):
        w = np.sort(explainer.stress_weights("age", tau))[::-1]
        count = round(result.half_share[0, t] * len(w))
        assert w[:count].sum() >= w.sum() / 2 > w[: count - 1].sum()


def test_intervals_surround_the_estimate_and_widen_with_the_level(explainer):
    names = ["error_rate", "tpr", "nll", "squared_error"]
    result = explainer.stress(["age", "rare"], names, taus=TAUS, level=0.95)
    wider = explainer.stress(["age", "rare"], names, taus=TAUS, level=0.99)
    for name in names:
        low, value, high = result.low[name], result.values[name], result.high[name]
        assert ((low < value) & (value < high)).all()
        assert ((wider.low[name] < low) & (high < wider.high[name])).all()
        assert (low > 0).all(), "none of these can be negative"
    assert (result.high["tpr"] < 1).all()


def test_importance_over_tau_equals_importance_at_each_level_without_model_calls(explainer):
    explainer.importance("entropy", n_repeats=3)
    calls = explainer.model_calls
    result = explainer.importance_over_tau("age", "entropy", taus=TAUS, n_repeats=3)
    assert explainer.model_calls == calls
    for t, tau in enumerate(result.taus):
        weights = explainer.stress_weights("age", tau)
        plain = explainer.importance("entropy", n_repeats=3, sample_weight=weights).frame
        expected = plain.set_index("feature").loc[list(result.features)]
        np.testing.assert_allclose(result.importance[:, t], expected["importance"], atol=1e-12)
        np.testing.assert_allclose(result.low[:, t], expected["low"], atol=1e-12)
        assert result.ess[t] == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert result.frame.shape == (len(result.features) * 5, 9)
    assert "age" in repr(result)
    assert result.to_altair().to_dict()["layer"]
    by_share = explainer.importance_over_tau("sex", "nll", category="m", taus=3, n_repeats=2)
    assert by_share.stressed == "sex=m"
    assert np.isfinite(by_share.importance).all()


def test_stress_to_several_named_constraints(explainer):
    w = explainer.stress_to(
        {"age": 45.0}, shares={"sex": {"m": 0.5}}, variances={"age": 90.0}
    ).weights
    age = explainer.table.numbers("age")
    assert w.mean() == pytest.approx(1)
    assert np.average(age, weights=w) == pytest.approx(45)
    assert np.average((age - 45) ** 2, weights=w) == pytest.approx(90)
    assert w[(explainer.table.column("sex") == "m").to_numpy()].mean() < 1
    alone = explainer.stress_to({"age": explainer.stress(["age"], taus=3).target[0, 2]})
    np.testing.assert_allclose(alone, explainer.stress_weights("age", 1.0), rtol=1e-6, atol=1e-9)
    projected = uq.stress.project(age, age.mean() + 1)
    assert projected.status == "ok"
    with pytest.raises(ValueError, match="age"):
        explainer.stress_to({"age": 1e9})


class TestManyCategories:
    """An id has about as many categories as there are rows."""

    def explainer(self, n=400):
        rng = np.random.default_rng(0)
        names = [f"u{k:03d}" for k in range(n)]
        names[n - 9 :] = ["often"] * 9
        X = pd.DataFrame(
            {"a": rng.normal(size=n), "id": names, "colour": rng.choice(["r", "g"], n)}
        )
        y = X["a"].to_numpy() + rng.normal(size=n)
        return uq.Explainer(lambda X: (X["a"], np.ones(len(X))), X, y)

    @pytest.mark.parametrize("missing", ["error", "drop"])
    def test_features_of_many_categories_are_left_out_unless_named(self, missing):
        result = self.explainer().stress(missing=missing, taus=[0])
        assert result.features == ("a", "colour=g", "colour=r")
        assert result.remarks == (
            "id is left out: it has 392 categories; name it to stress the 50 most frequent of them",
        )

    def test_the_most_frequent_categories_of_a_named_feature_are_stressed(self):
        explainer = self.explainer()
        result = explainer.stress(["id"], taus=[0])
        assert len(result.features) == 50
        assert {"id=often", "id=u000", "id=u048"} <= set(result.features)
        assert result.remarks == (
            "id: the 50 most frequent of 392 categories are stressed; stress_weights takes any "
            "other as its category",
        )
        weights = explainer.stress_weights("id", 0.5, category="u300")
        assert weights[300] > 1 > weights[0]

    def test_fifty_categories_are_stressed_without_a_remark(self):
        X = pd.DataFrame({"id": [f"u{k % 50}" for k in range(200)], "a": np.arange(200.0)})
        result = uq.Explainer(lambda X: X["a"], X, X["a"].to_numpy()).stress(taus=[0])
        assert len(result.features) == 51
        assert result.remarks == ()
