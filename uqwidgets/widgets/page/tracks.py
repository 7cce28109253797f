"""Tracks over tau in the store of a page: as columns, as polylines, or as polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.page.low_rank import coefficients as polynomial
from uqwidgets.widgets.page.low_rank import low_ranks
from uqwidgets.widgets.page.store import Store, positive
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
        if track.is_large and all(v.size > 0 and bool(np.isfinite(v).all()) for v in samples):
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
        alike: dict[Any, list[tuple[str, list[dict[str, Any]], Floats, Floats]]] = {}
        for (*_, chunk), group in self._paths.items():
            paths, tolerance = _joined(group)
            stored = [each for each, *_ in group]
            group.clear()  # otherwise the samples stay in memory beside the polynomials
            alike.setdefault(paths.shape[:2], []).append((chunk, stored, paths, tolerance))
        for chunks in alike.values():
            products = low_ranks([each[2:] for each in chunks])
            for (chunk, stored, paths, tolerance), made in zip(chunks, products, strict=True):
                number = self._store.add_paths(paths, tolerance, chunk, made)
                for one in stored:
                    one["joint"]["column"] = number
        self._paths = {}


def _joined(
    group: Sequence[tuple[dict[str, Any], Track, Sequence[Side]]],
) -> tuple[Floats, Floats]:
    """Return the polynomials of some tracks side by side, with their tolerances.

    What is stored of each track gets its place among them.
    """
    orders = max(side.m for _, _, sides in group for side in sides)
    coefficients, tolerances, start = [], [], 0
    for stored, track, sides in group:
        samples = {
            name: np.concatenate([side.samples[name] for side in sides])
            for name in sides[0].samples
        }
        sizes = track.sizes(samples)
        names: list[tuple[str, int]] = []
        for name, values in samples.items():
            flat = values.reshape(len(values), -1)
            names.append((name, flat.shape[1]))
            tolerances.append(
                track.tolerance * _lengths(sizes[name], values)
                if name in sizes
                else _OF_PRINTED * np.abs(flat).max(axis=0)
            )
        stored["joint"] = {"column": None, "start": start, "names": names}
        start += sum(n for _, n in names)
        flat_sides = [
            np.concatenate([v.reshape(len(v), -1) for v in s.samples.values()], axis=1)
            for s in sides
        ]
        coefficients.append(np.stack([polynomial(values, orders) for values in flat_sides], axis=1))
    paths = np.concatenate(coefficients, axis=2)
    return paths, positive(np.concatenate(tolerances), np.abs(paths[0]).max(axis=0))


def _lengths(size: Any, values: Floats) -> Floats:
    """Return the length of the axis of each number of a level, shape (k,)."""
    lengths = np.broadcast_to(np.asarray(size, dtype=np.float64), values.shape).max(axis=0).ravel()
    # The axis has no length where all numbers are equal up to rounding.
    least = max(1e-9 * float(np.abs(values).max(initial=0.0)), 1e-300)
    return np.asarray(np.maximum(lengths, least))
