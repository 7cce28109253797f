"""Weighted means over rows and over pairs of rows, and intervals for them.

A permutation importance starts as a `Change`: an estimate with the influence function of every
row (`mean_change` over drawn pairs, `every_donor` over all pairs). `bounds` and `ratio_bounds`
turn it into an interval.
"""

from uqwidgets.inference.all_pairs import every_donor, every_pair
from uqwidgets.inference.drawn_pairs import balanced, mean_change
from uqwidgets.inference.influence import Change, minus_multiple_of_baseline, pooled
from uqwidgets.inference.intervals import (
    INTERVALS,
    Bounds,
    Interval,
    bounds,
    checked_interval,
    checked_level,
    checked_reference,
    described_interval,
    interval_moments,
    listed_bounds,
    symmetric,
    u_statistic_bounds,
)
from uqwidgets.inference.moments import Moments, Reference, row_moments
from uqwidgets.inference.population import half_width, influences_on_means, mean_over_rows
from uqwidgets.inference.ratio import (
    fieller,
    minus_influence,
    over_baseline,
    ratio_bounds,
    ratio_change,
)
from uqwidgets.inference.sampled_rows import SampledRows
from uqwidgets.inference.simultaneous import Family
from uqwidgets.inference.variance import (
    covariance_without_groups,
    jackknife_groups,
    without_groups,
)

__all__ = [
    "INTERVALS",
    "Bounds",
    "Change",
    "Family",
    "Interval",
    "Moments",
    "Reference",
    "SampledRows",
    "balanced",
    "bounds",
    "checked_interval",
    "checked_level",
    "checked_reference",
    "covariance_without_groups",
    "described_interval",
    "every_donor",
    "every_pair",
    "fieller",
    "half_width",
    "influences_on_means",
    "interval_moments",
    "jackknife_groups",
    "listed_bounds",
    "mean_change",
    "mean_over_rows",
    "minus_influence",
    "minus_multiple_of_baseline",
    "over_baseline",
    "pooled",
    "ratio_bounds",
    "ratio_change",
    "row_moments",
    "symmetric",
    "u_statistic_bounds",
    "without_groups",
]
