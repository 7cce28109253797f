"""Importance of what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone

from uqwidgets.data import Table
from uqwidgets.evaluation import Evaluations, Report
from uqwidgets.importance.remarks import floored
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.inference import Change, as_ratio, bounds, checked_level
from uqwidgets.loco.fits import Split, answers_without, fitted, seeded
from uqwidgets.loco.standing_in import named, standing_in
from uqwidgets.measures import Measure, Truth, available, find
from uqwidgets.names import unknown
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.replacement import Constant, Original
from uqwidgets.results import Importance
from uqwidgets.steps import Steps
from uqwidgets.sums import dot

# Fits that differ by a rounding error alone do not differ.
_ROUNDING = 64 * np.finfo(np.float64).eps
_AS_GIVEN = (
    "the interval is over test rows and takes the fits as given: other training rows would make "
    "other fits"
)


def loco_importance(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    measure: str | Callable[[Any, Truth], Any] = "nll",
    *,
    features: Sequence[str] | None = None,
    feature_groups: Mapping[str, Sequence[str]] | None = None,
    compare: str = "difference",
    replace: Any = None,
    level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    report: Report | None = None,
) -> Importance:
    """How much a measure rises on test rows when a feature is left out of the fit.

    This is leave-one-covariate-out (001, section 8.2). What other features tell as well costs
    nothing to leave out, however much a model that has both makes use of it; that shows in
    permutation importance.

    Parameters
    ----------
    estimator : object
        Of scikit-learn's kind, fitted or not. Copies of it are fitted, with the feature and
        without; itself it is never changed.
    X_train, X_test : DataFrame or array-like, of shape (n, p) and (m, p)
        Rows to fit on, and others to score. A ColumnTransformer that names a column does without
        it in the copy that is fitted without it.
    y_train, y_test : array-like of shape (n,) and (m,)
    measure : str or callable, default="nll"
        See `Explainer.measures`; a classifier's nll is that of its probabilities.
    features : sequence of str, optional
        Features or groups; every group and every feature in none, unless named.
    feature_groups : mapping of str to sequence of str, optional
        Features that are left out together, by the name of their group.
    compare : {"difference", "ratio"}, default="difference"
        The measure without the feature minus that with it, or over it.
    replace : {"mean", "median", "mode"} or a value, optional
        Keep one fit on all features, and set the feature to this value in every test row, which
        costs no further fit. Mean, median and mode are those of the training rows; a category takes
        its most frequent value, whichever of them is asked for.
    level : float, default=0.95
        Of the interval: t over the paired changes of the test rows.
    sample_weight : array-like of shape (m,), optional
        Of the test rows; fits do not see it.
    random_state : int, default=0
        For the parts of the estimator that have none, so that all fits draw alike.
    n_jobs : int, optional
        Fits at a time, through joblib.
    report : callable, optional
        Called with a `Progress` after every fit; raise from it to stop.

    Returns
    -------
    Importance
        Its ``replacement`` is ``refit``, ``mean``, ``median``, ``mode`` or ``constant``.

    Raises
    ------
    TypeError
        If the estimator cannot be copied.
    ValueError
        For a name that does not exist, or a value out of range.
    ModelError
        If a fit fails, or a fitted model; the sentence says which feature it was without.
    """
    level = checked_level(level)
    if compare not in COMPARISONS:
        raise ValueError(unknown("comparison", compare, list(COMPARISONS)))
    split = Split.of(X_train, y_train, X_test, y_test)
    procedure = seeded(estimator, random_state)
    whole = fitted(clone(procedure), split, feature_groups)
    units = _units(whole.table, features)
    population = Population.of(len(whole.table), sample_weight)
    found = find(measure, available(whole.original, classifier=whole.classes is not None))
    original = whole.values([Original()], found)[0]
    baseline = dot(population.scored, original) / population.scored.sum()
    if compare == "ratio" and not baseline > 0:
        raise ValueError(
            f"the mean {found.name} of the test rows is {baseline:.4g}, and a ratio needs a "
            "positive one; use compare='difference'."
        )
    if replace is None:
        steps = Steps(len(units) + 1, len(split.X_train), report)
        values: Iterable[Floats] = _refitted(procedure, split, whole, units, found, n_jobs, steps)
    else:
        values = _set(split, whole, units, found, replace, report)
    changes = [_change(line - original, original, population) for line in values]
    if compare == "ratio":
        changes = [as_ratio(change, original, population) for change in changes]
    sides = [bounds(change, "model", level, population) for change in changes]
    estimates = np.array([side.estimate for side in sides])
    # Of equals, the first in the table first.
    order = np.argsort(-estimates, kind="stable")
    return Importance(
        measure=found.name,
        label=found.label,
        unit=found.unit if compare == "difference" else "times",
        features=tuple(units[j] for j in order),
        importance=estimates[order],
        std_error=np.array([sides[j].std_error for j in order]),
        low=np.array([sides[j].low for j in order]),
        high=np.array([sides[j].high for j in order]),
        per_row=np.stack([changes[j].per_row() for j in order]),
        repeats=estimates[order][:, None],
        baseline=baseline,
        compare=compare,
        replacement="refit" if replace is None else named(replace),
        n_repeats=1,
        interval="model",
        level=level,
        reference="t",
        seed=random_state,
        rows=None,
        weighted=population.weighted,
        ess=population.ess,
        remarks=(*floored(found, original), *_remarks(whole.table, units, replace)),
    )


def _units(table: Table, features: Sequence[str] | None) -> list[str]:
    if features is None:
        return list(table.units)
    names = [features] if isinstance(features, str) else list(dict.fromkeys(features))
    if not names:
        raise ValueError("features is empty; name at least one.")
    for name in names:
        table.columns_of(name)
    return [str(name) for name in names]


def _refitted(
    procedure: Any,
    split: Split,
    whole: Evaluations,
    units: Sequence[str],
    measure: Measure,
    n_jobs: int | None,
    steps: Steps,
) -> Iterator[Floats]:
    """Measure of every test row by a fit without each unit, shape (m,)."""
    steps.step()
    places = {str(label): place for place, label in enumerate(split.labels)}
    left_out = {
        unit: [places[whole.table.features[column]] for column in whole.table.columns_of(unit)]
        for unit in units
    }
    for answer in answers_without(procedure, split, left_out, n_jobs):
        steps.step()
        yield measure.of(answer, whole.truth)


def _set(
    split: Split,
    whole: Evaluations,
    units: Sequence[str],
    measure: Measure,
    value: Any,
    report: Report | None,
) -> Floats:
    """Measure of every test row with each unit set to a value, shape (units, m)."""
    train = pd.DataFrame(split.X_train)
    train.columns = pd.Index([str(label) for label in split.labels])

    def stands_in(feature: str) -> Any:
        return standing_in(train[feature], feature, whole.table.kind(feature), value)

    asked = []
    for unit in units:
        columns = whole.table.columns_of(unit)
        values = tuple(stands_in(whole.table.features[column]) for column in columns)
        asked.append(Constant(columns, values))
    return whole.values(asked, measure, report)


def _change(values: Floats, original: Floats, population: Population) -> Change:
    """Mean over test rows of how much the measure changes, with the influence of each."""
    size = np.abs(original)
    values = np.where(np.abs(values) <= _ROUNDING * (size + size.mean()), 0.0, values)
    s = population.scored
    total = s.sum()
    estimate = dot(s, values) / total
    return Change(
        estimate=estimate,
        scored=s * (values - estimate) * (len(s) / total),
        donated=np.zeros_like(values),
        counted_twice=0.0,
        pairs=np.inf,
        pair_variance=lambda: np.nan,
        repeats=np.array([estimate]),
        totals=np.array([total]),
        per_row=lambda: values,
    )


def _remarks(table: Table, units: Sequence[str], replace: Any) -> tuple[str, ...]:
    if named(replace) not in ("mean", "median"):
        return (_AS_GIVEN,)
    members = [table.features[column] for unit in units for column in table.columns_of(unit)]
    categories = [f for f in dict.fromkeys(members) if table.kind(f) == "categorical"]
    if not categories:
        return (_AS_GIVEN,)
    return (
        f"categories have no {replace}: {', '.join(categories)} "
        f"{'is' if len(categories) == 1 else 'are'} set to the most frequent value",
        _AS_GIVEN,
    )
