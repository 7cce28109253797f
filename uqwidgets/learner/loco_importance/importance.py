"""Importance of what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone

from uqwidgets._utils.choices import one_of
from uqwidgets._utils.random_state import RandomState, seed_of
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.table import Table
from uqwidgets.importance.permutation import build_result
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.learner.loco_importance.fill_values import named, standing_in
from uqwidgets.learner.loco_importance.fits import Split, answers_without, fitted, seeded
from uqwidgets.learner.loco_importance.losses import measured, scored
from uqwidgets.learner.loco_importance.read_fit import Read, checked_read
from uqwidgets.measures import available, find
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.predictive import Distribution, as_predictive

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
    measure: Any = "nll",
    *,
    features: Sequence[str] | None = None,
    feature_groups: Mapping[str, Sequence[str]] | None = None,
    compare: str = "difference",
    replace: Any = None,
    read: Read = as_predictive,
    level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    callback: ProgressCallback | None = None,
) -> Importance:
    """How much a measure rises on test rows when a feature is left out of the fit.

    This is leave-one-covariate-out (Dankers et al. 2020, section 8.2). What other features tell as
    well costs nothing to leave out, however much a model that has both makes use of it; that shows
    in permutation importance.

    Parameters
    ----------
    estimator : object
        Of scikit-learn's kind, fitted or not. Copies of it are fitted, with the feature and
        without; itself it is never changed.
    X_train, X_test : DataFrame or array-like, of shape (n, p) and (m, p)
        Rows to fit on, and others to score. A ColumnTransformer that names a column does without
        it in the copy that is fitted without it.
    y_train, y_test : array-like of shape (n,) and (m,)
    measure : str, function or scorer, default="nll"
        See `Explainer.measure`; a classifier's nll is that of its probabilities. Or a scikit-learn
        scorer, by name or made by ``make_scorer``, for the loss of its score.
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
    read : callable, default=as_predictive
        Called with each fitted estimator, with the feature and without; returns what
        `as_predictive` takes, such as ``lambda fitted: as_predictive(fitted, members=True)``.
    level : float, default=0.95
        Of the interval: t over the paired changes of the test rows; for a scorer, t over what its
        loss is without each of 20 random groups of them.
    sample_weight : array-like of shape (m,), optional
        Of the test rows; fits do not see it.
    random_state : int, RandomState, Generator or None, default=0
        For the parts of the estimator that have none, so that all fits draw alike.
    n_jobs : int, optional
        Fits at a time, through joblib.
    callback : callable, optional
        Called with a `Progress` after every fit; raise from it to stop.

    Returns
    -------
    Importance
        Its ``replacement`` is ``refit``, ``mean``, ``median``, ``mode`` or ``constant``.

    Raises
    ------
    TypeError
        If the estimator cannot be copied, or ``read`` cannot be called.
    ValueError
        For a name that does not exist, or a value out of range.
    ModelError
        If a fit fails, or a fitted model, or it cannot be read; the sentence says which feature it
        was without.
    """
    read = checked_read(read)
    level = checked_level(level)
    compare = one_of(COMPARISONS, compare, "comparison")
    seed = seed_of(random_state)
    split = Split.of(X_train, y_train, X_test, y_test)
    procedure = seeded(estimator, seed)
    whole = fitted(clone(procedure), split, read, feature_groups)
    units = _units(whole.table, features)
    population = Population.of(len(whole.table), sample_weight)
    if replace is None:
        steps = FitProgress(len(units) + 1, len(split.X_train), callback)
        answers = _refitted(procedure, split, read, whole.table, units, n_jobs, steps)
    else:
        answers = _set(split, whole, units, replace, callback)
    if is_metric(measure):
        metric = find_metric(measure, whole.classes)
        losses = scored(metric, whole, answers, population, compare, level, seed)
    else:
        found = find(measure, available(whole.original, classifier=whole.classes is not None))
        losses = measured(found, whole, answers, population, compare, level)
    return build_result(
        units,
        losses.sides,
        list(losses.per_row),
        [np.array([side.estimate]) for side in losses.sides],
        measure=losses.name,
        label=losses.label,
        unit=losses.unit,
        baseline=losses.baseline,
        compare=compare,
        replacement="refit" if replace is None else named(replace),
        n_repeats=1,
        interval="model",
        level=level,
        reference="t",
        seed=seed,
        rows=None,
        weighted=population.weighted,
        ess=population.ess,
        remarks=(*losses.remarks, *_remarks(whole.table, units, replace)),
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
    read: Read,
    table: Table,
    units: Sequence[str],
    n_jobs: int | None,
    steps: FitProgress,
) -> Iterator[Distribution]:
    """Answers about the test rows by a fit without each unit."""
    steps.step()
    places = {str(label): place for place, label in enumerate(split.labels)}
    left_out = {
        unit: [places[table.features[column]] for column in table.columns_of(unit)]
        for unit in units
    }
    instead = "pass replace='mean' to keep one fit and set the feature to one value"
    for answer in answers_without(procedure, split, read, left_out, n_jobs, instead):
        steps.step()
        yield answer


def _set(
    split: Split,
    whole: Evaluations,
    units: Sequence[str],
    value: Any,
    callback: ProgressCallback | None,
) -> Iterator[Distribution]:
    """Answers about the test rows with each unit set to a value."""
    train = pd.DataFrame(split.X_train)
    train.columns = pd.Index([str(label) for label in split.labels])
    table = whole.table
    asked = []
    for unit in units:
        columns = table.columns_of(unit)
        names = [table.features[column] for column in columns]
        values = [standing_in(train[name], name, table.kind(name), value) for name in names]
        asked.append(Constant(columns, tuple(values)))
    yield from whole.distributions(asked, callback)


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
