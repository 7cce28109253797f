"""The curve of a feature at levels of tau, with its band and its histograms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets.dependence.density import axis_of, near
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import mean_intervals_in
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.views.dependence.feature_curves import FeatureCurves
from uqwidgets.widgets.views.dependence.groups import RowGroups
from uqwidgets.widgets.views.dependence.histograms import Histograms

# Weights of rows whose neighbourhoods are summed at a time.
_MOST_WEIGHTS = 1 << 19


def curve_tracks(
    inputs: Inputs, curves: FeatureCurves, histograms: Histograms, groups: RowGroups
) -> list[Track]:
    """Return the tracks of a curve: of its average, of the rows beside it, and of its lines.

    Parameters
    ----------
    inputs : Inputs
        Whose curves need no model call.
    curves : FeatureCurves
    histograms : Histograms
    groups : RowGroups
        By which lines are coloured.
    """
    samples = _CurveSamples(inputs, curves, histograms, groups)
    key = (*curves.key(inputs, False), inputs.simultaneous)
    rows = (inputs.feature, inputs.color_by)
    tracks = [
        Track("curve", key, samples.averages),
        Track("near", (inputs.feature, inputs.spacing), samples.near),
        Track("rows", rows, samples.shares),
        Track("lines", (inputs.ice_lines, inputs.selection), samples.weights_of_lines),
    ]
    if inputs.group_averages:
        coloured = (*key, inputs.color_by)
        tracks.append(Track("groups", coloured, samples.averages_of_groups))
    return tracks


class _CurveSamples:
    """The columns of a curve at several levels of tau.

    Parameters
    ----------
    inputs, curves, histograms, groups
        As in `curve_tracks`.
    """

    def __init__(
        self, inputs: Inputs, curves: FeatureCurves, histograms: Histograms, groups: RowGroups
    ) -> None:
        self._inputs, self._curves = inputs, curves
        self._histograms, self._groups = histograms, groups
        self._grid = curves.grid(inputs)

    def averages(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the average with both ends of its band."""
        check()
        populations, _ = self._of_known_rows(levels)
        if self._inputs.simultaneous:
            return self._bands(levels, check)
        means = mean_intervals_in(self._curves.latest, populations)
        low, high = means.at(LEVEL)
        return {"average": means.estimate, "low": low, "high": high}

    def _bands(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the average with both ends of a band that holds for the whole curve."""
        curves = []
        for level in levels:
            check()
            curves.append(self._curves.dependence(self._inputs, level.population))
        names = "average", "low", "high"
        return {name: np.stack([getattr(curve, name) for curve in curves]) for name in names}

    def averages_of_groups(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the average of each colour with both ends of its band."""
        check()
        populations, groups = self._of_known_rows(levels)
        average, low, high = groups.averages(self._curves.latest, populations)
        return {"group_average": average, "group_low": low, "group_high": high}

    def near(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return which points are near the data."""
        check()
        axis = axis_of(self._curves.evaluations.table, self._grid)
        is_near = []
        step = max(1, _MOST_WEIGHTS // len(axis.rows))
        for first in range(0, len(levels), step):
            some = [level.population.weights for level in levels[first : first + step]]
            is_near.append(near([axis], np.stack(some)))
        return {"near": np.concatenate(is_near).astype(np.float64)}

    def shares(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the share of the rows in each bar, in the colours of the lines."""
        check()
        populations = [level.population for level in levels]
        return {"counts": self._histograms.shares(self._grid, populations, self._groups)}

    def weights_of_lines(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the weights of the rows whose lines are drawn."""
        check()
        population, inputs = levels[0].population, self._inputs
        rows = self._curves.drawn.of(population, inputs.ice_lines, None, inputs.selection)
        return {"ice_weight": np.stack([level.population.weights[rows] for level in levels])}

    def _of_known_rows(self, levels: Sequence[Level]) -> tuple[list[Population], RowGroups]:
        """Evaluate the curves, and return the populations and groups of their rows."""
        curves = self._curves
        # Where little memory is left, the curves are of a sample of the rows.
        n_rows = curves.most_rows(self._inputs)
        curves.evaluate(self._inputs, n_rows=n_rows)
        populations = [level.population for level in levels]
        if n_rows is None:
            return populations, self._groups
        sample = curves.evaluations.row_order.rows[:n_rows]
        return [each.among(sample) for each in populations], self._groups.among(sample)
