"""Redrawing the most lines that are shown, 5,000: a level of tau in a page, and a bare canvas.

Once with a pixel of the screen for a pixel of the page, and once with four.

The page moves tau over its levels, so that the weight of every row, with which its line is drawn,
changes. Beside it stands the time of a level in a page without lines, and the time in which the
same browser strokes as many lines of as many points on an empty canvas of the same size, one path
per line. All are times of the main thread until the next frame, medians of alternating rounds.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from browser.harness import find_chromium, launch

ROWS, ROUNDS = 5_000, 20

# From the event to the end of the frame that shows it.
TAU = """async (tau) => {
  const slider = document.querySelector('[data-testid="uq-tau"]');
  const start = performance.now();
  slider.value = tau;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - start;
}"""
BARE = """async ([lines, points, scale]) => {
  const shown = document.querySelector('[data-testid="uq-root"] canvas');
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [shown.width, shown.height];
  canvas.style.position = "fixed";
  document.body.append(canvas);
  const context = canvas.getContext("2d");
  context.lineWidth = scale;
  const start = performance.now();
  for (let i = 0; i < lines; i++) {
    context.globalAlpha = 0.05 + 0.2 * Math.random();
    context.beginPath();
    for (let j = 0; j < points; j++)
      context.lineTo((j / points) * canvas.width, (0.3 + 0.4 * (i / lines)) * canvas.height + j);
    context.stroke();
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const took = performance.now() - start;
  canvas.remove();
  return took;
}"""


def pages(path: Path, without: Path) -> int:
    """Save a page with the curves of all rows and one without; return how many points they have."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(ROWS, 2)), columns=["x0", "x1"])
    y = (X["x0"] * X["x1"] + rng.normal(size=ROWS) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    with uq.explore(model, X, y, feature="x0", stress_feature="x1", ice_lines=ROWS) as explorer:
        for file, lines in ((path, ROWS), (without, 0)):
            explorer.save(file, intervals=[], stress_features=["x1"], lines=lines, progress=False)
        return len(explorer.result("dependence").grid)


def opened(browser: Browser, path: Path, scale: int) -> Page:
    """Open a page of which a pixel is so many pixels of the screen wide."""
    page = browser.new_page(device_scale_factor=scale)
    page.goto(path.as_uri())
    page.locator("html[data-opened]").wait_for(state="attached")
    return page


def measure(browser: Browser, path: Path, without: Path, points: int, scale: int) -> None:
    """Print the times and their ratio."""
    of_lines, of_none = opened(browser, path, scale), opened(browser, without, scale)
    drawn, none, bare = [], [], []
    for i in range(ROUNDS):
        level = str(round(-0.9 + 0.09 * i, 2))
        for page, times in ((of_lines, drawn), (of_none, none)):
            page.bring_to_front()
            times.append(page.evaluate(TAU, level))
        of_lines.bring_to_front()
        bare.append(of_lines.evaluate(BARE, [ROWS, points, scale]))
    one, least, other = (statistics.median(times) for times in (drawn, none, bare))
    print(
        f"{ROWS} lines of {points} points, scale {scale}: {one:.0f} ms a level of tau, "
        f"{least:.0f} ms without lines; {other:.0f} ms on a bare canvas "
        f"(ratio of the lines {(one - least) / other:.2f})",
        flush=True,
    )


def main() -> None:
    """Measure at both scales."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path, without = Path(folder) / "lines.html", Path(folder) / "none.html"
        points = pages(path, without)
        browser = launch(playwright, find_chromium())
        for scale in (1, 2):
            measure(browser, path, without, points, scale)
        browser.close()


if __name__ == "__main__":
    main()
