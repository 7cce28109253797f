"""Memory at the peak of an analysis beside the limit of its explainer, and the same numbers."""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest

from cases import thorough_after
from memory import least_peak
from uqwidgets import Explainer
from uqwidgets.evaluation.cache import parse_bytes

N = 20_000
# As many bytes as 25 numbers per row: 50 values or repeats do not fit.
LIMIT = 4_000_000
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N, 3))
Y = X[:, 0] + X[:, 1] + RANDOM.logistic(size=N) > 0
WEIGHTS = RANDOM.gamma(2.0, size=N)


def two_classes(rows):
    p = 1 / (1 + np.exp(-rows[:, 0] - rows[:, 1] * (1 + rows[:, 2] / 8)))
    return np.column_stack([1 - p, p])


def make_explainer(limit=LIMIT, n=N):
    return Explainer(two_classes, X[:n], Y[:n], memory_limit=limit)


def assert_within_limit(work, limit=LIMIT):
    """Hold the peak to 1.5 times the limit and the table, from the explainer to its result."""
    work(make_explainer("1GB", n=100))  # imports
    results = []
    enough = 1.5 * limit + X.nbytes + Y.nbytes
    assert least_peak(lambda: results.append(work(make_explainer(limit))), enough=enough) <= enough
    return results[-1]


CURVES = {
    "plain": {},
    "weighted": {"sample_weight": WEIGHTS},
    "filtered": {"rows": np.arange(0, N, 2)},
    "centred": {"center": True},
    "slope": {"derivative": True},
    "relative": {"relative": True},
}


@pytest.mark.parametrize("form", ["plain", "centred", "slope", "relative"])
def test_curves_take_no_more_memory_than_the_limit(form):
    result = assert_within_limit(lambda ex: ex.dependence("x0", "nll", **CURVES[form]))
    assert len(result.grid) == 50
    assert result.curves.nbytes <= 0.4 * LIMIT


def test_curves_of_several_features_share_the_memory():
    results = assert_within_limit(lambda ex: ex.dependences(measure="nll", grid=20))
    assert sum(result.curves.nbytes for result in results.values()) <= 0.4 * LIMIT


def test_a_surface_takes_no_more_memory_than_the_limit():
    assert_within_limit(lambda ex: ex.dependence(("x0", "x1"), "nll", grid=8))


@pytest.mark.parametrize("n_repeats", [2, 50])
@pytest.mark.parametrize("measure", thorough_after(1, ["nll", "neg_brier_score", "accuracy"]))
def test_importance_takes_no_more_memory_than_the_limit(measure, n_repeats):
    how = {"n_repeats": n_repeats, "interval": "quantile"}
    assert_within_limit(lambda ex: ex.importance(measure, ["x0"], **how))


RANKINGS = {
    "weights": {"sample_weight": WEIGHTS},
    "ratio": {"compare": "ratio", "sample_weight": WEIGHTS},
    "conditional": {"replacement": "conditional"},
    "conditional, weights": {"replacement": "conditional", "sample_weight": WEIGHTS},
    "pairs": {"interval": "random-variable"},
    "filter": {"rows": np.arange(0, N, 2)},
}


def of_first_rows(options, n):
    """Options of an analysis for the first n rows."""
    short = {"sample_weight": WEIGHTS[:n], "rows": np.arange(0, n, 2)}
    return {name: short.get(name, value) for name, value in options.items()}


@pytest.mark.parametrize("n_repeats", thorough_after(1, [2, 10]))
@pytest.mark.parametrize("name", thorough_after(2, RANKINGS))
def test_importance_of_several_features_takes_no_more_memory_than_the_limit(name, n_repeats):
    def rank(explainer):
        options = of_first_rows(RANKINGS[name], len(explainer.table))
        return explainer.importance("nll", n_repeats=n_repeats, **options)

    assert_within_limit(rank)


OTHERS = {
    "levels of tau": lambda ex: ex.importance_over_tau("x0", taus=5, n_repeats=10),
    "auc": lambda ex: ex.importance("roc_auc", n_repeats=2),
    "auc, weights": lambda ex: ex.importance(
        "roc_auc", n_repeats=2, sample_weight=WEIGHTS[: len(ex.table)]
    ),
    "diagnosis": lambda ex: ex.diagnose(n_repeats=2),
    "stress": lambda ex: ex.stress(taus=5),
    "stress of a metric": lambda ex: ex.stress(["x0"], ["balanced_accuracy"], taus=5),
}


@pytest.mark.parametrize("name", thorough_after(1, OTHERS))
def test_other_analyses_take_no_more_memory_than_the_limit(name):
    assert not of_memory(assert_within_limit(OTHERS[name]).remarks)


@pytest.mark.thorough
def test_redundancy_takes_no_more_memory_than_the_limit():
    n = 3000
    # As many bytes as 25 numbers per row.
    limit = 200 * n
    make_explainer("1GB", 100).redundancy(features=["x0"], n_estimators=50)
    enough = 1.5 * limit + X[:n].nbytes + Y[:n].nbytes

    def work():
        result = make_explainer(limit, n).redundancy(features=["x0", "x2"], n_estimators=50)
        assert not of_memory(result.remarks)

    assert least_peak(work, enough=enough) <= enough


def of_memory(remarks):
    return [remark for remark in remarks if "memory_limit" in remark]


def ten_classes(rows):
    scores = np.outer(rows[:, 0] + rows[:, 1], np.linspace(-1, 1, 10))
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


SMALLEST = {
    "importance": lambda ex: ex.importance("nll", n_repeats=2),
    "curve": lambda ex: ex.dependence("x0", "nll", derivative=True),
    "stress": lambda ex: ex.stress(taus=3),
    "intervals": lambda ex: ex.stress(["x0"], taus=3, level=0.95),
}


@pytest.mark.parametrize("name", thorough_after(1, SMALLEST))
def test_the_smallest_limit_that_a_remark_names_is_kept_to(name):
    targets = np.arange(N) % 10

    def remarks(limit):
        explainer = Explainer(ten_classes, X, targets, memory_limit=limit)
        return of_memory(SMALLEST[name](explainer).remarks)

    def work_without_remarks(limit):
        assert not remarks(limit)

    (remark,) = remarks("2MB")
    pattern = (
        "memory_limit='2000kB' is too little for 20,000 rows, and more memory was taken; "
        r"'(\d+[kM]B)' is the smallest limit that this analysis keeps to"
    )
    smallest = parse_bytes(re.fullmatch(pattern, remark)[1])
    # With a little more, the cache holds another prediction.
    for limit in (smallest, smallest * 21 // 20, smallest * 5 // 4):
        enough = 1.5 * limit + X.nbytes + targets.nbytes
        assert least_peak(partial(work_without_remarks, limit), enough=enough) <= enough


@pytest.mark.parametrize("name", SMALLEST)
def test_small_tables_take_the_fixed_costs_beside_the_smallest_limit(name):
    n, fixed = 200, 400_000
    features, targets = X[:n], np.arange(n) % 10
    SMALLEST[name](Explainer(ten_classes, features, targets))  # imports
    # Of the formula in the documentation, with the intervals of stress.
    limit = 8 * n * (16 + 3 * 10 + features.shape[1]) + 80 * n
    enough = 1.5 * limit + features.nbytes + targets.nbytes + fixed

    def work():
        SMALLEST[name](Explainer(ten_classes, features, targets, memory_limit=limit))

    assert least_peak(work, enough=enough) <= enough


MANY_FEATURES = {
    "importance": lambda ex: ex.importance("nll", n_repeats=2),
    "diagnosis": lambda ex: ex.diagnose(n_repeats=2),
    "difference of groups": lambda ex: ex.compare_rows(
        np.arange(len(ex.table)) % 2 == 0
    ).importance("nll", n_repeats=2),
}


@pytest.mark.parametrize("name", thorough_after(1, MANY_FEATURES))
def test_the_smallest_limit_holds_for_many_features(name):
    n, p = 6000, 40
    features, targets = np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 10
    MANY_FEATURES[name](Explainer(ten_classes, features[:100], targets[:100]))  # imports
    limit = math.ceil(Explainer(ten_classes, features, targets).evaluations.smallest_limit())
    enough = 1.5 * limit + features.nbytes + targets.nbytes

    def work():
        MANY_FEATURES[name](Explainer(ten_classes, features, targets, memory_limit=limit))

    assert least_peak(work, enough=enough) <= enough


@pytest.mark.parametrize("form", CURVES)
def test_curves_in_parts_have_the_same_numbers(form):
    n, chosen = 2000, {k: v[v < 2000] if k == "rows" else v for k, v in CURVES[form].items()}
    if form == "weighted":
        chosen["sample_weight"] = WEIGHTS[:n]
    explainer = make_explainer(LIMIT // 10, n)
    part = explainer.dependence("x0", "nll", **chosen)
    whole = make_explainer("1GB", n).dependence("x0", "nll", **chosen)
    for name in ("average", "std_error", "low", "high", "support"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name))
    np.testing.assert_array_equal(part.rows, whole.rows)
    scored = chosen.get("rows", np.arange(n))
    assert whole.curve_rows is None
    assert len(part.curve_rows) == len(part.ice) == LIMIT // 10 * 2 // 5 // (8 * 50)
    assert set(part.curve_rows) <= set(scored)
    assert part.curve_rows[[0, -1]].tolist() == scored[[0, -1]].tolist()
    np.testing.assert_array_equal(part.curve_rows, part.ice_rows)
    np.testing.assert_array_equal(part.curves, whole.curves[:, part.curve_rows])
    np.testing.assert_array_equal(part.ice, whole.ice[np.searchsorted(scored, part.ice_rows)])
    (remark,) = set(part.remarks) - set(whole.remarks)
    count = f"{len(scored):,}"
    assert remark.startswith(f"the average is over {count} rows; the curves of 400 of them, evenly")
    assert f"(lines={len(scored)} holds them all, in " in remark
    assert "evenly chosen" in part._repr_html_()
    every = explainer.dependence("x0", "nll", lines=len(scored), **chosen)
    assert every.remarks == whole.remarks
    np.testing.assert_array_equal(every.ice, whole.ice)


def test_a_result_holds_as_many_curves_as_the_user_says():
    explainer = make_explainer("1GB", 100)
    whole, three = (explainer.dependence("x1", lines=lines) for lines in (None, 3))
    assert three.curve_rows.tolist() == [0, 50, 99]
    assert three.remarks == whole.remarks
    np.testing.assert_array_equal(three.average, whole.average)
    np.testing.assert_array_equal(three.ice, whole.ice[[0, 50, 99]])
    for result in explainer.dependences(lines=7).values():
        assert result.ice.shape == (7, 50)
    few = explainer.dependence("x1", lines=7, rows=[4, 8])
    assert few.curve_rows.tolist() == [4, 8]
    for lines in (0, -1, 2.5, True, "all"):
        with pytest.raises(ValueError, match=r"lines is .*; it must be a whole number of at least"):
            explainer.dependence("x1", lines=lines)
    with pytest.raises(ValueError, match="lines is a number of curves, and a surface has none"):
        explainer.dependence(("x0", "x1"), lines=3)


@pytest.mark.parametrize("interval", thorough_after(1, ["u-statistic", "model", "quantile"]))
@pytest.mark.parametrize("metric", thorough_after(1, ["roc_auc", "accuracy"]))
def test_repeats_of_a_metric_one_by_one_have_the_same_numbers(metric, interval):
    how = {"n_repeats": 5, "interval": interval, "sample_weight": WEIGHTS[:300]}
    one, other = (make_explainer(m, 300).importance(metric, **how) for m in ("30kB", "1GB"))
    for name in ("importance", "low", "high", "repeats"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_metric_of_more_pairs_than_fit_says_so_before_the_model_is_called():
    explainer = make_explainer("1MB", 1000)
    before = explainer.model_calls
    pattern = r"roc_auc over every donor of 'x0' needs the predictions of 1,000 values in 1,000 "
    with pytest.raises(ValueError, match=pattern + r".*n_repeats, or memory_limit='96MB'\.$"):
        explainer.importance("roc_auc", n_repeats="all")
    assert explainer.model_calls == before
    roomy = make_explainer("96MB", 1000)
    assert np.isfinite(roomy.importance("accuracy", ["x0"], n_repeats="all").importance).all()


STRESS = {
    "profile": lambda ex: ex.stress(taus=31),
    "intervals": lambda ex: ex.stress(["x0"], ["error_rate"], taus=31, level=0.95),
    "all intervals": lambda ex: ex.stress(["x0"], taus=3, level=0.95),
    "metric": lambda ex: ex.stress(["x0"], ["balanced_accuracy"], taus=31),
    "metric with intervals": lambda ex: ex.stress(
        ["x0"], ["balanced_accuracy"], taus=3, level=0.95
    ),
    "importance": lambda ex: ex.importance_over_tau("x0", features=["x1"], taus=31, n_repeats=2),
}


@pytest.mark.parametrize("name", thorough_after(2, STRESS))
def test_many_levels_of_stress_take_no_more_memory_than_the_limit(name):
    # As many bytes as 35 numbers per row; the weights of 31 levels would take most of them.
    assert_within_limit(STRESS[name], 5_600_000)
