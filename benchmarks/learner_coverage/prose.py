"""The text between the tables of the report."""

HEAD = """# Coverage of intervals for learners

Made by `python -m benchmarks.coverage --write --tables {tables} --forest-tables {forest_tables}
--fits {fits} --forest-fits {forest_fits}`: {tables} simulated tables a cell for linear models (lm)
and trees, {forest_tables} for forests (rf), each with 15 refits, nominal level 0.95.

The truth of a cell is the mean over {fits} fits ({forest_fits} for forests), each on 0.632 n fresh
rows and scored on as many: the expected curve or importance of the learner, not that of the
process. As in the authors' experiment, trees split 20 rows or more into leaves of at least 7 and
are pruned at 1 % of the root's error (the defaults of rpart); forests have 100 trees, try one
feature at a split and do not split nodes of 5 rows; importance is the mean over 5 permutations;
c = 0.368 / 0.632; "ideal" draws fresh rows for each refit. The non-linear process has sqrt(1 + x2).
Coverage is averaged over features and, for curves, over the grid 0.1, 0.3, 0.5, 0.7, 0.9.

## The paper's tables

Our coverage, and the printed one in brackets. boot = bootstrap, subs = subsampling, * = with the
correction of Nadeau and Bengio 2003.
"""

BETTER = """## Better intervals

`group_jackknife_interval` and `row_effect_interval` of `uqwidgets.learner.intervals`, both from
the 15 refits that leave out two of six groups (`leave_two_groups_out`). The features of these
processes are independent. With correlated features, row effects and the corrected interval cover
less, and the default intervals of `Learner` keep their coverage: see the last section.

*Width* is relative to that of the estimate plus and minus 1.96 times the true standard deviation
of the mean over refits: the narrowest interval of coverage 0.95 around this estimate, if it is
normal. *boot\\** and the width after it are the corrected interval of the bootstrap, relative to
the standard deviation of its own mean.

*To ideal* is the width relative to that of the paper's "ideal" interval. A ratio of 1.5 is not
possible: "ideal" uses fresh rows for every refit, 19 n rows in all, instead of n. *Needed* is this
ratio for an interval of coverage 0.93 around the mean over refits with its true standard deviation.
"""

TRIED = """## All intervals that were compared

Over the twelve rows: the least coverage and the greatest relative width, and where.
"""

ELSEWHERE = """## Other processes, which were not used to choose the intervals

Five normal features with correlation 0.36, y = x1 + abs(x2) + x1 x3 / 2 + noise of t with 5 degrees
of freedom; x4 and x5 are not used. Coverage of importance by feature, in this order.
"""
