"""Frames: the results of one answer in plain types and bytes, sent as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

SCHEMA = 1

_DTYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u1": "|u1"}


def pack(
    seq: int, inputs: Mapping[str, Any], meta: Mapping[str, Any], columns: Mapping[str, Any]
) -> dict[str, Any]:
    """Build a frame of inputs, plain values and columns of numbers.

    Parameters
    ----------
    seq : int
        Number of the request that the frame answers.
    inputs, meta : mapping
    columns : mapping of str to array
        Arrays of any shape; they are sent as float64 unless they are float32, int32, int16 or
        uint8.

    Returns
    -------
    dict
        ``{schema, seq, inputs, meta, cols}``; ``cols`` holds little-endian bytes, and
        ``meta["cols"]`` the type and shape of each.
    """
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    codes = {name: _code(values) for name, values in arrays.items()}
    described = {
        name: {"dtype": codes[name], "shape": list(values.shape)} for name, values in arrays.items()
    }
    return {
        "schema": SCHEMA,
        "seq": seq,
        "inputs": plain(inputs),
        "meta": {**plain(meta), "cols": described},
        "cols": {
            name: np.ascontiguousarray(values, dtype=_DTYPES[codes[name]]).tobytes()
            for name, values in arrays.items()
        },
    }


def single(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers in single precision, which halves a frame, unless some are too large for it.

    Squared errors of a target of 1e20 are beyond its range.
    """
    finite = np.abs(values[np.isfinite(values)])
    is_in_range = finite.max(initial=0.0) <= np.finfo(np.float32).max
    return values.astype(np.float32 if is_in_range else np.float64)


def plain(value: Any) -> Any:
    """Return the value in plain types; NaN and infinities, which JSON lacks, become None.

    Subclasses become their plain type too: hosts that do not use `json` may write them otherwise.
    """
    match value:
        case None | bool():
            return value
        case int() | np.integer():
            return int(value)
        case str():
            return str(value)
        case float() | np.floating():
            return float(value) if isfinite(value) else None
        case np.bool_():
            return bool(value)
        case Mapping():
            return {str(k): plain(v) for k, v in value.items()}
        case np.ndarray():
            return plain(value.tolist())
        case list() | tuple():
            return [plain(v) for v in value]
    return str(value)


def _code(values: npt.NDArray[Any]) -> str:
    return {"float32": "f4", "int32": "i4", "uint8": "u1"}.get(values.dtype.name, "f8")
