"""Coverage and width of an interval in a setting, averaged as the paper's tables are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from benchmarks.learner_coverage.cells import Setting, Truth, repetitions, truth
from benchmarks.learner_coverage.methods import LEVEL, Method
from benchmarks.learner_coverage.processes import PROCESSES
from benchmarks.learner_coverage.refits import Summary

KINDS = ("PD", "PFI")


@dataclass(frozen=True)
class Score:
    """Coverage and width of an interval.

    Attributes
    ----------
    coverage, error : float
        Share of intervals that contain the truth, mean over quantities and repetitions, and the
        standard error of that mean over repetitions.
    width : float
        Mean width.
    least : float
        Mean width of the estimate plus and minus 1.96 times its true standard deviation over
        tables, which is not known in practice.
    ratio : float
        Mean over quantities of the interval's mean width over that width.
    by_quantity : ndarray
        Coverage of each quantity.
    """

    coverage: float
    error: float
    width: float
    least: float
    ratio: float
    by_quantity: np.ndarray


class Study:
    """The tables of one setting, drawn or read on demand."""

    def __init__(self, setting: Setting, number: int, fits: int, store: Path | None = None) -> None:
        self.setting, self.number, self._fits, self._store = setting, number, fits, store
        self._drawn: dict[str, Summary] = {}
        self._truth: Truth | None = None

    @property
    def truth(self) -> Truth:
        """Expected result of the learner."""
        if self._truth is None:
            self._truth = truth(self.setting, self._fits, self._store)
        return self._truth

    def score(self, method: Method, kind: str) -> Score:
        """Score a method on partial dependence (``PD``) or importance (``PFI``)."""
        summary = self._summaries(method.scheme)
        process = PROCESSES[self.setting.process]
        curves = process.features * len(process.grid)
        chosen = slice(0, curves) if kind == "PD" else slice(curves, None)
        interval = method.interval(summary, self.setting.n)
        low, high = interval.low[:, chosen], interval.high[:, chosen]
        mean = self.truth.mean[chosen]
        covered = (low <= mean) & (mean <= high)
        width = (high - low).mean(axis=0)
        spread = interval.estimate[:, chosen].std(axis=0, ddof=1)
        least = 2 * ndtri((1 + LEVEL) / 2) * spread
        return Score(
            coverage=float(covered.mean()),
            error=float(covered.mean(axis=1).std(ddof=1) / np.sqrt(len(covered))),
            width=float(width.mean()),
            least=float(least.mean()),
            ratio=float((width / least).mean()),
            by_quantity=covered.mean(axis=0),
        )

    def _summaries(self, scheme: str) -> Summary:
        if scheme not in self._drawn:
            self._drawn[scheme] = repetitions(self.setting, scheme, self.number, self._store)
        return self._drawn[scheme]
