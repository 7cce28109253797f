"""Arguments that make no sense: one sentence of ours that names the argument, in every method."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import uqwidgets as uq

N = 40
_rng = np.random.default_rng(0)
X = pd.DataFrame(_rng.normal(size=(N, 3)), columns=list("abc"))
X["k"] = np.where(_rng.random(N) < 0.5, "u", "v")
Y = X["a"] + _rng.normal(size=N)
LABELS = (Y > 0).astype(int)
NUMBERS = X[["a", "b", "c"]]
PACKAGE = str(Path(uq.__file__).parent)


def explainer(**options):
    return uq.Explainer(lambda X: (X["a"].to_numpy(), np.ones(len(X))), X, Y, **options)


def classifier():
    return uq.Explainer(LogisticRegression().fit(NUMBERS, LABELS), NUMBERS, LABELS)


def learner(**options):
    return uq.Learner(LinearRegression(), NUMBERS, Y, **{"n_refits": 2, **options})


def loco(**options):
    return uq.loco_importance(
        LinearRegression(), NUMBERS[:20], Y[:20], NUMBERS[20:], Y[20:], "squared_error", **options
    )


def truth(**options):
    return uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)), 1.0, **options)


def batches(**options):
    return uq.stress_batches(lambda X: X["a"], lambda: iter([X.assign(y=Y)]), "y", **options)


# A call for each method that takes the argument; an importance with quick options, for example.
ROWS = {
    "importance": lambda v: explainer().importance(n_repeats=1, rows=v),
    "importance_over_tau": lambda v: explainer().importance_over_tau("a", rows=v, n_repeats=1),
    "dependence": lambda v: explainer().dependence("a", rows=v),
    "surface": lambda v: explainer().dependence(["a", "b"], rows=v),
    "dependences": lambda v: explainer().dependences(rows=v),
    "stress": lambda v: explainer().stress(rows=v),
    "stress_weights": lambda v: explainer().stress_weights("a", 0.5, rows=v),
    "stress_to": lambda v: explainer().stress_to({"a": 0.1}, rows=v),
    "scores": lambda v: explainer().scores(rows=v),
    "calibration": lambda v: classifier().calibration(rows=v),
    "confusion": lambda v: classifier().confusion(rows=v),
    "redundancy": lambda v: explainer().redundancy(n_estimators=50, rows=v),
    "diagnose": lambda v: explainer().diagnose(n_repeats=2, rows=v),
    "compare_rows": lambda v: explainer().compare_rows(v),
    "compare_rows other": lambda v: explainer().compare_rows([0, 1, 2], v),
    "compare importance": lambda v: explainer().compare(explainer()).importance(rows=v),
    "compare dependence": lambda v: explainer().compare(explainer()).dependence("a", rows=v),
    "compare stress": lambda v: explainer().compare(explainer()).stress(["a"], rows=v),
    "compare scores": lambda v: explainer().compare(explainer()).scores(rows=v),
    "classes": lambda v: classifier().compare_classes(0, 1).importance(rows=v),
}
WEIGHTS = {
    "importance": lambda v: explainer().importance(n_repeats=1, sample_weight=v),
    "dependence": lambda v: explainer().dependence("a", sample_weight=v),
    "surface": lambda v: explainer().dependence(["a", "b"], sample_weight=v),
    "dependences": lambda v: explainer().dependences(sample_weight=v),
    "scores": lambda v: explainer().scores(sample_weight=v),
    "calibration": lambda v: classifier().calibration(sample_weight=v),
    "confusion": lambda v: classifier().confusion(sample_weight=v),
    "redundancy": lambda v: explainer().redundancy(n_estimators=50, sample_weight=v),
    "diagnose": lambda v: explainer().diagnose(n_repeats=2, sample_weight=v),
    "compare_rows": lambda v: explainer().compare_rows([0, 1], sample_weight=v),
    "compare importance": lambda v: explainer().compare(explainer()).importance(sample_weight=v),
    "compare scores": lambda v: explainer().compare(explainer()).scores(sample_weight=v),
    "learner importance": lambda v: learner().importance("squared_error", sample_weight=v),
    "learner dependence": lambda v: learner().dependence("a", sample_weight=v),
    "learner dependences": lambda v: learner().dependences(sample_weight=v),
    "loco_importance": lambda v: loco(sample_weight=v),
    "explore": lambda v: uq.explore(explainer(), weights=v).close(),
}
FEATURES = {
    "importance": lambda v: explainer().importance(features=v, n_repeats=1),
    "importance_over_tau": lambda v: explainer().importance_over_tau("a", features=v),
    "dependences": lambda v: explainer().dependences(v, grid=3),
    "stress": lambda v: explainer().stress(v, taus=3),
    "redundancy": lambda v: explainer().redundancy(features=v, n_estimators=50),
    "diagnose": lambda v: explainer().diagnose(v, n_repeats=2),
    "stress_to": lambda v: explainer().stress_to(pinned=v, means={"b": 0.1}),
    "compare importance": lambda v: explainer().compare(explainer()).importance(features=v),
    "compare stress": lambda v: explainer().compare(explainer()).stress(v, taus=3),
    "rows importance": lambda v: explainer().compare_rows([0, 1, 2]).importance(features=v),
    "rows stress": lambda v: explainer().compare_rows([0, 1, 2]).stress(v),
    "classes importance": lambda v: classifier().compare_classes(0, 1).importance(v),
    "classes stress": lambda v: classifier().compare_classes(0, 1).stress(v),
    "learner importance": lambda v: learner().importance("squared_error", v),
    "learner dependences": lambda v: learner().dependences(v, grid=3),
    "loco": lambda v: learner().loco("squared_error", v),
    "loco_importance": lambda v: loco(features=v),
    "truth importance": lambda v: truth().importance(features=v, n=20),
    "stress_batches": lambda v: batches(features=v),
    "group": lambda v: explainer(feature_groups={"g": v}),
    "overlay": lambda v: uq.overlay(*[explainer().importance(n_repeats=2)] * 2, features=v),
    "save": lambda v: _save(stress_features=v),
    "explore": lambda v: uq.explore(explainer(), features=v).close(),
    "GuessTheRanking": lambda v: uq.teach.GuessTheRanking(explainer(), features=v).close(),
}
TAUS = {
    "stress": lambda v: explainer().stress(["a"], taus=v),
    "importance_over_tau": lambda v: explainer().importance_over_tau("a", taus=v, n_repeats=1),
    "stress_batches": lambda v: batches(taus=v),
    "compare stress": lambda v: explainer().compare(explainer()).stress(["a"], taus=v),
    "rows stress": lambda v: explainer().compare_rows([0, 1, 2]).stress(["a"], taus=v),
    "classes stress": lambda v: classifier().compare_classes(0, 1).stress(["a"], taus=v),
}
GRIDS = {
    "dependence": lambda v: explainer().dependence("a", grid=v),
    "category": lambda v: explainer().dependence("k", grid=v),
    "surface": lambda v: explainer().dependence(["a", "b"], grid=v),
    "dependences": lambda v: explainer().dependences(["a"], grid=v),
    "learner dependence": lambda v: learner().dependence("a", grid=v),
    "learner dependences": lambda v: learner().dependences(grid=v),
    "compare dependence": lambda v: explainer().compare(explainer()).dependence("a", grid=v),
    "rows dependence": lambda v: explainer().compare_rows([0, 1, 2]).dependence("a", grid=v),
    "truth dependence": lambda v: truth().dependence("x0", grid=v, n=20),
    "coverage": lambda v: truth().coverage(LinearRegression(), "x0", grid=v),
    "decompose": lambda v: truth().decompose(LinearRegression(), "x0", grid=v, n_truth=20),
}
FUNCTIONS = {
    "means": lambda v: explainer().stress_to(v),
    "variances": lambda v: explainer().stress_to(variances=v),
    "covariances": lambda v: explainer().stress_to(covariances=v),
    "shares": lambda v: explainer().stress_to(shares=v),
    "functions": lambda v: explainer().stress_to(functions=v),
}


# The sizes that a person can set.
COUNTS = {
    "n_repeats": {
        "importance": lambda v: explainer().importance(n_repeats=v),
        "importance_over_tau": lambda v: explainer().importance_over_tau("a", n_repeats=v),
        "diagnose": lambda v: explainer().diagnose(n_repeats=v),
        "replaced": lambda v: explainer().replaced("a", n_repeats=v),
        "compare": lambda v: explainer().compare(explainer()).importance(n_repeats=v),
        "compare_rows": lambda v: explainer().compare_rows([0, 1]).importance(n_repeats=v),
        "compare_classes": lambda v: classifier().compare_classes(0, 1).importance(n_repeats=v),
        "learner": lambda v: learner().importance("squared_error", n_repeats=v),
        "truth": lambda v: truth().importance(n_repeats=v, n=20),
        "decompose": lambda v: truth().decompose(LinearRegression(), n_repeats=v, n_truth=20),
        "GuessTheRanking": lambda v: uq.teach.GuessTheRanking(explainer(), n_repeats=v).close(),
        "WhatTheBarCovers": lambda v: uq.teach.WhatTheBarCovers(n_repeats=v).close(),
    },
    "repeats": {"ShuffleOneColumn": lambda v: uq.teach.ShuffleOneColumn(explainer(), repeats=v)},
    "lines": {
        "dependence": lambda v: explainer().dependence("a", lines=v),
        "dependences": lambda v: explainer().dependences(["a"], lines=v),
        "compare": lambda v: explainer().compare(explainer()).dependence("a", lines=v),
        "save": lambda v: _save(lines=v),
    },
    "grid": {
        "dependence": lambda v: explainer().dependence("a", grid=v),
        "dependences": lambda v: explainer().dependences(["a"], grid=v),
        "surface": lambda v: explainer().dependence(["a", "b"], grid=v),
        "surface of two": lambda v: explainer().dependence(["a", "b"], grid=[3, v]),
        "learner": lambda v: learner().dependence("a", grid=v),
    },
    "taus?": {"stress": lambda v: explainer().stress(["a"], taus=v)},
    "n_bins": {"calibration": lambda v: classifier().calibration(n_bins=v)},
    "n_estimators": {"redundancy": lambda v: explainer().redundancy(n_estimators=v)},
    "n_refits": {
        "learner": lambda v: learner(n_refits=v),
        "fit": lambda v: learner().fit(v),
        "coverage": lambda v: truth().coverage(LinearRegression(), n_refits=v),
        "coverage of several": lambda v: truth().coverage(LinearRegression(), n_refits=[2, v]),
        "decompose": lambda v: truth().decompose(LinearRegression(), n_refits=v, n_truth=20),
        "ManyRefits": lambda v: uq.teach.ManyRefits(n_refits=v).close(),
    },
    "n": {
        "data": lambda v: truth().data(v),
        "importance": lambda v: truth().importance(n=v),
        "dependence": lambda v: truth().dependence("x0", n=v),
        "coverage": lambda v: truth().coverage(LinearRegression(), n=v),
        "ManyRefits": lambda v: uq.teach.ManyRefits(n=v).close(),
        "WhatTheBarCovers": lambda v: uq.teach.WhatTheBarCovers(n=v).close(),
    },
    "n_tables": {"coverage": lambda v: truth().coverage(LinearRegression(), n_tables=v)},
    "n_train": {"decompose": lambda v: truth().decompose(LinearRegression(), n_train=v)},
    "n_test": {"decompose": lambda v: truth().decompose(LinearRegression(), n_test=v)},
    "n_datasets": {"decompose": lambda v: truth().decompose(LinearRegression(), n_datasets=v)},
    "n_truth": {"decompose": lambda v: truth().decompose(LinearRegression(), n_truth=v)},
    "n_samples": {
        name: getattr(uq.datasets, name) for name in dir(uq.datasets) if name.startswith("make_")
    },
    "n_features": {"redundant": lambda v: uq.datasets.make_redundant(10, n_features=v)},
    "n_relevant": {"redundant": lambda v: uq.datasets.make_redundant(10, n_relevant=v)},
    "n_jobs": {
        "redundancy": lambda v: explainer().redundancy(n_jobs=v),
        "learner": lambda v: learner(n_jobs=v),
        "loco_importance": lambda v: loco(n_jobs=v),
        "decompose": lambda v: truth().decompose(LinearRegression(), n_jobs=v, n_truth=20),
        "save": lambda v: _save(n_jobs=v),
    },
    "memory_limit": {
        "explainer": lambda v: explainer(memory_limit=v),
        "learner": lambda v: learner(memory_limit=v),
        "explore": lambda v: uq.explore(lambda X: X["a"], X, Y, memory_limit=v),
    },
    "random_state": {
        "explainer": lambda v: explainer(random_state=v),
        "learner": lambda v: learner(random_state=v),
        "truth": lambda v: truth(random_state=v),
    },
    "height": {"freeze": lambda v: _freeze(height=v)},
}


def _freeze(**options):
    with uq.explore(explainer(), n_repeats=2) as widget:
        widget.freeze(progress=False, **options)


def _save(path="page.html", **options):
    with uq.explore(explainer(), n_repeats=2) as widget:
        widget.save(path, progress=False, **options)


def several(*values):
    """A generator."""
    yield from values


# A value that is used up is made anew for each method.
BAD_ROWS = {
    "twice": lambda: [0, 0],
    "twice, from the end": lambda: [1, 1 - N],
    "2-d": lambda: [[0, 1]],
    "2-d array": lambda: np.array([[0], [1]]),
    "2-d mask": lambda: np.ones((N, 1), bool),
    "ragged": lambda: [[0], [0, 1]],
    "empty": list,
    "empty mask": lambda: np.zeros(N, bool),
    "one number": lambda: 3,
    "flag": lambda: True,
    "numbers and flags": lambda: [0, True],
    "short mask": lambda: [True, False],
    "fractions": lambda: [0.5, 1.0],
    "missing": lambda: [0, np.nan],
    "none": lambda: [None, 1],
    "missing mask": lambda: pd.Series([True, None] * (N // 2), dtype="boolean"),
    "masked": lambda: np.ma.array([0, 1], mask=[0, 1]),
    "text": lambda: "all",
    "bytes": lambda: b"all",
    "texts": lambda: ["0", "1"],
    "labels": lambda: ["u", "v"],
    "beyond": lambda: [N],
    "before": lambda: [-N - 1],
    "huge": lambda: [10**30],
    "beyond int64": lambda: np.array([2**63], np.uint64),
    "generator": lambda: several(0, 1),
    "set": lambda: {0, 1},
    "dict": lambda: {0: 1},
    "table": lambda: X[["a"]],
    "function": lambda: len,
    "dates": lambda: pd.date_range("2020", periods=2),
}
BAD_WEIGHTS = {
    "all tiny": lambda: np.full(N, 5e-324),
    "negative": lambda: np.r_[-1.0, np.ones(N - 1)],
    "missing": lambda: np.r_[np.nan, np.ones(N - 1)],
    "infinite": lambda: np.r_[np.inf, np.ones(N - 1)],
    "zero": lambda: np.zeros(N),
    "number": lambda: 2.0,
    "2-d": lambda: np.ones((N, 1)),
    "square": lambda: np.ones((N, N)),
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "short": lambda: [1.0, 2.0],
    "empty": list,
    "text": lambda: "balanced",
    "texts": lambda: ["1"] * N,
    "objects": lambda: np.array(["1"] * N, dtype=object),
    "none": lambda: [None] * N,
    "complex": lambda: np.ones(N) * 1j,
    "dates": lambda: pd.date_range("2020", periods=N),
    "masked": lambda: np.ma.array(np.ones(N), mask=[1] + [0] * (N - 1)),
    "nullable": lambda: pd.Series([None] + [1.0] * (N - 1), dtype="Float64"),
    "generator": lambda: several(1.0),
    "set": lambda: {1.0},
    "dict": lambda: dict.fromkeys(range(N), 1.0),
    "beyond floats": lambda: [10**400] * N,
}
BAD_FEATURES = {
    "list in a list": lambda: [["a"]],
    "array in a list": lambda: [np.array(["a"])],
    "dict in a list": lambda: [{"a": 1}],
    "twice": lambda: ["a", "a"],
    "twice in a generator": lambda: several("a", "a"),
    "twice in an index": lambda: pd.Index(["a", "a"]),
    "dict": lambda: {"a": 1},
    "set": lambda: {"a", "b"},
    "frozenset": lambda: frozenset(["a"]),
    "2-d": lambda: np.array([["a", "b"]]),
    "table": lambda: X[["a"]],
    "bytes": lambda: b"a",
    "unknown": lambda: ["z"],
    "part of a name": lambda: "ab",
    "number": lambda: 7,
    "flag": lambda: True,
    "flags": lambda: [True, False, False],
    "missing": lambda: [np.nan],
    "nothing in a list": lambda: [None],
    "function": lambda: len,
    "long": lambda: "a" * 10**6,
}
BAD_TAUS = {
    "empty": list,
    "many": lambda: 10**9,
    "more": lambda: 10**400,
    "many levels": lambda: np.zeros(10**5),
    "few": lambda: 2,
    "negative": lambda: -5,
    "beyond": lambda: [2.0],
    "missing": lambda: [np.nan],
    "2-d": lambda: [[0.5]],
    "ragged": lambda: [[0.5], [0.1, 0.2]],
    "text": lambda: "0.5",
    "texts": lambda: ["0.5"],
    "flag": lambda: True,
    "flags": lambda: [True, False],
    "generator": lambda: several(0.5),
    "set": lambda: {0.5},
    "dict": lambda: {0.5: 1},
    "none": lambda: None,
    "bytes": lambda: b"0.5",
}
BAD_GRIDS = {
    "many": lambda: 10**12,
    "more": lambda: 10**400,
    "many values": lambda: np.linspace(0, 1, 10**5),
    "one": lambda: 1,
    "negative": lambda: -5,
    "2-d": lambda: [[0.5, 1.0]],
    "ragged": lambda: [[0.5], [0.1, 0.2], []],
    "empty": list,
    "text": lambda: "many",
    "flag": lambda: True,
    "missing": lambda: [np.nan, 1.0],
    "generator": lambda: several(0.5, 1.0),
    "set": lambda: {0.5, 0.6},
    "dict": lambda: {0.5: 1},
    "table": lambda: X[["a"]],
    "lists in lists": lambda: [[["u"]]],
}
BAD_FUNCTIONS = {
    "number": lambda: 3,
    "no pair": lambda: {"f": 3},
    "no function": lambda: {"a": (3, 0.5)},
    "three": lambda: {"a": (len, 0.5, 1)},
    "no mean": lambda: {"a": (lambda X: X["a"], "x")},
    "list": lambda: {"a": [1.0, 2.0]},
    "list of one": lambda: {"a": [1.0]},
    "text": lambda: {"a": "1"},
    "missing": lambda: {"a": np.nan},
    "flag": lambda: {"a": True},
    "none": lambda: {"a": None},
    "huge": lambda: {"a": 10**400},
    "texts": lambda: {"a": (lambda X: X["k"], 0.5)},
    "short": lambda: {"a": (lambda _: [1.0], 0.5)},
    "fails": lambda: {"a": (lambda X: X["z"], 0.5)},
    "list of pairs": lambda: [("a", 0.5)],
    "text alone": lambda: "a",
}
BAD_COUNTS = {
    "huge": lambda: 10**20,
    "beyond floats": lambda: 10**400,
    "of thousands of digits": lambda: 10**5000,
    "negative": lambda: -(10**12),
    "negative, of thousands of digits": lambda: -(10**5000),
    "fraction": lambda: 2.5,
    "infinite": lambda: np.inf,
    "missing": lambda: np.nan,
    "flag": lambda: True,
    "text": lambda: "ten",
    "list in a list": lambda: [[3]],
    "dict": lambda: {3: 3},
    "table": lambda: X,
}
TABLE = [
    *((name, calls, BAD_COUNTS) for name, calls in COUNTS.items()),
    (r"rows|position", ROWS, BAD_ROWS),
    (r"weight", WEIGHTS, BAD_WEIGHTS),
    (r"feature|pinned|group|order|column", FEATURES, BAD_FEATURES),
    (r"tau", TAUS, BAD_TAUS),
    (r"grid|categor", GRIDS, BAD_GRIDS),
    (r"means?|variances?|covariances?|shares?|functions?|feature", FUNCTIONS, BAD_FUNCTIONS),
]


def problem_of(call, value, named):
    """What is wrong with the answer to a value, None if it is one sentence of ours."""
    try:
        call(value)
    except (ValueError, TypeError) as error:
        text = str(error)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        if not frame.filename.startswith(PACKAGE):
            return f"raw {type(error).__name__} of {frame.filename}: {text[:200]}"
        if not re.search(named, text):
            return f"does not name the argument: {text[:200]}"
        if not text.endswith((".", "?")) or "\n" in text or len(text) > 600:
            return f"no sentence: {text[:200]}"
    except BaseException as error:  # noqa: BLE001
        return f"raw {type(error).__name__}: {error}"[:200]
    else:
        return "accepted"
    return None


CASES = {
    f"{named}: {method}": (named, call, values)
    for named, calls, values in TABLE
    for method, call in calls.items()
}


@pytest.mark.parametrize("case", CASES)
def test_an_argument_that_makes_no_sense_is_one_sentence(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named, call, values = CASES[case]
    problems = {what: problem_of(call, value(), named) for what, value in values.items()}
    assert {what: problem for what, problem in problems.items() if problem} == {}
