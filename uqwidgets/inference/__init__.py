"""Weighted means over rows and over pairs of rows, and intervals for them."""

from uqwidgets.inference.all_pairs import every_donor, every_pair
from uqwidgets.inference.bounds import Bounds, Reference, bounds, checked_reference, symmetric
from uqwidgets.inference.drawn_pairs import balanced, mean_change
from uqwidgets.inference.influence import Change, compared
from uqwidgets.inference.jackknife import without_groups
from uqwidgets.inference.kinds import INTERVALS, Interval, checked_interval, checked_level
from uqwidgets.inference.pooling import pooled
from uqwidgets.inference.ratio import fieller, over_baseline, ratio_bounds
from uqwidgets.inference.rows import half_width, mean_over_rows

__all__ = [
    "INTERVALS",
    "Bounds",
    "Change",
    "Interval",
    "Reference",
    "balanced",
    "bounds",
    "checked_interval",
    "checked_level",
    "checked_reference",
    "compared",
    "every_donor",
    "every_pair",
    "fieller",
    "half_width",
    "mean_change",
    "mean_over_rows",
    "over_baseline",
    "pooled",
    "ratio_bounds",
    "symmetric",
    "without_groups",
]
