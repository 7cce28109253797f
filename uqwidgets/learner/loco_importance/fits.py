"""Copies of an estimator, fitted with and without some columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import delayed

from uqwidgets._utils.errors import ModelError, in_one_line
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.evaluation.dataframes import to_pandas
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import run_parallel
from uqwidgets.evaluation.table import Table
from uqwidgets.learner.loco_importance.drop_columns import columns_without, estimator_without
from uqwidgets.learner.loco_importance.read_fit import Read, read_fit
from uqwidgets.predictive import Distribution

_MEMORY = "1GiB"


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit on and rows to score, both DataFrames of the same columns or both arrays.

    Attributes
    ----------
    X_train, X_test : DataFrame or ndarray, of shape (n, p) and (m, p)
    y_train, y_test : array-like of shape (n,) and (m,)
    """

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any

    @classmethod
    def of(cls, X_train: Any, y_train: Any, X_test: Any, y_test: Any) -> Split:
        """Check that both tables have the same columns, and put them in the same order.

        Raises
        ------
        ValueError
            If they do not.
        """
        X_train, X_test = to_pandas(X_train), to_pandas(X_test)
        frames = [isinstance(X, pd.DataFrame) for X in (X_train, X_test)]
        if frames == [True, True]:
            missing = [label for label in X_train.columns if label not in X_test.columns]
            if missing:
                raise ValueError(
                    f"X_test has no column {missing[0]!r}, which X_train has; pass the same ones."
                )
            return cls(X_train, y_train, X_test[X_train.columns], y_test)
        if any(frames):
            raise ValueError(
                "one of X_train and X_test is a DataFrame and the other is not; pass both alike."
            )
        train, test = np.asarray(X_train), np.asarray(X_test)
        for name, X in (("X_train", train), ("X_test", test)):
            if X.ndim != 2:
                raise ValueError(f"{name} has shape {X.shape}; it must be (rows, features).")
        if train.shape[1] != test.shape[1]:
            raise ValueError(
                f"X_train has {train.shape[1]} columns and X_test {test.shape[1]}; pass the same."
            )
        return cls(train, y_train, test, y_test)

    @property
    def labels(self) -> list[Any]:
        """Names of the columns."""
        if isinstance(self.X_train, pd.DataFrame):
            return list(self.X_train.columns)
        return [f"x{j}" for j in range(self.X_train.shape[1])]

    def without(self, columns: Sequence[int]) -> Split:
        """Return the same rows without the columns at these positions."""
        train, test = (columns_without(X, columns) for X in (self.X_train, self.X_test))
        return Split(train, self.y_train, test, self.y_test)


def seeded(estimator: Any, random_state: int) -> Any:
    """Copy of an estimator, not fitted, whose parts that draw at random start from a seed.

    Raises
    ------
    TypeError
        If it is no estimator of scikit-learn's kind.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        what = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(
            f"{what} is no estimator that can be copied and fitted: pass an instance with fit and "
            "get_params (see sklearn.base.BaseEstimator), or ask Explainer.importance, which "
            "needs no fit."
        )
    # NGBoost turns None into numpy's own stream, and takes a stream only.
    anybody = check_random_state(None)
    unset = {
        name: random_state if value is None else np.random.RandomState(random_state)
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and (value is None or value is anybody)
    }
    copy = clone(estimator)
    if unset:
        copy.set_params(**unset)
    return copy


def fitted(
    estimator: Any,
    split: Split,
    read: Read,
    groups: Mapping[str, Sequence[str]] | None = None,
    how: str = "",
) -> Evaluations:
    """Fit an estimator, which is changed, and ask it about the rows to score.

    Parameters
    ----------
    estimator : object
    split : Split
    read : callable
        See `read_fit`.
    groups : mapping, optional
        See `Table`.
    how : str
        What is said of the fit where it fails.

    Raises
    ------
    ModelError
        If the fit or the fitted model fails, or cannot be read.
    """
    try:
        estimator.fit(split.X_train, split.y_train)
    except Exception as error:
        raise ModelError(f"the estimator could not be fitted{how}: {in_one_line(error)}") from error
    predictive = read_fit(read, estimator, how)
    table = Table(split.X_test, split.y_test, predictive, groups)
    return Evaluations(predictive, table, parse_bytes(_MEMORY))


def answers_without(
    estimator: Any,
    split: Split,
    read: Read,
    left_out: Mapping[str, Sequence[int]],
    n_jobs: int | None,
    instead: str,
) -> Iterator[Distribution]:
    """Answers of copies of an estimator that were fitted without some columns, one by one.

    Parameters
    ----------
    estimator : object
        Not changed.
    split : Split
    read : callable
        See `read_fit`; called where the fit is made.
    left_out : mapping of str to sequence of int
        Positions of the columns that each fit does without, by what they are called.
    n_jobs : int, optional
    instead : str
        What may be done where a fit fails.

    Raises
    ------
    ModelError
        If a fit or a fitted model fails, or cannot be read; the sentence says without what.
    """
    tasks = (
        delayed(_answer)(estimator, split, read, unit, columns)
        for unit, columns in left_out.items()
    )
    try:
        with run_parallel(n_jobs, tasks) as answers:
            yield from answers
    except ModelError as error:
        raise ModelError(f"{str(error).rstrip('.')}; {instead}.") from error


def _answer(
    estimator: Any, split: Split, read: Read, unit: str, columns: Sequence[int]
) -> Distribution:
    how = f" without {unit!r}"
    if len(set(columns)) == len(split.labels):
        raise ModelError(f"no feature is left to fit on{how}")
    try:
        copy = estimator_without(estimator, split.labels, columns)
        return fitted(copy, split.without(columns), read, how=how).original
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"the estimator cannot be fitted{how}: {error}") from error
