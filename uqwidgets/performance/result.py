"""Results on the performance of one fitted model: scores, confusion and calibration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.inference.groups import GroupCount
from uqwidgets.inference.tested import (
    Ends,
    Hypotheses,
    WithTests,
    hypotheses_of_ends,
    one_level_alone,
)
from uqwidgets.plotting.result import Result, at_once
from uqwidgets.plotting.text import population

if TYPE_CHECKING:
    import altair as alt

# Effective rows below which a part of the rows says little.
FEW = 30.0


@dataclass(frozen=True, eq=False, repr=False)
class _OfPopulation(Result):
    """A result on the rows of one population, with their weights.

    Attributes
    ----------
    weighted : bool
        Whether row weights were used.
    n_rows : int
        Number of scored rows.
    ess : float
        Effective sample size of these rows.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None if each interval has ``level``.
    """

    weighted: bool
    n_rows: int
    ess: float
    groups: GroupCount | None = field(default=None, kw_only=True)
    pointwise_level: float | None = field(default=None, kw_only=True)

    @property
    def _rows(self) -> str:
        return population(self.weighted, self.ess, self.n_rows, self.groups)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(_OfPopulation, WithTests):
    """Scores of one fitted model in a population.

    `Explainer.scores` returns it.

    Attributes
    ----------
    names, labels, units : tuple of str, length k
        Of the scores; all arrays are in this order.
    value, std_error, low, high : ndarray of shape (k,)
        Each score with its interval; NaN where the rows do not determine it.
    level : float
        Level of the intervals. They are over other rows; the fitted model is fixed.
    weighted : bool
        Whether row weights were used.
    n_rows : int
        Number of scored rows.
    ess : float
        Effective sample size of these rows.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None if each interval has ``level``.
    remarks : tuple of Remark
        Sentences that a reader of the numbers should know.
    ends : tuple of callable, length k, or None
        From a level to the lower and upper end of the interval of each score.

    See Also
    --------
    Explainer.scores : Computes it.
    Learner.performance : The performance of the procedure, with refitting.

    References
    ----------
    DeLong et al. 1988; Hall 1992; Kott 2001; Satterthwaite 1946; Wilson 1927.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> scores = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1]).scores()
    >>> list(scores.frame.columns)
    ['score', 'value', 'std_error', 'low', 'high']
    >>> scores.names
    ('rmse', 'absolute_error', 'r2')
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    value: Floats
    std_error: Floats
    low: Floats
    high: Floats
    level: float
    remarks: tuple[Remark, ...] = ()
    ends: tuple[Ends, ...] | None = None

    def _hypotheses(self, null: float | None) -> Hypotheses:
        if self.ends is None:
            raise one_level_alone("these intervals are")
        ends = [(of_score, null or 0.0) for of_score in self.ends]
        tests = hypotheses_of_ends({"score": self.names}, ends)
        # Scores without an interval, because no row changes them, have no p-value.
        known = np.isfinite(self.low) & np.isfinite(self.high)
        greater, less = (np.where(known, p, np.nan) for p in (tests.greater, tests.less))
        return tests._replace(greater=greater, less=less)

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``score, value, std_error, low, high``."""
        return pd.DataFrame(
            {
                "score": list(self.names),
                "value": self.value,
                "std_error": self.std_error,
                "low": self.low,
                "high": self.high,
            }
        )

    @property
    def _heading(self) -> str:
        return (
            f"Scores with {self.level:.0%} intervals{at_once(self, len(self.value))}, {self._rows}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.performance.html import scores_html

        return scores_html(self)

    def to_altair(self) -> alt.ConcatChart:
        """Return an Altair chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0] + X[:, 1])
        >>> chart = explainer.scores().to_altair()
        >>> type(chart).__name__
        'ConcatChart'
        """
        from uqwidgets.performance.figure import scores_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(scores_figure(self))


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(_OfPopulation):
    """How often a model predicts each class for the rows of each true class, in a population.

    `Explainer.confusion` returns it.

    Attributes
    ----------
    classes : tuple of str, length k
    share : ndarray of shape (k, k)
        Share of the rows, by true class (rows) and predicted class (columns); their sum is 1.
    rows_of_pair : ndarray of int, shape (k, k)
        Number of these rows, without weights.
    target : str
        Name of the target.
    weighted : bool
        Whether row weights were used.
    n_rows : int
        Number of scored rows.
    ess : float
        Effective sample size of these rows.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    remarks : tuple of Remark
        Sentences that a reader of the numbers should know.

    See Also
    --------
    Explainer.confusion : Computes it.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = uq.datasets.make_redundant(100, copied="x1", n_features=3, n_relevant=1)
    >>> confusion = uq.Explainer(LogisticRegression().fit(X, y), X, y).confusion()
    >>> confusion.recall.shape, round(float(confusion.share.sum()), 12)
    ((2,), 1.0)
    """

    classes: tuple[str, ...]
    share: Floats
    rows_of_pair: npt.NDArray[np.intp]
    target: str
    remarks: tuple[Remark, ...] = ()

    @property
    def recall(self) -> Floats:
        """Share of each true class that is predicted correctly, shape (k,)."""
        return self._diagonal_over(self.share.sum(axis=1))

    @property
    def precision(self) -> Floats:
        """Share of each predicted class that is correct, shape (k,)."""
        return self._diagonal_over(self.share.sum(axis=0))

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``true, predicted, share, share_of_true, rows``, one row per pair of classes."""
        k = len(self.classes)
        with np.errstate(invalid="ignore"):
            conditional = self.share / self.share.sum(axis=1, keepdims=True)
        return pd.DataFrame(
            {
                "true": np.repeat(self.classes, k),
                "predicted": np.tile(self.classes, k),
                "share": self.share.ravel(),
                "share_of_true": conditional.ravel(),
                "rows": self.rows_of_pair.ravel(),
            }
        )

    def _diagonal_over(self, total: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.diagonal(self.share) / total)

    @property
    def _heading(self) -> str:
        return f"Confusion of the classes of {self.target}, {self._rows}"

    def _repr_html_(self) -> str:
        from uqwidgets.performance.html import confusion_html

        return confusion_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Return an Altair chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> y = np.where(X[:, 1] > 0, "yes", "no")
        >>> explainer = uq.Explainer(lambda X: np.where(X[:, 0] > 0, "yes", "no"), X, y)
        >>> chart = explainer.confusion().to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.performance.figure import confusion_figure
        from uqwidgets.plotting.altair import layered

        return layered(confusion_figure(self))


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(_OfPopulation, WithTests):
    """Predicted probabilities beside the shares of rows in which their events happened.

    `Explainer.calibration` returns it. A calibrated model has ``observed`` equal to ``predicted``,
    up to the intervals.

    Attributes
    ----------
    event : str
        What is predicted with a probability: that the target is one class, that the predicted
        class is right, or that the target is at most the predicted quantile.
    target : str
        Name of the target.
    predicted : ndarray of shape (b,)
        Mean predicted probability of each bin of rows; for a target of numbers, the level of the
        quantile.
    observed, low, high : ndarray of shape (b,)
        Share of the rows in which the event happened, with its interval.
    share : ndarray of shape (b,)
        Share of the rows, by weight, that belong to the bin; 1 for quantiles.
    n_rows_of_bin : ndarray of shape (b,)
        Number of these rows.
    coverage : tuple of (float, float, float, float)
        For a target of numbers: level of a central predictive interval, the share of the rows
        inside, and the interval of this share.
    level : float
        Level of the intervals.
    clear : ndarray of bool, shape (b,)
        Whether a point misses its probability also by an interval that allows for the number of
        points, those of the coverage included (Sidak 1967). In a calibrated model none of them is
        true, with a probability of at least ``level``.
    clear_coverage : tuple of bool
        The same of each line of ``coverage``.
    logit : bool
        Whether pictures have axes of log-odds, which stretch both ends.
    weighted : bool
        Whether row weights were used.
    n_rows : int
        Number of scored rows.
    ess : float
        Effective sample size of these rows.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None if each interval has ``level``.
    ends : callable or None
        From a level to the lower and upper ends of the intervals of ``observed``.

    See Also
    --------
    Explainer.calibration : Computes it.

    References
    ----------
    Kuleshov et al. 2018; Niculescu-Mizil and Caruana 2005; Sidak 1967; Wilson 1927.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 1))
    >>> def model(X):
    ...     return X[:, 0], np.full(len(X), 0.5)  # too sure: the noise has a deviation of 1
    >>> explainer = uq.Explainer(model, X, X[:, 0] + rng.normal(size=1000))
    >>> for level, inside, low, high in explainer.calibration().coverage:
    ...     print(f"{level:.0%} intervals hold {inside:.0%} of the rows")
    50% intervals hold 25% of the rows
    80% intervals hold 46% of the rows
    90% intervals hold 57% of the rows
    95% intervals hold 65% of the rows
    >>> explainer.calibration().verdict
    'Too sure: 57.4 % of the rows lie inside the 90 % intervals.'
    """

    event: str
    target: str
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    share: Floats
    n_rows_of_bin: npt.NDArray[np.intp]
    coverage: tuple[tuple[float, float, float, float], ...]
    level: float
    clear: npt.NDArray[np.bool_]
    clear_coverage: tuple[bool, ...]
    logit: bool = False
    ends: Ends | None = None

    def _hypotheses(self, null: float | None) -> Hypotheses:
        if self.ends is None:
            raise one_level_alone("these intervals are")
        against = self.predicted if null is None else np.full(len(self.predicted), null)
        return hypotheses_of_ends({"predicted": self.predicted.tolist()}, [(self.ends, against)])

    @property
    def n_intervals(self) -> int:
        """Number of intervals, those of the coverage included."""
        return len(self.observed) + len(self.coverage)

    @property
    def n_outside(self) -> int:
        """Number of points whose interval does not contain the predicted probability."""
        return int(self.outside.sum())

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether the interval of a point does not contain the predicted probability: (b,)."""
        return np.asarray((self.predicted < self.low) | (self.predicted > self.high))

    @property
    def expected_outside(self) -> float:
        """How many of these intervals miss by chance, on average, if the model is calibrated.

        With ``simultaneous=True`` it is the share of tables in which any of them misses.
        """
        number = 1 if self.simultaneous else len(self.observed)
        return number * (1 - self.level)

    @property
    def verdict(self) -> str:
        """Whether the model is calibrated, in one or two sentences.

        A direction, such as "too sure", is said where a point is ``clear``, so that a calibrated
        model gets one in at most 5 % of tables (at the level of 95 %).
        """
        from uqwidgets.performance.verdict import verdict

        return verdict(self)

    @property
    def misses(self) -> str:
        """How many of the intervals miss their probability, and how many would by chance."""
        from uqwidgets.performance.verdict import misses

        return misses(self)

    @property
    def frame(self) -> pd.DataFrame:
        """Columns ``predicted, observed, low, high, share, rows, clear``."""
        return pd.DataFrame(
            {
                "predicted": self.predicted,
                "observed": self.observed,
                "low": self.low,
                "high": self.high,
                "share": self.share,
                "rows": self.n_rows_of_bin,
                "clear": self.clear,
            }
        )

    @property
    def _heading(self) -> str:
        return (
            f"Calibration: {self.event}, {self.level:.0%} intervals"
            f"{at_once(self, self.n_intervals)}, {self._rows}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.performance.html import calibration_html

        return calibration_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Return an Altair chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0] + X[:, 1])
        >>> chart = explainer.calibration().to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.performance.figure import calibration_figure
        from uqwidgets.plotting.altair import layered

        return layered(calibration_figure(self))


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationAlong(_OfPopulation):
    """Where along a column predictions are too sure or too cautious, and how sharp they are.

    `Explainer.calibration` returns it with ``by=``.

    Attributes
    ----------
    by : str
        The column, or the measure, that the rows are divided by.
    is_numeric : bool
        Whether the parts are ranges of numbers; else they are categories.
    event : str
        What is predicted with a probability; for a target of numbers, that it lies inside the
        central 90 % interval.
    target : str
        Name of the target.
    names : tuple of str, length b
        Range or category of each part of the rows; all arrays are in this order.
    predicted : ndarray of shape (b,)
        Mean predicted probability of the event.
    observed, low, high : ndarray of shape (b,)
        Share of the rows in which it happened, with its interval.
    sharpness, sharpness_low, sharpness_high : ndarray of shape (b,)
        How sure the predictions are: mean width of the 90 % intervals, in the unit of the target,
        or mean of the highest class probability; with its interval.
    of_sharpness : str
        Which of the two.
    nominal : float or None
        Level of the predictive intervals; None for classes.
    share : ndarray of shape (b,)
        Share of the rows, by weight.
    n_rows_of_part : ndarray of shape (b,)
        Number of rows.
    ess_of_part : ndarray of shape (b,)
        Effective number of rows, or of groups where rows belong together.
    clear : ndarray of bool, shape (b,)
        Whether a part misses also by an interval that allows for the number of parts (Sidak 1967).
    level : float
        Level of the intervals.
    weighted : bool
        Whether row weights were used.
    n_rows : int
        Number of scored rows.
    ess : float
        Effective sample size of these rows.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None if each interval has ``level``.

    See Also
    --------
    Explainer.calibration : Computes it.

    References
    ----------
    Gneiting et al. 2007; Sidak 1967; Spiegelhalter 1986; Wilson 1927.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(1000, 1))
    >>> y = rng.normal(size=1000) * np.where(X[:, 0] > 0.8, 3, 1)
    >>> explainer = uq.Explainer(lambda X: (0 * X[:, 0], np.ones(len(X))), X, y)
    >>> print(explainer.calibration(by="x0", n_bins=5).verdict)
    Too sure where x0 is 0.813 to 1: 45 % of the rows lie inside the 90 % intervals.
    """

    by: str
    is_numeric: bool
    event: str
    target: str
    names: tuple[str, ...]
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    sharpness: Floats
    sharpness_low: Floats
    sharpness_high: Floats
    of_sharpness: str
    nominal: float | None
    share: Floats
    n_rows_of_part: npt.NDArray[np.intp]
    ess_of_part: Floats
    clear: npt.NDArray[np.bool_]
    level: float

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether the interval of a part does not contain the predicted probability: (b,)."""
        return np.asarray((self.predicted < self.low) | (self.predicted > self.high))

    @property
    def few(self) -> npt.NDArray[np.bool_]:
        """Whether a part rests on fewer than 30 effective rows, or groups: (b,)."""
        return np.asarray(self.ess_of_part < FEW)

    @property
    def verdict(self) -> str:
        """Where the model is clearly not calibrated, in one or two sentences."""
        from uqwidgets.performance.verdict import verdict_along

        return verdict_along(self)

    @property
    def frame(self) -> pd.DataFrame:
        """One line for each part.

        Columns ``part, predicted, observed, low, high, sharpness, sharpness_low, sharpness_high,
        share, rows, ess, clear``.
        """
        return pd.DataFrame(
            {
                "part": list(self.names),
                "predicted": self.predicted,
                "observed": self.observed,
                "low": self.low,
                "high": self.high,
                "sharpness": self.sharpness,
                "sharpness_low": self.sharpness_low,
                "sharpness_high": self.sharpness_high,
                "share": self.share,
                "rows": self.n_rows_of_part,
                "ess": self.ess_of_part,
                "clear": self.clear,
            }
        )

    @property
    def _heading(self) -> str:
        return (
            f"Calibration along {self.by}: {self.event}, {self.level:.0%} intervals"
            f"{at_once(self, len(self.names))}, {self._rows}"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.performance.html import along_html

        return along_html(self)

    def to_altair(self) -> alt.ConcatChart:
        """Return an Altair chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0] + X[:, 1])
        >>> chart = explainer.calibration(by="x1").to_altair()
        >>> type(chart).__name__
        'ConcatChart'
        """
        from uqwidgets.performance.figure import along_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(along_figure(self))
