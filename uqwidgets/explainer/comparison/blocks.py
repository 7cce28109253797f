"""The difference of two arrays that arrive in blocks of lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.rounding import difference


def block_differences(first: Iterator[Floats], second: Iterator[Floats]) -> Iterator[Floats]:
    """Yield the difference of two arrays of as many lines that arrive in blocks of some lines."""
    for _, values, _ in minus_blocks(_counted(first), _counted(second)):
        yield values


_Block = tuple[slice, Floats, npt.NDArray[np.intp] | None]


def _counted(blocks: Iterator[Floats]) -> Iterator[_Block]:
    start = 0
    for block in blocks:
        yield slice(start, start + len(block)), block, None
        start += len(block)


def minus_blocks(first: Iterator[_Block], second: Iterator[_Block]) -> Iterator[_Block]:
    """Subtract blocks of lines, which may be cut at other lines, with the donors of the first."""
    start = 0
    one = two = None
    while True:
        if one is None or one[0].stop == start:
            one = next(first, None)
        if two is None or two[0].stop == start:
            two = next(second, None)
        if one is None or two is None:
            return
        stop = min(one[0].stop, two[0].stop)
        of_one, of_two = (
            slice(start - block[0].start, stop - block[0].start) for block in (one, two)
        )
        donors = None if one[2] is None else one[2][of_one]
        yield slice(start, stop), difference(one[1][of_one], two[1][of_two]), donors
        start = stop
