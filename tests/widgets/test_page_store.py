"""The store of a page: columns, lines and levels, with the precision that is asked of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from uqwidgets.widgets.page import store as store_module
from uqwidgets.widgets.page.polylines import polylines
from uqwidgets.widgets.page.store import Store
from uqwidgets.widgets.page.text import as_text
from widgets.pages import bytes_of, inflated, stored_columns


def test_bytes_are_text_that_html_and_json_leave_as_it_is():
    rng = np.random.default_rng(6)
    for n in [*range(40), 1000]:
        data = rng.integers(256, size=n, dtype=np.uint8).tobytes()
        text = as_text(data)
        assert bytes_of(text) == data
        assert json.dumps(text) == f'"{text}"'
        assert not set("<&") & set(text)
    assert len(text) <= 1.231 * len(data) + 1
    assert as_text(b"page \x00\xff") == "JR1lW6 1`"


def test_polylines_are_stored_to_within_their_tolerance():
    rng = np.random.default_rng(2)
    x = np.linspace(0, 1, 101)
    line = np.interp(x, [0, 0.2, 0.35, 1], [0, 3, 1, 2])
    steps = np.where(x > 0.5, 5.0, 0.0)
    values = np.stack([line, steps, np.zeros(101), np.cumsum(rng.normal(size=101))], axis=1)
    values = np.stack([values, 1e-5 * values])
    tolerance = np.broadcast_to(0.01 * np.ptp(values, axis=1, keepdims=True), values.shape)
    values[0, 40:50, 0] = values[1, 0, 1] = np.nan
    store = Store()
    number = store.add_polylines(values, tolerance, "lines")
    restored = stored_columns(store.deflated({}))[number]
    np.testing.assert_array_equal(np.isnan(restored), np.isnan(values))
    off = np.abs(restored - values)
    assert np.nanmax(off - 1.001 * tolerance) <= 0
    knots = polylines(line[None, :, None], np.full((1, 101, 1), 0.01), np.zeros(1))
    assert len(knots.steps) == 3


def test_a_column_is_stored_once():
    store = Store()
    values = np.linspace(0, 1, 7)
    numbers = [store.add(values, "one"), store.add(values.copy(), "other")]
    numbers.append(store.add(values[:3], "one"))
    assert numbers == [0, 0, 1]


def test_lines_along_a_grid_are_polylines():
    rng = np.random.default_rng(7)
    straight = np.linspace(1e4, 1e4 + 1, 300) * np.ones((5, 1))
    steps = 1e4 + (np.arange(300) > rng.integers(300, size=(4, 1)))
    values = np.concatenate([straight, steps, np.full((1, 300), np.nan)])
    store = Store()
    number = store.add_lines(values, 0.002, "lines")
    restored = stored_columns(store.deflated({}))[number]
    np.testing.assert_array_equal(np.isnan(restored), np.isnan(values))
    assert np.nanmax(np.abs(restored - values)) < 0.0031  # numbers near 1e4 have float32's digits
    nothing = store.add_lines(np.full((2, 3), np.nan), 0.0, "nothing")
    assert np.isnan(stored_columns(store.deflated({}))[nothing]).all()


@pytest.mark.parametrize("most", [1 << 18, 100])
def test_lines_of_one_length_are_stored_together(monkeypatch, most):
    monkeypatch.setattr(store_module, "_MOST_WAITING", most)
    made = []

    def counted(*args):
        made.append(args)
        return polylines(*args)

    monkeypatch.setattr(store_module, "polylines", counted)
    rng = np.random.default_rng(3)
    store, every = Store(), [rng.normal(size=(2, 20)) + 10.0**k for k in range(4)]
    tolerance = np.where(np.arange(20) % 5, 0.01, 1e-5)
    numbers = [store.add_lines(lines, tolerance, "lines") for lines in every]
    assert store.add_lines(every[1], tolerance, "lines") == numbers[1]
    other = store.add_lines(every[0][:, :7], 0.01, "lines")
    restored = stored_columns(store.deflated({}))
    for lines, number in zip(every, numbers, strict=True):
        off = np.abs(restored[number] - lines)
        assert (off <= 1.01 * tolerance + 1e-7 * np.abs(lines)).all()
    assert np.abs(restored[other] - every[0][:, :7]).max() <= 0.0101
    # Lines wait as long as there is room for them.
    assert len(made) == (2 if most > 100 else 3)


def test_scaled_levels_keep_their_digits():
    rng = np.random.default_rng(2)
    values = np.stack([rng.normal(size=(9, 4)), 1e-6 * rng.normal(size=(9, 4))], axis=1)
    values[3, 0, 0] = np.nan
    store = Store()
    number = store.add_scaled(values, "levels")
    restored = stored_columns(store.deflated({}))[number]
    np.testing.assert_array_equal(np.isnan(restored), np.isnan(values))
    largest = np.nanmax(np.abs(values), axis=0)
    assert np.nanmax(np.abs(restored - values) / largest) < 2e-5


def test_values_beyond_float32_are_missing_and_leave_the_others():
    values = np.linspace(0, 1, 11)[:, None] * np.ones(3)
    values[4, 1] = -1e121
    values[:, 2] = 1e141
    store = Store()
    scaled = store.add_scaled(values, "levels")
    tolerance = np.stack([np.full(11, 0.01), np.full(11, 0.01), np.full(11, 1e139)], axis=1)
    lines = store.add_polylines(values[None], tolerance[None], "levels")
    columns = stored_columns(store.deflated({}))
    known = np.where(np.abs(values) > 2, np.nan, values)
    np.testing.assert_allclose(columns[scaled], known, atol=1e-4)
    np.testing.assert_allclose(columns[lines][0], known, atol=0.0101)


def test_values_beyond_the_whole_numbers_of_a_line_are_missing_and_leave_the_others():
    values = np.stack([np.linspace(0, 1, 11), np.linspace(0, 1e9, 11), np.zeros(11)], axis=1)
    values[7, 0] = 1e14
    values[3, 1] = 1e-3
    tolerance = np.full(values.shape, 1e-3)
    tolerance[:, 1] = 1e5
    # Few levels of the second line need a thousand million times the precision of the others.
    tolerance[3, 1] = 1e-12
    store = Store()
    number = store.add_polylines(values[None], tolerance[None], "levels")
    (lines,) = stored_columns(store.deflated({}))[number]
    assert np.argwhere(np.isnan(lines)).tolist() == [[7, 0]]
    within = np.maximum(tolerance, 1e-4 * np.median(tolerance, axis=0))
    assert (np.abs(lines - values) <= 1.01 * within)[~np.isnan(lines)].all()


def test_smooth_levels_are_stored_as_differences_of_differences():
    x = np.linspace(-1, 1, 81)
    store = Store()
    numbers = [store.add_scaled(values, "levels", 1000) for values in (np.exp(x), np.sign(x))]
    columns = stored_columns(store.deflated({}))
    described = json.loads(inflated(store.deflated({})[""]))["columns"]
    assert described[numbers[0]]["order"] > 1
    assert described[numbers[1]]["order"] == 1
    np.testing.assert_allclose(columns[numbers[0]], np.exp(x), atol=0.001)
    np.testing.assert_allclose(columns[numbers[1]], np.sign(x), atol=0.001)
