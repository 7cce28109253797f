"""Coverage of every kind of result of a learner where features correlate, by simulation.

Rows are independent, or those of patients, each of whom has an effect on the target.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, xlogy
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

from uqwidgets.inference.groups import RowGroups
from uqwidgets.learner.intervals import (
    LearnerInterval,
    corrected_interval,
    group_jackknife_interval,
    row_effect_interval,
    variance_components_interval,
)
from uqwidgets.learner.resampling import RESAMPLINGS, ResamplingPlan
from uqwidgets.learner.row_effects import group_table, interaction_variance, row_effect_variance

REFITS, PERMUTATIONS, SCORED = 15, 5, 1000
FEATURES, CORRELATION = 3, 0.7  # of the first two features
GRID = (-1.0, 0.0, 1.0)
SAVED_EVERY = 20  # repetitions

LOSS, FREE = "importance by a loss", "importance by a measure without the target"
METRIC, RATIO = "importance by a metric", "importance as a ratio"
LEFT_OUT, SURFACES = "importance by leaving features out", "surfaces"
CURVES, LOSS_CURVES = "curves of a measure without the target", "curves of a loss"
PERFORMANCE, COMPARISONS = "performance", "comparisons"
# Results that are means over rows, for which there are intervals from row effects.
BY_ROWS = (LOSS, FREE, CURVES, LOSS_CURVES)

Values = dict[str, np.ndarray]
Coverage = dict[tuple[str, str, str], np.ndarray]  # by subject, interval and resampling


@dataclass(frozen=True)
class Case:
    """A procedure and a rival on tables of n rows or patients, and how many are simulated.

    The first and the third feature of a patient, and an effect on the target, are the same in all
    rows. Patients have the least to the greatest number of rows in ``sizes``, and the learner is
    told which rows are theirs, unless they are not ``told``.
    """

    estimator: Any
    rival: Any
    target: Callable[[np.ndarray, np.random.Generator], np.ndarray]
    classes: bool
    n: int
    tables: int
    fits: int
    sizes: tuple[int, int] | None = None
    told: bool = True

    @property
    def scored(self) -> int:
        """Rows that a fit on fresh rows is scored on, or patients: as many as are held out.

        A donor is of the same patient in one of so many pairs.
        """
        return SCORED if self.sizes is None else self.n - int(0.632 * self.n)

    def draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, RowGroups | None]:
        """Draw n rows, or those of n patients."""
        if self.sizes is None:
            X, y = self._rows(n, rng)
            return X, y, None
        least, most = self.sizes
        patient = np.repeat(np.arange(n), rng.integers(least, most + 1, n))
        X, y = self._rows(len(patient), rng, patient)
        return X, y + rng.normal(size=n)[patient], RowGroups(patient, "patient")

    def _rows(
        self, n: int, rng: np.random.Generator, patient: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, FEATURES))
        if patient is not None:
            X[:, ::2] = X[patient, ::2]
        X[:, 1] = CORRELATION * X[:, 0] + np.sqrt(1 - CORRELATION**2) * X[:, 1]
        return X, self.target(X, rng)


def _classes(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(X)) < expit(X @ [1.5, 0.5, 0.8])).astype(float)


def _line(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X @ [1.0, 0.5, 0.0] + rng.normal(size=len(X))


def _absolute_value(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=len(X))


TREE = "tree, 200 rows"
_TREE = DecisionTreeRegressor(min_samples_split=20, min_samples_leaf=7, random_state=0)
CASES = {
    "logistic regression, 200 rows": Case(
        LogisticRegression(), LogisticRegression(C=0.01), _classes, True, 200, 140, 2000
    ),
    "least squares, 60 rows": Case(LinearRegression(), Ridge(30.0), _line, False, 60, 100, 4000),
    TREE: Case(_TREE, LinearRegression(), _absolute_value, False, 200, 100, 2000),
}
_OF_PATIENTS = Case(LinearRegression(), Ridge(30.0), _line, False, 30, 100, 2000, (10, 10))
GROUPED = {
    "30 patients of 10 rows": _OF_PATIENTS,
    "30 patients of 1 to 30 rows": replace(_OF_PATIENTS, sizes=(1, 30)),
}


class Fits:
    """A fit on some rows, the fits without each feature, and that of the rival."""

    def __init__(self, case: Case, X: np.ndarray, y: np.ndarray) -> None:
        self._case = case
        self._whole = clone(case.estimator).fit(X, y)
        self._without = [
            clone(case.estimator).fit(np.delete(X, j, axis=1), y) for j in range(FEATURES)
        ]
        self._rival = clone(case.rival).fit(X, y)

    def values(self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Values:
        """Give each row's values (n, q) by subject; of a metric and a ratio, the estimates (q,)."""
        n = len(X)
        parts = [X]
        for j in range(FEATURES):
            parts += [_with(X, {j: X[rng.permutation(n), j]}) for _ in range(PERMUTATIONS)]
        for j in range(FEATURES):
            parts += [_with(X, {j: point}) for point in GRID]
        parts += [_with(X, {0: a, 1: b}) for a in GRID[::2] for b in GRID[::2]]
        predicted = self._predicted(self._whole, np.concatenate(parts)).reshape(-1, n)
        replaced = predicted[1 : 1 + FEATURES * PERMUTATIONS].reshape(FEATURES, PERMUTATIONS, n)
        curves = predicted[1 + FEATURES * PERMUTATIONS : -4]
        own = self._loss(predicted[0], y)
        loss = (self._loss(replaced, y) - own).mean(axis=1)
        without = [
            self._loss(self._predicted(fit, np.delete(X, j, axis=1)), y) - own
            for j, fit in enumerate(self._without)
        ]
        results = {
            LOSS: loss.T,
            RATIO: 1 + loss.mean(axis=1) / own.mean(),
            METRIC: self._score(predicted[0], y)
            - np.array([np.mean([self._score(one, y) for one in of]) for of in replaced]),
            LEFT_OUT: np.array(without).T,
            CURVES: curves.T,
            LOSS_CURVES: self._loss(curves, y).T,
            SURFACES: predicted[-4:].T,
            PERFORMANCE: own[:, None],
            COMPARISONS: (own - self._loss(self._predicted(self._rival, X), y))[:, None],
        }
        if self._case.classes:
            results[FREE] = (_entropy(replaced) - _entropy(predicted[0])).mean(axis=1).T
        return results

    def _predicted(self, fit: Any, X: np.ndarray) -> np.ndarray:
        if self._case.classes:
            return np.clip(fit.predict_proba(X)[:, 1], 1e-9, 1 - 1e-9)
        return fit.predict(X)

    def _loss(self, predicted: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Nll of classes, squared error of numbers."""
        if self._case.classes:
            return -np.log(np.where(y > 0, predicted, 1 - predicted))
        return np.square(predicted - y)

    def _score(self, predicted: np.ndarray, y: np.ndarray) -> float:
        """Area under the ROC curve of classes, R squared of numbers."""
        if self._case.classes:
            ones = y.sum()
            ranks = rankdata(predicted)[y > 0].sum()
            return float((ranks - ones * (ones + 1) / 2) / (ones * (len(y) - ones)))
        return float(1 - np.square(predicted - y).mean() / y.var())


def _with(X: np.ndarray, instead: dict[int, Any]) -> np.ndarray:
    Z = X.copy()
    for column, values in instead.items():
        Z[:, column] = values
    return Z


def _entropy(p: np.ndarray) -> np.ndarray:
    return -xlogy(p, p) - xlogy(1 - p, 1 - p)


def fresh(case: Case, rng: np.random.Generator) -> Values:
    """Estimates of one fit on fresh rows, as many as a refit learns from."""
    X, y, _ = case.draw(int(0.632 * case.n), rng)
    X_scored, y_scored, _ = case.draw(case.scored, rng)
    results = Fits(case, X, y).values(X_scored, y_scored, rng)
    return {name: v if v.ndim == 1 else v.mean(axis=0) for name, v in results.items()}


def ends(case: Case, resampling: str, rng: np.random.Generator) -> Values:
    """Low and high ends, and estimates, (3, q), of every interval of one table."""
    X, y, groups = case.draw(case.n, rng)
    seed = int(rng.integers(2**31))
    plan = ResamplingPlan.of(
        *(y, resampling, 0.632, False, seed, REFITS), groups if case.told else None
    )
    n = plan.n_units
    estimates: dict[str, list[np.ndarray]] = defaultdict(list)
    of_rows: dict[str, np.ndarray] = {}
    sizes = []
    for number in range(REFITS):
        rows = plan.resample(number)
        fits = Fits(case, X[rows.train], y[rows.train])
        units = plan.units_of(rows.held_out)
        sizes.append((len(plan.units_of(rows.train)), len(units)))
        for name, v in fits.values(X[rows.held_out], y[rows.held_out], rng).items():
            estimates[name].append(v if v.ndim == 1 else v.mean(axis=0))
            if name in BY_ROWS:
                empty = np.full((REFITS, n, v.shape[1]), np.nan)
                of_units = of_rows.setdefault(name, empty)
                of_units[number, units] = plan.unit_values(v, rows.held_out, v.mean(axis=0))
    n_train, n_test = np.mean(sizes, axis=0)
    results: dict[str, LearnerInterval] = {}
    for name, each in estimates.items():
        stacked = np.array(each)
        results[f"{name}|corrected"] = corrected_interval(stacked, n_train, n_test)
        if name not in BY_ROWS:
            continue
        rows_, both = row_effect_variance(of_rows[name]), interaction_variance(of_rows[name])
        results[f"{name}|variance-components"] = variance_components_interval(
            *(stacked, rows_, both, n, n_train, n_test),
            bootstrap=resampling == "bootstrap",
            of_loss=name == LOSS,
        )
        if name == LOSS:
            results[f"{name}|row-effect"] = row_effect_interval(stacked, rows_, n, n_train, n_test)
        if plan.splits is not None:
            table = group_table(of_rows[name], plan.splits)
            results[f"{name}|group-jackknife"] = group_jackknife_interval(
                stacked, table, n_train, n_test
            )
    return {name: np.array([one.low, one.high, one.estimate]) for name, one in results.items()}


class Simulated(NamedTuple):
    """Coverage of every interval by quantity, and its median width relative to what is needed.

    Needed is the estimate plus and minus 1.96 times its true standard deviation.
    """

    coverage: Coverage
    width: Coverage
    tables: int


def coverage(
    name: str,
    store: Path | None = None,
    tables: int | None = None,
    seconds: float = np.inf,
    *,
    told: bool = True,
    resamplings: Sequence[str] = RESAMPLINGS,
) -> Simulated:
    """Compute the share of tables whose interval contains the truth.

    Parameters
    ----------
    name : str
        One of `CASES` or `GROUPED`.
    store : Path, optional
        Folder of stored tables; a later run continues from it.
    tables : int, optional
        Number of tables, by default that of the case; with fewer, the truth is less exact.
    seconds : float
        Time after which the rest is left for the next run.
    told : bool
        Whether the learner is told which rows are those of a patient.
    resamplings : sequence of str
    """
    case, until = (CASES | GROUPED)[name], time.monotonic() + seconds
    share = 1.0 if tables is None else tables / case.tables
    tables = case.tables if tables is None else tables

    def repeated(what: str, number: int, one: Callable[[np.random.Generator], Values]) -> Values:
        path = None if store is None else store / f"{what} of {name}.npz"
        return _repeated(path, number, one, until)

    truths = repeated("truth", int(share * case.fits), lambda rng: fresh(case, rng))
    truth = {subject: values.mean(axis=0) for subject, values in truths.items()}
    case = replace(case, told=told)
    covered: Coverage = {}
    widths: Coverage = {}
    count = tables
    for how in resamplings:
        what = f"intervals by {how}{'' if told else ' as if independent'}"
        for key, drawn in repeated(what, tables, lambda rng, how=how: ends(case, how, rng)).items():
            subject, interval = key.split("|")
            low, high, estimate = np.moveaxis(drawn, 1, 0)
            is_covered = (low <= truth[subject]) & (truth[subject] <= high)
            covered[subject, interval, how] = is_covered.mean(axis=0)
            needed = 2 * 1.96 * estimate.std(axis=0, ddof=1)
            widths[subject, interval, how] = np.median(high - low, axis=0) / needed
            count = min(count, len(drawn))
    return Simulated(covered, widths, count)


def section(store: Path | None) -> Iterator[str]:
    """Yield the lines of the report."""
    each = {name: coverage(name, store) for name in CASES}
    counts = "; ".join(f"{name}: {one.tables}" for name, one in each.items())
    yield HEAD.format(counts=counts)
    yield from _table(_together(one.coverage for one in each.values()), least=True)
    for name, one in each.items():
        yield f"### {name[0].upper()}{name[1:]}\n"
        yield from _table(one.coverage, least=False)
    yield WIDTHS
    yield from _table(each[TREE].width, least=True)
    grouped = {name: coverage(name, store) for name in GROUPED}
    counts = "; ".join(f"{name}: {one.tables}" for name, one in grouped.items())
    yield OF_PATIENTS.format(counts=counts)
    yield from _table(_together(one.coverage for one in grouped.values()), least=True)
    name = next(iter(GROUPED))
    yield AS_IF_INDEPENDENT
    rows = coverage(name, store, told=False, resamplings=RESAMPLINGS[:1]).coverage
    yield from _table(rows, least=True)
    for name, one in grouped.items():
        yield f"### {name}\n"
        yield from _table(one.coverage, least=False)
        yield "Median width, relative to what is needed:\n"
        yield from _table(one.width, least=True)


def _together(each: Iterable[Coverage]) -> Coverage:
    together: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for results in each:
        for row, shares in results.items():
            together[row] += list(shares)
    return {row: np.array(shares) for row, shares in together.items()}


HEAD = """## Every result of a learner, where features correlate

Three normal features, of which the first two correlate with 0.7; 15 refits. The truth is the mean
over fits on 0.632 n fresh rows. First the least and the greatest coverage over features, points of
curves and procedures, then that of each feature; of curves and surfaces least and greatest over
their points. What `Learner` takes by default is `variance-components`, `group-jackknife` of curves
where groups are left out, and `corrected` where there is nothing else.

Tables: {counts}.
They give a coverage of 0.95 a standard error of 0.02 to 0.03, so that the least of many is lower
than their mean by chance alone.
"""

WIDTHS = """## How wide the intervals for a tree are

Median width over the tables, relative to that of the estimate plus and minus 1.96 times the true
standard deviation of the mean over refits: the least and the greatest over features and points. An
interval of half the width would do where it is 2. The noise of a single fit of a tree, which is
small in the mean over refits, cannot be told from what the fit owes to its training rows.
"""

OF_PATIENTS = """## Rows that belong to patients

The features and the target of least squares, but the first and the third feature, and an effect of
variance 1 on the target, are constant within patients: 30 patients with 10 rows each, or with 1 to
30, and a learner with `groups=`. The truth is the mean over fits on 18 fresh patients, scored on 12
others. First the least and the greatest coverage over features, points of curves and sizes.

Tables: {counts}. A coverage of 0.95 has a standard error of 0.02.
"""

AS_IF_INDEPENDENT = """### 30 patients of 10 rows, without `groups=`

The same tables as if the 300 rows were independent, and the same truth.
"""


def _table(results: Coverage, least: bool) -> Iterator[str]:
    yield f"| result | interval | {' | '.join(RESAMPLINGS)} |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for subject, interval in dict.fromkeys(row[:2] for row in results):
        shown = [_shown(results.get((subject, interval, how)), least) for how in RESAMPLINGS]
        yield f"| {subject} | {interval} | {' | '.join(shown)} |"
    yield ""


def _shown(shares: np.ndarray | None, least: bool) -> str:
    if shares is None:
        return ""
    if least or len(shares) > FEATURES:
        return f"{shares.min():.2f} to {shares.max():.2f}"
    return " ".join(f"{share:.2f}" for share in shares)


def _repeated(
    path: Path | None, number: int, one: Callable[[np.random.Generator], Values], until: float
) -> Values:
    """Compute the repetitions that are not stored yet, within the time; each has its own seed."""
    stored: Values = {}
    if path is not None and path.exists():
        with np.load(path) as file:
            stored = {key: file[key] for key in file.files}
    new: list[Values] = []
    while (have := len(next(iter(stored.values()), ()))) + len(new) < number:
        if time.monotonic() > until and have >= 2:
            break
        new.append(one(np.random.default_rng([have + len(new), 29])))
        if len(new) == SAVED_EVERY or have + len(new) == number:
            stacked = {key: np.stack([values[key] for values in new]) for key in new[0]}
            stored = {k: np.concatenate([stored[k], v]) if have else v for k, v in stacked.items()}
            new = []
            if path is not None:
                np.savez(path, **stored)
    return {key: values[:number] for key, values in stored.items()}
