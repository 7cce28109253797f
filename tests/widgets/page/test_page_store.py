"""The store of a page: columns, lines and levels, with the precision that is needed of them."""

from __future__ import annotations

from itertools import product

import numpy as np

from uqwidgets.widgets.page.low_rank import low_rank
from uqwidgets.widgets.page.store import Store
from uqwidgets.widgets.page.tracks import StoredTracks
from widgets.pages import stored_columns


def test_a_column_is_stored_once():
    store = Store()
    values = np.linspace(0, 1, 7)
    numbers = [store.add(values, "one"), store.add(values.copy(), "other")]
    numbers.append(store.add(values[:3], "one"))
    assert numbers == [0, 0, 1]


def test_lines_of_rows_are_stored_in_steps_of_their_axis():
    rng = np.random.default_rng(7)
    values = np.concatenate([rng.normal(size=(9, 30)).cumsum(axis=1), np.full((1, 30), np.nan)])
    store = Store()
    number = store.add_lines(values, "lines")
    nothing = store.add_lines(np.full((2, 3), np.nan), "nothing")
    columns = stored_columns(store.deflated({}))
    np.testing.assert_array_equal(np.isnan(columns[number]), np.isnan(values))
    assert np.nanmax(np.abs(columns[number] - values)) <= 0.00051 * np.ptp(values[:9])
    assert np.isnan(columns[nothing]).all()


def test_scaled_levels_keep_their_digits():
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(size=(9, 4)), 1e-6 * rng.normal(size=(9, 4))], axis=1)
    values[3, 0] = np.nan
    store = Store()
    step = np.array([*[1e-4] * 4, *[1e-10] * 4])
    number = store.add_steps(values.T, step, "levels")
    restored = stored_columns(store.deflated({}))[number].T
    np.testing.assert_array_equal(np.isnan(restored), np.isnan(values))
    assert np.nanmax(np.abs(restored - values) / step) < 0.51


def test_values_beyond_float32_are_missing_and_leave_the_others():
    values = np.linspace(0, 1, 11)[:, None] * np.ones(3)
    values[4, 1] = -1e121
    values[:, 2] = 1e141
    store = Store()
    scaled = store.add_steps(values.T, 1e-4, "levels")
    known = np.where(np.abs(values) > 2, np.nan, values)
    np.testing.assert_allclose(stored_columns(store.deflated({}))[scaled].T, known, atol=1e-4)


def test_products_are_within_one_unit_and_of_low_rank():
    rng = np.random.default_rng(0)
    for shape in ((120, 30), (30, 120), (5, 1)):
        matrix = 1000 * (rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])))
        of_low_rank = low_rank(matrix)
        assert np.abs(of_low_rank.values - matrix).max() < 1
        assert of_low_rank.left.shape[1] <= 3
    assert low_rank(np.zeros((4, 2))).left.shape == (4, 0)
    assert np.abs(low_rank(rng.normal(size=(40, 40)) * 50).values).max() > 50


def test_levels_of_tracks_are_stored_to_within_a_share_of_their_axis():
    rng = np.random.default_rng(1)
    tau = np.linspace(-1, 1, 41)
    value = np.sin(tau[:, None, None] + rng.normal(size=(1, 2, 5))) * [[[1.0], [1e6]]]
    near = np.round(rng.random((41, 7)))
    gap = np.where(tau > 0.5, np.nan, tau)[:, None]
    samples = {"value": value, "low": value - 0.3, "high": value + 0.5, "near": near}
    samples |= {"number": 1e-9 * tau, "gap": gap}
    average = np.sin(tau[:, None] + np.linspace(0, 2, 150))
    band = {"average": average, "low": average - 1 - average**2, "high": average + 1 + average**2}
    store = Store()
    tracks = StoredTracks(store)
    stored = [tracks.add("view", "track", [one, one], "chunk") for one in (samples, band)]
    tracks.join()
    columns = stored_columns(store.deflated({}))

    def read(of_track, name, half=0):
        number, start, n = stored[of_track][name]
        return columns[number][start : start + n, 41 * half : 41 * (half + 1)].T

    for (name, values), half in product(samples.items(), (0, 1)):
        flat, of_page = values.reshape(41, -1), read(0, name, half)
        np.testing.assert_array_equal(np.isnan(of_page), np.isnan(flat))
        share = 0.004 if name in ("low", "high") else 0.001
        if values.shape[1:] == (2, 5):
            axis = np.ptp([samples["low"], samples["high"]], axis=(0, 1, 3)).repeat(5)
        else:
            axis = np.nanmax(flat) - np.nanmin(flat)
        assert (np.nanmax(np.abs(of_page - flat), axis=0) <= 1.01 * share * axis).all(), name
    assert np.array_equal(read(0, "near"), near)
    # The distances of both ends from an average are stored.
    assert list(stored[1]) == ["average", "below", "above"]
    axis = np.ptp([band["low"], band["high"]])
    for sign, name, side in ((0, "average", "above"), (-1, "low", "below"), (1, "high", "above")):
        of_page = read(1, "average") + sign * read(1, side)
        share = 0.004 if sign else 0.001
        assert np.abs(of_page - band[name]).max() <= 1.01 * share * axis, name


def test_an_average_comes_before_a_width_that_has_all_its_digits():
    average = np.linspace(0, 1, 41)[:, None] * np.ones(3)
    width = np.ones((41, 3))
    width[0] = 1e9
    store = Store()
    tracks = StoredTracks(store)
    samples = {"average": average, "low": average - width, "high": average + width}
    stored = tracks.add("view", "track", [samples], "chunk")
    tracks.join()
    assert list(stored) == ["average", "below", "above"]
    columns = stored_columns(store.deflated({}))
    for side in ("below", "above"):
        number, start, n = stored[side]
        of_page = columns[number][start : start + n]
        np.testing.assert_allclose(of_page, width.T, rtol=1e-6)
