"""Influence of rows on means under weights that are calibrated to several moments."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.stress.columns import stressed_column
from uqwidgets.widgets.inputs.held import Held
from uqwidgets.widgets.rows.described import DescribedRows
from uqwidgets.widgets.rows.described_profile import described_profile


def rows(n, rng):
    z = rng.normal(size=(n, 2))
    X = np.column_stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1], np.exp(0.3 * z[:, 1])])
    return X, (rng.random(n) < 1 / (1 + np.exp(-X[:, 0] - X[:, 1]))).astype(int)


def model(X):
    p = 1 / (1 + np.exp(-0.8 * X[:, 0] - 0.6 * X[:, 1]))
    return np.column_stack([1 - p, p])


def explainer(n, seed):
    return uq.Explainer(model, *rows(n, np.random.default_rng(seed)))


@pytest.mark.parametrize("tau", [-0.5, 0.0, 0.5])
def test_the_influence_is_the_derivative_by_the_weight_of_a_row(tau):
    """Each row's own weight is raised a little, and all weights are solved anew."""
    ex = explainer(50, 1)
    base = np.random.default_rng(2).uniform(0.5, 1.5, 50)
    held = [Held("x1", 0.2)]
    column = stressed_column(ex.table, "x0", None, tail=0.05, anchor="quantile", missing="keep")
    # Quantiles do not know the weights of rows.
    column.column.__dict__["end_influences"] = (np.zeros(50), np.zeros(50))
    output = np.sin(3 * ex.table.numbers("x0")) + ex.table.numbers("x1") ** 2

    def mean(weights):
        described = DescribedRows(ex.table, None, weights, held)
        projection = described.at(column, tau).projection
        return described, projection, float(projection.weights @ output) / 50

    described, projection, _ = mean(base)
    direct, through = described.calibrated(column, tau, projection).parts(output)
    step, derivative = 1e-4, np.empty(50)
    for i in range(50):
        one = np.ones(50)
        one[i] += step
        more = mean(base * one)[2]
        one[i] -= 2 * step
        derivative[i] = (more - mean(base * one)[2]) / (2 * step)
    np.testing.assert_allclose(derivative * 50, direct + through, atol=2e-4)


def covered(runs, n, indicators, taus, held, weights_of):
    """Share of the intervals that contain the value in a very large sample, (indicators, taus)."""

    def profile(ex, level):
        weights = None if weights_of is None else weights_of(ex.table.numbers("x1"))
        described = DescribedRows(ex.table, None, weights, held)
        column = stressed_column(ex.table, "x0", None, tail=0.05, anchor="quantile", missing="keep")
        plain = ex.stress(["x0"], indicators, taus=taus, level=None)
        own = [ex.indicators[name] for name in indicators]
        return described_profile(plain, described, [column], own, level)

    truth = profile(explainer(200_000, 99), None)
    inside = {name: np.zeros(len(truth.taus)) for name in indicators}
    for seed in range(runs):
        result = profile(explainer(n, seed), 0.95)
        for name in indicators:
            low, high, true = result.low[name][0], result.high[name][0], truth.values[name][0]
            inside[name] += (low <= true) & (true <= high)
    # Levels always include -1 and 1, where these designs have 7 to 40 effective rows.
    return np.stack([inside[name][np.abs(truth.taus) < 1] / runs for name in indicators])


@pytest.mark.parametrize(
    ("held", "weights_of"),
    thorough_after(
        1,
        [([Held("x1", 0.4)], None), ([], lambda x1: np.exp(0.5 * x1)), ([Held("x2", 1.2)], np.exp)],
    ),
    ids=["held", "weights", "both"],
)
@pytest.mark.parametrize(
    "runs",
    [
        pytest.param(40, marks=pytest.mark.thorough),
        pytest.param(200, marks=pytest.mark.slow),
    ],
)
def test_intervals_of_weighted_rows_cover(held, weights_of, runs):
    taus = [-0.5, 0.0, 0.5]
    shares = covered(runs, 400, ["error_rate", "fpr", "entropy"], taus, held, weights_of)
    assert 0.92 < shares.mean() < 0.98
    assert shares.min() > 0.93 - 4 * np.sqrt(0.93 * 0.07 / runs)
