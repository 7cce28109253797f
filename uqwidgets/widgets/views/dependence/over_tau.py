"""The curve of a feature as a function of tau, with its band and its histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqwidgets.dependence.density import axis_of, near
from uqwidgets.inference import half_width
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import means_over_rows
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.over_tau import COARSE, Check, Level, Samples, Track
from uqwidgets.widgets.views.dependence.feature_curves import FeatureCurves
from uqwidgets.widgets.views.dependence.groups import RowGroups
from uqwidgets.widgets.views.dependence.histograms import Histograms

# Largest error of an interpolated curve, as a share of its axis; errors of the band, and of the
# opacity of a line, may be so many times as large.
# A bar of the largest share is about 40 points high.
_OF_SHARES = 0.005
_TOLERANCE, _OF_BAND, _OF_OPACITY = 0.001, 5, 10


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
    grid = curves.grid(inputs)

    def among_known(levels: Sequence[Level]) -> tuple[list[Population], RowGroups]:
        """Evaluate the curves, and return the populations and groups of their rows."""
        # Where little memory is left, the curves are of a sample of the rows.
        n_rows = curves.most_rows(inputs)
        curves.evaluate(inputs, n_rows=n_rows)
        populations = [level.population for level in levels]
        if n_rows is not None:
            sample = curves.evaluations.row_order.rows[:n_rows]
            populations = [population.among(sample) for population in populations]
            return populations, groups.among(sample)
        return populations, groups

    def averages(levels: Sequence[Level], check: Check) -> Samples:
        check()
        populations, _ = among_known(levels)
        mean, std_error = means_over_rows(curves.latest, populations)
        width = np.stack(
            [half_width(e, LEVEL, p) for e, p in zip(std_error, populations, strict=True)]
        )
        return {"average": mean, "low": mean - width, "high": mean + width}

    def of_groups(levels: Sequence[Level], check: Check) -> Samples:
        check()
        populations, known = among_known(levels)
        average, low, high = known.averages(curves.latest, populations)
        return {"group_average": average, "group_low": low, "group_high": high}

    def densities(levels: Sequence[Level], check: Check) -> Samples:
        check()
        axis = axis_of(curves.evaluations.table, grid)
        is_near = [near([axis], level.population.weights) for level in levels]
        return {"near": np.stack(is_near).astype(np.float64)}

    def shares(levels: Sequence[Level], check: Check) -> Samples:
        check()
        return {
            "counts": np.stack(
                [histograms.shares(grid, each.population, groups) for each in levels]
            )
        }

    def weights(levels: Sequence[Level], check: Check) -> Samples:
        check()
        population, most = levels[0].population, inputs.ice_lines
        rows = curves.drawn.of(population, most, None, inputs.selection)
        return {"ice_weight": np.stack([level.population.weights[rows] for level in levels])}

    tracks = [
        Track(
            "curve", curves.key(inputs, False), averages, _TOLERANCE, _of_the_axis, is_large=True
        ),
        # Steps, which no further levels would make smoother.
        Track("near", (inputs.feature, inputs.spacing), densities, np.inf, lambda _: {}, COARSE),
        Track(
            "rows",
            (inputs.feature, inputs.color_by),
            shares,
            _OF_SHARES,
            _of_the_largest,
            is_large=True,
        ),
        Track(
            "lines",
            (inputs.ice_lines, inputs.selection),
            weights,
            _OF_OPACITY * _TOLERANCE,
            _of_the_largest,
            is_large=True,
        ),
    ]
    if inputs.group_averages:
        key = (*curves.key(inputs, False), inputs.color_by)
        tracks.append(Track("groups", key, of_groups, _TOLERANCE, _of_the_groups, is_large=True))
    return tracks


def _of_the_groups(columns: Samples) -> dict[str, Any]:
    # Groups of few rows have wide intervals, which must not make their averages coarse.
    finite = columns["group_average"][np.isfinite(columns["group_average"])]
    axis = np.ptp(finite) if len(finite) else 0.0
    return {"group_average": axis, "group_low": _OF_BAND * axis, "group_high": _OF_BAND * axis}


def _of_the_axis(columns: Samples) -> dict[str, Any]:
    ends = np.stack(list(columns.values()))
    finite = ends[np.isfinite(ends)]
    axis = np.ptp(finite) if len(finite) else 0.0
    return {"average": axis, "low": _OF_BAND * axis, "high": _OF_BAND * axis}


def _of_the_largest(columns: Samples) -> dict[str, Any]:
    return {name: values.max(initial=0.0) for name, values in columns.items()}
