"""Refits: the curves of one fit or of fifteen, the band around their mean, and the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_numeric_dtype
from sklearn.ensemble import RandomForestRegressor

from uqwidgets._utils.options import brief, checked_flag
from uqwidgets.datasets import CORRELATED_PAIRS, Process
from uqwidgets.dependence.result import Dependence
from uqwidgets.ground_truth import GroundTruth
from uqwidgets.learner import Learner
from uqwidgets.teach.lesson import Input, Lesson, LessonAnswer, checked_process, counted
from uqwidgets.widgets.inputs.checks import whole

_POINTS = 15
# Beyond these there are too few rows to draw a curve.
_QUANTILES = (0.025, 0.975)
_TRUTH_ROWS = 5_000
_FEWEST = 2


class ManyRefits(Lesson):
    """Curves of refit after refit pile up, with the band of their mean, and then the truth.

    A procedure is fitted again and again on resamples of one table, and each fit draws its curve.
    The learner guesses at how many values the 95 % band of the learner holds the truth. The band
    accounts for the rows that refits share, but not for the bias: an error that all refits make
    in the same direction. No refit shows it; only the truth does.

    Parameters
    ----------
    process : Process, default=uqwidgets.datasets.CORRELATED_PAIRS
        What the table is drawn from, see `uqwidgets.datasets.Process`.
    estimator : object, optional
        A scikit-learn estimator; by default a forest of 30 trees.
    feature : str, optional
        A numeric feature; by default x3 of the default process, and else the first one.
    n : int, default=300
        Rows of the table, from 50 to 5000.
    n_refits : int, default=15
        From 2 to 30.
    **inputs
        Initial values of the attributes below.

    Attributes
    ----------
    guess : int
        At how many of the values the learner expects the band to hold the truth; -1 before there
        is a guess.
    refits : int
        Number of curves so far.
    revealed : bool
        Whether the truth is shown. Before, the page does not have it.
    truth : ndarray of shape (g,)
        Curve of the process at the values of the grid, over 5,000 rows.

    Raises
    ------
    TypeError
        If ``process`` is no process of DataFrames.
    ValueError
        For a name that does not exist, a feature that is not numeric, or a value out of range.

    See Also
    --------
    Learner.dependence : The curves and the band.
    GroundTruth.decompose : Bias and variance over many tables.

    References
    ----------
    Molnar et al. 2023, sections 5 and 7.3, eq. 7, 9 and 10; Nadeau and Bengio 2003.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> import uqwidgets as uq
    >>> widget = uq.teach.ManyRefits(estimator=LinearRegression(), refits=15)
    >>> widget.hits < 10  # a line cannot follow a parabola
    True
    >>> widget.close()
    """

    name: ClassVar[str] = "refits"
    title: ClassVar[str] = "Refits"
    question: ClassVar[str] = ""
    task: ClassVar[str] = (
        "Refit the model on a resample of the rows, again and again. From the second curve on "
        "there is a mean with its 95 % band. Show the truth when you trust the band."
    )

    guess = Input(-1, lambda _, value: whole(value, "guess", -1, _POINTS))
    refits = Input(0, lambda lesson, value: whole(value, "refits", 0, lesson.n_refits))
    revealed = Input(False, lambda _, value: checked_flag(value, "revealed"))

    def __init__(
        self,
        process: Process = CORRELATED_PAIRS,
        estimator: Any = None,
        feature: str | None = None,
        *,
        n: int = 300,
        n_refits: int = 15,
        **inputs: Any,
    ) -> None:
        truth = GroundTruth(*checked_process(process))
        self.n_refits = whole(n_refits, "n_refits", _FEWEST, 30)
        X, y = truth.data(whole(n, "n", 50, 5000), 1)
        if not isinstance(X, pd.DataFrame):
            raise TypeError(f"the process draws a {type(X).__name__}; it must be a DataFrame.")
        if estimator is None:
            estimator = RandomForestRegressor(30, min_samples_leaf=5, random_state=0)
        self.learner = Learner(estimator, X, y, n_refits=_FEWEST)
        first = "x3" if process is CORRELATED_PAIRS else str(X.columns[0])
        self.feature = first if feature is None else feature
        if self.feature not in X or not is_numeric_dtype(X[self.feature]):
            raise ValueError(
                f"feature is {brief(self.feature)}; it must be a numeric one of {list(X)!r}."
            )
        self._grid = np.quantile(X[self.feature], np.linspace(*_QUANTILES, _POINTS))
        exact = truth.dependence(self.feature, grid=self._grid, n=_TRUTH_ROWS)
        assert isinstance(exact, Dependence)
        self.truth = exact.average
        self._results: dict[int, Dependence] = {}
        super().__init__(**inputs)

    def _page_states(self) -> Iterator[dict[str, Any]]:
        for refits in range(self.n_refits + 1):
            yield {"refits": refits, "revealed": False}
            for guess in range(-1, _POINTS + 1):
                yield {"refits": refits, "revealed": True, "guess": guess}

    @property
    def hits(self) -> int:
        """At how many values the band holds the truth; 0 before there is a band."""
        with self._computing:
            return int(self._holds_truth().sum())

    def _holds_truth(self) -> npt.NDArray[np.bool_]:
        if self.refits < _FEWEST:
            return np.zeros(len(self._grid), dtype=bool)
        result = self._result()
        return np.asarray((result.low <= self.truth) & (self.truth <= result.high))

    def _result(self) -> Dependence:
        """Return the curves of the refits so far, at least of two."""
        m = max(self.refits, _FEWEST)
        if m not in self._results:
            result = self.learner.fit(m, self._check).dependence(
                self.feature, grid=self._grid, interval="corrected", callback=self._check
            )
            assert isinstance(result, Dependence)
            self._results[m] = result
        return self._results[m]

    def _facts(self) -> dict[str, Any]:
        return {
            "feature": self.feature,
            "most": self.n_refits,
            "points": len(self._grid),
            "question": (
                f"{counted(self.n_refits, 'model')} are fitted on resamples of the same rows, and "
                f"each draws its curve over {self.feature}. At how many of {len(self._grid)} "
                "values will the 95 % band around their mean hold the true curve?"
            ),
        }

    def _answer(self) -> LessonAnswer:
        columns: dict[str, Any] = {"grid": self._grid}
        if self.refits:
            result = self._result()
            assert result.per_refit is not None
            columns["curves"] = result.per_refit[: self.refits]
            if self.refits >= _FEWEST:
                parts = (result.average, result.low, result.high)
                columns["average"], columns["low"], columns["high"] = parts
        if self.revealed:
            columns["truth"] = self.truth
            columns["hit"] = self._holds_truth().astype(np.uint8)
        return LessonAnswer({}, columns, self._explanation())

    def _explanation(self) -> tuple[str, ...]:
        m = self.refits
        if not m:
            return ()
        if m < _FEWEST:
            return (
                "One fit draws one curve. It does not say how different the curve would be if the "
                "model had learned from other rows.",
            )
        result = self._result()
        assert result.per_refit is not None
        spread = np.ptp(result.per_refit, axis=0)
        widest = int(spread.argmax())
        m = result.n_refits
        if np.allclose(result.per_refit, result.per_refit[0]):
            return (f"All {m} curves are the same: other rows do not change the model.",)
        independent = result.per_refit[:, widest].std(ddof=1) / np.sqrt(m)
        ratio = result.std_error[widest] / independent
        sentences = [
            f"{counted(m, 'curve')} differ by up to {spread[widest]:.3g}, at {self._at(widest)}. "
            f"The refits share rows, so the band is corrected: {ratio:.1f} times as wide as for "
            "fits on tables of their own. On average it reaches "
            f"{np.mean(result.high - result.average):.3g} to each side."
        ]
        if self.revealed:
            sentences += self._on_truth(result)
        return tuple(sentences)

    def _on_truth(self, result: Dependence) -> list[str]:
        hits, points = self.hits, len(self._grid)
        expected = f" You expected {self.guess}." if self.guess >= 0 else ""
        sentences = [f"The band holds the truth at {hits} of {points} values.{expected}"]
        error = result.average - self.truth
        worst = int(np.abs(error).argmax())
        side = "below" if error[worst] < 0 else "above"
        half = (result.high - result.low)[worst] / 2
        assert result.per_refit is not None
        errors = result.per_refit[:, worst] - self.truth[worst]
        same = int((np.sign(errors) == np.sign(error[worst])).sum())
        sentences.append(
            f"At {self._at(worst)} the mean of the curves is {abs(error[worst]):.3g} {side} the "
            f"truth, {abs(error[worst]) / half:.1f} times as far as the band reaches; {same} of "
            f"{counted(result.n_refits, 'curve')} err to the same side."
        )
        if hits < points:
            sentences.append(
                "What all refits have in common is the bias of the procedure, and the luck of this "
                "one table. More refits narrow the band around the wrong curve; they do not show "
                "the error."
            )
        return sentences

    def _at(self, point: int) -> str:
        return f"{self.feature} = {self._grid[point]:.3g}"
