"""The ends of U-statistic intervals as functions of tau, from moments that are smooth.

The moments of the changes are interpolated, and the ends are computed from them. Where a kink may
lie between two nodes, an end is computed from its level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.moments import Moments, bounds_of_moments
from uqwidgets.inference.populations import Populations
from uqwidgets.widgets.interpolation import interpolated, nodes
from uqwidgets.widgets.levels import Check, Level, LevelsOfSides, Samples, stacked
from uqwidgets.widgets.model_info import LEVEL
from uqwidgets.widgets.tracks import EVEN, Side, beside
from uqwidgets.widgets.views.importance.bisection import bisected
from uqwidgets.widgets.views.importance.drawn_changes import DrawnChanges
from uqwidgets.widgets.views.importance.repeats import RepeatChanges

#: Largest error of an end, as a share of its axis.
END_TOLERANCE = 0.004
# Ends that half of the nodes put farther away may have a kink there, in multiples of the tolerance.
_MOVED = 4.0
# Up to so many changes at the levels of a side, all ends are computed, because those of few rows
# can have a peak anywhere.
_FEW_CHANGES = 1_000_000
# The widths of the intervals of a first message are estimated from so many of many rows.
_ROUGH_ROWS = 1 << 14
# Weights of rows that are in memory at a time.
_MOST_VALUES = 1 << 22


class _Request(NamedTuple):
    """The moments of a feature at some levels, whose weights have a hash, and of how many rows."""

    feature: str
    identity: int
    most_rows: int | None = None


class Ends:
    """The ends of U-statistic intervals, from moments that are smooth.

    Parameters
    ----------
    repeats : RepeatChanges
    n_rows : int
        Of the table.
    shown : sequence of int
        Positions of the measures that are shown.
    n_repeats : int
    settles : bool
        Whether ends that are not certain are computed from their level.
    """

    def __init__(
        self,
        repeats: RepeatChanges,
        n_rows: int,
        shown: Sequence[int],
        n_repeats: int,
        *,
        settles: bool,
    ) -> None:
        self._repeats: RepeatChanges | None = repeats
        self._features = repeats.features
        self._n_rows = n_rows
        self._shown = tuple(shown)
        self._n_repeats = n_repeats
        self._settles = settles
        n_changes = n_rows * n_repeats * len(shown) * len(repeats.features)
        self._has_few_changes = n_changes * len(EVEN) <= _FEW_CHANGES
        # Moments of the nodes that are computed, and ends of levels, for the next request to use
        # if this one is interrupted.
        self._begun: dict[_Request, Floats] = {}
        self._known: dict[tuple[str, int], Floats] = {}

    @cached_property
    def _changes(self) -> DrawnChanges:
        assert self._repeats is not None, "a copy in another process has the changes"
        return self._repeats.drawn(self._shown, self._n_repeats)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy in another process has: arrays, but not the model."""
        return {**vars(self), "_changes": self._changes, "_repeats": None}

    def sample(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the moments, an array (levels, fields, measures, features)."""
        every = np.ones((len(levels), len(self._features)), dtype=bool)
        return self.sample_features(levels, every, check)

    def sample_features(
        self, levels: Sequence[Level], is_needed: npt.NDArray[np.bool_], check: Check
    ) -> Samples:
        """Return the moments of some features at each level, NaN where they are not needed.

        Parameters
        ----------
        levels : sequence of Level
        is_needed : ndarray of shape (levels, features)
        check : callable
        """
        every, requests = stacked(levels), {}
        whole = _identity(every.weights)
        for feature, needed in zip(self._features, is_needed.T, strict=True):
            if needed.all():
                requests[_Request(feature, whole)] = every
            elif needed.any():
                some = every.some(needed)
                requests[_Request(feature, _identity(some.weights))] = some
        each = self._continued(requests, check)
        fields = np.full((len(levels), *each[0].shape[1:], is_needed.shape[1]), np.nan)
        for j, moments in zip(np.flatnonzero(is_needed.any(axis=0)), each, strict=True):
            fields[is_needed[:, j], ..., j] = moments
        return {"fields": fields}

    def rough(self, levels: Sequence[Level], check: Check) -> Samples:
        """Return the moments, with widths that are estimated from a sample of the rows."""
        populations = stacked(levels)
        identity = _identity(populations.weights)
        requests = {_Request(f, identity, _ROUGH_ROWS): populations for f in self._features}
        return {"fields": np.stack(self._continued(requests, check), axis=-1)}

    def _continued(self, requests: Mapping[_Request, Populations], check: Check) -> list[Floats]:
        """Return the moments of requests; those that an interrupted call computed are known."""
        for request, populations in requests.items():
            if request not in self._begun:
                self._begun[request] = self._moments(
                    request.feature,
                    populations,
                    check,
                    most_rows=request.most_rows,
                )
        each = [self._begun[request] for request in requests]
        self._begun.clear()
        return each

    def columns(self, samples: Samples) -> Samples:
        """Return the ends, as `uqwidgets.widgets.tracks.Derivation` demands."""
        low, high = self._bounds(samples["fields"])
        return {"low": low, "high": high}

    def certain(self, samples: Samples) -> Samples:
        """Return the ends of sides."""
        fields = samples["fields"]
        ends = self._bounds(fields.reshape(-1, *fields.shape[2:]))
        low, high = (each.reshape(*fields.shape[:2], *each.shape[1:]) for each in ends)
        return {"low": low, "high": high}

    def settled(
        self, sides: Sequence[Side], x: Floats, levels: LevelsOfSides, check: Check
    ) -> list[Samples]:
        """Return the ends; where they are not certain, from the moments of that very level.

        Those of few changes are all computed from their level.
        """
        fields = [side.interpolated(x)["fields"] for side in sides]
        each = [self._bounds(of_side) for of_side in fields]
        if self._settles:
            # Otherwise so many changes take too long.
            rough = [self._may_miss(side, x, *ends) for side, ends in zip(sides, each, strict=True)]
            self._settle(fields, each, rough, x, levels, check)
            for number, (low, high) in enumerate(each):
                self._set_edge(low, high, levels(np.array([number]), x[-1:]), check)
        return [{"low": low, "high": high} for low, high in each]

    def _may_miss(self, side: Side, x: Floats, low: Floats, high: Floats) -> npt.NDArray[np.bool_]:
        """Return which ends at distances x from 0 may miss a kink between the nodes."""
        if self._has_few_changes:
            return np.ones(low.shape, dtype=bool)
        result = np.empty(low.shape, dtype=bool)
        for m in np.unique(side.m_of_parts).tolist():
            some = side.m_of_parts == m
            fields = side.samples["fields"][:: side.m // m]
            result[..., some] = beside(self._is_far(fields)[..., some], x)
            # A kink may lie where half of the nodes put the ends elsewhere.
            coarse = interpolated(fields[::2, ..., some], x)
            before = self._bounds(coarse)
            now = low[..., some], high[..., some]
            error = np.max([np.abs(one - old) for one, old in zip(now, before, strict=True)], 0)
            limit = _MOVED * END_TOLERANCE * axis_length(low, high)
            result[..., some] |= np.isfinite(now[0]) & ~(error <= limit)
        return result

    def _is_far(self, fields: Floats) -> npt.NDArray[np.bool_]:
        """Return which ends at the latest nodes were not near those of the nodes before them.

        With these nodes the moments are nearer, but the ends can still miss a kink.
        """
        near = interpolated(fields[::2], nodes(len(fields) - 1)[1::2])
        both = self.certain({"fields": np.stack([near, fields[1::2]])})
        error = np.max([np.abs(near - exact) for near, exact in both.values()], axis=0)
        is_known = np.isfinite(both["low"]).any(axis=0)
        limit = END_TOLERANCE * axis_length(both["low"][1], both["high"][1])
        return np.asarray(is_known & ~(error <= limit))

    def _settle(
        self,
        fields: Sequence[Floats],
        bounds: Sequence[tuple[Floats, Floats]],
        rough: Sequence[npt.NDArray[np.bool_]],
        x: Floats,
        levels: LevelsOfSides,
        check: Check,
    ) -> None:
        """Put exact ends in the place of those that are not certain."""
        tolerance = np.stack(
            [np.tile(END_TOLERANCE * axis_length(low, high)[:, :, 0], 2) for low, high in bounds]
        )
        for j in range(len(self._features)):
            self._settle_feature(j, fields, bounds, rough, tolerance, x, levels, check)
        self._known.clear()

    def _settle_feature(
        self,
        j: int,
        fields: Sequence[Floats],
        bounds: Sequence[tuple[Floats, Floats]],
        rough: Sequence[npt.NDArray[np.bool_]],
        tolerance: Floats,
        x: Floats,
        levels: LevelsOfSides,
        check: Check,
    ) -> None:
        """Put exact ends in the place of those of a feature, at its position.

        Tolerances are those of the sides (sides, levels, 2 measures): all features of a measure
        have one axis.
        """
        # One line for each side where an end is not certain.
        of_side, lacking = [], []
        for side, ((low, _), lacks) in enumerate(zip(bounds, rough, strict=True)):
            is_lacking = np.any(lacks[:, :, j] & np.isfinite(low[:, :, j]), axis=1)
            if is_lacking.any():
                of_side.append(side)
                lacking.append(is_lacking)
        if not of_side:
            return
        sides, is_unknown = np.array(of_side), np.array(lacking)

        def exact(at: Positions, places: Positions) -> Floats:
            # Without stress all sides are the same, so one of them is computed.
            at_zero = np.flatnonzero(x[places] == 0)
            alike = np.arange(len(at))
            alike[at_zero] = at_zero[:1]
            different, number = np.unique(alike, return_inverse=True)
            here = levels(sides[at[different]], x[places[different]])
            return self._exact(self._features[j], here, check)[number]

        moments = np.stack([fields[side][..., j] for side in of_side])
        shape = moments.shape[2:]
        moments = moments.reshape(*moments.shape[:2], -1)

        def ends(values: Floats) -> Floats:
            low, high = self._bounds(values.reshape(-1, *shape, 1))
            return np.concatenate([low, high], axis=1)[:, :, 0]

        if self._has_few_changes:
            unknown = np.nonzero(is_unknown)
            moments[unknown] = exact(*unknown)
        else:
            is_rough = np.array([rough[side][:, :, j].any() for side in of_side])
            moments = bisected(moments, is_unknown, is_rough, exact, tolerance[sides], ends)
        of_lines = np.split(ends(moments[is_unknown]), np.cumsum(is_unknown.sum(axis=1))[:-1])
        for side, here, of_line in zip(of_side, lacking, of_lines, strict=True):
            low, high = bounds[side]
            low[here, :, j], high[here, :, j] = np.split(of_line, 2, axis=1)

    def _set_edge(self, low: Floats, high: Floats, last: Sequence[Level], check: Check) -> None:
        """Set the ends of the last level where only the rows of one value have weight there.

        They are a population of their own, more even than those of the levels before it.
        """
        populations = stacked(last)
        n_scored = int(np.count_nonzero(populations.scored))
        if n_scored >= populations.n_scored:
            return
        populations = replace(populations, n_scored=n_scored)
        for j, feature in enumerate(self._features):
            fields = self._moments(feature, populations, check)
            ends = self._bounds(fields[..., None])
            low[-1, :, j], high[-1, :, j] = ends[0][0, :, 0], ends[1][0, :, 0]

    def _exact(self, feature: str, levels: Sequence[Level], check: Check) -> Floats:
        """Return the moments of a feature at some levels (levels, fields of all measures)."""
        step = max(1, _MOST_VALUES // self._n_rows)
        keys = [(feature, _identity(level.population.weights)) for level in levels]
        missing = [k for k, key in enumerate(keys) if key not in self._known]
        parts = [missing[first : first + step] for first in range(0, len(missing), step)]
        for some in parts:
            populations = stacked([levels[k] for k in some])
            moments = self._moments(feature, populations, check)
            flat = moments.reshape(len(moments), -1)
            self._known.update(zip([keys[k] for k in some], flat, strict=True))
        return np.stack([self._known[key] for key in keys])

    def _moments(
        self,
        feature: str,
        populations: Populations,
        check: Check,
        most_rows: int | None = None,
    ) -> Floats:
        """Return the moments of a feature, an array (levels, fields, measures)."""
        check()
        moments = self._changes.moments(feature, populations, check, most_rows=most_rows)
        return np.stack(moments).transpose(2, 0, 1)

    def _bounds(self, fields: Floats) -> tuple[Floats, Floats]:
        moments = Moments(*fields.swapaxes(0, 1))
        # Interpolated between few levels they may leave their range.
        least = 1 / (self._n_rows * self._n_repeats)
        moments = moments._replace(
            size=np.maximum(moments.size, 0.0),
            row_spread=np.clip(moments.row_spread, least, 1.0),
            pair_spread=np.clip(moments.pair_spread, least, 1.0),
            evenness=np.clip(moments.evenness, least, 1.0),
        )
        _, low, high = bounds_of_moments(moments, LEVEL)
        return low, high


def _identity(weights: Floats) -> int:
    return hash(weights.tobytes())


def axis_length(low: Floats, high: Floats) -> Floats:
    """Length of an axis that zero belongs to, shape (..., measures, 1)."""
    # Ends that are not known are NaN, which these leave out.
    largest = np.fmax.reduce(high, axis=-1, keepdims=True, initial=0)
    return np.asarray(largest - np.fmin.reduce(low, axis=-1, keepdims=True, initial=0))
