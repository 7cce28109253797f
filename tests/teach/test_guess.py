"""Guess the ranking: nothing is shown before, ties count for nobody, and errors are sentences."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.importance import Settings
from uqwidgets.importance.order import pairwise_differences
from uqwidgets.inference.population import Population
from widgets.wire import columns

SLOPES = np.array([0.05, 1.0, 0.95, 0.5])


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return uq.Explainer(lambda X: X @ SLOPES, X, X @ SLOPES + rng.normal(size=150))


@pytest.fixture
def lesson(explainer):
    with uq.teach.GuessTheRanking(explainer, "squared_error") as widget:
        assert widget.wait(60)
        yield widget


def test_the_page_has_no_importance_before_it_is_shown(lesson):
    assert lesson._frame["meta"]["explanation"] == []
    assert lesson._frame["cols"] == {}
    assert sorted(lesson.order) == ["x0", "x1", "x2", "x3"]


def test_the_bars_are_those_of_the_explainer(lesson, explainer):
    lesson.revealed = True
    result = explainer.importance("squared_error")
    assert lesson._frame["meta"]["features"] == list(result.features)
    shown = columns(lesson._frame)
    for name in ("importance", "low", "high"):
        assert np.array_equal(shown[name], getattr(result, name))


def test_the_score_leaves_out_pairs_whose_difference_is_not_clear(lesson, explainer):
    differences = pairwise_differences(
        explainer.evaluations,
        explainer.measure("squared_error"),
        explainer.features,
        Population.of(150),
        Settings(),
    )
    clear = {
        tuple(sorted(pair)) for pair, one in differences.items() if not one.low <= 0 <= one.high
    }
    # The slopes of x1 and x2 are nearly the same.
    assert clear == {tuple(sorted(pair)) for pair in combinations(explainer.features, 2)} - {
        ("x1", "x2")
    }
    lesson.revealed = True
    for order, right in [
        (("x1", "x2", "x3", "x0"), 5),
        (("x2", "x1", "x3", "x0"), 5),
        (("x0", "x3", "x2", "x1"), 0),
        (("x3", "x1", "x2", "x0"), 3),
    ]:
        lesson.order = order
        assert lesson.score == (right, 5)
        explanation = " ".join(lesson._frame["meta"]["explanation"])
        assert f"{right} of the 5 clear pairs" in explanation
        assert "1 pair is a tie" in explanation
    # In the last order x3 stands before x1 and x2.
    wrong = dict(zip(lesson.importance.features, lesson._frame["meta"]["wrong"], strict=True))
    assert wrong == {"x0": 0, "x1": 1, "x2": 1, "x3": 2}


def test_orders_of_the_browser_are_checked(lesson):
    before = lesson.order
    for value in (["x0"], "x0", [1, 2, 3, 4], ["x0", "x0", "x1", "x2"], None):
        lesson.set_state({"order": value, "_seq": lesson._seq + 1})
        lesson.wait()
        assert lesson.order == before
        assert "order is" in lesson._frame["meta"]["error"]
        assert lesson._frame["seq"] == lesson._seq
    lesson.set_state({"order": ["x3", "x2", "x1", "x0"], "_seq": lesson._seq + 1})
    lesson.wait()
    assert lesson.order == ("x3", "x2", "x1", "x0")
    assert lesson._frame["meta"]["error"] is None


def test_the_browser_sets_inputs_only(lesson):
    about, frame = lesson._about, lesson._frame
    lesson.set_state({"_about": {}, "_frame": {}, "layout": "x", "unknown": 1})
    assert lesson._about == about
    assert lesson._frame == frame
    lesson.set_state({"_seq": 10**9})
    assert lesson._seq == 0


def test_errors_say_what_to_do(explainer):
    with pytest.raises(
        TypeError, match="there is no input of GuessTheRanking 'ordr'; did you mean"
    ):
        uq.teach.GuessTheRanking(explainer, "squared_error", ordr=())
    with pytest.raises(ValueError, match=r"1 feature; a person can order 2 to 12"):
        uq.teach.GuessTheRanking(explainer, "squared_error", ["x0"])
    with pytest.raises(ValueError, match="revealed is 3; it must be True or False"):
        uq.teach.GuessTheRanking(explainer, "squared_error", revealed=3)


def test_a_lesson_shows_what_cannot_be_computed_and_keeps_the_last_answer(lesson, monkeypatch):
    lesson.revealed = True
    shown = lesson._frame["meta"]["features"]

    monkeypatch.setattr(lesson, "_explanation", lambda _: 1 / 0)
    lesson.order = tuple(reversed(lesson.order))
    assert lesson._frame["meta"]["features"] == shown
    assert lesson._frame["meta"]["error"] == (
        "This could not be computed. ZeroDivisionError: division by zero"
    )
