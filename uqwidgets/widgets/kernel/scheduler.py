"""The worker of the widget, whose newest request wins, and a heartbeat beside it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf

from uqwidgets._utils.forking import renew_after_fork
from uqwidgets._utils.thread_state import ThreadState, own_errors
from uqwidgets.widgets.kernel.interruptions import PausedError, SupersededError
from uqwidgets.widgets.kernel.time_slices import TimeSlices
from uqwidgets.widgets.kernel.user_thread import UserThread

# Seconds between checks whether the interpreter ends, while the worker waits.
_EXIT_CHECK = 0.5


class Ticket:
    """The request that the worker is answering.

    Parameters
    ----------
    scheduler : Scheduler
    number : int
        Of the request.
    worker : object
        The thread, or what stands for a slice of time.
    ends : float
        When the slice ends, by `time.monotonic`.

    Attributes
    ----------
    is_answered : bool
        Whether only what comes after the work is left.
    """

    def __init__(
        self, scheduler: Scheduler, number: int, worker: object, ends: float = inf
    ) -> None:
        self.number = number
        self.is_answered = False
        self._scheduler = scheduler
        self._worker = worker
        self._ends = ends

    @property
    def stopped(self) -> bool:
        """Whether this work was stopped, or the interpreter is exiting."""
        return self._scheduler.stopped >= self.number or _exiting()

    @property
    def is_current(self) -> bool:
        """Whether no other worker has taken the work over."""
        return self._scheduler.worker is self._worker

    @property
    def is_superseded(self) -> bool:
        """Whether a newer request or another worker replaces this one, or it was ended."""
        is_newest = self._scheduler.newest == self.number
        is_interrupted = self.is_answered and self._scheduler.interrupted >= self.number
        return not self.is_current or not is_newest or is_interrupted or self.stopped

    def check(self) -> None:
        """Raise an error if a newer request or another worker replaces this one.

        Raises
        ------
        SupersededError
            If there is one, or this one was stopped.
        PausedError
            See `pause`.
        """
        if self.is_superseded:
            raise SupersededError
        self.pause()

    def pause(self) -> None:
        """Give way to the event loop, where the work shares its thread.

        Raises
        ------
        PausedError
            If the slice of time is over; the work begins again, from what is cached.
        """
        if time.monotonic() >= self._ends:
            raise PausedError

    def give_back(self, error: BaseException) -> None:
        """Give the work to the user's thread, where an error says that an object belongs to it.

        Raises
        ------
        PausedError
            If it does, and the work was done elsewhere; it begins again, from what is cached.
        """
        if self._scheduler.is_on_thread and self._scheduler.user.claims(error):
            raise PausedError

    def rest(self, seconds: float) -> None:
        """Wait for so many seconds, unless a newer request comes.

        Raises
        ------
        SupersededError
            If a newer request came.
        PausedError
            If the work shares its thread with the event loop.
        """
        self._scheduler.await_newer(self, seconds)
        self.check()


class Scheduler:
    """Runs requests on a thread that lives only while there is work.

    Requests that arrive while the worker is busy are merged into one: the work reads the current
    inputs when it starts, so that only the newest request is answered and none is lost.

    The thread is no daemon: an interpreter that exits waits for the current model call, because a
    thread that ends inside a compiled library can abort the process. There is no further call,
    because `Ticket.check` ends the work.

    The work is done in the state of the user's thread, as it is when the work is requested.

    Where no thread can be started, as in Python in a browser, or an object works in the user's
    thread alone, the work is done on the event loop of that thread in slices of time:
    `Ticket.check` ends a slice, and the work begins again from what is cached.

    Parameters
    ----------
    work : callable
        Called with a `Ticket`; it should call `Ticket.check` often. `SupersededError` ends it. Any
        other exception is reported like that of a thread, and the next request is answered.
    afterwards : callable, optional
        Called like ``work`` when that is done; nobody waits for it.
    user : UserThread, optional
        By default the thread that calls.

    Attributes
    ----------
    newest, stopped, interrupted : int
        Numbers of the latest request, of the latest one that was stopped, and of the latest one
        without what comes after the work.
    worker : object
        The thread that works, or what stands for a slice of time; None while nothing works.
    """

    def __init__(
        self,
        work: Callable[[Ticket], None],
        afterwards: Callable[[Ticket], None] = lambda _: None,
        user: UserThread | None = None,
    ) -> None:
        self.user = UserThread() if user is None else user
        self.newest = 0
        self.stopped = 0
        self.interrupted = 0
        self._work = work
        self._afterwards = afterwards
        self._done = 0
        # The last request whose follow-up work has finished, too, or was paused.
        self._followed = 0
        self._began = 0.0
        self._closed = False
        self._slices: TimeSlices | None = None
        self._state = self.user.state()
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Make a new lock in a forked process, which has no worker; `wait` starts one if needed."""
        self.worker: object = None
        self._changed = threading.Condition()

    def request(self) -> None:
        """Request work, which replaces the current one."""
        with self._changed:
            if self._closed:
                return
            self.newest += 1
            self._state = self.user.state()
            self._began = time.monotonic()
            self._changed.notify_all()
            self._start()

    def stop(self) -> None:
        """End the current work, without a new request."""
        with self._changed:
            self.stopped = self.newest
            self._changed.notify_all()

    def interrupt(self) -> bool:
        """End what comes after the work until the next request; return whether it was left.

        The work itself goes on.
        """
        with self._changed:
            is_left = not self._is_followed
            self.interrupted = self.newest
            self._changed.notify_all()
            return is_left

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all work is done; False if that took longer than ``timeout`` seconds.

        If the worker itself waits, in code that the work calls, another thread takes the work over,
        and the ticket of the waiting thread is superseded.
        """
        ends = inf if timeout is None else time.monotonic() + timeout
        with self._changed:
            if self.worker is threading.current_thread():
                self.worker = None
            self._start()
            # A thread may give the work back to the one that waits.
            self._changed.wait_for(
                lambda: self._idle or self._slices_here is not None,
                timeout,
            )
        if (slices := self._slices_here) is not None:
            slices.work_for(ends - time.monotonic(), lambda: self._idle)
        return self._idle

    def await_result(self, result: threading.Event, timeout: float) -> None:
        """Wait until the work sets ``result``, which it may do before it is done."""
        if (slices := self._slices_here) is None:
            result.wait(timeout)
        else:
            slices.work_for(timeout, result.is_set)

    def await_newer(self, ticket: Ticket, timeout: float) -> None:
        """Wait until a ticket is superseded, or the timeout.

        Raises
        ------
        PausedError
            If the work shares its thread with the event loop; the time since the request counts.
        """
        if self._slices is not None:
            ahead = self._began + timeout - time.monotonic()
            if ahead > 0:
                raise PausedError(ahead)
            return
        ends = time.monotonic() + timeout
        with self._changed:
            # An interpreter that ends waits for this thread, and nothing notifies it.
            while (left := ends - time.monotonic()) > 0 and not _exiting():
                if self._changed.wait_for(lambda: ticket.is_superseded, min(left, _EXIT_CHECK)):
                    return

    def close(self) -> None:
        """End the current work and accept no more requests."""
        with self._changed:
            self._closed = True
            self.stopped = self.newest
            self._changed.notify_all()

    @property
    def _idle(self) -> bool:
        return self._done == self.newest or self._closed or _exiting()

    @property
    def _is_followed(self) -> bool:
        """Whether nothing is left, not even what comes after the work."""
        return self._idle and (self._followed == self._done or self._closed or _exiting())

    @property
    def is_on_thread(self) -> bool:
        """Whether the work is done by a thread of its own."""
        return self._slices is None

    @property
    def _slices_here(self) -> TimeSlices | None:
        """The slices of time that the thread that calls may use, None if it may not work."""
        slices = self._slices
        return slices if slices is not None and slices.may_work_here else None

    def _start(self) -> None:
        if self._idle or (self.worker is not None and self._slices is None):
            return
        if self._slices is None and self.user.refusal is None:
            worker = widget_thread(self._run, "uqwidgets")
            with suppress(RuntimeError):  # no thread can be started
                worker.start()  # it waits for the lock that is held here
                self.worker = worker
                return
        self._begin_slices()

    def _begin_slices(self) -> None:
        if self._slices is None:
            self._slices = TimeSlices(self._run_slice, self.user)
        self._slices.begin()

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
                number, state = self.newest, self._state
            try:
                state.run(self._answer, Ticket(self, number, worker))
            except PausedError:  # see `Ticket.give_back`
                with self._changed:
                    if self.worker is worker:
                        self.worker = None
                    self._begin_slices()
                    self._changed.notify_all()
                return

    def _run_slice(self, ends: float) -> None:
        """Work until a time; `PausedError` says that work is left."""
        # A slice within another one, because the work itself waits, supersedes that one.
        worker = self.worker = object()
        try:
            while self.worker is worker and not self._is_followed:
                self._answer(Ticket(self, self.newest, worker, ends))
        finally:
            if self.worker is worker:
                self.worker = None

    @own_errors()
    def _answer(self, ticket: Ticket) -> None:
        if self._done < ticket.number:
            _attempt(self._work, ticket)
        if self._is_done_with(ticket):
            ticket.is_answered = True
            _attempt(self._afterwards, ticket)
        self._followed = ticket.number

    def _is_done_with(self, ticket: Ticket) -> bool:
        """Note that a request is done; whether what comes after it is to be done now."""
        with self._changed:
            if not ticket.is_current:
                return False
            self._done = ticket.number
            self._changed.notify_all()
            return self._idle and max(self.stopped, self.interrupted) < ticket.number


def _attempt(work: Callable[[Ticket], None], ticket: Ticket) -> None:
    try:
        work(ticket)
    except PausedError:
        raise
    except SupersededError:
        pass
    except BaseException as error:  # noqa: BLE001  whatever it is, the next one is served
        report_uncaught(error)


def report_uncaught(error: BaseException) -> None:
    """Report an error of a user's code where no caller can catch it."""
    thread = threading.current_thread()
    report = threading.ExceptHookArgs((type(error), error, error.__traceback__, thread))
    try:
        threading.excepthook(report)
    except BaseException:  # noqa: BLE001  otherwise the worker would end, and nobody knew
        threading.__excepthook__(report)


def _exiting() -> bool:
    """Whether the interpreter waits for its threads to end."""
    return not threading.main_thread().is_alive()


def widget_thread(run: Callable[[], None], name: str) -> threading.Thread:
    """Return a thread in the state of this one, from which the host accepts messages."""
    # Shiny sends a message only in the context of its session, which a thread does not inherit.
    # So does marimo until 0.20, which has threads of its own.
    marimo = sys.modules.get("marimo")
    is_in_marimo = marimo is not None and marimo.running_in_notebook()
    kind = marimo.Thread if marimo is not None and is_in_marimo else threading.Thread
    # No daemon: an interpreter that ends must not end it in the middle of a message.
    target = partial(ThreadState.of_this_thread().run, run)
    thread: threading.Thread = kind(target=target, name=name, daemon=False)
    return thread


@contextmanager
def heartbeat(beat: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call ``beat`` every so many seconds on another thread, while a model call may take long."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(seconds):
            beat()

    thread = widget_thread(run, "uqwidgets-heartbeat")
    try:
        thread.start()
    except RuntimeError:  # no thread can be started; the model call blocks everything anyway
        yield
        return
    try:
        yield
    finally:
        ended.set()
        thread.join()
