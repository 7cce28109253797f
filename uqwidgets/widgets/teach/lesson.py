"""The base of the teaching widgets: inputs that are declared once, and one frame an answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import anywidget
import traitlets as t

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.errors import in_one_line
from uqwidgets.datasets import Process
from uqwidgets.widgets.checks import brief
from uqwidgets.widgets.frames import SCHEMA, pack
from uqwidgets.widgets.front_end import bundle
from uqwidgets.widgets.input_traits import SYNCED
from uqwidgets.widgets.lifetime import ClosedAtTheEnd


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


class Answer(NamedTuple):
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


class Lesson(ClosedAtTheEnd, anywidget.AnyWidget):
    """One idea on one screen: predict, do, explain.

    A lesson declares its texts and inputs, and `_answer`, which computes what is shown by the
    library's public functions. The base checks what the browser sends, shows errors as sentences
    and keeps the last answer beside them.

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

    _seq = t.Int(0).tag(**SYNCED)
    _about = t.Dict().tag(**SYNCED)
    _frame = t.Dict().tag(**SYNCED)

    def __init__(self, **inputs: Any) -> None:
        names = self._input_names()
        for name in inputs:
            if name not in names:
                raise TypeError(unknown(f"input of {type(self).__name__}", name, list(names)))
        self._holds = True
        self._refused: dict[str, str] = {}
        self._shown = Answer({}, {})
        super().__init__(_about=self._describe(), **inputs)
        self._holds = False
        self.observe(self._input_changed, names=list(names))
        self._publish()

    @classmethod
    def _input_names(cls) -> tuple[str, ...]:
        """Return the names of the inputs, in alphabetical order."""
        traits = cls.class_traits()
        return tuple(sorted(name for name, trait in traits.items() if isinstance(trait, Input)))

    @abstractmethod
    def _answer(self) -> Answer:
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
        if not accepted and not refused:
            return
        self._refused = refused
        with self._one_answer():
            super().set_state(accepted)
        for name in refused:
            self.send_state(name)

    @contextmanager
    def _one_answer(self) -> Iterator[None]:
        """Answer several changes together, at the end."""
        self._holds = True
        try:
            yield
        finally:
            self._holds = False
            self._publish()

    def _input_changed(self, change: Mapping[str, Any]) -> None:
        if not self._holds:
            self._refused.pop(change["name"], None)
            self._publish()

    def _publish(self) -> None:
        error = "; ".join(self._refused.values()) or None
        try:
            self._shown = self._answer()
        except Exception as problem:  # noqa: BLE001  the page shows it, beside the last answer
            sentences = [error, f"This could not be computed. {in_one_line(problem)}"]
            error = " ".join(filter(None, sentences))
        inputs = {name: getattr(self, name) for name in self._input_names()}
        meta = {**self._shown.meta, "explanation": self._shown.explanation, "error": error}
        self._frame = pack(self._seq, inputs, meta, self._shown.columns)

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
