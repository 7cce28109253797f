"""A procedure fitted again and again, each fit scored on rows that it did not learn from."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Positions
from uqwidgets._utils.errors import ModelError, in_one_line, of_another_thread
from uqwidgets._utils.options import brief
from uqwidgets.evaluation.containers import Container, container_of
from uqwidgets.evaluation.dataframes import way_out
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback, run_parallel
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner.loco_importance.copies import unfitted_copy
from uqwidgets.learner.loco_importance.fits import AdapterFunction, apply_adapter, clone_with_seed
from uqwidgets.learner.resampling import Resample, ResamplingPlan
from uqwidgets.plotting.text import counted

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Refit:
    """One fit of the procedure.

    Attributes
    ----------
    number, seed : int
        Its position among the refits, and the seed of the estimator's own randomness.
    rows : Resample
        The rows that it learned from, and those that it held out.
    explainer : Explainer
        Of the fitted model and the rows held out.
    """

    number: int
    seed: int
    rows: Resample
    explainer: Explainer

    @property
    def held_out(self) -> Positions:
        """Positions of the rows that the refit is scored on, shape (n2,)."""
        return self.rows.held_out

    @property
    def n_train(self) -> int:
        """Number of distinct rows that the refit learned from."""
        return len(np.unique(self.rows.train))


@dataclass(frozen=True)
class Failure:
    """A refit that failed.

    Attributes
    ----------
    number, seed : int
    problem : str
    """

    number: int
    seed: int
    problem: str


class Refits:
    """Refits, each made when it is first needed and then stored.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator. It is never changed.
    X : Container of shape (n, p)
    y : ndarray of shape (n,)
    plan : ResamplingPlan
    groups : mapping of str to sequence of str or None
    adapter : callable
        See `apply_adapter`.
    memory_limit : int
        Bytes for all refits together.
    fit_params : dict of str to ndarray of shape (n, ...)
        Further arguments of every fit, of which it gets the rows that it learns from.
    """

    def __init__(
        self,
        estimator: Any,
        X: Container,
        y: npt.NDArray[Any],
        plan: ResamplingPlan,
        groups: Mapping[str, Sequence[str]] | None,
        adapter: AdapterFunction,
        memory_limit: int,
        fit_params: dict[str, npt.NDArray[Any]],
    ) -> None:
        self.estimator = estimator
        self.X = X
        self.y = y
        self.plan = plan
        self.adapter = adapter
        self._groups = groups
        self.memory_limit = memory_limit
        self.fit_params = fit_params
        self._done: dict[int, Refit | Failure] = {}

    def ready(self, n_refits: int) -> list[Refit]:
        """Those of the first ``n_refits`` that are fitted."""
        return [refit for refit in self._finished(n_refits) if isinstance(refit, Refit)]

    def failed(self, n_refits: int) -> list[Failure]:
        """Those of the first ``n_refits`` whose fit failed."""
        return [refit for refit in self._finished(n_refits) if isinstance(refit, Failure)]

    def _finished(self, n_refits: int) -> list[Refit | Failure]:
        return [self._done[number] for number in range(n_refits) if number in self._done]

    def make(
        self, n_refits: int, n_jobs: int | None, callback: ProgressCallback | None = None
    ) -> None:
        """Make those of the first ``n_refits`` that are missing.

        They run through joblib, on its active backend. An exception from ``callback`` or an
        interrupt stops the work; the refits that are finished stay.

        Raises
        ------
        ModelError
            If the adapter fails on a fit.
        """
        missing = [number for number in range(n_refits) if number not in self._done]
        if not missing:
            return
        steps = FitProgress(len(missing), self.plan.n, callback)
        # Each resample is drawn once, so that its training rows and held-out rows match.
        resamples = [self.plan.resample(number) for number in missing]
        tasks = (
            partial(
                _fit,
                clone_with_seed(self.estimator, self.plan.seeds(number)[1]),
                self.X.table,
                self.y,
                rows.train,
                self.fit_params,
            )
            for number, rows in zip(missing, resamples, strict=True)
        )
        with run_parallel(n_jobs, tasks) as fits:
            for number, rows, (model, problem) in zip(missing, resamples, fits, strict=True):
                self._done[number] = self._refit(number, rows, model, problem, n_refits)
                steps.step()

    def _refit(
        self, number: int, rows: Resample, model: Any, problem: str, n_refits: int
    ) -> Refit | Failure:
        _, seed = self.plan.seeds(number)
        _LOG.debug("refit %d of %d: %s", number + 1, n_refits, problem or "fitted")
        if problem:
            return Failure(number, seed, problem)
        # Outside the try block: an adapter that fails on one refit is wrong for all of them.
        name = f" of refit {number} (seed {seed})"
        predictive = apply_adapter(self.adapter, model, self.y, name, fitted_on=self.X.table)
        row_groups = self.plan.row_groups
        try:
            explainer = Explainer(
                predictive,
                self.X.rows(rows.held_out),
                self.y[rows.held_out],
                feature_groups=self._groups,
                groups=None if row_groups is None else row_groups.among(rows.held_out),
                random_state=seed,
                memory_limit=max(1, self.memory_limit // n_refits),
            )
        except ModelError as error:
            if of_another_thread(error) is not None:
                raise
            return Failure(number, seed, str(error))
        return Refit(number, seed, rows, explainer)


def checked_fit_params(params: Mapping[str, Any] | None, n: int) -> dict[str, npt.NDArray[Any]]:
    """Return further arguments of ``fit``, each with one value per row.

    Raises
    ------
    TypeError
        If they are no dict.
    ValueError
        If one of them has another length than X.
    """
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(
            f"fit_params is {brief(params)}; pass a dict, such as {{'sample_weight': weights}}."
        )
    arrays = {str(name): np.asarray(value) for name, value in (params or {}).items()}
    for name, values in arrays.items():
        if values.shape[:1] != (n,):
            raise ValueError(
                f"fit_params[{name!r}] has shape {values.shape} and X has {counted(n, 'row')}; "
                "pass one value per row, and set other arguments on the estimator."
            )
    return arrays


def _fit(
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    rows: Positions,
    params: Mapping[str, npt.NDArray[Any]],
) -> tuple[Any, str]:
    """Return the fitted model, or None and the problem: a failed refit must not stop the others."""
    model = unfitted_copy(estimator)
    try:
        of_rows = {name: values[rows] for name, values in params.items()}
        model.fit(container_of(X).rows(rows), y[rows], **of_rows)
    except Exception as error:
        if of_another_thread(error) is not None:
            raise ModelError(
                f"a refit failed with {in_one_line(error)}; fit in one thread, with n_jobs=1."
            ) from error
        return None, in_one_line(error) + way_out(X)
    return model, ""
