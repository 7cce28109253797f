"""Refits on one table, and the statistics from which every interval is computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.learner_coverage.changes import held_out_values
from benchmarks.learner_coverage.procedures import Fit
from benchmarks.learner_coverage.processes import Process
from uqwidgets.learner.resampling import leave_two_groups_out
from uqwidgets.learner.row_effects import group_table, interaction_variance, row_effect_variance

REFITS = 15
TRAIN_FRACTION = 0.632
SCHEMES = ("bootstrap", "subsampling", "groups", "ideal")

Summary = dict[str, np.ndarray]


def summary(process: Process, fit: Fit, n: int, scheme: str, rng: np.random.Generator) -> Summary:
    """Refit on one table of n rows, or for ``ideal`` on fresh rows each time; return statistics.

    Returns
    -------
    dict of str to ndarray
        ``estimates`` (m, q) by refit and quantity and, where rows are shared, ``rows`` (q,) and
        ``interaction`` (q,), the variances of row effects and of their interaction with refits;
        for ``groups`` also ``table`` (G, G, q); for ``bootstrap`` also the jackknives of
        `resampling_jackknives`; for ``subsampling`` `components`.
    """
    if scheme == "ideal":
        fresh = [fresh_estimate(process, fit, n, rng) for _ in range(REFITS)]
        return {"estimates": np.array(fresh)}
    X, y = process.draw(n, rng)
    quantities = process.features * (len(process.grid) + 1)
    values = np.full((REFITS, n, quantities), np.nan)
    counts = np.zeros((REFITS, n))
    splits = leave_two_groups_out(n, REFITS, TRAIN_FRACTION, rng)
    samples = (
        ((splits.train[d], splits.held_out(d)) for d in range(REFITS))
        if scheme == "groups"
        else _resamples(scheme, n, rng)
    )
    for d, (train, test) in enumerate(samples):
        counts[d] = np.bincount(train, minlength=n)
        predict = fit(X[train], y[train], rng)
        values[d, test] = held_out_values(predict, (X[test], y[test]), process.grid, rng)
    estimates = np.nanmean(values, axis=1)
    statistics = {"estimates": estimates, "rows": row_effect_variance(values)}
    statistics["interaction"] = interaction_variance(values)
    if scheme == "groups":
        statistics["table"] = group_table(values, splits)
    if scheme == "bootstrap":
        statistics |= resampling_jackknives(counts, estimates)
    if scheme == "subsampling":
        statistics |= components(values)
    return statistics


def fresh_estimate(process: Process, fit: Fit, n: int, rng: np.random.Generator) -> np.ndarray:
    """One refit on fresh rows, scored on as many fresh rows with fresh replacements: (q,)."""
    size = int(TRAIN_FRACTION * n)
    predict = fit(*process.draw(size, rng), rng)
    rows = process.draw(size, rng)
    values = held_out_values(
        predict, rows, process.grid, rng, donors=lambda: process.draw(size, rng)[0]
    )
    return values.mean(axis=0)


def resampling_jackknives(counts: np.ndarray, estimates: np.ndarray) -> Summary:
    """Variances of the mean over bootstrap refits from the rows in each sample (Wager et al. 2014).

    The infinitesimal jackknife and the jackknife after bootstrap, each less its Monte Carlo bias.
    """
    m, n = counts.shape
    centred = estimates - estimates.mean(axis=0)
    spread = np.square(centred).sum(axis=0)
    infinitesimal = np.square((counts - 1).T @ centred / m).sum(axis=0) - n / m**2 * spread
    out = (counts == 0).astype(float)
    without = out.T @ estimates / np.maximum(out.sum(axis=0), 1)[:, None]
    shift = np.where(out.any(axis=0)[:, None], without - estimates.mean(axis=0), 0.0)
    after = (n - 1) / n * np.square(shift).sum(axis=0) - (np.e - 1) * n / m**2 * spread
    return {"infinitesimal": infinitesimal, "after bootstrap": after}


def components(values: np.ndarray) -> Summary:
    """Variances of the refits' effects and of their interaction with rows, by moments.

    For two refits and the rows that neither was trained on, half the variance over rows of their
    difference estimates the interaction's variance. Half the squared mean difference estimates the
    variance of the refits' effects plus that of the interaction over the number of these rows.
    """
    known = ~np.isnan(values[:, :, 0])
    scored = known.astype(float)
    centred = np.where(known[:, :, None], values - np.nanmean(values, axis=(0, 1)), 0.0)
    common = (scored @ scored.T)[:, :, None]
    products = np.einsum("dit,eit->det", centred, centred)
    sums = np.einsum("dit,ei->det", centred, scored)
    squares = np.einsum("dit,ei->det", centred**2, scored)
    one, other = np.triu_indices(len(values), k=1)
    rows = common[one, other]
    shift = (sums[one, other] - sums[other, one]) / rows
    total = squares[one, other] + squares[other, one] - 2 * products[one, other]
    interaction = (total - rows * shift**2) / (rows - 1) / 2
    refits = shift**2 / 2 - interaction / rows
    return {"refits": refits.mean(axis=0), "interaction": interaction.mean(axis=0)}


def _resamples(
    scheme: str, n: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    size = int(TRAIN_FRACTION * n)
    for _ in range(REFITS):
        train = rng.integers(n, size=n) if scheme == "bootstrap" else rng.permutation(n)[:size]
        yield train, np.setdiff1d(np.arange(n), train)
