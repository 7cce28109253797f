"""One worker; the newest request wins."""

from __future__ import annotations

import threading
from collections.abc import Callable


class SupersededError(Exception):
    """A newer request came, or the work was stopped: what is finished stays, the rest is off."""


class Ticket:
    """A request that is being worked on."""

    def __init__(self, scheduler: Scheduler, number: int) -> None:
        self._scheduler = scheduler
        self._number = number

    @property
    def stopped(self) -> bool:
        """Whether someone asked for this work to end."""
        return self._scheduler.stopped >= self._number

    def check(self) -> None:
        """Give way to a newer request.

        Raises
        ------
        SupersededError
            If there is one, or this one was stopped.
        """
        if self._scheduler.newest != self._number or self.stopped:
            raise SupersededError

    def rest(self, seconds: float) -> None:
        """Do nothing for so long, to see whether the hand on the control rests too.

        Raises
        ------
        SupersededError
            As soon as it moved on.
        """
        self._scheduler.await_newer(self._number, seconds)
        self.check()


class Scheduler:
    """Runs requests on a thread that lives only while there is work.

    Requests that arrive while one is worked on are folded into one: the work reads what is
    wanted when it starts, so only the newest matters and none is lost.

    Parameters
    ----------
    work : callable
        Called with a `Ticket`; it should `Ticket.check` often. `SupersededError` ends it.
    """

    def __init__(self, work: Callable[[Ticket], None]) -> None:
        self.newest = 0
        self.stopped = 0
        self._work = work
        self._done = 0
        self._running = False
        self._closed = False
        self._changed = threading.Condition()

    def request(self) -> None:
        """Ask for work; what was being done gives way."""
        with self._changed:
            if self._closed:
                return
            self.newest += 1
            self._changed.notify_all()
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="uqwidgets", daemon=True).start()

    def stop(self) -> None:
        """End what is being done, without asking for anything new."""
        with self._changed:
            self.stopped = self.newest
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to do; False if that took longer than ``timeout`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, timeout)

    def await_newer(self, number: int, timeout: float) -> None:
        """Wait until there is a request after ``number``, or work is to stop, or time is up."""
        with self._changed:
            self._changed.wait_for(lambda: max(self.newest - 1, self.stopped) >= number, timeout)

    def close(self) -> None:
        """End what is being done and take no more requests."""
        with self._changed:
            self._closed = True
            self.stopped = self.newest
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._done == self.newest or self._closed:
                    self._running = False
                    self._changed.notify_all()
                    return
                number = self.newest
            try:
                self._work(Ticket(self, number))
            except SupersededError:
                pass
            finally:
                self._done = number
