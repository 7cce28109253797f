"""Positions of rows as a short text, the form in which they travel and are saved."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions

#: Prefix of the bitmap encoding, a bit for each row, where that is shorter than ranges.
_BITS = "bits:"
_RANGES = re.compile(r"\d{1,12}(-\d{1,12})?(,\d{1,12}(-\d{1,12})?)*")


def text_of_rows(rows: npt.ArrayLike) -> str:
    """Write positions as ranges such as ``"3,7-12"``, or as a bit for each row if that is shorter.

    Parameters
    ----------
    rows : array-like of int, shape (m,)
        In any order.

    Examples
    --------
    >>> text_of_rows([9, 3, 7, 8])
    '3,7-9'
    """
    positions = np.unique(np.asarray(rows, dtype=np.intp))
    if not len(positions):
        return ""
    breaks = np.flatnonzero(np.diff(positions) > 1)
    firsts = positions[np.concatenate([[0], breaks + 1])]
    lasts = positions[np.concatenate([breaks, [len(positions) - 1]])]
    n_bytes = int(positions[-1]) // 8 + 1
    # Each range takes two characters at least.
    if 2 * len(firsts) <= 4 * -(-n_bytes // 3) + len(_BITS):
        pairs = zip(firsts.tolist(), lasts.tolist(), strict=True)
        ranges = ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in pairs)
        if len(ranges) <= 4 * -(-n_bytes // 3) + len(_BITS):
            return ranges
    mask = np.zeros(8 * n_bytes, dtype=np.bool_)
    mask[positions] = True
    return _BITS + base64.b64encode(np.packbits(mask).tobytes()).decode("ascii")


def rows_of_text(text: str, n: int) -> Positions:
    """Read the positions that `text_of_rows` wrote, shape (m,), in ascending order.

    Parameters
    ----------
    text : str
    n : int
        Number of rows of the table.

    Raises
    ------
    ValueError
        If it is no such text, or names a row that does not exist.
    """
    if not text:
        return np.empty(0, dtype=np.intp)
    if len(text) > 16 * n + 16:
        raise ValueError(f"rows is a text of {len(text):,} characters; X has {n:,} rows.")
    if text.startswith(_BITS):
        try:
            raw = base64.b64decode(text[len(_BITS) :], validate=True)
        except binascii.Error:
            raise ValueError('rows begins with "bits:", but no bits in base64 follow.') from None
        chosen = np.flatnonzero(np.unpackbits(np.frombuffer(raw, dtype=np.uint8)))
        check_rows(chosen, n)
        return chosen
    if not _RANGES.fullmatch(text):
        raise ValueError('rows is not a text of positions; write ranges such as "3,7-12".')
    mask = np.zeros(n, dtype=np.bool_)
    for part in text.split(","):
        first, _, last = part.partition("-")
        ends = np.array([int(first), int(last or first)])
        check_rows(ends, n)
        if ends[0] > ends[1]:
            raise ValueError(f"rows has the range {part}, which runs backwards.")
        mask[ends[0] : ends[1] + 1] = True
    return np.flatnonzero(mask)


def rows_text(rows: Any, n: int) -> str:
    """Return the text of rows that are given as such a text, as positions or as a mask.

    Parameters
    ----------
    rows : str, or array-like of int or bool
    n : int
        Number of rows of the table.

    Raises
    ------
    ValueError
        If these are no rows.
    """
    if isinstance(rows, str):
        return text_of_rows(rows_of_text(rows, n))
    if isinstance(rows, (list, tuple)) and len(rows) > n:
        raise ValueError(f"rows has {len(rows):,} items; X has {n:,} rows, each named once.")
    try:
        chosen = np.asarray(rows)
    except ValueError:  # lists of unequal lengths
        chosen = np.empty((0, 0))
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iub"):
        raise ValueError("rows must be positions, a mask, or ranges such as '3,7-12'.")
    if chosen.dtype == bool:
        if len(chosen) != n:
            raise ValueError(f"the mask of rows has {len(chosen):,} values; X has {n:,} rows.")
        return text_of_rows(np.flatnonzero(chosen))
    check_rows(chosen, n)
    return text_of_rows(chosen)


def check_rows(positions: npt.NDArray[Any], n: int) -> None:
    """Raise a ValueError for a position that no row has."""
    outside = positions[(positions < 0) | (positions >= n)]
    if len(outside):
        raise ValueError(f"rows names position {outside[0]}; X has {n:,} rows, counted from 0.")
