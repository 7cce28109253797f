"""Paper Wood et al. 2024, sections 3.4 and 3.5: uncertainty in figures 1, 4 and 5."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from agreement import agreement, assert_agreed
from uqwidgets import Explainer
from uqwidgets.datasets import make_hollow

# Values of a feature: both ends, the middles of both bands with data, the middle of the hole.
GRID = [-2.0, -1.75, 0.0, 1.75, 2.0]
ENDS, BANDS, MIDDLE = [0, 4], [1, 3], 2


def test_figure_1_permuted_rows_have_a_high_entropy():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = np.where(y == 1, 2, -2)[:, None] + 0.4 * rng.normal(size=(120, 2))
    model = GaussianProcessClassifier(9 * RBF(1.5), optimizer=None).fit(X[::2], y[::2])
    explainer = Explainer(model, X[1::2], y[1::2])
    result = explainer.importance("entropy", ["x1"], n_repeats=1)
    before = entropy(model.predict_proba(X[1::2]), axis=1)
    after = before + result.per_row[0]
    assert before.max() < 0.45
    # About half of the rows get a value of the other cluster and are then in neither cluster.
    surprised = after > 0.55
    assert 0.35 < surprised.mean() < 0.65
    assert after[~surprised].max() < 0.5
    assert result.importance[0] == pytest.approx(after.mean() - before.mean())
    assert result.low[0] > 0.1


def explainer(seed, kernel):
    """Explain a Gaussian process with 250 rows; it is fitted to 250 others."""
    X, y = make_hollow(500, random_state=seed)
    process = GaussianProcessRegressor(kernel, optimizer=None).fit(X[:250], y[:250])
    return Explainer(process, X[250:], y[250:])


def figures_4_and_5(explainer):
    """Check the claims of the text on the average and the ICE curves, for both features."""
    result = [
        (explainer.dependence(one, "entropy", grid=GRID), np.abs(explainer.table.numbers(other)))
        for one, other in (("x1", "x2"), ("x2", "x1"))
    ]
    averages = [curve.average for curve, _ in result]
    inner = np.vstack([curve.ice[other < 1] for curve, other in result])
    outer = np.vstack([curve.ice[other > 1.5] for curve, other in result])
    every = np.vstack([curve.ice for curve, _ in result])
    hump = [rows[:, MIDDLE] - rows[:, BANDS].max(axis=1) for rows in (inner, outer)]
    return {
        "average: the model doubts in the middle": all(
            average[MIDDLE] > average[BANDS].max() for average in averages
        ),
        "average: it doubts at the ends": all(
            average[ENDS].min() > average[BANDS].max() for average in averages
        ),
        "rows whose other feature is small: all doubt in the middle": hump[0].min() > 0,
        "rows whose other feature is large: few do, and they less": (
            (hump[1] > 0).mean() < 0.5 and hump[1].max() < hump[0].mean() / 2
        ),
        "rows of all kinds doubt at the ends": (every[:, ENDS] > every[:, BANDS]).all(),
    }


# B.1 stops after 1000 steps of Adam, with about these parameters.
STOPPED = ConstantKernel(17.0) * RBF(2.0) + WhiteKernel(0.01)
# The likelihood has its maximum at length scales of 12 to 40, because the target is quadratic. With
# these, the process is hardly more uncertain in the hole than at its edges.
CONVERGED = ConstantKernel(1e6) * RBF(32.0) + WhiteKernel(0.01)


@pytest.mark.parametrize("kernel", [STOPPED, CONVERGED], ids=["stopped", "converged"])
def test_figures_4_and_5_ice_curves_differ_from_their_average(kernel):
    claims = agreement(
        f"figures 4 and 5, {kernel}",
        lambda seed: figures_4_and_5(explainer(seed, kernel)),
        range(10),
    )
    in_the_middle = claims.pop("average: the model doubts in the middle")
    assert in_the_middle == (1 if kernel is STOPPED else 0)
    assert_agreed(claims)


def test_the_surface_shows_the_hole():
    ex = explainer(0, STOPPED)
    result = ex.dependence(("x1", "x2"), "entropy", grid=9, spacing="even")
    middle = np.abs(result.grids[0]) < 1.2
    hole = np.outer(middle, np.abs(result.grids[1]) < 1.2)
    assert hole.sum() == 25
    assert not result.near[hole].any()
    assert result.near[~hole].mean() > 0.9
    assert np.unravel_index(result.average.argmax(), hole.shape) == (4, 4)
    assert result.average[hole].min() > np.median(result.average[~hole])
    # No single feature has a gap; only combinations are missing.
    assert ex.dependence("x1", "entropy", grid=9, spacing="even").near.all()
