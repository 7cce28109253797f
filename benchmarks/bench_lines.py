"""Redrawing the most lines that are shown, 5,000: a level of tau in a page, and a bare canvas.

The page moves tau over its levels, so that the weight of every row, with which its line is drawn,
changes. Beside it stands the time in which the same browser strokes as many lines of as many points
on an empty canvas of the same size, one path per line: what no drawing of single lines is below.
Both are times of the main thread until the next frame, medians of alternating rounds.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from browser.harness import find_chromium, launch, watched_page

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
BARE = """async ([lines, points]) => {
  const shown = document.querySelector('[data-testid="uq-root"] canvas');
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [shown.width, shown.height];
  canvas.style.position = "fixed";
  document.body.append(canvas);
  const context = canvas.getContext("2d");
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


def page_of_lines(path: Path) -> int:
    """Save a page with the curves of all rows, and return how many points each has."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(ROWS, 2)), columns=["x0", "x1"])
    y = (X["x0"] * X["x1"] + rng.normal(size=ROWS) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    with uq.explore(model, X, y, feature="x0", stress_feature="x1", ice_lines=ROWS) as explorer:
        explorer.save(path, intervals=[], stress_features=["x1"], progress=False)
        return len(explorer.result("dependence").grid)


def main() -> None:
    """Print both times and their ratio."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "lines.html"
        points = page_of_lines(path)
        browser = launch(playwright, find_chromium())
        with watched_page(browser) as page:
            page.goto(path.as_uri())
            page.locator("html[data-opened]").wait_for(state="attached")
            drawn, bare = [], []
            for i in range(ROUNDS):
                drawn.append(page.evaluate(TAU, str(round(-0.9 + 0.09 * i, 2))))
                bare.append(page.evaluate(BARE, [ROWS, points]))
            one, other = statistics.median(drawn), statistics.median(bare)
        browser.close()
    print(
        f"{ROWS} lines of {points} points: {one:.0f} ms a level of tau, {other:.0f} ms on a bare "
        f"canvas (ratio {one / other:.2f})"
    )


if __name__ == "__main__":
    main()
