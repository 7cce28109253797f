"""Tracks over tau in the store of a page: as columns, as polylines, or as polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.page.low_rank import (
    LowRank,
    combinations,
    in_tolerances,
    low_rank,
    shared_scores,
)
from uqwidgets.widgets.page.low_rank import coefficients as polynomial
from uqwidgets.widgets.page.store import Store, positive, storable
from uqwidgets.widgets.tracks import Side, Track

# Largest relative error of what no axis shows.
_OF_PRINTED = 1e-5


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
        stored: dict[str, Any] = {"straight": track.derivation is not None, "columns": {}}
        if not sides:
            return stored
        if track.derivation is not None:
            return {**stored, "joint": self._polylines(track, sides, chunk)}
        samples = [values for side in sides for values in side.samples.values()]
        if track.is_large and all(v.size > 0 and bool(storable(v).all()) for v in samples):
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
        """Store functions of tau that are not smooth, to within the tolerance of the track."""
        columns = [side.even for side in sides]
        assert track.derivation is not None
        each = []
        for samples in columns:
            assert samples is not None, "a track with a derivation is settled"
            sizes = track.sizes(samples)
            flat = [
                (
                    values.reshape(len(values), -1),
                    np.broadcast_to(sizes[name], values.shape).reshape(len(values), -1),
                )
                for name, values in samples.items()
            ]
            each.append([np.concatenate(part, axis=1) for part in zip(*flat, strict=True)])
        values, lengths = (np.stack(part) for part in zip(*each, strict=True))
        number = self._store.add_polylines(values, track.tolerance * lengths, chunk)
        names = [[name, values[0].size] for name, values in (columns[0] or {}).items()]
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
            shared = shared_scores([(t.paths, t.tolerance) for _, tracks in groups for t in tracks])
            for chunk, tracks in groups:
                together = []
                for one in tracks:
                    relative, _ = in_tolerances(one.paths, one.tolerance)
                    product = None if shared is None else combinations(relative, shared)
                    if product is None:
                        together.append(one)
                    else:
                        self._add_paths([one], chunk, product)
                if together:
                    relative, _ = in_tolerances(*_side_by_side(together))
                    self._add_paths(together, chunk, low_rank(relative, shared))
        self._paths = {}

    def _add_paths(self, tracks: Sequence[_Polynomials], chunk: str, product: LowRank) -> None:
        """Store tracks side by side; what is stored of each gets its place among them."""
        number = self._store.add_paths(*_side_by_side(tracks), chunk, product)
        start = 0
        for one in tracks:
            one.stored["joint"] = {"column": number, "start": start, "names": one.names}
            start += sum(n for _, n in one.names)
            if one.band is not None:
                one.stored["joint"]["band"] = one.band


class _Polynomials(NamedTuple):
    """The polynomials of a track.

    Attributes
    ----------
    stored : dict
        The description of the track.
    names : list of (str, int)
        The columns, with their numbers of values.
    paths : ndarray of shape (orders + 1, sides, k)
    tolerance : ndarray of shape (k,)
    band : sequence of str or None
        See `Track.band`; its half width stands in the place of both ends.
    """

    stored: dict[str, Any]
    names: list[tuple[str, int]]
    paths: Floats
    tolerance: Floats
    band: Sequence[str] | None


def _side_by_side(tracks: Sequence[_Polynomials]) -> tuple[Floats, Floats]:
    paths = np.concatenate([one.paths for one in tracks], axis=2)
    return paths, np.concatenate([one.tolerance for one in tracks])


def _polynomials(
    stored: dict[str, Any], track: Track, sides: Sequence[Side], orders: int
) -> _Polynomials:
    """Return the polynomials of a track, of as many orders."""
    samples = {
        name: np.concatenate([side.samples[name] for side in sides]) for name in sides[0].samples
    }
    sizes = track.sizes(samples)
    tolerances = {
        name: track.tolerance * _lengths(sizes[name], values)
        if name in sizes
        else _OF_PRINTED * np.abs(values.reshape(len(values), -1)).max(axis=0)
        for name, values in samples.items()
    }
    each = [side.samples for side in sides]
    if track.band is not None:
        # An end is off by the errors of the average and of the half width. An axis without length
        # leaves nothing of the difference.
        average, low, high = track.band
        least = tolerances.pop(low) / 2
        tolerances[high] = np.maximum(tolerances[high] - tolerances[average], least)
        each = [{**samples, high: samples[high] - samples[average]} for samples in each]
    names = list(tolerances)
    flat = [
        np.concatenate([samples[name].reshape(len(samples[name]), -1) for name in names], axis=1)
        for samples in each
    ]
    paths = np.stack([polynomial(columns, orders) for columns in flat], axis=1)
    of_columns = positive(
        np.concatenate([tolerances[name] for name in names]), np.abs(paths[0]).max(axis=0)
    )
    widths = [(name, tolerances[name].size) for name in names]
    return _Polynomials(stored, widths, paths, of_columns, track.band)


def _lengths(size: Any, values: Floats) -> Floats:
    """Return the length of the axis of each number, the median of all levels, shape (k,)."""
    of_levels = np.broadcast_to(np.asarray(size, dtype=np.float64), values.shape)
    lengths = np.median(of_levels, axis=0).ravel()
    # The axis has no length where all numbers are equal up to rounding.
    least = max(1e-9 * float(np.abs(values).max(initial=0.0)), 1e-300)
    return np.asarray(np.maximum(lengths, least))
