"""How often the interval of a learner holds what its procedure gives on average, by simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.options import MOST_REPEATS, MOST_ROWS, check_callback, checked_count
from uqwidgets.dependence import grid_of
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback
from uqwidgets.ground_truth.coverage_result import IntervalCoverage
from uqwidgets.learner import Learner

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


class SimulatedIntervals:
    """Simulation of the intervals of learners, for `GroundTruth`."""

    # Defined by GroundTruth.
    random_state: int

    data: Callable[..., tuple[Any, Floats]]
    _explainer: Callable[..., Explainer]

    def coverage(
        self,
        procedure: Any,
        feature: str | None = None,
        measure: Any = None,
        *,
        n_refits: int | Sequence[int] = (2, 5, 10, 15),
        interval: str = "corrected",
        level: float = 0.95,
        resampling: Any = "bootstrap",
        correction: Any = "nadeau-bengio",
        grid: int | npt.ArrayLike = 5,
        n: int = 100,
        n_tables: int = 50,
        callback: ProgressCallback | None = None,
    ) -> IntervalCoverage:
        """Simulate width and coverage of a learner's intervals over the number of refits.

        Each table is drawn anew and has a `Learner` of its own. What its interval is to hold, the
        expectation of the mean over refits, is estimated by the mean over all *other* tables, at
        the largest number of refits. The error of this estimate makes the coverage a little lower:
        by less than 0.002 with 50 tables or more.

        Parameters
        ----------
        procedure : object
            A scikit-learn estimator.
        feature : str, optional
            The feature of the curve. By default the importance of all features.
        measure : str or function, optional
            A measure of a row, as in `importance`. By default ``"prediction"`` for a curve and
            ``"squared_error"`` for importance.
        n_refits : int or sequence of int, default=(2, 5, 10, 15)
            Each at least 2.
        interval : str, default="corrected"
            One of those of `Learner`.
        level : float, default=0.95
        resampling, correction
            As in `Learner`.
        grid : int or array-like of shape (g,), default=5
            Of a curve: number of values, or the values.
        n : int, default=100
            Rows of a table.
        n_tables : int, default=50
            At least 3.
        callback : callable, optional
            Called with a `Progress` after every table. To stop, raise an exception from it.

        Returns
        -------
        IntervalCoverage

        Raises
        ------
        ModelError
            If too few fits succeed.
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Learner : The intervals.
        GroundTruth.decompose : Bias and variance of the same procedure.

        References
        ----------
        Molnar et al. 2023, section 8, tables 1 and 2, figures 5 and 7 to 14.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> import uqwidgets as uq
        >>> truth = uq.GroundTruth(lambda X: X[:, 0], lambda n, rng: rng.normal(size=(n, 2)))
        >>> result = truth.coverage(LinearRegression(), n_refits=(2, 4), n=30, n_tables=5)
        >>> result.frame.columns.tolist()
        ['refits', 'feature', 'coverage', 'width']
        >>> bool(result.width[1].mean() < result.width[0].mean())
        True
        """
        check_callback(callback)
        n, n_tables = (
            checked_count(n, "n", 10, MOST_ROWS),
            checked_count(n_tables, "n_tables", 3, MOST_REPEATS),
        )
        sizes = _sizes(n_refits)
        known = self._explainer(n)
        points: npt.NDArray[Any]
        options: dict[str, Any] = {"interval": interval, "level": level}
        if feature is None:
            points = np.array(known.features, dtype=object)
        else:
            points = options["grid"] = grid_of(known.table, feature, grid).values
        steps = FitProgress(n_tables, n, callback)
        estimates = np.empty((n_tables, len(sizes), len(points)))
        low, high = np.empty_like(estimates), np.empty_like(estimates)
        for k in range(n_tables):
            seed = np.random.SeedSequence(self.random_state, spawn_key=(3, k))
            X, y = self.data(n, np.random.default_rng(seed))
            learner = Learner(
                procedure,
                X,
                y,
                n_refits=sizes[0],
                resampling=resampling,
                correction=correction,
                random_state=int(seed.generate_state(1)[0] % 2**31),
            )
            for r, m in enumerate(sizes):
                result = _result(learner.fit(m), feature, measure, options)
                if isinstance(result, Dependence):
                    estimates[k, r], low[k, r], high[k, r] = result.average, result.low, result.high
                    continue
                order = [result.features.index(name) for name in known.features]
                estimates[k, r] = result.importance[order]
                low[k, r], high[k, r] = result.low[order], result.high[order]
            steps.step()
        last = estimates[:, -1]
        # The mean over the other tables is independent of this one.
        expected = ((last.sum(axis=0) - last) / (n_tables - 1))[:, None]
        holds = (low <= expected) & (expected <= high)
        return IntervalCoverage(
            procedure=type(procedure).__name__,
            measure=result.measure,
            label=result.label,
            unit=result.unit,
            feature=feature,
            categorical=isinstance(result, Dependence) and result.categorical,
            points=points,
            refits=np.array(sizes),
            coverage=holds.mean(axis=0),
            coverage_error=holds.mean(axis=2).std(axis=0, ddof=1) / np.sqrt(n_tables),
            width=(high - low).mean(axis=0),
            interval=interval,
            level=level,
            resampling=resampling,
            n=n,
            n_tables=n_tables,
        )


def _sizes(n_refits: int | Sequence[int]) -> list[int]:
    """Return the numbers of refits, ascending."""
    is_many = isinstance(n_refits, Sequence | np.ndarray) and not isinstance(n_refits, str)
    many = cast("Sequence[int]", n_refits) if is_many else [cast("int", n_refits)]
    if not len(many):
        raise ValueError("n_refits is empty; pass at least one number of refits.")
    return sorted({checked_count(m, "n_refits", 2, MOST_REPEATS) for m in many})


def _result(learner: Learner, feature: str | None, measure: Any, options: dict[str, Any]) -> Any:
    if feature is None:
        return learner.importance("squared_error" if measure is None else measure, **options)
    return learner.dependence(feature, "prediction" if measure is None else measure, **options)
