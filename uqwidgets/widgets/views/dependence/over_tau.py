"""The curve of a feature as a function of tau, with its band and its histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqwidgets.dependence.density import axis_of, near
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import half_widths, means_over_rows
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.levels import Check, Level, Samples
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.tracks import COARSE, Track, extent
from uqwidgets.widgets.views.dependence.feature_curves import FeatureCurves
from uqwidgets.widgets.views.dependence.groups import RowGroups
from uqwidgets.widgets.views.dependence.histograms import Histograms

# Largest error of an interpolated curve, as a share of its axis; errors of the band, and of the
# opacity of a line, may be so many times as large.
_TOLERANCE, _OF_BAND, _OF_OPACITY = 0.001, 5, 10
# Largest error of a share of rows, as a part of the largest one, whose bar is 40 points high.
_OF_SHARES = 0.005
# In a page, errors of the average are so many times as large where a reader zooms to it; and errors
# of the bars, which become no larger.
_MOST_ZOOM, _BAR = 5.0, 2.0
# Weights of rows whose neighbourhoods are summed at a time.
_MOST_WEIGHTS = 1 << 19
_BAND = ("average", "low", "high")
_BAND_OF_GROUPS = ("group_average", "group_low", "group_high")


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
    key, rows = curves.key(inputs, False), (inputs.feature, inputs.color_by)
    lines, of_lines = (inputs.ice_lines, inputs.selection), _OF_OPACITY * _TOLERANCE
    large: Any = {"is_large": True}
    among_lines: Any = {**large, "sizes_in_page": _of_the_axis_with_lines, "band": _BAND}
    bars: Any = {**large, "sizes_in_page": _of_high_bars}
    tracks = [
        Track("curve", key, samples.averages, _TOLERANCE, _of_the_axis, **among_lines),
        # Steps, which no further levels would make smoother.
        Track("near", (inputs.feature, inputs.spacing), samples.near, np.inf, lambda _: {}, COARSE),
        Track("rows", rows, samples.shares, _OF_SHARES, _of_the_largest, **bars),
        Track("lines", lines, samples.weights_of_lines, of_lines, _of_the_largest, **large),
    ]
    if inputs.group_averages:
        coloured, averages = (*key, inputs.color_by), samples.averages_of_groups
        of_groups: Any = {**large, "band": _BAND_OF_GROUPS}
        tracks.append(Track("groups", coloured, averages, _TOLERANCE, _of_the_groups, **of_groups))
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
        mean, std_error = means_over_rows(self._curves.latest, populations)
        width = half_widths(std_error, LEVEL, populations)
        return {"average": mean, "low": mean - width, "high": mean + width}

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


def _of_the_groups(columns: Samples) -> dict[str, Any]:
    # Groups of few rows have wide intervals, which must not make their averages coarse.
    axis = extent([columns["group_average"]], 2)
    return {"group_average": axis, "group_low": _OF_BAND * axis, "group_high": _OF_BAND * axis}


def _of_the_axis(columns: Samples) -> dict[str, Any]:
    axis = extent(list(columns.values()), 2)
    return {"average": axis, "low": _OF_BAND * axis, "high": _OF_BAND * axis}


def _of_the_axis_with_lines(columns: Samples, content: Mapping[str, Any]) -> dict[str, Any]:
    """Length of the axis of each level where the lines of single rows are drawn on it.

    A reader can zoom to the average, so the axis of the lines counts only up to a limit.
    """
    axis = extent(list(columns.values()), 2)
    lines = content["ice"][np.isfinite(content["ice"])] if "ice" in content else np.empty(0)
    if len(lines):
        axis = np.asarray(np.clip(np.ptp(lines), axis, _MOST_ZOOM * axis))
    return {"average": axis, "low": _OF_BAND * axis, "high": _OF_BAND * axis}


def _of_high_bars(columns: Samples, content: Mapping[str, Any]) -> dict[str, Any]:
    del content  # bars have an axis of their own
    return {name: _BAR * size for name, size in _of_the_largest(columns).items()}


def _of_the_largest(columns: Samples) -> dict[str, Any]:
    return {name: values.max(initial=0.0) for name, values in columns.items()}
