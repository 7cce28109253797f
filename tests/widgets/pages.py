"""Readers of saved pages: their index, and their columns as arrays."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from uqwidgets.widgets.page.text import DIGITS

STORE = re.compile(r'id="uq-store">(.*?)</script>', re.DOTALL)
KINDS = {"f4": "<f4", "i4": "<i4", "u1": "|u1"}


def chunks_of(path: Path) -> dict[str, str]:
    match = STORE.search(path.read_text(encoding="utf-8"))
    assert match is not None
    return json.loads(match.group(1))


def bytes_of(text: str) -> bytes:
    """Return the bytes of a text: two characters hold 13 bits, a single last one 6."""
    digits = [DIGITS.index(code) for code in text.encode("ascii")]
    pairs = zip(digits[::2], digits[1::2], strict=False)
    bits = "".join(f"{91 * high + low:013b}" for high, low in pairs)
    bits += f"{digits[-1]:06b}" if len(digits) % 2 else ""
    whole = len(bits) // 8
    return int(bits[: 8 * whole] or "0", 2).to_bytes(whole, "big")


def inflated(text: str) -> bytes:
    return zlib.decompress(bytes_of(text))


def index_of(path: Path) -> dict[str, Any]:
    return json.loads(inflated(chunks_of(path)[""]))


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
        # The column that a part belongs to may follow it.
        columns.append(np.empty(0) if "of" in one else _column(one, parts, columns, start))
    for number, one in enumerate(described):
        if "of" in one:
            whole = columns[one["of"]][0].T
            columns[number] = whole[one["start"] : one["start"] + one["shape"][0]]
    return columns


def _column(
    one: dict[str, Any], parts: dict[str, bytes], columns: list[np.ndarray], start: int
) -> np.ndarray:
    if "band" in one:
        middle, half = (columns[number] for number in one["band"])
        return middle + one["sign"] * half
    if "rank" in one:
        return _paths(one, columns)
    if "steps" in one:
        return _lines(one, columns)
    n, size = int(np.prod(one["shape"])), one["size"]
    planes = np.frombuffer(parts[one["chunk"]], np.uint8, n * size, start)
    data = np.ascontiguousarray(planes.reshape(size, n).T).tobytes()
    if "scale" not in one and one["dtype"] != "whole":
        return np.frombuffer(data, KINDS[one["dtype"]]).reshape(one["shape"])
    unsigned = np.frombuffer(data, f"<u{size}").astype(np.int64).reshape(one["shape"])
    signed = (unsigned >> 1) ^ -(unsigned & 1)
    if one["dtype"] == "whole":
        signed = signed.T.copy() if one.get("transposed") else signed
        for line, order in enumerate(columns[one["orders"]] if "orders" in one else ()):
            for _ in range(order):
                signed[line] = np.cumsum(signed[line])
        return signed.astype(np.float64)
    whole = signed.astype(np.int16)
    for _ in range(one["order"]):
        whole = np.cumsum(whole, axis=0, dtype=np.int16)
    scale, center = (
        part.reshape(one["shape"][1:]) if part.size > 1 else part
        for part in (columns[one["scale"]], columns[one["center"]])
    )
    values = np.where(whole == -32768, np.nan, center + whole * scale)
    return values.T if one["transposed"] else values


def _paths(one: dict[str, Any], columns: list[np.ndarray]) -> np.ndarray:
    """Return polynomials at the nodes of each side, an array (sides, nodes, k)."""
    orders, sides, k = one["shape"]
    left, right, scale = (columns[one[name]] for name in ("left", "right", "scale"))
    if "left_scale" in one:
        left = left * columns[one["left_scale"]][:, None]
    if "weights" in one:
        weights = columns[one["weights"]]
        left = weights.T @ left[: len(weights)]
    left = left[: len(scale)]
    product = (left.T * scale) @ right.reshape(len(scale), k)
    if "sides" in one:
        product *= np.tile(columns[one["sides"]], orders)[:, None]
    angle = np.pi * (1 - np.arange(orders) / (orders - 1))
    order = np.arange(orders)
    basis = np.cos(order * angle[:, None]) - np.where(order, (-1.0) ** order, 0.0)
    values = np.einsum("ij,jsk->sik", basis, product.reshape(orders, sides, k))
    return (values + columns[one["center"]]) * columns[one["tolerance"]]


def _lines(one: dict[str, Any], columns: list[np.ndarray]) -> np.ndarray:
    """Return polylines at the levels of each side, an array (sides, levels, k)."""
    sides, levels, k = one["shape"]
    steps, rises = columns[one["steps"]], columns[one["rises"]]
    values = np.empty((sides * k, levels))
    knot = 0
    for line in range(sides * k):
        at, heights = [0], [rises[knot + line]]
        while at[-1] < levels - 1:
            at.append(at[-1] + int(steps[knot]))
            heights.append(heights[-1] + rises[knot + line + 1])
            knot += 1
        values[line] = np.interp(np.arange(levels), at, heights)
    values *= columns[one["tolerance"]].reshape(-1, 1)
    values = values.reshape(sides, k, levels).transpose(0, 2, 1) + columns[one["center"]]
    if one["missing"] is not None:
        values[columns[one["missing"]].astype(bool)] = np.nan
    return values
