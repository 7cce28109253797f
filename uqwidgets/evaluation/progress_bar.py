"""A bar for long work in scripts and notebooks."""

from __future__ import annotations

from typing import Any

from tqdm.auto import tqdm

from uqwidgets.evaluation.evaluations import Progress


class ProgressBar:
    """Shows how far the model calls have come: ``callback=uq.ProgressBar()``.

    Every stretch of calls has a bar of its own; one that is stopped stays where it was.

    Parameters
    ----------
    description : str, default="rows asked"
    """

    def __init__(self, description: str = "rows asked") -> None:
        self._description = description
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        """Move the bar."""
        if self._bar is not None and progress.rows_done <= self._bar.n:
            self._bar.close()  # its stretch was stopped
            self._bar = None
        if self._bar is None:
            self._bar = tqdm(desc=self._description, unit=" rows", unit_scale=True)
        self._bar.total = progress.rows_total
        self._bar.update(progress.rows_done - self._bar.n)
        if progress.rows_done >= progress.rows_total:
            self._bar.close()
            self._bar = None
