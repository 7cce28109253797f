"""Lengths of the axes by which importance over tau measures the errors of its ends."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.widgets.views.importance.ends_over_tau import axis_length
from uqwidgets.widgets.views.importance.over_tau import _axes

NAN = np.nan


def test_an_axis_holds_zero_and_all_ends_that_are_known():
    low = np.array([[-1.0, 2.0, NAN], [3.0, NAN, 2.0], [-4.0, NAN, -1.0], [NAN, NAN, NAN]])
    high = np.array([[0.5, 5.0, NAN], [4.0, NAN, 7.0], [-3.0, NAN, -0.5], [NAN, NAN, NAN]])
    # Warnings are errors in tests, also where nothing is known.
    assert axis_length(low, high).tolist() == [[6.0], [7.0], [4.0], [0.0]]


def test_an_axis_is_no_longer_than_three_usual_ones():
    # Arrays (sides, levels, measures, features).
    high = np.ones((2, 5, 3, 2))
    high[0, 0, 0, 1] = 50.0
    high[1, :2, 1] = NAN
    high[:, :, 2] = NAN
    lengths = _axes({"low": -high, "high": high})
    assert lengths["low"] is lengths["high"]
    expected = np.full((2, 5, 3, 1), 2.0)
    expected[0, 0, 0] = 6.0
    expected[1, :2, 1] = expected[:, :, 2] = 0.0
    assert lengths["low"] == pytest.approx(expected)
