"""Importance as a function of tau: estimates and the ends of their intervals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import Interval
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.levels import Check, Level, Samples, stacked
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.tracks import Track
from uqwidgets.widgets.views.importance.ends_over_tau import END_TOLERANCE, Ends, axis_length
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from uqwidgets.widgets.views.view import Content

# Largest error of an interpolated estimate, as a share of its axis.
_TOLERANCE = 0.001
# The tolerance of ends that are interpolated as they are, in multiples of that of other ends: some
# have kinks, such as quantiles of the repeats.
_OF_CONTENTS = 0.5
# Longest axis of a level that is not exceptional, in multiples of the median over all levels.
_FAR = 3.0
# With more rows, a first message has a few levels only.
_MANY_ROWS = 20_000
# Then there are at most so many intervals between the nodes of a side, up to so many changes (of
# rows, repeats, measures and features). The moments of 10^7 changes take about a second a level.
_FINEST_OF_MANY = ((4_000_000, 32), (10_000_000, 16), (20_000_000, 8))
_FINEST_OF_MORE = 4
# Rows times measures and features up to which ends that are not certain are computed from their
# level.
_MOST_SETTLED = 400_000

#: A function from the inputs and populations of a level, a number of repeats and a report to the
#: content of the view.
Compute = Callable[[Inputs, Populations, int, Callable[[int, int], None]], Content]


class ImportanceOverTau:
    """Samples the importance of all features at levels of tau.

    Estimates are smooth on each side of 0, and quick to compute. The ends of a U-statistic interval
    under permutation have kinks, but the moments that they are computed from are smooth. Those of
    other intervals are interpolated as they are.

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
        inputs: Inputs,
        source: Hashable,
        shown: Sequence[int],
        n_repeats: int,
        interval: Interval,
        filtered: bool,
        compute: Compute,
    ) -> list[Track]:
        """Return the tracks of estimates and of intervals.

        Parameters
        ----------
        inputs : Inputs
            Whatever their tau.
        source : hashable
            Identifies the changes of single rows.
        shown : sequence of int
            Positions of the measures that are shown, among those of the changes.
        n_repeats : int
        interval : str
        filtered : bool
            Whether there is a filter of the rows.
        compute : callable
            As `uqwidgets.widgets.views.importance.view.ImportanceView.compute`.
        """

        def estimates(levels: Sequence[Level], check: Check) -> Samples:
            populations = stacked(levels)
            values = [
                self._repeats.estimates(shown, feature, n_repeats, populations, check)
                for feature in self._repeats.features
            ]
            together = np.stack(values).transpose(2, 1, 0)
            return {"value": together, **self._baselines(shown, levels)}

        def contents(levels: Sequence[Level], check: Check) -> Samples:
            at_levels = [
                compute(level.inputs(inputs), level.populations, n_repeats, lambda *_: check())
                for level in levels
            ]
            return {name: np.stack([each.columns[name] for each in at_levels]) for name in names}

        # The quantiles of repeats are about their median.
        names = ("value", "low", "high") if interval == "quantile" else ("low", "high")
        n_rows = len(self._explainer.table)
        is_large = n_rows > _MANY_ROWS
        start, coarse = (2, 2) if is_large else (4, 8)
        n_values = n_rows * len(shown) * len(self._repeats.features)
        finest = _finest(n_values * n_repeats) if is_large else 32
        settles = not is_large or n_values <= _MOST_SETTLED
        key = (source, tuple(shown), n_repeats, interval)
        sample, sample_parts, derivation, rough, n_read = contents, None, None, None, 0
        tolerance = _OF_CONTENTS * END_TOLERANCE
        if interval == "u-statistic" and self._repeats.scheme == "permutation":
            derivation = Ends(self._repeats, n_rows, shown, n_repeats, settles=settles)
            sample, coarse = derivation.sample, max(start, coarse // 2)
            tolerance = END_TOLERANCE
            sample_parts = derivation.sample_features
            # A sample of all rows would have few of a filter.
            rough = derivation.rough if is_large and not filtered else None
            n_read = n_values * n_repeats
        ends = Track(
            "ends",
            key,
            sample,
            tolerance,
            _axes,
            start,
            coarse,
            finest,
            derivation,
            is_large=True,
            sample_parts=sample_parts,
            rough=rough,
            n_read=n_read,
        )
        if interval == "quantile":
            return [ends]
        value = Track("value", key[:-1], estimates, _TOLERANCE, _extents, is_large=True)
        return [replace(value, coarse=value.start) if is_large else value, ends]

    def _baselines(self, shown: Sequence[int], levels: Sequence[Level]) -> Samples:
        measures = [self._repeats.measures[m] for m in shown]
        originals = [self._explainer.evaluations.original_values(m) for m in measures]
        scored = [level.population.scored for level in levels]
        return {
            f"measures.{m}.baseline": np.array([dot(original, s) / s.sum() for s in scored])
            for m, original in enumerate(originals)
        }


def _finest(n_changes: int) -> int:
    """Return the most intervals between the nodes of a side for so many changes."""
    return next((finest for most, finest in _FINEST_OF_MANY if n_changes <= most), _FINEST_OF_MORE)


def _extents(columns: Samples) -> Samples:
    """Length of an axis for the estimates at each level; their intervals need at least as much."""
    return {"value": axis_length(columns["value"], columns["value"])}


def _axes(columns: Samples) -> Samples:
    """Length of the axis of each measure at each level.

    Where one interval is far longer than those of other levels, it leaves the axis of importance
    over tau, and the others have to be precise on what remains.
    """
    lengths = axis_length(columns["low"], columns["high"])
    is_known = lengths > 0
    none_known = ~is_known.any(axis=(0, 1), keepdims=True)
    known = np.where(is_known | none_known, lengths, np.nan)
    usual = np.nanmedian(known, axis=(0, 1), keepdims=True)
    return dict.fromkeys(columns, np.fmin(lengths, _FAR * usual))
