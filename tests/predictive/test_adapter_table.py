"""The table of adapters: what a new family of models takes, and which row decides."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from models import table
from uqwidgets import Explainer, Mixture, Normal, Quantiles, as_predictive
from uqwidgets.predictive.adapters import choice

X, Y = table(60)

# The whole file of a new family: how its models are recognised, which options mean something for
# them, and how they are read.
FILE = """
import numpy as np

from uqwidgets.predictive.adapters.base import AdaptedModel, Adapter
from uqwidgets.predictive.distributions import Normal


def _read(model, options, adapt):
    std = model.error_std if options.noise is None else options.noise

    def distribution_of(X):
        mean = model.forecast(X)
        return Normal(mean, np.full(len(mean), std))

    return AdaptedModel(distribution_of)


FORECAST = Adapter(
    lambda model, options: hasattr(model, "forecast"),
    _read,
    options=("noise",),
    reason="{name} forecasts a mean with one standard deviation",
)
"""


class Forecaster:
    """A model of a library that no adapter knows."""

    error_std = 0.5

    def fit(self, X, y):  # noqa: ARG002
        return self

    def forecast(self, X):
        return np.asarray(X)[:, 0]

    def __sklearn_is_fitted__(self):
        return True


@pytest.fixture
def with_forecasts(tmp_path, monkeypatch):
    path = tmp_path / "forecasts.py"
    path.write_text(FILE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("forecasts", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The one row of the new family, where no other row matches its models.
    monkeypatch.setattr(choice, "ADAPTERS", (*choice.ADAPTERS, module.FORECAST))


def test_a_family_without_a_row_is_refused():
    with pytest.raises(TypeError, match="Forecaster has neither predict_proba nor predict"):
        as_predictive(Forecaster())


@pytest.mark.usefixtures("with_forecasts")
def test_a_new_family_is_one_file_and_one_row():
    q = as_predictive(Forecaster())(X)
    assert isinstance(q, Normal)
    np.testing.assert_array_equal(q.mean(), X[:, 0])
    assert np.isfinite(
        Explainer(Forecaster(), X, Y).importance("nll", n_repeats=2).importance
    ).all()


@pytest.mark.usefixtures("with_forecasts")
def test_a_new_family_has_its_options_and_refuses_the_others():
    np.testing.assert_array_equal(as_predictive(Forecaster(), noise=2.0)(X).std(), 2.0)
    with pytest.raises(
        ValueError, match="classes has no effect here, because Forecaster forecasts a mean with one"
    ):
        as_predictive(Forecaster(), classes=["a", "b"])


@pytest.mark.usefixtures("with_forecasts")
def test_a_new_family_is_read_inside_other_models():
    pipeline = make_pipeline(StandardScaler(), Forecaster()).fit(X, Y)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(as_predictive(pipeline)(X).mean(), scaled[:, 0])
    ensemble = as_predictive([Forecaster(), lambda X: (X[:, 1], np.ones(len(X)))])(X)
    assert isinstance(ensemble, Mixture)
    np.testing.assert_array_equal(ensemble.members.scale[0], [0.5, 1.0])


def test_a_list_with_levels_is_no_ensemble():
    models = [lambda X: X[:, 0] - 1, lambda X: X[:, 0] + 1]
    assert isinstance(as_predictive(models, levels=[0.1, 0.9])(X), Quantiles)
    assert isinstance(as_predictive(models, noise=1.0)(X), Mixture)


def test_a_subclass_of_a_distribution_mixes_as_its_kind():
    class Shifted(Normal):
        pass

    members = [lambda X: Shifted(X[:, 0], np.ones(len(X))), lambda X: (X[:, 1], np.ones(len(X)))]
    q = as_predictive(members)(X)
    np.testing.assert_array_equal(q.members.loc, X[:, :2])
