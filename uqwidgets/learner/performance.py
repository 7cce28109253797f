"""Performance of a learner, and the comparison of two, over the rows that each refit held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtr

from uqwidgets._typing import Floats
from uqwidgets._utils.options import check_callback
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.learner.averaging import Averaging, merge_remarks
from uqwidgets.learner.performance_result import Comparison, Performance
from uqwidgets.learner.procedure import Procedure
from uqwidgets.learner.refits import Refit
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, find_metric, is_metric


def _scores(refits: Sequence[Refit], measure: Any) -> tuple[Measure | Metric, Floats]:
    """Score each refit (m,) by a measure, or by a scikit-learn scorer, on the rows it held out."""
    explainers = [refit.explainer for refit in refits]
    of_each = [explainer.evaluations for explainer in explainers]
    if is_metric(measure):
        metric = find_metric(measure, explainers[0].classes)
        values = [metric.score(each.original_for(metric), each.truth) for each in of_each]
        return metric, np.array(values)
    means = [e.evaluations.original_values(e.measure(measure)).mean() for e in explainers]
    return explainers[0].measure(measure), np.array(means)


def _over_refits(
    averaging: Averaging, measure: Any, others: Sequence[Refit] = ()
) -> tuple[float, dict[str, Any]]:
    """Return the mean score, or its difference from that of others, and what its result holds."""
    of, per_refit = _scores(averaging.refits, measure)
    if others:
        per_refit = per_refit - _scores(others, measure)[1]
    interval = averaging.corrected(per_refit)
    return float(interval.estimate), {
        "measure": of.name,
        "label": of.label,
        "unit": of.unit,
        "std_error": float(interval.std_error),
        "low": float(interval.low),
        "high": float(interval.high),
        "per_refit": per_refit,
        "level": averaging.level,
        "correction": averaging.share,
        "n_rows": averaging.n,
        "groups": averaging.plan.group_count(),
    }


def _remarks_on_answers(averaging: Averaging) -> list[tuple[Remark, ...]]:
    """Return the remarks on what each refit's own `predict` answers."""
    return [refit.explainer.evaluations.remarks_on_answers for refit in averaging.refits]


def learner_performance(averaging: Averaging, measure: Any, name: str) -> Performance:
    """Average the scores of all refits.

    Parameters
    ----------
    averaging : Averaging
    measure : str, function or scorer
    name : str
        Of the learner.
    """
    mean, attributes = _over_refits(averaging, measure)
    return Performance(
        learner=name,
        mean=mean,
        remarks=averaging.remarks_on("performance", _remarks_on_answers(averaging)),
        **attributes,
    )


def learner_comparison(
    averaging: Averaging, other: Averaging, measure: Any, names: tuple[str, str]
) -> Comparison:
    """Compare two learners by the corrected resampled t test (Nadeau and Bengio 2003).

    The differences are paired by refit: both learners score the same held-out rows.

    Parameters
    ----------
    averaging, other : Averaging
        Over refits of the same resamples; those are compared that succeeded in both.
    measure : str, function or scorer
    names : tuple of str
        Of the two learners.
    """
    both = {r.number for r in averaging.refits} & {r.number for r in other.refits}
    paired = replace(averaging, refits=tuple(r for r in averaging.refits if r.number in both))
    others = [r for r in other.refits if r.number in both]
    difference, attributes = _over_refits(paired, measure, others)
    error = attributes["std_error"]
    statistic = difference / error if error else np.nan
    remarks = [
        *other.remarks,
        *merge_remarks(_remarks_on_answers(other)),
        *averaging.remarks_on("comparisons", _remarks_on_answers(averaging)),
    ]
    return Comparison(
        learner=names[0],
        other=names[1],
        difference=difference,
        p_value=float(2 * stdtr(len(both) - 1, -abs(statistic))),
        remarks=tuple(dict.fromkeys(remarks)),
        **attributes,
    )


class PerformanceMethods(Procedure):
    """The part of `uqwidgets.Learner` that measures performance and compares learners."""

    def performance(
        self, measure: Any = "nll", *, level: float = 0.95, callback: ProgressCallback | None = None
    ) -> Performance:
        """Average over refits of a measure, or of a scorer, in the rows that each held out.

        Parameters
        ----------
        measure : str, function or scorer, default="nll"
            As in `importance`; of a scorer it is the score itself.
        level : float, default=0.95
            Of the interval ``"corrected"``, see the Notes of `Learner`.
        callback : callable, optional
            Called with a `Progress` while refits are made. To stop, raise an exception from it.

        Returns
        -------
        Performance

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or the adapter fails on one.
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        compare : Difference of two procedures on the same resamples.

        References
        ----------
        Nadeau and Bengio 2003; Molnar et al. 2023, section 7.3.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> learner = uq.Learner(LinearRegression(), X, 2 * X[:, 0], n_refits=10)
        >>> round(learner.performance("r2").mean, 6)
        1.0
        """
        check_callback(callback)
        return learner_performance(self._averaging(level, callback), measure, self._name)

    def compare(
        self,
        other: PerformanceMethods,
        measure: Any = "nll",
        *,
        level: float = 0.95,
        callback: ProgressCallback | None = None,
    ) -> Comparison:
        """Test whether this procedure and another perform alike on the same resamples.

        This is the corrected resampled t test.

        Parameters
        ----------
        other : Learner
            With the same table, resampling, seed and number of refits.
        measure : str, function or scorer, default="nll"
            As in `importance`; both procedures must provide it.
        level : float, default=0.95
            Of the interval ``"corrected"``, see the Notes of `Learner`.
        callback : callable, optional
            Called with a `Progress` while refits are made. To stop, raise an exception from it.

        Returns
        -------
        Comparison
            Of this learner minus the other.

        Raises
        ------
        ModelError
            If fewer than two fits succeed, or the adapter fails on one.
        TypeError
            If ``other`` is not a learner.
        ValueError
            If the two do not have the same resamples, or one does not provide the measure.

        See Also
        --------
        performance : Performance of one procedure.

        References
        ----------
        Nadeau and Bengio 2003; Molnar et al. 2023, section 9.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from sklearn.tree import DecisionTreeRegressor
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> line, tree = (
        ...     uq.Learner(estimator, X, 2 * X[:, 0], n_refits=10)
        ...     for estimator in (LinearRegression(), DecisionTreeRegressor())
        ... )
        >>> result = line.compare(tree, "squared_error")
        >>> bool(result.difference < 0)
        True
        """
        check_callback(callback)
        if not isinstance(other, PerformanceMethods):
            raise TypeError(
                f"other is of type {type(other).__name__}; pass a Learner of the same table, such "
                "as Learner(estimator, X, y)."
            )
        plan, other_plan = self._refits.plan, other._refits.plan
        same_rows = plan.same_as(other_plan) and np.array_equal(self._refits.y, other._refits.y)
        if not same_rows or self.n_refits != other.n_refits:
            raise ValueError(
                "the two learners do not resample alike; make both of the same table, with the "
                "same n_refits, resampling, train_fraction, groups and random_state."
            )
        return learner_comparison(
            self._averaging(level, callback),
            other._averaging(level, callback),
            measure,
            (self._name, other._name),
        )
