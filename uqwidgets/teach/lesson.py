"""The base of the teaching widgets: inputs that are declared once, and one frame an answer."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import get_ident
from typing import Any, ClassVar, NamedTuple

import anywidget
import traitlets as t

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.options import brief
from uqwidgets.datasets import Process
from uqwidgets.evaluation.progress import Progress
from uqwidgets.teach.page import SavableLesson
from uqwidgets.widgets.inputs.traits import SYNCED
from uqwidgets.widgets.kernel.frames import SCHEMA, pack
from uqwidgets.widgets.kernel.front_end import WholeState, bundle
from uqwidgets.widgets.kernel.interruptions import PausedError, SupersededError
from uqwidgets.widgets.kernel.scheduler import Scheduler, Ticket, heartbeat

# Seconds after which the page is told that the work goes on.
_BEAT = 1.0
_STOPPED = "The work was stopped, and the last picture stays; choose again to go on."


class Input(t.TraitType[Any, Any]):
    """A public trait that the page sets too, with the check of its values.

    Parameters
    ----------
    default : object
    check : callable
        ``check(lesson, value)`` returns the value in its one form, or raises a ValueError.
    """

    def __init__(self, default: Any, check: Callable[[Any, Any], Any]) -> None:
        super().__init__(default_value=default)
        self._check = check
        self.tag(**SYNCED)

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value that the trait gets."""
        return self._check(obj, value)

    def get(self, obj: Any, cls: Any = None) -> Any:
        """Return the value, or that of the state that a page is computed for."""
        elsewhere = vars(obj).get("_elsewhere")
        if elsewhere and self.name in elsewhere and get_ident() == obj._elsewhere_thread:
            return elsewhere[self.name]
        return super().get(obj, cls)


class LessonAnswer(NamedTuple):
    """What a lesson shows for its present inputs.

    Attributes
    ----------
    meta : dict
        Plain values for the picture.
    columns : dict of str to ndarray
        Numbers for the picture.
    explanation : tuple of str
        Sentences that explain what is seen, with its numbers; empty before there is anything.
    """

    meta: dict[str, Any]
    columns: dict[str, Any]
    explanation: tuple[str, ...] = ()


class Lesson(SavableLesson, WholeState, anywidget.AnyWidget):
    """One idea on one screen: predict, do, explain.

    A lesson declares its texts and inputs, and `_answer`, which computes what is shown by the
    library's public functions. The base checks what the browser sends, shows errors as sentences
    and keeps the last answer beside them.

    Answers are computed on a worker thread, the first one too: a lesson is shown at once, with the
    progress of the work. A change in Python waits for its answer. The page does not wait: it can
    stop the work, or choose something else, which ends it too.

    Parameters
    ----------
    **inputs
        Initial values of the inputs.

    Raises
    ------
    TypeError
        For an input that does not exist.
    ValueError
        For a value that an input cannot have.
    """

    _esm = bundle("teach.js")
    _css = bundle("teach.css")

    #: Name of the front end's part, and the texts of the page.
    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    task: ClassVar[str]

    def __init__(self, **inputs: Any) -> None:
        names = self._input_names()
        for name in inputs:
            if name not in names:
                raise TypeError(unknown(f"input of {type(self).__name__}", name, list(names)))
        self._holds = True
        self._refused: dict[str, str] = {}
        self._shown: LessonAnswer | None = None
        self._shown_inputs: dict[str, Any] | None = None
        self._answered = 0
        self._ticket: Ticket | None = None
        # How far the work is: the present one of so many steps, and the share of it that is done.
        self._step, self._share = (0, 1), 0.0
        # Python may read results while the worker computes others.
        self._computing = threading.RLock()
        self._scheduler = Scheduler(self._work)
        super().__init__(_about=self._describe(), **inputs)
        self._holds = False
        self.observe(self._input_changed, names=list(names))
        self._show(busy=True)
        self._scheduler.request()

    @classmethod
    def _input_names(cls) -> tuple[str, ...]:
        """Return the names of the inputs, in alphabetical order."""
        traits = cls.class_traits()
        return tuple(sorted(name for name, trait in traits.items() if isinstance(trait, Input)))

    @property
    def state(self) -> dict[str, Any]:
        """The inputs by name: what the learner did so far.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> with uq.teach.WhatTheBarCovers(guess=48) as widget:
        ...     widget.state
        {'guess': 48, 'interval': 'fixed-data', 'samples': 0, 'table': 'rows'}
        """
        return {name: getattr(self, name) for name in self._input_names()}

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all requests of the page are answered.

        Parameters
        ----------
        timeout : float, optional
            In seconds.

        Returns
        -------
        bool
            False if it took longer.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> with uq.teach.WhatTheBarCovers() as widget:
        ...     widget.wait()
        True
        """
        return self._scheduler.wait(timeout)

    def close(self) -> None:
        """End the work, and close the widget.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> uq.teach.WhatTheBarCovers().close()
        """
        # A lesson whose parameters are refused is closed too, before it has a worker.
        if "_scheduler" in vars(self):
            self._scheduler.close()
        super().close()

    @abstractmethod
    def _answer(self) -> LessonAnswer:
        """Compute what is shown for the present inputs."""

    def _facts(self) -> dict[str, Any]:
        """Return plain values that no input changes, for the controls of the page."""
        return {}

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Set the valid inputs of a message from the browser, and answer it."""
        accepted: dict[str, Any] = {}
        refused: dict[str, str] = {}
        for name in self._input_names():
            if name in sync_data:
                try:
                    trait = self.traits()[name]
                    accepted[name] = trait.validate(self, sync_data[name])
                except ValueError as error:
                    refused[name] = str(error)
        number = sync_data.get("_seq")
        # A number far beyond the latest comes from no page and would leave no next number.
        if type(number) is int and 0 <= number <= self._seq + 1_000_000:
            accepted["_seq"] = number
        if type(sync_data.get("_stop")) is int:
            self._scheduler.stop()
        if not accepted and not refused:
            return
        self._refused = refused
        with self._held():
            super().set_state(accepted)
        self._scheduler.request()
        for name in refused:
            self.send_state(name)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Answer no change yet."""
        self._holds = True
        try:
            yield
        finally:
            self._holds = False

    def _input_changed(self, change: Mapping[str, Any]) -> None:
        if not self._holds:
            self._refused.pop(change["name"], None)
            self._publish()

    def _publish(self) -> None:
        """Answer a change in Python, and wait for the answer."""
        self._scheduler.request()
        try:
            self._scheduler.wait()
        except KeyboardInterrupt:
            self._scheduler.stop()
            raise

    def _check(self, progress: Progress | None = None) -> None:
        """Note the progress of long work, and end it if something else was chosen.

        Raises
        ------
        SupersededError
            If it is to end.
        """
        if progress is not None and progress.rows_total:
            self._share = progress.rows_done / progress.rows_total
        ticket = self._ticket
        if ticket is not None:
            ticket.check()

    def _begin(self, step: int, steps: int) -> None:
        """Note that one of several steps of long work begins, and end it if it is to end."""
        self._step, self._share = (step, steps), 0.0
        self._check()

    def _work(self, ticket: Ticket) -> None:
        inputs, seq = self.state, self._seq
        error = "; ".join(self._refused.values()) or None
        try:
            with heartbeat(lambda: self._show(busy=True), _BEAT):
                answer = self._computed(ticket)
            ticket.check()
        except SupersededError as end:
            if isinstance(end, PausedError) or not ticket.stopped:
                raise
            error = _STOPPED
        except Exception as problem:  # noqa: BLE001  the page shows it, beside the last answer
            ticket.give_back(problem)
            ticket.check()
            sentences = [error, f"This could not be computed. {in_one_line(problem)}"]
            error = " ".join(filter(None, sentences))
        else:
            self._shown, self._shown_inputs = answer, inputs
        self._answered = seq
        self._show(error)

    def _computed(self, ticket: Ticket) -> LessonAnswer:
        with self._computing:
            self._ticket = ticket
            self._step, self._share = (0, 1), 0.0
            try:
                return self._answer()
            finally:
                self._ticket = None

    def _show(self, error: str | None = None, *, busy: bool = False) -> None:
        """Send the last answer, with the inputs that it is of."""
        inputs = self.state if self._shown_inputs is None else self._shown_inputs
        answer = LessonAnswer({}, {}) if self._shown is None else self._shown
        step, steps = self._step
        meta = {
            **answer.meta,
            "explanation": (*answer.explanation, *self._scheduler.user.notes),
            "error": error,
            "busy": busy,
            "progress": (step + self._share) / steps if busy else None,
            "empty": self._shown is None,
        }
        self._frame = pack(self._answered, inputs, meta, answer.columns)

    def _describe(self) -> dict[str, Any]:
        texts = {name: getattr(self, name) for name in ("name", "title", "question", "task")}
        return {"schema": SCHEMA, **texts, **self._facts()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}: run this in a notebook to use the widget."


def counted(count: int, noun: str) -> str:
    """Return "1 row" or "2 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def checked_process(process: Any) -> Process:
    """Return the process, or raise a TypeError."""
    if not isinstance(process, tuple) or len(process) != 3:
        raise TypeError(
            f"process is a {type(process).__name__}; pass a uq.datasets.Process, such as "
            "uq.datasets.LINEAR."
        )
    return Process(*process)


def one_of_texts(value: Any, what: str, known: tuple[str, ...]) -> str:
    """Return a text that is one of those known, or raise a ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is {brief(value)}; it must be a text.")
    if value not in known:
        raise ValueError(unknown(what, value[:80], list(known)))
    return value
