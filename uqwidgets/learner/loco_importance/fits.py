"""Copies of an estimator, fitted with and without some columns, and adapted to `as_predictive`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from uqwidgets._utils.errors import ModelError, first_line, in_one_line
from uqwidgets._utils.masks import refuse_masked
from uqwidgets.evaluation.answers import Reader
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.evaluation.containers import Container, container_of
from uqwidgets.evaluation.dataframes import way_out
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import run_parallel
from uqwidgets.evaluation.table import Table
from uqwidgets.learner.loco_importance.copies import unfitted_copy
from uqwidgets.learner.loco_importance.drop_columns import estimator_without
from uqwidgets.predictive import Distribution, Predictive, as_predictive
from uqwidgets.predictive.adapters import with_labels

_MEMORY = "1GiB"

# Takes a fitted estimator and returns what `as_predictive` takes.
AdapterFunction = Callable[[Any], Any]


def checked_adapter(adapter: Any) -> AdapterFunction:
    """Check that an adapter can be called with every fit.

    Raises
    ------
    TypeError
        If it cannot be called, or is the predictive model of a single fit.
    """
    if not callable(adapter) or isinstance(adapter, Predictive):
        raise TypeError(
            f"adapter is of type {type(adapter).__name__}; pass a function that is called with "
            "each fitted estimator, such as lambda fitted: as_predictive(fitted, members=True)."
        )
    checked: AdapterFunction = adapter
    return checked


def apply_adapter(
    adapter: AdapterFunction, estimator: Any, y: Any, fit_name: str = "", *, fitted_on: Any
) -> Predictive:
    """Turn a fitted estimator into a predictive model.

    Parameters
    ----------
    adapter : callable
        Takes the estimator, and returns what `as_predictive` takes.
    estimator : object
        Fitted.
    y : array-like of shape (n,)
        Target of the fit: the labels of a model that does not name its classes.
    fit_name : str
        Words that name the fit in an error, such as ``" of refit 3"``.
    fitted_on : DataFrame, polars or Arrow table, or array
        The model gets rows in the same container.

    Raises
    ------
    ModelError
        If the adapter raises, or `as_predictive` does not take what it returns.
    """
    predictive = _adapted(adapter, estimator, y, fit_name)
    if isinstance(fitted_on, np.ndarray):
        return predictive
    # A number of columns without names would be taken for that of an array.
    return replace(predictive, columns=replace(predictive.columns, of_array=False))


def _adapted(adapter: AdapterFunction, estimator: Any, y: Any, fit_name: str) -> Predictive:
    if adapter is as_predictive:  # its own errors say what is wrong with the model
        return with_labels(estimator, y)
    fit = f"the fitted {type(estimator).__name__}{fit_name}"
    try:
        adapted = adapter(estimator)
    except Exception as error:
        problem = in_one_line(error).rstrip(".")
        raise ModelError(
            f"adapter failed on {fit}: {problem}; pass a function that takes every fit."
        ) from error
    try:
        return with_labels(adapted, y)
    except Exception as error:
        raise ModelError(
            f"adapter returned {type(adapted).__name__} for {fit}, which as_predictive does not "
            f"take: {first_line(error)}"
        ) from error


class OfFit(NamedTuple):
    """What one fit predicts for the rows to score.

    Attributes
    ----------
    original : Distribution
    answer : Distribution
        What the fit's own `predict` answers; ``original`` where that says the same.
    """

    original: Distribution
    answer: Distribution

    @property
    def nbytes(self) -> int:
        """Memory that they take, in bytes."""
        return self.original.nbytes + (0 if self.answer is self.original else self.answer.nbytes)

    def read_by(self, reader: Reader) -> Distribution:
        """Return what a measure or a metric reads."""
        return self.answer if reader.reads_answer else self.original


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit on and rows to score, in containers of one kind with the same columns.

    Attributes
    ----------
    train, test : Container of shape (n, p) and (m, p)
    y_train, y_test : array-like of shape (n,) and (m,)
    fit_params : mapping of str to array-like of shape (n, ...)
        Further arguments of the fit.
    """

    train: Container
    y_train: Any
    test: Container
    y_test: Any
    fit_params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, X_train: Any, y_train: Any, X_test: Any, y_test: Any) -> Split:
        """Check that both tables have the same columns, and put them in the same order.

        Raises
        ------
        ValueError
            If they do not; if values are masked.
        """
        train, test = container_of(X_train, "X_train"), container_of(X_test, "X_test")
        refuse_masked(y_train, "y_train", "leave these rows out of X_train and y_train")
        refuse_masked(y_test, "y_test", "leave these rows out of X_test and y_test")
        if type(train) is not type(test):
            first, second = sorted((train.name, test.name))
            raise ValueError(
                f"one of X_train and X_test is {first} and the other is {second}; pass both alike."
            )
        if isinstance(train.table, np.ndarray):
            if len(train.labels) != len(test.labels):
                raise ValueError(
                    f"X_train has {len(train.labels)} columns and X_test {len(test.labels)}; pass "
                    "the same."
                )
            return cls(train, y_train, test, y_test)
        places = {label: place for place, label in enumerate(test.labels)}
        missing = [label for label in train.labels if label not in places]
        if missing:
            raise ValueError(
                f"X_test has no column {missing[0]!r}, which X_train has; pass the same ones."
            )
        order = [places[label] for label in train.labels]
        return cls(train, y_train, test.columns(order), y_test)

    @property
    def labels(self) -> list[Any]:
        """Names of the columns."""
        return self.train.labels

    def positions(self, table: Table, names: Sequence[str]) -> dict[str, list[int]]:
        """Positions of the columns of each feature or group, by its name.

        Parameters
        ----------
        table : Table
            Of the same columns; it knows the groups.
        names : sequence of str
            Features or groups.
        """
        position = {str(label): place for place, label in enumerate(self.labels)}
        return {
            name: [position[table.features[column]] for column in table.columns_of(name)]
            for name in names
        }

    def without(self, columns: Sequence[int]) -> Split:
        """Return the same rows without the columns at these positions."""
        train, test = self.train.without(columns), self.test.without(columns)
        return replace(self, train=train, test=test)


def clone_with_seed(estimator: Any, random_state: int) -> Any:
    """Clone an estimator and set each ``random_state`` that is None or numpy's global stream.

    Raises
    ------
    TypeError
        If it is not a scikit-learn estimator.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        name = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(
            f"{name} is no estimator that can be copied and fitted: pass an instance with fit and "
            "get_params (see sklearn.base.BaseEstimator), or use Explainer.importance, which "
            "needs no fit."
        )
    # NGBoost replaces None by numpy's global stream, and accepts a RandomState only.
    global_stream = check_random_state(None)
    unset = {
        name: random_state if value is None else np.random.RandomState(random_state)
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and (value is None or value is global_stream)
    }
    copy = unfitted_copy(estimator)
    if unset:
        copy.set_params(**unset)
    return copy


def fit_and_predict(
    estimator: Any,
    split: Split,
    adapter: AdapterFunction,
    groups: Mapping[str, Sequence[str]] | None = None,
    fit_name: str = "",
) -> Evaluations:
    """Fit an estimator in place, and evaluate it on the rows to score.

    Parameters
    ----------
    estimator : object
    split : Split
    adapter : callable
        See `apply_adapter`.
    groups : mapping, optional
        See `Table`.
    fit_name : str
        Words that name the fit in an error.

    Raises
    ------
    ModelError
        If the fit, the adapter or the fitted model fails.
    """
    try:
        estimator.fit(split.train.table, split.y_train, **split.fit_params)
    except Exception as error:
        problem = in_one_line(error) + way_out(split.train.table)
        raise ModelError(f"the estimator could not be fitted{fit_name}: {problem}") from error
    predictive = apply_adapter(
        adapter, estimator, split.y_train, fit_name, fitted_on=split.train.table
    )
    table = Table(split.test.table, split.y_test, predictive, groups)
    return Evaluations(predictive, table, parse_bytes(_MEMORY))


def predictions_without(
    estimator: Any,
    split: Split,
    adapter: AdapterFunction,
    left_out: Mapping[str, Sequence[int]],
    n_jobs: int | None,
    remedy: str,
) -> Iterator[OfFit]:
    """Yield the predictions of copies of an estimator that were fitted without some columns.

    Parameters
    ----------
    estimator : object
        Not changed.
    split : Split
    adapter : callable
        See `apply_adapter`; called in the process that makes the fit.
    left_out : mapping of str to sequence of int
        Positions of the columns that each fit does without, by feature or group.
    n_jobs : int, optional
    remedy : str
        What the user can do where a fit fails, for the error.

    Raises
    ------
    ModelError
        If a fit, the adapter or a fitted model fails; the sentence says without which feature.
    """
    tasks = (
        partial(_predict_without, estimator, split, adapter, name, columns)
        for name, columns in left_out.items()
    )
    try:
        with run_parallel(n_jobs, tasks) as predictions:
            yield from predictions
    except ModelError as error:
        raise ModelError(f"{str(error).rstrip('.')}; {remedy}.") from error


def _predict_without(
    estimator: Any, split: Split, adapter: AdapterFunction, name: str, columns: Sequence[int]
) -> OfFit:
    fit_name = f" without {name!r}"
    if len(set(columns)) == len(split.labels):
        raise ModelError(f"no feature is left to fit on{fit_name}")
    try:
        copy = estimator_without(estimator, split.labels, columns)
        smaller = split.without(columns)
        evaluations = fit_and_predict(copy, smaller, adapter, fit_name=fit_name)
        return OfFit(evaluations.original, evaluations.answer)
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"the estimator cannot be fitted{fit_name}: {error}") from error
