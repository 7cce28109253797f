"""The work on one request: its steps, its progress, and the frames that show it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import IntEnum
from math import isfinite
from threading import Lock
from typing import Any, NamedTuple

from uqwidgets._utils.remarks import Remark
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.remaining import Remaining
from uqwidgets.widgets.kernel.scheduler import Ticket
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.rows.population import Populations

#: Called with what is done, how much of it, and of how much; what it raises ends the work.
Report = Callable[[str, int, int], None]
#: Called with how much is done, and of how much; what it raises ends the work.
ReportCount = Callable[[int, int], None]

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


class Urgency(IntEnum):
    """When a step is due; steps of the same urgency follow the order of the views."""

    #: Shown before long model calls begin.
    FIRST = 0
    #: What the user has picked.
    PICKED = 1
    #: What compares all features.
    OVERVIEW = 2
    #: Further model calls that narrow the intervals.
    PRECISION = 3
    #: What needs no model call but takes a while.
    DETAILS = 4
    #: What is refined once the controls rest.
    REFINEMENT = 5


class Step(NamedTuple):
    """A part of the work of a view.

    Attributes
    ----------
    urgency : Urgency
    run : callable
    n_rows : int
        How many rows it is about, where others of the same urgency are about fewer or more; the
        fewer come first.
    """

    urgency: Urgency
    run: Callable[[], None]
    n_rows: int = 0


class Work(ABC):
    """The work on one request: its progress, its errors, and the frames that show them.

    Parameters
    ----------
    inputs : Inputs
    ticket : Ticket
    timing : Timing
    busy_since : float
        When the work began that this request goes on with, by the clock of ``timing``.

    Attributes
    ----------
    inputs : Inputs
    timing : Timing
    rows : Populations or None
        The rows of the request; None while they are not known, and where none meets the filter.
    progress : Estimate or None
        What is being done, for the next frame.
    errors : list of str
    notes : list of Remark
        Sentences that the next frame shows.
    published : float
        When the latest frame was published, by the clock of ``timing``.
    """

    def __init__(self, inputs: Inputs, ticket: Ticket, timing: Timing, busy_since: float) -> None:
        self.inputs = inputs
        self.timing = timing
        self.rows: Populations | None = None
        self.progress: Estimate | None = None
        self.errors: list[str] = []
        self.notes: list[Remark] = []
        self._ticket = ticket
        self._sending = Lock()
        self._has_ended = False
        self._busy_since = busy_since
        self._remaining = Remaining()
        # Of all the work; it never goes back.
        self._share_done = 0.0
        self.published = timing.clock()

    @abstractmethod
    def choose(self, features: Sequence[str]) -> None:
        """Pick the first of the features where none is picked, which may make this work obsolete.

        The first that has a mean to move is stressed.

        Parameters
        ----------
        features : sequence of str
            The most important first.
        """

    @abstractmethod
    def seconds_ahead(self, besides: object = None) -> float:
        """Model time, in seconds, that the views will need, without the view ``besides``."""

    @abstractmethod
    def _compose(self, *, final: bool) -> None:
        """Publish a frame, which may be the last one of the request."""

    @property
    def populations(self) -> Populations | None:
        """The rows with their weights; None where there are no rows, or no such weights."""
        return self.rows if self.rows is not None and self.rows.is_reachable else None

    @property
    def stopped(self) -> bool:
        """Whether this work was stopped, or the interpreter is exiting."""
        return self._ticket.stopped

    def check(self) -> None:
        """Raise `SupersededError` if a newer request came or the work was stopped."""
        self._ticket.check()

    def give_back(self, error: BaseException) -> None:
        """Give the work to the user's thread if an error says so, see `Ticket.give_back`."""
        self._ticket.give_back(error)

    def wait_for_rest(self) -> None:
        """Wait until the control rests; raises `SupersededError` as soon as it moves."""
        self._ticket.rest(self.timing.rest)

    def report(
        self, what: str, done: int = 0, total: int = 0, seconds_left: float | None = None
    ) -> None:
        """Report progress, and give way to a newer request.

        Parameters
        ----------
        what : str
            What is being done.
        done, total : int
            How much of it; a total of 0 where that is not known. Once the time that is left is
            known, the share of all the work is shown instead.
        seconds_left : float, optional
            Of all the work.
        """
        self.check()
        is_news = self.progress is None and (seconds_left or 0.0) > self.timing.frame_interval
        self.set_progress(what, done, total, seconds_left)
        if is_news or self.timing.clock() - self.published > self.timing.frame_interval:
            self.send()

    def set_progress(
        self, what: str, done: int = 0, total: int = 0, seconds_left: float | None = None
    ) -> None:
        """Set the progress that the next frame shows; see `report`."""
        at = self.timing.clock(), self.model_seconds()
        ends = self._remaining.ends(*at, what, done, total, seconds_left)
        self.progress = Estimate(what, done, total, ends if isfinite(ends) else None)

    def model_seconds(self) -> float:
        """Seconds in calls of the model so far; of this work and of earlier ones."""
        return 0.0

    @property
    def shown_progress(self) -> dict[str, Any] | None:
        """Progress as a frame shows it now, with one total for all steps: the time that they take.

        Where the time that is left is not known yet, it is the total of the present step.
        """
        # The heartbeat reads it on another thread.
        if (progress := self.progress) is None:
            return None
        what, done, total, ends = progress
        now, seconds_left = self.timing.clock(), None
        if ends is not None:
            seconds_left = max(0.0, ends - now)
            spent = now - self._busy_since
            share = spent / (spent + seconds_left) if spent else 0.0
            self._share_done = max(self._share_done, min(share, _MOST))
        if self._share_done:
            done, total = round(1000 * self._share_done), 1000
        return {"what": what, "done": done, "total": total, "seconds_left": seconds_left}

    def send(self, *, final: bool = False) -> None:
        """Publish a frame.

        Raises
        ------
        SupersededError
            If a newer request came, for that one will be answered. The last frame of work that
            was stopped is published all the same.
        """
        if not self.stopped:
            self.check()
        with self._sending:
            self._publish(final=final)

    def beat(self) -> None:
        """Publish a frame after a longer silence, from the thread of the heartbeat."""
        # A frame is also published while a newer request waits for the end of a model call.
        with self._sending:
            silence = self.timing.clock() - self.published
            if not self._has_ended and silence > self.timing.heartbeat:
                self._publish(final=False)

    def _publish(self, *, final: bool) -> None:
        self._has_ended = final
        self.published = self.timing.clock()
        self._compose(final=final)
