"""The error of a model's curve or importance, taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from uqwidgets.evaluation.progress import FitProgress, ProgressCallback, run_parallel
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth.components import components
from uqwidgets.ground_truth.process import Process
from uqwidgets.ground_truth.questions import Curve, Question, Ranks
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.ground_truth.simulation import TESTS, Design, simulation
from uqwidgets.ground_truth.squared_error import LeftOutMoments, Shared, bias_parts
from uqwidgets.learner.loco_importance.fits import seeded
from uqwidgets.learner.loco_importance.read_fit import Read


def decomposed(
    process: Process,
    truth: Explainer,
    question: Question,
    estimator: Any,
    read: Read,
    design: Design,
    n_jobs: int | None,
    callback: ProgressCallback | None,
) -> Decomposition:
    """Simulate, and set what models say beside what the truth says.

    Parameters
    ----------
    process : Process
    truth : Explainer
        Of the process itself, on many rows.
    question : Question
    estimator : object
        Not changed.
    read : callable
        See `read_fit`.
    design : Design
    n_jobs : int, optional
    callback : callable, optional
        Called after every training set.
    """
    seeded(estimator, 0)  # says what is wrong if it cannot be copied
    true, true_error = question.answer(truth)
    shared = _shared(process, question, design)
    models, estimates = LeftOutMoments(design.n_datasets), []
    steps = FitProgress(design.n_datasets, design.n_train, callback)
    tasks = simulation(process, estimator, read, question, shared, design)
    with run_parallel(n_jobs, tasks) as answers:
        for found, predictions in answers:
            estimates.append(found)
            if predictions is not None:
                models.add(predictions)
            steps.step()
    everything = np.array(estimates)
    parts = components(everything, true)
    ranks = isinstance(question, Ranks)
    order = np.argsort(-true, kind="stable") if ranks else np.arange(len(true))
    used = truth.measure(question.measure)
    return Decomposition(
        procedure=type(estimator).__name__,
        measure=used.name,
        label=used.label,
        unit=used.unit,
        feature=question.grid.feature if isinstance(question, Curve) else None,
        categorical=isinstance(question, Curve) and question.grid.categorical,
        points=question.points[order],
        truth=true[order],
        expected=parts.expected[order],
        bias=(parts.expected - true)[order],
        bias_error=np.hypot(parts.std_error, true_error)[order],
        model_variance=parts.model_variance[order],
        mc_variance=parts.mc_variance[order],
        fit_variance=None if parts.fit_variance is None else parts.fit_variance[order],
        mse=parts.mse[order],
        estimates=everything[..., order],
        bias_parts=_bias_parts(process, shared, models, order),
        replacement=question.replacement if isinstance(question, Ranks) else None,
        n_repeats=question.n_repeats if isinstance(question, Ranks) else None,
        n_train=design.n_train,
        n_test=design.n_test,
        n_datasets=design.n_datasets,
        n_refits=design.n_refits,
        n_tests=TESTS,
        n_truth=len(truth.table),
        seed=design.seed,
    )


def _shared(process: Process, question: Question, design: Design) -> Shared | None:
    """Rows for the parts of the bias, where these are known in closed form."""
    if not isinstance(question, Ranks) or question.replacement != "permutation":
        return None
    if question.measure != "squared_error":
        return None
    rng = np.random.default_rng(np.random.SeedSequence(design.seed, spawn_key=(2,)))
    X, y = process.drawn(design.n_test, rng)
    return Shared(X, y, question.units, design.seed)


def _bias_parts(
    process: Process, shared: Shared | None, models: LeftOutMoments, order: Any
) -> pd.DataFrame | None:
    if shared is None:
        return None
    true = shared.predictions(process.predictive)
    donors = shared.donors(process.predictive)
    found: pd.DataFrame = bias_parts(true, models, shared.units, donors).iloc[order]
    return found.reset_index(drop=True)
