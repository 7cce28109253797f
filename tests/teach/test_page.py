"""Saved pages of lessons: every state has the answer of the kernel, and limits are said."""

from __future__ import annotations

import base64
import json
import re
import zlib
from itertools import islice

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.teach import place
from widgets.wire import columns

DTYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u1": "u1"}


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return uq.Explainer(lambda X: (X[:, 0] + 0.9 * X[:, 1], np.ones(len(X))), X, X[:, 0])


def wide(p):
    X = np.random.default_rng(0).normal(size=(30, p))
    return uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])


class Page:
    """What a page holds of its lessons, read as its script reads it."""

    def __init__(self, path):
        match = re.search(r'id="uq-store">(.*?)</script>', path.read_text("utf-8"))
        chunks = {name: base64.b64decode(text) for name, text in json.loads(match[1]).items()}
        self.index = json.loads(zlib.decompress(chunks[""]))
        self.bytes = zlib.decompress(chunks["columns"])

    def states(self, lesson=0):
        """Yield every state with its answer: plain values, columns and sentences."""
        for group in self.index["lessons"][lesson]["groups"]:
            for *values, answer in group["states"]:
                yield dict(zip(group["names"], values, strict=True)), self.answer(answer)

    def answer(self, number):
        answer = self.index["answers"][number]
        held = {name: self.column(which) for name, which in answer["cols"].items()}
        return answer["meta"], held, [self.index["texts"][i] for i in answer["explanation"]]

    def column(self, number):
        column = self.index["columns"][number]
        data = self.bytes[column["at"] : column["at"] + column["nbytes"]]
        return np.frombuffer(data, DTYPES[column["dtype"]]).reshape(column["shape"])


def saved(lesson, tmp_path):
    lesson.save(tmp_path / "lesson.html", progress=False)
    return Page(tmp_path / "lesson.html")


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Make a map of few places."""
    monkeypatch.setattr(place, "_STEPS", 5)


def lessons(explainer):
    hollow = uq.datasets.make_hollow(60)
    unsure = lambda X: (X["x1"], np.exp(2 - X.abs().max(axis=1)))  # noqa: E731
    return {
        "guess": uq.teach.GuessTheRanking(explainer),
        "shuffle": uq.teach.ShuffleOneColumn(explainer),
        "target": uq.teach.StressToATarget(explainer, target=0.2),
        "place": uq.teach.ThePlaceNobodyHasBeen(uq.Explainer(unsure, *hollow)),
        "refits": uq.teach.ManyRefits(estimator=LinearRegression(), n=60, n_refits=3),
    }


@pytest.mark.parametrize(
    "name", thorough_after(2, ["target", "refits", "guess", "place", "shuffle"])
)
def test_a_page_holds_the_answers_of_the_kernel(name, explainer, tmp_path):
    lesson = lessons(explainer)[name]
    before = lesson.state
    page = saved(lesson, tmp_path)
    assert lesson.state == before
    states = list(page.states())
    for state, (meta, held, sentences) in islice(states, 0, None, max(1, len(states) // 40)):
        for input_name, value in state.items():
            setattr(lesson, input_name, value)
        assert lesson.wait(60)
        frame = lesson._frame
        assert {k: frame["meta"][k] for k in meta} == meta
        assert frame["meta"]["explanation"] == sentences
        shown = columns(frame)
        assert set(shown) == set(held)
        for column, values in held.items():
            np.testing.assert_array_equal(values, shown[column])
    lesson.close()


def test_every_choice_of_a_learner_has_one_answer_in_the_page(explainer, tmp_path):
    """Walk at random through what the controls can ask for."""
    rng = np.random.default_rng(0)
    lesson = lessons(explainer)["shuffle"]
    page = saved(lesson, tmp_path)
    groups = [
        (group["names"], {json.dumps(state[:-1]) for state in group["states"]})
        for group in page.index["lessons"][0]["groups"]
    ]
    for _ in range(300):
        at = {
            "feature": str(rng.choice(explainer.features)),
            "rows": int(rng.integers(25)),
            "repeats": int(rng.integers(1, 22)),
            "guess": str(rng.choice(["", "nll", "entropy", "neither"])),
        }
        hits = [json.dumps([at[name] for name in names]) in states for names, states in groups]
        assert sum(hits) == 1
    lesson.close()


def test_the_page_opens_in_the_present_state(explainer, tmp_path):
    with uq.teach.GuessTheRanking(explainer, order=("x2", "x1", "x0"), revealed=True) as lesson:
        page = saved(lesson, tmp_path)
    start = page.index["lessons"][0]["inputs"]
    assert start == {"order": ["x2", "x1", "x0"], "revealed": True}


@pytest.mark.thorough
def test_more_features_than_a_page_holds_need_the_notebook(tmp_path):
    with uq.teach.StressToATarget(wide(10), target=0.2, feature="x9") as lesson:
        page = saved(lesson, tmp_path)
    about = page.index["lessons"][0]["about"]
    assert about["unavailable"] == ["x7", "x8"]
    assert about["note"] == "The other 2 features need the notebook: this page holds 8."
    features = {state["feature"] for state, _ in page.states()}
    assert features == {*(f"x{j}" for j in range(7)), "x9"}


def test_the_score_of_one_of_many_orders_needs_the_notebook(tmp_path):
    with uq.teach.GuessTheRanking(wide(9)) as lesson:
        page = saved(lesson, tmp_path)
    states = list(page.states())
    assert [state for state, _ in states] == [{"revealed": False}, {"revealed": True}]
    meta, _, sentences = states[1][1]
    assert not any(meta["wrong"])
    assert not any("You ordered" in sentence for sentence in sentences)
    assert "score of your order needs the notebook" in page.index["lessons"][0]["about"]["note"]


def test_a_page_of_several_lessons_and_its_errors(explainer, tmp_path):
    every = lessons(explainer)
    few = [every["guess"], every["shuffle"]]
    page = uq.teach.save(tmp_path / "few.html", few, title="Two <lessons>", progress=False)
    assert page.rows.startswith("It holds no row. It holds the values of the features")
    text = (tmp_path / "few.html").read_text("utf-8")
    assert "Two &lt;lessons&gt;" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert len(Page(tmp_path / "few.html").index["lessons"]) == 2
    with pytest.raises(ValueError, match="there is no lesson to save"):
        uq.teach.save(tmp_path / "none.html", [])
    with pytest.raises(TypeError, match=r"lessons hold a int; pass widgets of uq\.teach"):
        uq.teach.save(tmp_path / "none.html", [3])
    assert not (tmp_path / "none.html").exists()
    for lesson in every.values():
        lesson.close()


def test_a_frozen_lesson_is_the_output_of_a_cell(explainer):
    with uq.teach.GuessTheRanking(explainer) as lesson:
        html = lesson.freeze(height=700, progress=False)._repr_html_()
        assert 'title="Guess the ranking"' in html
        assert "height: 700px" in html
        with pytest.raises(ValueError, match="height is 0"):
            lesson.freeze(height=0)
        with pytest.raises(ValueError, match="height is 1000000; it is at most 100,000"):
            lesson.freeze(height=1_000_000)
