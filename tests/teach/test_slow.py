"""A lesson of a slow or failing model: it says so, can be stopped, and keeps what it had."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.teach import lesson as base
from widgets.wire import columns

WAIT = 30


class Model:
    """A model whose calls wait while `closed`, and fail while `fails`."""

    def __init__(self):
        self.open = threading.Event()
        self.open.set()
        self.began = threading.Event()
        self.fails = False
        self.calls = 0

    def __call__(self, X):
        self.calls += 1
        self.began.set()
        assert self.open.wait(WAIT)
        if self.fails:
            raise RuntimeError("the model is out of order")
        return X[:, 0], np.ones(len(X))


@pytest.fixture
def model():
    one = Model()
    yield one
    one.open.set()


@pytest.fixture
def lesson(model, monkeypatch):
    monkeypatch.setattr(base, "_BEAT", 0.01)
    X = np.random.default_rng(0).normal(size=(40, 2))
    with uq.teach.ShuffleOneColumn(uq.Explainer(model, X, X[:, 0]), rows=24) as widget:
        assert widget.wait(60)
        yield widget


def ask(lesson, **inputs):
    lesson.set_state({**inputs, "_seq": lesson._seq + 1})


def until(is_true):
    ends = time.monotonic() + WAIT
    while not is_true():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.005)


def hold(lesson, model, **inputs):
    """Ask for something that the model works on until it is opened."""
    model.open.clear()
    model.began.clear()
    ask(lesson, **inputs)
    assert model.began.wait(WAIT)


def test_the_page_hears_that_the_work_goes_on_and_keeps_the_picture(lesson, model):
    before = columns(lesson._frame)["bars"]
    hold(lesson, model, repeats=5)
    until(lambda: lesson._frame["meta"]["busy"])
    assert lesson._frame["seq"] < lesson._seq
    assert lesson._frame["inputs"]["repeats"] == 1
    assert np.array_equal(columns(lesson._frame)["bars"], before)
    model.open.set()
    assert lesson.wait(WAIT)
    assert not lesson._frame["meta"]["busy"]
    assert (lesson._frame["seq"], lesson._frame["inputs"]["repeats"]) == (lesson._seq, 5)


def test_a_lesson_is_shown_before_its_first_answer(model):
    X = np.random.default_rng(0).normal(size=(40, 2))
    lessons = (
        uq.teach.GuessTheRanking,
        uq.teach.ShuffleOneColumn,
        uq.teach.ThePlaceNobodyHasBeen,
    )
    explainers = [uq.Explainer(model, X, X[:, 0]) for _ in lessons]
    model.open.clear()
    shown = [lesson(one) for lesson, one in zip(lessons, explainers, strict=True)]
    for lesson in shown:
        meta = lesson._frame["meta"]
        assert (meta["busy"], meta["empty"], meta["error"]) == (True, True, None)
    model.open.set()
    for lesson in shown:
        assert lesson.wait(WAIT)
        meta = lesson._frame["meta"]
        assert (meta["busy"], meta["empty"], meta["error"]) == (False, False, None)
        lesson.close()


def test_the_page_hears_how_much_of_the_work_is_done(lesson, model):
    model.calls = 0
    hold(lesson, model, repeats=20)
    until(lambda: lesson._frame["meta"]["progress"] == 0)
    model.open.set()
    assert lesson.wait(WAIT)
    assert lesson._frame["meta"]["progress"] is None
    with lesson._computing:
        lesson._begin(1, 4)
        lesson._check(uq.Progress(rows_done=50, rows_total=100, seconds_left=1.0))
        lesson._show(busy=True)
    assert lesson._frame["meta"]["progress"] == (1 + 0.5) / 4


def test_stop_ends_the_work_after_the_call_that_runs(lesson, model):
    before = columns(lesson._frame)["bars"]
    hold(lesson, model, repeats=20)
    calls = model.calls
    lesson.set_state({"_stop": 1})
    model.open.set()
    until(lambda: lesson._frame["seq"] == lesson._seq)
    assert "The work was stopped" in lesson._frame["meta"]["error"]
    assert model.calls == calls
    assert np.array_equal(columns(lesson._frame)["bars"], before)
    ask(lesson, repeats=20)
    assert lesson.wait(WAIT)
    assert lesson._frame["meta"]["error"] is None
    assert lesson._frame["inputs"]["repeats"] == 20


def test_another_choice_ends_the_work_on_the_last_one(lesson, model):
    hold(lesson, model, repeats=20)
    calls = model.calls
    ask(lesson, repeats=1)
    model.open.set()
    assert lesson.wait(WAIT)
    assert lesson._frame["meta"]["error"] is None
    assert lesson._frame["inputs"]["repeats"] == 1
    assert model.calls == calls


def test_a_model_that_fails_leaves_the_picture_and_its_inputs(lesson, model):
    before = columns(lesson._frame)["bars"]
    model.fails = True
    for _ in range(2):
        ask(lesson, repeats=3)
        assert lesson.wait(WAIT)
        assert "the model is out of order" in lesson._frame["meta"]["error"]
        assert lesson._frame["seq"] == lesson._seq
        assert lesson._frame["inputs"]["repeats"] == 1
        assert np.array_equal(columns(lesson._frame)["bars"], before)
    model.fails = False
    ask(lesson, repeats=3)
    assert lesson.wait(WAIT)
    assert lesson._frame["meta"]["error"] is None
    assert lesson._frame["inputs"]["repeats"] == lesson.repeats == 3


def test_a_change_in_python_waits_for_its_answer(lesson):
    lesson.repeats = 4
    assert lesson._frame["inputs"]["repeats"] == 4
    assert lesson.state == {"feature": "x0", "guess": "", "repeats": 4, "rows": 24}


def test_a_lesson_that_is_closed_ends_its_work(lesson, model):
    hold(lesson, model, repeats=20)
    calls = model.calls
    lesson.close()
    model.open.set()
    until(lambda: lesson._scheduler.worker is None)
    assert model.calls == calls


def test_a_lesson_works_where_no_thread_starts(monkeypatch):
    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with uq.teach.WhatTheBarCovers(n=20, samples=3) as lesson:
        assert lesson.wait(60)
        assert len(columns(lesson._frame)["value"]) == 3
        ask(lesson, samples=5)
        assert lesson.wait()
        assert len(columns(lesson._frame)["value"]) == 5
