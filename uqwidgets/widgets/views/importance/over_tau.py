"""Importance as a function of tau: estimates and the ends of their intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs

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
# Up to so many changes at the levels of a side, all ends are computed, because those of few rows
# can have a peak anywhere. With more, the first ones are so many levels from each other.
_FEW_CHANGES, _APART = 1_000_000, 50
# The widths of the intervals of a first message are estimated from so many of many rows.
_ROUGH_ROWS = 1 << 14
# Weights of rows that are in memory at a time.
_MOST_VALUES = 1 << 22
# Features whose levels are computed at the same time, for each process.
_TASKS_OF_JOB = 2


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
        missing = [feature for feature in features if (feature, weights) not in self._begun]
        requests = [(feature, populations) for feature in missing]
        computed = self._moments(requests, check, with_interactions=False)
        for feature, moments in zip(missing, computed, strict=True):
            self._begun[feature, weights] = moments
        every = np.stack([self._begun[feature, weights] for feature in features], axis=-1)
        self._begun.clear()
        return {"fields": every}

    def rough(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the moments, with widths that are estimated from a sample of the rows."""
        populations = stacked(levels)
        requests = [(feature, populations) for feature in self._repeats.features]
        each = self._moments(requests, check, with_interactions=False, most_rows=_ROUGH_ROWS)
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
        """Return the ends; where they are not certain, from the moments of that very level.

        Those of few changes are all computed from their level.
        """
        each = [self._bounds(side.interpolated(x)["fields"]) for side in sides]
        if self._settles:
            # Otherwise the interactions of so many changes take too long.
            are_few = self._n_rows * self._n_repeats * each[0][0].size <= _FEW_CHANGES
            for side, (low, high, lacking) in zip(sides, each, strict=True):
                lacking |= are_few or (
                    beside(self._is_far(side), x) | self._has_moved(side, x, low, high)
                )
            self._settle(each, x, levels, 1 if are_few else _APART, check)
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
        apart: int,
        check: Check,
    ) -> None:
        """Put exact ends in the place of those that are not certain.

        The levels of several features are computed together where there are processes for them.
        """
        tolerance = np.stack(
            [np.tile(_END_TOLERANCE * _axis(low, high)[:, :, 0], 2) for low, high, _ in bounds]
        )
        n_jobs, n_features = effective_n_jobs(None), len(self._repeats.features)
        step = 1 if n_jobs == 1 else _TASKS_OF_JOB * n_jobs
        for first in range(0, n_features, step):
            some = np.arange(first, min(first + step, n_features))
            self._settle_features(some, bounds, tolerance, x, levels, apart, check)
        self._known.clear()

    def _settle_features(
        self,
        some: Positions,
        bounds: Sequence[tuple[Floats, Floats, npt.NDArray[np.bool_]]],
        tolerance: Floats,
        x: Floats,
        levels: LevelsOfSides,
        apart: int,
        check: Check,
    ) -> None:
        """Put exact ends in the place of those of some features, at their positions.

        Tolerances are those of the sides (sides, levels, 2 measures): all features of a measure
        have one axis.
        """
        n_sides, features = len(bounds), [self._repeats.features[j] for j in some]
        # One line for each side of each feature.
        lines = [(j, *of_side) for j in some for of_side in bounds]
        lacking = np.stack(
            [(lacks & np.isfinite(low))[:, :, j].any(axis=1) for j, low, _, lacks in lines]
        )
        if not lacking.any():
            return

        def exact(at: Positions, places: Positions) -> Floats:
            requests, numbers = [], []
            for feature, line in zip(features, range(0, len(lines), n_sides), strict=True):
                own = np.flatnonzero((at >= line) & (at < line + n_sides))
                if not len(own):
                    continue
                # Without stress all sides are the same, so one of them is computed.
                at_zero = np.flatnonzero(x[places[own]] == 0)
                alike = np.arange(len(own))
                alike[at_zero] = at_zero[:1]
                different, number = np.unique(alike, return_inverse=True)
                here = own[different]
                requests.append((feature, levels(at[here] - line, x[places[here]])))
                numbers.append((own, number))
            result = np.empty((len(at), 2 * len(self._shown)))
            for (own, number), ends in zip(numbers, self._exact(requests, check), strict=True):
                result[own] = ends[number]
            return result

        ends = np.stack(
            [np.concatenate([low[:, :, j], high[:, :, j]], axis=1) for j, low, high, _ in lines]
        )
        ends = bisected(ends, lacking, exact, np.tile(tolerance, (len(some), 1, 1)), apart)
        for (j, low, high, _), of_side in zip(lines, ends, strict=True):
            low[:, :, j], high[:, :, j] = np.split(of_side, 2, axis=1)

    def _set_edge(self, low: Floats, high: Floats, last: Sequence[Level], check: Check) -> None:
        """Set the ends of the last level where only the rows of one value have weight there.

        They are a population of their own, more even than those of the levels before it.
        """
        populations = stacked(last)
        n_scored = int(np.count_nonzero(populations.scored))
        if n_scored >= populations.n_scored:
            return
        populations = replace(populations, n_scored=n_scored)
        requests = [(feature, populations) for feature in self._repeats.features]
        for j, fields in enumerate(self._moments(requests, check, with_interactions=True)):
            ends = self._bounds(fields[..., None])
            low[-1, :, j], high[-1, :, j] = ends[0][0, :, 0], ends[1][0, :, 0]

    def _exact(
        self, requests: Sequence[tuple[str, Sequence[Level]]], check: Check
    ) -> Iterator[Floats]:
        """Yield the ends of the intervals of features at some levels (levels, 2 measures).

        Low ends come first.
        """
        step = max(1, _MOST_VALUES // self._n_rows)
        keys = [
            [(feature, hash(level.population.weights.tobytes())) for level in levels]
            for feature, levels in requests
        ]
        parts = []
        for (feature, levels), of_request in zip(requests, keys, strict=True):
            missing = [k for k, key in enumerate(of_request) if key not in self._known]
            parts += [
                (feature, levels, of_request, missing[first : first + step])
                for first in range(0, len(missing), step)
            ]
        computed = self._moments(
            ((feature, stacked([levels[k] for k in some])) for feature, levels, _, some in parts),
            check,
            with_interactions=True,
        )
        for (_, _, of_request, some), moments in zip(parts, computed, strict=True):
            low, high, _ = self._bounds(moments[..., None])
            ends = np.concatenate([low, high], axis=1)[:, :, 0]
            self._known.update(zip([of_request[k] for k in some], ends, strict=True))
        for of_request in keys:
            yield np.stack([self._known[key] for key in of_request])

    def _moments(
        self,
        requests: Iterable[tuple[str, Populations]],
        check: Check,
        *,
        with_interactions: bool,
        most_rows: int | None = None,
    ) -> Iterator[Floats]:
        """Yield the moments of features, arrays (levels, fields, 2 or 1, measures)."""
        check()
        for moments, *plain in self._repeats.moments(
            self._shown,
            self._n_repeats,
            requests,
            check,
            with_interactions=with_interactions,
            most_rows=most_rows,
        ):
            yield np.stack([*moments, *plain]).transpose(3, 0, 1, 2)

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
