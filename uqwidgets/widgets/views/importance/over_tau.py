"""Importance at levels of tau: estimates and the ends of their intervals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import Interval
from uqwidgets.inference.moments import bounds_of_moments
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples, stacked
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.importance.drawn_changes import DrawnChanges
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from uqwidgets.widgets.views.view import Content

#: A function from the inputs and populations of a level, a number of repeats and a report to the
#: content of the view.
Compute = Callable[[Inputs, Populations, int, Callable[[int, int], None]], Content]


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

    U-statistic intervals under permutation are computed for many levels together; others are those
    of the content at each level.

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
    measures = [repeats.measures[m] for m in shown]
    # The quantiles of repeats are about their median.
    names = ("value", "low", "high") if interval == "quantile" else ("low", "high")

    def estimates(levels: Sequence[Level], check: Check) -> Samples:
        populations = stacked(levels)
        values = [
            repeats.estimates(shown, feature, n_repeats, populations, check)
            for feature in repeats.features
        ]
        columns = {"value": np.stack(values).transpose(2, 1, 0)}
        scored = [level.population.scored for level in levels]
        for m, measure in enumerate(measures):
            original = explainer.evaluations.original_values(measure)
            baseline = np.array([dot(original, s) / s.sum() for s in scored])
            columns[f"measures.{m}.baseline"] = baseline
        return columns

    def contents(levels: Sequence[Level], check: Check) -> Samples:
        at_levels = [
            compute(level.inputs(inputs), level.populations, n_repeats, lambda *_: check())
            for level in levels
        ]
        return {name: np.stack([each.columns[name] for each in at_levels]) for name in names}

    key = (source, tuple(shown), n_repeats, interval)
    if interval == "u-statistic" and repeats.scheme == "permutation":
        n_read = len(explainer.table) * len(shown) * len(repeats.features) * n_repeats
        ends = Track("ends", key, Ends(repeats, tuple(shown), n_repeats), n_read)
    else:
        ends = Track("ends", key, contents)
    return [ends] if interval == "quantile" else [Track("value", key[:-1], estimates), ends]


@dataclass(eq=False)
class Ends:
    """The ends of U-statistic intervals at levels of tau.

    Attributes
    ----------
    repeats : RepeatChanges or None
        None in a copy in another process, which has the changes.
    shown : tuple of int
        Positions of the measures that are shown.
    n_repeats : int
    """

    repeats: RepeatChanges | None
    shown: tuple[int, ...]
    n_repeats: int

    @cached_property
    def _changes(self) -> DrawnChanges:
        assert self.repeats is not None, "a copy in another process has the changes"
        return self.repeats.drawn(self.shown, self.n_repeats)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process has: arrays, but not the model."""
        return {**vars(self), "_changes": self._changes, "repeats": None}

    def __call__(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return both ends, arrays of shape (levels, measures, features)."""
        populations, ends = stacked(levels), []
        for feature in self._changes.features:
            check()
            moments = self._changes.moments(feature, populations, check)
            ends.append(bounds_of_moments(moments, LEVEL)[1:])
        low, high = np.array(ends).transpose(1, 3, 2, 0)
        return {"low": low, "high": high}
