"""Results as one atomic binary frame, and nothing numpy on the wire."""

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
    """Build a frame: what was asked, what is said of it, and the numbers.

    Parameters
    ----------
    seq : int
        The request this answers.
    inputs, meta : mapping
    columns : mapping of str to array
        Lines of any shape. Float64 unless the array is float32, int32 or uint8.

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


def plain(value: Any) -> Any:
    """Return the value in plain types, None for numbers that JSON does not have (NaN, inf)."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() | np.floating():
            return float(value) if isfinite(value) else None
        case np.bool_():
            return bool(value)
        case np.integer():
            return int(value)
        case Mapping():
            return {str(k): plain(v) for k, v in value.items()}
        case np.ndarray():
            return plain(value.tolist())
        case list() | tuple():
            return [plain(v) for v in value]
    return str(value)


def _code(values: npt.NDArray[Any]) -> str:
    return {"float32": "f4", "int32": "i4", "uint8": "u1"}.get(values.dtype.name, "f8")
