"""A procedure and its refits on resamples of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import one_of
from uqwidgets._utils.errors import ModelError
from uqwidgets._utils.masks import refuse_masked
from uqwidgets._utils.options import (
    MOST_REPEATS,
    RandomState,
    check_callback,
    checked_count,
    checked_jobs,
    seed_of,
)
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.cache import parse_bytes, remarks_on_limit
from uqwidgets.evaluation.containers import Container, container_of
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.row_groups import groups_of_rows
from uqwidgets.evaluation.table import Table
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.learner.averaging import Averaging
from uqwidgets.learner.importance import LeaveOneOut
from uqwidgets.learner.interval_choice import LEARNER_INTERVALS
from uqwidgets.learner.intervals import correction_share
from uqwidgets.learner.loco_importance.fits import AdapterFunction, checked_adapter, clone_with_seed
from uqwidgets.learner.refits import Refit, Refits, checked_fit_params
from uqwidgets.learner.resampling import ResamplingPlan
from uqwidgets.plotting.text import counted_rows
from uqwidgets.predictive import as_predictive
from uqwidgets.predictive.adapters.base import estimator_kind

# With fewer refits the interval is wide and itself uncertain. More refits make it too narrow,
# because they learn from the same rows (Molnar et al. 2023, section 8).
_FEWEST_REFITS, _MOST_REFITS = 10, 20
# Methods and their purpose, shown with a learner in a notebook.
_METHODS = {
    "importance()": "which features drive the likelihood, or another measure, over refits",
    "dependence(feature)": "how a measure changes with one feature, on average over refits",
    "loco()": "how much worse the procedure gets when it cannot learn from a feature",
    "performance()": "how good the procedure is on rows that it did not learn from",
    "compare(other)": "whether another procedure is better on the same rows",
}


class Procedure:
    """The part of `uqwidgets.Learner` that makes refits and stores them."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_refits: int = 15,
        resampling: str = "bootstrap",
        train_fraction: float = 0.632,
        correction: str | float | None = "nadeau-bengio",
        feature_groups: Mapping[str, Sequence[str]] | None = None,
        adapter: AdapterFunction = as_predictive,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        memory_limit: int | str = "1GiB",
        groups: Any = None,
        cv: Any = None,
        fit_params: Mapping[str, Any] | None = None,
    ) -> None:
        estimator = _checked_estimator(estimator)
        table, target = _checked_table(X, y)
        row_groups, self._remarks_on_groups, named = groups_of_rows(groups, table.table, len(table))
        if named is not None:
            table = table.without([named])
        self._features = tuple(map(str, table.labels))
        classifies, seed = _classifies(estimator, target), seed_of(random_state)
        if cv is None:
            self.n_refits = _checked_refits(n_refits)
            plan = ResamplingPlan.of(
                target, resampling, train_fraction, classifies, seed, self.n_refits, row_groups
            )
        else:
            plan = ResamplingPlan.of_splits(cv, table.table, target, classifies, seed, row_groups)
            self.n_refits = len(plan.given or ())
        correction_share(correction, 1, 1)  # raises here rather than after all fits
        self.n_jobs = checked_jobs(n_jobs)
        self.correction = correction
        self._refits = Refits(
            estimator,
            table,
            target,
            plan,
            feature_groups,
            checked_adapter(adapter),
            parse_bytes(memory_limit),
            checked_fit_params(fit_params, len(target)),
        )
        self._leave_one_out = LeaveOneOut(self._refits)

    def __repr__(self) -> str:
        done = len(self._refits.ready(self.n_refits))
        return (
            f"Learner({self._name}, {self._rows}, "
            f"{done} of {self.n_refits} refits by {self._refits.plan.resampling})"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.plotting.html import subject_html

        facts = {
            "table": self._rows,
            "refits": f"{len(self.refits)} of {self.n_refits} so far",
            "resampling": self._refits.plan.resampling,
        }
        return subject_html(f"Learner of {self._name}", facts, _METHODS, self._features)

    @property
    def refits(self) -> list[Refit]:
        """The refits made so far, each with its `Explainer`.

        See Also
        --------
        Learner.fit : Makes the refits that are missing.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=5)
        >>> len(learner.refits), len(learner.fit().refits)
        (0, 5)
        >>> learner.refits[0].explainer.features
        ('x0', 'x1')
        """
        return self._refits.ready(self.n_refits)

    @property
    def estimator(self) -> Any:
        """The estimator; copies of it are fitted, and it is never changed itself.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=5)
        >>> learner.estimator
        LinearRegression()
        """
        return self._refits.estimator

    @property
    def adapter(self) -> AdapterFunction:
        """The function that is called with each fit before `as_predictive`.

        See Also
        --------
        as_predictive : Reads the model that it returns.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=5)
        >>> callable(learner.adapter)
        True
        """
        return self._refits.adapter

    @property
    def sizes(self) -> pd.DataFrame:
        """Numbers of distinct training rows and of held-out rows, by refit.

        The columns are ``train_rows`` and ``held_out_rows``, and with ``groups`` also
        ``train_groups`` and ``held_out_groups``.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=5)
        >>> learner.sizes.sum(axis=1).tolist()
        [60, 60, 60, 60, 60]
        """
        plan = self._refits.plan
        resamples = [plan.resample(number) for number in range(self.n_refits)]
        sizes = {
            "train_rows": [len(np.unique(rows.train)) for rows in resamples],
            "held_out_rows": [len(rows.held_out) for rows in resamples],
        }
        if plan.row_groups is not None:
            sizes["train_groups"] = [len(plan.units_of(rows.train)) for rows in resamples]
            sizes["held_out_groups"] = [len(plan.units_of(rows.held_out)) for rows in resamples]
        return pd.DataFrame(sizes).rename_axis("refit")

    def fit(self, n_refits: int | None = None, callback: ProgressCallback | None = None) -> Self:
        """Make the refits that are missing, or more of them; those that exist stay.

        There is no need to call it: other methods make the refits that they need.

        Parameters
        ----------
        n_refits : int, optional
            New number of refits. If it is larger than before, only the additional refits are made.
        callback : callable, optional
            Called with a `Progress` after every fit. To stop the work, raise an exception from it;
            the fits that are finished stay.

        Returns
        -------
        Learner
            Itself.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or the adapter fails on one.
        ValueError
            If ``n_refits`` is less than two, or differs from the number that the groups of
            ``resampling="leave-two-groups-out"`` or the splits of ``cv`` were made for.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> learner.fit()
        Learner(LinearRegression, 60 rows, 10 of 10 refits by bootstrap)
        """
        check_callback(callback)
        n_refits = self.n_refits if n_refits is None else _checked_refits(n_refits)
        if n_refits != self.n_refits:
            plan = self._refits.plan
            if plan.splits is not None or plan.given is not None:
                what = "groups were" if plan.given is None else "splits of cv are"
                raise ValueError(
                    f"the {what} made for {self.n_refits} refits; make a new learner for "
                    f"{n_refits}."
                )
            self.n_refits = n_refits
        self._refits.make(self.n_refits, self.n_jobs, callback)
        if len(self.refits) < 2:
            problem = self._refits.failed(self.n_refits)[0]
            raise ModelError(
                f"{len(self.refits)} of {self.n_refits} refits succeeded, and two are needed; "
                f"refit {problem.number} (seed {problem.seed}) failed with {problem.problem}"
            )
        return self

    @property
    def _name(self) -> str:
        return type(self._refits.estimator).__name__

    @property
    def _rows(self) -> str:
        """The rows of the table in words, such as "900 rows of 30 patients"."""
        plan = self._refits.plan
        return counted_rows(plan.n, plan.group_count())

    def _averaging(
        self,
        level: float,
        callback: ProgressCallback | None,
        interval: str | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Averaging:
        requested = None
        if interval is not None:
            requested = one_of(LEARNER_INTERVALS, interval, "interval", "of a learner")
        plan = self._refits.plan
        if sample_weight is not None:
            if requested not in (None, "corrected"):
                raise ValueError(
                    f"interval {requested!r} does not support sample_weight; use "
                    "interval='corrected'."
                )
            Population.of(plan.n, sample_weight)  # raises here rather than after all fits
        if requested == "group-jackknife" and plan.splits is None:
            raise ValueError(
                "interval 'group-jackknife' is over groups of rows; make the learner with "
                "resampling='leave-two-groups-out'."
            )
        level = checked_level(level)
        self.fit(callback=callback)
        return Averaging(
            refits=tuple(self.refits),
            plan=plan,
            correction=self.correction,
            requested=requested,
            weighted=sample_weight is not None,
            level=level,
            remarks=self._remarks(),
        )

    def _table(self, averaging: Averaging) -> Table:
        """All rows with the features of a refit's model, to make grids from."""
        predictive = averaging.refits[0].explainer.predictive
        return Table(self._refits.X.table, self._refits.y, predictive)

    def _remarks(self) -> tuple[Remark, ...]:
        remarks = list(self._remarks_on_groups)
        failed = self._refits.failed(self.n_refits)
        if failed:
            first = failed[0]
            remarks.append(
                Remark(
                    "failed-refits",
                    f"{len(failed)} of {self.n_refits} refits failed and are left out; the first "
                    f"is refit {first.number} (seed {first.seed}): {first.problem}",
                )
            )
        plan = self._refits.plan
        if plan.strata is not None:
            each = "each class was" if plan.row_groups is None else "the groups of each class were"
            remarks.append(
                Remark("stratified-refits", f"a class is rare, so {each} resampled by itself")
            )
        if not _FEWEST_REFITS <= self.n_refits <= _MOST_REFITS:
            remarks.append(
                Remark(
                    "number-of-refits",
                    f"{self.n_refits} refits: fewer than {_FEWEST_REFITS} make wide and uncertain "
                    f"intervals, more than {_MOST_REFITS} make them too narrow, because all learn "
                    "from the same rows",
                )
            )
        smallest = sum(r.explainer.evaluations.smallest_limit() for r in self.refits)
        what = f"{len(self.refits)} refits of {len(self._refits.y):,} rows"
        return (*remarks, *remarks_on_limit(self._refits.memory_limit, smallest, what))


def _checked_estimator(estimator: Any) -> Any:
    copy = clone_with_seed(estimator, 0)  # raises if it cannot be copied
    if not hasattr(copy, "fit"):
        raise TypeError(
            f"{type(estimator).__name__} has no fit; pass an estimator that can be fitted."
        )
    return estimator


def _classifies(estimator: Any, target: npt.NDArray[Any]) -> bool:
    """Whether the estimator is a classifier by its tags, or the target holds labels."""
    # Some estimators are classifiers or regressors depending on y, and skpro's have no tags.
    labels = pd.api.types.infer_dtype(target) in ("string", "boolean")
    return labels or estimator_kind(estimator) == "classifier"


def _checked_table(X: Any, y: Any) -> tuple[Container, npt.NDArray[Any]]:
    refuse_masked(y, "y", "leave these rows out of X and y")
    table, target = container_of(X), np.array(y)
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.shape != (len(table),):
        raise ValueError(
            f"X has shape {(len(table), len(table.labels))} and y has shape {target.shape}; pass a "
            "table and one value of y per row."
        )
    # Copies, because fits are made later.
    return table.owned(), target


def _checked_refits(n_refits: Any) -> int:
    return checked_count(n_refits, "n_refits", 2, MOST_REPEATS)
