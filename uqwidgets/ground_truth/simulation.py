"""Models of one procedure on fresh data again and again, each asked about fresh rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import delayed

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import ModelError, in_one_line
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth.process import Process
from uqwidgets.ground_truth.questions import Question
from uqwidgets.ground_truth.squared_error import Shared
from uqwidgets.learner.loco_importance.fits import seeded
from uqwidgets.learner.loco_importance.read_fit import Read, read_fit
from uqwidgets.predictive import Predictive

# The fewest test sets of each fit that tell the error of averaging over rows from that of the fit.
TESTS = 2


@dataclass(frozen=True, eq=False)
class Design:
    """How much is simulated.

    Attributes
    ----------
    n_train, n_test : int
        Rows that each fit learns from, and rows of each of its test sets.
    n_datasets : int
        Training sets.
    n_refits : int
        Fits on each of them, which differ in what the procedure draws at random.
    seed : int
    """

    n_train: int
    n_test: int
    n_datasets: int
    n_refits: int
    seed: int

    @classmethod
    def of(cls, n_train: int, n_test: int, n_datasets: int, n_refits: int, seed: int) -> Design:
        """Check the numbers.

        Raises
        ------
        ValueError
            If one is too small.
        """
        given = {"n_train": (n_train, 2), "n_test": (n_test, 2)}
        given |= {"n_datasets": (n_datasets, 2), "n_refits": (n_refits, 1)}
        for name, (value, least) in given.items():
            if value < least:
                raise ValueError(f"{name} is {value}; it must be at least {least}.")
        return cls(n_train, n_test, n_datasets, n_refits, seed)


def simulation(
    process: Process,
    estimator: Any,
    read: Read,
    question: Question,
    shared: Shared | None,
    design: Design,
) -> Iterator[Any]:
    """Yield a task for each training set, which gives what the fits on it say.

    Parameters
    ----------
    process : Process
    estimator : object
        Not changed.
    read : callable
        See `read_fit`.
    question : Question
        With k answers.
    shared : Shared or None
        Rows that all models are asked to predict.
    design : Design

    Yields
    ------
    task
        Of estimates of shape (n_refits, TESTS, k), and of predictions of the shared rows of shape
        (n_refits, ...) or None. It raises `ModelError` if a fit fails, or a fitted model, or it
        cannot be read.
    """
    for number in range(design.n_datasets):
        # Of its number alone, so that more training sets begin with the same.
        root = np.random.SeedSequence(design.seed, spawn_key=(1, number))
        for_training, for_fits = root.spawn(2)
        # Seeded here, not in another process, where numpy's own stream is another one.
        fits = [(seeded(estimator, _whole(s)), s) for s in for_fits.spawn(design.n_refits)]
        drawn = _Drawn(number, for_training, fits)
        yield delayed(_one)(process, drawn, read, question, shared, design)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A training set and the fits on it, each with the seed of its test sets."""

    number: int
    seed: np.random.SeedSequence
    fits: list[tuple[Any, np.random.SeedSequence]]


def _one(
    process: Process,
    drawn: _Drawn,
    read: Read,
    question: Question,
    shared: Shared | None,
    design: Design,
) -> tuple[Floats, Floats | None]:
    X, y = process.drawn(design.n_train, np.random.default_rng(drawn.seed))
    estimates, predictions = [], []
    for model, seed in drawn.fits:
        try:
            model.fit(X, y)
        except Exception as error:
            raise ModelError(
                f"the fit on training set {drawn.number} failed: {in_one_line(error)}"
            ) from error
        predictive = read_fit(read, model, f" of training set {drawn.number}")
        estimates.append(
            [_asked(process, predictive, question, design, s) for s in seed.spawn(TESTS)]
        )
        if shared is not None:
            predictions.append(shared.predictions(predictive))
    return np.array(estimates), None if shared is None else np.array(predictions)


def _asked(
    process: Process,
    model: Predictive,
    question: Question,
    design: Design,
    seed: np.random.SeedSequence,
) -> Floats:
    rows, donors = seed.spawn(2)
    X, y = process.drawn(design.n_test, np.random.default_rng(rows))
    explainer = Explainer(model, X, y, random_state=_whole(donors))
    return question.answer(explainer)[0]


def _whole(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1)[0] % 2**31)
