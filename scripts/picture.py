"""Take the README's picture from the real widget in Chromium, on the quickstart's model.

    PYTHONPATH=tests python scripts/picture.py

The folder ``tests`` holds the bridge to Chromium.
"""

from __future__ import annotations

import sys
from pathlib import Path

import comm
from playwright.sync_api import sync_playwright

import uqwidgets as uq
from browser.bridge import Bridge, QueueComm
from browser.harness import find_chromium, launch, watched_page
from browser.quickstart import quickstart
from browser.reading import answered, wait_for_answer

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "explorer.png"


def main() -> None:
    executable = find_chromium()
    if executable is None:
        sys.exit(
            "The picture needs Chromium or Chrome: install one, or name it in UQWIDGETS_CHROMIUM."
        )
    comm.create_comm = QueueComm
    names = quickstart()
    with (
        sync_playwright() as playwright,
        watched_page(
            launch(playwright, executable),
            viewport={"width": 1180, "height": 1000},
            device_scale_factor=1.25,
        ) as page,
        uq.explore(names["model"], names["X_test"], names["y_test"]) as widget,
    ):
        root = Bridge(page).mount(widget)
        wait_for_answer(root, limit=60_000)
        root.get_by_role("heading", name="The model itself").wait_for()
        with answered(root):
            root.get_by_test_id("uq-measure").select_option(value="entropy")
        with answered(root):
            root.get_by_test_id("uq-tau").fill("0.4")
        root.get_by_test_id("uq-tau").blur()
        page.add_style_tag(content="body { margin: 0; padding: 16px; }")
        PICTURE.parent.mkdir(exist_ok=True)
        page.locator("body").screenshot(path=PICTURE)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
