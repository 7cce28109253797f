"""The static picture of the explorer, and the page that contains it."""

from __future__ import annotations

import pytest

from example_results import HOSTILE, dependence, fan, importance, stress
from offline import outside_references
from reading_html import StaticHtml
from uqwidgets.dependence.html import dependence_html
from uqwidgets.importance.html import importance_html
from uqwidgets.stress.html import stress_html
from uqwidgets.widgets.picture.static_page import layout_html, save_page


def everything(**more):
    overview = importance_html(importance(), importance(label="entropy"))
    details = dependence_html(dependence()) + stress_html(stress(fan(3)))
    return layout_html(overview, details, heading="a forest", **more)


def test_the_page_shows_every_panel():
    read = StaticHtml(everything(message="the kernel is gone"))
    assert len(read.all("svg")) == 3
    assert len(read.tables) == 3
    for text in (
        "a forest",
        "the kernel is gone",
        "Importance for likelihood loss and entropy",
        "Dependence of predicted mean on width",
        "Error rate under stress of 3 features",
    ):
        assert text in read.texts


def test_the_page_leaves_out_a_missing_panel():
    read = StaticHtml(layout_html(importance_html(importance()), "", heading="a forest"))
    assert len(read.all("svg")) == 1
    assert "Importance for likelihood loss" in read.texts


def test_an_empty_page_says_that_nothing_has_been_computed():
    read = StaticHtml(layout_html("", "", heading="a forest"))
    assert read.all("svg") == []
    assert "Nothing has been computed yet." in read.texts


def test_names_are_escaped_as_text():
    html = layout_html(
        importance_html(importance([HOSTILE, "b"], [0.5, 0.25])),
        dependence_html(dependence(feature=HOSTILE)) + stress_html(stress(fan(2), [HOSTILE, "b"])),
        heading=HOSTILE,
        message=HOSTILE,
    )
    assert "onerror" not in "".join(name for _, tag in StaticHtml(html).tags for name in tag)
    assert StaticHtml(html).texts.count(HOSTILE) >= 4


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    save_page(path, everything(), f"τ & {HOSTILE}")
    return path.read_text(encoding="utf-8")


def test_the_page_loads_no_outside_resource(page):
    assert outside_references(page) == []
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page


def test_the_page_is_a_complete_html_document(page):
    assert page.startswith("<!DOCTYPE html>")
    assert '<meta charset="utf-8">' in page
    assert 'name="viewport"' in page
    assert "color-scheme: light dark" in page
    assert "@media print" in page
    assert "<title>τ &amp; &lt;img src=x onerror=alert(1)&gt;</title>" in page
    assert everything() in page
    assert page.rstrip().endswith("</html>")


def test_saving_again_replaces_the_page(tmp_path):
    path = tmp_path / "page.html"
    save_page(str(path), everything(), "first")
    save_page(path, layout_html("", "", heading="h"), "second")
    text = path.read_text(encoding="utf-8")
    assert "<title>second</title>" in text
    assert "first" not in text
