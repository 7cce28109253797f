"""Donors of permutations."""

from __future__ import annotations

import numpy as np

from uqwidgets.replacement import permuted_donors


def test_every_repeat_is_a_permutation():
    donors = permuted_donors(3, 0, 20, 50)
    assert donors.shape == (20, 50)
    np.testing.assert_array_equal(np.sort(donors, axis=1), np.tile(np.arange(50), (20, 1)))


def test_more_repeats_begin_with_the_same_ones():
    np.testing.assert_array_equal(permuted_donors(1, 7, 10, 33), permuted_donors(1, 7, 30, 33)[:10])


def test_features_repeats_and_seeds_have_permutations_of_their_own():
    drawn = [permuted_donors(c, s, 4, 40) for c in range(4) for s in range(3)]
    lines = {tuple(line) for donors in drawn for line in donors.tolist()}
    assert len(lines) == 4 * 4 * 3


def test_every_row_is_as_likely_a_donor():
    donors = permuted_donors(0, 0, 4000, 5)
    counts = np.stack([np.bincount(donors[:, i], minlength=5) for i in range(5)])
    # A binomial share of 1/5 in 4000 draws; five standard errors for 25 looks at it.
    assert np.abs(counts / 4000 - 0.2).max() < 5 * np.sqrt(0.2 * 0.8 / 4000)
