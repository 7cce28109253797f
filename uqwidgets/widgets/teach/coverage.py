"""What does the bar cover?: many samples, their intervals, and how many of them hold the truth."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.stats import binomtest

from uqwidgets.datasets import CORRELATED_PAIRS, Process
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth import GroundTruth
from uqwidgets.widgets.checks import whole
from uqwidgets.widgets.teach.lesson import (
    Answer,
    Input,
    Lesson,
    checked_process,
    counted,
    one_of_texts,
)

#: Kinds of intervals, each with what it accounts for.
_KINDS = {
    "fixed-data": "the luck of the shuffles alone; the rows stay",
    "model": "which rows are scored; the rows that lend their values stay",
    "u-statistic": "which rows there are, scored and lending, and the shuffles",
}
_MOST_SAMPLES = 50
_LEVEL = 0.95
# Its own error is a thirtieth of that of a sample of 50 rows.
_POPULATION_ROWS = 50_000


class WhatTheBarCovers(Lesson):
    """New samples of a known process: how many intervals hold the importance in the population.

    The model stays the same, and each sample has its own rows. The intervals stack up, those that
    miss turn red, and the kind of the interval can be switched at any time. The count has an error
    of its own, the exact interval of a binomial share.

    Parameters
    ----------
    process : Process, default=uqwidgets.datasets.CORRELATED_PAIRS
        What samples are drawn from, see `uqwidgets.datasets.Process`.
    model : object or callable, optional
        A fitted model, see `as_predictive`; by default the expected target of the process.
    feature : str, optional
        By default the first.
    measure : str or function, default="squared_error"
    n : int, default=50
        Rows of each sample, from 10 to 1000.
    n_repeats : int, default=5
        Shuffles of each sample, from 2 to 50.
    **inputs
        Initial values of the attributes below.

    Attributes
    ----------
    guess : int
        How many of 50 intervals the learner expects to hold the truth; -1 before there is a guess.
    samples : int
        Number of samples so far, at most 50.
    interval : {"fixed-data", "model", "u-statistic"}
        Kind of the intervals, see `Explainer.importance`.
    population : float
        The importance in the population, from 50,000 rows.

    Raises
    ------
    TypeError
        If ``process`` is no process.
    ValueError
        For a name that does not exist, or a value out of range.

    See Also
    --------
    Explainer.importance : The kinds of intervals.
    GroundTruth : Importance, curves and errors of models where the process is known.

    References
    ----------
    Molnar et al. 2023, eq. 6; Merrick 2019, section 5; Hoeffding 1948.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> with uq.teach.WhatTheBarCovers(samples=20, interval="u-statistic") as widget:
    ...     wide = widget.hits
    ...     widget.interval = "fixed-data"
    ...     widget.hits < wide
    True
    """

    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "What does the bar cover?"
    question: ClassVar[str] = (
        "Fifty colleagues each draw their own rows, shuffle a feature, and print a bar with a 95 % "
        "interval. How many of the fifty intervals will hold the importance in the population?"
    )
    task: ClassVar[str] = (
        "Draw samples, and switch the kind of the interval. An interval that misses is red."
    )

    guess = Input(-1, lambda _, value: whole(value, "guess", -1, _MOST_SAMPLES))
    samples = Input(0, lambda _, value: whole(value, "samples", 0, _MOST_SAMPLES))
    interval = Input("fixed-data", lambda _, value: one_of_texts(value, "interval", tuple(_KINDS)))

    def __init__(
        self,
        process: Process = CORRELATED_PAIRS,
        model: Any = None,
        feature: str | None = None,
        measure: Any = "squared_error",
        *,
        n: int = 50,
        n_repeats: int = 5,
        **inputs: Any,
    ) -> None:
        self._truth = GroundTruth(*checked_process(process))
        self._model = process[0] if model is None else model
        self._measure = measure
        self._n = whole(n, "n", 10, 1000)
        self._n_repeats = whole(n_repeats, "n_repeats", 2, 50)
        everyone = self._explainer(_POPULATION_ROWS, 0)
        self.feature = everyone.table.named_features(None if feature is None else [feature])[0]
        result = everyone.importance(measure, [self.feature], n_repeats=5)
        self._label, self._unit = result.label, result.unit
        self.population = float(result.importance[0])
        # Every sample so far has an estimate, low and high by kind, and the importance of its rows.
        self._bars: list[dict[str, tuple[float, float, float]]] = []
        self._of_own_rows: list[float] = []
        super().__init__(**inputs)

    @property
    def hits(self) -> int:
        """How many of the intervals so far hold the importance in the population."""
        with self._computing:
            return int(self._holds_population().sum())

    def _explainer(self, n: int, seed: int) -> Explainer:
        X, y = self._truth.data(n, seed)
        return Explainer(self._model, X, y, random_state=seed)

    def _draw(self) -> None:
        """Draw the samples that are missing; the same number always has the same rows."""
        while len(self._bars) < self.samples:
            explainer = self._explainer(self._n, len(self._bars) + 1)
            bars = {}
            for kind in _KINDS:
                one = explainer.importance(
                    self._measure,
                    [self.feature],
                    n_repeats=self._n_repeats,
                    interval=kind,
                    level=_LEVEL,
                    callback=self._check,
                )
                bars[kind] = float(one.importance[0]), float(one.low[0]), float(one.high[0])
            every = explainer.importance(
                self._measure, [self.feature], n_repeats="all", callback=self._check
            )
            self._of_own_rows.append(float(every.importance[0]))
            self._bars.append(bars)

    def _intervals(self) -> np.ndarray[Any, Any]:
        self._draw()
        bars = [of_sample[self.interval] for of_sample in self._bars[: self.samples]]
        return np.array(bars).reshape(-1, 3)

    def _holds_population(self) -> np.ndarray[Any, Any]:
        _, low, high = self._intervals().T
        return np.asarray((low <= self.population) & (self.population <= high))

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self._label,
            "unit": self._unit,
            "feature": self.feature,
            "population": self.population,
            "most": _MOST_SAMPLES,
            "kinds": [{"value": kind, "label": f"{kind}: {text}"} for kind, text in _KINDS.items()],
        }

    def _answer(self) -> Answer:
        value, low, high = self._intervals().T
        columns = {
            "value": value,
            "low": low,
            "high": high,
            "hit": self._holds_population().astype(np.uint8),
        }
        return Answer({}, columns, self._explanation())

    def _explanation(self) -> tuple[str, ...]:
        m = self.samples
        if not m:
            return ()
        hits = self.hits
        share = binomtest(hits, m).proportion_ci(confidence_level=_LEVEL)
        low, high = _percent(share.low), _percent(share.high)
        sentences = [
            f"{hits} of {counted(m, 'interval')} ({_percent(hits / m)}) hold the importance in the "
            f"population, {self.population:.3g}. From so many samples alone, the share could be "
            f"{low} to {high}."
        ]
        promised = f"The promised {_percent(_LEVEL)}"
        if share.high < _LEVEL:
            sentences.append(
                f"{promised} is outside: as an interval for other rows, this kind is too narrow."
            )
        else:
            sentences.append(f"{promised} is inside: nothing speaks against the promise so far.")
        sentences.append(f"This kind accounts for {_KINDS[self.interval]}.")
        if self.interval == "fixed-data":
            _, lows, highs = self._intervals().T
            own = np.array(self._of_own_rows[:m])
            n_own = int(((lows <= own) & (own <= highs)).sum())
            sentences.append(
                f"The question that it answers is another one, about the same rows: {n_own} of {m} "
                "hold the importance of their own rows over all donors."
            )
        if self.guess >= 0 and m == _MOST_SAMPLES:
            sentences.append(f"You expected {self.guess}, and there are {hits}.")
        sentences.append(
            "The model is the same in all samples; none of these intervals says what another "
            "training set would change. For that, see Learner."
        )
        return tuple(sentences)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
