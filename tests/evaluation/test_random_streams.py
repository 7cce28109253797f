"""Random streams with consecutive numbers are those that numpy would set up one by one."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.evaluation.random_streams import random_streams


@pytest.mark.parametrize("key", [(), (0,), (5, 2**32 - 1), (1, 2, 3, 4), tuple(range(9))])
@pytest.mark.parametrize("seed", [0, 12345, 2**32 - 1])
def test_streams_are_those_of_spawned_seed_sequences(seed, key):
    for number, stream in enumerate(random_streams(seed, key, 3, 9), 3):
        sequence = np.random.SeedSequence(seed, spawn_key=(*key, number))
        expected = np.random.Generator(np.random.PCG64(sequence))
        assert stream.bit_generator.state == expected.bit_generator.state


def test_large_numbers_are_hashed_like_small_ones():
    (stream,) = random_streams(1, (2,), 2**32 - 1, 2**32)
    sequence = np.random.SeedSequence(1, spawn_key=(2, 2**32 - 1))
    assert stream.bit_generator.state == np.random.PCG64(sequence).state


def test_no_numbers_give_no_streams():
    assert not list(random_streams(1, (2,), 5, 5))
