"""The store of a page: columns of numbers, each once, deflated, as text of HTML.

Columns that are read together lie in one chunk, which the page inflates when it needs one of them.
Scaled numbers are stored as differences along the first axis, or as differences of these. Whole
numbers have their sign in the last bit, and the bytes of all columns lie in the order of their
significance. All of it makes them easier to deflate.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.widgets.frames import plain, single
from uqwidgets.widgets.page.low_rank import LowRank, low_rank
from uqwidgets.widgets.page.paths import Paths
from uqwidgets.widgets.page.polylines import polylines, within_reach
from uqwidgets.widgets.page.text import as_text

#: Types of columns: float64, float32, int32, uint8.
DType = Literal["f8", "f4", "i4", "u1"]

_EXACT: dict[str, tuple[DType, str]] = {"i": ("i4", "<i4"), "u": ("u1", "|u1"), "b": ("u1", "|u1")}
_FLOATS: tuple[tuple[DType, str], ...] = (("f4", "<f4"), ("f8", "<f8"))
_LARGEST = 32767
# Larger values, of which float32 would have no multiples, are not stored.
_MOST = float(np.finfo(np.float32).max) / 1024
_UNKNOWN = -32768
# An axis is no shorter than this share of the median one of a line over tau.
_OF_USUAL = 1e-4
# Level and memory of the deflation. Level 9 takes twice as long, for 0.4 % fewer bytes.
_LEVEL, _MEM_LEVEL = 8, 6
# Most differences that are taken along levels or a line of whole numbers, one of the other.
_MOST_DIFFERENCES = 3
# The chunk of what several chunks share.
_SHARED = "shared"
# Values of lines that wait in memory to be stored together.
_MOST_WAITING = 1 << 18


class Store:
    """Columns of a page, and an index that refers to them by their numbers."""

    def __init__(self) -> None:
        self._columns: list[dict[str, Any]] = []
        self._bytes: dict[str, list[bytes]] = {}
        self._numbers: dict[bytes, int] = {}
        # Lines that are stored together, by their chunk and length, with the column that they are.
        self._waiting: dict[tuple[str, int], list[tuple[int, Floats, Floats]]] = {}

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

    def add_band(self, middle: int, half: Floats, chunk: str) -> tuple[int, int]:
        """Add both ends of a band, and return the numbers of their columns.

        Parameters
        ----------
        middle : int
            The column of its middle.
        half : ndarray
            Half of its width, of the shape of the middle.
        chunk : str
        """
        facts = {"dtype": "f4", "shape": list(half.shape), "band": [middle, self.add(half, chunk)]}
        low, high = (self._put(None, {**facts, "sign": sign}, chunk) for sign in (-1, 1))
        return low, high

    def add_scaled(
        self,
        values: npt.ArrayLike,
        chunk: str,
        most: int = _LARGEST,
        *,
        is_transposed: bool = False,
    ) -> int:
        """Add levels as whole numbers, and return the number of the column.

        Parameters
        ----------
        values : array-like of shape (levels, ...)
            They are stored in steps from the middle of all levels. Values that are not finite
            become NaN.
        chunk : str
        most : int, optional
            Number of steps from the middle to the largest value.
        is_transposed : bool, default=False
            Whether the page exchanges both axes.
        """
        array = np.asarray(values, dtype=np.float64)
        is_finite = storable(array)
        least = np.where(is_finite, array, np.inf).min(axis=0, initial=np.inf)
        largest = np.where(is_finite, array, -np.inf).max(axis=0, initial=-np.inf)
        # Where nothing is finite, there is no axis.
        least, largest = (np.where(np.isfinite(end), end, 0.0) for end in (least, largest))
        center = (least / 2 + largest / 2).astype(np.float32)
        reach = np.maximum(largest - center, center - least)
        scale = np.where(reach > 0, reach / most, 1.0).astype(np.float32)
        steps = np.rint((np.where(is_finite, array, center) - center) / scale)
        whole = np.where(is_finite, steps, _UNKNOWN)
        # Differences wrap around, as the page's sums of them do.
        differences = [np.diff(whole.astype(np.int64), axis=0, prepend=0)]
        while len(differences) < _MOST_DIFFERENCES:
            differences.append(np.diff(differences[-1], axis=0, prepend=0))
        order = int(np.argmin([_bits(each) for each in differences]))
        facts = {
            "dtype": "f4",
            "shape": list(array.shape),
            "scale": self.add(np.ravel(scale), chunk),
            "center": self.add(np.ravel(center), chunk),
            "order": order + 1,
            "transposed": is_transposed,
        }
        smallest = _unsigned(differences[order].astype(np.int16))
        return self._put(smallest.astype(np.uint16), facts, chunk)

    def add_paths(self, paths: Paths, chunk: str, product: LowRank | None = None) -> int:
        """Add averages as polynomials of tau, and return the number of the column.

        Parameters
        ----------
        paths : Paths
        chunk : str
        product : LowRank, optional
            Scores that several matrices share are stored once, in a chunk of their own, and the
            weights of their combinations in that of the matrix.
        """
        product = product or low_rank(paths)
        # They are stored by components, because the numbers of one are of similar size.
        facts: dict[str, Any] = {"dtype": "f4", "shape": list(paths.shape)}
        if product.shared is None:
            facts["left"] = self._add_whole(product.left.T, chunk)
        else:
            facts["left"] = self._add_whole(product.shared.whole.T, _SHARED)
            facts["left_scale"] = self.add(product.shared.scale, _SHARED)
        if product.weights is not None:
            facts["weights"] = self._add_whole(product.weights, chunk)
        # The weights of all scores in a column are of similar size.
        by_columns = product.shared is not None and product.weights is None
        facts |= {
            "rank": product.left.shape[1],
            "right": self._add_lines(product.right, chunk, by_columns=by_columns),
            "scale": self.add(product.scale, chunk),
            "tolerance": self.add(paths.tolerance, chunk),
            "center": self._add_whole(paths.center.astype(np.int64), chunk),
        }
        if paths.sides is not None:
            facts["sides"] = self.add(paths.sides, _SHARED)
        return self._put(None, facts, chunk)

    def add_lines(self, values: Floats, tolerance: npt.ArrayLike, chunk: str) -> int:
        """Add lines along a grid as polylines, and return the number of the column.

        It is a part of a column of all lines of the chunk that are as long, because polylines are
        made level by level.

        Parameters
        ----------
        values : ndarray of shape (lines, g)
            Those that are not finite become NaN.
        tolerance : float or array-like of shape (g,)
            Largest error of each value, above 0.
        chunk : str
        """
        lines, errors = (
            np.asarray(each, dtype=np.float64) for each in np.broadcast_arrays(values, tolerance)
        )
        key = _key(f"{lines.shape}".encode(), lines.tobytes(), errors.tobytes())
        if key not in self._numbers:
            number = self._numbers[key] = len(self._columns)
            self._columns.append({"dtype": "f4", "shape": list(lines.shape), "chunk": chunk})
            alike = chunk, lines.shape[1]
            waiting = self._waiting.setdefault(alike, [])
            waiting.append((number, lines, errors))
            if sum(each.size for _, each, _ in waiting) > _MOST_WAITING:
                self._join(alike)
        return self._numbers[key]

    def _join(self, alike: tuple[str, int]) -> None:
        """Store lines that wait."""
        numbers, values, tolerances = zip(*self._waiting.pop(alike), strict=True)
        lines, errors = np.concatenate(values), np.concatenate(tolerances)
        centers = np.concatenate([np.full(len(each), _middle(each)) for each in values])
        whole = self._add_polylines(lines.T[None], errors.T[None], centers, alike[0])
        start = 0
        for number, of_column in zip(numbers, values, strict=True):
            self._columns[number] |= {"of": whole, "start": start}
            start += len(of_column)

    def add_polylines(self, values: Floats, tolerance: Floats, chunk: str) -> int:
        """Add functions of tau at evenly spaced levels, and return the number of the column.

        Parameters
        ----------
        values : ndarray of shape (sides, levels, k)
            Those that are not finite become NaN, and those so far from the others of a line that no
            whole numbers of one quantum are near enough to both.
        tolerance : ndarray of shape (sides, levels, k)
            Largest error of each value.
        chunk : str
        """
        return self._add_polylines(values, tolerance, None, chunk)

    def _add_polylines(
        self, values: Floats, tolerance: Floats, center: Floats | None, chunk: str
    ) -> int:
        """Add polylines less the center of each (k,), by default the first value of it."""
        is_held = storable(values)
        known = _filled(values, is_held, 0.0)
        centers = (known[0, 0] if center is None else center).astype(np.float32)
        usual = _OF_USUAL * np.median(tolerance, axis=1, keepdims=True)
        tolerance = np.minimum(positive(np.fmax(tolerance, usual), np.abs(known)), _MOST)
        is_held &= within_reach(known - centers, np.where(is_held, tolerance, np.inf))
        known, tolerance = _filled(values, is_held, centers), _filled(tolerance, is_held, _MOST)
        lines = polylines(known, tolerance, centers.astype(np.float64))
        facts = {
            "dtype": "f4",
            "shape": list(values.shape),
            "steps": self.add(lines.steps, chunk),
            "rises": self._add_whole(lines.rises, chunk),
            "tolerance": self.add(lines.quantum, chunk),
            "center": self.add(centers, chunk),
            "missing": None if is_held.all() else self.add(~is_held, chunk),
        }
        return self._put(None, facts, chunk)

    def _add_lines(
        self, values: npt.NDArray[np.int32], chunk: str, *, by_columns: bool = False
    ) -> int:
        """Add lines of whole numbers, each as those differences along it that are smallest.

        The page exchanges both axes if they are stored by columns.
        """
        differences = [values.astype(np.int64)]
        for _ in range(_MOST_DIFFERENCES):
            differences.append(np.diff(differences[-1], axis=1, prepend=0))
        bits = np.stack([_bits(each, axis=1) for each in differences])
        orders = bits.argmin(axis=0)
        smallest = np.stack(differences)[orders, np.arange(len(values))]
        of_lines = {"orders": self.add(orders.astype(np.uint8), chunk), "transposed": by_columns}
        return self._add_whole(smallest.T if by_columns else smallest, chunk, of_lines)

    def _add_whole(
        self, values: npt.NDArray[Any], chunk: str, further: Mapping[str, Any] | None = None
    ) -> int:
        """Add whole numbers with all digits."""
        unsigned = _unsigned(values)
        small = unsigned.max(initial=0) <= np.iinfo(np.uint16).max
        facts = {"dtype": "whole", "shape": list(values.shape), **(further or {})}
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
        for alike in list(self._waiting):
            self._join(alike)
        text = json.dumps({**plain(index), "columns": self._columns}, separators=(",", ":"))
        chunks = {name: _deflated_numbers(b"".join(p)) for name, p in self._bytes.items()}
        deflated = {"": zlib.compress(text.encode(), _LEVEL), **chunks}
        return {name: as_text(data) for name, data in deflated.items()}


def _key(*data: bytes) -> bytes:
    """Return a key that different data do not share."""
    return blake2b(b"\n".join(data), digest_size=16).digest()


def _middle(values: Floats) -> float:
    """Return the middle of the values that are stored, 0 without any."""
    held = values[storable(values)]
    return float(held.min() + held.max()) / 2 if len(held) else 0.0


def _bits(whole: npt.NDArray[Any], axis: int | None = None) -> Any:
    """Estimate the size of whole numbers, along an axis or in all."""
    return np.log2(1 + 2 * np.abs(whole)).sum(axis=axis)


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


def positive(tolerance: Floats, sizes: Floats) -> Floats:
    """Return tolerances above 0; what does not vary has an axis without length."""
    least = sizes * np.finfo(np.float32).eps
    return np.asarray(np.fmax(tolerance, np.maximum(least, np.finfo(np.float32).tiny)))


def _filled(values: Floats, is_known: npt.NDArray[np.bool_], none: npt.ArrayLike) -> Floats:
    """Put the last known value of a line in the place of unknown ones, the first one before it.

    Where nothing is known of a line, it has the value ``none``.
    """
    levels = np.arange(values.shape[1])[:, None]
    last = np.maximum.accumulate(np.where(is_known, levels, -1), axis=1)
    nearest = np.where(last < 0, is_known.argmax(axis=1)[:, None], last)
    filled = np.take_along_axis(values, nearest, axis=1)
    return np.asarray(np.where(is_known.any(axis=1, keepdims=True), filled, none))
