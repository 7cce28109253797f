"""The rooms of the package: the order of imports, and computation without notebook libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

import uqwidgets as uq

PACKAGE = Path(__file__).resolve().parents[1] / "uqwidgets"

# A room imports only rooms above it in this list. There are no other rooms.
ROOMS = [
    "_typing",
    "_utils",
    "datasets",
    "plotting",
    "inference",
    "predictive",
    "metrics",
    "measures",
    "evaluation",
    "importance",
    "dependence",
    "stress",
    "performance",
    "slices",
    "another_table",
    "explainer",
    "learner",
    "ground_truth",
    "widgets",
    "teach",
]
# So do the rooms inside widgets/.
ROOMS_OF_WIDGETS = [
    "inputs",
    "rows",
    "kernel",
    "over_tau",
    "views",
    "picture",
    "session",
    "reproduction",
    "page",
    "explorer",
    "explore",
    "links",
    "one_view",
]
FRONT_DOORS = ROOMS[ROOMS.index("explainer") :]
COMPUTATION = ROOMS[: ROOMS.index("widgets")]
FILES = sorted(PACKAGE.rglob("*.py"))
# A result imports its pictures inside the method that shows them, never when it is imported.
PICTURES = ("html", "chart")


def room_of(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(tree):
    """Modules that a syntax tree imports, also for type checkers and inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            if node.module in ("uqwidgets", "uqwidgets.widgets"):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_folders_are_the_rooms():
    listed = {room_of(path) for path in FILES} - {"__init__"}
    assert listed == set(ROOMS)
    assert len([room for room in ROOMS if not room.startswith("_")]) <= 18
    assert not [path for path in PACKAGE.glob("*.py") if path.stem not in ("__init__", "_typing")]


# Each rule is one test for all files, because a test for each file takes longer than the file.
def test_a_room_imports_only_rooms_above_it():
    below = []
    for path in FILES:
        own = room_of(path)
        if own == "__init__":
            continue
        inner = [m.split(".")[1] for m in imports(parsed(path)) if m.startswith("uqwidgets.")]
        below += [(path, room) for room in inner if ROOMS.index(room) > ROOMS.index(own)]
    assert not below


def test_a_room_of_the_widgets_imports_only_rooms_above_it():
    folder, prefix, below = PACKAGE / "widgets", "uqwidgets.widgets.", []
    listed = {path.relative_to(folder).with_suffix("").parts[0] for path in folder.rglob("*.py")}
    assert listed == {"__init__", *ROOMS_OF_WIDGETS}
    for path in folder.rglob("*.py"):
        own = path.relative_to(folder).with_suffix("").parts[0]
        if own == "__init__":
            continue
        # Type checkers may go up.
        nodes = [node for node in parsed(path).body if not is_for_types(node)]
        modules = {module for node in nodes for module in imports(node)}
        rooms = {m.removeprefix(prefix).split(".")[0] for m in modules if m.startswith(prefix)}
        order = ROOMS_OF_WIDGETS.index
        below += [(path.stem, room) for room in rooms if order(room) > order(own)]
    # The input `views` is checked against their names; the views import the inputs.
    assert sorted(below) == [("inputs", "views")]


def test_a_view_imports_no_other_view():
    folder = PACKAGE / "widgets" / "views"
    shared = {"__init__", "__pycache__", "view", "learner_part", "refitted"}
    views = {path.stem for path in folder.iterdir()} - shared
    assert len(views) > 4
    for path in folder.rglob("*.py"):
        own = path.relative_to(folder).with_suffix("").parts[0]
        prefix = "uqwidgets.widgets.views."
        inner = [m.removeprefix(prefix) for m in imports(parsed(path)) if m.startswith(prefix)]
        assert not {m.split(".")[0] for m in inner} & (views - {own}), path


def test_no_analysis_names_a_key_of_the_cache():
    naming = []
    for path in FILES:
        calls = [node.func for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
        if any(isinstance(f, ast.Attribute) and f.attr == "cached" for f in calls):
            naming.append(path)
    assert naming
    assert not [path for path in naming if room_of(path) not in ("evaluation", *FRONT_DOORS)]


def test_results_import_their_pictures_only_when_they_are_shown():
    results = [path for path in FILES if path.stem.endswith("result")]
    assert len(results) > 8
    for path in results:
        at_import = [n for n in parsed(path).body if isinstance(n, (ast.Import, ast.ImportFrom))]
        modules = [m for node in at_import for m in imports(node)]
        assert not [m for m in modules if m.endswith(PICTURES)], path


def test_the_computation_imports_no_widget_library():
    importing = []
    for path in FILES:
        if room_of(path) not in COMPUTATION:
            continue
        blocked = {"ipywidgets", "anywidget", "IPython", "traitlets"}
        # Results name the type of their chart, for type checkers only.
        if not path.stem.endswith(("chart", "altair", "result")):
            blocked.add("altair")
        modules = {module.split(".")[0] for module in imports(parsed(path))}
        importing += [(path, module) for module in blocked & modules]
    assert not importing


def test_the_computation_works_without_notebook_libraries():
    script = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"ipywidgets", "anywidget", "altair", "IPython", "traitlets"}:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocked())
import numpy as np
from uqwidgets import Explainer

X = np.random.default_rng(0).normal(size=(40, 2))
explainer = Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
result = explainer.importance("nll")
assert result.features[0] == "x0" and result.importance[0] > 0.1, result
assert result.importance[1] == 0, result
assert np.isclose(explainer.dependence("x0").average[-1], X[:, 0].max())
assert explainer.stress().values["mean"].shape == (2, 21)
repr(result), result.frame
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_the_calls_from_a_method_to_its_measure_go_down_only():
    """No room passes a measure back to one that uses it.

    Only with ``n_repeats="all"``, the statistics iterate over blocks that are evaluated meanwhile.
    """
    stacks = []

    def absolute_error(q, y):
        frame, rooms = sys._getframe(), []
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(PACKAGE):
                rooms.append(ROOMS.index(room_of(path)))
            frame = frame.f_back
        stacks.append(rooms[::-1])
        return np.abs(q.loc - y)

    X = np.random.default_rng(0).normal(size=(40, 3))
    explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 1])
    explainer.importance(absolute_error, n_repeats=2)
    explainer.dependence("x0", absolute_error, grid=5)
    explainer.dependence(["x0", "x2"], absolute_error, grid=5)
    assert len(stacks) == 4, "the rows as they are, shuffled rows, a curve and a surface"
    for rooms in stacks:
        assert rooms == sorted(rooms, reverse=True)
        assert len(rooms) <= 14
