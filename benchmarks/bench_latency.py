"""Moving tau in a default JupyterLab: from the input event to the painted frame.

Real mouse moves over the slider, one at a time, with 10 features, 10 repeats and curves of all
rows, at 1,000 and at 100,000 rows; then 200 events within a second. The time of the kernel is
printed too: the rest is that of the host (its websocket alone delays every answer by 40 ms).
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from playwright.sync_api import Locator, Page, sync_playwright

from browser.harness import find_chromium, launch, watched_page
from browser.jupyter import jupyter_lab
from browser.reading import wait_for_answer

MOVES = 100

CELL = """
import numpy as np, pandas as pd, uqwidgets as uq
from sklearn.linear_model import LogisticRegression
rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=({rows}, 10)), columns=[f"x{{j}}" for j in range(10)])
y = (X.x0 + X.x1 * X.x2 + rng.normal(size={rows}) > 0).astype(int)
widget = uq.explore(LogisticRegression().fit(X, y), X, y)
widget.wait(120)
widget
"""

# The time from an input event to the moment after the paint, canvas included, of the first frame
# that answers it; paints of the control itself come earlier and do not count.
WATCH = """(root) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  window.latencies = [];
  let since = null, seq = null;
  slider.addEventListener("input", () => {
    if (since !== null) return;
    since = performance.now();
    seq = Number(root.dataset.seq);
  }, { capture: true });
  root.addEventListener("uq:painted", () => {
    if (since === null || Number(root.dataset.seq) <= seq) return;
    const canvas = root.querySelector("canvas");
    canvas?.getContext("2d")?.getImageData(0, 0, 1, 1);
    window.latencies.push(performance.now() - since);
    since = null;
  });
}"""

FLOOD = """(root) => new Promise((resolve) => {
  const slider = root.querySelector("[data-testid=uq-tau]");
  let painted = 0, sent = 0;
  root.addEventListener("uq:painted", () => { painted += 1; });
  const started = performance.now();
  const first = Number(root.dataset.seq);
  const timer = setInterval(() => {
    const due = Math.min(200, (performance.now() - started) / 5);
    while (sent < due) {
      sent += 1;
      slider.value = String(sent === 200 ? 0.77 : 0.9 * Math.sin(sent / 10));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (sent < 200) return;
    clearInterval(timer);
    const ended = performance.now();
    const look = () => {
      const shown = root.querySelector("[data-testid=uq-stress-readout]").textContent;
      if (!shown.includes("0.77")) return requestAnimationFrame(look);
      resolve({ painted, requests: Number(root.dataset.seq) - first,
                seconds: (performance.now() - ended) / 1000 });
    };
    look();
  }, 1);
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
        share = 0.5 + 0.42 * ((step * 7) % MOVES / MOVES - 0.5)
        before = page.evaluate("window.latencies.length")
        page.mouse.move(box["x"] + share * box["width"], y)
        page.wait_for_function(f"window.latencies.length > {before}", polling=10)
    page.mouse.up()
    return list(page.evaluate("window.latencies"))


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
    """Print the latency at both sizes."""
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
        for rows in (1_000, 100_000):
            name = f"latency-{rows}.ipynb"
            notebook(Path(folder) / name, CELL.format(rows=rows))
            with watched_page(browser) as page:
                lab.run_notebook(page, name, timeout=180)
                root = page.get_by_test_id("uq-root")
                root.scroll_into_view_if_needed()
                wait_for_answer(root, limit=120_000)
                latencies = drag(page, root)
                wait_for_answer(root)
                footer = root.get_by_test_id("uq-footer").inner_text()
                flood: dict[str, float] = root.evaluate(FLOOD)
            print(f"{rows:,} rows, {len(latencies)} moves of tau:")
            print(
                f"  median {statistics.median(latencies):.0f} ms, "
                f"95th percentile {percentile(latencies, 0.95):.0f} ms"
            )
            print(f"  {footer}")
            print(
                f"  200 events in a second: {flood['requests']:.0f} requests, "
                f"{flood['painted']:.0f} frames, the last value after {flood['seconds']:.2f} s"
            )
        browser.close()


if __name__ == "__main__":
    main()
