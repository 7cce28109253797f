"""How many rows a model is handed at once, for models whose cost is known."""

from __future__ import annotations

import pytest

from uqwidgets.evaluation.batch_size import (
    FIRST_ROWS,
    OVERHEAD_SHARE,
    SECONDS_PER_BLOCK,
    SECONDS_PER_STEP,
    BatchSizer,
)


def run(waiting, overhead, per_row, most=10**9):
    """Sizes of the blocks that a model of this cost is handed."""
    pace, sizes = BatchSizer(most), []
    while waiting:
        rows = pace.rows(waiting)
        assert 1 <= rows <= min(waiting, most)
        pace.observe(rows, overhead + rows * per_row)
        sizes.append(rows)
        waiting -= rows
    return pace, sizes


def test_the_first_block_is_a_look_at_few_rows_and_the_second_tells_overhead_from_rows():
    least, most = FIRST_ROWS
    assert BatchSizer(10**9).rows(10**6) == most
    for n in (8 * least, 143, 1000):
        _, (first, second) = run(n, overhead=0.015, per_row=6e-6)
        assert least <= first <= second / 4
    assert BatchSizer(10**9).rows(10) == 10  # so few tell nothing apart


def test_a_step_into_the_unknown_takes_about_a_second_at_worst():
    # All of the time of the first two calls may have been jitter around a cost of rows alone.
    for overhead, per_row in [(0.0, 1e-3), (0.02, 1e-3), (0.3, 1e-4)]:
        _, sizes = run(10**5, overhead, per_row)
        steps = [overhead + rows * per_row for rows in sizes[1:4]]
        assert max(steps) <= 1.5 * max(SECONDS_PER_STEP, OVERHEAD_SHARE * overhead)


def test_a_slow_start_does_not_make_a_long_step():
    # A first call that warms the model up looks like overhead that it does not have.
    pace = BatchSizer(10**9)
    pace.observe(8, 0.02)
    pace.observe(135, 135 * 2e-4)
    assert pace.rows(10**6) * 2e-4 <= 2 * SECONDS_PER_STEP


def test_blocks_settle_at_a_tenth_of_a_second():
    _, sizes = run(10**6, overhead=0.0, per_row=1e-5)
    settled = [rows * 1e-5 for rows in sizes[2:-1]]
    assert settled
    assert max(settled) <= 1.5 * SECONDS_PER_BLOCK
    assert min(settled) >= 0.5 * SECONDS_PER_BLOCK


def test_a_model_whose_calls_are_dear_is_called_seldom():
    overhead, per_row, rows = 0.05, 5e-6, 10**6
    _, sizes = run(rows, overhead, per_row)
    settled = sizes[2:]  # before, it was not known
    cost = sum(overhead + block * per_row for block in settled)
    assert len(settled) * overhead <= cost / (OVERHEAD_SHARE - 1)


def test_thirty_features_times_ten_repeats_are_a_handful_of_calls():
    # The calibrated forest of MEASURED: 22 ms a call and 6 microseconds a row.
    for seen, most in (([8, 135], 1), ([143], 3), ([], 4)):
        pace = BatchSizer(10**9)
        for rows in seen:
            pace.observe(rows, 0.022 + rows * 6e-6)
        waiting, calls = 143 * 300, 0
        while waiting:
            rows = pace.rows(waiting)
            pace.observe(rows, 0.022 + rows * 6e-6)
            waiting -= rows
            calls += 1
        assert calls <= most


@pytest.mark.parametrize("overhead", [1.2, 2.0, 5.0, 60.0])
@pytest.mark.parametrize("n", [10, 100, 5000])
def test_a_model_whose_every_call_takes_seconds_is_not_asked_row_by_row(overhead, n):
    # Fewer rows are tried first, for it could be the rows that take so long.
    _, sizes = run(50 * n, overhead, per_row=1e-6)
    assert len(sizes) <= 8


def test_a_model_whose_rows_are_dear_settles_at_few():
    for per_row in (1e-3, 0.01, 0.05):
        _, sizes = run(5000, overhead=0.0, per_row=per_row)
        settled = [rows * per_row for rows in sizes[3:-1]]
        assert max(settled) <= 1.5 * SECONDS_PER_BLOCK
        assert min(settled) >= 0.5 * SECONDS_PER_BLOCK


def test_memory_bounds_every_block():
    _, sizes = run(10_000, overhead=0.0, per_row=1e-9, most=700)
    assert max(sizes) == 700


def test_no_small_rest_is_left():
    _, sizes = run(10**6 + 3, overhead=0.0, per_row=1e-5)
    assert sizes[-1] > 100


def test_a_clock_that_does_not_move_is_no_division_by_zero():
    _, sizes = run(10**6, overhead=0.0, per_row=0.0)
    assert len(sizes) < 20


@pytest.mark.parametrize(("overhead", "per_row"), [(0.0, 1e-5), (0.02, 1e-5), (0.0, 1e-3)])
def test_time_left_is_about_what_it_takes(overhead, per_row):
    pace, _ = run(10**5, overhead, per_row)
    _, sizes = run(50_000, overhead, per_row)
    needed = 50_000 * per_row + len(sizes) * overhead
    assert pace.seconds(50_000) == pytest.approx(needed, rel=0.5)


@pytest.mark.parametrize(("overhead", "per_row"), [(0.0, 1e-5), (0.0, 1e-3), (0.02, 1e-5)])
def test_a_call_that_stalled_is_forgotten_once_another_one_contradicts_it(overhead, per_row):
    sizer = BatchSizer(10**9)

    def ask(calls):
        sizes = []
        for _ in range(calls):
            sizes.append(sizer.rows(10**6))
            sizer.observe(sizes[-1], overhead + sizes[-1] * per_row)
        return sizes

    before = ask(6)[-1]
    sizer.observe(2 * before, 60.0)
    assert sizer.rows(10**6) < before / 10, "the next call is careful"
    assert ask(10)[-1] == pytest.approx(before, rel=0.1)
