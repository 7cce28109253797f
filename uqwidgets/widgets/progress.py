"""Progress of the work of a widget: one total, and the time that is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

# Work that goes on is not done, whatever was estimated.
_MOST = 0.99


class Estimate(NamedTuple):
    """What is being done, and when all the work will have ended.

    Attributes
    ----------
    what : str
    done, total : int
        How much of this step; a total of 0 where that is not known.
    ends : float or None
        By the clock of the work; None where that is not known.
    """

    what: str
    done: int
    total: int
    ends: float | None


class Total:
    """One total for all steps: the time that they took and the time that they will take.

    Where the time that is left is not known yet, it is the total of the present step.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    since : float
        When the work began.
    """

    def __init__(self, clock: Callable[[], float], since: float) -> None:
        self._clock = clock
        self._since = since
        # It never goes back.
        self._share = 0.0

    def shown(self, estimate: Estimate | None) -> dict[str, Any] | None:
        """Return the progress as a frame shows it now."""
        if estimate is None:
            return None
        what, done, total, ends = estimate
        now, seconds_left = self._clock(), None
        if ends is not None:
            seconds_left = max(0.0, ends - now)
            spent = now - self._since
            share = spent / (spent + seconds_left) if spent else 0.0
            self._share = max(self._share, min(share, _MOST))
        if self._share:
            done, total = round(1000 * self._share), 1000
        return {"what": what, "done": done, "total": total, "seconds_left": seconds_left}
