"""Lifetime of the widget: scripts that end, forks, closing, hiding, display and garbage."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import comm
import ipywidgets
import numpy as np
import pytest
from ipywidgets.widgets import widget as registry

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.views.importance.view import ImportanceView
from widgets.conftest import Broken, Counting, Gated, table

TESTS = Path(__file__).parents[2]


def script(body: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a script in a new process in which `Gated`, `table` and `uq` are imported."""
    head = "import os, sys, threading, time\nimport uqwidgets as uq\n"
    head += "from widgets.conftest import Gated, table\n"
    return subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(body)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_widget_that_is_pickled_or_copied_says_what_to_do(
    explainer: uq.Explainer, copied: Callable[[Any], Any]
) -> None:
    with (
        uq.Explorer(explainer, n_repeats=2) as explorer,
        uq.ImportanceView(explainer, n_repeats=2) as view,
        uq.teach.GuessTheRanking(explainer) as lesson,
    ):
        for widget in (explorer, view, lesson):
            sentence = f"class {type(widget).__name__} cannot be pickled or copied.*keep its state"
            with pytest.raises(TypeError, match=sentence):
                copied(widget)


@pytest.mark.parametrize("closed", thorough_after(1, [True, False]), ids=["closed", "open"])
def test_a_script_ends_after_the_current_model_call_without_another(
    closed: bool,
) -> None:
    ended = script(
        f"""
        class Slow(Gated):
            slow = False

            def predict_proba(self, X):
                answer = super().predict_proba(X)
                if self.slow:
                    self.called.set()
                    time.sleep(.5)
                    print("answered", flush=True)
                return answer

        model = Slow()
        widget = uq.Explorer(uq.Explainer(model, *table(2000)))
        assert widget.wait(30)
        model.slow = True
        widget.n_repeats = 200  # many blocks
        assert model.called.wait(10)
        if {closed}:
            widget.close()
        """
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "answered\n"
    assert ended.stderr == ""


@pytest.mark.thorough
def test_a_script_ends_while_the_worker_waits_for_rest() -> None:
    ended = script(
        """
        from uqwidgets.widgets.kernel.timing import Timing

        class Waiting(uq.Explorer):
            _timing = Timing(before_following=3600.0)

        widget = Waiting(uq.Explainer(Gated(), *table()), n_repeats=2)
        assert widget.wait(30)
        """,
        timeout=50,
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_process_forked_during_work_has_its_own_worker() -> None:
    ended = script(
        """
        import warnings
        warnings.simplefilter("ignore")
        model = Gated()
        explainer = uq.Explainer(model, *table())
        widget = uq.Explorer(explainer, n_repeats=3)
        assert widget.wait(30)
        model.gate.clear()
        widget.n_repeats = 6
        assert model.called.wait(10)
        child = os.fork()
        if child == 0:
            model.gate = threading.Event()
            model.gate.set()
            assert len(explainer.importance("nll", n_repeats=5).features) == 4
            assert widget.wait(20)
            widget.tau = .5
            assert widget.wait(20)
            frame = widget._frame
            assert frame["meta"]["importance"]["n_repeats"] == 6, frame["meta"]["error"]
            assert frame["inputs"]["tau"] == .5
            os._exit(7)
        deadline = time.monotonic() + 30
        status = (0, 0)
        while status == (0, 0) and time.monotonic() < deadline:
            status = os.waitpid(child, os.WNOHANG)
            time.sleep(.05)
        if status == (0, 0):
            os.kill(child, 9)
        print("child", os.waitstatus_to_exitcode(status[1]))
        model.gate.set()
        assert widget.wait(20)
        """
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "child 7\n", ended.stderr


def test_close_closes_the_default_layout_only(explainer: uq.Explainer) -> None:
    before = set(registry._instances)
    with uq.Explorer(explainer, n_repeats=2):
        assert len(set(registry._instances) - before) == 2, "the widget and its layout"
    assert set(registry._instances) == before
    shared = ipywidgets.Layout(width="50%")
    with uq.Explorer(explainer, n_repeats=2, layout=shared):
        pass
    assert shared.comm is not None, "another widget may use this layout"
    shared.close()


def test_a_widget_closes_when_the_browser_closes_its_connection(explainer: uq.Explainer) -> None:
    widget = uq.Explorer(explainer, n_repeats=2)
    assert widget.wait(15)
    widget.comm.handle_close({})
    assert widget.comm is None
    frame = widget._frame
    widget.tau = 0.7
    assert widget.wait(5)
    assert widget._frame is frame, "a closed widget computes nothing"


class CommOfShinywidgets:
    """What shinywidgets sets while a widget is made: it has no `on_close`."""

    comm_id, kernel = "placeholder", None

    def send(self, *_: Any, **__: Any) -> None:
        pass

    on_msg = close = send


def test_a_host_may_replace_the_comm(explainer: uq.Explainer) -> None:
    def place(widget: ipywidgets.Widget) -> None:
        widget.comm = CommOfShinywidgets()

    ipywidgets.Widget.on_widget_constructed(place)
    try:
        widget = uq.Explorer(explainer, n_repeats=2)
    finally:
        ipywidgets.Widget.on_widget_constructed(None)
    assert widget.wait(15)
    widget.comm = comm.create_comm(target_name="jupyter.widget")
    widget.comm.handle_close({})
    assert widget.comm is None


def test_the_worker_sends_in_the_context_of_the_session(explainer: uq.Explainer) -> None:
    session: ContextVar[str] = ContextVar("session", default="none")
    session.set("of this page")
    widget = uq.Explorer(explainer, n_repeats=2)
    senders = []
    widget.observe(
        lambda _: senders.append((threading.current_thread().name, session.get())), "_frame"
    )
    widget.n_repeats = 3
    assert widget.wait(15)
    assert ("uqwidgets", "of this page") in senders
    widget.close()


def test_in_marimo_the_worker_is_a_thread_of_marimo(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until 0.20, marimo drops what another thread sends."""

    class Thread(threading.Thread):
        pass

    marimo = SimpleNamespace(Thread=Thread, running_in_notebook=lambda: True)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    senders = []
    with uq.Explorer(explainer, n_repeats=2) as widget:
        widget.observe(lambda _: senders.append(threading.current_thread()), "_frame")
        widget.n_repeats = 3
        assert widget.wait(15)
    assert any(isinstance(sender, Thread) for sender in senders)


def test_a_hidden_widget_pauses_until_it_is_shown_again(
    gated: tuple[Gated, uq.Explorer],
) -> None:
    model, widget = gated
    widget.set_state({"_view_count": 1})
    model.gate.clear()
    widget.n_repeats = 200
    assert model.called.wait(10)
    widget.set_state({"_view_count": 0})
    threading.Timer(0.1, model.gate.set).start()
    assert widget._scheduler.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] < 200
    widget.set_state({"_view_count": 1})
    assert widget._scheduler.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] == 200
    widget.set_state({"_view_count": 0})
    widget.n_repeats = 210
    assert widget.wait(15)
    assert widget._frame["meta"]["importance"]["n_repeats"] == 210, (
        "wait() in Python computes the frame of a hidden widget"
    )


def test_an_unreferenced_hidden_widget_is_freed_when_another_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connections: list[Any] = []  # a kernel keeps them too

    def connect(**kwargs: Any) -> Broken:
        connections.append(Broken(**kwargs))
        return connections[-1]

    monkeypatch.setattr(comm, "create_comm", connect)
    references: list[weakref.ref[uq.Explorer]] = []
    explainers: list[weakref.ref[uq.Explainer]] = []

    def show() -> uq.Explorer:
        explainer = uq.Explainer(Counting(), *table())
        widget = uq.Explorer(explainer, n_repeats=2)
        assert widget.wait(15)
        for worker in threading.enumerate():
            if worker.name == "uqwidgets":
                worker.join(5)
        widget.set_state({"_view_count": 1})
        references.append(weakref.ref(widget))
        explainers.append(weakref.ref(explainer))
        return widget

    def remove(widget: uq.Explorer) -> None:
        widget.set_state({"_view_count": 0})

    first = show()
    remove(first)
    for _ in range(3):
        remove(show())
    displayed_id = show().model_id
    assert [reference() is not None for reference in references] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert [reference() is not None for reference in explainers] == [
        True,
        False,
        False,
        False,
        True,
    ]
    first.set_state({"_view_count": 1, "tau": 0.5, "_seq": 1})
    assert first.wait(15)
    assert first._frame["inputs"]["tau"] == 0.5, "a referenced widget still works"
    for widget in (first, references[-1]()):
        assert registry._instances[widget.model_id] is widget
        widget.close()
    assert displayed_id not in registry._instances


@pytest.mark.parametrize("interval", ["fixed-data", "quantile", "u-statistic"])
def test_a_widget_can_be_displayed_after_one_repeat(explainer: uq.Explainer, interval: str) -> None:
    ignore = lambda *_: None  # noqa: E731
    inputs = Inputs(feature="a", indicator="error_rate", interval=interval)
    session = Session(explainer, SimpleNamespace(weights=None))
    session.view(ImportanceView).repeats(inputs).extend(1, ignore)
    html = static_picture(session, inputs)
    assert "Not everything was computed" in html
    is_ranked = "Likelihood loss (nll)" in html
    assert is_ranked == (interval == "u-statistic"), "an interval over repeats needs two"


def test_pickling_an_explainer_is_an_error_that_names_alternatives(explainer: uq.Explainer) -> None:
    for write in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot be pickled or copied.*pickle the model, X"):
            write(explainer)
    result = explainer.importance("nll", n_repeats=2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)).importance, result.importance)
