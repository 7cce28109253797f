"""Take the README's picture from the real widget in Chromium, on the quickstart's model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import comm
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "notebooks" / "quickstart.ipynb"
PICTURE = ROOT / "docs" / "explorer.png"

sys.path.insert(0, str(ROOT / "tests"))

from browser.bridge import Bridge, QueueComm  # noqa: E402
from browser.harness import find_chromium, launch, watched_page  # noqa: E402
from browser.reading import answered, wait_for_answer  # noqa: E402

import uqwidgets as uq  # noqa: E402


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
            device_scale_factor=1.5,
        ) as page,
        uq.explore(names["model"], names["X_test"], names["y_test"]) as widget,
    ):
        root = Bridge(page).mount(widget)
        wait_for_answer(root, limit=60_000)
        with answered(root):
            root.get_by_test_id("uq-measure").select_option(value="entropy")
        with answered(root):
            root.get_by_test_id("uq-tau").fill("0.4")
        PICTURE.parent.mkdir(exist_ok=True)
        root.screenshot(path=PICTURE)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} KB")


def quickstart() -> dict[str, Any]:
    """Run the quickstart's cell that makes its model, and return what it defines."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (cell,) = (cell for cell in cells if "model" in cell["metadata"].get("tags", []))
    names: dict[str, Any] = {}
    exec("".join(cell["source"]), names)
    return names


if __name__ == "__main__":
    main()
