"""Progress of long work: model calls block by block, and fits several at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sklearn.utils.parallel import Parallel, delayed
from tqdm.auto import tqdm

from uqwidgets._utils.processes import end_with
from uqwidgets._utils.quiet import hidden_warnings
from uqwidgets._utils.thread_state import ThreadState, errors_of_user


@dataclass(frozen=True)
class Progress:
    """Progress of a series of model calls.

    Every method that takes ``callback=`` calls it with a `Progress` after each block.

    Attributes
    ----------
    rows_done, rows_total : int
        Rows that the model has evaluated, and rows that it has to evaluate.
    seconds_left : float
        Estimated from the speed of the model so far, in seconds.

    See Also
    --------
    ProgressBar : A callback that shows a bar.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> progress = uq.Progress(rows_done=500, rows_total=2_000, seconds_left=0.3)
    >>> f"{progress.rows_done / progress.rows_total:.0%}"
    '25%'
    """

    rows_done: int
    rows_total: int
    seconds_left: float


ProgressCallback = Callable[[Progress], None]


class ProgressBar:
    """Progress bar for the model calls of a method: ``callback=uq.ProgressBar()``.

    Every series of calls has a bar of its own; the bar of a series that is stopped stays where it
    was.

    Parameters
    ----------
    description : str, default="rows evaluated"
        Text before the bar.

    See Also
    --------
    Progress : What a callback is called with.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> result = explainer.importance("squared_error", callback=uq.ProgressBar())
    """

    def __init__(self, description: str = "rows evaluated") -> None:
        self._description = description
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        """Move the bar."""
        if self._bar is not None and progress.rows_done <= self._bar.n:
            self._bar.close()  # the former series of calls was stopped
            self._bar = None
        if self._bar is None:
            self._bar = tqdm(desc=self._description, unit=" rows", unit_scale=True)
        self._bar.total = progress.rows_total
        self._bar.update(progress.rows_done - self._bar.n)
        if progress.rows_done >= progress.rows_total:
            self._bar.close()
            self._bar = None


@contextmanager
def run_parallel(n_jobs: int | None, tasks: Iterable[Callable[[], Any]]) -> Iterator[Iterator[Any]]:
    """Iterate over the results of tasks in their order, by joblib's current backend.

    They run in the state of the thread that calls, see `ThreadState`. When the block is left,
    running tasks are cancelled at once, rather than when the traceback that refers to them is
    garbage collected. Other processes end with this one.

    Parameters
    ----------
    n_jobs : int, optional
    tasks : iterable of callable
    """
    with errors_of_user():
        state = ThreadState.of_this_thread()
    calls = (delayed(state.run)(_run, os.getpid(), task) for task in tasks)
    results = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    try:
        yield results
    finally:
        # joblib warns that pending tasks are discarded, which is intended here.
        with hidden_warnings(UserWarning):
            results.close()


def _run(parent: int, task: Callable[[], Any]) -> Any:
    end_with(parent)
    return task()


class FitProgress:
    """Calls a progress callback after each of a number of fits on equally many rows.

    Parameters
    ----------
    total : int
        Number of fits.
    rows : int
        Rows of each fit.
    callback : callable, optional
        Called with a `Progress` after every fit; an exception that it raises stops the work.
    """

    def __init__(self, total: int, rows: int, callback: ProgressCallback | None) -> None:
        self._total = total
        self._rows = rows
        self._callback = callback
        self._done = 0
        self._started = time.perf_counter()

    def step(self) -> None:
        """Report that one more fit is done."""
        self._done += 1
        if self._callback is None:
            return
        remaining = self._total - self._done
        seconds = (time.perf_counter() - self._started) / self._done * remaining
        self._callback(Progress(self._done * self._rows, self._total * self._rows, seconds))
