"""Random edits and cuts of a page, in every part of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where parts of a page begin; each ends where the next one begins.
PARTS = {
    "head": rb"<!DOCTYPE",
    "seal": rb'<p id="uq-top"',
    "style": rb"<title>",
    "script": rb'<script type="module">',
    "review": rb"<header>",
    "still": rb'<div id="uq-still">',
    "tables": rb"</main>",
    "store": rb'<script type="application/json" id="uq-store">',
    "end": rb'<script type="application/json" id="uq-answers">|<p id="uq-end">',
}
KINDS = ("flip", "bit", "delete", "cut", "swap", "repeat")


class Damage(NamedTuple):
    """What is done to a page.

    Attributes
    ----------
    name : str
    pieces : list
        Ranges of the whole page, and bytes that it lacks.
    """

    name: str
    pieces: list[tuple[int, int] | bytes]

    def of(self, page: bytes) -> bytes:
        """Return the damaged page."""
        return b"".join(p if isinstance(p, bytes) else page[slice(*p)] for p in self.pieces)


def parts_of(page: bytes) -> dict[str, tuple[int, int]]:
    """Return where each part of a page begins and ends."""
    starts = []
    for name, pattern in PARTS.items():
        found = re.search(pattern, page)
        assert found is not None, name
        starts.append(found.start())
    assert starts == sorted(starts)
    return dict(zip(PARTS, zip(starts, [*starts[1:], len(page)], strict=True), strict=True))


def damages(page: bytes, n: int, seed: int = 0) -> Iterator[Damage]:
    """Yield different damages: each kind in each part in turn, at random places."""
    rng = np.random.default_rng(seed)
    parts, size = parts_of(page), len(page)
    where = [("anywhere", (0, size)), *parts.items()]
    for i in range(n):
        kind = KINDS[i % len(KINDS)]
        part, (low, high) = where[(i // len(KINDS)) % len(where)]
        at = int(rng.integers(low, high))
        if kind == "cut":
            # Of less than the first half kilobyte, a browser shows nothing.
            at = max(at, parts["seal"][0] + 200)
        length = int(min(10 ** rng.uniform(0, 5), size - at))
        stop = at + length
        pieces: list[tuple[int, int] | bytes]
        if kind in ("flip", "bit"):
            other = 1 << rng.integers(8) if kind == "bit" else rng.integers(1, 256)
            pieces = [(0, at), bytes([page[at] ^ int(other)]), (at + 1, size)]
        elif kind == "delete":
            pieces = [(0, at), (stop, size)]
        elif kind == "cut":
            pieces = [(0, at)]
        elif kind == "repeat":
            pieces = [(0, stop), (at, size)]
        else:
            # Blocks of the same length, which do not overlap.
            length = max(1, min(length, abs(size - 2 * at) // 2 or 1))
            far = int(rng.integers(0, size - length))
            one, two = sorted((min(at, size - length), far))
            two = min(max(two, one + length), size - length)
            pieces = [(0, one), (two, two + length), (one + length, two), (one, one + length)]
            pieces.append((two + length, size))
        yield Damage(f"{kind} of {length} bytes in {part} at {at}", pieces)
