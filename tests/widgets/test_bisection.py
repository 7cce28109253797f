"""Values at all levels from few that are computed."""

from __future__ import annotations

import numpy as np

from uqwidgets.widgets.views.importance.bisection import bisected

X = np.linspace(0, 1, 101)


def few(function, unknown, tolerance=0.01):
    """Return the values, and the levels that were computed."""
    values = np.column_stack([function(X), np.exp(X)])
    computed: list[int] = []

    def compute(places):
        computed.extend(places.tolist())
        return values[places]

    start = np.where(unknown[:, None], np.nan, values)
    result = bisected(start, unknown, compute, np.full(values.shape, tolerance))
    assert len(set(computed)) == len(computed)
    assert unknown[computed].all()
    np.testing.assert_array_equal(result[~unknown], values[~unknown])
    return np.abs(result - values).max(), computed


def test_smooth_functions_take_few_levels():
    error, computed = few(lambda x: np.sin(3 * x), np.ones(101, dtype=bool))
    assert error < 0.01
    assert len(computed) <= 30


def test_known_levels_are_not_computed():
    unknown = (X > 0.205) & (X < 0.405)
    error, computed = few(np.square, unknown)
    assert error < 0.01
    assert len(computed) <= 5
    assert few(np.square, np.zeros(101, dtype=bool)) == (0.0, [])


def test_kinks_and_steps_are_found():
    assert few(lambda x: np.abs(x - 0.37), np.ones(101, dtype=bool))[0] < 0.01
    error, computed = few(lambda x: np.where(x > 0.61, 1.0, 0.0), np.ones(101, dtype=bool))
    assert error < 0.01
    assert len(computed) < 25
