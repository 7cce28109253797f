"""A saved page: its size, the time of its making, and the time until a browser shows it.

The time of `explorer.save` is printed beside what the model alone takes for the rows that it was
asked meanwhile, in one call, and the time of a second page, which asks the model nothing, with the
second process that is started by default, and without it. Beside the processor time of the latter
stands that of a fixed loop of numpy, both with one thread. A page is open at the first animation
frame after the explorer has drawn itself, counted from the navigation; beside it stands the time of
an empty page in the same browser.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, sync_playwright
from quickstart_model import breast_cancer
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import uqwidgets as uq
from browser.harness import find_chromium, launch, watched_page

OPENINGS = 5
MOST_WIDE = 100

# From the navigation to the frame after the first drawing of the explorer, in milliseconds.
PAINTED = """() => new Promise((resolve) => {
  const ready = () => document.documentElement.dataset.opened
    ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
    : setTimeout(ready, 1);
  ready();
})"""
EMPTY = """() => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
})"""


def processor_time_of_numpy() -> float:
    """Return the processor time of a fixed loop, in seconds."""
    matrix = np.random.default_rng(0).normal(size=(400, 400))
    started = time.process_time()
    for _ in range(200):
        np.exp(matrix @ matrix.T / 400).sum(axis=0)
    return time.process_time() - started


def independent(n: int = 300, p: int = MOST_WIDE) -> tuple[Any, Any, Any]:
    """Independent features, of which three matter."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])
    y = (X["x0"] + X["x1"] * X["x2"] + rng.normal(size=n) > 0).astype(int)
    return LogisticRegression().fit(X, y), X, y


def opening(browser: Browser, url: str, until: str) -> float:
    """Return the median time of several openings, in milliseconds."""
    times = []
    for _ in range(OPENINGS):
        with watched_page(browser) as page:
            page.goto(url, wait_until="commit")
            times.append(page.evaluate(until))
    return statistics.median(times)


def cases() -> Iterator[tuple[str, tuple[Any, Any, Any]]]:
    """Yield the models with their data."""
    yield "quickstart, 143 x 30, forest of 500 trees", breast_cancer()
    yield "2,000 x 30 independent features, linear", independent(2000, 30)
    if "--wide" in sys.argv:  # takes minutes
        yield f"300 x {MOST_WIDE} independent features, linear", independent()


def main() -> None:
    """Print the figures of each page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path, empty = Path(folder) / "page.html", Path(folder) / "empty.html"
        empty.write_text("<!DOCTYPE html><title>empty</title>", encoding="utf-8")
        browser = launch(playwright, find_chromium())
        for name, (model, X, y) in cases():
            with uq.explore(model, X, y) as explorer:
                explorer.wait(600)
                rows = explorer.explainer.rows_evaluated
                started = time.perf_counter()
                saved = explorer.save(path, progress=False)
                first = time.perf_counter() - started
                rows = explorer.explainer.rows_evaluated - rows
                started = time.perf_counter()
                explorer.save(path, progress=False)
                again = time.perf_counter() - started
                with threadpool_limits(1):
                    started, processor = time.perf_counter(), time.process_time()
                    explorer.save(path, progress=False, n_jobs=1)
                    by_one = time.perf_counter() - started
                    processor = time.process_time() - processor
                    numpy = processor_time_of_numpy()
            repeated = X.iloc[np.arange(rows) % len(X)]
            started = time.perf_counter()
            model.predict_proba(repeated)
            alone = time.perf_counter() - started
            print(f"{name}: {saved.nbytes / 1e6:.2f} MB")
            print(
                f"  saved in {first:.1f} s, of which the model alone {alone:.1f} s for {rows} rows"
                f" (ratio {first / alone:.1f}); a second page without model calls {again:.1f} s,"
                f" by one process {by_one:.1f} s (ratio {by_one / again:.1f})"
            )
            print(
                f"  {processor:.1f} s of processor time by one process, a loop of numpy"
                f" {numpy:.2f} s (ratio {processor / numpy:.0f})"
            )
            page = opening(browser, path.as_uri(), PAINTED)
            nothing = opening(browser, empty.as_uri(), EMPTY)
            print(
                f"  open after {page:.0f} ms, an empty page after {nothing:.0f} ms"
                f" (ratio {page / nothing:.1f})",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
