"""Intervals under stress from batches, against the influence of every row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import beta, norm
from scipy.stats import t as student

import uqwidgets as uq
from cases import thorough_after
from stressed import classifier_and_regressor
from uqwidgets.stress.anchors import anchors_of
from uqwidgets.stress.compressed.compression import compress
from uqwidgets.stress.compressed.levels import levels
from uqwidgets.stress.indicators import ANY, MEAN, POSITIVE, RATIO, ROOT, SHARE, VARIANCE, Indicator
from uqwidgets.stress.out_of_core.profile import (
    profile_batches,
    stress_of_batches,
    summarise_columns,
)
from uqwidgets.stress.out_of_core.sources import source_of

N = 4000
TAUS = np.array([-1.0, -0.6, 0.0, 0.3, 1.0])


def frame(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "shifted": 1e6 + rng.gamma(2.0, size=n),
            "skewed": rng.lognormal(0, 4, n),
            "inflated": np.where(rng.random(n) < 0.3, 0.0, rng.gamma(0.5, size=n)),
            "count": rng.poisson(4, n),
            "binary": (rng.random(n) < 0.2) * 3.0,
            "rare": (rng.random(n) < 0.02) + 0.5,
            "colour": rng.choice(["red", "green", "blue"], n, p=[0.7, 0.28, 0.02]),
        }
    )


def indicators(batch):
    """Make an indicator of each kind, with inputs far from 0."""
    x = batch["normal"].fillna(0.0).to_numpy() + 0.2 * batch["count"].to_numpy()
    score = 1e5 + x + np.cos(batch["shifted"].to_numpy())
    around = score - 1e5 - 0.5
    yes, hit = (np.sin(7 * x) > 0) * 1.0, (x > 0.5) * 1.0
    return [
        Indicator("mean", "mean", "", (score,), MEAN, ANY),
        Indicator("variance", "variance", "", (around**2, around), VARIANCE, POSITIVE),
        Indicator("rmse", "RMSE", "", ((np.exp(x / 3) - 1) ** 2,), ROOT, POSITIVE),
        Indicator("tpr", "TPR", "", (hit * yes, yes), RATIO, SHARE),
        Indicator("share", "share", "", (hit,), MEAN, SHARE),
        Indicator("never", "never", "", (np.zeros(len(batch)),), MEAN, SHARE),
        Indicator("always", "always", "", (yes, yes), RATIO, SHARE),
    ]


def stressed(batches, features=None, *, anchor="quantile", missing="error", level=0.9):
    source = source_of(batches)
    result = summarise_columns(source, lambda labels: labels if features is None else features)
    return stress_of_batches(
        source,
        result,
        indicators,
        named=True,
        taus=TAUS,
        tail=0.05,
        anchor=anchor,
        missing=missing,
        level=level,
    )


def pieces(rows, k=7):
    return [rows.iloc[part] for part in np.array_split(np.arange(len(rows)), k)]


def end_influence(anchors, values, upper):
    """Influence of rows on an end; of a quantile, with the sparsity that the nodes tell."""
    if anchors.kind != "quantile":
        return anchors.influence(values, upper=upper)
    column = compressed(values, anchors)
    by_nodes = anchors.end_influence(
        len(values), lambda p: column.quantiles(p, upper=upper), upper=upper
    )
    inside = values >= anchors.high if upper else values <= anchors.low
    return by_nodes.jump * (inside - anchors.tail)


def compressed(values, anchors):
    return compress(values, (), anchors.low, anchors.high)


def by_rows(values, anchor, per_row):
    """Standard errors and effective sample sizes of each indicator, row by row."""
    anchors = anchors_of(values, 0.05, anchor)
    solved = levels(compressed(values, anchors), TAUS)
    x, n = values - values.mean(), len(values)
    for k, tau in enumerate(TAUS):
        if solved.status[k] not in ("ok", "edge"):
            yield None
            continue
        w = solved.row_weights(slice(k, k + 1), values)[0]
        on = w > 0
        deviation = x - np.average(x[on], weights=w[on])
        spread = 0.0 if solved.status[k] == "edge" else np.mean(w * deviation**2)
        target = (1 - abs(tau)) * x
        if tau:
            target = target + abs(tau) * end_influence(anchors, values, tau > 0)
        errors, sizes = [], []
        for indicator in per_row:
            means = [np.mean(w * o) for o in indicator.per_row]
            linear = sum(
                slope * (o - mean)
                for slope, o, mean in zip(
                    indicator.combination.slopes(*np.array(means)),
                    indicator.per_row,
                    means,
                    strict=True,
                )
            )
            slope = np.mean(w * deviation * linear) / spread if spread else 0.0
            influence = w * (linear - slope * deviation) + slope * target
            errors.append(np.sqrt(np.mean(influence**2) / n))
            counted = w * indicator.per_row[1] if indicator.combination is RATIO else w
            sizes.append(counted.sum() ** 2 / np.sum(counted**2))
        yield errors, sizes, w.sum() ** 2 / np.sum(w**2)


def half_widths(value, low, high, bounds):
    """Return the two half widths of an interval on the scale of the estimate."""
    if bounds == SHARE:
        return np.array([logit(value) - logit(low), logit(high) - logit(value)]) * (
            value * (1 - value)
        )
    if bounds == POSITIVE:
        return np.log([value / low, high / value]) * value
    return np.array([value - low, high - value])


def numbers(rows, feature):
    name, _, label = feature.partition("=")
    column = rows[name]
    present = column.notna().to_numpy()
    if label:
        return present, (column[present] == label).to_numpy(dtype=float)
    return present, column[present].to_numpy(dtype=float)


@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
def test_standard_errors_are_those_of_the_influences_of_all_rows(anchor):
    rows = frame()
    rows.loc[5:80, "normal"] = np.nan
    rows.loc[7:9, "colour"] = None
    result = stressed(pieces(rows), anchor=anchor, missing="drop")
    assert result.level == 0.9
    assert len(result.features) == 10
    for j, feature in enumerate(result.features):
        present, values = numbers(rows, feature)
        per_row = [replace(i, per_row=[o[present] for o in i.per_row]) for i in indicators(rows)]
        for k, expected in enumerate(by_rows(values, anchor, per_row)):
            for q, indicator in enumerate(per_row):
                name = indicator.name
                value, low, high = (v[name][j, k] for v in (result.values, result.low, result.high))
                if expected is None:
                    assert np.isnan([value, low, high]).all()
                    continue
                errors, sizes, ess = expected
                if name in ("never", "always"):
                    most = beta.ppf(0.95, 1, sizes[q])  # Clopper and Pearson
                    seen_all = name == "always"
                    ends = [1 - most, 1.0] if seen_all else [0.0, most]
                    np.testing.assert_allclose([low, high], ends, rtol=1e-7)
                    continue
                halves = half_widths(value, low, high, indicator.bounds)
                np.testing.assert_allclose(
                    halves,
                    student.ppf(0.95, ess - 1) * errors[q],
                    rtol=1e-7,
                    err_msg=f"{feature} {name} {TAUS[k]}",
                )
    statuses = {"ok", "edge"} | ({"beyond quantile"} if anchor == "quantile" else set())
    assert set(result.status.ravel().tolist()) == statuses


@pytest.mark.parametrize("upper", [False, True])
def test_the_sparsity_of_the_nodes_is_about_that_of_the_rows(upper):
    rows = frame(100_000)
    for name in ("normal", "shifted", "skewed", "count"):
        values = rows[name].to_numpy(dtype=float)
        anchors = anchors_of(values, 0.05, "quantile")
        exact = anchors.influence(values, upper=upper)
        result = end_influence(anchors, values, upper)
        few = name == "count"  # the nodes are then the values, so the sparsity is the same
        np.testing.assert_allclose(result, exact, rtol=1e-12 if few else 0.01)


@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
def test_intervals_do_not_depend_on_the_batches(anchor):
    # The rows are sorted, so that the means change from batch to batch.
    rows = frame().sort_values("normal")
    expected = stressed(rows, anchor=anchor)
    answers = [stressed(pieces(rows), anchor=anchor)]
    dask = pytest.importorskip("dask", reason="needs the extra dask")
    import dask.dataframe as dd

    with dask.config.set(scheduler="synchronous"):
        answers.append(stressed(dd.from_pandas(rows, npartitions=5), anchor=anchor))
    for result in answers:
        for name in expected.indicators:
            for side in ("values", "low", "high"):
                np.testing.assert_allclose(
                    getattr(result, side)[name],
                    getattr(expected, side)[name],
                    rtol=1e-9,
                    atol=1e-12,
                )


def test_second_moments_are_summed_only_for_intervals(monkeypatch):
    rows = frame(1500)
    whole = stressed(rows)

    def refuse(*_):
        raise AssertionError("products were computed")

    monkeypatch.setattr("uqwidgets.stress.out_of_core.sums.with_products", refuse)
    result = stressed(rows, level=None)
    assert result.level is None
    for name in result.indicators:
        assert np.isnan(result.low[name]).all()
        assert np.isnan(result.high[name]).all()
        np.testing.assert_allclose(result.values[name], whole.values[name], rtol=1e-12)


MODELS = list(classifier_and_regressor(frame(20_000)[["normal", "count", "binary"]]))


@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
@pytest.mark.parametrize(("model", "X", "y"), MODELS, ids=["classes", "numbers"])
def test_intervals_are_near_those_of_rows_in_memory(model, X, y, anchor):
    expected = uq.Explainer(model, X, y).stress(taus=TAUS, anchor=anchor, level=0.95)
    batches = pieces(X.assign(answer=y), 3)
    result = uq.stress_batches(model, batches, "answer", taus=TAUS, anchor=anchor, level=0.95)
    assert result.level == 0.95
    # The corrections for heavy rows and skewness in memory vanish with the effective sample size.
    plain, many = result.taus == 0, result.ess > len(X) / 2
    for name in expected.indicators:
        width = expected.high[name] - expected.low[name]
        for side in ("low", "high"):
            distance = np.abs(getattr(result, side)[name] - getattr(expected, side)[name]) / width
            assert np.isfinite(distance).all()
            assert distance[:, plain].max() < 0.01, name
            assert distance[many].max() < (0.15 if name == "variance" else 0.05), name


@pytest.mark.thorough
def test_intervals_cover():
    rng = np.random.default_rng(7)
    n, runs, at = 5000, 150, np.array([-1.0, 0.0, 0.5, 1.0])
    # Stressed, the column is normal around the target (Bachoc et al. 2023, section 2.2).
    target = at * norm.ppf(0.95)
    truths = {"line": target, "wave": np.sin(target) * np.exp(-0.5)}
    n_covered = {name: np.zeros(4) for name in truths}
    for _ in range(runs):
        x, noise = rng.normal(size=(2, n))
        batch = pd.DataFrame({"x": x, "noise": noise})
        result = profile_batches(
            batch,
            lambda b: {"line": b["x"] + b["noise"], "wave": np.sin(b["x"])},
            ["x"],
            taus=at,
            level=0.95,
        )
        for name, truth in truths.items():
            n_covered[name] += (result.low[name][0] <= truth) & (truth <= result.high[name][0])
    for name, times in n_covered.items():
        share = times / runs
        assert (share <= 0.99).all(), name
        # An output that is not linear in the column needs more rows in the tails to cover.
        enough = np.abs(at) < 1 if name == "wave" else np.ones(4, dtype=bool)
        assert (share[enough] >= 0.90).all(), name


def test_one_row_has_no_interval():
    batches = [pd.DataFrame({"x": [0.0, 1.0]}), pd.DataFrame({"x": [2.0, 5.0]})]
    result = profile_batches(
        batches, lambda b: {"x": b["x"]}, tail=0.01, anchor="tail-mean", taus=3, level=0.95
    )
    assert result.status[0].tolist() == ["edge", "ok", "edge"]
    assert np.isnan(result.low["x"][0, [0, 2]]).all()
    assert np.isfinite(result.high["x"][0, 1])


@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
@pytest.mark.parametrize("unit", [2.0**-700, 2.0**700])
def test_intervals_do_not_depend_on_the_unit_of_a_column(anchor, unit):
    rows = frame(2000)[["normal", "count"]]
    whole = profile_batches(rows, lambda b: {"x": np.sin(b["normal"])}, anchor=anchor, level=0.9)
    result = profile_batches(
        rows * unit, lambda b: {"x": np.sin(b["normal"] / unit)}, anchor=anchor, level=0.9
    )
    np.testing.assert_allclose(result.low["x"], whole.low["x"], rtol=1e-9)
    np.testing.assert_allclose(result.high["x"], whole.high["x"], rtol=1e-9)


def test_batches_of_missing_values_change_nothing():
    rows = frame(3000)
    rows.loc[1000:1999, "normal"] = np.nan
    expected = stressed(rows.drop(index=range(1000, 2000)), ["normal"])
    result = stressed(pieces(rows, 3), ["normal"], missing="drop")
    for name in expected.indicators:
        np.testing.assert_allclose(result.low[name], expected.low[name], rtol=1e-9)


def test_pictures_hold_the_intervals_of_batches():
    rows = frame(2000)
    result = profile_batches(rows, lambda b: {"x": b["normal"]}, ["count"], level=0.8)
    assert result.frame["low"].notna().all()
    band = next(
        layer for layer in result.to_altair().to_dict()["layer"] if "y2" in str(layer["encoding"])
    )
    assert band["mark"]["type"] == "area"
    assert "under stress" in result._repr_html_()


@pytest.mark.parametrize("level", [0, 1.0, 95])
def test_invalid_levels_are_refused(level):
    with pytest.raises(ValueError, match=f"level is {level}; it must be between 0 and 1, such as"):
        profile_batches(frame(50), lambda b: {"x": b["normal"]}, level=level)


@pytest.mark.parametrize("n", [1, 2, 8])
@pytest.mark.parametrize("one_by_one", [True, False])
def test_few_rows_equal_the_explainer_with_intervals_around_the_values(n, one_by_one):
    rng = np.random.default_rng(8)
    rows = pd.DataFrame({"x": rng.normal(size=n), "skewed": rng.lognormal(0, 3, n)})
    rows["y"] = (rows["x"] + rng.normal(size=n) > 0).astype(int)

    def probabilities(X):
        yes = 1 / (1 + np.exp(-X["x"]))
        return np.column_stack([1 - yes, yes])

    model = uq.as_predictive(probabilities, classes=[0, 1])
    batches = [rows.iloc[k : k + 1] for k in range(n)] if one_by_one else rows
    wishes = {"features": ["x", "skewed"], "taus": 5, "tail": 0.001, "level": 0.999}
    result = uq.stress_batches(model, batches, "y", **wishes)
    whole = uq.Explainer(model, rows[["x", "skewed"]], rows["y"])
    expected = whole.stress(**wishes)
    for name in expected.indicators:
        # Rates of rows with almost no weight too.
        np.testing.assert_allclose(result.values[name], expected.values[name], atol=1e-9)
        low, value, high = (side[name] for side in (result.low, result.values, result.high))
        known = np.isfinite(low)
        assert (known == (result.ess > 1 + 1e-9) & np.isfinite(value)).all()
        assert (low <= value)[known].all()
        assert (value <= high)[known].all()


def test_a_rate_of_almost_no_weight_has_the_interval_zero_to_one():
    x = np.random.default_rng(0).normal(size=3000)

    def outputs(batch):
        rare = (batch["x"].to_numpy() < np.quantile(x, 0.01)) * 1.0
        return [Indicator("tpr", "TPR", "", (0.0 * rare, rare), RATIO, SHARE)]

    source = source_of(pd.DataFrame({"x": x}))
    result = stress_of_batches(
        source,
        summarise_columns(source, list),
        outputs,
        named=True,
        taus=3,
        tail=0.001,
        anchor="quantile",
        missing="error",
        level=0.95,
    )
    assert (result.values["tpr"] == 0).all()
    assert (result.low["tpr"] == 0).all()
    assert result.high["tpr"][0, 2] == pytest.approx(0.975)  # Clopper-Pearson, one row
