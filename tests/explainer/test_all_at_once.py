"""Bands, stress, calibration and scores whose intervals hold all at once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import uqwidgets as uq

N = 150


def table():
    X = np.random.default_rng(0).normal(size=(N, 3))
    return X, X[:, 0] + 0.5 * X[:, 1] + np.random.default_rng(1).normal(size=N)


def explainer(slope=1.0, **options):
    X, y = table()
    return uq.Explainer(
        lambda X: (slope * X[:, 0] * (1 + 0.5 * np.tanh(X[:, 1])), np.exp(0.2 * X[:, 2])),
        X,
        y,
        **options,
    )


EX, OTHER = explainer(), explainer(0.6)
COMPARISONS = {"models": EX.compare(OTHER), "rows": EX.compare_rows(np.arange(N) < 70)}


def numbers(result):
    return result.frame.select_dtypes("number").to_numpy()


def assert_is_that_of_the_pointwise_level(make, level=0.95, of=lambda result: result):
    """Check the intervals of all at once by those of their pointwise level, and the texts."""
    together = make(level=level, simultaneous=True)
    pointwise = of(together).pointwise_level
    alone = make(level=pointwise)
    assert of(together).simultaneous
    assert not of(alone).simultaneous
    assert level < pointwise < 1
    np.testing.assert_allclose(numbers(of(together)), numbers(of(alone)), rtol=1e-12)
    assert " at once" in of(together)._repr_html_()
    assert " at once" in repr(of(together))
    assert " at once" not in repr(alone) + alone._repr_html_()
    return of(together)


def test_the_band_of_a_curve_holds_at_all_points():
    result = assert_is_that_of_the_pointwise_level(
        lambda **options: EX.dependence("x0", "squared_error", grid=20, **options)
    )
    # Neighbouring points of a curve depend on each other, so less than Bonferroni is enough.
    assert result.pointwise_level < 1 - 0.05 / 8


def test_the_bands_of_several_curves_hold_together():
    curves = EX.dependences(grid=6, measure="nll", simultaneous=True)
    (level,) = {curve.pointwise_level for curve in curves.values()}
    alone = EX.dependence("x1", "nll", grid=6, simultaneous=True).pointwise_level
    assert alone < level <= 0.95 ** (1 / 18)


def test_the_band_of_a_curve_covers_the_whole_curve():
    rng, tables, grid = np.random.default_rng(3), 200, np.linspace(-2, 2, 9)
    misses = {True: 0, False: 0}
    for _ in range(tables):
        X = rng.normal(size=(80, 2))
        # The curve of a row is sin(3 v + x1), and their mean exp(-1 / 2) sin(3 v).
        ex = uq.Explainer(lambda X: np.sin(3 * X[:, 0] + X[:, 1]), X)
        truth = np.exp(-0.5) * np.sin(3 * grid)
        for together in misses:
            curve = ex.dependence("x0", grid=grid, simultaneous=together)
            misses[together] += bool(((truth < curve.low) | (truth > curve.high)).any())
    assert misses[True] <= tables * 0.05 + 3 * np.sqrt(tables * 0.05 * 0.95)
    assert misses[False] > 1.5 * misses[True]


def test_all_values_under_stress_hold_at_once():
    result = assert_is_that_of_the_pointwise_level(
        lambda **options: EX.stress(["x0", "x1"], ["mean", "rmse"], taus=5, **options)
    )
    assert result.n_values == 2 * 5 * 2
    assert result.pointwise_level < 0.95 ** (1 / 20)
    with pytest.raises(ValueError, match="pass their level too"):
        EX.stress(["x0"], simultaneous=True)


def test_scorers_and_missing_values_under_stress_count():
    X, y = table()
    X[:20, 1] = np.nan
    ex = uq.Explainer(lambda X: X[:, 0] + 0.1 * X[:, 2], X, y)
    options = {"taus": 3, "level": 0.9, "missing": "drop", "simultaneous": True}
    plain = ex.stress(["x0", "x1"], ["mean"], **options).pointwise_level
    scored = ex.stress(["x0", "x1"], ["mean", "r2"], **options).pointwise_level
    assert 0.9 < plain < scored <= 0.9 ** (1 / 12)


@pytest.mark.parametrize("classes", [False, True])
def test_calibration_holds_at_all_points(classes):
    X, y = table()
    model = LogisticRegression().fit(X, y > 0)
    ex = uq.Explainer(model, X, y > 0) if classes else EX
    result = assert_is_that_of_the_pointwise_level(ex.calibration)
    if classes:  # bins share no row
        assert result.pointwise_level == pytest.approx(0.95**0.1, abs=2e-3)
    else:
        assert result.n_intervals == 23


def test_a_share_of_all_rows_counts_too():
    X, y = table()
    ex = uq.Explainer(lambda X: (X[:, 0], np.full(len(X), 50.0)), X, y)  # no row is in the tails
    result = ex.calibration(simultaneous=True)
    assert result.pointwise_level > 0.95 ** (1 / 15)


def test_scores_hold_at_once():
    result = assert_is_that_of_the_pointwise_level(EX.scores)
    assert result.pointwise_level < 0.95 ** (1 / len(result.names))


@pytest.mark.parametrize("sides", COMPARISONS)
@pytest.mark.parametrize("what", ["dependence", "scores", "stress"])
def test_differences_hold_at_once(sides, what):
    comparison = COMPARISONS[sides]
    make = {
        "dependence": lambda **options: comparison.dependence("x0", "nll", grid=7, **options),
        "scores": comparison.scores,
        "surface": lambda **options: EX.dependence(["x0", "x2"], "std", grid=4, **options),
        "stress": lambda **options: comparison.stress(["x0"], ["mean", "nll"], taus=3, **options),
    }[what]
    difference = assert_is_that_of_the_pointwise_level(make, of=lambda result: result.difference)
    assert make(simultaneous=True, level=0.95).first.pointwise_level != difference.pointwise_level


RESULTS = {
    "importance": lambda **options: EX.importance("nll", n_repeats=3, **options),
    "ratio": lambda **options: EX.importance("nll", n_repeats=3, compare="ratio", **options),
    "curve": lambda **options: EX.dependence("x0", "nll", grid=6, center=True, **options),
    "stress": lambda **options: EX.stress(["x1"], ["mean", "nll", "r2"], taus=3, **options),
    "scores": lambda **options: EX.scores(
        ["nll", "rmse", "r2", "neg_median_absolute_error"], **options
    ),
    "calibration": lambda **options: EX.calibration(**options),
    "diagnosis": lambda **options: EX.diagnose(**options),
    "models": lambda **options: COMPARISONS["models"].stress(["x0"], ["mean"], **options),
    "rows": lambda **options: COMPARISONS["rows"].stress(["x0"], ["mean"], **options),
    "curves of models": lambda **options: COMPARISONS["models"].dependence("x0", **options),
    "curves of rows": lambda **options: COMPARISONS["rows"].dependence("x0", **options),
    "scores of models": lambda **options: COMPARISONS["models"].scores(**options),
}


@pytest.mark.parametrize("name", RESULTS)
def test_p_values_agree_with_the_intervals(name):
    result = RESULTS[name](level=0.9)
    frame, tests = result.frame, result.tests(None, "two-sided")
    if name == "diagnosis":
        low, high = (np.r_[frame[f"nll_{end}"], frame[f"entropy_{end}"]] for end in ("low", "high"))
    else:
        low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
    null = {"ratio": 1.0, "calibration": frame.get("predicted")}.get(name, 0.0)
    known = np.isfinite(low)
    clear = (low > null) | (high < null)
    np.testing.assert_array_equal(clear[known], (tests["p_value"] < 0.1)[known])
    assert np.isnan(tests["p_value"][~known]).all()
    greater, less = (result.tests(None, side)["p_value"] for side in ("greater", "less"))
    np.testing.assert_allclose(
        np.minimum(1, 2 * np.minimum(greater, less))[known], tests["p_value"][known]
    )
    np.testing.assert_array_equal((low > null)[known], (greater < 0.05)[known])
    keys = [column for column in tests if not column.startswith("p_")]
    assert len(tests) == len(low)
    if name != "diagnosis":
        np.testing.assert_array_equal(tests[keys], frame[keys])
    assert (result.tests("holm", "less")["p_adjusted"] >= less)[known].all()
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.tests(), result.tests())


@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("classes", [False, True])
def test_the_end_of_each_score_has_the_p_value_of_its_level(end, classes):
    X, y = table()
    events = y > 1.8  # few of them
    ex, names = EX, ["nll", "r2", "neg_median_absolute_error"]
    if classes:
        model = LogisticRegression(class_weight="balanced").fit(X[:, 1:], events)
        ex = uq.Explainer(lambda X: model.predict_proba(X[:, 1:]), X, events)
        names = ["error_rate", "roc_auc", "balanced_accuracy"]
    scores = ex.scores(names, level=0.8)
    for name, value in zip(scores.names, getattr(scores, end), strict=True):
        p = scores.tests(None, null=value).set_index("score")["p_value"]
        assert p[name] == pytest.approx(0.2, rel=1e-6)


def test_results_without_intervals_at_other_levels_have_no_tests():
    X, y = table()
    with pytest.raises(ValueError, match="no p-values"):
        EX.stress(["x0"], ["mean"], taus=3).tests()
    learner = uq.Learner(LinearRegression(), X, y, n_refits=3)
    with pytest.raises(ValueError, match="no p-values"):
        learner.dependence("x0", grid=3).tests()
    with pytest.raises(ValueError, match="against 1 alone"):
        EX.importance("nll", n_repeats=2, compare="ratio").tests(null=0.5)


def test_differences_of_scores_say_how_many_rows_they_need():
    result = COMPARISONS["models"].scores()
    needed = result.rows_needed().set_index("score")["rows"]
    of = result.difference
    clear = (of.low > 0) | (of.high < 0)
    np.testing.assert_array_equal(needed <= N, clear)
    np.testing.assert_array_equal(np.isinf(needed), np.abs(of.value) <= of.std_error)
    with pytest.raises(ValueError, match="how many rows they need"):
        COMPARISONS["models"].dependence("x0").rows_needed()


def test_groups_of_rows_are_the_units_of_all():
    grouped = explainer(groups=np.arange(N) // 5)
    for make in (
        lambda **options: grouped.dependence("x0", "nll", grid=7, **options),
        grouped.scores,
        grouped.calibration,
    ):
        result = make(simultaneous=True)
        assert 0.95 < result.pointwise_level < 1
        assert result.groups.number == 30


def test_a_surface_holds_at_all_points():
    result = assert_is_that_of_the_pointwise_level(
        lambda **options: EX.dependence(("x0", "x1"), "nll", grid=4, **options)
    )
    assert result.pointwise_level <= 0.95 ** (1 / 16)
    # In parts, the curves of the two features alone do not count either.
    in_parts = explainer(memory_limit="20kB").dependence(
        ("x0", "x1"), "nll", grid=4, simultaneous=True
    )
    assert in_parts.pointwise_level == pytest.approx(result.pointwise_level, abs=1e-9)
    with pytest.raises(ValueError, match="smaller grid"):
        EX.dependence(("x0", "x1"), grid=101, simultaneous=True)
