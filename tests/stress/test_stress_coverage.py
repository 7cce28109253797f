"""Coverage of intervals under stress, by a short run of the benchmark."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bench_stress_coverage import DESIGNS, covered, with_missing_values

NOMINAL = (0.93, 0.97)
# Of the others, one is stressed to a tail that is so heavy that weights have hardly a variance, one
# has lognormal noise, and one is stressed to quantiles that jump.
ORDINARY = [
    *("normal and skewed", "two classes", "gamma and uniform"),
    *("unbalanced", "two humps", "inaccurate model"),
]


def shares(designs, runs, population):
    """Coverage at |tau| <= 0.5, and at |tau| = 1, of every indicator and feature."""
    result = [
        line
        for seed, name in enumerate(designs)
        for line in covered(DESIGNS[name], runs, seed, ["quantile"], population).values()
    ]
    lines = np.stack(result)
    return lines[:, 1:4].ravel(), lines[:, [0, 4]].ravel()


@pytest.mark.thorough
def test_intervals_of_400_rows_cover():
    runs = 60
    half_way, all_the_way = shares(ORDINARY[:2], runs, 100_000)
    assert len(half_way) == 60
    for result in (half_way, all_the_way):
        assert NOMINAL[0] < result.mean() < NOMINAL[1]
    # Four standard errors.
    slack = 4 * np.sqrt(0.93 * 0.07 / runs)
    assert half_way.min() > NOMINAL[0] - slack
    assert all_the_way.min() > 0.9 - slack


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_nearly_every_interval_of_400_rows_covers_at_its_level():
    half_way, all_the_way = shares(ORDINARY, 1000, 2_000_000)

    def within(result):
        return np.mean((result >= NOMINAL[0]) & (result <= NOMINAL[1]))

    assert within(half_way) >= 0.95
    assert within(all_the_way) >= 0.75
    assert NOMINAL[0] < all_the_way.mean() < NOMINAL[1]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_intervals_cover_where_rows_without_a_value_keep_their_weight():
    runs, lines = 300, []
    for seed, name in enumerate(["normal and skewed", "two classes"]):
        design = with_missing_values(DESIGNS[name])
        lines += covered(design, runs, seed, ["quantile"], 1_000_000, "keep").values()
    shares = np.stack(lines)
    half_way, all_the_way = shares[:, 1:4].ravel(), shares[:, [0, 4]].ravel()
    for result in (half_way, all_the_way):
        assert NOMINAL[0] < result.mean() < NOMINAL[1]
    assert half_way.min() > NOMINAL[0] - 4 * np.sqrt(0.93 * 0.07 / runs)
    # Of the variance, where few rows have much weight.
    assert all_the_way.min() > 0.8
