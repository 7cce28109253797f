"""Candidate intervals, computed from the summaries of many tables at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from benchmarks.learner_coverage.refits import REFITS, TRAIN_FRACTION, Summary
from uqwidgets.learner.intervals import (
    LearnerInterval,
    corrected_interval,
    group_jackknife_interval,
    row_effect_interval,
    variance_components_interval,
)

LEVEL = 0.95
GROUPS = 6
GRID_POINTS = 5  # of every process


@dataclass(frozen=True)
class Method:
    """An interval, and the resampling that it is computed from."""

    scheme: str
    interval: Callable[[Summary, int], LearnerInterval]


def refit_sizes(scheme: str, n: int) -> tuple[float, float]:
    """Numbers of training and test rows of a refit; distinct rows for the bootstrap."""
    if scheme == "bootstrap":
        return TRAIN_FRACTION * n, (1 - TRAIN_FRACTION) * n
    train = int(TRAIN_FRACTION * n)
    return train, 2 * n / GROUPS if scheme == "groups" else n - train


def corrected(scheme: str, correction: str | None) -> Method:
    """Section 7.3."""

    def interval(summary: Summary, n: int) -> LearnerInterval:
        return corrected_interval(
            _refits_first(summary), *refit_sizes(scheme, n), LEVEL, correction
        )

    return Method(scheme, interval)


def row_effects(scheme: str) -> Method:
    """Return the interval that `Learner` has for importance."""

    def interval(summary: Summary, n: int) -> LearnerInterval:
        sizes = refit_sizes(scheme, n)
        return row_effect_interval(_refits_first(summary), summary["rows"], n, *sizes, LEVEL)

    return Method(scheme, interval)


def _variance_components(summary: Summary, n: int) -> LearnerInterval:
    """Return the intervals that `Learner` has for curves and for importance."""
    arguments = (_refits_first(summary), summary["rows"], summary["interaction"], n)
    sizes = refit_sizes("bootstrap", n)
    curves, importance = (
        variance_components_interval(*arguments, *sizes, LEVEL, bootstrap=True, of_loss=of_loss)
        for of_loss in (False, True)
    )
    quantities = summary["rows"].shape[1]
    last = np.arange(quantities) >= quantities - quantities // (1 + GRID_POINTS)
    return LearnerInterval(
        *(
            np.where(last, getattr(importance, part), getattr(curves, part))
            for part in ("estimate", "std_error", "low", "high")
        )
    )


def _group_jackknife(summary: Summary, n: int) -> LearnerInterval:
    table = np.moveaxis(summary["table"], 0, 2)
    sizes = refit_sizes("groups", n)
    return group_jackknife_interval(_refits_first(summary), table, *sizes, LEVEL)


def _plain_jackknife(summary: Summary, n: int) -> np.ndarray:  # noqa: ARG001
    return (GROUPS - 1) * np.nanmean(summary["table"], axis=1).var(axis=1)


def _only_learning(summary: Summary, n: int) -> np.ndarray:
    train, test = refit_sizes("subsampling", n)
    return (1 / REFITS + train / test) * summary["estimates"].var(axis=1, ddof=1)


def _monte_carlo(summary: Summary) -> np.ndarray:
    return summary["estimates"].var(axis=1, ddof=1) / REFITS


def _two_way(summary: Summary, n: int) -> np.ndarray:
    train, test = refit_sizes("subsampling", n)
    rows, refits = summary["rows"], summary["refits"]
    spread = summary["estimates"].var(axis=1, ddof=1)
    covariance = refits + rows * (1 / test - 1 / n) + summary["interaction"] / test - spread
    return train / test * refits + rows / n + covariance + spread / REFITS


def _by_variance(
    scheme: str, variance: Callable[[Summary, int], np.ndarray], freedom: int = REFITS - 1
) -> Method:
    def interval(summary: Summary, n: int) -> LearnerInterval:
        estimate = summary["estimates"].mean(axis=1)
        error = np.sqrt(np.maximum(variance(summary, n), 0.0))
        half = stdtrit(freedom, (1 + LEVEL) / 2) * error
        return LearnerInterval(estimate, error, estimate - half, estimate + half)

    return Method(scheme, interval)


def _refits_first(summary: Summary) -> np.ndarray:
    return np.moveaxis(summary["estimates"], 0, 1)


PAPER = {
    "boot": corrected("bootstrap", None),
    "boot*": corrected("bootstrap", "nadeau-bengio"),
    "subs": corrected("subsampling", None),
    "subs*": corrected("subsampling", "nadeau-bengio"),
    "ideal": corrected("ideal", None),
}
OFFERED = {
    "group jackknife": Method("groups", _group_jackknife),
    "row effects": row_effects("groups"),
    "variance components": Method("bootstrap", _variance_components),
}
TRIED = {
    "Nadeau and Bengio, bootstrap (boot*)": PAPER["boot*"],
    "Nadeau and Bengio, subsampling (subs*)": PAPER["subs*"],
    "Nadeau and Bengio, groups": corrected("groups", "nadeau-bengio"),
    "c = n1 / n2, as if only learning varied, subsampling": _by_variance(
        "subsampling", _only_learning
    ),
    "infinitesimal jackknife, bootstrap": _by_variance(
        "bootstrap", lambda summary, _: summary["infinitesimal"] + _monte_carlo(summary)
    ),
    "jackknife after bootstrap": _by_variance(
        "bootstrap", lambda summary, _: summary["after bootstrap"] + _monte_carlo(summary)
    ),
    "two-way components of variance, subsampling": _by_variance("subsampling", _two_way),
    "4 S / n, nothing else, subsampling": _by_variance(
        "subsampling", lambda summary, n: 4 * summary["rows"] / n
    ),
    "4 S / n, nothing else, groups": _by_variance(
        "groups", lambda summary, n: 4 * summary["rows"] / n
    ),
    "row effects, bootstrap": row_effects("bootstrap"),
    "row effects, subsampling": row_effects("subsampling"),
    "row effects, groups": OFFERED["row effects"],
    "group jackknife with the noise of refits": _by_variance(
        "groups", _plain_jackknife, GROUPS - 1
    ),
    "group jackknife": OFFERED["group jackknife"],
}
