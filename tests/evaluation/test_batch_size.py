"""Batch sizes for models of known cost per call and per row."""

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
    """Return the batch sizer and the sizes of its batches for a model of this cost."""
    sizer, sizes = BatchSizer(most), []
    while waiting:
        rows = sizer.rows(waiting)
        assert 1 <= rows <= min(waiting, most)
        sizer.observe(rows, overhead + rows * per_row)
        sizes.append(rows)
        waiting -= rows
    return sizer, sizes


def test_the_first_two_batches_separate_overhead_from_the_cost_per_row():
    least, most = FIRST_ROWS
    assert BatchSizer(10**9).rows(10**6) == most
    for n in (8 * least, 143, 1000):
        _, (first, second) = run(n, overhead=0.015, per_row=6e-6)
        assert least <= first <= second / 4
    assert BatchSizer(10**9).rows(10) == 10  # too few rows to separate overhead from cost per row


def test_a_larger_batch_takes_about_a_second_at_most():
    # The time of the first two calls may be noise around a cost that grows with the rows only.
    for overhead, per_row in [(0.0, 1e-3), (0.02, 1e-3), (0.3, 1e-4)]:
        _, sizes = run(10**5, overhead, per_row)
        steps = [overhead + rows * per_row for rows in sizes[1:4]]
        assert max(steps) <= 1.5 * max(SECONDS_PER_STEP, OVERHEAD_SHARE * overhead)


def test_a_slow_start_does_not_make_a_long_step():
    # A slow first call, which warms the model up, looks like overhead.
    sizer = BatchSizer(10**9)
    sizer.observe(8, 0.02)
    sizer.observe(135, 135 * 2e-4)
    assert sizer.rows(10**6) * 2e-4 <= 2 * SECONDS_PER_STEP


@pytest.mark.parametrize("start", [0.005, 0.02, 0.03])
def test_the_time_in_which_threads_start_is_no_overhead(start):
    # As measured with a pipeline of one-hot encoding and boosting, once in several first calls.
    overhead, per_row = 0.005, 5e-6
    sizer = BatchSizer(10**9)
    sizer.observe(256, start + overhead + 256 * per_row)
    sizer.observe(8192, overhead + 8192 * per_row)
    assert sizer.seconds_if_first_was_slow(10**6) >= 10**6 * per_row
    rows = sizer.rows(10**6)
    sizer.observe(rows, overhead + rows * per_row)
    assert sizer.cost() == pytest.approx((overhead, per_row))
    assert rows * per_row <= 2 * SECONDS_PER_BLOCK


def test_a_first_call_of_seconds_is_overhead():
    sizer = BatchSizer(10**9)
    sizer.observe(256, 5.0)
    sizer.observe(8192, 5.04)
    assert sizer.rows(10**5) == 10**5


def test_blocks_whose_rows_are_slow_are_not_repeated():
    # As measured with the same pipeline: 5 microseconds a row, and 15 in new memory.
    sizer, sizes, needed = BatchSizer(10**9), [], []
    for _ in range(40):
        rows = sizer.rows(10**7)
        needed.append(0.005 + rows * (5e-6 if rows <= 12_000 else 15e-6))
        sizer.observe(rows, needed[-1])
        sizes.append(rows)
    assert max(sizes[5:]) <= 2 * 12_000
    quickest = 0.005 / 12_000 + 5e-6
    assert sum(needed[5:]) / sum(sizes[5:]) <= 1.5 * quickest


def test_batches_converge_to_a_tenth_of_a_second():
    _, sizes = run(10**6, overhead=0.0, per_row=1e-5)
    settled = [rows * 1e-5 for rows in sizes[2:-1]]
    assert settled
    assert max(settled) <= 1.5 * SECONDS_PER_BLOCK
    assert min(settled) >= 0.5 * SECONDS_PER_BLOCK


def test_a_model_with_expensive_calls_is_called_rarely():
    overhead, per_row, rows = 0.05, 5e-6, 10**6
    _, sizes = run(rows, overhead, per_row)
    settled = sizes[2:]  # the first two batches measure the cost
    cost = sum(overhead + block * per_row for block in settled)
    assert len(settled) * overhead <= cost / (OVERHEAD_SHARE - 1)


def test_thirty_features_times_ten_repeats_need_at_most_four_calls():
    # The calibrated forest of MEASURED: 22 ms a call and 6 microseconds a row.
    for seen, most in (([8, 135], 2), ([143], 3), ([], 4)):
        sizer = BatchSizer(10**9)
        for rows in seen:
            sizer.observe(rows, 0.022 + rows * 6e-6)
        waiting, calls = 143 * 300, 0
        while waiting:
            rows = sizer.rows(waiting)
            sizer.observe(rows, 0.022 + rows * 6e-6)
            waiting -= rows
            calls += 1
        assert calls <= most


@pytest.mark.parametrize("overhead", [0.3, 0.5, 0.9, 1.0, 1.2, 2.0, 5.0, 60.0])
@pytest.mark.parametrize("n", [10, 100, 5000])
def test_a_model_with_calls_of_seconds_is_not_called_row_by_row(overhead, n):
    # Smaller batches come first, because the rows could be what takes long.
    _, sizes = run(50 * n, overhead, per_row=1e-6)
    assert len(sizes) <= 8


def test_a_model_with_expensive_rows_gets_small_batches():
    for per_row in (1e-3, 0.01, 0.05):
        _, sizes = run(5000, overhead=0.0, per_row=per_row)
        settled = [rows * per_row for rows in sizes[3:-1]]
        assert max(settled) <= 1.5 * SECONDS_PER_BLOCK
        assert min(settled) >= 0.5 * SECONDS_PER_BLOCK


def test_memory_limits_every_batch():
    _, sizes = run(10_000, overhead=0.0, per_row=1e-9, most=700)
    assert max(sizes) == 700


def test_the_last_batch_is_not_small():
    _, sizes = run(10**6 + 3, overhead=0.0, per_row=1e-5)
    assert sizes[-1] > 100


def test_a_clock_that_stands_still_does_not_divide_by_zero():
    _, sizes = run(10**6, overhead=0.0, per_row=0.0)
    assert len(sizes) < 20


@pytest.mark.parametrize(("overhead", "per_row"), [(0.0, 1e-5), (0.02, 1e-5), (0.0, 1e-3)])
def test_the_estimate_of_the_time_left_is_near_the_time_needed(overhead, per_row):
    sizer, _ = run(10**5, overhead, per_row)
    _, sizes = run(50_000, overhead, per_row)
    needed = 50_000 * per_row + len(sizes) * overhead
    assert sizer.seconds(50_000) == pytest.approx(needed, rel=0.5)


@pytest.mark.parametrize(("overhead", "per_row"), [(0.0, 1e-5), (0.0, 1e-3), (0.02, 1e-5)])
def test_the_time_of_a_stalled_call_is_forgotten(overhead, per_row):
    sizer = BatchSizer(10**9)

    def ask(calls):
        sizes = []
        for _ in range(calls):
            sizes.append(sizer.rows(10**6))
            sizer.observe(sizes[-1], overhead + sizes[-1] * per_row)
        return sizes

    before = ask(6)[-1]
    sizer.observe(2 * before, 60.0)
    assert sizer.rows(10**6) < before / 10, "the batch after a stalled call is small"
    assert ask(10)[-1] == pytest.approx(before, rel=0.1)
