"""Intervals on a logit or log scale keep the bounds of a quantity."""

from __future__ import annotations

import numpy as np
import pytest

from cases import thorough_after
from uqwidgets.inference.transformed import transformed_interval


@pytest.mark.parametrize(
    ("value", "half", "bounds", "low", "high"),
    [
        (2.0, 0.5, (-np.inf, np.inf), 1.5, 2.5),
        (2.0, (0.4, 0.8), (-np.inf, np.inf), 1.6, 2.8),
        (2.0, 0.5, (0.0, np.inf), 2 * np.exp(-0.25), 2 * np.exp(0.25)),
        (2.0, (0.2, 0.5), (0.0, np.inf), 2 * np.exp(-0.1), 2 * np.exp(0.25)),
        (0.5, 0.1, (0.0, 1.0), 1 / (1 + np.exp(0.4)), 1 / (1 + np.exp(-0.4))),
        (1.0, 0.2, (-1.0, 3.0), -1 + 4 / (1 + np.exp(0.2)), -1 + 4 / (1 + np.exp(-0.2))),
        (0.2, (0.1, 0.4), (-np.inf, 1.0), 1 - 0.8 * np.exp(0.125), 1 - 0.8 * np.exp(-0.5)),
        (-2.0, (0.2, 0.5), (-np.inf, 0.0), -2 * np.exp(0.1), -2 * np.exp(-0.25)),
        (2.0, 8.0, (0.0, np.inf), 2 * np.exp(-4), 2 * np.e * 4),
        (2.0, 8.0, (-np.inf, 4.0), 4 - 2 * np.e * 4, 4 - 2 * np.exp(-4)),
        (0.0, 0.0, (0.0, 1.0), 0.0, 0.0),
        (np.nan, 0.1, (0.0, 1.0), np.nan, np.nan),
    ],
)
def test_intervals_stay_within_the_bounds_of_the_quantity(value, half, bounds, low, high):
    assert transformed_interval(value, half, bounds) == pytest.approx((low, high), nan_ok=True)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (0.0, np.inf), (-np.inf, 1.0), (-2.0, 5.0)])
@pytest.mark.parametrize("value", thorough_after(1, [0.03, 0.5, 0.96]))
def test_intervals_grow_smoothly_within_bounds(value, bounds):
    halves = np.linspace(0.001, 3.0, 3000)
    low, high = np.array([transformed_interval(value, half, bounds) for half in halves]).T
    for ends, sign in ((low, -1), (high, 1)):
        moved = sign * np.diff([value, *ends])
        assert (moved >= 0).all()
        assert np.abs(np.diff(moved[1:])).max() < 2e-3  # no jump, and one change of slope at most
        assert moved[0] == pytest.approx(halves[0], rel=0.05)
    assert low.min() >= bounds[0]
    assert high.max() <= bounds[1]
    # Towards an infinite bound the interval grows linearly.
    if np.isinf(bounds[1]):
        assert high[-1] - high[-2] == pytest.approx(high[-2] - high[-3])


def test_intervals_contain_values_on_or_near_a_bound():
    assert transformed_interval(0.0, 0.1, (0.0, np.inf)) == (0.0, 0.1)
    assert transformed_interval(1.0, (0.1, 0.2), (0.0, 1.0)) == (0.9, 1.0)
    assert np.isnan(transformed_interval(0.0, np.nan, (0.0, np.inf))).all()
    assert transformed_interval(1e-320, 1e-3, (0.0, np.inf)) == pytest.approx((0.0, np.e * 1e-3))
    for value in np.random.default_rng(9).random(300):
        low, high = transformed_interval(float(value), 1e-19, (0.0, 1.0))
        assert low <= value <= high
