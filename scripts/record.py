"""Record what users see, and compare two records: a change of the machinery must not change it.

``python scripts/record.py write build/before.json`` calls every public method on seeded tables and
stores the frames, texts, remarks, error sentences and counts, and the frames of the widget;
``python scripts/record.py compare build/before.json build/after.json`` prints what differs by more
than 1e-12 of its size and ends with the code 1 if something does. ``--only dates`` records the
tables whose name contains a text, and ``--without-ends`` compares all but the ends of intervals.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import uqwidgets as uq

TOLERANCE = 1e-12
# Numbers of frames that depend on the clock.
TIMES = ("seconds", "calls")
# What contains ends of intervals: columns of results and of frames, and texts.
ENDS = re.compile(r"(low|high|std_error|repr)(\[\d+\])*$")


class Task:
    """A model and its table, with what the methods are called with."""

    def __init__(self, model: Any, X: pd.DataFrame, y: Any, **options: Any) -> None:
        self.model, self.X, self.y, self.options = model, X, y, options
        rng = np.random.default_rng(9)
        self.weights = rng.exponential(size=len(X))
        self.rows = np.flatnonzero(rng.random(len(X)) < 0.5)

    def explainer(self) -> uq.Explainer:
        """Make a new explainer, whose counts begin at zero."""
        return uq.Explainer(self.model, self.X, self.y, **self.options)


def _numbers(n: int, p: int = 3, seed: int = 0) -> pd.DataFrame:
    values = np.random.default_rng(seed).normal(size=(n, p))
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(p)])


def _normal(X: pd.DataFrame) -> tuple[Any, Any]:
    first, second = (X.iloc[:, j].fillna(0.5).to_numpy(dtype=float) for j in (0, 1))
    return first + 0.5 * np.sin(2 * second), np.exp(0.3 * second - 0.7)


def _noisy(X: pd.DataFrame, seed: int = 1) -> Any:
    mean, std = _normal(X)
    return mean + std * np.random.default_rng(seed).normal(size=len(X))


def _classes(X: pd.DataFrame, labels: list[str]) -> Any:
    scores = X.iloc[:, 0].rank().to_numpy() / len(X)
    scores = scores + 0.4 * np.random.default_rng(2).random(len(X))
    return np.array(labels)[(scores / 1.4 * len(labels)).astype(int).clip(0, len(labels) - 1)]


def _numbers_task() -> Task:
    X = _numbers(120)
    return Task(_normal, X, _noisy(X))


def _fitted_task() -> Task:
    X = _numbers(90, 4, seed=3)
    y = _noisy(X)
    return Task(BayesianRidge().fit(X, y), X, y)


def _process_task() -> Task:
    X = _numbers(40, 2, seed=4)
    y = _noisy(X)
    return Task(GaussianProcessRegressor(alpha=0.1).fit(X, y), X, y)


def _two_classes_task() -> Task:
    X = _numbers(150, 3, seed=5)
    y = _classes(X, ["no", "yes"])
    return Task(LogisticRegression().fit(X, y), X, y)


def _members_task() -> Task:
    X = _numbers(80, 3, seed=6)
    y = _classes(X, ["a", "b", "c"])
    forest = RandomForestClassifier(8, random_state=0).fit(X, y)
    return Task(uq.as_predictive(forest, members=True), X, y)


def _categories_task() -> Task:
    rng = np.random.default_rng(7)
    X = _numbers(100, 1, seed=7).assign(
        colour=rng.choice(["red", "green", "blue"], 100), shape=rng.choice(["<b>", "ring"], 100)
    )
    y = _classes(X, ["no", "yes"])
    encoder = make_column_transformer(
        (OneHotEncoder(), ["colour", "shape"]), remainder="passthrough"
    )
    return Task(make_pipeline(encoder, LogisticRegression()).fit(X, y), X, y)


def _missing_task() -> Task:
    rng = np.random.default_rng(8)
    X = _numbers(80, 3, seed=8).mask(rng.random((80, 3)) < 0.2)
    return Task(_normal, X, _noisy(X))


def _dates_task() -> Task:
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(70) * 5, "D")
    X = _numbers(70, 2, seed=9).assign(day=days)
    return Task(_normal, X, _noisy(X), extra=pd.DataFrame({"site": np.arange(70) % 3}))


def _groups_task() -> Task:
    X = _numbers(90, 4, seed=10)
    groups = {"both": ["x0", "x2"]}
    return Task(_normal, X, _noisy(X), feature_groups=groups)


def _values_task() -> Task:
    X = _numbers(100, 3, seed=11)
    return Task(lambda X: _normal(X)[0], X, _noisy(X))


def _labels_task() -> Task:
    X = _numbers(100, 3, seed=12)
    y = _classes(X, ["a", "b", "c"])
    return Task(lambda X: np.where(X["x0"] > 0, "c", "a").astype(object), X, y)


TASKS: dict[str, Callable[[], Task]] = {
    "numbers": _numbers_task,
    "fitted": _fitted_task,
    "gaussian process": _process_task,
    "two classes": _two_classes_task,
    "members of three classes": _members_task,
    "categories": _categories_task,
    "missing values": _missing_task,
    "dates": _dates_task,
    "groups of features": _groups_task,
    "single values": _values_task,
    "labels": _labels_task,
}


def _calls(task: Task) -> Iterator[tuple[str, Callable[[uq.Explainer], Any]]]:
    """Yield every call of an explainer, with a name."""
    first = str(task.X.columns[0])
    weights, rows = task.weights, task.rows
    measures = [m for m in task.explainer().measure_names if ":" not in m][:6]
    for measure in measures:
        yield f"importance {measure}", lambda e, m=measure: e.importance(m, n_repeats=4)
        yield f"dependence {measure}", lambda e, m=measure: e.dependence(first, m, grid=9)
    one = measures[0]
    last = measures[-1]
    for replacement in ("ablation", "conditional"):
        yield replacement, lambda e, r=replacement: e.importance(one, replacement=r, n_repeats=3)
    for interval in ("model", "fixed-data", "random-variable", "quantile"):
        yield interval, lambda e, i=interval: e.importance(one, interval=i, n_repeats=4)
    yield "all donors", lambda e: e.importance(one, n_repeats="all")
    yield "ratio", lambda e: e.importance(last, compare="ratio", n_repeats=4)
    yield "weighted", lambda e: e.importance(one, n_repeats=4, sample_weight=weights)
    yield "some rows", lambda e: e.importance(one, n_repeats=4, rows=rows)
    for metric in ("accuracy", "f1_macro", "roc_auc_ovr", "r2", "neg_median_absolute_error"):
        yield f"importance {metric}", lambda e, m=metric: e.importance(m, n_repeats=3)
    yield "sliced", lambda e: e.dependence(first, one, derivative=True, grid=7)
    yield "centred", lambda e: e.dependence(first, one, center=True, grid=7, sample_weight=weights)
    yield "all curves", lambda e: list(e.dependences(None, one, grid=6).values())
    yield "surface", lambda e: e.dependence([first, str(task.X.columns[1])], one, grid=5)
    yield "stress", lambda e: e.stress(taus=7)
    yield "stress with intervals", lambda e: e.stress([first], taus=5, level=0.9)
    yield "tail means", lambda e: e.stress(taus=5, anchor="tail-mean")
    yield "stress weights", lambda e: e.stress_weights(first, 0.5)
    yield "stress to", lambda e: e.stress_to({first: float(task.X[first].mean()) + 0.1})
    yield "over tau", lambda e: e.importance_over_tau(first, one, taus=5, n_repeats=3)
    yield "scores", lambda e: e.scores()
    yield "weighted scores", lambda e: e.scores(sample_weight=weights, rows=rows)
    yield "calibration", lambda e: e.calibration()
    yield "confusion", lambda e: e.confusion()
    yield "diagnosis", lambda e: e.diagnose(n_repeats=3)
    yield "redundancy", lambda e: e.redundancy(n_estimators=50)
    yield "replaced", lambda e: e.replaced(first, measures[:2], n_repeats=2)
    for what in ("importance", "dependence", "scores", "stress"):
        arguments = {"importance": (one,), "dependence": (first, one)}.get(what, ())
        options = {"importance": {"n_repeats": 3}, "stress": {"taus": 5}}.get(what, {})
        yield (
            f"rows {what}",
            lambda e, w=what, a=arguments, o=options: getattr(e.compare_rows(rows), w)(*a, **o),
        )
        yield (
            f"models {what}",
            lambda e, w=what, a=arguments, o=options: getattr(e.compare(task.explainer()), w)(
                *a, **o
            ),
        )
    yield "unknown feature", lambda e: e.importance(one, ["nothing"])
    yield "unknown measure", lambda e: e.importance("nothing")
    yield "no repeats", lambda e: e.importance(one, n_repeats=0)
    yield "tau beyond 1", lambda e: e.stress_weights(first, 2.0)
    yield "wrong level", lambda e: e.importance(one, level=2)
    yield "wrong rows", lambda e: e.scores(rows=[10**6])


def _plain(value: Any) -> Any:
    """Return a result in types that JSON has."""
    if isinstance(value, pd.DataFrame):
        return {str(name): _plain(column.to_numpy()) for name, column in value.items()}
    if isinstance(value, np.ndarray):
        return [_plain(v) for v in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items() if k not in TIMES}
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if hasattr(value, "frame"):
        remarks = [(r.code, str(r)) for r in getattr(value, "remarks", ())]
        return {"frame": _plain(value.frame), "repr": repr(value), "remarks": _plain(remarks)}
    return str(value)


def _record(task: Task) -> Iterator[tuple[str, Any]]:
    for name, call in _calls(task):
        explainer = task.explainer()
        try:
            result = _plain(call(explainer))
        except Exception as error:  # noqa: BLE001 - the sentence is what is recorded
            result = f"{type(error).__name__}: {error}"
        yield name, result
        # The number of calls depends on how long the first ones take, that of rows does not.
        yield f"{name}: rows", explainer.rows_evaluated
    yield from _record_widget(task)


def _record_widget(task: Task) -> Iterator[tuple[str, Any]]:
    views = ["importance", "dependence", "stress", "indicators", "performance"]
    widget = uq.explore(task.explainer(), views=views)
    for tau in (0.0, 0.5):
        widget.tau = tau
        widget.wait()
        frame = widget._frame
        described = frame["meta"].get("cols", {})
        for name, columns in frame["cols"].items():
            dtype = {"u1": "|u1"}.get(described[name]["dtype"], "<" + described[name]["dtype"])
            yield f"widget, tau {tau}: {name}", _plain(np.frombuffer(columns, dtype))
        yield f"widget, tau {tau}: meta", _plain(frame["meta"])
    widget.close()


def _record_learner() -> Iterator[tuple[str, Any]]:
    X = _numbers(80, 3, seed=13)
    learner = uq.Learner(BayesianRidge(), X, _noisy(X), n_refits=4)
    calls: dict[str, Callable[[], Any]] = {
        "importance": lambda: learner.importance("nll", n_repeats=3),
        "dependence": lambda: learner.dependence("x0", grid=7),
        "performance": lambda: learner.performance("nll"),
        "loco": lambda: learner.loco("nll"),
    }
    for name, call in calls.items():
        yield name, _plain(call())


def write(path: Path, only: str) -> None:
    """Record all tables whose names contain a text."""
    records = {name: dict(_record(make())) for name, make in TASKS.items() if only in name}
    if only in "learner":
        records["learner"] = dict(_record_learner())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records, indent=0), encoding="utf-8")


def _differences(before: Any, after: Any, place: str) -> Iterator[tuple[str, str]]:
    match before, after:
        case (dict(), dict()):
            for key in dict.fromkeys([*before, *after]):
                if (key in before) != (key in after):
                    yield f"{place}/{key}", f"only {'before' if key in before else 'after'}"
                else:
                    yield from _differences(before[key], after[key], f"{place}/{key}")
        case (list(), list()) if len(before) == len(after):
            for number, pair in enumerate(zip(before, after, strict=True)):
                yield from _differences(*pair, f"{place}[{number}]")
        case (float() | int(), float() | int()):
            if abs(before - after) > TOLERANCE * max(1.0, abs(before)):
                yield place, f"{before!r} -> {after!r}"
        case _ if before != after:
            yield place, f"{str(before)[:200]} -> {str(after)[:200]}"


def compare(first: Path, second: Path, *, with_ends: bool) -> int:
    """Print how two records differ, at most a hundred lines; return how many differences."""
    before, after = (json.loads(p.read_text(encoding="utf-8")) for p in (first, second))
    lines = [
        (place, values)
        for place, values in _differences(before, after, "")
        if with_ends or not ENDS.search(place)
    ]
    for place, values in lines[:100]:
        print(f"{place}: {values}")
    print(f"{len(lines)} differences")
    return len(lines)


def main() -> int:
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="a text in the names of tables")
    parser.add_argument("--without-ends", action="store_true", help="leave out ends of intervals")
    options = parser.parse_args()
    if options.action == "write":
        write(options.paths[0], options.only)
        return 0
    return min(1, compare(*options.paths, with_ends=not options.without_ends))


if __name__ == "__main__":
    sys.exit(main())
