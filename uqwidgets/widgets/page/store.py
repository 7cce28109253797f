"""The store of a page: columns of numbers, each once, deflated, as text of HTML.

Columns that are read together lie in one chunk, which the page inflates when it needs one of them.
Whole numbers are stored as differences along lines with their sign in the last bit, and the bytes
of all columns lie in the order of their significance. All of it makes them easier to deflate.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.widgets.kernel.frames import plain, single
from uqwidgets.widgets.page.low_rank import low_rank

#: Types of columns: float64, float32, int32, uint8.
DType = Literal["f8", "f4", "i4", "u1"]

_EXACT: dict[str, tuple[DType, str]] = {"i": ("i4", "<i4"), "u": ("u1", "|u1"), "b": ("u1", "|u1")}
_FLOATS: tuple[tuple[DType, str], ...] = (("f4", "<f4"), ("f8", "<f8"))
# Larger values, of which float32 would have no multiples, are not stored.
_MOST = float(np.finfo(np.float32).max) / 1024
# Known multiples of a step are smaller.
_UNKNOWN = 1 << 24
# Steps of the axis of lines: a value is off by 0.05 % of it.
_STEPS_OF_LINES = 1000
# Level and memory of the deflation. Level 8 takes three times as long, for 2 % fewer bytes.
_LEVEL, _MEM_LEVEL = 7, 6


class Store:
    """Columns of a page, and an index that refers to them by their numbers."""

    def __init__(self) -> None:
        self._columns: list[dict[str, Any]] = []
        self._bytes: dict[str, list[bytes]] = {}
        self._numbers: dict[bytes, int] = {}

    def add(self, values: npt.ArrayLike, chunk: str) -> int:
        """Add a column with all digits that are shown, and return its number.

        Parameters
        ----------
        values : array-like
            Floats are stored as float32, unless some are too large for it.
        chunk : str
            Name of the chunk, unless the same column is stored already.
        """
        array = np.asarray(values)
        if array.dtype.kind == "f":
            array = single(array)
        dtype, code = _EXACT.get(array.dtype.kind, _FLOATS[array.dtype.itemsize == 8])
        data = np.ascontiguousarray(array, dtype=code)
        return self._put(data, {"dtype": dtype, "shape": list(array.shape)}, chunk)

    def add_lines(self, lines: Floats, chunk: str) -> int:
        """Add lines that are drawn on one axis, and return the number of the column.

        Parameters
        ----------
        lines : ndarray of shape (lines, n)
            Values that are not finite become NaN.
        chunk : str
        """
        known = storable(lines)
        low, high = lines.min(where=known, initial=np.inf), lines.max(where=known, initial=-np.inf)
        return self.add_steps(lines, max(high - low, 0.0) / _STEPS_OF_LINES, chunk)

    def add_steps(self, lines: Floats, step: Floats | float, chunk: str) -> int:
        """Add lines of numbers as multiples of a step, and return the number of the column.

        Parameters
        ----------
        lines : ndarray of shape (lines, n)
            Values that are not finite become NaN.
        step : float or ndarray of shape (lines,)
        chunk : str
        """
        known = storable(lines)
        sizes = np.where(known, np.abs(lines), 0.0).max(axis=1, initial=0.0)
        step = positive(step, sizes).astype(np.float32)
        whole = np.where(known, np.rint(np.where(known, lines, 0.0) / step[:, None]), _UNKNOWN)
        facts = {
            "dtype": "f4",
            "shape": list(lines.shape),
            "whole": self._add_whole(whole, chunk),
            "scale": self.add(step, chunk),
        }
        return self._put(None, facts, chunk)

    def add_product(self, lines: Floats, tolerance: Floats, chunk: str) -> int:
        """Add lines of numbers as a product of two matrices, and return the number of the column.

        Parameters
        ----------
        lines : ndarray of shape (lines, n)
            Finite numbers.
        tolerance : ndarray of shape (lines,)
            Largest error of each line.
        chunk : str
        """
        unit = positive(tolerance, np.abs(lines).max(axis=1, initial=0.0)).astype(np.float32)
        center = np.rint(lines.mean(axis=1) / unit)
        product = low_rank(lines.T / unit - center)
        # The means are the first component.
        left = np.concatenate([np.ones((1, lines.shape[1])), product.left.T])
        right = np.concatenate([center[None], product.right])
        facts = {
            "dtype": "f4",
            "shape": list(lines.shape),
            "left": self._add_whole(left, chunk),
            # Neighbouring lines are alike, but do not lie on a line themselves.
            "right": self._add_whole(right, chunk, order=1),
            "scale": self.add(np.append(np.float32(1), product.scale), chunk),
            "tolerance": self.add(unit, chunk),
        }
        return self._put(None, facts, chunk)

    def _add_whole(self, values: npt.NDArray[Any], chunk: str, order: int = 2) -> int:
        """Add whole numbers (lines, k) with all digits, as differences of an order along lines."""
        differences = values.astype(np.int64)
        for _ in range(order):
            differences = np.diff(differences, axis=1, prepend=0)
        unsigned = _unsigned(differences)
        small = unsigned.max(initial=0) <= np.iinfo(np.uint16).max
        facts = {"dtype": "whole", "shape": list(values.shape), "order": order}
        return self._put(unsigned.astype(np.uint16 if small else np.uint32), facts, chunk)

    def _put(self, data: npt.NDArray[Any] | None, facts: Mapping[str, Any], chunk: str) -> int:
        """Add a column whose bytes follow those of the columns before it, if it has its own."""
        planes = b""
        if data is not None:
            size = data.dtype.itemsize
            planes = np.ascontiguousarray(data.ravel().view(np.uint8).reshape(-1, size).T).tobytes()
            facts = {**facts, "size": size}
        key = _key(json.dumps(facts).encode(), planes)
        if key not in self._numbers:
            self._bytes.setdefault(chunk, []).append(planes)
            self._numbers[key] = len(self._columns)
            self._columns.append({**facts, "chunk": chunk})
        return self._numbers[key]

    def deflated(self, index: Mapping[str, Any]) -> dict[str, str]:
        """Return the chunks as text by their names; ``""`` is the index with the columns.

        Parameters
        ----------
        index : mapping
            Plain values that refer to columns by their numbers.
        """
        text = json.dumps({**plain(index), "columns": self._columns}, separators=(",", ":"))
        chunks = {name: _deflated_numbers(b"".join(p)) for name, p in self._bytes.items()}
        deflated = {"": zlib.compress(text.encode(), _LEVEL), **chunks}
        return {name: b64encode(data).decode() for name, data in deflated.items()}


def _key(*data: bytes) -> bytes:
    """Return a key that different data do not share."""
    return blake2b(b"\n".join(data), digest_size=16).digest()


def _deflated_numbers(data: bytes) -> bytes:
    """Deflate bytes that repeat little but are small numbers, as zlib advises.

    With less memory its blocks are shorter, and each has codes for the numbers of its place.
    """
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, _MEM_LEVEL, zlib.Z_FILTERED)
    return packer.compress(data) + packer.flush()


def _unsigned(whole: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Move the sign to the last bit, so that the first byte of small numbers is 0."""
    signed = whole.astype(np.int64)
    return np.where(signed < 0, -2 * signed - 1, 2 * signed)


def storable(values: Floats) -> npt.NDArray[np.bool_]:
    """Return which values are finite and small enough for float32."""
    return np.asarray(np.abs(values) <= _MOST)


def positive(tolerance: Floats | float, sizes: Floats) -> Floats:
    """Return tolerances above 0; what does not vary has an axis without length."""
    least = sizes * np.finfo(np.float32).eps
    return np.asarray(np.fmax(tolerance, np.maximum(least, np.finfo(np.float32).tiny)))
