"""Shuffle one column: rows and bars are those of the explainer, and the verdict follows them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.wire import columns

N = 120


def unsure_where_copies_differ(X):
    """Return a model that is less sure where a feature and its copy differ."""
    return X["alone"] + X["one"], np.exp(abs(X["one"] - X["copy"]))


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=["alone", "one", "unused"])
    X["copy"] = X["one"]
    y = X["alone"] + X["one"] + rng.normal(size=N)
    return uq.Explainer(unsure_where_copies_differ, X, y)


@pytest.fixture
def lesson(explainer):
    with uq.teach.ShuffleOneColumn(explainer) as widget:
        assert widget.wait(60)
        yield widget


def explanation(lesson):
    assert lesson._frame["meta"]["error"] is None
    return " ".join(lesson._frame["meta"]["explanation"])


def test_rows_that_have_their_new_value_are_those_of_the_first_repeat(lesson, explainer):
    lesson.feature, lesson.rows = "one", 7
    shown = columns(lesson._frame)
    rows = list(lesson.shown_rows)
    assert len(rows) == 24
    replaced = explainer.replaced("one", ["nll", "entropy"]).frame.set_index("row")
    for i, measure in enumerate(("nll", "entropy")):
        before, after = replaced[f"{measure}_before"][rows], replaced[measure][rows[:7]]
        assert np.array_equal(shown[f"{measure}.before"], before)
        assert np.array_equal(shown[f"{measure}.after"], after)
        assert np.isclose(shown["bars"][i, 0], (after - before[:7]).mean())
        assert np.isnan(shown["bars"][i, 1:]).all()
    values = explainer.table.column("one")
    meta = lesson._frame["meta"]
    assert meta["own"] == [f"{values[row]:.3g}" for row in rows]
    assert meta["new"] == [f"{values[donor]:.3g}" for donor in replaced["donor"][rows[:7]]]
    assert "7 rows of 24" in explanation(lesson)


@pytest.mark.parametrize(("repeats", "n_repeats"), [(1, 1), (6, 6), (21, "all")])
def test_bars_of_all_rows_are_the_importance(lesson, explainer, repeats, n_repeats):
    lesson.feature, lesson.rows, lesson.repeats = "alone", 24, repeats
    shown = columns(lesson._frame)["bars"]
    for i, measure in enumerate(("nll", "entropy")):
        result = explainer.importance(measure, ["alone"], n_repeats=n_repeats)
        assert np.array_equal(shown[i], [result.importance[0], result.low[0], result.high[0]])
        assert lesson.importance(measure).n_repeats == n_repeats
    assert f"{shown[0, 0]:.3g} nats" in explanation(lesson)


@pytest.mark.parametrize(
    ("feature", "truth", "sentence"),
    [
        ("alone", "nll", "the likelihood loss rises more"),
        ("copy", "entropy", "the entropy rises more"),
        ("unused", "neither", "neither clearly rises more"),
    ],
)
def test_the_guess_is_compared_with_the_interval_of_the_difference(
    lesson, feature, truth, sentence
):
    lesson.feature, lesson.rows, lesson.repeats = feature, 24, 5
    assert sentence.capitalize() in explanation(lesson)
    for guess in ("nll", "entropy", "neither"):
        lesson.guess = guess
        start = "You were right" if guess == truth else "You expected otherwise"
        assert f"{start}: {sentence}" in explanation(lesson)


def test_a_step_asks_the_model_only_for_what_is_new(lesson, explainer):
    lesson.feature, lesson.rows, lesson.repeats = "one", 24, 1
    n_evaluated = explainer.rows_evaluated
    lesson.rows = 3
    lesson.guess = "nll"
    lesson.rows = 24
    assert explainer.rows_evaluated == n_evaluated
    lesson.repeats = 2
    assert explainer.rows_evaluated <= n_evaluated + N


def test_wrong_values_of_the_browser_change_nothing(lesson):
    for name, value in [
        ("rows", 25),
        ("rows", True),
        ("repeats", 0),
        ("feature", "x"),
        ("guess", 1),
    ]:
        before = getattr(lesson, name)
        lesson.set_state({name: value, "_seq": lesson._seq + 1})
        lesson.wait()
        assert getattr(lesson, name) == before
        assert name in lesson._frame["meta"]["error"]


def test_a_model_without_entropy_is_refused_with_the_reason():
    point = uq.Explainer(lambda X: X[:, 0], np.arange(10.0)[:, None], np.arange(10.0))
    with pytest.raises(ValueError, match="nll"):
        uq.teach.ShuffleOneColumn(point)


def test_a_large_table_offers_no_pairs_of_all_rows():
    X = np.random.default_rng(0).normal(size=(501, 1))
    explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
    with uq.teach.ShuffleOneColumn(explainer, rows=24, repeats=20) as lesson:
        assert lesson.wait(60)
        assert lesson.most_repeats == 20
        with pytest.raises(ValueError, match=r"repeats is 21; it lies within \[1, 20\]"):
            lesson.repeats = 21
