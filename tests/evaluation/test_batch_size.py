"""Batch sizes for models of known cost per call and per row."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.evaluation.batch_size import (
    FIRST_ROWS,
    FORGOTTEN,
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
    assert sizer.most_seconds(10**6) >= 10**6 * per_row
    rows = sizer.rows(10**6)
    sizer.observe(rows, overhead + rows * per_row)
    assert sizer.cost() == pytest.approx((overhead, per_row))
    assert rows * per_row <= 2 * SECONDS_PER_BLOCK


def test_a_first_call_of_seconds_is_overhead():
    sizer = BatchSizer(10**9)
    sizer.observe(256, 5.0)
    sizer.observe(8192, 5.04)
    assert sizer.rows(10**5) == 10**5


def test_blocks_whose_rows_are_slow_are_rare():
    # As measured with the same pipeline: a row takes longer from 16,000 rows on, in new memory.
    sizer, sizes, needed = BatchSizer(10**9), [], []
    for _ in range(40):
        rows = sizer.rows(10**7)
        per_row = np.interp(np.log(rows), np.log([16_000, 65_000]), [5e-6, 13e-6])
        sizer.observe(rows, 0.005 + rows * per_row)
        sizes.append(rows)
        needed.append(0.005 + rows * per_row)
    quickest = 0.005 / 16_000 + 5e-6
    assert sum(needed) / sum(sizes) <= 1.2 * quickest


def delayed(seed, load):
    """Yield what other work on the machine adds to calls: times the seconds, and seconds."""
    rng = np.random.default_rng(seed)
    while True:
        share = rng.choice([0, 1, 1, 3]) * rng.random() * load
        stall = rng.random() * 0.08 * load if rng.random() < 0.3 else 0.0
        yield 1 + share, stall


@pytest.mark.parametrize(
    ("overhead", "per_row", "most"),
    [(0.02, 5e-6, 3), (0.005, 5e-6, 1.5), (0.05, 2e-4, 2), (0.3, 1e-6, 16), (2.0, 1e-6, 16)],
)
def test_no_delays_of_calls_make_batches_tiny(overhead, per_row, most):
    # The quickstart's base, ten repeats of 30 features, and one more repeat. One third of its calls
    # may take up to ten times as long where other programs use the processor.
    waiting = (143, 42_900, 4290)
    quiet = sum(overhead + rows * per_row for rows in waiting)
    for seed in range(200):
        sizer, delays, needed = BatchSizer(10**9), delayed(seed, load=3), 0.0
        for left in waiting:
            while left:
                rows, (times, stall) = sizer.rows(left), next(delays)
                undelayed = overhead + rows * per_row
                sizer.observe(rows, undelayed * times + stall)
                needed += undelayed
                left -= rows
        assert needed <= most * quiet, f"seed {seed}"


def test_a_larger_batch_is_tried_again_where_the_one_before_was_delayed():
    # The first two calls took as long as if a row took 0.3 seconds, and a call nothing.
    sizer = BatchSizer(10**9)
    sizer.observe(8, 2.9)
    sizer.observe(2, 0.64)
    sizes = []
    while sum(sizes) < 40_000:
        sizes.append(sizer.rows(40_000 - sum(sizes)))
        sizer.observe(sizes[-1], 0.3)
    assert len(sizes) <= FORGOTTEN + 8


def test_no_rows_take_no_time():
    for sizer in (BatchSizer(10**9), run(1000, 0.02, 1e-5)[0]):
        assert sizer.seconds(0) == sizer.most_seconds(0) == 0


def test_the_pessimistic_estimate_has_all_calls_as_slow_as_the_slowest_of_the_latest():
    sizer = BatchSizer(10**9)
    for rows in (256, 512, 8192, 8000):
        sizer.observe(rows, 0.01 + rows * 5e-6)
    assert sizer.most_seconds(10**5) == sizer.seconds(10**5)
    sizer.observe(20_000, 3 * 0.11)
    assert sizer.seconds(10**5) == pytest.approx(0.01 * 100 / 20 + 0.5, rel=0.1)
    assert sizer.most_seconds(10**5) == pytest.approx(3 * sizer.seconds(10**5))


def test_a_model_that_becomes_slow_is_estimated_to_be_slow():
    sizer = BatchSizer(10**9)
    for slowness in (1, 4):
        for _ in range(30):
            rows = sizer.rows(10**7)
            sizer.observe(rows, slowness * rows * 1e-5)
            assert slowness * rows * 1e-5 <= 2 * SECONDS_PER_STEP
        assert sizer.seconds(10**6) == pytest.approx(slowness * 10, rel=0.1)
        assert slowness * rows * 1e-5 == pytest.approx(SECONDS_PER_BLOCK, rel=0.1)


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
        # Few batches separate the overhead from the rows again.
        usual = [each for each in settled if 0.5 <= each / SECONDS_PER_BLOCK <= 1.5]
        assert len(usual) >= (1 - 1 / FORGOTTEN) * len(settled)
        assert max(settled) <= 0.5 * SECONDS_PER_STEP


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
