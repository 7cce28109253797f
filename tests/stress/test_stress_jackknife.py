"""Leave-one-out means under stress, compared with weights solved again without each row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from cases import thorough_after
from stressed import stressed_rows
from uqwidgets.inference.sums import dot
from uqwidgets.inference.transformed import transformed_interval
from uqwidgets.stress.influence import influence_and_bias
from uqwidgets.stress.intervals import corrected_intervals, half_widths
from uqwidgets.stress.projection import Column

COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.gamma(2, size=n),
    "heavy": lambda rng, n: rng.standard_t(4, size=n),
    "counts": lambda rng, n: rng.poisson(6, size=n) * 1.0,
    "few rows far away": lambda rng, n: rng.pareto(1.5, size=n),
}


def one_by_one(x, targets, outputs):
    """Return the means without each of these rows, with weights solved again."""
    result = np.full((outputs.shape[1], len(x)), np.nan)
    for row, target in targets:
        rest = np.delete(np.arange(len(x)), row)
        z = (x[rest] - target) / np.median(np.abs(x - target))
        xi = brentq(lambda xi, z=z: np.exp(xi * z - np.max(xi * z)) @ z, -300, 300, xtol=1e-13)
        w = np.exp(xi * z - np.max(xi * z))
        result[:, row] = w @ outputs[rest] / w.sum()
    return result


@pytest.mark.parametrize("tau", thorough_after(2, [-1.0, -0.4, 0.0, 0.6, 1.0]))
@pytest.mark.parametrize("anchor", thorough_after(1, ["quantile", "tail-mean"]))
@pytest.mark.parametrize("kind", COLUMNS)
def test_leave_one_out_means_are_nearly_those_of_weights_solved_again(kind, anchor, tau):
    rng = np.random.default_rng(3)
    x = COLUMNS[kind](rng, 300)
    outputs = np.column_stack([x**2 + rng.normal(size=300), rng.random(300) < 0.2, x])
    column = Column(x, 0.05, anchor)
    rows = stressed_rows(column, tau)
    unit = np.sqrt(dot(rows.share, np.square(x - column.target(tau))))
    moved = -(rows.goals[0] - rows.goals[0].mean()) * unit / 299
    # Without one of the largest values the target may be infeasible.
    target, (*_, second, most) = column.target(tau) + moved, np.sort(x)
    within = np.flatnonzero(target < np.where(x == most, second, most))
    expected = one_by_one(x, zip(within, target[within], strict=True), outputs)[:, within]
    result = np.stack([rows.means_without(output)[within] for output in outputs.T])
    assert len(within) >= 298
    # The second order is not exact for the rows of the largest leverage.
    is_far = tau == 1 or (tau, kind) == (-1, "counts")
    for own, exact in zip(result, expected, strict=True):
        assert np.corrcoef(own, exact)[0, 1] > (0.97 if is_far else 0.998)
        assert 0.87 < own.std() / exact.std() < (1.25 if is_far else 1.02)
    np.testing.assert_allclose(result[2], expected[2], atol=1e-6 * expected[2].std())


@pytest.mark.parametrize("tau", [-0.4, 0.0, 0.4])
def test_the_bias_is_that_of_weights_solved_again(tau):
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    output = x**2 + 0.2 * rng.normal(size=300)
    column = Column(x, 0.05)
    rows = stressed_rows(column, tau)
    unit = np.sqrt(dot(rows.share, np.square(x - column.target(tau))))
    moved = -(rows.goals[0] - rows.goals[0].mean()) * unit / 299
    targets = enumerate(column.target(tau) + moved)
    exact = one_by_one(x, targets, output[:, None])[0]
    value = dot(rows.share, output)
    _, bias = influence_and_bias(rows.means_without(output), value)
    error, expected = np.sqrt(299**2 / 300 * exact.var()), influence_and_bias(exact, value)[1]
    assert bias == pytest.approx(expected, abs=0.1 * error)


def test_unstressed_leave_one_out_means_are_plain_means():
    rng = np.random.default_rng(1)
    x, output = rng.normal(size=(2, 500))
    result = stressed_rows(Column(x, 0.05), 0.0).means_without(output)
    expected = (output.sum() - output) / 499
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_leave_one_out_means_stay_within_the_range_of_the_outputs():
    x = np.r_[np.random.default_rng(2).normal(size=30), 50.0]
    output = np.r_[np.zeros(30), 1.0]
    rows = stressed_rows(Column(x, 0.01, "tail-mean"), 0.9)
    assert rows.share[-1] > 0.8
    means = rows.means_without(output)
    assert np.isfinite(means).all()
    assert ((means >= 0) & (means <= 1)).all()


def test_leave_one_out_means_on_the_edge():
    x = np.r_[np.linspace(0, 1, 20), 2.0, 2.0, 2.0]
    column = Column(x, 0.1, "quantile")
    weights = np.where(x == 2.0, len(x) / 3, 0.0)
    output = np.arange(23.0)
    result = stressed_rows(column, 1.0, weights).means_without(output)
    assert result[:20] == pytest.approx(np.full(20, 21.0))
    assert result[20:] == pytest.approx([21.5, 21.0, 20.5])


@pytest.mark.parametrize("unit", [1e-150, 1e-5, 1e150])
def test_leave_one_out_means_scale_with_the_units(unit):
    rng = np.random.default_rng(8)
    x, output = rng.normal(size=(2, 200))
    plain = stressed_rows(Column(x, 0.05), 0.8).means_without(output)
    scaled = stressed_rows(Column(x * unit, 0.05), 0.8).means_without(output * unit)
    np.testing.assert_allclose(scaled / unit, plain, rtol=1e-6)


def test_the_interval_is_wider_on_the_side_opposite_to_the_bias():
    influence, bounds = np.random.default_rng(0).normal(size=100), (-np.inf, np.inf)
    below, above = half_widths(influence, 0.0)(0.95)
    for bias, low, high in ((0.02, 0.08, 0.0), (-0.02, 0.0, 0.08), (0.0, 0.0, 0.0)):
        result = corrected_intervals(0.0, influence, bias, 0.0, bounds, 0.2, 0.2)(0.95)
        assert result == pytest.approx((-below - low, above + high))
    # Without stress the interval is not widened.
    whole = corrected_intervals(0.0, influence, 0.02, 0.0, bounds, 1.0, 1.0)(0.95)
    assert whole == pytest.approx(transformed_interval(0.0, (below, above), bounds))
