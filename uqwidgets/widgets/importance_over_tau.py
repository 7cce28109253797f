"""Importance as a function of tau: estimates and the ends of their intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import Interval
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.over_tau import Check, Level, Samples, Track, stacked
from uqwidgets.widgets.repeats import RepeatChanges
from uqwidgets.widgets.views.view import Content

# Errors of what is interpolated, as shares of an axis.
_TOLERANCE, _END_TOLERANCE = 0.001, 0.008
# With more rows, intervals are mostly so narrow that they are first computed at a few levels.
_MANY_ROWS = 20_000


class ImportanceOverTau:
    """Samples the importance of all features at levels of tau.

    Estimates are smooth on each side of 0, and quick to compute. The ends of intervals have kinks
    and take longer, so they are computed at fewer levels.

    Parameters
    ----------
    explainer : Explainer
    repeats : RepeatChanges
    """

    def __init__(self, explainer: Explainer, repeats: RepeatChanges) -> None:
        self._explainer = explainer
        self._repeats = repeats

    def tracks(
        self,
        source: Hashable,
        shown: Sequence[int],
        n_repeats: int,
        interval: Interval,
        compute: Callable[..., Content],
    ) -> list[Track]:
        """Return the tracks of estimates and of intervals.

        Parameters
        ----------
        source : hashable
            Identifies the changes of single rows.
        shown : sequence of int
            Positions of the measures that are shown, among those of the changes.
        n_repeats : int
        interval : str
        compute : callable
            As `uqwidgets.widgets.views.importance.ImportanceView.compute`.
        """

        def estimates(levels: Sequence[Level], check: Check) -> Samples:
            populations = stacked(levels)
            values = [
                self._repeats.estimates(feature, n_repeats, populations, check)
                for feature in self._repeats.features
            ]
            of_shown = np.stack(values)[:, shown]
            return {"value": of_shown.transpose(2, 1, 0), **self._baselines(shown, levels)}

        def contents(levels: Sequence[Level], check: Check) -> Samples:
            at_levels = [
                compute(level.inputs, level.populations, n_repeats, lambda *_: check()).columns
                for level in levels
            ]
            return {name: np.stack([columns[name] for columns in at_levels]) for name in names}

        # The quantiles of repeats are about their median.
        names = ("value", "low", "high") if interval == "quantile" else ("low", "high")
        start, coarse, finest = (1, 2, 4) if len(self._explainer.table) > _MANY_ROWS else (4, 8, 16)
        key = (source, tuple(shown), n_repeats, interval)
        ends = Track("ends", key, contents, _END_TOLERANCE, _axes, start, coarse, finest)
        if interval == "quantile":
            return [ends]
        return [Track("value", key[:-1], estimates, _TOLERANCE, _extents), ends]

    def _baselines(self, shown: Sequence[int], levels: Sequence[Level]) -> Samples:
        measures = [self._repeats.measures[m] for m in shown]
        originals = [self._explainer.evaluations.original_values(m) for m in measures]
        scored = [level.population.scored for level in levels]
        return {
            f"measures.{m}.baseline": np.array([dot(original, s) / s.sum() for s in scored])
            for m, original in enumerate(originals)
        }


def _extents(columns: Samples) -> Samples:
    """Length of the estimates' axis at each level: that of their intervals is as long or longer."""
    return {"value": _axis(columns["value"], columns["value"])}


def _axes(columns: Samples) -> Samples:
    """Length of the axis of each measure at each level."""
    return dict.fromkeys(columns, _axis(columns["low"], columns["high"]))


def _axis(low: Floats, high: Floats) -> Floats:
    """Length of an axis that zero belongs to, shape (levels, measures, 1)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no interval is known
        extent = np.fmax(np.nanmax(high, axis=2), 0) - np.fmin(np.nanmin(low, axis=2), 0)
    return np.asarray(extent[:, :, None])
