"""Moving tau in a default JupyterLab: from the input event to the painted frame.

Real mouse moves over the slider, one at a time, with 10 repeats and curves of all rows, at 1,000
rows of 30 features, and at 100,000 and 1,000,000 rows of 10; then three seconds in which every
animation frame moves the slider. The page paints the levels that the kernel sent. The
time until they arrive is printed too, at first, after another feature is picked, and after another
one is stressed. Sizes may be passed as arguments, such as ``1000x30``.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from playwright.sync_api import Locator, Page, expect, sync_playwright

from browser.harness import find_chromium, launch, watched_page
from browser.jupyter import jupyter_lab
from browser.reading import wait_for_answer

MOVES = 100
SIZES = ("1000x30", "100000x10", "1000000x10")

CELL = """
import numpy as np, pandas as pd, uqwidgets as uq
from sklearn.linear_model import LogisticRegression
rng = np.random.default_rng(0)
names = [f"x{{j}}" for j in range({features})]
X = pd.DataFrame(rng.normal(size=({rows}, {features})), columns=names)
y = (X.x0 + X.x1 * X.x2 + rng.normal(size={rows}) > 0).astype(int)
widget = uq.explore(LogisticRegression().fit(X, y), X, y)
widget.wait(120)
widget
"""

# The time from an input event to the moment after the paint, canvas included, of the first frame
# of the slider's level; paints of the control itself come earlier and do not count.
WATCH = """(root) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  window.latencies = [];
  let since = null;
  slider.addEventListener("input", () => { since ??= performance.now(); }, { capture: true });
  root.addEventListener("uq:painted", ({ detail }) => {
    if (since === null || detail.tau !== slider.valueAsNumber) return;
    const canvas = root.querySelector("canvas");
    canvas?.getContext("2d")?.getImageData(0, 0, 1, 1);
    window.latencies.push(performance.now() - since);
    since = null;
  });
}"""

# Three seconds of continuous input: counts the painted frames and the requests to the kernel.
FLOOD = """(root) => new Promise((resolve) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  const levels = new Set();
  let painted = 0, moves = 0;
  root.addEventListener("uq:painted", ({ detail }) => {
    if (levels.has(detail.tau) && detail.tau === window.last) return;
    window.last = detail.tau;
    levels.add(detail.tau);
    painted += 1;
  });
  const started = performance.now();
  const first = Number(root.dataset.seq);
  const move = () => {
    const seconds = (performance.now() - started) / 1000;
    if (seconds < 3) {
      moves += 1;
      slider.value = String(0.9 * Math.sin(3 * seconds + moves / 1000));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      requestAnimationFrame(move);
      return;
    }
    const requests = Number(root.dataset.seq) - first;
    slider.value = "0.75";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const ended = performance.now();
    const look = () => {
      const shown = root.querySelector("[data-testid=uq-stress-readout]").textContent;
      if (!shown.includes("0.75") || root.dataset.final !== "true")
        return requestAnimationFrame(look);
      resolve({ painted: painted / seconds, moves: moves / seconds, requests: requests / seconds,
                rest: (performance.now() - ended) / 1000 });
    };
    look();
  };
  requestAnimationFrame(move);
})"""


def drag(page: Page, root: Locator) -> list[float]:
    """Move the pointer over the slider and return the latency of every answer, in ms."""
    root.evaluate(WATCH)
    box = root.get_by_test_id("uq-tau").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for step in range(MOVES):
        # Each move is longer than the notch at 0, to which Chromium pulls the thumb: a move within
        # the notch changes no level, so nothing would be painted.
        share = 0.5 + 0.42 * ((step * 37) % MOVES / MOVES - 0.5)
        before = page.evaluate("window.latencies.length")
        page.mouse.move(box["x"] + share * box["width"], y)
        page.wait_for_function(f"window.latencies.length > {before}", polling=10)
    page.mouse.up()
    return list(page.evaluate("window.latencies"))


def until_levels(root: Locator) -> float:
    """Return the time in seconds until all panels follow tau."""
    started = time.perf_counter()
    expect(root).to_have_attribute("data-follows-tau", "true", timeout=600_000)
    return time.perf_counter() - started


def until_levels_after(root: Locator, control: str) -> float:
    """Pick another feature with a control, and return the time from its answer to the levels."""
    after = int(root.get_attribute("data-seq") or 0)
    root.get_by_test_id(f"uq-{control}").select_option(value="x5")
    wait_for_answer(root, after, limit=300_000)
    return until_levels(root)


def percentile(values: list[float], q: float) -> float:
    """Nearest-rank percentile."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(q * len(ranked)))]


def notebook(path: Path, cell: str) -> None:
    """Write a notebook of one cell."""
    code: dict[str, Any] = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": cell,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {
        "cells": [code],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(book))


def main() -> None:
    """Print the latency at each size."""
    executable = find_chromium()
    if executable is None:
        sys.exit("this benchmark needs Chromium or Chrome: install one.")
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as home,
        jupyter_lab(Path(folder), Path(home)) as lab,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright, executable)
        for size in sys.argv[1:] or SIZES:
            rows, features = map(int, size.split("x"))
            name = f"latency-{size}.ipynb"
            notebook(Path(folder) / name, CELL.format(rows=rows, features=features))
            with watched_page(browser) as page:
                lab.run_notebook(page, name, timeout=180)
                root = page.get_by_test_id("uq-root")
                root.scroll_into_view_if_needed()
                wait_for_answer(root, limit=300_000)
                waited = until_levels(root)
                picked, stressed = (
                    until_levels_after(root, control) for control in ("feature", "stress-feature")
                )
                latencies = drag(page, root)
                wait_for_answer(root)
                cost = root.locator(".uq-cost").text_content()
                flood: dict[str, float] = root.evaluate(FLOOD)
            print(f"{rows:,} rows x {features} features, {len(latencies)} moves of tau:")
            print(
                f"  median {statistics.median(latencies):.0f} ms, "
                f"95th percentile {percentile(latencies, 0.95):.0f} ms"
            )
            print(f"  {cost}")
            print(
                f"  a hand that never rests: {flood['moves']:.0f} moves, {flood['painted']:.0f} "
                f"painted levels and {flood['requests']:.1f} requests a second; "
                f"exact {flood['rest']:.2f} s after it rests"
            )
            print(
                f"  the levels came {waited:.2f} s after the first answer, {picked:.2f} s after "
                f"that of another feature, {stressed:.2f} s after that of another stressed one"
            )
        browser.close()


if __name__ == "__main__":
    main()
