"""The skewness under weights, as the rows of all weights show it."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.inference.pooled_skewness import PooledSkewness


def excess(of_rows, weights):
    pooled = PooledSkewness(len(weights))
    pooled.add(of_rows.T, of_rows.T, weights.T)
    return pooled.excess(np.square(of_rows).sum(axis=1), (of_rows**3).sum(axis=1))


def test_it_follows_from_moments_of_weights_and_of_influences_per_unit_of_weight():
    rng = np.random.default_rng(0)
    influences, weights = rng.exponential(size=50) - 1, rng.gamma(0.5, size=50)
    v = np.hypot(weights, 0.1)
    u = influences / v
    pooled = (v**3).sum() * (v * u**3).sum() / v.sum()
    pooled /= ((v**2).sum() * (v * u**2).sum() / v.sum()) ** 1.5
    own = (influences**3).sum() / (influences**2).sum() ** 1.5
    assert excess(influences[None], weights[None]) == pytest.approx([pooled - own])


def test_there_is_no_excess_under_equal_weights():
    influences = np.random.default_rng(0).exponential(size=(1, 50)) - 1
    assert excess(influences, np.ones((1, 50))) == pytest.approx([0.0], abs=1e-12)


def test_it_has_no_kink_where_the_weight_of_a_row_becomes_small():
    rng = np.random.default_rng(0)
    x, influences = rng.normal(size=60), rng.exponential(size=60) - 1

    def at(tau):
        weights = np.exp(3 * tau[:, None] * x)
        weights /= weights.mean(axis=1, keepdims=True)
        return excess(np.broadcast_to(influences, weights.shape), weights)

    # With weights that are cut off at 0.1, the slope, which is at most 5, jumps by 4.
    slope = np.gradient(at(np.linspace(0, 1, 1001)), 0.001)
    assert np.abs(np.diff(slope)).max() < 0.05
