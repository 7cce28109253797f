"""The review of a page: reading path, tables, provenance and remarks, with names as text."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets import Remark
from uqwidgets.inference import described_interval
from uqwidgets.plotting.html import element
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.page.review import ReviewedView, appendix, reading_path

HOSTILE = "<img src=x onerror=\"document.title='taken'\">"


class Elements(HTMLParser):
    """Tags with their attributes, and texts by the tag that they stand in."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(html)
        assert not self._open, "elements that are not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def of(self, *tags: str) -> list[str]:
        """Return the texts that stand directly in one of these elements."""
        return [text for tag, text in self.texts if tag in tags]


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["length", HOSTILE])
    explainer = uq.Explainer(lambda X: (X["length"], np.ones(len(X))), X, X["length"])
    with uq.Explorer(explainer, n_repeats=3, feature="length", stress_feature="length") as widget:
        assert widget.wait(30)
        yield widget


def view_of(explorer, **fields):
    results = {
        ("importance", "nll"): explorer.result("importance"),
        ("stress", "rmse"): explorer.result("stress"),
    }
    inputs = Inputs(measure="nll", feature=HOSTILE, stress_feature="length", tau=0.5)
    view = ReviewedView("pin 1", "a note & more", inputs, explorer.code(), results)
    return replace(view, **fields)


def facts_of(explorer):
    facts = explorer.provenance()
    return {**facts, "models": {"Model": facts["model"]}, "intervals": [facts["interval"]]}


def test_the_reading_path_has_the_notes_in_their_order(explorer):
    first = view_of(explorer)
    second = replace(first, note=" ")
    elements = Elements(reading_path([first, second]))
    items = [attributes["data-pin"] for tag, attributes in elements.tags if tag == "li"]
    assert items == ["0", "1"]
    assert elements.of("div") == [
        "a note & more",
        f"nll along {HOSTILE}, τ 0.50 of length",
        f"Nll along {HOSTILE}, τ 0.50 of length",
    ]
    assert elements.of("h2") == ["Reading path", "Review"]


def test_without_pins_there_is_no_reading_path(explorer):
    assert Elements(reading_path([])).of("h2") == ["Review"]
    shown = view_of(explorer, name="the view that the page opens with", note="")
    headings = Elements(appendix(shown, [], facts_of(explorer))).of("h3")
    assert headings[0].startswith("The view that the page opens with: ")


def test_the_review_has_no_heading_until_the_script_fills_it():
    folds = [a for tag, a in Elements(reading_path([])).tags if tag == "details"]
    assert ["hidden" in attributes for attributes in folds] == [True]


def test_a_long_note_is_folded_behind_its_first_words(explorer):
    note = "first words " + "x" * 1000
    elements = Elements(reading_path([view_of(explorer, note=note)]))
    assert note in elements.of("div")
    start, name = elements.of("summary", "span")[:2]
    assert start.startswith("first words xxx")
    assert start.endswith("…")
    assert name == "Note"
    pin = view_of(explorer, note=note)
    (heading,) = Elements(appendix(pin, [pin], facts_of(explorer))).of("h3")
    assert len(heading) < 130


def test_a_pin_has_its_picture_and_the_present_view_has_none(explorer):
    pin = view_of(explorer, picture=element("svg"))
    folds = Elements(appendix(pin, [pin], facts_of(explorer))).of("summary")
    assert folds[0] == "Picture of pin 1"
    folds = Elements(appendix(view_of(explorer), [], facts_of(explorer))).of("summary")
    assert not any(text.startswith("Picture") for text in folds)


def test_every_pin_has_its_tables_and_its_code(explorer):
    pin = view_of(explorer)
    elements = Elements(appendix(pin, [pin, replace(pin, name="pin 2")], facts_of(explorer)))
    assert elements.of("h3") == ["Pin 1: a note & more", "Pin 2: a note & more"]
    assert elements.of("code") == [explorer.code()] * 2
    profile = pin.results["stress", "rmse"].frame.query("feature == 'length'")
    assert (
        elements.of("summary")
        == ["Importance: nll, 2 rows", f"Stress: rmse, {len(profile)} rows"] * 2
    )
    values = [
        attributes["data-value"]
        for tag, attributes in elements.tags
        if tag == "td" and "data-value" in attributes
    ]
    assert repr(float(pin.results["importance", "nll"].importance[0])) in values
    assert repr(float(profile["value"].iloc[3])) in values


def test_names_are_text(explorer):
    pin = view_of(explorer, note=HOSTILE, code=f"uq.explore({HOSTILE})")
    html = reading_path([pin]) + appendix(pin, [pin], facts_of(explorer))
    elements = Elements(html)
    assert "<img" not in html
    assert {tag for tag, _ in elements.tags}.isdisjoint({"img", "script", "style", "a", "form"})
    assert all(not name.startswith("on") for _, attributes in elements.tags for name in attributes)
    assert HOSTILE in "".join(text for _, text in elements.texts)


def test_the_provenance_is_complete(explorer):
    facts = facts_of(explorer)
    elements = Elements(appendix(view_of(explorer), [], facts))
    texts = "\n".join(text for _, text in elements.texts)
    accounts_for, takes_as_fixed = described_interval("u-statistic")
    for fact in (
        facts["model"]["class"],
        *facts["sha256"].values(),
        *facts["versions"],
        *facts["versions"].values(),
        facts["task"],
        accounts_for,
        takes_as_fixed,
        "numeric features",
        f"length, {HOSTILE}",
        "rows evaluated",
        f"{facts['rows_evaluated']:,}",
        "model calls",
        "seed",
        "repeats",
        facts["commit"] or "no Git repository",
    ):
        assert fact in texts


def test_the_stress_of_a_category_has_its_table(explorer):
    X = pd.DataFrame({"kind": ["red", "blue"] * 20, "size": range(40)})
    stress = uq.Explainer(lambda X: X["size"], X, X["size"]).stress(["kind", "size"], taus=5)
    inputs = Inputs(measure="nll", stress_feature="kind", stress_category="red")
    shown = view_of(explorer, inputs=inputs, results={("stress", "mean"): stress})
    cells = Elements(appendix(shown, [], facts_of(explorer))).of("td")
    assert cells.count("kind=red") == cells.count("kind=blue") >= 5
    assert "size" not in cells


def test_every_remark_is_shown_in_full_and_once(explorer):
    one = view_of(explorer)
    result = one.results["importance", "nll"]
    remarks = (
        Remark("few-pairs", "a remark of importance " * 20),
        Remark("memory-limit", HOSTILE),
    )
    noted = replace(result, remarks=remarks)
    views = [
        replace(one, name=name, results={("importance", "nll"): noted})
        for name in ("pin 1", "pin 2")
    ]
    elements = Elements(appendix(one, views, facts_of(explorer)))
    items = elements.of("li")
    assert [item for item in items if "remark of importance" in item] == [
        "A remark of importance " + "a remark of importance " * 19 + ". "
    ]
    where = "importance of nll, pin 1; importance of nll, pin 2"
    assert f"(few-pairs: {where})" in elements.of("span")
    assert f"(memory-limit: {where})" in elements.of("span")
