"""Intervals of metrics under stress, compared with those of means and with bootstraps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import make_scorer, mean_absolute_error, mean_squared_error

import uqwidgets as uq
from cases import thorough_after
from models import classification, regression
from stressed import stressed_rows
from uqwidgets.inference.sums import dot
from uqwidgets.metrics import find_metric
from uqwidgets.predictive import Categorical, Normal
from uqwidgets.stress.influence import influence_and_bias
from uqwidgets.stress.projection import Column
from uqwidgets.stress.replicates import N_REPLICATES, _split, group_influence, group_skew_slope

GROUPS = N_REPLICATES - 1


def scored(name, x, rng):
    """Return a metric as a function of weights and, if it is a mean, its loss per row."""
    n = len(x)
    if name in ("neg_log_loss", "roc_auc"):
        p = expit(x + rng.normal(size=n))
        y = (rng.random(n) < p).astype(int)
        q = Categorical(np.column_stack([1 - p, p]), [0, 1])
        score = find_metric(name, q.classes).on(q, y)
        return score, np.log(np.where(y == 1, p, 1 - p))
    y = x + (1 + 0.3 * np.abs(x)) * rng.normal(size=n)
    return find_metric(name, None).on(Normal(0.8 * x, np.ones(n)), y), -np.square(y - 0.8 * x)


def mean_of(loss):
    """Return a metric that is a mean: simulations need no scorer that checks its input."""
    return lambda weights: float(np.average(loss, weights=weights))


def left_out(rows, loss):
    """Return the jackknife influence on the mean of a loss, and its bias."""
    return influence_and_bias(rows.means_without(loss), dot(rows.share, loss))


def first_order(rows, loss):
    """Return the influence on the mean of a loss, scaled by 1 / (free weight), at most by 2.

    This factor stands in place of the HC4 factor of `StressedRows`.
    """
    centred = loss - dot(rows.share, loss)
    (moment,), (goal,) = rows.moments, rows.goals
    slope = dot(rows.share * moment, centred)
    residual = rows.weights * (centred - slope * moment)
    return residual * np.minimum(rows.effects.inverse_free_weight, 2) + slope * (goal - goal.mean())


def error(score, rows):
    influence, _ = group_influence(score, score(rows.weights), rows)
    return np.sqrt(np.square(influence).mean() / len(influence))


@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
@pytest.mark.parametrize("tau", thorough_after(1, [-1.0, 0.0, 0.5]))
@pytest.mark.parametrize("name", ["neg_log_loss", "neg_mean_squared_error"])
def test_a_metric_that_is_a_mean_has_the_influence_of_that_mean(name, tau, anchor, monkeypatch):
    # With as many groups as rows and small moves, a group's influence is that of its row.
    monkeypatch.setattr("uqwidgets.stress.replicates._FAY", 1e-3)
    rng = np.random.default_rng(1)
    x = rng.normal(size=GROUPS)
    rows = stressed_rows(Column(x, 0.05, anchor), tau)
    score, loss = scored(name, x, rng)
    result = group_influence(score, score(rows.weights), rows)[0][_split(GROUPS)]
    exact = first_order(rows, loss)
    assert np.abs(result - exact).max() < 0.02 * np.abs(exact).max()


@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
@pytest.mark.parametrize("tau", thorough_after(1, [-0.2, 0.0, 0.2]))
@pytest.mark.parametrize("name", ["neg_log_loss", "neg_mean_squared_error"])
def test_replicates_with_half_the_weight_equal_the_jackknife(name, tau, anchor):
    rng = np.random.default_rng(1)
    x = rng.normal(size=GROUPS)
    rows = stressed_rows(Column(x, 0.05, anchor), tau)
    score, loss = scored(name, x, rng)
    influence, bias = group_influence(score, score(rows.weights), rows)
    result, (exact, exact_bias) = influence[_split(GROUPS)], left_out(rows, loss)
    spread = np.sqrt(np.mean(exact**2))
    assert np.corrcoef(result, exact)[0, 1] > 0.98
    assert np.sqrt(np.mean(result**2)) == pytest.approx(spread, rel=0.1)
    assert abs(bias - exact_bias) < 0.15 * spread / np.sqrt(GROUPS)


@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
@pytest.mark.parametrize("tau", thorough_after(1, [-1.0, 0.0, 0.5]))
@pytest.mark.parametrize("name", ["neg_log_loss", "neg_mean_squared_error"])
def test_the_error_from_groups_is_that_of_rows_on_average(name, tau, anchor, monkeypatch):
    monkeypatch.setattr("uqwidgets.stress.replicates._FAY", 1e-3)
    rng, ratios = np.random.default_rng(2), []
    for _ in range(24):
        x = rng.normal(size=400)
        rows = stressed_rows(Column(x, 0.05, anchor), tau)
        _, loss = scored(name, x, rng)
        exact = np.square(first_order(rows, loss)).mean() / 400
        ratios.append(error(mean_of(loss), rows) ** 2 / exact)
    # A variance over 63 groups has a relative error of sqrt(2 / 63).
    noise = np.sqrt(2 / GROUPS)
    assert abs(np.mean(ratios) - 1) < 3 * noise / np.sqrt(24)
    assert 0.3 * noise < np.std(ratios) < 1.5 * noise


@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
@pytest.mark.parametrize("tau", thorough_after(1, [-1.0, -0.5, 0.0, 0.5]))
@pytest.mark.parametrize("name", ["neg_log_loss", "neg_mean_squared_error"])
def test_error_and_bias_from_groups_are_those_of_rows(name, tau, anchor):
    rng, ratios, biases = np.random.default_rng(2), [], []
    for _ in range(24):
        x = rng.normal(size=400)
        rows = stressed_rows(Column(x, 0.05, anchor), tau)
        _, loss = scored(name, x, rng)
        score = mean_of(loss)
        of_groups, bias = group_influence(score, score(rows.weights), rows)
        exact, exact_bias = left_out(rows, loss)
        error = np.sqrt(np.mean(exact**2) / 400)
        ratios.append(np.mean(of_groups**2) / len(of_groups) / error**2)
        biases.append([bias / error, exact_bias / error])
    # A variance over 63 groups has a relative error of sqrt(2 / 63). Weights that move by half
    # include the curvature of the metric, so that the error is overestimated for few rows.
    noise = np.sqrt(2 / GROUPS)
    too_much = {0.0: 0.0, 0.5: 0.1}.get(abs(tau), 1.0)
    assert -3 * noise / np.sqrt(24) < np.mean(ratios) - 1 < too_much + 3 * noise / np.sqrt(24)
    assert np.std(ratios) > 0.3 * noise
    if tau == 0:
        # Of rows, leverages add a little; without stress, no interval uses the bias.
        assert np.abs(biases).max() < 0.03
    elif abs(tau) < 1:
        assert np.corrcoef(np.transpose(biases))[0, 1] > 0.8


@pytest.mark.parametrize(
    ("name", "noise"),
    thorough_after(
        1,
        [
            ("neg_log_loss", 0.25),
            ("neg_mean_squared_error", 0.25),
            ("roc_auc", 0.25),
            ("r2", 0.25),
            # The error of a quantile is estimated less precisely, also by the bootstrap.
            ("neg_median_absolute_error", 0.4),
        ],
    ),
)
def test_standard_errors_are_those_of_a_bootstrap_with_new_weights(name, noise):
    rng = np.random.default_rng(3)
    x = rng.normal(size=800)
    score, _ = scored(name, x, rng)
    drawn = []
    for _ in range(300):
        rows = rng.integers(800, size=800)
        weights = Column(x[rows], 0.05).project(0.5).weights
        # A row drawn twice has twice the weight.
        drawn.append(score(np.bincount(rows, weights, minlength=800)))
    assert error(score, stressed_rows(Column(x, 0.05), 0.5)) == pytest.approx(
        np.std(drawn), rel=noise
    )


def test_an_outlier_does_not_widen_the_interval_of_a_metric():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_cauchy(size=400)])
    y = np.log1p(np.abs(X[:, 0])) + rng.normal(size=400)
    explainer = uq.Explainer(lambda X: 0.9 * np.log1p(np.abs(X[:, 0])), X, y)
    names = ["squared_error", "neg_mean_squared_error"]
    result = explainer.stress(indicators=names, taus=5, level=0.95)
    mean, metric = (result.high[name] - result.low[name] for name in names)
    assert (0.4 * mean < metric).all()
    assert (metric < 1.5 * mean).all()


@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
@pytest.mark.parametrize("tau", thorough_after(1, [-1.0, 0.0, 0.5, 1.0]))
def test_the_skew_slope_from_groups_is_that_of_rows(tau, anchor):
    rng, result = np.random.default_rng(4), []
    for _ in range(40):
        x = rng.normal(size=400)
        rows, output = (
            stressed_rows(Column(x, 0.05, anchor), tau),
            (1 + 0.3 * x) * rng.exponential(size=400),
        )

        def mean(weights, output=output):
            return float(np.average(output, weights=weights))

        value = mean(rows.weights)
        influence, _ = group_influence(mean, value, rows)
        result.append([rows.influence(output)[1], group_skew_slope(mean, value, rows, influence)])
    exact, of_groups = np.transpose(result)
    # The skewness of 63 numbers has a sampling error.
    assert np.mean(of_groups - exact) == pytest.approx(0, abs=0.03 + 0.1 * np.std(exact))
    assert np.corrcoef(exact, of_groups)[0, 1] > (0.9 if tau == 1 else 0.0)


@pytest.mark.parametrize(
    ("make", "names"),
    thorough_after(
        1,
        [
            (classification, ["roc_auc", "accuracy"]),
            (regression, ["r2", "neg_mean_absolute_error", "neg_median_absolute_error"]),
            (classification, ["f1", "matthews_corrcoef", "neg_log_loss"]),
        ],
    ),
)
def test_intervals_contain_the_metric_within_its_bounds(make, names):
    explainer = make(n=150)
    result = explainer.stress(["x0"], names, taus=3, tail=0.2, level=0.95)
    wider = explainer.stress(["x0"], names, taus=3, tail=0.2, level=0.999)
    for name in names:
        low, value, high = result.low[name], result.values[name], result.high[name]
        assert ((low < value) & (value < high)).all(), name
        assert ((wider.low[name] < low) & (high < wider.high[name])).all(), name
        least, most = explainer.indicator(name).bounds
        assert (least <= wider.low[name]).all(), name
        assert (wider.high[name] <= most).all(), name
    again = explainer.stress(["x0"], names[:1], taus=3, tail=0.2, level=0.95)
    np.testing.assert_array_equal(result.low[names[0]], again.low[names[0]])


def test_a_negated_metric_has_the_negated_interval():
    plain = make_scorer(mean_squared_error)
    result = regression().stress(["x0"], [plain, "neg_mean_squared_error"], taus=3, level=0.9)
    low, high = result.low["mean_squared_error"], result.high["mean_squared_error"]
    np.testing.assert_allclose(-high, result.low["neg_mean_squared_error"])
    np.testing.assert_allclose(-low, result.high["neg_mean_squared_error"])


def test_a_metric_on_its_bound_has_no_interval():
    X = np.random.default_rng(0).normal(size=(80, 1))
    explainer = uq.Explainer(lambda X: np.column_stack([X < 0, X >= 0]) * 1.0, X, X[:, 0] >= 0)
    result = explainer.stress(indicators=["roc_auc", "accuracy"], taus=3, level=0.95)
    for name in result.indicators:
        assert (result.values[name] == 1).all()
        assert np.isnan(result.low[name]).all()
        assert np.isnan(result.high[name]).all()


def test_a_metric_that_ignores_weights_has_no_interval():
    def idle(truth, prediction, sample_weight=None):  # noqa: ARG001
        return 0.7

    result = regression().stress(["x0"], [make_scorer(idle)], taus=3, level=0.95)
    assert (result.values["idle"] == 0.7).all()
    assert np.isnan(result.low["idle"]).all()


def test_a_metric_that_changes_by_rounding_only_has_no_interval():
    X = np.random.default_rng(0).normal(size=(60, 1))
    explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + 0.3)  # every row has the same error
    result = explainer.stress(indicators=["neg_mean_absolute_error"], taus=3, level=0.95)
    assert result.values["neg_mean_absolute_error"] == pytest.approx(np.full((1, 3), -0.3))
    assert np.isnan(result.low["neg_mean_absolute_error"]).all()


def test_a_share_near_zero_weight_counts_as_on_its_bound():
    x = np.linspace(0, 40, 300)  # stress leaves almost no weight on the only correct row
    explainer = uq.Explainer(lambda X: X[:, 0] > 0, x[:, None], x == x[1])
    result = explainer.stress(indicators=["accuracy"], taus=3, tail=0.001, level=0.95)
    assert 0 < result.values["accuracy"][0, 2] < 1e-12
    assert np.isnan(result.low["accuracy"][0, 2])
    assert np.isfinite(result.low["accuracy"][0, 1])


def test_a_small_positive_error_has_an_interval():
    X = np.random.default_rng(0).normal(size=(60, 1))
    y = 1e-8 * (X[:, 0] + np.random.default_rng(1).normal(size=60))
    explainer = uq.Explainer(lambda X: 1e-8 * X[:, 0], X, y)
    result = explainer.stress(indicators=["neg_mean_squared_error"], taus=3, level=0.95)
    assert (result.high["neg_mean_squared_error"] < 0).all()


def test_a_metric_that_is_not_defined_for_other_weights_has_no_interval():
    plain = regression()
    at_half = plain.stress_weights("x0", 0.5)

    def picky(truth, prediction, sample_weight=None):
        if sample_weight is not None and np.abs(sample_weight - at_half).max() > 1e-9:
            return np.nan
        return mean_absolute_error(truth, prediction, sample_weight=sample_weight)

    result = plain.stress(["x0"], [make_scorer(picky)], taus=[0.5], level=0.95)
    at = result.taus.tolist().index(0.5)
    assert np.isfinite(result.values["picky"][0, at])
    assert np.isnan(result.low["picky"]).all()
    assert np.isnan(result.high["picky"]).all()


@pytest.mark.parametrize(("level", "scores"), [(None, 1), (0.95, 2 + N_REPLICATES)])
def test_the_number_of_evaluations_of_a_metric(level, scores):
    lengths = []

    def counting(truth, prediction, sample_weight=None):
        lengths.append(len(truth))
        return mean_absolute_error(truth, prediction, sample_weight=sample_weight)

    explainer = regression()
    explainer.indicator(scorer := make_scorer(counting))
    once = len(lengths)
    explainer.stress(["x0", "x2"], [scorer], taus=5, level=level)
    # The weights without stress are the same for both features, and known before.
    assert len(lengths) - once == once + 2 * 5 * scores - 2
    assert set(lengths) == {60}, "every row keeps some weight"
    assert N_REPLICATES == 64  # as the docstring of `stress` says


def test_rows_with_missing_values_do_not_affect_the_interval():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120)

    def explainer(X, y):
        return uq.Explainer(lambda X: 0.9 * np.nan_to_num(X[:, 0]), X, y)

    expected = explainer(X[20:], y[20:]).stress(["x0"], ["r2"], taus=3, level=0.95)
    X[:20, 0] = np.nan
    dropped = explainer(X, y).stress(["x0"], ["r2"], taus=3, level=0.95, missing="drop")
    for side in ("low", "values", "high"):
        np.testing.assert_allclose(getattr(dropped, side)["r2"], getattr(expected, side)["r2"])


def test_few_effective_rows_give_a_remark_if_a_level_is_set():
    explainer = regression(n=200, p=4)
    assert not explainer.stress(indicators=["mean"], taus=11).remarks
    result = explainer.stress(indicators=["mean"], taus=11, level=0.95)
    few = result.ess < 50
    first = np.abs(result.taus[few.any(axis=0)]).min()
    assert 0 < first <= 1
    assert few.any(axis=1).all()
    (remark,) = result.remarks
    assert remark.startswith(
        f"From |τ| = {first:g} on few rows remain (worth as few as {np.nanmin(result.ess):.0f}, "
        "where 50 are needed), so intervals of x0, x1 and 2 more may be too narrow."
    )
    assert ". In simulations, on average 94 to 95 of 100 such intervals " in remark
    assert remark.endswith(" Take a smaller |τ|, a larger tail, or more rows.")
    assert f"note: {remark}" in repr(result)
    assert remark in result._repr_html_()
    for names, named in ((["x1"], "x1"), (["x0", "x1", "x2"], "x0, x1 and x2")):
        (remark,) = explainer.stress(names, ["r2"], taus=3, level=0.9).remarks
        assert remark.startswith("At the far ends of τ few rows remain (worth as few as ")
        assert f"so intervals of {named} may be too narrow. " in remark
    (remark,) = regression(n=30, p=2).stress(["x0"], ["mean"], taus=3, level=0.9).remarks
    assert remark.startswith("At every τ few rows remain ")
    assert remark.endswith(" Take more rows.")
    many = explainer.stress(indicators=["mean"], taus=[-0.2, 0.2], tail=0.45, level=0.95)
    assert not many.remarks
