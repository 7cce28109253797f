"""Take the README's moving picture from the real widget in Chromium, on the quickstart's model.

    PYTHONPATH=tests python scripts/picture.py

The folder ``tests`` holds the bridge to Chromium.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import comm
from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

import uqwidgets as uq
from browser.bridge import Bridge, QueueComm
from browser.harness import find_chromium, launch, watched_page
from browser.quickstart import quickstart
from browser.reading import answered, wait_for_answer

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "explorer.png"
# The slider is moved there and back; the picture rests at both ends, in milliseconds.
TAUS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.4, 0.3, 0.2, 0.1)
MOVING, RESTING = 200, 1500
COLOURS = 64


def frames(page: Page, root: Locator) -> Iterator[Image.Image]:
    """Return a picture of the widget at each tau."""
    for tau in TAUS:
        with answered(root):
            root.get_by_test_id("uq-tau").fill(str(tau))
        root.get_by_test_id("uq-tau").blur()
        yield Image.open(io.BytesIO(page.screenshot())).convert("RGB")


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
        ) as page,
        uq.explore(names["model"], names["X_test"], names["y_test"]) as widget,
    ):
        root = Bridge(page).mount(widget)
        wait_for_answer(root, limit=60_000)
        root.get_by_role("heading", name="The model itself").wait_for()
        with answered(root):
            root.get_by_test_id("uq-measure").select_option(value="entropy")
        page.add_style_tag(content="body { margin: 0; padding: 16px; }")
        pictures = list(frames(page, root))
    # One palette for all pictures, so that what stays is not stored again.
    furthest = TAUS.index(max(TAUS))
    palette = pictures[furthest].quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    first, *others = (one.quantize(palette=palette, dither=0) for one in pictures)
    first.save(
        PICTURE,
        save_all=True,
        append_images=others,
        duration=[RESTING if at in (0, furthest) else MOVING for at in range(len(TAUS))],
        loop=0,
        optimize=True,
    )
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
