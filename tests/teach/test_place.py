"""The place nobody has been: the models predict once, and numbers and verdicts are theirs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.datasets import make_hollow
from widgets.wire import columns

N = 200


class Model:
    """A normal distribution whose width is a function of the place; counts its rows."""

    def __init__(self, width):
        self.width = width
        self.calls = self.rows = 0

    def __call__(self, X):
        self.calls += 1
        self.rows += len(X)
        return X["x1"] + 2 * X["x2"] + X["other"], self.width(X)


def far_from_border(X):
    return np.exp(2 - X[["x1", "x2"]].abs().max(axis=1))


@pytest.fixture(scope="module")
def table():
    X, y = make_hollow(N)
    return X.assign(other=np.arange(N, dtype=float)), y


@pytest.fixture
def models():
    return {"sure": Model(lambda X: np.full(len(X), 0.5)), "unsure": Model(far_from_border)}


@pytest.fixture
def lesson(table, models):
    explainer = uq.Explainer(
        models["sure"], *table, name="sure", others={"unsure": models["unsure"]}
    )
    truth = lambda X: (X["x1"] + X["x2"]) ** 2  # noqa: E731
    with uq.teach.ThePlaceNobodyHasBeen(explainer, truth=truth, row=7) as widget:
        assert widget.wait(60)
        yield widget


def explanation(lesson):
    assert lesson._frame["meta"]["error"] is None
    return " ".join(lesson._frame["meta"]["explanation"])


def test_the_page_has_no_number_of_a_model_before_the_guess(lesson):
    lesson.place = (0, 0)
    lesson.revealed = True
    assert lesson._frame["meta"]["explanation"] == []
    assert set(lesson._frame["cols"]) == {"grid.0", "grid.1", "rows.0", "rows.1"}


def test_moving_the_point_asks_the_models_nothing(lesson, models):
    first, second = lesson.grids
    for model in models.values():
        # Each place once, and the rows as they are, for which two explainers may ask.
        assert model.rows <= len(first) * len(second) + 2 * N
    before = [(model.calls, model.rows) for model in models.values()]
    lesson.guess = "unsure"
    lesson.revealed = True
    for place in [(0, 0), (1.5, -0.3), (-1.9, 1.9)]:
        lesson.place = place
        for name in lesson.models:
            lesson.model = name
            assert explanation(lesson)
    assert [(model.calls, model.rows) for model in models.values()] == before


def test_curves_and_the_map_are_what_the_models_predict(lesson, table, models):
    lesson.guess, lesson.place, lesson.revealed, lesson.model = "none", (0.4, -1.1), True, "unsure"
    shown = columns(lesson._frame)
    first, second = shown["grid.0"], shown["grid.1"]
    X, _ = table
    for j, grid in enumerate((first, second)):
        assert np.allclose(grid, np.linspace(X.iloc[:, j].min(), X.iloc[:, j].max(), 33))
        assert lesson.place[j] in grid
    along = pd.DataFrame({"x1": first, "x2": lesson.place[1], "other": 7.0})
    for k, model in enumerate(models.values()):
        q = uq.Normal(*map(np.asarray, model(along)))
        assert np.allclose(shown["prediction"][k], q.mean())
        assert np.allclose([shown["low"][k], shown["high"][k]], q.interval(0.95))
        assert np.allclose(shown["entropy"][k], q.entropy())
        at_rows = uq.Normal(*map(np.asarray, model(X))).entropy()
        assert shown["usual"][k] == pytest.approx(np.quantile(at_rows, 0.95))
    assert np.allclose(shown["truth"], (first + lesson.place[1]) ** 2)
    every = pd.DataFrame({"x1": np.repeat(first, 33), "x2": np.tile(second, 33), "other": 7.0})
    q = uq.Normal(*map(np.asarray, models["unsure"](every)))
    assert np.allclose(shown["map"].ravel(), q.entropy())


def test_a_model_bluffs_where_it_is_sure_without_rows(lesson, table):
    lesson.guess = "unsure"
    lesson.place = (0, 0)
    assert lesson.verdicts == {"sure": "bluffs", "unsure": "doubts"}
    text = explanation(lesson)
    assert "There are no rows around" in text
    entropy = 0.5 * np.log(2 * np.pi * np.e * 0.25)
    assert f"its entropy is {entropy:.3g} nats, no more than" in text
    X, _ = table
    at_row = tuple(X.loc[(X["x1"] > 1.6) & (X["x2"].abs() < 1)].iloc[0, :2])
    lesson.place = at_row
    assert lesson.verdicts == {"sure": "is sure", "unsure": "is sure"}
    assert "There are rows around" in explanation(lesson)


def test_the_guess_is_compared_in_the_emptiest_place(lesson, table):
    X, _ = table
    to_rows = np.abs(np.array(lesson.emptiest) - X[["x1", "x2"]].to_numpy())
    assert to_rows.max(axis=1).min() > 1.2
    lesson.revealed = True
    for guess in ("sure", "unsure", "none"):
        lesson.guess = guess
        mark = "You were right" if guess == "unsure" else "You expected otherwise"
        assert f"{mark}: unsure becomes the most unsure in the emptiest place" in explanation(
            lesson
        )
        assert "sure shows no more doubt there than usual" in explanation(lesson)


def test_no_model_may_doubt(table):
    explainer = uq.Explainer(lambda X: (X["x1"], np.ones(len(X))), *table, name="sure")
    with uq.teach.ThePlaceNobodyHasBeen(explainer, guess="none", revealed=True) as lesson:
        assert lesson.wait(60)
        assert "You were right: no model is more unsure" in explanation(lesson)
        assert "the true" not in explanation(lesson).lower()


def test_classes_have_no_interval(table):
    X, _ = table
    y = np.where(X["x1"] > 0, "right", "left")

    def probabilities(X):
        right = 1 / (1 + np.exp(-X["x1"]))
        return np.column_stack([1 - right, right])

    model = uq.as_predictive(probabilities, classes=["left", "right"])
    with uq.teach.ThePlaceNobodyHasBeen(uq.Explainer(model, X, y), guess="none") as lesson:
        assert lesson.wait(60)
        assert np.isnan(columns(lesson._frame)["low"]).all()
        assert "interval" not in explanation(lesson)


def test_wrong_values_of_the_browser_change_nothing(lesson):
    for name, value in [
        ("place", [0]),
        ("place", [0, 9]),
        ("place", ["a", 0]),
        ("place", None),
        ("guess", "forest"),
        ("model", ""),
        ("revealed", 1),
    ]:
        before = getattr(lesson, name)
        lesson.set_state({name: value, "_seq": lesson._seq + 1})
        lesson.wait()
        assert getattr(lesson, name) == before
        assert name in lesson._frame["meta"]["error"]


def test_errors_say_what_to_do(table):
    X, y = table
    explainer = uq.Explainer(lambda X: (X["x1"], np.ones(len(X))), X, y)
    with pytest.raises(ValueError, match="a map needs two different numeric features"):
        uq.teach.ThePlaceNobodyHasBeen(explainer, ["x1", "x1"])
    with pytest.raises(ValueError, match=r"row is 200; it lies within \[0, 199\]"):
        uq.teach.ThePlaceNobodyHasBeen(explainer, row=200)
    with pytest.raises(ValueError, match="truth returned an array of shape"):
        uq.teach.ThePlaceNobodyHasBeen(explainer, truth=lambda X: X)
    with pytest.raises(ValueError, match="entropy"):
        uq.teach.ThePlaceNobodyHasBeen(uq.Explainer(lambda X: X["x1"], X, y))


def test_by_default_a_process_doubts_and_two_models_bluff_and_miss_the_truth():
    with uq.teach.ThePlaceNobodyHasBeen(guess="Gaussian process", revealed=True) as lesson:
        assert lesson.wait(60)
        lesson.place = lesson.emptiest
        assert lesson.verdicts == {
            "forest": "bluffs",
            "Gaussian process": "doubts",
            "network": "bluffs",
        }
        text = explanation(lesson)
        assert text.count("without the truth") == 2
        assert "You were right: Gaussian process becomes the most unsure" in text
        assert "forest and network show no more doubt there than usual" in text
