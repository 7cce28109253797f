"""Importance of the features that a fit, or a test row, does without.

Each feature is either left out of the fit, or set to one value in every test row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import one_of, unknown
from uqwidgets._utils.options import (
    RandomState,
    brief,
    check_callback,
    checked_jobs,
    is_real,
    seed_of,
)
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.columns import ColumnKind, Columns
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import FitProgress, ProgressCallback
from uqwidgets.evaluation.replacement import Constant
from uqwidgets.evaluation.row_groups import groups_of_rows
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.defaults import takes_options
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import COMPARISONS
from uqwidgets.inference import checked_level
from uqwidgets.inference.population import Population
from uqwidgets.learner.loco_importance.copies import unfitted_copy
from uqwidgets.learner.loco_importance.fits import (
    AdapterFunction,
    OfFit,
    Split,
    checked_adapter,
    clone_with_seed,
    fit_and_predict,
    predictions_without,
)
from uqwidgets.learner.loco_importance.losses import importance_without
from uqwidgets.measures import Measure, available, find
from uqwidgets.metrics import Metric, find_metric, is_metric
from uqwidgets.predictive import as_predictive

STATISTICS = ("mean", "median", "mode")
_CONDITIONAL_ON_FITS = Remark(
    "fixed-fits",
    "the interval is over test rows and conditional on the fits: other training rows would give "
    "other fits",
)


@takes_options
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
    adapter: AdapterFunction = as_predictive,
    level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    callback: ProgressCallback | None = None,
    groups: Any = None,
) -> Importance:
    """How much a measure rises on test rows when a feature is left out of the fit.

    This is leave-one-covariate-out importance on one train-test split. A feature whose information
    the other features carry too has importance zero, however much a model of all features relies
    on it; permutation importance shows the latter.

    The interval is conditional on the fits. `Learner.loco` repeats the analysis over refits on
    resamples, and its interval includes the variance of the fits.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator, fitted or not. Copies of it are fitted, with the feature and
        without; the estimator itself is never changed.
    X_train, X_test : DataFrame of pandas or polars, Arrow table or array-like, (n, p) and (m, p)
        Rows to fit on, and other rows to score, in containers of one kind. Where a
        ColumnTransformer names a column, the copy that is fitted without this column does not.
    y_train, y_test : array-like of shape (n,) and (m,)
    measure : str, function or scorer, default="nll"
        A measure of a row, as in `Explainer.importance`: ``"nll"``, ``"brier"``,
        ``"squared_error"`` and others, or a function; or a scikit-learn scorer, by name
        (``"roc_auc"``, ``"r2"``) or made by ``make_scorer``, for the loss of its score. A
        classifier's nll is that of its probabilities.
    features : sequence of str, optional
        Features or groups. By default every group, and every feature that is in no group.
    feature_groups : mapping of str to sequence of str, optional
        Features that are left out together, by the name of their group.
    compare : {"difference", "ratio"}, default="difference"
        The measure without the feature minus that with it, or divided by it.
    replace : {"mean", "median", "mode"} or a value, optional
        Keep one fit on all features, and set the feature to this value in every test row, which
        needs no further fit. Mean, median and mode are those of the training rows; a category is
        set to its most frequent value by all three.
    adapter : callable, default=as_predictive
        Called with each fitted estimator, with the feature and without; returns what
        `as_predictive` takes, such as ``lambda fitted: as_predictive(fitted, members=True)``.
    level : float, default=0.95
        Of the interval: t over the paired changes of the test rows; for a scorer, t with the
        standard error of a delete-a-group jackknife over 20 random groups of test rows.
    sample_weight : array-like of shape (m,), optional
        Weights of the test rows; the fits do not use them.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the parts of the estimator that have none. The same seed is used in all fits, so
        that differences between them come from the features.
    n_jobs : int, optional
        Number of fits that run at the same time, through joblib.
    callback : callable, optional
        Called with a `Progress` after every fit. To stop the work, raise an exception from it.
    groups : str or array-like of shape (m,), optional
        Test rows that belong together, such as those of one patient: a label for each, or the name
        of a column of ``X_test``, which the fits then do without. The interval is for other groups;
        none of them should have rows in ``X_train``.

    Returns
    -------
    Importance
        Its ``replacement`` is ``refit``, ``mean``, ``median``, ``mode`` or ``constant``.

    Raises
    ------
    TypeError
        If the estimator cannot be copied, or ``adapter`` cannot be called.
    ValueError
        For a name that does not exist, or a value out of range.
    ModelError
        If a fit, the adapter or a fitted model fails; the sentence says which feature was left
        out.

    See Also
    --------
    Learner.loco : The same over refits on resamples of one table.
    Explainer.importance : Importance for one fitted model, without any refit.

    References
    ----------
    Dankers et al. 2020, section 8.2.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = 2 * X[:, 0]
    >>> result = uq.loco_importance(
    ...     LinearRegression(), X[:40], y[:40], X[40:], y[40:], "squared_error"
    ... )
    >>> result.features
    ('x0', 'x1')
    >>> bool(result.importance[0] > 1)
    True
    """
    check_callback(callback)
    adapter = checked_adapter(adapter)
    level = checked_level(level)
    compare = one_of(COMPARISONS, compare, "comparison")
    seed = seed_of(random_state)
    split = Split.of(X_train, y_train, X_test, y_test)
    row_groups, on_groups, named = groups_of_rows(groups, split.test.table, len(split.test))
    if named is not None:
        split = split.without([named])
    procedure = clone_with_seed(estimator, seed)
    whole = fit_and_predict(unfitted_copy(procedure), split, adapter, feature_groups)
    names = whole.table.named_features(features)
    population = Population.of(len(whole.table), sample_weight, groups=row_groups)
    of_rows = available(whole.original, classifier=whole.classes is not None)
    reader = find_metric(measure, whole.classes) if is_metric(measure) else find(measure, of_rows)
    if replace is None:
        n_jobs = checked_jobs(n_jobs)
        fits = _refit(procedure, split, adapter, whole.table, names, n_jobs, callback)
    else:
        fits = _set_constant(split, whole, names, replace, reader, callback)
    return importance_without(
        reader,
        whole,
        fits,
        names,
        population,
        compare=compare,
        replacement="refit" if replace is None else fill_name(replace),
        level=level,
        seed=seed,
        remarks=(*_remarks(whole.table, names, replace), *on_groups),
    )


def _refit(
    procedure: Any,
    split: Split,
    adapter: AdapterFunction,
    table: Table,
    names: Sequence[str],
    n_jobs: int | None,
    callback: ProgressCallback | None,
) -> Iterator[OfFit]:
    """Predictions for the test rows by a fit without each feature."""
    steps = FitProgress(len(names) + 1, len(split.train), callback)
    steps.step()  # the fit on all features
    left_out = split.positions(table, names)
    remedy = "pass replace='mean' to keep one fit and set the feature to one value"
    for prediction in predictions_without(procedure, split, adapter, left_out, n_jobs, remedy):
        steps.step()
        yield prediction


def _set_constant(
    split: Split,
    whole: Evaluations,
    names: Sequence[str],
    replace: Any,
    reader: Measure | Metric,
    callback: ProgressCallback | None,
) -> Iterator[OfFit]:
    """Predictions for the test rows with each feature set to one value."""
    train = Columns(split.train.frame())
    table = whole.table
    replacements = []
    for unit in names:
        columns = table.columns_of(unit)
        members = [table.features[column] for column in columns]
        values = [
            fill_value(train.exact_column(member), member, table.kind(member), replace)
            for member in members
        ]
        replacements.append(Constant(columns, tuple(values)))
    for answer in whole.distributions(replacements, reader, callback):
        yield OfFit(answer, answer)


def fill_name(replace: Any) -> str:
    """Return the name of a replacement in results: the statistic, or ``constant``."""
    return replace if isinstance(replace, str) and replace in STATISTICS else "constant"


def fill_value(column: pd.Series[Any], feature: str, kind: ColumnKind, replace: Any) -> Any:
    """Value that a feature is set to.

    Parameters
    ----------
    column : Series of shape (n,)
        Values of the feature in the training rows.
    feature : str
    kind : {"numeric", "categorical"}
    replace : {"mean", "median", "mode"} or a value
        Mean and median of a category are its most frequent value; of several that are equally
        frequent, the first in their order.

    Raises
    ------
    ValueError
        If the feature has no value at all, or cannot take the value.
    """
    if fill_name(replace) == "constant":
        return _checked_constant(column, feature, kind, replace)
    present = column.dropna()
    if len(present) == 0:
        raise ValueError(
            f"{feature!r} has no value in X_train, and so no {replace}; pass a value as replace."
        )
    if kind == "categorical" or replace == "mode":
        if isinstance(present.dtype, pd.SparseDtype):  # which have no mode in pandas 2
            present = pd.Series(present.to_numpy())
        return present.mode().iloc[0]
    numbers = present.to_numpy(dtype=np.float64)
    return float(numbers.mean() if replace == "mean" else np.median(numbers))


def _checked_constant(column: pd.Series[Any], feature: str, kind: ColumnKind, value: Any) -> Any:
    if kind == "numeric":
        if is_real(value):
            return value
        if isinstance(value, str):
            raise ValueError(unknown("replacement", value, list(STATISTICS)))
        raise ValueError(
            f"replace is {brief(value)}, but {feature!r} holds numbers; give a number."
        )
    categories = column.dropna().unique().tolist()
    if value not in categories:
        raise ValueError(
            f"replace is {brief(value)}, which is no value of {feature!r} in X_train; give one of "
            f"{', '.join(repr(c) for c in categories[:6])}, or 'mode', or name other features."
        )
    return value


def _remarks(table: Table, names: Sequence[str], replace: Any) -> tuple[Remark, ...]:
    if fill_name(replace) not in ("mean", "median"):
        return (_CONDITIONAL_ON_FITS,)
    members = [table.features[column] for name in names for column in table.columns_of(name)]
    categories = [f for f in dict.fromkeys(members) if table.kind(f) == "categorical"]
    if not categories:
        return (_CONDITIONAL_ON_FITS,)
    return (
        Remark(
            "most-frequent-category",
            f"categories have no {replace}: {', '.join(categories)} "
            f"{'is' if len(categories) == 1 else 'are'} set to the most frequent value",
        ),
        _CONDITIONAL_ON_FITS,
    )
