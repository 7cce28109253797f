"""Texts that cannot be written anywhere: Python's strings may hold half a character."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def invalid_text(values: Iterable[Any]) -> str | None:
    """Return the first text among some values that is not valid Unicode, None if all are."""
    texts = [value for value in values if isinstance(value, str)]
    if _is_valid("".join(texts)):  # at once, which is fast
        return None
    return next((text for text in texts if not _is_valid(text)), None)


def _is_valid(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True
