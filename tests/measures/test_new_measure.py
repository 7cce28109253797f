"""A measure is declared in one place: everything else follows from its attributes."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import uqwidgets as uq
from models import classification, normal_model, regression, table
from uqwidgets import Normal
from uqwidgets.measures import NON_NEGATIVE, Measure, described
from uqwidgets.measures import regression as declarations
from uqwidgets.widgets.inputs.choices import curve_measures, importance_measures
from uqwidgets.widgets.session.model_info import model_info

PACKAGE = Path(uq.__file__).parent
# Rooms that treat measures alike, whatever their names.
ROOMS = ("importance", "dependence", "stress", "explainer", "widgets")

SCALED_ERROR = Measure(
    "scaled_error",
    "error in standard deviations",
    "",
    lambda q, y: np.abs(y - q.mean()) / q.std(),
    NON_NEGATIVE,
    needs_truth=True,
    shown_with="log_std",
)
LOG_STD = Measure("log_std", "log standard deviation", "nats", lambda q, _y: np.log(q.std()))


@pytest.fixture
def explainer(monkeypatch):
    """An explainer of a density, where two measures are declared before all others."""
    own = {one.name: one for one in (SCALED_ERROR, LOG_STD)}

    def of_densities(q):
        return own | declarations.of_densities(q)

    monkeypatch.setattr("uqwidgets.measures.of_densities", of_densities)
    return regression(60)


def test_a_new_measure_is_listed_where_it_is_declared(explainer):
    names = explainer.measures["measure"].tolist()
    assert names[:4] == ["scaled_error", "log_std", "nll", "entropy"]


def test_a_new_measure_has_importance_curves_and_a_mean_under_stress(explainer):
    importance = explainer.importance("scaled_error", n_repeats=2)
    curve = explainer.dependence(explainer.features[0], "log_std", grid=3)
    stressed = explainer.stress(explainer.features[:1], indicators=["scaled_error"])
    assert importance.label == "error in standard deviations"
    assert curve.unit == "nats"
    X, y = table(60)
    mean = SCALED_ERROR.of(Normal(*normal_model(X)), y).mean()
    unstressed = stressed.taus.tolist().index(0)
    assert stressed.values["scaled_error"][0, unstressed] == pytest.approx(mean)


def test_a_new_measure_takes_its_place_in_the_widget(explainer):
    assert [m.name for m in importance_measures(explainer)] == ["scaled_error", "log_std"]
    assert [m.name for m in curve_measures(explainer)][:3] == [
        "prediction",
        "scaled_error",
        "log_std",
    ]
    description = model_info(explainer)
    for kind in ("measures", "indicators"):
        bounds = {one["name"]: one["bounds"] for one in description[kind]}
        assert bounds["scaled_error"] == [0, None]
        assert bounds["log_std"] == [None, None]


def test_the_importance_of_a_loss_without_uncertainty_is_shown_alone():
    X = np.arange(20.0)[:, None] % 7
    points = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + 1)
    assert [m.name for m in importance_measures(points)] == ["squared_error"]


def test_names_of_measures_are_compared_nowhere_else():
    """No test of a name, such as ``name == "nll"`` or ``name in ("crps", "std")``."""
    explainers = regression(20), classification(20)
    names = {name.partition(":")[0] for e in explainers for name, _ in described(e._measures)}
    assert {"nll", "entropy", "prediction", "probability"} <= names
    compared = []
    for path in (p for room in ROOMS for p in (PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "startswith":
                parts = node.args
            else:
                continue
            texts = [
                one.value.partition(":")[0]
                for part in parts
                for one in ast.walk(part)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            compared += [(path.name, node.lineno) for text in texts if text in names]
    assert not compared
