"""The house: who may import whom, and what the computation layer does without."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "uqwidgets"

# From the top of the house down: a file imports only what stands above it.
HOUSE = [
    "predictive.distributions",
    "predictive.adapters",
    "predictive",
    "predictive.torch",
    "differences",
    "names",
    "seeds",
    "errors",
    "forking",
    "datasets",
    "tabular",
    "substitution",
    "labels",
    "data",
    "encoding",
    "observed",
    "metrics",
    "measures",
    "replacement",
    "subgroups",
    "cache",
    "pace",
    "asking",
    "consistency",
    "evaluation",
    "progress_bar",
    "steps",
    "results",
    "stills",
    "charts",
    "sums",
    "population",
    "inference",
    "importance",
    "loco",
    "dependence",
    "stress.compressed.grids",
    "stress.compressed.panels",
    "stress.compressed.compression",
    "stress.compressed.levels",
    "stress.anchors",
    "stress.projection",
    "stress.columns",
    "stress.indicators",
    "stress.reweighted",
    "stress.intervals",
    "stress.directions",
    "stress.remarks",
    "stress.profile",
    "stress.constrained.functions",
    "stress.constrained.whitening",
    "stress.constrained.hull",
    "stress.constrained.tilting",
    "stress.constrained.entropic",
    "stress",
    "stress.constrained.constraints",
    "stress.stressing",
    "importance_over_tau",
    "diagnosis",
    "redundancy",
    "explaining.explained",
    "explaining",
    "explainer",
    "learners",
    "ground_truth",
    "batches",
    "widgets",
    "",
]
COMPUTATION = HOUSE[: HOUSE.index("widgets")]
DRAWING = ("charts", "stills")
# A result asks for its picture when it is looked at, and only then.
WHEN_SHOWN = {
    (f"results.{kind}", drawing)
    for kind in (
        "importance",
        "importance_over_tau",
        "decomposition",
        "dependence",
        "diagnosis",
        "performance",
        "redundancy",
        "stress",
        "surface",
    )
    for drawing in DRAWING
}


def name_of(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def storey(module):
    """Place in the house; a room of a package that is not named has that of the package."""
    while module not in HOUSE:
        module = module.rpartition(".")[0]
    return HOUSE.index(module)


def files():
    return sorted(path for path in PACKAGE.rglob("*.py"))


def imports(path):
    """Modules that a file needs when it runs: imports for type checkers are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            if node.module == "uqwidgets" or node.module.startswith("uqwidgets."):
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                yield from (name for name in inner if is_module(name))


def is_module(name):
    place = PACKAGE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_file_imports_only_what_stands_above_it(path):
    own = name_of(path)
    below = []
    for module in imports(path):
        if module != "uqwidgets" and not module.startswith("uqwidgets."):
            continue
        other = module.removeprefix("uqwidgets").removeprefix(".")
        if (own, other) in WHEN_SHOWN:
            continue
        # Rooms that the house does not name have no order among themselves.
        neighbours = own.split(".")[0] == other.split(".")[0] and not {own, other} <= set(HOUSE)
        if not neighbours and storey(other) >= storey(own) and other != own:
            below.append(module)
    assert not below


def test_results_draw_only_when_they_are_shown():
    at_once = [
        node
        for path in (PACKAGE / "results").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert len(at_once) > 10
    assert not [node for node in at_once if "charts" in ast.unparse(node)]
    assert not [node for node in at_once if "stills" in ast.unparse(node)]


@pytest.mark.parametrize(
    "path",
    [p for p in files() if name_of(p).split(".")[0] not in ("widgets", "")],
    ids=lambda p: str(p.relative_to(PACKAGE)),
)
def test_the_computation_layer_imports_no_widgets_and_no_charts(path):
    blocked = {"ipywidgets", "anywidget", "IPython", "traitlets"}
    if name_of(path).split(".")[0] not in DRAWING:
        blocked.add("altair")
    assert not blocked & {module.split(".")[0] for module in imports(path)}


def test_every_place_in_the_house_is_lived_in():
    lived_in = {name_of(path) for path in files()}
    assert set(COMPUTATION) - set(DRAWING) <= lived_in


def test_it_computes_where_no_notebook_library_is_installed():
    script = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"ipywidgets", "anywidget", "altair", "IPython", "traitlets"}:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocked())
import numpy as np
from uqwidgets.explainer import Explainer

X = np.random.default_rng(0).normal(size=(40, 2))
explainer = Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
found = explainer.importance("nll")
assert found.features[0] == "x0" and found.importance[0] > 0.1, found
assert found.importance[1] == 0, found
assert np.isclose(explainer.dependence("x0").average[-1], X[:, 0].max())
assert explainer.stress().values["mean"].shape == (2, 21)
repr(found), found.frame
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
