"""Random streams with consecutive numbers, whose seeds are computed together.

The streams are those of ``numpy.random.SeedSequence(seed, spawn_key=(*key, number))``. To set up
one `SeedSequence` after the other takes longer than to shuffle a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

_Words = npt.NDArray[np.uint32]

# Constants of `SeedSequence`, a hash function of M. E. O'Neill. numpy keeps it as it is, because it
# is part of its reproducible streams (NEP 19).
_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_LEFT, _MIX_RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_HALF_WORD = np.uint32(16)
_POOL_SIZE, _STATE_SIZE = 4, 8


class _Seed(ISeedSequence):
    """The state that seeds a bit generator, already generated."""

    def __init__(self, state: npt.NDArray[np.uint64]) -> None:
        self._state = state

    def generate_state(self, *_: object) -> npt.NDArray[np.uint64]:
        """Return the state, whose length and type are those that a PCG64 requests."""
        return self._state


def random_streams(
    seed: int, key: tuple[int, ...], first: int, stop: int
) -> Iterator[np.random.Generator]:
    """Yield the generators of the numbers ``first`` to ``stop - 1``.

    Parameters
    ----------
    seed : int
        Between 0 and 2**32 - 1, like the numbers of the key.
    key : tuple of int
    first, stop : int
    """
    # `SeedSequence` fills the words of a seed with zeros up to this number, if a key follows.
    words = [seed, *[0] * (_POOL_SIZE - 1), *key]
    # The number is the last word to be hashed, so everything before it is hashed once.
    pool = np.random.SeedSequence(np.array(words, dtype=np.uint32)).pool[:, None]
    numbers = np.arange(first, stop, dtype=np.uint32)
    hashed = _hashed(numbers, _constants(_INIT_A, _MULT_A, _POOL_SIZE * len(words), _POOL_SIZE))
    mixed = _MIX_LEFT * pool - _MIX_RIGHT * hashed
    mixed ^= mixed >> _HALF_WORD
    pools = np.concatenate([mixed] * (_STATE_SIZE // _POOL_SIZE))
    state = _hashed(pools, _constants(_INIT_B, _MULT_B, 0, _STATE_SIZE))
    # Pairs of words are 64-bit words, the low half first.
    for line in np.ascontiguousarray(state.T, dtype="<u4").view("<u8").astype(np.uint64):
        # Bit generators accept every `ISeedSequence`, but their type annotations do not.
        yield np.random.Generator(np.random.PCG64(_Seed(line)))  # type: ignore[arg-type]


def _hashed(words: _Words, constants: _Words) -> _Words:
    """Hash words with successive constants, shapes (m, k) or (k,) and (m + 1, 1) to (m, k)."""
    hashed = (words ^ constants[:-1]) * constants[1:]
    hashed ^= hashed >> _HALF_WORD
    return hashed


@lru_cache(maxsize=16)
def _constants(initial: int, factor: int, first: int, count: int) -> _Words:
    """Return the constants of ``count`` hashes after the first ones, shape (count + 1, 1)."""
    powers = range(first, first + count + 1)
    values = [initial * pow(factor, power, 1 << 32) % (1 << 32) for power in powers]
    return np.array(values, dtype=np.uint32)[:, None]
