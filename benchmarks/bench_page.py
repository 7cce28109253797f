"""A saved page: its price, its size, the time of its making, and the time until a browser shows it.

A page is saved twice. The first time, the model is called, and the time that was said before stands
beside what it took, with the ratio of the two, and the same for the bytes. The second time the
model is asked nothing, and one process makes the page: beside its processor time stands that of a
fixed loop of numpy, both with one thread. For the scope that is shown by default, the processor
time grows with the number of features by a power, which is printed last.

A page is open at the first animation frame after the explorer has drawn itself, counted from the
navigation; beside it stands the time of an empty page in the same browser.

    python benchmarks/bench_page.py [case ...]

with names of cases such as ``quickstart`` or ``growth``; all if none is given, which takes long.

On two cores that other work shared, the loop of numpy took 0.6 to 1.8 s, and the second page,
beside it: quickstart, pictures 0.7 s, shown 2.2 s, all 13.8 s (the aim is 10 s; intervals of
importance over tau take a fifth of it, scores a sixth, packing an eighth); 2,000 x 30, shown 5.0 s,
all 74.3 s (the aim is 15 s), 45 of them for those intervals, which have since become 1.4 to 1.7
times as quick beside the former ones in the same run; 500 x 300, shown 30.3 s and 5.4 MB (60 s and
12 MB). From 30 to 300 features the time of the default page grows with the power 0.98 (1.3).
Categories, 1,000 x 14 with two models and a pin, shown 5.4 s before. The census did not end within
15 minutes, so it was not measured.

The price was 0.5 to 1.4 times what the pages took, and its bytes 1.0 to 2.0 times theirs. While
thirteen other programs used the two cores, the price of 2,000 x 30 was 1.2 times what it took, and
that of the quickstart 0.6 times.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, sync_playwright
from quickstart_model import breast_cancer
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import uqwidgets as uq
from browser.harness import find_chromium, launch, watched_page

OPENINGS = 5

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


Data = tuple[Any, pd.DataFrame, pd.Series]


def independent(n: int, p: int) -> Data:
    """Independent features, of which three matter, and a linear model."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])
    y = (X["x0"] + X["x1"] * X["x2"] + rng.normal(size=n) > 0).astype(int)
    return LogisticRegression().fit(X, y), X, y


def census(n: int = 16_281) -> Data:
    """Numbers and categories as of a census, and two models of who earns much."""
    rng = np.random.default_rng(0)

    def categories(letter: str, n_values: int) -> Any:
        return rng.choice([f"{letter}{k}" for k in range(n_values)], n, p=_shares(n_values))

    X = pd.DataFrame(
        {
            "age": rng.integers(17, 91, n),
            "workclass": categories("w", 8),
            "weight": rng.lognormal(12, 0.5, n).round(),
            "education": categories("e", 16),
            "years": rng.integers(1, 17, n),
            "marital": categories("m", 7),
            "occupation": categories("o", 14),
            "relationship": categories("r", 6),
            "group": categories("g", 5),
            "sex": rng.choice(["Female", "Male"], n),
            "gain": np.where(rng.random(n) < 0.08, rng.lognormal(8, 1, n).round(), 0.0),
            "loss": np.where(rng.random(n) < 0.05, rng.normal(1900, 200, n).round(), 0.0),
            "hours": np.clip(rng.normal(40, 12, n).round(), 1, 99),
            "country": categories("c", 40),
        }
    )
    score = 0.04 * (X["age"] - 38) + 0.3 * (X["years"] - 10) + 0.03 * (X["hours"] - 40)
    score += 2.0 * (X["gain"] > 5000) + 2.0 * (X["marital"] == "m0") - 2.0
    y = pd.Series(np.where(score + rng.logistic(size=n) > 0, ">50K", "<=50K"), name="income")
    texts = [name for name in X if X[name].dtype.kind not in "if"]
    numbers = [name for name in X if name not in texts]
    encoded = make_column_transformer((OneHotEncoder(), texts), (StandardScaler(), numbers))
    ordered = make_column_transformer((OrdinalEncoder(), texts), remainder="passthrough")
    models = {
        "linear": make_pipeline(encoded, LogisticRegression(max_iter=1000)),
        "boosted": make_pipeline(ordered, HistGradientBoostingClassifier(max_iter=50)),
    }
    return {name: model.fit(X, y) for name, model in models.items()}, X, y


def _shares(n: int) -> Any:
    """Shares of categories, of which the first is the most frequent by far."""
    shares = 1 / np.arange(1, n + 1) ** 1.5
    return shares / shares.sum()


def opening(browser: Browser, url: str, until: str) -> float:
    """Return the median time of several openings, in milliseconds."""
    times = []
    for _ in range(OPENINGS):
        with watched_page(browser) as page:
            page.goto(url, wait_until="commit")
            times.append(page.evaluate(until))
    return statistics.median(times)


# By name: the data, the scopes that are saved, and the number of pins.
CASES: dict[str, tuple[Callable[[], Data], Sequence[str], int]] = {
    "quickstart": (breast_cancer, ("pictures", "shown", "all"), 0),
    "cheap": (lambda: independent(2000, 30), ("shown", "all"), 0),
    "census": (census, ("shown", "all"), 2),
    "wide": (lambda: independent(500, 300), ("shown",), 0),
    "categories": (lambda: census(1000), ("shown", "all"), 1),
}
GROWTH = (30, 100, 300)


def saved_twice(explorer: uq.Explorer, path: Path, scope: str) -> float:
    """Save a page with model calls and again without; return the processor time of the latter."""
    price = getattr(explorer.page_price(), scope)
    started = time.perf_counter()
    saved = explorer.save(path, scope=scope, progress=False)
    seconds = time.perf_counter() - started
    with threadpool_limits(1):
        started, processor = time.perf_counter(), time.process_time()
        explorer.save(path, scope=scope, progress=False, n_jobs=1)
        by_one = time.perf_counter() - started
        processor = time.process_time() - processor
        numpy = processor_time_of_numpy()
    print(
        f"  {scope}: {seconds:.1f} s, said {price.seconds:.1f}"
        f" (ratio {price.seconds / seconds:.2f}); {saved.nbytes / 1e6:.2f} MB,"
        f" said {price.nbytes / 1e6:.2f}"
        f" (ratio {price.nbytes / saved.nbytes:.2f})\n"
        f"    again, by one process: {processor:.1f} s of processor time in {by_one:.1f} s, a loop"
        f" of numpy {numpy:.2f} s (ratio {processor / numpy:.0f})",
        flush=True,
    )
    return processor


def growth(path: Path) -> None:
    """Print how the processor time of the default page grows with the number of features."""
    times = []
    for p in GROWTH:
        with uq.explore(*independent(500, p)) as explorer:
            explorer.wait(1200)
            print(f"500 x {p} independent features, linear")
            times.append(saved_twice(explorer, path, "shown"))
    power = np.polyfit(np.log(GROWTH), np.log(times), 1)[0]
    print(f"processor time grows with the number of features to the power of {power:.2f}")


def main() -> None:
    """Print the figures of each page."""
    named = sys.argv[1:] or [*CASES, "growth"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path, empty = Path(folder) / "page.html", Path(folder) / "empty.html"
        empty.write_text("<!DOCTYPE html><title>empty</title>", encoding="utf-8")
        browser = launch(playwright, find_chromium())
        for name in named:
            if name == "growth":
                growth(path)
                continue
            made, scopes, n_pins = CASES[name]
            model, X, y = made()
            print(f"{name}: {len(X):,} x {X.shape[1]}", flush=True)
            with uq.explore(model, X, y) as explorer:
                explorer.wait(1200)
                for feature in X.columns[:n_pins]:
                    explorer.stress_feature, explorer.tau = feature, 0.5
                    explorer.pin(f"{feature} is higher")
                explorer.wait(1200)
                for scope in scopes:
                    saved_twice(explorer, path, scope)
                    if scope == "pictures":
                        continue
                    page = opening(browser, path.as_uri(), PAINTED)
                    nothing = opening(browser, empty.as_uri(), EMPTY)
                    print(
                        f"    open after {page:.0f} ms, an empty page after {nothing:.0f} ms"
                        f" (ratio {page / nothing:.1f})",
                        flush=True,
                    )
        browser.close()


if __name__ == "__main__":
    main()
