r"""The mean square error of models, decomposed into bias, model variance and Monte Carlo error.

An estimate from training set s, fit r and test set t is

.. math:: \hat\theta_{srt} = \bar\theta + a_s + b_{sr} + e_{srt},

so that its mean square error is the squared bias plus the variances of all three effects. The
variances of a and b together are the variance of models (Molnar et al. 2023, section 5 and
appendices A and B), that of e is the Monte Carlo error (Molnar et al. 2023, section 6). They are
estimated by a nested analysis of variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback, run_parallel
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth.process import GeneratingProcess
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.ground_truth.simulation import (
    N_TESTS,
    Design,
    Estimand,
    FeatureImportance,
    PartialDependence,
    simulation_tasks,
)
from uqwidgets.ground_truth.squared_error import JackknifeMoments, SharedRows, bias_parts
from uqwidgets.learner.loco_importance.fits import AdapterFunction, clone_with_seed

# With few rows, a few large squares decide the parts of the bias, and samples without these have
# standard errors that are too small.
_SHARED_ROWS = 1000


@dataclass(frozen=True, eq=False)
class Components:
    """Components of the mean square error, each of shape (k,).

    Attributes
    ----------
    expected : ndarray of shape (k,)
        Mean of all estimates.
    std_error : ndarray of shape (k,)
        Of that mean.
    model_variance, mc_variance : ndarray of shape (k,)
        Unbiased estimates, which may be slightly negative.
    fit_variance : ndarray of shape (k,) or None
        Part of the model variance between fits on the same training set; None if there is one fit
        per training set.
    mse : ndarray of shape (k,)
        Mean square distance of the estimates from the truth.
    """

    expected: Floats
    std_error: Floats
    model_variance: Floats
    mc_variance: Floats
    fit_variance: Floats | None
    mse: Floats


def components(estimates: Floats, truth: Floats) -> Components:
    """Estimate the variance components.

    Parameters
    ----------
    estimates : ndarray of shape (n_datasets, n_refits, n_tests, k)
        At least two training sets and two test sets.
    truth : ndarray of shape (k,)
    """
    n_datasets, n_refits, n_tests, _ = estimates.shape
    fit_means = estimates.mean(axis=2)
    set_means = fit_means.mean(axis=1)
    mc = estimates.var(axis=2, ddof=1).mean(axis=(0, 1))
    between_sets = set_means.var(axis=0, ddof=1)
    if n_refits == 1:
        fit, model = None, between_sets - mc / n_tests
    else:
        between_fits = fit_means.var(axis=1, ddof=1).mean(axis=0)
        fit = between_fits - mc / n_tests
        model = between_sets - between_fits / n_refits + fit
    return Components(
        expected=set_means.mean(axis=0),
        std_error=np.sqrt(between_sets / n_datasets),
        model_variance=model,
        mc_variance=mc,
        fit_variance=fit,
        mse=np.square(estimates - truth).mean(axis=(0, 1, 2)),
    )


def decompose(
    process: GeneratingProcess,
    truth: Explainer,
    estimand: Estimand,
    estimator: Any,
    adapter: AdapterFunction,
    design: Design,
    n_jobs: int | None,
    callback: ProgressCallback | None,
) -> Decomposition:
    """Simulate models, and decompose the error of their estimates.

    Parameters
    ----------
    process : GeneratingProcess
    truth : Explainer
        Of the process itself, on many rows.
    estimand : Estimand
    estimator : object
        Not changed.
    adapter : callable
        See `apply_adapter`.
    design : Design
    n_jobs : int, optional
    callback : callable, optional
        Called after every training set.
    """
    clone_with_seed(estimator, 0)  # raises if it cannot be copied
    true, true_error = estimand.estimate(truth)
    shared = _shared_rows(process, estimand, design)
    models, of_sets = JackknifeMoments(design.n_datasets), []
    steps = FitProgress(design.n_datasets, design.n_train, callback)
    tasks = simulation_tasks(process, estimator, adapter, estimand, shared, design)
    with run_parallel(n_jobs, tasks) as results:
        for set_estimates, predictions in results:
            of_sets.append(set_estimates)
            if predictions is not None:
                models.add(predictions)
            steps.step()
    estimates = np.array(of_sets)
    parts = components(estimates, true)
    curve = estimand if isinstance(estimand, PartialDependence) else None
    importance = estimand if isinstance(estimand, FeatureImportance) else None
    order = np.arange(len(true)) if importance is None else np.argsort(-true, kind="stable")
    measure = truth.measure(estimand.measure)
    return Decomposition(
        procedure=type(estimator).__name__,
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        feature=None if curve is None else curve.grid.feature,
        categorical=curve is not None and curve.grid.categorical,
        points=estimand.points[order],
        truth=true[order],
        expected=parts.expected[order],
        bias=(parts.expected - true)[order],
        bias_error=np.hypot(parts.std_error, true_error)[order],
        model_variance=parts.model_variance[order],
        mc_variance=parts.mc_variance[order],
        fit_variance=None if parts.fit_variance is None else parts.fit_variance[order],
        mse=parts.mse[order],
        estimates=estimates[..., order],
        bias_parts=None if shared is None else _bias_parts(process, shared, models, order),
        replacement=None if importance is None else importance.replacement,
        n_repeats=None if importance is None else importance.n_repeats,
        n_train=design.n_train,
        n_test=design.n_test,
        n_datasets=design.n_datasets,
        n_refits=design.n_refits,
        n_tests=N_TESTS,
        n_truth=len(truth.table),
        seed=design.seed,
    )


def _shared_rows(
    process: GeneratingProcess, estimand: Estimand, design: Design
) -> SharedRows | None:
    """Rows for the parts of the bias, where these are known in closed form."""
    if not isinstance(estimand, FeatureImportance) or estimand.replacement != "permutation":
        return None
    if estimand.measure != "squared_error":
        return None
    rng = np.random.default_rng(np.random.SeedSequence(design.seed, spawn_key=(2,)))
    # The parts do not depend on the number of test rows, so there may be more rows than these.
    X, y = process.draw(max(design.n_test, _SHARED_ROWS), rng)
    return SharedRows(X, y, estimand.features, design.seed)


def _bias_parts(
    process: GeneratingProcess, shared: SharedRows, models: JackknifeMoments, order: Positions
) -> pd.DataFrame:
    true = shared.predictions(process.predictive)
    donors = shared.donors(process.predictive)
    parts: pd.DataFrame = bias_parts(true, models, shared.features, donors).iloc[order]
    return parts.reset_index(drop=True)
