"""What a view is, and the work on one request in which it is brought up to date."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import numpy.typing as npt

from uqwidgets._utils.errors import in_one_line
from uqwidgets.evaluation.replacement import Replacement
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.learner_part import LearnerPart
from uqwidgets.widgets.over_tau import Level, Samples, Track
from uqwidgets.widgets.population import Populations
from uqwidgets.widgets.progress import Estimate, Total
from uqwidgets.widgets.refitted import Refitted
from uqwidgets.widgets.scheduler import SupersededError, Ticket
from uqwidgets.widgets.timing import Timing

Key = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Content:
    """What a view shows.

    Attributes
    ----------
    meta : dict
        Plain values; among them, ``remarks`` are sentences that a reader of the view should know.
    columns : dict of str to ndarray
        By name, without the name of the view; see `uqwidgets.widgets.frames.pack`.
    key : tuple or None
        Identifies what it was computed from.
    """

    meta: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    key: Key | None = None


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


class Availability(NamedTuple):
    """What a view can show without a model call.

    Attributes
    ----------
    is_shown : bool
        Whether its content answers the request, perhaps coarsely.
    is_complete : bool
        Whether nothing is left to do.
    """

    is_shown: bool
    is_complete: bool


class View(ABC):
    """One view of a model: its inputs, its replacements, its computation and its static picture.

    A view declares `name`, `reads`, `replacements`, `compute` and `html`. All else has a default:
    the model is called for the replacements, then the content is computed and published as a
    whole. Views that take long override `steps` to publish their content piece by piece.

    Parameters
    ----------
    explainer : Explainer

    Attributes
    ----------
    name : str
        Of its part in a frame and of its columns; the same as of its front end.
    reads : tuple of str
        Inputs that decide its content. Rows and weights (``tau``, ``stress_feature``,
        ``ice_filter``) need no mention: they reach it as `Populations`.
    is_overview : bool
        Whether its static picture stands in the left column, which compares all features, and
        not in the right one.
    content : Content
        The latest content; replaced as a whole, for a heartbeat may publish it from another
        thread.
    """

    name: ClassVar[str]
    reads: ClassVar[tuple[str, ...]] = ()
    is_overview: ClassVar[bool] = False

    def __init__(self, explainer: Explainer) -> None:
        self.explainer = explainer
        self.content = Content()
        # By what was attempted; not attempted again while the inputs ask for the same.
        self._failures: dict[Key, str] = {}

    # What a view declares.

    def replacements(self, _inputs: Inputs) -> Sequence[Replacement]:
        """Return the replacements for which the model has to be called; none by default."""
        return ()

    @abstractmethod
    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Compute the content from what the model answered."""

    def html(self, _inputs: Inputs, _population: Population, _check: Callable[[], None]) -> str:
        """Draw the static picture from what is known, without a model call; empty if nothing is.

        It may be drawn on another thread than the content is computed on, for the population of
        the inputs; ``_check`` is called now and then, and what it raises ends the drawing.
        """
        return ""

    def results(
        self, _inputs: Inputs, _populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the frozen results with the numbers of the content, by what they are of.

        None by default. The first is the one that orders or fills the picture. The model is asked
        only for what is no longer cached.
        """
        return {}

    def ghost(
        self, _pinned: Inputs, _populations: Populations, _check: Callable[[], None]
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of a pinned view that are drawn under the present one.

        None by default. Their names begin with ``ghost``; the model is never asked for them.
        """
        return {}

    # How it is brought up to date.

    def is_ready(self, inputs: Inputs) -> bool:
        """Whether `compute` needs no model call."""
        return all(self.explainer.evaluations.is_cached(q) for q in self.replacements(inputs))

    def show_cached(self, work: Work) -> Availability:
        """Bring the content up to date as far as that needs no model call."""
        key, is_shown = self._input_key(work.inputs), False
        if work.populations is None or self.has_failed(key):
            return Availability(is_shown=False, is_complete=False)

        def show() -> None:
            nonlocal is_shown
            if self.is_ready(work.inputs):
                self._update(work)
                is_shown = True

        self.attempt(work, key, show)
        return Availability(is_shown, is_complete=is_shown)

    def steps(self, work: Work) -> Iterable[Step]:
        """Return what is left to do after `show_cached`."""

        def run() -> None:
            self.explainer.evaluations.prepare(
                self.replacements(work.inputs), lambda _: work.report(self.name)
            )
            self._update(work)

        def attempt() -> None:
            if work.populations is not None:
                self.attempt(work, self._input_key(work.inputs), run)
                work.send()

        return [Step(Urgency.PICKED, attempt)]

    def published(self, _work: Work) -> Content:
        """Return the content as the next frame shows it."""
        return self.content

    def is_stale(self, work: Work) -> bool:
        """Whether the content is not that of the request."""
        populations = work.populations
        return populations is None or self.content.key != self._key(work.inputs, populations)

    def seconds_ahead(self, _inputs: Inputs) -> float:
        """Model time, in seconds, that will be needed; 0 where its steps report it themselves."""
        return 0.0

    def notes(self, _inputs: Inputs) -> Iterable[str]:
        """Return sentences on limits that the view cannot go beyond."""
        return ()

    def learner_part(self, _refitted: Refitted) -> LearnerPart | None:
        """Return what a learner adds to this view; None where it adds nothing."""
        return None

    def unfinished(self, _inputs: Inputs) -> str | None:
        """Say where the view was stopped, such as "at 3 of 10 shuffles"; None if it is complete."""
        return None

    # What tau moves.

    def over_tau(self, _inputs: Inputs) -> Sequence[Track]:
        """Return the parts of the content that tau moves; see `uqwidgets.widgets.over_tau`.

        None by default: the view then follows the frames of the kernel while tau moves.
        """
        return ()

    def texts_over_tau(self, _level: Level) -> dict[str, str]:
        """Return texts of the content that are others at tau = -1 or 1; names as in `Track`."""
        return {}

    def profile_over_tau(self, _level: Level) -> Samples:
        """Return columns that draw what a frame has over tau more finely."""
        return {}

    # Failures.

    def attempt(self, work: Work, key: Key, run: Callable[[], None]) -> bool:
        """Run a part of the work; False where it fails, or has failed before."""
        if key not in self._failures:
            try:
                run()
                return True
            except SupersededError:
                raise
            except Exception as error:  # noqa: BLE001  a view that fails leaves the others
                is_sentence = isinstance(error, ValueError)
                self._failures[key] = str(error) if is_sentence else in_one_line(error)
            except BaseException as error:  # noqa: BLE001
                # An exit or an interrupt on this thread can only be the model's own.
                why = in_one_line(error)
                self._failures[key] = f"the model ended the work on {self.name}: {why}"
        work.errors.append(self._failures[key])
        return False

    def has_failed(self, key: Key) -> bool:
        """Whether this part of the work failed and is not attempted again."""
        return key in self._failures

    @property
    def failures(self) -> tuple[str, ...]:
        """Sentences on what failed and is not attempted again."""
        return tuple(self._failures.values())

    def forget_failures(self, inputs: Inputs) -> None:
        """Forget the failures that the inputs do not ask for any more."""
        self._failures = {
            k: why for k, why in self._failures.items() if self.is_requested(k, inputs)
        }

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether the inputs ask for a part of the work again."""
        return key == self._input_key(inputs)

    def _key(self, inputs: Inputs, populations: Populations) -> Key:
        return (self._input_key(inputs), populations.key)

    def _input_key(self, inputs: Inputs) -> Key:
        return tuple(getattr(inputs, name) for name in self.reads)

    def _update(self, work: Work) -> None:
        assert work.populations is not None
        if self.is_stale(work):
            content = self.compute(work.inputs, work.populations)
            key = self._key(work.inputs, work.populations)
            self.content = Content(content.meta, content.columns, key)


class Work:
    """The work on one request: its progress, its errors, and the frames that show them.

    Parameters
    ----------
    inputs : Inputs
    ticket : Ticket
    timing : Timing
    views : sequence of View
    compose : callable
        Called to publish a frame, with whether it is the last one of the request.
    choose : callable
        Called with the features, the most important first, where none is picked yet.
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
    errors, notes : list of str
        Sentences that the next frame shows.
    """

    def __init__(
        self,
        inputs: Inputs,
        ticket: Ticket,
        timing: Timing,
        views: Sequence[View],
        compose: Callable[[bool], None],
        choose: Callable[[Sequence[str]], None],
        busy_since: float,
    ) -> None:
        self.inputs = inputs
        self.timing = timing
        self.rows: Populations | None = None
        self.progress: Estimate | None = None
        self.errors: list[str] = []
        self.notes: list[str] = []
        self._ticket = ticket
        self._views = tuple(views)
        self._compose = compose
        self._choose = choose
        self._sending = Lock()
        self._has_ended = False
        self._total = Total(timing.clock, busy_since)
        self._started = self._published = timing.clock()

    @property
    def populations(self) -> Populations | None:
        """The rows with their weights; None where there are no rows, or no such weights."""
        return self.rows if self.rows is not None and self.rows.is_reachable else None

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for this work to end."""
        return self._ticket.stopped

    @property
    def seconds(self) -> float:
        """Time between the start of the work and the latest frame, in seconds."""
        return self._published - self._started

    def check(self) -> None:
        """Raise `SupersededError` if a newer request came or the work was stopped."""
        self._ticket.check()

    def wait_for_rest(self) -> None:
        """Wait until the control rests; raises `SupersededError` as soon as it moves."""
        self._ticket.rest(self.timing.rest)

    def choose(self, features: Sequence[str]) -> None:
        """Pick the first of the features where none is picked, which may make this work obsolete.

        The first that has a mean to move is stressed.
        """
        self._choose(features)
        self.check()

    def seconds_ahead(self, besides: View | None = None) -> float:
        """Model time, in seconds, that the views will need, without the view ``besides``."""
        return sum(v.seconds_ahead(self.inputs) for v in self._views if v is not besides)

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
        if is_news or self.timing.clock() - self._published > self.timing.frame_interval:
            self.send()

    def set_progress(
        self, what: str, done: int = 0, total: int = 0, seconds_left: float | None = None
    ) -> None:
        """Set the progress that the next frame shows; see `report`."""
        ends = None if seconds_left is None else self.timing.clock() + seconds_left
        self.progress = Estimate(what, done, total, ends)

    @property
    def shown_progress(self) -> dict[str, Any] | None:
        """Progress as a frame shows it now."""
        return self._total.shown(self.progress)

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
        # Also while a newer request waits for the end of a model call.
        with self._sending:
            silence = self.timing.clock() - self._published
            if not self._has_ended and silence > self.timing.heartbeat:
                self._publish(final=False)

    def _publish(self, *, final: bool) -> None:
        self._has_ended = final
        self._published = self.timing.clock()
        self._compose(final)
