"""The page that `make demo` writes shows all results without kernel, scripts or network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.harness import watched_page

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def printed():
    return subprocess.run(
        [sys.executable, "scripts/demo.py"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def test_the_demo_prints_its_tables_and_the_path_of_the_page(printed):
    importance, stress, where = printed.strip().split("\n\n")
    assert "worst perimeter" in importance
    assert "share:malignant" in stress
    assert where.splitlines()[0].endswith("build/quickstart.html")


@pytest.mark.usefixtures("printed")
def test_the_page_shows_the_results_without_scripts(browser):
    with watched_page(browser, java_script_enabled=False) as page:
        page.goto((ROOT / "build" / "quickstart.html").as_uri())
        for name in ("Importance for", "Dependence of", "under stress of"):
            expect(page.get_by_text(name).first).to_be_visible()
        assert page.locator(".jp-OutputArea svg").count() >= 6
        assert page.get_by_text("Error displaying widget").count() == 0
