"""Reviews are read back from saved pages; what is damaged or foreign is refused in one sentence."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.widgets.page import read_review, seal
from widgets.damages import damages

N_DAMAGES, N_PARTS = 500, 10
# The first runs with every change, the second in the thorough run, and all before a release.
PARTS = [0, 1, *(pytest.param(part, marks=pytest.mark.slow) for part in range(2, N_PARTS))]
HOSTILE = "</script><img src=x onerror=alert(1)>"
ANSWERS = {
    "verdict": "approved with conditions",
    "reviewer": "R. Viewer",
    "date": "2026-01-31",
    "comment": f"first line\nsecond {HOSTILE}",
    "pins": ["see the second row"],
}


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["length", HOSTILE])
    X["kind"] = pd.Categorical(np.where(X["length"] > 0, "+1", "=low"))
    y = X["length"] + rng.normal(size=60)

    def model(X):
        return X["length"].to_numpy(), np.full(len(X), 0.5)

    with uq.explore(model, X, y, stress_feature="length", n_repeats=2, tau=0.5) as widget:
        widget.pin("lengths were larger")
        widget.tau, widget.feature = 0.0, "kind"
        widget.pin()
        yield widget


@pytest.fixture(scope="module")
def saved(explorer, tmp_path_factory):
    path = tmp_path_factory.mktemp("reviews") / "page.html"
    return explorer.save(path, stress_features=["length"], lines=0, progress=False)


def answered(saved, path, answers):
    """Write a page with answers as its script does."""
    text = saved.path.read_text("utf-8")
    stored = json.dumps({**answers, "page": saved.sha256}).replace("<", "\\u003c")
    text = text.replace('id="uq-answers">{}<', f'id="uq-answers">{stored}<')
    (of_seal,) = re.findall(r'id="uq-seal">(.*?)</script>', text)
    facts = json.loads(of_seal)
    facts["sum"] = seal._digest_of_rest(seal.parsed(text), facts)
    path.write_text(text.replace(of_seal, json.dumps(facts)), "utf-8")
    return path


def test_a_page_knows_its_size_and_its_hash(saved):
    content = saved.path.read_bytes()
    text = content.decode("utf-8")
    facts = json.loads(re.findall(r'id="uq-seal">(.*?)</script>', text)[0])
    assert facts["bytes"] == len(content) == saved.nbytes
    assert facts["page"] == saved.sha256
    assert re.fullmatch("[0-9a-f]{64}", saved.sha256)
    assert f"SHA-256 {saved.sha256[:8]}." in repr(saved)
    # A sentence stands before the picture, one before all that can be cut, and one at the end.
    places = [m.start() for m in re.finditer(f'<b class="uq-bytes">{len(content):,}</b>', text)]
    assert len(places) == 3
    assert places[0] < text.index("<title>") < places[1] < text.index('id="uq-still"') < places[2]
    assert text.endswith("ends here.</p>")


def test_answers_and_what_they_answer_to_are_read(explorer, saved, tmp_path):
    path = answered(saved, tmp_path / "answered.html", ANSWERS)
    review = uq.read_review(path)
    assert review.path == path
    for name in ("verdict", "reviewer", "date", "comment"):
        assert getattr(review, name) == ANSWERS[name]
    assert review.sha256 == saved.sha256
    assert [pin.note for pin in review.pins] == ["lengths were larger", ""]
    assert [pin.comment for pin in review.pins] == ["see the second row", ""]
    assert review.frame["comment"].tolist() == ["see the second row", ""]
    assert review.provenance["Data"]["sha256 of X"] == explorer.provenance()["sha256"]["X"]
    assert review.provenance["Versions"]["numpy"] == np.__version__
    before = explorer.tau, explorer.feature
    try:
        explorer.state = review.pins[0].state
        assert explorer.tau == 0.5
    finally:
        explorer.tau, explorer.feature = before
    assert "approved with conditions by R. Viewer on 2026-01-31. 2 pins" in repr(review)
    assert "pin 1, lengths were larger: see the second row" in repr(review)
    html = review._repr_html_()
    assert "R. Viewer" in html
    assert "<img src=x" not in html
    with pytest.raises(AttributeError):
        review.verdict = "approved"


def test_frames_are_those_of_the_results(explorer, saved):
    review = uq.read_review(str(saved.path))
    assert (review.verdict, review.comment, review.date) == ("", "", "")
    weights = explorer.explainer.stress_weights("length", 0.5)
    exact = explorer.explainer.importance("nll", n_repeats=2, sample_weight=weights).frame
    pd.testing.assert_frame_equal(review.frames["Pin 1, Importance: nll"], exact)
    curve = explorer.result("dependence").frame
    held = review.frames["Pin 2, Dependence: prediction"]
    assert held["value"].tolist() == curve["value"].tolist() == ["+1", "=low"]
    kinds = {str(dtype) for frame in review.frames.values() for dtype in frame.dtypes}
    assert {"float64", "int64"} <= kinds


def test_values_of_every_kind_come_back():
    cells = [("1.5", "1.5"), ("", "not available"), ("inf", "inf"), ("-2", "−2")]
    elements = [seal.Element("td", {"data-value": value}, [text]) for value, text in cells]
    np.testing.assert_array_equal(read_review._column(elements), [1.5, np.nan, np.inf, -2])
    assert read_review._column(elements[3:]) == [-2]
    texts = [seal.Element("td", {}, [text]) for text in ("1", "")]
    yes = seal.Element("td", {"data-value": "True"}, ["yes"])
    assert read_review._column([*texts, yes]) == ["1", None, True]


def test_several_pages_are_a_list(saved, tmp_path):
    other = answered(saved, tmp_path / "answered.html", ANSWERS)
    reviews = uq.read_review([saved.path, str(other)])
    assert [review.verdict for review in reviews] == ["", "approved with conditions"]
    assert len({review.sha256 for review in reviews}) == 1
    assert uq.read_review([]) == []


def test_answers_of_a_wrong_type_are_none(saved, tmp_path):
    wrong = {"verdict": "fine", "reviewer": 3, "date": None, "comment": ["a"], "pins": {"0": "a"}}
    review = uq.read_review(answered(saved, tmp_path / "wrong.html", wrong))
    answers = (review.verdict, review.reviewer, review.date, review.comment)
    assert answers == ("", "", "", "")
    assert [pin.comment for pin in review.pins] == ["", ""]


def test_line_ends_of_another_system_are_no_damage(saved, tmp_path):
    content = saved.path.read_bytes()
    path = tmp_path / "page.html"
    path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert uq.read_review(path).sha256 == saved.sha256


def test_answers_to_another_page_are_damage(saved, tmp_path):
    path = answered(saved, tmp_path / "page.html", ANSWERS)
    text = path.read_text("utf-8")
    of_other = json.loads(re.findall(r'id="uq-answers">(.*?)</script>', text)[0])
    of_other = {**of_other, "page": "0" * 64}
    with pytest.raises(ValueError, match="is damaged"):
        uq.read_review(answered(replaced(saved, "0" * 64), path, of_other))


def replaced(saved, sha256):
    return uq.widgets.page.savable.SavedPage(saved.path, saved.nbytes, saved.rows, sha256)


def test_what_is_foreign_or_cannot_be_read_is_said_in_one_sentence(explorer, saved, tmp_path):
    frozen = tmp_path / "frozen.html"
    frozen.write_text(explorer.freeze(stress_features=["length"], progress=False).html, "utf-8")
    for name, content in {
        "empty.html": b"",
        "text.html": b"a text",
        "binary.html": bytes(range(256)),
        "other.html": b"<!DOCTYPE html><p>Another page</p>",
        "deep.html": b"<div>" * 100_000,
        "frozen.html": frozen.read_bytes(),
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=r"is no page with a review that explorer\.save wrote"):
            uq.read_review(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"none\.html does not exist"):
        uq.read_review(tmp_path / "none.html")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        uq.read_review(tmp_path)
    with pytest.raises(ValueError, match="cannot name a file"):
        uq.read_review("a\0b")
    for wrong in (3, None, b"page.html", [saved.path, 3], {"a": 1}):
        with pytest.raises(TypeError, match="pass the name of a saved page"):
            uq.read_review(wrong)


def test_too_large_a_file_is_refused(saved, monkeypatch):
    monkeypatch.setattr(read_review, "_MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        uq.read_review(saved.path)


@pytest.mark.parametrize("part", thorough_after(1, PARTS))
def test_no_damaged_page_is_read_as_something_else(tmp_path, part):
    path = tmp_path / "page.html"
    X = np.random.default_rng(0).normal(size=(40, 2))
    options = {"n_repeats": 2, "views": ["importance"], "feature": "x0"}
    with uq.explore(lambda X: X[:, 0], X, X[:, 0], **options) as explorer:
        explorer.save(path, stress_features=["x0"], lines=0, progress=False)
    content = path.read_bytes()
    whole = uq.read_review(path)
    stated, n_equal = 0, 0
    every = list(damages(content, N_DAMAGES, seed=1))[part::N_PARTS]
    for damage in every:
        path.write_bytes(damage.of(content))
        try:
            review = uq.read_review(path)
        except ValueError as error:
            sentence = str(error).removeprefix(str(path))
            known = rf" is damaged( \(it should have {len(content):,} bytes\))?; ask for it again\."
            assert re.fullmatch(rf"{known}| is no page with a review .*", sentence), damage.name
            stated += f"{len(content):,}" in sentence
            continue
        n_equal += 1
        assert (review.pins, review.provenance) == (whole.pins, whole.provenance), damage.name
        for name, frame in whole.frames.items():
            pd.testing.assert_frame_equal(review.frames[name], frame)
    # Few edits, as of a blank, change nothing; most pages still state their size.
    assert n_equal <= 0.1 * len(every)
    assert stated > 0.8 * len(every)
