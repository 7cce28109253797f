"""Work on the event loop, in slices of time.

It is done so where no thread starts, as in Python in a browser, and where an object works in the
user's thread alone.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from uqwidgets.widgets.kernel.interruptions import PausedError
from uqwidgets.widgets.kernel.user_thread import UserThread

# The first slice of a request is short, so that a newer one is heard soon. A piece of work whose
# result is cached at its end alone is begun again in each slice until one is long enough for it.
_SHORTEST, _GROWTH = 0.1, 1.5


class TimeSlices:
    """Runs work on the event loop, one slice of time after the other.

    Parameters
    ----------
    run : callable
        Called with the time at which the slice ends, by `time.monotonic`. It raises `PausedError`
        where work is left.
    user : UserThread
        Whose event loop it is.
    """

    def __init__(self, run: Callable[[float], None], user: UserThread) -> None:
        self._run = run
        self._user = user
        self._length = _SHORTEST
        self._next: asyncio.TimerHandle | None = None

    @property
    def may_work_here(self) -> bool:
        """Whether the thread that calls may work: the user's, or any if nobody else would."""
        loop = self._user.loop
        return self._user.is_here or loop is None or not loop.is_running()

    def begin(self) -> None:
        """Begin a request on the event loop; without one that runs, `work_for` does the work."""
        self._length = _SHORTEST
        if self._user.is_here:
            self._schedule(0.0)
        elif self._user.loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._user.loop.call_soon_threadsafe(self._schedule, 0.0)

    def work_for(self, seconds: float, until: Callable[[], bool]) -> None:
        """Work at once, for at most so many seconds or until the work is done.

        Parameters
        ----------
        seconds : float
        until : callable
            Whether it is done.
        """
        ends = time.monotonic() + seconds
        while not until() and time.monotonic() < ends:
            try:
                self._run(ends)
            except PausedError as pause:
                self._schedule(pause.seconds)
                time.sleep(max(0.0, min(pause.seconds, ends - time.monotonic())))
            else:
                return

    def _schedule(self, seconds: float) -> None:
        if self._next is not None:
            self._next.cancel()
        with suppress(RuntimeError):  # no event loop runs
            self._next = asyncio.get_running_loop().call_later(seconds, self._work)

    def _work(self) -> None:
        self._next = None
        try:
            self._run(time.monotonic() + self._length)
        except PausedError as pause:
            if not pause.seconds:
                self._length *= _GROWTH
            self._schedule(pause.seconds)


def call_later(seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    """Call a function later, on a thread or else on the event loop.

    Returns
    -------
    callable
        That cancels the call.
    """
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:
        with suppress(RuntimeError):  # no event loop runs
            return asyncio.get_running_loop().call_later(seconds, call).cancel
    return timer.cancel
