"""Fits of one procedure on fresh training sets, each evaluated on fresh test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import ModelError, in_one_line
from uqwidgets._utils.options import MOST_REPEATS, MOST_ROWS, checked_count
from uqwidgets.dependence import CurveTransform, dependence
from uqwidgets.dependence.grids import Grid
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth.process import GeneratingProcess
from uqwidgets.ground_truth.squared_error import SharedRows
from uqwidgets.inference.population import Population
from uqwidgets.learner.loco_importance.fits import AdapterFunction, apply_adapter, clone_with_seed
from uqwidgets.predictive import Predictive

# Test sets of each fit: two are the fewest that identify the Monte Carlo error.
N_TESTS = 2


class Estimand(Protocol):
    """A vector of quantities of which every explainer gives an estimate."""

    @property
    def measure(self) -> Any:
        """Name or function."""
        ...

    @property
    def points(self) -> npt.NDArray[Any]:
        """Values of a feature, or names of features, that the k quantities belong to."""
        ...

    def estimate(self, explainer: Explainer) -> tuple[Floats, Floats]:
        """Estimates and their standard errors over rows, both of shape (k,)."""
        ...


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """Partial dependence at values of one feature.

    Attributes
    ----------
    grid : Grid
    measure : str or callable
    """

    grid: Grid
    measure: Any

    @property
    def points(self) -> npt.NDArray[Any]:
        """Values of the feature."""
        return self.grid.values

    def estimate(self, explainer: Explainer) -> tuple[Floats, Floats]:
        """Return the mean over rows of the ICE curves, and its standard error."""
        result = dependence(
            explainer.evaluations,
            explainer.measure(self.measure),
            self.grid,
            Population.of(len(explainer.table)),
            form=CurveTransform.of(False, False, False),
            level=0.95,
        )
        return result.average, result.std_error


@dataclass(frozen=True, eq=False)
class FeatureImportance:
    """Importance of all features.

    Attributes
    ----------
    features : tuple of str
    measure : str or callable
    replacement : str
    n_repeats : int or "all"
    """

    features: tuple[str, ...]
    measure: Any
    replacement: str
    n_repeats: int | str

    @property
    def points(self) -> npt.NDArray[Any]:
        """Names of the features."""
        return np.array(self.features, dtype=object)

    def estimate(self, explainer: Explainer) -> tuple[Floats, Floats]:
        """Return importance and standard error of each feature, in the order of ``features``."""
        result = explainer.importance(
            self.measure, self.features, replacement=self.replacement, n_repeats=self.n_repeats
        )
        order = np.array([result.features.index(feature) for feature in self.features])
        return result.importance[order], result.std_error[order]


@dataclass(frozen=True, eq=False)
class Design:
    """Sizes of a simulation.

    Attributes
    ----------
    n_train, n_test : int
        Rows that each fit learns from, and rows of each of its test sets.
    n_datasets : int
        Training sets.
    n_refits : int
        Fits on each of them, with different seeds of the procedure's own randomness.
    seed : int
    """

    n_train: int
    n_test: int
    n_datasets: int
    n_refits: int
    seed: int

    @classmethod
    def of(cls, n_train: int, n_test: int, n_datasets: int, n_refits: int, seed: int) -> Design:
        """Check the sizes.

        Raises
        ------
        ValueError
            If one is no whole number, too small or too large.
        """
        return cls(
            checked_count(n_train, "n_train", 2, MOST_ROWS),
            checked_count(n_test, "n_test", 2, MOST_ROWS),
            checked_count(n_datasets, "n_datasets", 2, MOST_REPEATS),
            checked_count(n_refits, "n_refits", 1, MOST_REPEATS),
            seed,
        )


def simulation_tasks(
    process: GeneratingProcess,
    estimator: Any,
    adapter: AdapterFunction,
    estimand: Estimand,
    shared: SharedRows | None,
    design: Design,
) -> Iterator[Callable[[], Any]]:
    """Yield a task for each training set, which returns the estimates of the fits on it.

    Parameters
    ----------
    process : GeneratingProcess
    estimator : object
        Not changed.
    adapter : callable
        See `apply_adapter`.
    estimand : Estimand
        Of k quantities.
    shared : SharedRows or None
        Rows that all models predict.
    design : Design

    Yields
    ------
    callable
        It returns estimates of shape (n_refits, N_TESTS, k), and predictions of the shared rows of
        shape (n_refits, ...) or None. It raises `ModelError` if a fit, the adapter or a fitted
        model fails.
    """
    for number in range(design.n_datasets):
        # The seed depends on the number of the training set alone, so that a simulation of more
        # training sets begins with the same ones.
        root = np.random.SeedSequence(design.seed, spawn_key=(1, number))
        for_training, for_fits = root.spawn(2)
        # Seeds are set here and not in a worker process, whose global stream of numpy differs.
        fits = [
            (clone_with_seed(estimator, _as_integer(seed)), seed)
            for seed in for_fits.spawn(design.n_refits)
        ]
        training_set = _TrainingSet(number, for_training, fits)
        yield partial(_simulate, process, training_set, adapter, estimand, shared, design)


@dataclass(frozen=True, eq=False)
class _TrainingSet:
    """A training set and the fits on it, each with the seed of its test sets."""

    number: int
    seed: np.random.SeedSequence
    fits: list[tuple[Any, np.random.SeedSequence]]


def _simulate(
    process: GeneratingProcess,
    training_set: _TrainingSet,
    adapter: AdapterFunction,
    estimand: Estimand,
    shared: SharedRows | None,
    design: Design,
) -> tuple[Floats, Floats | None]:
    X, y = process.draw(design.n_train, np.random.default_rng(training_set.seed))
    estimates, predictions = [], []
    for model, seed in training_set.fits:
        try:
            model.fit(X, y)
        except Exception as error:
            raise ModelError(
                f"the fit on training set {training_set.number} failed: {in_one_line(error)}"
            ) from error
        name = f" of training set {training_set.number}"
        predictive = apply_adapter(adapter, model, y, name, fitted_on=X)
        estimates.append(
            [_estimate(process, predictive, estimand, design, s) for s in seed.spawn(N_TESTS)]
        )
        if shared is not None:
            predictions.append(shared.predictions(predictive))
    return np.array(estimates), None if shared is None else np.array(predictions)


def _estimate(
    process: GeneratingProcess,
    model: Predictive,
    estimand: Estimand,
    design: Design,
    seed: np.random.SeedSequence,
) -> Floats:
    """Estimates from one fresh test set."""
    rows, donors = seed.spawn(2)
    X, y = process.draw(design.n_test, np.random.default_rng(rows))
    explainer = Explainer(model, X, y, random_state=_as_integer(donors))
    return estimand.estimate(explainer)[0]


def _as_integer(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1)[0] % 2**31)
