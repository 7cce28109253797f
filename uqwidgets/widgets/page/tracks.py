"""Parts of views at levels of tau in the store of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.widgets.over_tau.levels import Samples
from uqwidgets.widgets.page.store import Store, storable

# Largest errors as a share of the axis on which numbers are drawn: of numbers, of the ends of
# intervals, of small bars, and of single numbers, which are printed.
_OF_AXIS, _OF_ENDS, _OF_BARS, _OF_NUMBERS = 0.001, 0.004, 0.01, 0.0002
# A level whose numbers need an axis more than so many times as long as those of the median level
# does not count: an interval that rests on two effective rows may be a hundred times as long.
_MOST_TIMES = 2
# Numbers that vary by more than so many times their largest error have all their digits instead.
_MOST_ERRORS = 1 << 16
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
        # Columns that are stored together, with what describes the track of each: lines of numbers
        # at all levels.
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
            Columns at the levels of all that is stressed, in parts.
        chunk : str

        Returns
        -------
        dict of str to list of int
            By the name of a column, the number of that in the store, and the first of the numbers
            there and how many they are.
        """
        every = {
            column: np.concatenate([each[column] for each in samples]) for column in samples[0]
        }
        errors = _errors(every)
        if "average" in every:
            # The distances of the ends change less along tau than the ends themselves.
            every["below"] = every["average"] - every.pop("low")
            every["above"] = every.pop("high") - every["average"]
            for side, end in (("below", "low"), ("above", "high")):
                errors[side] = errors[end] - errors["average"]
        # The page reads the columns in this order.
        stored: dict[str, list[int]] = {column: [] for column in every}
        for column, values in every.items():
            lines = values.reshape(len(values), -1).T
            error = np.broadcast_to(errors[column], values.shape[1:]).ravel()
            known = storable(lines)
            low = lines.min(axis=1, where=known, initial=np.inf)
            high = lines.max(axis=1, where=known, initial=-np.inf)
            if np.isin(lines, (0.0, 1.0)).all():
                stored[column] = [self._store.add(lines.astype(np.uint8), chunk), 0, len(lines)]
            elif (high - low > _MOST_ERRORS * error).any():
                exact = np.where(known, lines, np.nan)
                stored[column] = [self._store.add(exact, chunk), 0, len(lines)]
            else:
                kind = (name, column in ("below", "above"), bool(known.all()))
                key = (*kind, view if len(lines) < _FEW else chunk)
                self._waiting.setdefault(key, []).append((stored, column, lines, error))
        return stored

    def join(self) -> None:
        """Store the columns that wait, alike ones together."""
        for (*_, is_complete, chunk), waiting in self._waiting.items():
            lines = np.concatenate([each for *_, each, _ in waiting])
            error = np.concatenate([each for *_, each in waiting])
            # A product has fewer numbers if there are more lines than levels.
            if is_complete and len(lines) > lines.shape[1]:
                number = self._store.add_product(lines, error, chunk)
            else:
                number = self._store.add_steps(lines, 2 * error, chunk)
            start = 0
            for stored, column, each, _ in waiting:
                stored[column] = [number, start, len(each)]
                start += len(each)
        self._waiting = {}


def _errors(columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the largest errors of columns (levels, ...), which can be broadcast to a level.

    Columns of one shape are drawn on one axis, as an average and the ends of its interval are; the
    numbers along the last axis share it. Single numbers have an axis each, of all levels.
    """
    ends: dict[Any, tuple[Floats, Floats]] = {}
    keys = {name: values.shape if values.ndim > 1 else name for name, values in columns.items()}
    for name, values in columns.items():
        is_known, numbers = storable(values), -1 if values.ndim > 1 else ()
        low = np.where(is_known, values, np.inf).min(axis=numbers, keepdims=True, initial=np.inf)
        high = np.where(is_known, values, -np.inf).max(axis=numbers, keepdims=True, initial=-np.inf)
        known_low, known_high = ends.get(keys[name], (np.inf, -np.inf))
        ends[keys[name]] = np.minimum(low, known_low), np.maximum(high, known_high)
    axes = {key: _axis(low, high) for key, (low, high) in ends.items()}
    shares = {"low": _OF_ENDS, "high": _OF_ENDS, "counts": _OF_BARS}

    def share(name: str) -> float:
        usual = _OF_AXIS if columns[name].ndim > 1 else _OF_NUMBERS
        return shares.get(re.split("[._]", name)[-1], usual)

    return {name: share(name) * axes[keys[name]] for name in columns}


def _axis(low: Floats, high: Floats) -> Floats:
    """Return the length of the axis of the least and the largest numbers (levels, ...)."""
    length = np.where(high > low, high - low, 0.0)
    longest = _MOST_TIMES * np.median(length, axis=0)
    is_usual = (length <= longest) | (longest == 0)
    low = np.where(is_usual, low, np.inf).min(axis=0)
    high = np.where(is_usual, high, -np.inf).max(axis=0)
    return np.where(high > low, high - low, 0.0)
