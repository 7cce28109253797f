"""Coverage of a learner's intervals, in the quick mode of the benchmark that measures it."""

from __future__ import annotations

from benchmarks.coverage import QUICK, quick
from benchmarks.learner_coverage.methods import OFFERED
from benchmarks.learner_coverage.printed import TOLERANCE


def test_a_few_cells_of_the_papers_tables_and_what_is_offered_instead():
    seen = 0
    for setting, kind, column, score, printed in quick():
        slack = 4 * score.error
        where = f"{setting} {kind} {column}: {score.coverage:.3f}, printed {printed}"
        if column in OFFERED:  # 100 tables know a standard deviation to 7 %
            assert score.coverage > 0.93 - slack, where
            assert score.ratio < 1.5 * 1.25, where
        else:
            assert abs(score.coverage - printed) < TOLERANCE[setting.procedure] + slack, where
        seen += 1
    assert seen == len(QUICK) * 2 * 6
