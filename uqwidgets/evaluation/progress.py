"""Work that goes fit by fit: several at a time, and how far it has come."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.utils.parallel import Parallel

from uqwidgets.evaluation.evaluations import Progress, ProgressCallback


@contextmanager
def run_parallel(n_jobs: int | None, tasks: Iterable[Any]) -> Iterator[Iterator[Any]]:
    """Give what delayed tasks return, in their order, from joblib and whichever backend is set up.

    When the block is left, what still runs is cancelled at once, not when the traceback that
    holds it is dropped.

    Parameters
    ----------
    n_jobs : int, optional
    tasks : iterable
        Of scikit-learn's ``delayed``.
    """
    found = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    try:
        yield found
    finally:
        # That what is on the way is wasted is what stopping means, and no news.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found.close()


class FitProgress:
    """Tells a report how far a number of fits on the same rows has come.

    Parameters
    ----------
    total : int
        Fits.
    rows : int
        Rows of each.
    callback : callable, optional
        Called with a `Progress` after every fit; what it raises stops the work.
    """

    def __init__(self, total: int, rows: int, callback: ProgressCallback | None) -> None:
        self._total = total
        self._rows = rows
        self._callback = callback
        self._done = 0
        self._started = time.perf_counter()

    def step(self) -> None:
        """Say that one more is done."""
        self._done += 1
        if self._callback is None:
            return
        left = self._total - self._done
        seconds = (time.perf_counter() - self._started) / self._done * left
        self._callback(Progress(self._done * self._rows, self._total * self._rows, seconds))
