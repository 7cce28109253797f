"""Readers of saved pages: their index, and their columns as arrays."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

STORE = re.compile(r'id="uq-store">(.*?)</script>', re.DOTALL)
KINDS = {"f4": "<f4", "i4": "<i4", "u1": "|u1"}


def chunks_of(path: Path) -> dict[str, str]:
    match = STORE.search(path.read_text(encoding="utf-8"))
    assert match is not None
    return json.loads(match.group(1))


def inflated(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def index_of(path: Path) -> dict[str, Any]:
    return json.loads(inflated(chunks_of(path)[""]))


def stored_columns(chunks: Path | dict[str, str]) -> list[np.ndarray]:
    """Return all columns of a page, as its script decodes them."""
    chunks = chunks_of(chunks) if isinstance(chunks, Path) else chunks
    parts = {name: inflated(text) for name, text in chunks.items()}
    described = json.loads(parts[""])["columns"]
    columns: list[np.ndarray] = []
    for one in described:
        columns.append(_column(one, parts, columns))
    return columns


def _column(one: dict[str, Any], parts: dict[str, bytes], columns: list[np.ndarray]) -> np.ndarray:
    if "rank" in one:
        product = columns[one["left"]].T @ columns[one["right"]].T * one["step"]
        return (product + columns[one["center"]].T) * columns[one["tolerance"]]
    n, size = int(np.prod(one["shape"])), one["size"]
    planes = np.frombuffer(parts[one["chunk"]], np.uint8, n * size, one["at"])
    data = np.ascontiguousarray(planes.reshape(size, n).T).tobytes()
    if "scale" not in one and one["dtype"] != "whole":
        return np.frombuffer(data, KINDS[one["dtype"]]).reshape(one["shape"])
    differences = np.frombuffer(data, f"<i{size}").reshape(one["shape"])
    whole = np.cumsum(differences, axis=0, dtype=differences.dtype)
    if one["dtype"] == "whole":
        return whole.astype(np.float64)
    scale = columns[one["scale"]]
    scale = scale.reshape(one["shape"][1:]) if scale.size > 1 else scale
    values = np.where(whole == -32768, np.nan, whole * scale)
    return values.T if one["transposed"] else values
