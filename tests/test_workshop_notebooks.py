"""The notebooks of the workshop and of the review run, and the learners' checks are honest."""

from __future__ import annotations

import ast
import re

import nbformat
import numpy as np
import pytest

import uqwidgets as uq
from run_notebooks import execute, read, run

EXERCISES, SOLUTIONS = "workshop/exercises.ipynb", "workshop/solutions.ipynb"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.delenv("UQ_NOTEBOOKS", raising=False)
    monkeypatch.delenv("UQ_PAPER_DATA", raising=False)


def tagged(name, tag):
    return [cell.source for cell in read(name).cells if tag in cell.metadata.get("tags", [])]


def test_solutions_are_the_exercises_with_answers():
    left_out = {"answer", "solution"}
    exercises, solutions = (
        [c.source for c in read(name).cells if not left_out & set(c.metadata.get("tags", []))]
        for name in (EXERCISES, SOLUTIONS)
    )
    assert exercises[1:] == solutions[1:]
    assert tagged(EXERCISES, "answer") == [f"answer_{k} = None" for k in range(1, 7)]
    assert len(tagged(SOLUTIONS, "answer")) == len(tagged(SOLUTIONS, "solution")) == 6


# By session, an answer that a learner may give, and what the check says of it.
WRONG = {
    1: ('"x5"', "x5 is not right"),
    2: ('ex.importance("nll", ["x6"]).importance[0]', "is too small"),  # of the loss
    3: ("surface.near.sum()", "is too large"),  # those that are near
    4: ("len(ex.table)", "is too large"),
    5: ("widths[1] / widths[0]", "is too small"),
    6: ("1", "is too small"),
}


@pytest.fixture(scope="module")
def solved(kernel):
    """Return what the solutions print if each check is followed by one of a wrong answer."""
    notebook = read(SOLUTIONS)
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type == "code" and (session := re.search(r"^check\((\d),", cell.source, re.M)):
            wrong, _ = WRONG[int(session[1])]
            source = re.sub(r"answer_\d", wrong, cell.source)
            cells.append(nbformat.v4.new_code_cell(source))
    notebook.cells = cells
    return [text.strip() for text in execute(notebook, SOLUTIONS, kernel)]


@pytest.mark.thorough
def test_every_answer_of_the_solutions_is_right(solved):
    verdicts = [text for text in solved if text.startswith("Session ")][::2]
    assert [verdict[:16] for verdict in verdicts] == [f"Session {k}: right" for k in range(1, 7)]
    assert solved[-1].startswith("It holds no row")


@pytest.mark.thorough
def test_every_check_tells_wrong_answers_from_right_ones(solved):
    verdicts = [text for text in solved if text.startswith("Session ")]
    assert len(verdicts) == 12
    for session, (_, sentence) in WRONG.items():
        right, wrong = verdicts[2 * session - 2 : 2 * session]
        assert right.startswith(f"Session {session}: right.")
        assert wrong.startswith(f"Session {session}: ")
        assert sentence in wrong
        assert wrong.endswith("Try again.")


@pytest.mark.thorough
def test_the_exercises_run_before_anybody_has_answered(kernel):
    texts = [text for text in run(EXERCISES, kernel) if text.startswith(("Session", "Pin"))]
    assert texts[:-1] == [
        f"Session {k}: there is no answer yet. Replace None by your answer.\n" for k in range(1, 7)
    ]
    assert texts[-1].startswith("Pin a view first")


def test_the_notebook_of_the_teacher_has_the_numbers_of_its_text(kernel):
    texts = run("workshop/teacher.ipynb", kernel)
    ranking, rises, verdicts, stress, hits, times = [text for text in texts if text]
    assert "x3 > x1" in ranking
    x6 = next(line.split() for line in rises.splitlines() if line.startswith("x6"))
    assert float(x6[2]) > float(x6[1])  # the entropy shouts
    assert "'Gaussian process': 'doubts'" in verdicts
    assert "'forest': 'bluffs'" in verdicts
    assert "reachable by a lower mean, by a higher mean: " in stress
    counts = [int(n) for n in re.findall(r": (\d+)", hits)]
    assert counts[:3] == sorted(counts[:3])
    by_rows, by_patients = counts[3:]
    assert by_rows < 25 < 45 <= by_patients
    assert times.count(" s\n") == 2


@pytest.fixture
def check():
    """Return the function by which learners check an answer."""
    (setup,) = tagged(EXERCISES, "setup")
    (function,) = [node for node in ast.parse(setup).body if getattr(node, "name", None) == "check"]
    names = {"np": np}
    exec(compile(ast.Module([function], []), EXERCISES, "exec"), names)
    return names["check"]


@pytest.mark.parametrize(
    ("answer", "truth", "tolerance", "sentence"),
    [
        (None, 2.0, 0.1, "Session 1: there is no answer yet. Replace None by your answer."),
        (2.05, 2.0, 0.1, "Session 1: right. The number is 2."),
        (np.float64(2.2), 2.0, 0.1, "Session 1: 2.2 is too large. Try again."),
        (-1, 2.0, 0.1, "Session 1: -1 is too small. Try again."),
        (7, np.int64(7), 0.0, "Session 1: right. The number is 7."),
        ("many", 2.0, 0.1, "Session 1: the answer is a number, and 'many' is not."),
        ("x1", "x1", 0.0, "Session 1: right. It is x1."),
        ("x2", "x1", 0.0, "Session 1: x2 is not right. Try again."),
        (2, "x1", 0.0, "Session 1: the answer is a name, and 2 is a number."),
    ],
)
def test_a_check_says_whether_an_answer_is_right(check, capsys, answer, truth, tolerance, sentence):
    check(1, answer, lambda: truth, tolerance)
    assert capsys.readouterr().out == f"{sentence}\n"


def test_without_an_answer_nothing_is_computed(check, capsys):
    check(1, None, lambda: pytest.fail("the truth was computed"))
    assert "no answer yet" in capsys.readouterr().out


def test_the_teacher_has_ninety_minutes():
    text = "\n".join(cell.source for cell in read("workshop/teacher.ipynb").cells)
    times = [tuple(map(int, pair)) for pair in re.findall(r"^\| (\d+) to (\d+) \|", text, re.M)]
    assert times == [(15 * k, 15 * k + 15) for k in range(6)]
    for first, last in times:
        assert f"(minutes {first} to {last})" in text


def test_the_teacher_can_hand_out_a_page_of_all_lessons():
    (cell,) = tagged("workshop/teacher.ipynb", "fallback")
    for name in uq.teach.__all__:
        if name != "save":
            assert name in "\n".join(c.source for c in read("workshop/teacher.ipynb").cells)
    saved = []

    names = {"uq": uq, "ex": small_explainer(), "place": uq.teach.ThePlaceNobodyHasBeen()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uq.teach, "save", lambda path, lessons, **_: saved.append((path, lessons)))
        exec(cell.replace('FALLBACK = ""', 'FALLBACK = "page.html"'), names)
    ((path, lessons),) = saved
    assert path == "page.html"
    kinds = {type(lesson).__name__ for lesson in lessons}
    assert kinds == set(uq.teach.__all__) - {"save"}
    for lesson in lessons:
        lesson.close()


def small_explainer():
    X = np.random.default_rng(0).normal(size=(30, 3))
    return uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])


@pytest.mark.thorough
def test_the_review_ends_with_a_page(kernel):
    texts = run("review.ipynb", kernel)
    assert all(texts)
    scores = texts[1].splitlines()
    assert scores[0].startswith("Scores with 95% intervals, 600 rows")
    shares = {line.split()[0]: line.split()[1:] for line in texts[7].splitlines()[1:]}
    # The model finds fewer of the high incomes of women, although its error rate is lower there.
    assert float(shares["women"][2]) < float(shares["men"][2])
    difference = next(line for line in texts[5].splitlines() if "error_rate" in line)
    assert float(difference.split()[3]) < 0
    assert texts[8].startswith("0 more calls of the model")
    assert texts[-1].startswith("It holds no row")
    assert "2 pins" in texts[-1]
