"""Parts of views at levels of tau in the store of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.levels import Samples
from uqwidgets.widgets.page.store import Store, storable

# Largest errors as a share of the axis on which numbers are drawn: of numbers, and of the ends of
# intervals.
_OF_AXIS, _OF_ENDS = 0.001, 0.004
# Tracks of fewer numbers are stored with those of all contents of the view.
_FEW = 100


class StoredTracks:
    """Stores the tracks of the views of a cohort.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        # Columns that are stored together, with what describes the track of each.
        self._waiting: dict[Any, list[tuple[dict[str, Any], str, Floats, Floats]]] = {}

    def add(
        self, view: str, name: str, samples: Sequence[Samples], chunk: str
    ) -> dict[str, list[int]]:
        """Store a track, and return its description, which `join` completes.

        Parameters
        ----------
        view, name : str
            Names of the view and of the track.
        samples : sequence of dict
            Columns at the levels of each feature that is stressed.
        chunk : str

        Returns
        -------
        dict of str to list of int
            By the name of a column, the number of that in the store, and the first of the numbers
            there and how many they are.
        """
        stored: dict[str, list[int]] = {}
        every = {
            column: np.concatenate([each[column] for each in samples]) for column in samples[0]
        }
        errors = _errors(every)
        for column, values in every.items():
            flat = values.reshape(len(values), -1)
            if np.isin(flat, (0.0, 1.0)).all():
                stored[column] = [self._store.add(flat.astype(np.uint8), chunk), 0, flat.shape[1]]
            elif storable(flat).all():
                error = np.broadcast_to(errors[column], values.shape[1:]).ravel()
                key = name, view if flat.shape[1] < _FEW else chunk
                self._waiting.setdefault(key, []).append((stored, column, flat, error))
            else:
                stored[column] = [self._store.add_scaled(flat, chunk), 0, flat.shape[1]]
        return stored

    def join(self) -> None:
        """Store the columns that wait, alike ones together."""
        for (_, chunk), waiting in self._waiting.items():
            values = np.concatenate([flat for *_, flat, _ in waiting], axis=1)
            number = self._store.add_levels(
                values, np.concatenate([error for *_, error in waiting]), chunk
            )
            start = 0
            for stored, column, flat, _ in waiting:
                stored[column] = [number, start, flat.shape[1]]
                start += flat.shape[1]
        self._waiting = {}


def _errors(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the largest errors of columns (levels, ...), which can be broadcast to a level.

    Columns of one shape are drawn on one axis, as an average and the ends of its interval are; the
    numbers along the last axis share it. Single numbers have an axis each.
    """
    lengths: dict[Any, Floats] = {}
    keys = {name: values.shape if values.ndim > 1 else name for name, values in columns.items()}
    for name, values in columns.items():
        axes = (0, -1) if values.ndim > 1 else (0,)
        is_finite = np.isfinite(values)
        low = np.where(is_finite, values, np.inf).min(axis=axes, keepdims=True, initial=np.inf)
        high = np.where(is_finite, values, -np.inf).max(axis=axes, keepdims=True, initial=-np.inf)
        length = np.where(high > low, high - low, 0.0)[0]
        lengths[keys[name]] = np.maximum(length, lengths.get(keys[name], 0.0))
    return {
        name: (_OF_ENDS if name.endswith(("low", "high")) else _OF_AXIS) * lengths[keys[name]]
        for name in columns
    }
