"""Weights without single rows, beside weights that are solved one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from stressed import stressed_rows
from uqwidgets.stress.constrained.tilting import tilt
from uqwidgets.stress.left_out import weights_without
from uqwidgets.stress.projection import Column

COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.lognormal(sigma=2, size=n),
    "to both sides": lambda rng, n: rng.standard_t(2, size=n),
    "counts": lambda rng, n: rng.poisson(0.7, size=n) * 1.0,
}
TAUS = np.array([-0.9, -0.5, 0.0, 0.7, 0.9])


def problems(kind, n):
    """Return the arguments of `weights_without` for every level and row."""
    column = Column(COLUMNS[kind](np.random.default_rng(2), n), 0.05)
    rows = [stressed_rows(column, tau) for tau in TAUS]
    arrays = [
        np.stack([getattr(one, name) for one in rows])
        for name in ("share", "deviation", "target_change")
    ]
    return *np.divmod(np.arange(len(TAUS) * n), n), *arrays


@pytest.mark.parametrize("kind", COLUMNS)
def test_they_meet_their_mean_with_exponential_weights(kind):
    levels, rows, share, deviation, change = problems(kind, 40)
    result = weights_without(levels, rows, share, deviation, change)
    np.testing.assert_allclose(result.sum(axis=1), 1)
    n_tilted = 0
    for level, row, weights in zip(levels, rows, result, strict=True):
        target = change[level, row]
        base, x = np.delete(share[level], row), np.delete(deviation[level], row)
        assert weights[row] == 0
        if x.min() < target < x.max():
            unit = np.sqrt(base @ np.square(x) / base.sum())
            solved = tilt((x / unit)[:, None], base / base.sum(), np.array([target / unit]))
            np.testing.assert_allclose(np.delete(weights, row), solved.weights, atol=1e-11)
            n_tilted += 1
        else:
            extreme = x.max() if target >= x.max() else x.min()
            np.testing.assert_allclose(
                np.delete(weights, row), (x == extreme) / np.sum(x == extreme)
            )
    assert n_tilted > 0.9 * len(rows)


def test_those_of_one_row_do_not_depend_on_what_is_solved_with_them():
    levels, rows, *arrays = problems("skewed", 30)
    together = weights_without(levels, rows, *arrays)
    alone = [
        weights_without(*np.array([[level], [row]]), *arrays)[0]
        for level, row in zip(levels, rows, strict=True)
    ]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_there_may_be_none():
    none = np.empty(0, dtype=np.intp)
    assert weights_without(none, none, *np.ones((3, 1, 5))).shape == (0, 5)
