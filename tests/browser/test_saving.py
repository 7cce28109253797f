"""The Save button of the widget: the price, the progress, the download, and the plain page."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import watched_page
from browser.reading import wait_for_answer
from browser.saved_pages import choose, opened
from uqwidgets.widgets.page.assembly import Steps


@pytest.fixture
def widget(bridge):  # noqa: ARG001, widgets are made after the bridge
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    y = X["a"] + X["b"] * X["c"] + rng.normal(size=80)
    with uq.explore(lambda X: X["a"] + X["b"] * X["c"], X, y, n_repeats=3, ice_lines=10) as widget:
        yield widget


def asked(bridge, widget, scope):
    """Open the panel, wait for the prices, and ask for a page."""
    root = bridge.mount(widget)
    widget._view_count = 1
    wait_for_answer(root)
    root.get_by_test_id("uq-save").click()
    for name in ("shown", "all", "pictures"):
        price = re.compile(r"^(about \d+|less than 1) (s|min), \d\.\d MB$")
        expect(root.get_by_test_id(f"uq-price-{name}")).to_have_text(price)
    root.get_by_test_id(f"uq-scope-{scope}").check()
    return root


def test_the_page_is_downloaded_and_works(bridge, widget, browser, tmp_path):
    root = asked(bridge, widget, "shown")
    with bridge.page.expect_download() as download:
        root.get_by_test_id("uq-save-start").click()
    status = root.get_by_test_id("uq-save-status")
    expect(status).to_have_text(re.compile(r"^Saved What-drives-.*\.html: 0\.\d\d MB\. It holds"))
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    with opened(browser, path) as page:
        choose(page, tau=0.5)
        assert page.get_by_test_id("uq-save").count() == 0
        stressed = page.get_by_test_id("uq-stress-feature")
        names = stressed.locator("option").all_inner_texts()
        assert sum("not in this page" in name for name in names) == 2


def test_stop_downloads_nothing(bridge, widget, monkeypatch):
    original = Steps.next

    def slow(self, what):
        steps.append(what)
        if len(steps) > 5:
            widget._page_stop.wait(30)
        original(self, what)

    steps = []
    root = asked(bridge, widget, "all")
    monkeypatch.setattr(Steps, "next", slow)
    root.get_by_test_id("uq-save-start").click()
    bar = root.get_by_test_id("uq-saving").locator("progress")
    expect(bar).to_be_visible()
    root.get_by_test_id("uq-save-stop").click()
    status = root.get_by_test_id("uq-save-status")
    expect(status).to_have_text("the page was stopped before it was complete; none is written.")
    expect(bar).to_be_hidden()
    # The widget still answers.
    root.get_by_test_id("uq-tau").press("ArrowRight")
    wait_for_answer(root)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_plain_page_is_the_same_with_and_without_scripts(browser, widget, tmp_path, scripts):
    widget.pin("the first pin")
    path = tmp_path / "page.html"
    widget.save(path, scope="pictures", title="A plain page", progress=False)
    with watched_page(browser, java_script_enabled=scripts) as page:
        page.goto(path.as_uri())
        expect(page.get_by_role("heading", name="A plain page")).to_be_visible()
        expect(page.get_by_role("heading", name="Pin 1: the first pin").first).to_be_visible()
        for name in ("Importance for", "Dependence of", "under stress of"):
            assert page.get_by_text(name).count() >= 2
            expect(page.get_by_text(name).first).to_be_visible()
        assert page.locator("script").count() == 0
        width = page.evaluate("document.documentElement.scrollWidth") if scripts else 0
        assert width <= 1280
