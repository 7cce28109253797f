"""The intervals by name.

What each interval of an importance accounts for, what it takes as fixed, and how often it holds
the importance in the population: the share of 1500 simulated tables of 200 rows (10 repeats, one
fitted model, squared loss; `benchmarks/bench_coverage.py` has more sizes, and
`benchmarks/importance_coverage.md` the default interval of other measures) in which the nominal
95 % interval held it, for a feature that matters much and for one that matters little. For a
feature that the model ignores, importance and interval are exactly zero.

=================== ============================= ================================== ===== =====
interval            accounts for                  takes as fixed                     much  little
=================== ============================= ================================== ===== =====
``u-statistic``     rows, as scored and as        the fitted model                   .947  .948
                    donors; the draws
``model``           rows as scored                the model, the donors, the draws   .838  .933
``random-variable`` pairs of a row and a donor,   the model; that a row is in many   .509  .571
                    as if all independent         pairs
``fixed-data``      the draws                     the model and all rows             .419  .457
``quantile``        the spread of single repeats  the model and all rows; it is no   .701  .771
                                                  interval for their mean
=================== ============================= ================================== ===== =====

The lower three answer other questions than what would be found with other rows. What refitting
the model would change, none of them says: see `uqwidgets.Learner`.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from uqwidgets._utils.choices import one_of

Interval = Literal["u-statistic", "model", "fixed-data", "random-variable", "quantile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)


def checked_interval(interval: str) -> Interval:
    """Return the interval of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    return one_of(INTERVALS, interval, "interval")


def checked_level(level: Any) -> float:
    """Return the level if it may be one.

    Raises
    ------
    ValueError
        If it is not between 0 and 1.
    """
    if isinstance(level, str) or not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be between 0 and 1, such as 0.95.")
    return float(level)
