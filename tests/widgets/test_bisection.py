"""Values at all levels from few that are computed."""

from __future__ import annotations

import numpy as np

from uqwidgets.widgets.views.importance.bisection import bisected

X = np.linspace(0, 1, 101)


def few(correction, unknown, tolerance=0.01, *, is_rough=False):
    """Return the error, and the levels that were computed, of a side beside one that is known."""
    estimate = np.column_stack([np.sin(40 * X), np.exp(X), np.full(len(X), np.nan)])
    exact = estimate + np.where(unknown, correction(X), 0.0)[:, None]
    computed: list[int] = []

    def compute(sides, places):
        assert (sides == 1).all()
        computed.extend(places.tolist())
        return exact[places]

    values = np.stack([estimate, estimate])
    unknowns = np.stack([np.zeros_like(unknown), unknown])
    of_known, result = bisected(
        values, unknowns, np.full(2, is_rough), compute, np.full(values.shape, tolerance), np.copy
    )
    assert len(set(computed)) == len(computed)
    assert unknown[computed].all()
    np.testing.assert_array_equal(of_known, estimate)
    np.testing.assert_array_equal(result[~unknown], estimate[~unknown])
    np.testing.assert_array_equal(np.isnan(result), np.isnan(estimate))
    return np.nanmax(np.abs(result - exact)), computed


def test_smooth_functions_take_few_levels():
    error, computed = few(lambda x: np.sin(3 * x), np.ones(101, dtype=bool))
    assert error < 0.01
    assert len(computed) <= 30


def test_known_levels_are_not_computed():
    unknown = (X > 0.205) & (X < 0.405)
    error, computed = few(lambda x: 4 * (x - 0.2) * (0.41 - x), unknown)
    assert error < 0.01
    assert len(computed) <= 8
    assert few(np.square, np.zeros(101, dtype=bool)) == (0.0, [])


def test_straight_corrections_take_five_levels_whatever_the_values():
    error, computed = few(lambda x: 1 - x, np.ones(101, dtype=bool))
    assert error < 1e-12
    assert sorted(computed) == [0, 25, 50, 75, 100]


def test_rough_estimates_are_not_used():
    # The corrections are straight, the values are not.
    error, computed = few(lambda x: 1 - x, np.ones(101, dtype=bool), is_rough=True)
    assert error < 0.01
    assert len(computed) > 20


def test_a_correction_that_begins_beyond_the_middle_is_found():
    """Half-way it is on the line from the first to the last level."""
    error, _ = few(lambda x: np.interp(x, [0, 0.5, 0.62, 0.75, 1], [0, 0, 2, 0.5, 1]), X > 0.505)
    assert error < 0.01


def test_kinks_and_steps_are_found():
    assert few(lambda x: np.abs(x - 0.37), np.ones(101, dtype=bool))[0] < 0.01
    error, computed = few(lambda x: np.where(x > 0.61, 1.0, 0.0), np.ones(101, dtype=bool))
    assert error < 0.01
    assert len(computed) <= 25


def test_a_hump_beside_the_middle_of_a_piece_is_found():
    # The function is back on the line at 68, half-way between 62 and 75.
    x = np.array([0, 50, 62, 65, 68, 75, 100]) / 100
    y = [0.0, 0.0, 0.3, 0.3, 0.2077, 0.1, 0.0]
    error, computed = few(lambda t: np.interp(t, x, y), np.ones(101, dtype=bool))
    assert error < 0.01
    assert len(computed) <= 30


def test_a_computed_value_does_not_depend_on_an_unknown_one_beside_it():
    exact = np.where(X > 0.505, np.nan, 1 + X)[None, :, None]
    computed = []

    def compute(sides, places):
        computed.extend(places.tolist())
        return exact[sides, places]

    unknown, rough = np.ones((1, len(X)), dtype=bool), np.zeros(1, dtype=bool)
    result = bisected(
        np.zeros(exact.shape), unknown, rough, compute, np.full(exact.shape, 0.01), np.copy
    )
    assert 50 in computed
    np.testing.assert_array_equal(result[0, computed], exact[0, computed])


def test_sides_are_computed_together():
    functions = [np.sin(3 * X), np.exp(X), np.abs(X - 0.37)]
    values = np.stack(functions)[..., None]
    batches = []

    def compute(sides, places):
        batches.append(set(sides.tolist()))
        return values[sides, places]

    unknown = np.ones(values.shape[:2], dtype=bool)
    result = bisected(
        np.zeros_like(values),
        unknown,
        np.zeros(3, dtype=bool),
        compute,
        np.full(values.shape, 0.01),
        np.copy,
    )
    assert np.abs(result - values).max() < 0.01
    # One batch for each halving of 50 levels, whatever the number of sides.
    assert len(batches) <= 7
    assert batches[0] == batches[1] == {0, 1, 2}


def test_kinks_of_what_is_derived_take_no_levels():
    """The values are straight, so the line between two of them is exact on both sides of a kink."""
    values, computed = np.stack([X, 1 - X], axis=1)[None], []

    def compute(sides, places):
        computed.extend(places.tolist())
        return values[sides, places]

    result = bisected(
        np.full_like(values, 0.5),
        np.ones((1, 101), dtype=bool),
        np.zeros(1, dtype=bool),
        compute,
        np.full((1, 101, 1), 0.01),
        lambda pairs: np.minimum(pairs[:, :1], 0.3) + np.maximum(pairs[:, 1:], 0.6),
    )
    np.testing.assert_allclose(result, values)
    assert sorted(computed) == [0, 25, 50, 75, 100]
