"""Whatever Python or a page sets a trait to: it takes the value, or says what it must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from inspect import signature
from typing import Any

import comm
import numpy as np
import pandas as pd
import pytest
import traitlets as t

import uqwidgets as uq
from browser.bridge import QueueComm
from uqwidgets.teach.lesson import Lesson
from uqwidgets.widgets.inputs.inputs import NAMES
from widgets.random_messages import ANYTHING
from widgets.session.test_messages import send
from widgets.session.test_random_messages import explainer as explainer


class Hostile:
    """A value that raises errors wherever it can."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("not comparable")


HOSTILE = (
    *ANYTHING, "not a name", object, -np.inf, np.array([1.0, 2.0]), np.array(3), np.float64(0.5),
    np.int64(3), np.bool_(True), np.datetime64("NaT"), Decimal("0.1"), pd.NA, pd.NaT, {1, 2}, {"a"},
    frozenset(), len, 1j, date(2024, 1, 1), pd.Series([1]), pd.DataFrame({"a": [1]}), range(3),
    (1, 2), [["a"]], [{"a": [1]}], [float("nan")], [{"feature": ["a"], "value": 1}], {1: 2}, b"x",
    {"feature": "a"}, Hostile(), [Hostile()], ..., [1, "a"], [{"feature": {}, "values": [[]]}],
    [{"feature": "a", "low": {}, "high": None}],
)  # fmt: skip
# Those of ipywidgets that connect a widget to its page.
OF_THE_CONNECTION = {"comm", "keys", "log"}
# What Python and traitlets say of their own accord.
RAW = re.compile(
    r"trait of|expected an? |unhashable|not iterable|object is not|not supported|ambiguous|"
    r"unexpected keyword|object has no|invalid literal|could not convert"
)


def public_traits(kind: type[t.HasTraits]) -> list[str]:
    names = [name for name in kind.class_trait_names() if not name.startswith("_")]
    return sorted(set(names) - OF_THE_CONNECTION)


def check_sentence(error: BaseException | str, what: str) -> None:
    if isinstance(error, BaseException):
        assert isinstance(error, ValueError), f"{what}: {error!r}"
    text = str(error)
    assert text.endswith((".", "?")), f"{what}: {text}"
    assert len(text.splitlines()) == 1, f"{what}: {text}"
    assert len(text) < 400, f"{what}: {text}"
    assert not RAW.search(text), f"{what}: {text}"


def refused(call: Callable[[Any], object], what: str) -> int:
    """Call a function with every value; count those that it refuses, each with a sentence."""
    count = 0
    for value in HOSTILE:
        try:
            call(value)
        except Exception as error:  # noqa: BLE001  checked here
            check_sentence(error, f"{what}, {type(value).__name__}")
            count += 1
    return count


@pytest.fixture
def widget(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch) -> Iterator[uq.Explorer]:
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with uq.Explorer(explainer, n_repeats=2, ice_lines=3) as widget:
        # What is computed of the values is not what this is about.
        monkeypatch.setattr(widget._scheduler, "request", lambda: None)
        monkeypatch.setattr(widget._publisher.shown, "wait", lambda _timeout=None: True)
        yield widget


def test_every_trait_of_an_explorer_refuses_values_with_a_sentence(widget: uq.Explorer) -> None:
    names = public_traits(uq.Explorer)
    assert set(NAMES) < set(names)
    for name in names:
        before = getattr(widget, name)

        def assign(value: Any, name: str = name) -> None:
            setattr(widget, name, value)

        def together(value: Any, name: str = name) -> None:
            with widget.hold_trait_notifications():
                setattr(widget, name, value)

        assert refused(assign, f"{name} is set") > 10
        widget.set_trait(name, before)
        assert refused(together, f"{name} is set with others") > 10
        # What was refused is put back.
        widget.set_trait(name, getattr(widget, name))


def test_every_input_of_a_page_is_refused_with_a_sentence(widget: uq.Explorer) -> None:
    for name in (*NAMES, "pins"):
        for value in HOSTILE:
            widget._input_error = None
            send(widget, {name: value})
            for error in filter(None, [widget._input_error]):
                check_sentence(error, f"{name} of a page, {type(value).__name__}")


@pytest.mark.parametrize(
    "name", ["tau", "n_repeats", "center", "ice_filter", "feature", "pins", "layout", "shown_model"]
)
def test_an_explorer_is_made_of_valid_values_alone(explainer: uq.Explainer, name: str) -> None:
    def make(value: Any) -> None:
        uq.Explorer(explainer, **{"n_repeats": 2, name: value}).close()

    assert refused(make, f"an explorer with {name}") > 10


@pytest.mark.parametrize("kind", Lesson.__subclasses__(), ids=lambda kind: kind.__name__)
def test_every_input_of_a_lesson_is_refused_with_a_sentence(
    kind: type[Lesson], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lesson, "_answer", lambda _self: None)
    monkeypatch.setattr("uqwidgets.widgets.kernel.scheduler.Scheduler.request", lambda _: None)
    X = np.random.default_rng(0).normal(size=(40, 2))
    explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
    needed = [explainer] if "explainer" in signature(kind).parameters else []
    with kind(*needed) as lesson:
        for name in public_traits(kind):

            def assign(value: Any, name: str = name) -> None:
                setattr(lesson, name, value)

            def of_page(value: Any, name: str = name) -> None:
                lesson._refused = {}
                lesson.set_state({name: value})
                for error in lesson._refused.values():
                    raise ValueError(error)

            def make(value: Any, name: str = name) -> None:
                kind(*needed, **{name: value}).close()

            calls = [assign, of_page] if name in lesson.state else [assign]
            if name == next(iter(lesson.state)):
                calls.append(make)
            assert all(refused(call, f"{name} of {kind.__name__}") > 10 for call in calls)
