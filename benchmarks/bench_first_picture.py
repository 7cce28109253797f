"""Time from the start of a cell to a first useful picture, for models that take long.

A picture is useful once it has importance with intervals, of which the ten leading features rest
on at least 200 rows, the curve of the picked feature and the stress profile of the stressed one.
The time is printed beside what the model alone takes for the rows that were evaluated by then, in
one call, and as the ratio of the two; and again in seconds of processor time, which do not depend
on what else the machine does. For the linear model, the ratio is printed too that a picture would
have if plain operations of numpy did all that a shuffled row needs besides the model: it cannot be
lower, however many rows there are. With the folder of ``adult_train.csv`` and ``adult_test.csv`` as
its argument, the census is the real one.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import uqwidgets as uq

FITTED_ROWS = 5000
ENOUGH_ROWS = 200

Case = tuple[Any, Any, Any]


def census(n: int = 16_281) -> Case:
    """Mixed columns of a census, a pipeline of one-hot encoding and boosting."""
    rng = np.random.default_rng(0)
    numbers = {f"number {j}": rng.gamma(2.0, size=n).round(1) for j in range(6)}
    levels = (8, 16, 7, 14, 6, 5, 2, 41)
    texts = {
        f"text {j}": rng.choice([f"level {k}" for k in range(count)], n)
        for j, count in enumerate(levels)
    }
    X = pd.DataFrame({**numbers, **texts})
    score = X["number 0"] - X["number 1"] * (X["text 6"] == "level 0") - 1
    y = np.where(score + rng.normal(size=n) > 0, ">50K", "<=50K")
    return encoded_boosting(X).fit(X[:FITTED_ROWS], y[:FITTED_ROWS]), X, y


def adult(folder: Path) -> Case:
    """Return the test rows of Adult, and the same pipeline fitted to its training rows."""
    train, test = (pd.read_csv(folder / f"adult_{part}.csv") for part in ("train", "test"))
    y_train, y = train.pop("income"), test.pop("income")
    return encoded_boosting(train).fit(train, y_train), test, y


def encoded_boosting(X: pd.DataFrame) -> Any:
    """Boosting after one-hot encoding of the columns of text."""
    texts = list(X.select_dtypes(exclude="number"))
    columns = make_column_transformer(
        (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), texts),
        remainder="passthrough",
    )
    return make_pipeline(columns, HistGradientBoostingClassifier(random_state=0))


def images(n: int = 10_000, p: int = 784) -> Case:
    """Pixels of ten shapes, a forest of 100 trees."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    shapes = rng.random((10, p)) < 0.2
    X = np.where(shapes[y], rng.integers(100, 256, (n, p)), 0) * (rng.random((n, p)) < 0.7)
    X = X.astype(np.float64)
    model = RandomForestClassifier(100, random_state=0)
    return model.fit(X[:FITTED_ROWS], y[:FITTED_ROWS]), X, y


def long_table(n: int = 1_000_000, p: int = 20) -> Case:
    """Many rows, a linear model."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X @ np.linspace(0, 2, p) + rng.normal(size=n)
    return LinearRegression().fit(X[:FITTED_ROWS], y[:FITTED_ROWS]), X, y


def is_useful(frame: dict[str, Any]) -> bool:
    """Whether a frame is a first useful picture."""
    meta = frame["meta"]
    if not all(meta[view] for view in ("importance", "dependence", "stress")):
        return False
    stressed = meta["stress"]["now"] is not None and meta["stress"]["features"]
    return bool(stressed) and meta["importance"]["n_rows_most"] >= ENOUGH_ROWS


def first_picture(case: Case) -> tuple[float, float, int]:
    """Return seconds and processor seconds until the first useful picture, and rows by then."""
    shown = threading.Event()
    rows = 0

    def look(change: Any) -> None:
        nonlocal rows
        if not shown.is_set() and is_useful(change["new"]):
            rows = change["new"]["meta"]["total"]["rows"]
            shown.set()

    class Watched(uq.Explorer):
        def __init__(self, *arguments: Any) -> None:
            self.observe(look, names="_frame")
            super().__init__(*arguments)

    wall, processor = time.perf_counter(), time.process_time()
    with Watched(uq.Explainer(*case)):
        shown.wait()
        return time.perf_counter() - wall, time.process_time() - processor, rows


def alone(case: Case, rows: int) -> tuple[float, float]:
    """Return seconds and processor seconds that the model takes for so many rows."""
    model, X, _ = case
    ask = getattr(model, "predict_proba", model.predict)
    many = min(len(X), max(rows, 1))
    batch = X[:many]
    ask(batch[:100])
    wall, processor = time.perf_counter(), time.process_time()
    ask(batch)
    share = rows / many
    return (time.perf_counter() - wall) * share, (time.process_time() - processor) * share


def lowest_ratio(case: Case) -> float:
    """Return the ratio for one shuffled column, if numpy alone did everything but the model."""
    model, X, y = case
    columns, rng = X.copy(), np.random.default_rng(0)
    ask = getattr(model, "predict_proba", model.predict)
    ask(columns[:100])
    started = time.perf_counter()
    donors = np.arange(len(X))
    rng.shuffle(donors)
    columns[:, 0] = X[donors, 0]
    beside = time.perf_counter() - started
    started = time.perf_counter()
    answers = ask(columns)
    of_model = time.perf_counter() - started
    started = time.perf_counter()
    losses = np.square(y - answers)
    np.bincount(donors, losses)  # an interval needs the means by rows and by donors
    losses.mean()
    beside += time.perf_counter() - started
    return 1 + beside / of_model


def main() -> None:
    """Print the figures of each table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    cases: dict[str, Callable[[], Case]] = {
        "16,281 x 14, one-hot + boosting": lambda: adult(folder) if folder else census(),
        "10,000 x 784, forest of 100 trees": images,
        "1,000,000 x 20, linear": long_table,
    }
    print("seconds until the first useful picture, seconds of the model alone, ratio")
    for name, make in cases.items():
        case = make()
        wall, processor, rows = first_picture(case)
        model_wall, model_processor = alone(case, rows)
        print(f"{name}, {rows:,} rows evaluated:")
        print(f"  elapsed   {wall:6.2f} {model_wall:6.2f} {wall / model_wall:6.1f}")
        print(
            f"  processor {processor:6.2f} {model_processor:6.2f} "
            f"{processor / model_processor:6.1f}",
            flush=True,
        )
        if name.endswith("linear"):
            print(f"  lowest ratio of any picture {lowest_ratio(case):.1f}", flush=True)


if __name__ == "__main__":
    main()
