"""Threads of the widget: one worker, whose newest request wins, and a heartbeat beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from uqwidgets._utils.forking import renew_after_fork


class SupersededError(Exception):
    """A newer request came, or the work was stopped; finished results are kept."""


class Ticket:
    """The request that the worker is answering."""

    def __init__(self, scheduler: Scheduler, number: int, worker: threading.Thread) -> None:
        self._scheduler = scheduler
        self._number = number
        self._worker = worker

    @property
    def stopped(self) -> bool:
        """Whether this work was stopped, or the interpreter is exiting."""
        return self._scheduler.stopped >= self._number or _exiting()

    def check(self) -> None:
        """Raise an error if a newer request or another worker replaces this one.

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
        """Wait for so many seconds, unless a newer request comes.

        Raises
        ------
        SupersededError
            If a newer request came.
        """
        self._scheduler.await_newer(self._number, seconds)
        self.check()


class Scheduler:
    """Runs requests on a thread that lives only while there is work.

    Requests that arrive while the worker is busy are merged into one: the work reads the current
    inputs when it starts, so that only the newest request is answered and none is lost.

    The thread is no daemon: an interpreter that exits waits for the current model call, because a
    thread that ends inside a compiled library can abort the process. There is no further call,
    because `Ticket.check` ends the work.

    Parameters
    ----------
    work : callable
        Called with a `Ticket`; it should call `Ticket.check` often. `SupersededError` ends it. Any
        other exception is reported like that of a thread, and the next request is answered.
    afterwards : callable, optional
        Called like ``work`` when that is done; nobody waits for it.

    Attributes
    ----------
    newest, stopped : int
        Numbers of the latest request and of the latest one that was stopped.
    worker : Thread or None
        The thread that works; None while there is no work.
    """

    def __init__(
        self, work: Callable[[Ticket], None], afterwards: Callable[[Ticket], None] = lambda _: None
    ) -> None:
        self.newest = 0
        self.stopped = 0
        self._work = work
        self._afterwards = afterwards
        self._done = 0
        self._closed = False
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Make a new lock in a forked process, which has no worker; `wait` starts one if needed."""
        self.worker: threading.Thread | None = None
        self._changed = threading.Condition()

    def request(self) -> None:
        """Request work, which replaces the current one."""
        with self._changed:
            if self._closed:
                return
            self.newest += 1
            self._changed.notify_all()
            self._start()

    def stop(self) -> None:
        """End the current work, without a new request."""
        with self._changed:
            self.stopped = self.newest
            self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all work is done; False if that took longer than ``timeout`` seconds.

        If the worker itself waits, in code that the work calls, another thread takes the work over,
        and the ticket of the waiting thread is superseded.
        """
        with self._changed:
            if self.worker is threading.current_thread():
                self.worker = None
            self._start()
            return self._changed.wait_for(
                lambda: self.worker is None or self._done == self.newest, timeout
            )

    def await_newer(self, number: int, timeout: float) -> None:
        """Wait until a request after ``number``, a stop, or the end of the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: max(self.newest - 1, self.stopped) >= number, timeout)

    def close(self) -> None:
        """End the current work and accept no more requests."""
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
            ticket = Ticket(self, number, worker)
            _attempt(self._work, ticket)
            if self._is_done_with(number, worker):
                _attempt(self._afterwards, ticket)

    def _is_done_with(self, number: int, worker: threading.Thread) -> bool:
        """Note that a request is done; whether there is no newer one, and none was stopped."""
        with self._changed:
            if self.worker is not worker:
                return False
            self._done = number
            self._changed.notify_all()
            return self._idle and self.stopped < number


def _attempt(work: Callable[[Ticket], None], ticket: Ticket) -> None:
    try:
        work(ticket)
    except SupersededError:
        pass
    except BaseException as error:  # noqa: BLE001  whatever it is, the next one is served
        report_uncaught(error)


def report_uncaught(error: BaseException) -> None:
    """Report an error of a user's code where no caller can catch it."""
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
