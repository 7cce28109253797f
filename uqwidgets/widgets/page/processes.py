"""Tracks of a page that other processes sample, while this one computes everything else.

A process gets copies of arrays: what a track reads, and the columns that are stressed. It has
neither the model nor the table, and solves for the weights of the rows by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from joblib.externals.loky import ProcessPoolExecutor
from threadpoolctl import threadpool_limits

from uqwidgets._utils.processes import end_with
from uqwidgets.inference.population import Population
from uqwidgets.stress.columns import StressedColumn
from uqwidgets.widgets.over_tau.levels import Check, Level, Samples
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.page.levels import LevelsOfRows, Stressed

# By default another process samples a track that reads so many numbers at one level of all columns,
# which takes about as long as the process needs to start, but not one whose copy is large.
_FEWEST_NUMBERS, _LARGEST_COPY = 1_500_000, 1 << 24
# Seconds between two checks for a stop.
_PATIENCE = 0.1
# Products of matrices have one thread in each process, this one included: they are small, and
# where other work uses the cores, more threads wait for each other for most of the time.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True, eq=False)
class StressedColumns:
    """Rows without stress, and the columns that can be stressed.

    Attributes
    ----------
    unstressed : Population
    columns : mapping of Stressed to StressedColumn
    """

    unstressed: Population
    columns: Mapping[Stressed, StressedColumn]

    @property
    def n(self) -> int:
        """Number of all rows."""
        return len(self.unstressed.weights)

    def solved(self, stressed: Stressed, taus: Sequence[float]) -> Iterator[Level]:
        """Yield levels of a column, see `uqwidgets.widgets.page.levels.Solve`."""
        every = self.columns[stressed].populations(self.unstressed, np.array(taus, np.float64))
        for tau, (population, projection) in zip(taus, every, strict=True):
            yield Level(population, {"tau": tau}, not tau or projection.weights is not None)

    def parts(self, n: int) -> list[StressedColumns]:
        """Return the same rows with about equally many of the columns each, at most n parts."""
        every, n = list(self.columns.items()), min(n, len(self.columns))
        ends = [len(every) * k // n for k in range(n + 1)]
        return [StressedColumns(self.unstressed, dict(every[i:j])) for i, j in pairwise(ends)]


class Processes:
    """Processes that sample tracks. They end with a ``with`` block.

    Parameters
    ----------
    n_jobs : int or None
        Number of processes with this one, -1 for as many as there are cores; by default two, for
        tracks that are worth it and if there are two cores.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self._is_default = n_jobs is None
        # 0 where no process can be started, as in a browser.
        n_cores = effective_n_jobs(-1)
        self._n_others = (min(2, n_cores) if n_jobs is None else effective_n_jobs(n_jobs)) - 1
        self._executor: ProcessPoolExecutor | None = None
        self._ends = ExitStack()
        self._waiting: list[Callable[[Check], None]] = []

    def __enter__(self) -> Processes:
        self._ends.enter_context(threadpool_limits(1))
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()
        self._executor, self._waiting = None, []

    def can_sample(self, track: Track, rows: StressedColumns) -> bool:
        """Return whether a track is to be sampled by other processes."""
        if not (self._n_others and track.n_read and rows.columns):
            return False
        is_long = len(rows.columns) * track.n_read >= _FEWEST_NUMBERS
        return not self._is_default or (is_long and track.n_read <= _LARGEST_COPY)

    def begin(
        self, track: Track, rows: StressedColumns, store: Callable[[list[Samples]], None]
    ) -> None:
        """Begin to sample a track; `finish` waits for it.

        Parameters
        ----------
        track : Track
            Of arrays alone, see `Track.n_read`.
        rows : StressedColumns
        store : callable
            Called with the samples of all columns.
        """
        # What identifies a track may refer to the model.
        track, parts = replace(track, key=()), rows.parts(self._n_others)
        futures = [self._submitted(track, part) for part in parts]

        def finish(check: Check) -> None:
            each = [
                _result(future, check) or _sampled(track, part, check)
                for part, future in zip(parts, futures, strict=True)
            ]
            store([samples for part in each for samples in part])

        self._waiting.append(finish)

    def _submitted(self, track: Track, rows: StressedColumns) -> Future[list[Samples]] | None:
        """Submit a track to a process, None if none can be started."""
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._n_others, env=_ONE_THREAD, initializer=end_with, initargs=(os.getpid(),)
            )
            self._ends.callback(self._executor.shutdown, kill_workers=True)
        try:
            future: Future[list[Samples]] = self._executor.submit(_sampled, track, rows)
        except (OSError, BrokenExecutor):
            return None
        return future

    def finish(self, check: Check) -> None:
        """Wait for all tracks, and store them.

        Parameters
        ----------
        check : callable
            Called often; what it raises ends the work.
        """
        for finish in self._waiting:
            finish(check)
        self._waiting = []


def _result(future: Future[list[Samples]] | None, check: Check) -> list[Samples] | None:
    """Wait for a result; None if its process ended before, for lack of memory for example."""
    while future is not None:
        check()
        try:
            return future.result(_PATIENCE)
        except TimeoutError:
            continue
        except BrokenExecutor:
            break
    return None


def _go_on() -> None:
    """Check nothing: the process that started this one ends it."""


def _sampled(track: Track, rows: StressedColumns, check: Check = _go_on) -> list[Samples]:
    """Sample a track for all columns of the rows."""
    return LevelsOfRows(rows.solved, rows.n).sampled(track, list(rows.columns), check)
