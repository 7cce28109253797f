"""Coverage of the default interval, in the quick mode of the benchmark that measures it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bench_coverage import coverage

RUNS = 300
# Four standard errors of a coverage of 0.93 over these runs.
SLACK = 4 * np.sqrt(0.93 * 0.07 / RUNS)


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("repeats", [5, 10])
def test_the_default_interval_covers_what_matters_and_what_does_not_is_exactly_zero(n, repeats):
    found = coverage(n, repeats, RUNS)
    held, half_width = found["u-statistic"]
    assert (held[:2] > 0.93 - SLACK).all()
    assert (held[2], half_width[2]) == (1, 0)
    # What several packages print as an interval: that over repeats.
    assert (found["fixed-data"][0][:2] < 0.8).all()
