"""Importance at levels of tau: estimates and the ends of their intervals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import Interval
from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.inference.moments import bounds_of_moments
from uqwidgets.inference.populations import mean_changes_in
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import ReportCount
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples, at_each, stacked
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from uqwidgets.widgets.views.view import Content

#: A function from the inputs and populations of a level, a number of repeats and a report to the
#: content of the view.
Compute = Callable[[Inputs, Populations, int, ReportCount], Content]


def importance_tracks(
    explainer: Explainer,
    repeats: RepeatChanges,
    inputs: Inputs,
    source: Hashable,
    shown: Sequence[int],
    n_repeats: int,
    interval: Interval,
    compute: Compute,
) -> list[Track]:
    """Return the tracks of estimates and of intervals.

    U-statistic intervals under permutation are computed for many levels together; others, and those
    that hold all at once, are those of the content at each level.

    Parameters
    ----------
    explainer : Explainer
    repeats : RepeatChanges
    inputs : Inputs
        Whatever their tau.
    source : hashable
        Identifies the changes of single rows.
    shown : sequence of int
        Positions of the measures that are shown, among those of the changes.
    n_repeats : int
    interval : str
    compute : callable
        As `uqwidgets.widgets.views.importance.view.ImportanceView.compute`.
    """
    # The quantiles of repeats are about their median.
    names = ("value", "low", "high") if interval == "quantile" else ("low", "high")

    def of_level(level: Level, check: Check) -> Samples:
        at = level.inputs(inputs), level.populations
        columns = compute(*at, n_repeats, lambda *_: check()).columns
        return {name: columns[name] for name in names}

    changes = _Changes(
        {f: [repeats.changes(m, f, n_repeats) for m in shown] for f in repeats.features},
        {f: repeats.donors(f, n_repeats) for f in repeats.features},
        [explainer.evaluations.original_values(repeats.measures[m]) for m in shown],
    )
    key = (source, tuple(shown), n_repeats)
    of_ends = (*key, interval, inputs.holds_at_once)
    is_alone = interval == "u-statistic" and not inputs.holds_at_once
    if is_alone and repeats.scheme == "permutation":
        n_read = len(explainer.table) * len(shown) * len(repeats.features) * n_repeats
        ends = Track("ends", of_ends, changes.ends, n_read)
    else:
        ends = Track("ends", of_ends, partial(at_each, of_level))
    return [ends] if interval == "quantile" else [Track("value", key, changes.means), ends]


@dataclass(frozen=True, eq=False)
class _Changes:
    """Changes of every row as arrays alone, which another process can have a copy of.

    Attributes
    ----------
    changes : mapping of str to sequence of ndarray of shape (K, n)
        By feature, for each measure.
    donors : mapping of str to ndarray of shape (K, n)
        By feature.
    originals : sequence of ndarray of shape (n,)
        Each measure of the rows without replacement.
    """

    changes: Mapping[str, Sequence[Floats]]
    donors: Mapping[str, npt.NDArray[np.int32]]
    originals: Sequence[Floats]

    def means(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the means, of shape (levels, measures, features), and those of the measures."""
        populations = stacked(levels)
        means = [
            mean_changes_in(populations, changes, self.donors[feature], check)
            for feature, changes in self.changes.items()
        ]
        columns = {"value": np.stack(means).transpose(2, 1, 0)}
        scored = [level.population.scored for level in levels]
        for m, original in enumerate(self.originals):
            baseline = np.array([dot(original, s) / s.sum() for s in scored])
            columns[f"measures.{m}.baseline"] = baseline
        return columns

    def ends(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return both ends of U-statistic intervals, of shape (levels, measures, features)."""
        populations, ends = stacked(levels), []
        for feature, changes in self.changes.items():
            check()
            moments = path_moments(
                populations, changes, self.donors[feature], self.originals, check
            )
            ends.append(bounds_of_moments(moments, LEVEL)[1:])
        low, high = np.array(ends).transpose(1, 3, 2, 0)
        return {"low": low, "high": high}
