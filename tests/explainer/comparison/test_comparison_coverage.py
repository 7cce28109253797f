"""Coverage of the paired interval, by a short run of the benchmark."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bench_comparison import coverages, truth

# Four standard errors of a coverage of 0.93.
RUNS = 32
SLACK = 4 * np.sqrt(0.93 * 0.07 / RUNS)


def _check(scores, slack):
    covered = np.array([score.coverage for score in scores.values()])
    assert (covered > 0.93 - slack).all()
    assert covered.mean() > 0.93 - slack / 3
    narrower = [score.width / score.unpaired for score in scores.values()]
    # What both models find hard cancels.
    assert np.median(narrower) < 0.9
    assert max(narrower) < 1.25


@pytest.mark.thorough
def test_paired_intervals_cover_and_are_narrower_than_unpaired_ones():
    _check(coverages(100, RUNS, truth(50_000)), SLACK)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300, 1000])
def test_paired_intervals_cover_at_length(n):
    _check(coverages(n, 300, truth()), 4 * np.sqrt(0.93 * 0.07 / 300))
