"""Readers of frames: the columns as arrays, and the conversion to JSON and back."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u1": "|u1"}


def columns(frame: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return every column as an array with its shape."""
    described = frame["meta"]["cols"]
    return {
        name: np.frombuffer(raw, TYPES[described[name]["dtype"]]).reshape(described[name]["shape"])
        for name, raw in frame["cols"].items()
    }


def as_json(frame: dict[str, Any]) -> dict[str, Any]:
    """Return the frame with its bytes as base64."""
    return {**frame, "cols": {k: base64.b64encode(v).decode() for k, v in frame["cols"].items()}}


def from_json(frame: dict[str, Any]) -> dict[str, Any]:
    """Undo `as_json`."""
    return {**frame, "cols": {k: base64.b64decode(v) for k, v in frame["cols"].items()}}
