"""The intervals by name.

What each interval of an importance accounts for, and how often it holds the truth: the share of
2000 simulated tables (`benchmarks/bench_coverage.py`; 200 rows, 10 repeats, one fitted model,
squared loss) in which the nominal 95 % interval held the importance in the population, for a
feature that matters much, one that matters little, and one that the model ignores.

COVERAGE_TABLE
"""

from __future__ import annotations

from typing import Literal, get_args

from uqwidgets.names import unknown

Interval = Literal["u-statistic", "model", "fixed-data", "random-variable", "quantile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)


def checked_interval(interval: str) -> Interval:
    """Return the interval of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    for known in INTERVALS:
        if interval == known:
            return known
    raise ValueError(unknown("interval", interval, list(INTERVALS)))


def checked_level(level: float) -> float:
    """Return the level if it may be one.

    Raises
    ------
    ValueError
        If it is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must be between 0 and 1, such as 0.95.")
    return float(level)
