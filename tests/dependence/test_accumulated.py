"""Accumulated local effects compared with loops, with known functions and with the jackknife."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from models import classification, regression, table
from uqwidgets import Explainer
from uqwidgets.measures import available, find


def loop(x, edges, measure_at, weights=None):
    """Return ALE at the edges, one row after the other; `measure_at(row, value)` is the measure."""
    weights = np.ones(len(x)) if weights is None else weights
    steps = []
    for k in range(1, len(edges)):
        total = mean = 0.0
        for i in range(len(x)):
            if edges[k - 1] < x[i] <= edges[k] or (k == 1 and x[i] == edges[0]):
                total += weights[i]
                mean += weights[i] * (measure_at(i, edges[k]) - measure_at(i, edges[k - 1]))
        steps.append(mean / total)
    height = np.concatenate([[0.0], np.cumsum(steps)])
    inside = (x >= edges[0]) & (x <= edges[-1])
    centre = np.average(np.interp(x[inside], edges, height), weights=weights[inside])
    return height - centre


def _measure_at(explainer, X, column, measure):
    q = explainer.predictive(X)
    of = find(measure, available(q, explainer.classes is not None)).of

    def at(row, value):
        replaced = X.copy()
        replaced[:, column] = value
        return of(explainer.predictive(replaced), explainer.evaluations.truth)[row]

    return at


@pytest.mark.parametrize("make", [regression, classification])
@pytest.mark.parametrize("measure", ["prediction", "nll", "entropy"])
def test_effects_equal_the_loop_also_with_weights_and_rows(make, measure):
    explainer = make(60)
    X = table(60)[0]
    at = _measure_at(explainer, X, 1, measure)
    weights = np.random.default_rng(1).exponential(size=60)
    rows = np.arange(60) % 3 > 0
    for options, w in [
        ({}, None),
        ({"sample_weight": weights}, weights),
        ({"sample_weight": weights, "rows": rows}, weights * rows),
    ]:
        result = explainer.accumulated_effects("x1", measure, grid=5, **options)
        expected = loop(X[:, 1], result.grid, at, w)
        np.testing.assert_allclose(result.average, expected, rtol=1e-12, atol=1e-12)
        assert result.accumulated
        assert result.label in result.quantity


def test_effects_of_categories_average_over_the_rows_of_both_neighbours():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": rng.choice(list("abc"), 90), "z": rng.normal(size=90)})
    heights = {"a": 0.0, "b": 1.0, "c": -2.0}

    def model(d):
        h = d["c"].astype(str).map(heights).to_numpy(dtype=float)
        return h * (1 + d["z"].to_numpy() ** 2)

    weights = rng.exponential(size=90)
    result = Explainer(model, frame).accumulated_effects(
        "c", grid=["b", "a", "c"], sample_weight=weights
    )
    assert result.grid.tolist() == ["b", "a", "c"]
    height = [0.0]
    for low, high in [("b", "a"), ("a", "c")]:
        both = frame["c"].isin([low, high]).to_numpy()
        steps = model(frame.assign(c=high)) - model(frame.assign(c=low))
        height.append(height[-1] + np.average(steps[both], weights=weights[both]))
    own = frame["c"].map(dict(zip("bac", height, strict=True))).to_numpy()
    expected = np.array(height) - np.average(own, weights=weights)
    np.testing.assert_allclose(result.average, expected, rtol=1e-12)


def test_categories_with_similar_rows_are_neighbours_and_an_order_is_kept():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 5, 1000)
    names = np.array(["d", "a", "e", "b", "c"])
    frame = pd.DataFrame({"c": names[place], "z": place + rng.normal(size=1000)})
    frame["kind"] = np.where(place > 2, "high", "low")
    explainer = Explainer(lambda d: d["z"].to_numpy(), frame)
    found = explainer.accumulated_effects("c").grid.tolist()
    assert found in (list("daebc"), list("cbead"))
    ordered = frame.assign(c=pd.Categorical(frame["c"], categories=list("bcaed"), ordered=True))
    explainer = Explainer(lambda d: d["z"].to_numpy(), ordered)
    assert explainer.accumulated_effects("c").grid.tolist() == list("bcaed")


def test_effects_of_dependent_features_are_those_of_the_known_function():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    X[:, 1] = 0.9 * X[:, 0] + np.sqrt(1 - 0.81) * X[:, 1]
    edges = np.linspace(-1.5, 1.5, 13)
    additive = Explainer(lambda X: np.sin(X[:, 0]) + X[:, 1] ** 2, X)
    result = additive.accumulated_effects("x0", grid=edges)
    np.testing.assert_allclose(np.diff(result.average), np.diff(np.sin(edges)), atol=1e-12)
    np.testing.assert_allclose(result.std_error[1:] * 0, 0)
    # The effect of x0 in x0 * x1 is the integral of E[x1 | x0] = 0.9 x0.
    product = Explainer(lambda X: X[:, 0] * X[:, 1], X).accumulated_effects("x0", grid=edges)
    expected = 0.45 * edges**2
    gap = product.average - product.average.mean() - expected + expected.mean()
    assert np.abs(gap).max() < 0.05


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("feature", "grid"), [("x0", [-9.0, -0.5, 0.5, 9.0]), ("c", list("abc"))])
def test_standard_errors_are_those_of_the_infinitesimal_jackknife(grouped, feature, grid):
    rng = np.random.default_rng(0)
    x0, x1 = rng.normal(size=(2, 400))
    x1 += x0
    frame = pd.DataFrame({"x0": x0, "x1": x1, "c": np.array(list("abc"))[np.digitize(x1, [-1, 1])]})
    units = rng.integers(0, 150, 400) if grouped else np.arange(400)
    weights = rng.uniform(0.5, 2, size=400)

    def model(d):
        return d["x0"].to_numpy() * d["x1"].to_numpy() * (1 + (d["c"] == "b").to_numpy())

    explainer = Explainer(model, frame, groups=units if grouped else None)

    def effects(weights):
        return explainer.accumulated_effects(feature, grid=grid, sample_weight=weights)

    result, step = effects(weights), 1e-4
    squares = 0.0
    for unit in np.unique(units):
        more = effects(weights * np.where(units == unit, 1 + step, 1)).average
        squares = squares + np.square((more - result.average) / step)
    np.testing.assert_allclose(result.std_error, np.sqrt(squares), rtol=0.015)


def test_intervals_cover_the_effects_of_the_population():
    edges = np.array([-9.0, -1.0, -0.3, 0.3, 1.0, 9.0])

    def draw(n, rng):
        X = rng.normal(size=(n, 2))
        X[:, 1] = 0.7 * X[:, 0] + 0.7 * X[:, 1]
        return np.clip(X, -4, 4)

    def model(X):
        return X[:, 0] * X[:, 1] + 0.3 * X[:, 1] ** 3

    truth = Explainer(model, draw(400_000, np.random.default_rng(9)))
    truth = truth.accumulated_effects("x0", grid=edges).average
    rng, covered, together = np.random.default_rng(0), [], []
    for _ in range(300):
        explainer = Explainer(model, draw(150, rng))
        result = explainer.accumulated_effects("x0", grid=edges)
        covered.append((result.low <= truth) & (truth <= result.high))
        result = explainer.accumulated_effects("x0", grid=edges, simultaneous=True)
        together.append(((result.low <= truth) & (truth <= result.high)).all())
    assert 0.93 <= np.mean(covered) <= 0.97
    assert 0.92 <= np.mean(together) <= 0.985


def test_partial_dependence_other_measures_and_rows_ask_the_model_nothing():
    explainer = regression()
    effects = explainer.accumulated_effects("x0", grid=7)
    before = explainer.rows_evaluated
    explainer.accumulated_effects("x0", "nll", grid=7, rows=np.arange(30))
    explainer.accumulated_effects("x0", sample_weight=explainer.stress_weights("x0", 0.5), grid=7)
    curve = explainer.dependence("x0", grid=7)
    assert explainer.rows_evaluated == before
    # The curves of rows are those of partial dependence, each moved to a mean of zero.
    moved = curve.ice - effects.ice
    np.testing.assert_allclose(moved, np.tile(moved[:, :1], 7), atol=1e-12)


def test_dates_have_bins_in_time_and_missing_values_none():
    days = pd.date_range("2020-01-01", periods=120).to_series(index=range(120))
    days[[3, 50]] = pd.NaT
    frame = pd.DataFrame({"day": days, "z": np.linspace(-1, 1, 120)})
    first = days.min()
    explainer = Explainer(lambda d: (d["day"] - first).dt.days.fillna(0).to_numpy() * 0.5, frame)
    result = explainer.accumulated_effects("day", grid=5)
    own = (pd.Series(result.grid) - first).dt.days.to_numpy() * 0.5
    np.testing.assert_allclose(np.diff(result.average), np.diff(own), rtol=1e-12)
    assert "2 rows without a value of 'day' within the bins do not count" in result.remarks


def test_a_table_whose_curves_do_not_fit_has_the_same_effects():
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    whole, tight = (
        Explainer(lambda X: X[:, 0] * X[:, 1], X, **options).accumulated_effects("x0", grid=30)
        for options in ({}, {"memory_limit": 8_000_000})
    )
    np.testing.assert_array_equal(whole.average, tight.average)
    np.testing.assert_array_equal(whole.low, tight.low)
    assert len(tight.curve_rows) < 20_000


def test_small_bins_are_joined_and_rows_outside_are_left_out():
    explainer = regression()
    default = explainer.accumulated_effects("x0")
    x = table()[0][:, 0]
    assert np.histogram(x, default.grid)[0].min() >= 20
    assert (default.grid[0], default.grid[-1]) == (x.min(), x.max())
    assert not default.remarks
    inner = np.sort(x)[[5, 20, 20, 21, 50]]
    result = explainer.accumulated_effects("x0", grid=inner)
    assert [r.code for r in result.remarks][:2] == ["joined-bins", "rows-outside-bins"]
    assert len(result.rows) == 46
    half = explainer.accumulated_effects("x0", grid=5, rows=x > np.median(x))
    assert half.grid[0] >= explainer.dependence("x0", grid=5).grid[1]


@pytest.mark.parametrize(
    ("feature", "options", "message"),
    [
        ("one", {}, "need rows with at least 2 different values"),
        ("c", {"rows": [0, 1]}, "need rows with at least 2 different categories"),
        ("a", {"grid": [8.0, 9.0]}, "no scored row has a value of 'a' from 8.0 to 9.0"),
    ],
)
def test_features_and_rows_without_effects_are_refused(feature, options, message):
    frame = pd.DataFrame({"a": np.arange(6.0), "one": np.ones(6), "c": list("aaabbb")})
    explainer = Explainer(lambda d: d["a"].to_numpy(), frame)
    with pytest.raises(ValueError, match=message):
        explainer.accumulated_effects(feature, **options)


def test_pictures_say_what_the_effects_are():
    effects = classification().accumulated_effects("x1", "entropy", grid=4)
    assert repr(effects).startswith("Accumulated effect of x1 on entropy (nats): 4 values")
    html = effects._repr_html_()
    assert "Thick line: accumulated local effects, with its 95% band" in html
    assert effects.to_altair().to_dict()
    assert len(effects.tests()) == 4


def test_a_remark_says_where_partial_dependence_averages_what_does_not_occur():
    rng, n_false = np.random.default_rng(0), 0
    for _ in range(60):
        X = rng.normal(size=(300, 2))
        result = Explainer(lambda X: X[:, 0] * X[:, 1], X).accumulated_effects("x0", grid=8)
        n_false += "unlike-partial-dependence" in [remark.code for remark in result.remarks]
    assert n_false <= 6
    X[:, 1] += X[:, 0]
    result = Explainer(lambda X: X[:, 0] * X[:, 1], X).accumulated_effects("x0", grid=8)
    (remark,) = result.remarks
    assert "that of partial dependence, likewise centred, is" in remark
    additive = Explainer(lambda X: X[:, 0] ** 2 + X[:, 1], X).accumulated_effects("x0", grid=8)
    assert not additive.remarks
    flat = Explainer(lambda X: 1e6 + X[:, 1], X).accumulated_effects("x0", grid=8)
    np.testing.assert_allclose(flat.average, 0, atol=1e-9)
    assert not flat.remarks
