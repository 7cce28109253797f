"""Importance as a function of tau: estimates and the ends of their intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import Interval
from uqwidgets.inference.moment_paths import PathMoments
from uqwidgets.inference.moments import Moments
from uqwidgets.inference.populations import Populations
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.interpolation import interpolated, nodes
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.tracks import (
    Check,
    Level,
    LevelsOfSides,
    Samples,
    Side,
    Track,
    beside,
    stacked,
)
from uqwidgets.widgets.views.importance.bisection import bisected
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from uqwidgets.widgets.views.view import Content

# Largest errors of interpolated values, as shares of an axis.
_TOLERANCE, _END_TOLERANCE = 0.001, 0.004
# Ends that half of the nodes put farther away may have a kink there, in multiples of the tolerance.
_MOVED = 4.0
# With more rows, a first message has a few levels only.
_MANY_ROWS = 20_000
# Then there are at most so many intervals between the nodes of a side, up to so many changes (of
# rows, repeats, measures and features). The moments of 10^7 changes take about a second a level.
_FINEST_OF_MANY = ((4_000_000, 32), (10_000_000, 16), (20_000_000, 8))
_FINEST_OF_MORE = 4
# Rows times measures and features up to which ends that are not certain are computed from the
# interactions of rows, whose time hardly depends on the repeats: about three seconds a level.
_MOST_SETTLED = 400_000
# The widths of the intervals of a first message are estimated from so many of many rows.
_ROUGH_ROWS = 1 << 14
# Weights of rows that are in memory at a time.
_MOST_VALUES = 1 << 22


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
        source: Hashable,
        shown: Sequence[int],
        n_repeats: int,
        interval: Interval,
        filtered: bool,
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
                compute(level.inputs, level.populations, n_repeats, lambda *_: check()).columns
                for level in levels
            ]
            return {name: np.stack([columns[name] for columns in at_levels]) for name in names}

        # The quantiles of repeats are about their median.
        names = ("value", "low", "high") if interval == "quantile" else ("low", "high")
        n_rows = len(self._explainer.table)
        is_large = n_rows > _MANY_ROWS
        start, coarse = (2, 2) if is_large else (4, 8)
        n_values = n_rows * len(shown) * len(self._repeats.features)
        finest = _finest(n_values * n_repeats) if is_large else 32
        settles = not is_large or n_values <= _MOST_SETTLED
        key = (source, tuple(shown), n_repeats, interval)
        sample, derivation, rough = contents, None, None
        if interval == "u-statistic" and self._repeats.scheme == "permutation":
            derivation = _Ends(self._repeats, n_rows, shown, n_repeats, filtered, settles=settles)
            sample, coarse = derivation.sample, max(start, coarse // 2)
            # A sample of all rows would have few of a filter.
            rough = derivation.rough if is_large and not filtered else None
        ends = Track(
            "ends",
            key,
            sample,
            _END_TOLERANCE,
            _axes,
            start,
            coarse,
            finest,
            derivation,
            is_large=True,
            rough=rough,
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


class _Ends:
    """The ends of U-statistic intervals, from moments that are smooth.

    Parameters
    ----------
    repeats : RepeatChanges
    n_rows : int
        Of the table.
    shown : sequence of int
        Positions of the measures that are shown.
    n_repeats : int
    filtered : bool
        Whether only some rows are scored.
    settles : bool
        Whether ends that are not certain are computed from their level.
    """

    def __init__(
        self,
        repeats: RepeatChanges,
        n_rows: int,
        shown: Sequence[int],
        n_repeats: int,
        filtered: bool,
        *,
        settles: bool,
    ) -> None:
        self._repeats = repeats
        self._n_rows = n_rows
        self._shown = tuple(shown)
        self._n_repeats = n_repeats
        self._filtered = filtered
        self._settles = settles
        # Moments of the nodes that are computed, and ends of levels, for the next request to use
        # if this one is interrupted.
        self._begun: dict[tuple[str, int], Floats] = {}
        self._known: dict[tuple[str, int], Floats] = {}

    def sample(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the moments, an array (levels, fields, 1, measures, features)."""
        populations = stacked(levels)
        weights, features = hash(populations.weights.tobytes()), self._repeats.features
        for feature in features:
            if (feature, weights) not in self._begun:
                moments = self._moments(feature, populations, check, with_interactions=False)
                self._begun[feature, weights] = moments
        every = np.stack([self._begun[feature, weights] for feature in features], axis=-1)
        self._begun.clear()
        return {"fields": every}

    def rough(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the moments, with widths that are estimated from a sample of the rows."""
        populations = stacked(levels)
        each = (
            self._moments(
                feature, populations, check, with_interactions=False, most_rows=_ROUGH_ROWS
            )
            for feature in self._repeats.features
        )
        return {"fields": np.stack(list(each), axis=-1)}

    def columns(self, samples: Samples) -> Samples:
        """Return the ends, as `uqwidgets.widgets.tracks.Derivation` demands."""
        low, high, _ = self._bounds(samples["fields"])
        return {"low": low, "high": high}

    def certain(self, samples: Samples) -> Samples:
        """Return the ends, NaN where the interactions of rows are needed but not known."""
        low, high, lacking = self._bounds(samples["fields"])
        return {"low": np.where(lacking, np.nan, low), "high": np.where(lacking, np.nan, high)}

    def settled(
        self, sides: Sequence[Side], x: Floats, levels: LevelsOfSides, check: Check
    ) -> list[Samples]:
        """Return the ends; where they are not certain, from the moments of that very level."""
        each = [self._bounds(side.interpolated(x)["fields"]) for side in sides]
        if self._settles:
            # Otherwise the interactions of so many changes take too long.
            for side, (low, high, lacking) in zip(sides, each, strict=True):
                lacking |= beside(self._is_far(side), x) | self._has_moved(side, x, low, high)
            self._settle(each, x, levels, check)
            for number, (low, high, _) in enumerate(each):
                self._set_edge(low, high, levels(np.array([number]), x[-1:]), check)
        return [{"low": low, "high": high} for low, high, _ in each]

    def _is_far(self, side: Side) -> npt.NDArray[np.bool_]:
        """Return which ends at the latest nodes were not near those of the nodes before them.

        With these nodes the moments are nearer, but the ends can still miss a kink.
        """
        fields = side.samples["fields"]
        near = self.certain({"fields": interpolated(fields[::2], nodes(side.m)[1::2])})
        exact = self.certain({"fields": fields[1::2]})
        error = np.max([np.abs(near[name] - exact[name]) for name in exact], axis=0)
        is_known = np.isfinite(near["low"]) | np.isfinite(exact["low"])
        limit = _END_TOLERANCE * _axis(exact["low"], exact["high"])
        return np.asarray(is_known & ~(error <= limit))

    def _has_moved(self, side: Side, x: Floats, low: Floats, high: Floats) -> npt.NDArray[np.bool_]:
        """Return which ends at distances x from 0 differ from those by half of the nodes.

        A kink may lie between the nodes.
        """
        coarse = interpolated(side.samples["fields"][::2], x)
        before = self._bounds(coarse)[:2]
        error = np.max([np.abs(now - old) for now, old in zip((low, high), before, strict=True)], 0)
        limit = _MOVED * _END_TOLERANCE * _axis(low, high)
        return np.asarray(np.isfinite(low) & ~(error <= limit))

    def _settle(
        self,
        bounds: Sequence[tuple[Floats, Floats, npt.NDArray[np.bool_]]],
        x: Floats,
        levels: LevelsOfSides,
        check: Check,
    ) -> None:
        """Put exact ends in the place of those that are not certain, feature by feature."""
        tolerance = np.stack(
            [np.tile(_END_TOLERANCE * _axis(low, high)[:, :, 0], 2) for low, high, _ in bounds]
        )
        for j, feature in enumerate(self._repeats.features):
            lacking = np.stack(
                [(lacks & np.isfinite(low))[:, :, j].any(axis=1) for low, _, lacks in bounds]
            )
            if not lacking.any():
                continue

            def exact(sides: Positions, places: Positions, feature: str = feature) -> Floats:
                # Without stress all sides are the same, so one of them is computed.
                at_zero = np.flatnonzero(x[places] == 0)
                alike = np.arange(len(places))
                alike[at_zero] = at_zero[:1]
                different, number = np.unique(alike, return_inverse=True)
                here = levels(sides[different], x[places[different]])
                return np.asarray(self._exact(feature, here, check)[number])

            ends = np.stack(
                [np.concatenate([low[:, :, j], high[:, :, j]], axis=1) for low, high, _ in bounds]
            )
            ends = bisected(ends, lacking, exact, tolerance)
            for (low, high, _), of_side in zip(bounds, ends, strict=True):
                low[:, :, j], high[:, :, j] = np.split(of_side, 2, axis=1)
        self._known.clear()

    def _set_edge(self, low: Floats, high: Floats, last: Sequence[Level], check: Check) -> None:
        """Set the ends of the last level where only the rows of one value have weight there.

        They are a population of their own, more even than those of the levels before it.
        """
        populations = stacked(last)
        n_scored = int(np.count_nonzero(populations.scored))
        if n_scored >= populations.n_scored:
            return
        populations = replace(populations, n_scored=n_scored)
        for j, feature in enumerate(self._repeats.features):
            fields = self._moments(feature, populations, check, with_interactions=True)
            ends = self._bounds(fields[..., None])
            low[-1, :, j], high[-1, :, j] = ends[0][0, :, 0], ends[1][0, :, 0]

    def _exact(self, feature: str, levels: Sequence[Level], check: Check) -> Floats:
        """Return the ends of a feature's intervals (levels, 2 measures), low ones first."""
        step = max(1, _MOST_VALUES // len(levels[0].population.weights))
        keys = [(feature, hash(level.population.weights.tobytes())) for level in levels]
        missing = [k for k, key in enumerate(keys) if key not in self._known]
        for first in range(0, len(missing), step):
            some = missing[first : first + step]
            populations = stacked([levels[k] for k in some])
            moments = self._moments(feature, populations, check, with_interactions=True)
            low, high, _ = self._bounds(moments[..., None])
            ends = np.concatenate([low, high], axis=1)[:, :, 0]
            self._known.update(zip([keys[k] for k in some], ends, strict=True))
        return np.stack([self._known[key] for key in keys])

    def _moments(
        self,
        feature: str,
        populations: Populations,
        check: Check,
        *,
        with_interactions: bool,
        most_rows: int | None = None,
    ) -> Floats:
        """Return the moments of a feature, an array (levels, fields, 2 or 1, measures)."""
        check()
        moments, *plain = self._repeats.moments(
            self._shown,
            feature,
            self._n_repeats,
            populations,
            check,
            with_interactions=with_interactions,
            most_rows=most_rows,
        )
        return np.stack([*moments, *plain]).transpose(3, 0, 1, 2)

    def _bounds(self, fields: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        parts = fields.transpose(1, 2, 0, 3, 4)
        moments = Moments(*parts[:-2])
        # Interpolated between few levels they may leave their range.
        least = 1 / (self._n_rows * self._n_repeats)
        moments = moments._replace(
            size=np.maximum(moments.size, 0.0),
            row_spread=np.clip(moments.row_spread, least, 1.0),
            pair_spread=np.clip(moments.pair_spread, least, 1.0),
            evenness=np.clip(moments.evenness, least, 1.0),
        )
        path = PathMoments(moments, *parts[-2:])
        low, high, lacking = path.bounds(LEVEL)
        # Interactions are known of several repeats, where all rows are scored.
        return low, high, lacking & (self._n_repeats > 1) & (not self._filtered)


def _finest(n_changes: int) -> int:
    """Return the most intervals between the nodes of a side for so many changes."""
    return next((finest for most, finest in _FINEST_OF_MANY if n_changes <= most), _FINEST_OF_MORE)


def _extents(columns: Samples) -> Samples:
    """Length of an axis for the estimates at each level; their intervals need at least as much."""
    return {"value": _axis(columns["value"], columns["value"])}


def _axes(columns: Samples) -> Samples:
    """Length of the axis of each measure at each level."""
    return dict.fromkeys(columns, _axis(columns["low"], columns["high"]))


def _axis(low: Floats, high: Floats) -> Floats:
    """Length of an axis that zero belongs to, shape (..., measures, 1)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no interval is known
        extent = np.fmax(np.nanmax(high, axis=-1), 0) - np.fmin(np.nanmin(low, axis=-1), 0)
    return np.asarray(extent[..., None])
