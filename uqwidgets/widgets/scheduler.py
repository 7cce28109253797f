"""Threads of the widget: one worker, whose newest request wins, and a heartbeat beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from uqwidgets._utils.forking import renew_after_fork


class SupersededError(Exception):
    """A newer request came, or the work was stopped: what is finished stays, the rest is off."""


class Ticket:
    """A request that is being worked on."""

    def __init__(self, scheduler: Scheduler, number: int, worker: threading.Thread) -> None:
        self._scheduler = scheduler
        self._number = number
        self._worker = worker

    @property
    def stopped(self) -> bool:
        """Whether somebody stopped this work, or the interpreter is about to."""
        return self._scheduler.stopped >= self._number or _exiting()

    def check(self) -> None:
        """Give way to a newer request, or to another worker.

        Raises
        ------
        SupersededError
            If there is one, or this one was stopped.
        """
        scheduler = self._scheduler
        replaced = scheduler.worker is not self._worker
        if replaced or scheduler.newest != self._number or self.stopped:
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
    requested when it starts, so only the newest matters and none is lost.

    The thread is no daemon: an interpreter that ends waits for the model call that is under way,
    because a thread that ends inside a compiled library can abort the process. No further call
    is made then, for `Ticket.check` ends the work.

    Parameters
    ----------
    work : callable
        Called with a `Ticket`; it should `Ticket.check` often. `SupersededError` ends it. Any
        other exception is reported as that of a thread is, and the next request is worked on.

    Attributes
    ----------
    newest, stopped : int
        Numbers of the latest request and of the latest one that was stopped.
    worker : Thread or None
        The thread that works, None where there is no work.
    """

    def __init__(self, work: Callable[[Ticket], None]) -> None:
        self.newest = 0
        self.stopped = 0
        self._work = work
        self._done = 0
        self._closed = False
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Begin without a worker; what is left to do is done when it is next waited for."""
        self.worker: threading.Thread | None = None
        self._changed = threading.Condition()

    def request(self) -> None:
        """Ask for work; what was being done gives way."""
        with self._changed:
            if self._closed:
                return
            self.newest += 1
            self._changed.notify_all()
            self._start()

    def stop(self) -> None:
        """End what is being done, without asking for anything new."""
        with self._changed:
            self.stopped = self.newest
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to do; False if that took longer than ``timeout`` seconds.

        What the work calls may wait too: another thread then takes the work over, and the ticket
        of this one is superseded.
        """
        with self._changed:
            if self.worker is threading.current_thread():
                self.worker = None
            self._start()
            return self._changed.wait_for(lambda: self.worker is None, timeout)

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

    @property
    def _idle(self) -> bool:
        return self._done == self.newest or self._closed or _exiting()

    def _start(self) -> None:
        if self.worker is None and not self._idle:
            worker = threading.Thread(target=self._run, name="uqwidgets", daemon=False)
            worker.start()  # it waits for the lock that is held here
            self.worker = worker

    def _run(self) -> None:
        worker = threading.current_thread()
        while True:
            with self._changed:
                if self.worker is not worker:
                    return
                if self._idle:
                    self.worker = None
                    self._changed.notify_all()
                    return
                number = self.newest
            try:
                self._work(Ticket(self, number, worker))
            except SupersededError:
                pass
            except BaseException as error:  # noqa: BLE001  whatever it is, the next one is served
                report_uncaught(error)
            with self._changed:
                if self.worker is worker:
                    self._done = number


def report_uncaught(error: BaseException) -> None:
    """Report what somebody else's code raised where no caller can catch it."""
    thread = threading.current_thread()
    threading.excepthook(
        threading.ExceptHookArgs((type(error), error, error.__traceback__, thread))
    )


def _exiting() -> bool:
    """Whether the interpreter waits for its threads to end."""
    return not threading.main_thread().is_alive()


@contextmanager
def heartbeat(beat: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call ``beat`` every so many seconds on another thread, while a model call may take long."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(seconds):
            beat()

    # No daemon: an interpreter that ends must not end it in the middle of a message.
    thread = threading.Thread(target=run, name="uqwidgets-heartbeat", daemon=False)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
