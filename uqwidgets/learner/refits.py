"""A procedure fitted again and again, each fit asked about rows it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.parallel import delayed

from uqwidgets._utils.errors import ModelError, in_one_line
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback, run_parallel
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner.loco_importance.fits import seeded
from uqwidgets.learner.loco_importance.read_fit import Read, read_fit
from uqwidgets.learner.resampling import Plan, Resample, Rows


@dataclass(frozen=True, eq=False)
class Refit:
    """One fit of the procedure.

    Attributes
    ----------
    number, seed : int
        Which it is, and the seed of what draws at random within the estimator.
    rows : Resample
        Which it learned from, and which it held out.
    explainer : Explainer
        Of the fitted model and the rows held out.
    """

    number: int
    seed: int
    rows: Resample
    explainer: Explainer

    @property
    def held_out(self) -> Rows:
        """Positions of the rows that it is asked about, shape (n2,)."""
        return self.rows.held_out

    @property
    def n_train(self) -> int:
        """How many distinct rows it learned from."""
        return len(np.unique(self.rows.train))


@dataclass(frozen=True)
class Failure:
    """A fit that went wrong.

    Attributes
    ----------
    number, seed : int
    problem : str
    """

    number: int
    seed: int
    problem: str


class Refits:
    """Fits that are made when they are wanted, and kept.

    Parameters
    ----------
    estimator : object
        Of scikit-learn's kind. It is never changed.
    X : DataFrame or ndarray of shape (n, p)
    y : ndarray of shape (n,)
    plan : Plan
    groups : mapping of str to sequence of str or None
    read : callable
        See `read_fit`.
    memory_limit : int
        Bytes for all refits together.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        plan: Plan,
        groups: Mapping[str, Sequence[str]] | None,
        read: Read,
        memory_limit: int,
    ) -> None:
        self.estimator = estimator
        self.X = X
        self.y = y
        self.plan = plan
        self.read = read
        self._groups = groups
        self._memory = memory_limit
        self._done: dict[int, Refit | Failure] = {}

    def ready(self, wanted: int) -> list[Refit]:
        """Those of the first ``wanted`` that are fitted."""
        return [refit for refit in self._known(wanted) if isinstance(refit, Refit)]

    def failed(self, wanted: int) -> list[Failure]:
        """Those of the first ``wanted`` whose fit failed."""
        return [refit for refit in self._known(wanted) if isinstance(refit, Failure)]

    def _known(self, wanted: int) -> list[Refit | Failure]:
        return [self._done[number] for number in range(wanted) if number in self._done]

    def make(
        self, wanted: int, n_jobs: int | None, callback: ProgressCallback | None = None
    ) -> None:
        """Make those of the first ``wanted`` that are missing.

        They run through joblib, on whatever backend is set up. What ``callback`` raises, or an
        interrupt, stops the work; the fits that are finished stay.

        Raises
        ------
        ModelError
            If a fit cannot be read.
        """
        missing = [number for number in range(wanted) if number not in self._done]
        if not missing:
            return
        steps = FitProgress(len(missing), self.plan.n, callback)
        # Drawn once: what a refit learns from must not be among what it is asked about.
        resamples = [self.plan.resample(number) for number in missing]
        tasks = (
            delayed(_fitted)(
                seeded(self.estimator, self.plan.seeds(number)[1]),
                self.X,
                self.y,
                rows.train,
            )
            for number, rows in zip(missing, resamples, strict=True)
        )
        with run_parallel(n_jobs, tasks) as fits:
            for number, rows, (model, problem) in zip(missing, resamples, fits, strict=True):
                self._done[number] = self._refit(number, rows, model, problem, wanted)
                steps.step()

    def _refit(
        self, number: int, rows: Resample, model: Any, problem: str, of: int
    ) -> Refit | Failure:
        _, seed = self.plan.seeds(number)
        if problem:
            return Failure(number, seed, problem)
        # Outside what a refit may fail with: a wrong read is wrong for all of them.
        predictive = read_fit(self.read, model, f" of refit {number} (seed {seed})")
        try:
            explainer = Explainer(
                predictive,
                taken(self.X, rows.held_out),
                taken(self.y, rows.held_out),
                feature_groups=self._groups,
                random_state=seed,
                memory_limit=max(1, self._memory // of),
            )
        except ModelError as error:
            return Failure(number, seed, str(error))
        return Refit(number, seed, rows, explainer)


def taken(values: Any, rows: Rows) -> Any:
    """Rows of a DataFrame, Series or array."""
    return values.iloc[rows] if isinstance(values, (pd.DataFrame, pd.Series)) else values[rows]


def _fitted(estimator: Any, X: Any, y: Any, rows: Rows) -> tuple[Any, str]:
    """Fit on these rows, and say what went wrong if that fails: one refit is not all of them."""
    model = clone(estimator)
    try:
        model.fit(taken(X, rows), taken(y, rows))
    except Exception as error:  # noqa: BLE001  an estimator may raise anything
        return None, in_one_line(error)
    return model, ""
