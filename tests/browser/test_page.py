"""The pages of `make demo` need no kernel and no network; the notebook's needs no scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.harness import watched_page
from browser.reading import answered, wait_for_answer

ROOT = Path(__file__).resolve().parents[2]

# What they show is tested in JupyterLab and in smaller pages, too.
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def printed():
    return subprocess.run(
        [sys.executable, "scripts/demo.py"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def test_the_demo_prints_its_tables_and_the_path_of_the_page(printed):
    importance, stress, where = printed.strip().split("\n\n")
    assert "worst perimeter" in importance
    assert "share:malignant" in stress
    explorer, notebook, _ = where.splitlines()
    assert explorer.endswith("build/explorer.html")
    assert notebook.endswith("build/quickstart.html")


@pytest.mark.usefixtures("printed")
def test_the_explorer_of_the_demo_answers(browser):
    with watched_page(browser) as page:
        page.goto((ROOT / "build" / "explorer.html").as_uri())
        root = page.get_by_test_id("uq-root")
        wait_for_answer(root)
        before = root.get_by_test_id("uq-stress-readout").inner_text()
        slider = root.get_by_test_id("uq-tau")
        slider.focus()
        with answered(root):
            slider.press("PageUp")
        assert root.get_by_test_id("uq-stress-readout").inner_text() != before


@pytest.mark.usefixtures("printed")
def test_the_page_shows_the_results_without_scripts(browser):
    with watched_page(browser, java_script_enabled=False) as page:
        page.goto((ROOT / "build" / "quickstart.html").as_uri())
        for name in ("Importance for", "Dependence of", "under stress of"):
            expect(page.get_by_text(name).first).to_be_visible()
        assert page.locator(".jp-OutputArea svg, .jp-OutputArea img:visible").count() >= 6
        assert page.get_by_text("Error displaying widget").count() == 0
