"""What does the bar cover?: many samples, their intervals, and how many of them hold the truth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest
from sklearn.linear_model import LinearRegression

from uqwidgets.datasets import CORRELATED_PAIRS, Process
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.ground_truth import GroundTruth
from uqwidgets.importance.result import Importance
from uqwidgets.learner import Learner
from uqwidgets.learner.loco_importance.copies import unfitted_copy
from uqwidgets.teach.lesson import (
    Input,
    Lesson,
    LessonAnswer,
    checked_process,
    counted,
    one_of_texts,
)
from uqwidgets.widgets.inputs.checks import whole

#: Kinds of intervals, each with what it accounts for.
_KINDS = {
    "fixed-data": "the luck of the shuffles alone; the rows stay",
    "model": "which rows are scored; the rows that lend their values stay",
    "u-statistic": "which rows there are, scored and lending, and the shuffles",
    "groups": "which patients there are, each with all rows of it, and the shuffles",
    "learner": "which rows the model learned from, beside the rows that score it",
}
#: What the rows of a sample are.
_TABLES = ("rows", "patients")
# Patients of a sample, rows of each, and the share of these that repeat the first one.
_PATIENTS, _ROWS_OF_PATIENT, _SHARE_ALIKE = 30, 30, 0.7
_MOST_SAMPLES = 50
_LEVEL = 0.95
# Its own error is a thirtieth of that of a sample of 50 rows.
_POPULATION_ROWS = 50_000
# Fits on tables of their own, whose mean importance is the truth of a learner, and the new rows
# that each is scored on. Its error is a twentieth of that of a model: with 100 fits it was large
# enough to change the mean number of misses.
_FITS = 400
_ROWS_OF_FIT = 1_000

_ON_MODEL = (
    "The model is the same in all samples; this interval does not say what another training set "
    "would change. The learner's does."
)
_ON_PATIENTS = (
    "Each sample has {rows} rows of {patients} patients: in about {share} of its rows a patient is "
    "as in the first one, the others are new. Such rows tell less than as many of other patients."
)
_ON_LEARNER = (
    "Each sample has models of its own, 15 refits on resamples of its rows, and the importance in "
    "the population is the mean over models that learned from other rows. It is another number "
    "than that of one model, and the line in the chart moves. It is itself estimated, from {fits} "
    "models, with a standard error of {error:.2g}."
)


class WhatTheBarCovers(Lesson):
    """New samples of a known process: how many intervals hold the importance in the population.

    The model stays the same, and each sample has its own rows; with the interval of a learner,
    models are fitted to the rows of each sample. The intervals stack up, those that miss turn red,
    and the kind of the interval can be switched at any time, and so can what the rows are: each by
    itself, or those of patients, whose rows resemble each other. The count has an error of its own,
    the exact interval of a binomial share.

    Parameters
    ----------
    process : Process, default=uqwidgets.datasets.CORRELATED_PAIRS
        What samples are drawn from, see `uqwidgets.datasets.Process`.
    model : object or callable, optional
        A fitted model, see `as_predictive`; by default the expected target of the process.
    feature : str, optional
        By default the first.
    estimator : object, optional
        What the learner fits; by default a copy of the model if it can be fitted, and else a
        linear regression.
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
    interval : {"fixed-data", "model", "u-statistic", "groups", "learner"}
        Kind of the intervals, see `Explainer.importance`; ``"groups"`` is ``"u-statistic"`` for
        other patients, with ``groups=``, and ``"learner"`` the default of `Learner.importance`,
        over 15 refits.
    table : {"rows", "patients"}
        Whether each of the ``n`` rows of a sample is by itself, or each sample has 900 rows of 30
        patients.
    population : float
        What the intervals have to hold: the importance of the model in 50,000 rows; for a learner,
        the mean over 400 models, each fitted to a resample of rows of its own and scored on 1,000
        new rows.

    Raises
    ------
    TypeError
        If ``process`` is no process.
    ValueError
        For a name that does not exist, or a value out of range.

    See Also
    --------
    Explainer.importance : The kinds of intervals.
    Learner.importance : The interval of a learner.
    GroundTruth : Importance, curves and errors of models where the process is known.

    References
    ----------
    Molnar et al. 2023, eq. 6 and section 7; Merrick 2019, section 5; Hoeffding 1948.

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
    table = Input("rows", lambda _, value: one_of_texts(value, "table", _TABLES))
    interval = Input("fixed-data", lambda _, value: one_of_texts(value, "interval", tuple(_KINDS)))

    def __init__(
        self,
        process: Process = CORRELATED_PAIRS,
        model: Any = None,
        feature: str | None = None,
        measure: Any = "squared_error",
        *,
        estimator: Any = None,
        n: int = 50,
        n_repeats: int = 5,
        **inputs: Any,
    ) -> None:
        self._truth = GroundTruth(*checked_process(process))
        self._model = process[0] if model is None else model
        self._measure = measure
        self._n = whole(n, "n", 10, 1000)
        self._n_repeats = whole(n_repeats, "n_repeats", 2, 50)
        if estimator is None:
            estimator = self._model if hasattr(self._model, "fit") else LinearRegression()
        self._estimator = estimator
        first = Explainer(self._model, *self._truth.data(self._n, 1), random_state=1)
        self.feature = first.table.named_features(None if feature is None else [feature])[0]
        self._measured = first.measure(measure)
        # What the intervals have to hold: of the model, and of a learner by the kind of its table.
        self._populations: dict[str, float] = {}
        self._errors_of_learner: dict[str, float] = {}
        # By table and kind: estimate, low and high of every sample.
        self._bars: dict[tuple[str, str], list[tuple[float, float, float]]] = {
            (table, kind): [] for table in _TABLES for kind in _KINDS
        }
        self._of_own_rows: dict[str, list[float]] = {table: [] for table in _TABLES}
        super().__init__(**inputs)

    @property
    def population(self) -> float:
        """What the intervals have to hold."""
        with self._computing:
            of = self.table if self.interval == "learner" else ""
            if of not in self._populations:
                find = self._learner_in_population if of else self._model_in_population
                self._populations[of] = find()
            return self._populations[of]

    def _model_in_population(self) -> float:
        rows = self._truth.data(_POPULATION_ROWS, 0)
        return self._shuffled(Explainer(self._model, *rows, random_state=0), n_repeats=5)[0]

    def _learner_in_population(self) -> float:
        """Return the mean importance over models that are fitted as refits are."""
        values = []
        for k in range(_FITS):
            self._begin(k, _FITS)
            seed = _POPULATION_ROWS + 2 * k
            X, y, patients = self._sample(seed)
            # What a resample draws: rows, or patients with all their rows.
            units = np.arange(len(X)).reshape(-1, 1 if patients is None else _ROWS_OF_PATIENT)
            rng = np.random.default_rng(seed)
            rows = units[rng.integers(len(units), size=len(units))].ravel()
            fitted = unfitted_copy(self._estimator).fit(X.iloc[rows], np.asarray(y)[rows])
            new = Explainer(fitted, *self._truth.data(_ROWS_OF_FIT, seed + 1))
            values.append(self._shuffled(new, n_repeats=1)[0])
        error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
        self._errors_of_learner[self.table] = error
        return float(np.mean(values))

    @property
    def hits(self) -> int:
        """How many of the intervals so far hold the importance in the population."""
        with self._computing:
            return int(self._holds_population().sum())

    def _sample(self, seed: int) -> tuple[Any, Any, npt.NDArray[np.intp] | None]:
        """Return features, target and the patient of each row of a sample, None without patients.

        Every row has the distribution of the process, also those of patients, so that what the
        intervals have to hold is the same.
        """
        if self.table == "rows":
            return *self._truth.data(self._n, seed), None
        patient = np.repeat(np.arange(_PATIENTS), _ROWS_OF_PATIENT)
        X, y = self._truth.data(len(patient), seed)
        alike = np.random.default_rng(seed).random(len(patient)) < _SHARE_ALIKE
        rows = np.where(alike, patient * _ROWS_OF_PATIENT, np.arange(len(patient)))
        return X.iloc[rows].reset_index(drop=True), np.asarray(y)[rows], patient

    def _draw(self) -> None:
        """Draw the samples that are missing; the same number always has the same rows."""
        bars, own_rows = self._bars[self.table, self.interval], self._of_own_rows[self.table]
        first = len(bars)
        for k in range(first, self.samples):
            self._begin(k - first, self.samples - first)
            seed = k + 1
            X, y, patients = self._sample(seed)
            if self.interval == "learner":
                learner = Learner(self._estimator, X, y, groups=patients, random_state=seed)
                result = learner.importance(
                    self._measure, [self.feature], level=_LEVEL, callback=self._check
                )
                bars.append(_bar(result))
                continue
            groups, kind = None, self.interval
            if kind == "groups":
                groups, kind = patients, "u-statistic"
            explainer = Explainer(self._model, X, y, groups=groups, random_state=seed)
            if kind == "fixed-data" and k == len(own_rows):
                own_rows.append(self._shuffled(explainer, n_repeats="all")[0])
            bars.append(self._shuffled(explainer, n_repeats=self._n_repeats, interval=kind))

    def _shuffled(self, explainer: Explainer, **options: Any) -> tuple[float, float, float]:
        """Return the importance of the feature with the ends of its interval."""
        result = explainer.importance(
            self._measure, [self.feature], level=_LEVEL, callback=self._check, **options
        )
        return _bar(result)

    def _intervals(self) -> np.ndarray[Any, Any]:
        self._draw()
        return np.array(self._bars[self.table, self.interval][: self.samples]).reshape(-1, 3)

    def _holds_population(self) -> np.ndarray[Any, Any]:
        _, low, high = self._intervals().T
        return np.asarray((low <= self.population) & (self.population <= high))

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self._measured.label,
            "unit": self._measured.unit,
            "feature": self.feature,
            "most": _MOST_SAMPLES,
            "tables": [
                {"value": "rows", "label": f"{counted(self._n, 'row')}, each by itself"},
                {"value": "patients", "label": _in_words(_PATIENTS * _ROWS_OF_PATIENT)},
            ],
            "kinds": [{"value": kind, "label": f"{kind}: {text}"} for kind, text in _KINDS.items()],
        }

    def _answer(self) -> LessonAnswer:
        # Found before the first sample, so that nobody waits for it then.
        meta = {"population": self.population}
        value, low, high = self._intervals().T
        columns = {
            "value": value,
            "low": low,
            "high": high,
            "hit": self._holds_population().astype(np.uint8),
        }
        return LessonAnswer(meta, columns, self._explanation())

    def _page_states(self) -> Iterator[dict[str, Any]]:
        for table, interval in product(_TABLES, _KINDS):
            of = {"table": table, "interval": interval}
            for samples in range(_MOST_SAMPLES):
                yield {**of, "samples": samples}
            for guess in range(-1, _MOST_SAMPLES + 1):
                yield {**of, "samples": _MOST_SAMPLES, "guess": guess}

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
        if self.table == "patients":
            alike, n = f"{10 * _SHARE_ALIKE:.0f} of 10", _PATIENTS * _ROWS_OF_PATIENT
            sentences.append(_ON_PATIENTS.format(rows=n, patients=_PATIENTS, share=alike))
        elif self.interval == "groups":
            sentences.append("Here each row is by itself, as if it were of another patient.")
        if self.interval == "fixed-data":
            _, lows, highs = self._intervals().T
            own = np.array(self._of_own_rows[self.table][:m])
            n_own = int(((lows <= own) & (own <= highs)).sum())
            sentences.append(
                f"The question that it answers is another one, about the same rows: {n_own} of {m} "
                "hold the importance of their own rows over all donors."
            )
        if self.guess >= 0 and m == _MOST_SAMPLES:
            sentences.append(f"You expected {self.guess}, and there are {hits}.")
        if self.interval == "learner":
            error = self._errors_of_learner[self.table]
            sentences.append(_ON_LEARNER.format(fits=_FITS, error=error))
        else:
            sentences.append(_ON_MODEL)
        return tuple(sentences)


def _bar(result: Importance) -> tuple[float, float, float]:
    return float(result.importance[0]), float(result.low[0]), float(result.high[0])


def _in_words(n: int) -> str:
    return f"{counted(n, 'row')} of {counted(_PATIENTS, 'patient')}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
