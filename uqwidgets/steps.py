"""Progress of work that goes fit by fit."""

from __future__ import annotations

import time

from uqwidgets.evaluation import Progress, Report


class Steps:
    """Tells a report how far a number of fits on the same rows has come.

    Parameters
    ----------
    total : int
        Fits.
    rows : int
        Rows of each.
    report : callable, optional
        Called with a `Progress` after every fit; what it raises stops the work.
    """

    def __init__(self, total: int, rows: int, report: Report | None) -> None:
        self._total = total
        self._rows = rows
        self._report = report
        self._done = 0
        self._started = time.perf_counter()

    def step(self) -> None:
        """Say that one more is done."""
        self._done += 1
        if self._report is None:
            return
        left = self._total - self._done
        seconds = (time.perf_counter() - self._started) / self._done * left
        self._report(Progress(self._done * self._rows, self._total * self._rows, seconds))
