"""A model whose pages are saved, and readers of these: their index, and columns as arrays."""

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


def model(X: Any) -> tuple[Any, Any]:
    """Return a mean and a standard deviation of each row."""
    return 2 * X["a"] + X["a"] * X["b"], np.exp(X["b"] / 4)


def chunks_of(path: Path) -> dict[str, str]:
    match = STORE.search(path.read_text(encoding="utf-8"))
    assert match is not None
    return json.loads(match.group(1))


def inflated(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def index_of(path: Path) -> dict[str, Any]:
    """Return the index of a page, with that of its first model."""
    index = json.loads(inflated(chunks_of(path)[""]))
    return {**next(iter(index["models"].values())), **index}


def stored_columns(chunks: Path | dict[str, str]) -> list[np.ndarray]:
    """Return all columns of a page, as its script decodes them."""
    chunks = chunks_of(chunks) if isinstance(chunks, Path) else chunks
    parts = {name: inflated(text) for name, text in chunks.items()}
    described = json.loads(parts[""])["columns"]
    columns: list[np.ndarray] = []
    ends: dict[str, int] = {}
    for one in described:
        start = ends.get(one["chunk"], 0)
        ends[one["chunk"]] = start + one.get("size", 0) * int(np.prod(one["shape"]))
        columns.append(_column(one, parts, columns, start))
    return columns


def _column(
    one: dict[str, Any], parts: dict[str, bytes], columns: list[np.ndarray], start: int
) -> np.ndarray:
    if "left" in one:
        left, right, scale = (columns[one[name]] for name in ("left", "right", "scale"))
        return columns[one["tolerance"]][:, None] * (right.T @ (scale[:, None] * left))
    if "whole" in one:
        whole = columns[one["whole"]]
        return np.where(whole == 1 << 24, np.nan, whole * columns[one["scale"]][:, None])
    n, size = int(np.prod(one["shape"])), one["size"]
    planes = np.frombuffer(parts[one["chunk"]], np.uint8, n * size, start)
    data = np.ascontiguousarray(planes.reshape(size, n).T).tobytes()
    if one["dtype"] != "whole":
        return np.frombuffer(data, KINDS[one["dtype"]]).reshape(one["shape"])
    unsigned = np.frombuffer(data, f"<u{size}").astype(np.int64).reshape(one["shape"])
    signed = (unsigned >> 1) ^ -(unsigned & 1)
    for _ in range(one["order"]):
        signed = np.cumsum(signed, axis=1)
    return signed.astype(np.float64)
