"""Scikit-learn's scores of clusterings as functions of numbers of rows in a contingency table.

They compare true and predicted labels as two partitions of the rows, and take no weights of rows.
The adjusted mutual information is left to scikit-learn, because its expected value is no closed
form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from scipy.special import xlogy
from sklearn.metrics import (
    adjusted_rand_score,
    completeness_score,
    fowlkes_mallows_score,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)

from uqwidgets._typing import Floats
from uqwidgets.metrics.means import divided


def _pairs(tables: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Count ordered pairs of rows (s,): together in both, in the truth, as predicted; and all."""
    n = tables.sum(axis=(1, 2))
    both, true, predicted = (
        np.square(each).reshape(len(each), -1).sum(axis=1) - n
        for each in (tables, tables.sum(axis=2), tables.sum(axis=1))
    )
    return both, true, predicted, n * (n - 1)


def _rand(tables: Floats) -> Floats:
    both, true, predicted, every = _pairs(tables)
    return np.where(every > 0, divided(every - true - predicted + 2 * both, every), 1.0)


def _adjusted_rand(tables: Floats) -> Floats:
    both, true, predicted, every = _pairs(tables)
    # The number of pairs that are together in both by chance (Hubert and Arabie 1985).
    by_chance = divided(true * predicted, every)
    adjusted = divided(both - by_chance, (true + predicted) / 2 - by_chance)
    return np.where((both == true) & (both == predicted), 1.0, adjusted)


def _fowlkes_mallows(tables: Floats) -> Floats:
    both, true, predicted, _ = _pairs(tables)
    score = divided(both, np.sqrt(true * predicted))
    return np.where(both == 0, 0.0, score)


def _entropies(tables: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mutual information and the entropies of truth and predictions in nats, (s,)."""

    def entropy(counts: Floats) -> Floats:
        counts = counts.reshape(len(counts), -1)
        shares = divided(counts, counts.sum(axis=1, keepdims=True))
        return np.asarray(np.abs(xlogy(shares, shares).sum(axis=1)))

    joint, true, predicted = map(entropy, (tables, tables.sum(axis=2), tables.sum(axis=1)))
    # Rounding aside, a partition of one part has no information.
    known = (true > 0) & (predicted > 0)
    information = np.where(known, np.maximum(true + predicted - joint, 0.0), 0.0)
    return information, true, predicted


def _mutual_information(tables: Floats) -> Floats:
    return _entropies(tables)[0]


def _explained(information: Floats, entropy: Floats) -> Floats:
    return np.where(entropy == 0, 1.0, divided(information, entropy))


def _homogeneity(tables: Floats) -> Floats:
    information, true, _ = _entropies(tables)
    return _explained(information, true)


def _completeness(tables: Floats) -> Floats:
    information, _, predicted = _entropies(tables)
    return _explained(information, predicted)


def _v_measure(tables: Floats, *, beta: float = 1.0) -> Floats:
    information, true, predicted = _entropies(tables)
    own, other = _explained(information, true), _explained(information, predicted)
    score = divided((1 + beta) * own * other, beta * own + other)
    return np.where(own + other == 0, 0.0, score)


_AVERAGES: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "arithmetic": lambda one, other: (one + other) / 2,
    "geometric": lambda one, other: np.sqrt(one * other),
    "max": np.maximum,
    "min": np.minimum,
}


def _normalized_information(tables: Floats, *, average_method: str = "arithmetic") -> Floats:
    information, true, predicted = _entropies(tables)
    score = divided(information, _AVERAGES[average_method](true, predicted))
    # Two partitions of one part are the same.
    return np.where(information > 0, score, (true == 0) & (predicted == 0))


def _of_any_rows(score: Callable[..., Floats], tables: Floats, **arguments: object) -> Floats:
    return np.where(tables.any(axis=(1, 2)), score(tables, **arguments), np.nan)


#: Scores of tables (s, k, k) of numbers of rows, and their arguments; NaN without rows.
OF_COUNTS: Mapping[Callable[..., object], tuple[Callable[..., Floats], tuple[str, ...]]] = {
    function: (partial(_of_any_rows, score), names)
    for function, score, names in (
        (rand_score, _rand, ()),
        (adjusted_rand_score, _adjusted_rand, ()),
        (fowlkes_mallows_score, _fowlkes_mallows, ()),
        (mutual_info_score, _mutual_information, ()),
        (homogeneity_score, _homogeneity, ()),
        (completeness_score, _completeness, ()),
        (v_measure_score, _v_measure, ("beta",)),
        (normalized_mutual_info_score, _normalized_information, ("average_method",)),
    )
}
