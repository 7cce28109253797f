"""Measures and adapters of other installed packages."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets._utils import packages
from uqwidgets.measures import Measure
from uqwidgets.predictive.adapters.base import AdaptedModel, Adapter


def doubt(q):
    if q.classes is None:
        return "it needs classes"
    return Measure("doubt", "doubt", "", lambda q, _: 1 - q.probabilities.max(axis=1))


class Machine:
    def ask(self, X):
        return X[:, 0]


MACHINES = Adapter(
    lambda model, _: isinstance(model, Machine),
    lambda model, *_: AdaptedModel(lambda X: uq.Normal(model.ask(X), np.ones(len(X)))),
)


@pytest.fixture
def installed(monkeypatch):
    points = [
        EntryPoint("doubt", f"{__name__}:doubt", "uqwidgets.measures"),
        EntryPoint("nll", f"{__name__}:doubt", "uqwidgets.measures"),
        EntryPoint("gone", "no_such_package:measure", "uqwidgets.measures"),
        EntryPoint("machines", f"{__name__}:MACHINES", "uqwidgets.adapters"),
    ]
    monkeypatch.setattr(
        packages, "entry_points", lambda group: [one for one in points if one.group == group]
    )
    packages.from_packages.cache_clear()
    yield
    packages.from_packages.cache_clear()


@pytest.mark.usefixtures("installed")
def test_measures_and_adapters_of_a_package_are_offered():
    X = np.random.default_rng(0).normal(size=(30, 2))
    P = np.stack([1 / (1 + np.exp(X[:, 0])), 1 / (1 + np.exp(-X[:, 0]))], axis=1)
    labels = np.where(X[:, 0] > 0, "yes", "no")
    with pytest.warns(UserWarning, match="no_such_package:measure.* cannot be loaded"):
        classifier = uq.Explainer(uq.Categorical(P, ["no", "yes"]), X, labels)
    assert "doubt" in classifier.measure_names
    under_stress = classifier.stress("x0", "doubt", taus=[-1, 0, 1]).frame.set_index("tau")["value"]
    assert np.isclose(under_stress[0], np.minimum(P[:, 0], P[:, 1]).mean())
    assert classifier.measure("nll").label != "doubt"
    regression = uq.Explainer(Machine(), X, X[:, 0])
    assert np.allclose(regression.predictive(X).mean(), X[:, 0])
    reasons = regression.measures.set_index("measure")["reason"]
    assert reasons["doubt"] == "it needs classes"
