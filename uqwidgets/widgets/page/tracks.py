"""Tracks over tau in the store of a page: as columns, as polylines, or as polynomials."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.page.low_rank import (
    LowRank,
    combinations,
    low_rank,
    shared_scores,
    shared_weights,
)
from uqwidgets.widgets.page.paths import Paths, Single, at_points, side_by_side
from uqwidgets.widgets.page.paths import coefficients as polynomial
from uqwidgets.widgets.page.store import Store, positive, storable
from uqwidgets.widgets.tracks import Side, Track, stacked_samples

# Largest relative error of what no axis shows.
_OF_PRINTED = 1e-5
# A page is off by at most twice the tolerance. The interpolation needs a quarter of the tolerance
# where half of the nodes were precise enough already, and half of it elsewhere (see `Side.update`).
_ROUNDING_OF_PRECISE, _ROUNDING = 1.75, 1.5
# Scales of sides, at least, and errors relative to these: some axes have no length at a level.
_LEAST_SCALE, _LEAST_ROOM = 0.1, 0.7

# Length of an axis, at least, as a share of the largest number.
_LEAST_AXIS = 1e-9


class StoredTracks:
    """Stores the tracks of the views of a cohort.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        # Large tracks that are stored together, with what describes each.
        self._paths: dict[Any, list[tuple[dict[str, Any], Track, Sequence[Side]]]] = {}

    def add(self, view: str, track: Track, sides: Sequence[Side], chunk: str) -> dict[str, Any]:
        """Store a track, and return its description; `join` completes that of a large one.

        Parameters
        ----------
        view : str
            Name of the view.
        track : Track
        sides : sequence of Side
            Of all that is stressed.
        chunk : str
        """
        is_straight = any(side.even is not None for side in sides)
        stored: dict[str, Any] = {"straight": is_straight, "columns": {}}
        if not sides:
            return stored
        if is_straight:
            return {**stored, "joint": self._polylines(track, sides, chunk)}
        samples = [values.ravel() for side in sides for values in side.samples.values()]
        are_some = all(values.size for values in samples)
        if track.is_large and are_some and storable(np.concatenate(samples)).all():
            self._paths.setdefault((view, track.name, chunk), []).append((stored, track, sides))
            return stored
        sides = [side.thinned(track.tolerance) for side in sides]
        first, stored["sides"] = 0, []
        for side in sides:
            stored["sides"].append([side.m, first])
            first += side.m + 1
        stored["columns"] = {
            name: self._store.add_scaled(np.concatenate([s.samples[name] for s in sides]), chunk)
            for name in sides[0].samples
        }
        return stored

    def _polylines(self, track: Track, sides: Sequence[Side], chunk: str) -> dict[str, Any]:
        """Store functions of tau that are not smooth, from their values at even levels."""
        values = stacked_samples([side.even or {} for side in sides])
        sizes = track.sizes(values)
        rounding = track.tolerance * (_ROUNDING if track.is_large else 1.0)
        tolerances = []
        for name, of_sides in values.items():
            if name in sizes:
                tolerances.append(rounding * np.broadcast_to(sizes[name], of_sides.shape))
            else:
                tolerances.append(_OF_PRINTED * np.abs(of_sides))
        flat, tolerance = (
            np.concatenate([each.reshape(*each.shape[:2], -1) for each in parts], axis=2)
            for parts in (values.values(), tolerances)
        )
        number = self._store.add_polylines(flat, tolerance, chunk)
        names = [[name, each[0, 0].size] for name, each in values.items()]
        return {"column": number, "start": 0, "names": names}

    def join(self) -> None:
        """Store the tracks that are polynomials to within their tolerances, alike ones together."""
        alike: dict[Any, list[tuple[str, list[_Polynomials]]]] = {}
        for (*_, chunk), group in self._paths.items():
            orders = max(side.m for _, _, sides in group for side in sides)
            tracks = [_polynomials(*each, orders) for each in group]
            group.clear()  # otherwise the samples stay in memory beside the polynomials
            alike.setdefault(tracks[0].paths.shape[:2], []).append((chunk, tracks))
        for groups in alike.values():
            every = [one for _, tracks in groups for one in tracks]
            scales = _scales([one.paths for one in every])
            for one in every:
                room = [np.maximum(each, _LEAST_ROOM * scales[:, None]) for each in one.paths.room]
                one.paths = replace(one.paths, room=room, sides=scales)
            shared = shared_scores([one.paths for one in every])
            for chunk, tracks in groups:
                together, weights = [], []
                for one in tracks:
                    of_one = None if shared is None else shared_weights(one.paths, shared)
                    product = None
                    if shared is not None and of_one is not None:
                        product = combinations(one.paths, shared, of_one)
                    if product is None:
                        together.append(one)
                        weights.append(of_one)
                    else:
                        self._add_paths([one], one.paths, chunk, product)
                if together:
                    paths = side_by_side([one.paths for one in together])
                    product = low_rank(paths, shared, _side_by_side(weights))
                    self._add_paths(together, paths, chunk, product)
        self._paths = {}

    def _add_paths(
        self, tracks: Sequence[_Polynomials], paths: Paths, chunk: str, product: LowRank
    ) -> None:
        """Store tracks side by side; what is stored of each gets its place among them."""
        number = self._store.add_paths(paths, chunk, product)
        start = 0
        for one in tracks:
            one.stored["joint"] = {"column": number, "start": start, "names": one.names}
            start += sum(n for _, n in one.names)
            if one.band is not None:
                one.stored["joint"]["band"] = one.band


@dataclass
class _Polynomials:
    """The polynomials of a track.

    Attributes
    ----------
    stored : dict
        The description of the track.
    names : list of (str, int)
        The columns, with their numbers of values.
    paths : Paths
    band : sequence of str or None
        See `Track.band`; its half width stands in the place of both ends.
    """

    stored: dict[str, Any]
    names: list[tuple[str, int]]
    paths: Paths
    band: Sequence[str] | None


def _side_by_side(weights: Sequence[Single | None]) -> Single | None:
    """Return the columns of all weights, none if the shared scores do not describe all paths."""
    known = [each for each in weights if each is not None]
    return np.concatenate(known, axis=1) if len(known) == len(weights) else None


def _scales(paths: Sequence[Paths]) -> Floats:
    """Return the scales of sides, which are those of their shortest axes if these are shorter."""
    room = np.median([one.least_room for one in paths], axis=0)
    return np.asarray(np.clip(room, _LEAST_SCALE, 1.0).astype(np.float32).astype(np.float64))


def _polynomials(
    stored: dict[str, Any], track: Track, sides: Sequence[Side], orders: int
) -> _Polynomials:
    """Return the polynomials of a track, of as many orders."""
    shapes = {name: values.shape[1:] for name, values in sides[0].samples.items()}
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    columns = np.empty((orders + 1, len(sides), ends[-1]))
    for m in {side.m for side in sides}:
        some = [number for number, side in enumerate(sides) if side.m == m]
        flat = [[v.reshape(m + 1, -1) for v in sides[number].samples.values()] for number in some]
        samples = np.stack([np.concatenate(each, axis=1) for each in flat], axis=1)
        columns[:, some] = polynomial(samples.reshape(m + 1, -1), orders).reshape(
            orders + 1, *samples.shape[1:]
        )
    each = dict(zip(shapes, np.split(columns, ends[:-1], axis=2), strict=True))
    allowed = _allowed(track, sides, orders, each, shapes)
    if track.band is not None:
        # An end is off by the errors of the average and of the half width. An axis without length
        # leaves nothing of the difference.
        average, low, high = track.band
        least = allowed.pop(low) / 2
        allowed[high] = np.maximum(allowed[high] - allowed[average], least)
        each[high] = each[high] - each[average]
    of_sides = np.concatenate([each[name] for name in allowed], axis=2)
    names = [(name, each[name].shape[2]) for name in allowed]
    units = {name: np.median(errors, axis=(0, 1)) for name, errors in allowed.items()}
    tolerance = np.concatenate([np.broadcast_to(units[name], n) for name, n in names])
    room = [
        np.where(units[name] > 0, errors / np.where(units[name] > 0, units[name], 1.0), 1.0)
        for name, errors in allowed.items()
    ]
    tolerance = positive(tolerance, np.abs(of_sides[0]).max(axis=0))
    tolerance = tolerance.astype(np.float32).astype(np.float64)
    paths = Paths(of_sides, tolerance, room, [n for _, n in names])
    return _Polynomials(stored, names, paths, track.band)


def _allowed(
    track: Track,
    sides: Sequence[Side],
    orders: int,
    columns: Mapping[str, Floats],
    shapes: Mapping[str, tuple[int, ...]],
) -> dict[str, Floats]:
    """Return the largest errors of the columns by rounding, each (points, sides, n or 1)."""
    samples = {}
    for name, of_sides in columns.items():
        values = np.tensordot(at_points(orders), of_sides, 1).swapaxes(0, 1)
        samples[name] = values.reshape(*values.shape[:2], *shapes[name])
    sizes = track.sizes(samples)
    is_precise = np.array([side.error <= track.tolerance for side in sides])
    rounding = track.tolerance * np.where(is_precise, _ROUNDING_OF_PRECISE, _ROUNDING)
    allowed = {}
    for name, values in samples.items():
        if name in sizes:
            # The axis has no length where all numbers are equal up to rounding.
            least = _LEAST_AXIS * np.abs(values).max(initial=0.0)
            shape = (len(sides),) + (1,) * (values.ndim - 1)
            errors = rounding.reshape(shape) * np.maximum(sizes[name], least)
        else:
            errors = _OF_PRINTED * np.abs(values).max(axis=(0, 1), keepdims=True)
        # All columns may have one axis.
        has_one_axis = errors.size == errors.shape[0] * errors.shape[1]
        own = errors.shape[2:] if has_one_axis else values.shape[2:]
        each = np.broadcast_to(errors, (*values.shape[:2], *own)).reshape(*values.shape[:2], -1)
        allowed[name] = each.swapaxes(0, 1)
    return allowed
