"""Pairs of a sampled row and its donor, against the same pairs among all rows."""

from __future__ import annotations

import numpy as np
import pytest

from uqwidgets.inference import INTERVALS, SampledRows, bounds, mean_change
from uqwidgets.inference.population import Population

N, M, REPEATS = 300, 60, 3


def drawn(seed: int = 0):
    """Changes, donors and the original measure of all rows, and the rows of a sample."""
    rng = np.random.default_rng(seed)
    donors = np.stack([rng.permutation(N) for _ in range(REPEATS)])
    effect = rng.normal(size=N)
    changes = 1 + effect + effect[donors] + rng.normal(size=(REPEATS, N))
    return changes, donors, rng.normal(size=N), np.sort(rng.permutation(N)[:M])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("interval", INTERVALS)
def test_the_interval_is_that_of_a_choice_of_rows(interval: str, weighted: bool) -> None:
    changes, donors, original, rows = drawn()
    weights = np.random.default_rng(1).gamma(2.0, size=N) if weighted else None
    sample = SampledRows.of(rows, donors[:, rows], Population.of(N, weights), None)
    change = sample.mean_change(changes[:, rows], original)
    chosen = Population.of(N, weights, rows)
    expected = mean_change(changes, donors, original, chosen)
    assert change.estimate == pytest.approx(expected.estimate, rel=1e-12)
    own = bounds(change, interval, 0.95, sample.population)
    theirs = bounds(expected, interval, 0.95, chosen)
    # The precision of a variance depends slightly on the number of rows without influence.
    assert own.std_error == pytest.approx(theirs.std_error, rel=5e-3, nan_ok=True)
    assert (own.low, own.high) == pytest.approx((theirs.low, theirs.high), rel=1e-2)
    assert sample.population.ess == pytest.approx(chosen.ess)


def test_rows_that_are_not_scored_are_left_out() -> None:
    changes, donors, original, rows = drawn()
    population = Population.of(N, rows=np.arange(N) % 2 == 0)
    sample = SampledRows.of(rows, donors[:, rows], population, None)
    even = rows[rows % 2 == 0]
    np.testing.assert_array_equal(sample.members[sample.population.positions], even)
    change = sample.mean_change(changes[:, rows], original)
    assert change.estimate == pytest.approx(changes[:, even].mean(), rel=1e-12)
    odd = Population.of(N, rows=[int(np.setdiff1d(np.arange(N), rows)[0])])
    assert SampledRows.of(rows, donors[:, rows], odd, None) is None


def test_strata_take_the_error_between_classes_from_all_rows() -> None:
    _, donors, original, rows = drawn()
    strata = np.arange(N) % 2
    changes = np.broadcast_to(strata * 1.0, (REPEATS, N))
    plain, stratified = (
        SampledRows.of(rows, donors[:, rows], Population.of(N), codes).mean_change(
            changes[:, rows], original
        )
        for codes in (None, strata)
    )
    share = np.sqrt(M / N)
    np.testing.assert_allclose(stratified.influence_scored, share * plain.influence_scored)
    np.testing.assert_array_equal(stratified.influence_donor, plain.influence_donor)
    assert stratified.estimate == plain.estimate
