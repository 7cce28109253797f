r"""Values of a feature given all others, from a model of it and the residuals of other rows.

With a model m of feature j, fitted to the other features, row i takes the value
:math:`m(x_{i,-j}) + r_d` with the residual :math:`r_d = x_{d,j} - m(x_{d,-j})` of a donor d. If the
residuals do not depend on the other features, this draws from the conditional distribution
(Candès et al. 2018; Watson and Wright 2021). For categories, the place of a donor in its predicted
distribution, :math:`u_d = F_d(x_d -) + V p_d(x_d)` with V uniform, is the residual, and row i takes
:math:`F_i^{-1}(u_d)`, the category at this place in its own. Predictions of a row come from fits
without it, by five folds of rows, or of groups of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GroupKFold, KFold

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.encoding import categories, ranks, responses
from uqwidgets.evaluation.table import Table

_FOLDS, _FEWEST_ROWS = 5, 20
_ALPHAS = np.logspace(-3, 3, 7)
# Probabilities of categories that a fit never saw.
_LEAST_PROBABILITY = 1e-6


class _Fit(NamedTuple):
    """Predictions for rows from fits without them, and their loss: (n,) or (n, k)."""

    name: str
    predicted: Floats
    loss: float


@dataclass(frozen=True, eq=False)
class ResidualSampler:
    """A model of a feature given all others, and the residual of every row.

    Attributes
    ----------
    name : str
        Of the model that predicts better.
    explained : float
        Share of the feature's variance, or of the deviance of its categories, that it predicts.
    """

    name: str
    explained: float
    _predicted: Floats
    _residuals: Floats
    _values: Floats
    _rows: Positions

    def rows_of(self, donors: Positions) -> Positions:
        """Return the rows that have the values that the residuals of donors lead to.

        The model sees values of the table alone, with their types: of numbers the nearest one.

        Parameters
        ----------
        donors : ndarray of shape (K, n)
            The row whose residual each row takes.
        """
        if self._predicted.ndim == 1:
            wanted = self._predicted + self._residuals[donors]
            middle = (self._values[1:] + self._values[:-1]) / 2
            return np.asarray(self._rows[np.searchsorted(middle, wanted)])
        bounds = np.cumsum(self._predicted, axis=1)[:, :-1]
        places = [(bounds <= self._residuals[line][:, None]).sum(axis=1) for line in donors]
        return np.asarray(self._rows[np.stack(places)])


def residual_sampler(table: Table, columns: tuple[int, ...]) -> ResidualSampler:
    """Fit the models of a feature, by ridge regression and by boosting, and keep the better one.

    Parameters
    ----------
    table : Table
    columns : tuple of int
        Position of one feature.

    Raises
    ------
    ValueError
        For several features that move together, missing or infinite values, or too few rows.
    """
    names = [table.features[column] for column in columns]
    if len(names) > 1:
        raise ValueError(
            f"sampler='residuals' replaces one feature at a time, and {', '.join(names)} move "
            "together; name single features, or use sampler='subgroups'."
        )
    (name,), n = names, len(table)
    column = responses(table, name)
    if not np.isfinite(column).all():
        raise ValueError(
            f"{name!r} has missing or infinite values, which have no residual; leave these rows "
            "out, or use sampler='subgroups'."
        )
    units = n if table.row_groups is None else len(table.row_groups)
    if n < _FEWEST_ROWS or units < 2:
        raise ValueError(
            f"sampler='residuals' fits models, and there are {n} rows; use at least "
            f"{_FEWEST_ROWS}, or replacement='permutation'."
        )
    # Sorted by name, because the order of the table's columns must not change the result.
    others = sorted(set(table.features) - {name})
    trees = np.column_stack([*(ranks(table.column(each)) for each in others), np.zeros(n)])
    linear = np.column_stack(
        [*(_standardised(responses(table, each)) for each in others), trees[:, -1]]
    )
    folds = _folds(table)
    if categories(table, name):
        return _of_categories(ranks(table.column(name)).astype(np.intp), linear, trees, folds)
    return _of_numbers(column[:, 0], linear, trees, folds)


def _of_numbers(
    values: Floats, linear: Floats, trees: Floats, folds: list[tuple[Positions, Positions]]
) -> ResidualSampler:
    unit = float(values.std()) or 1.0
    scaled = (values - values.mean()) / unit

    def fitted(name: str, make: Any, predictors: Floats) -> _Fit:
        predicted = np.empty(len(values))
        for train, test in folds:
            predicted[test] = make().fit(predictors[train], scaled[train]).predict(predictors[test])
        return _Fit(name, predicted, float(np.square(scaled - predicted).mean()))

    best = min(
        fitted("ridge regression", lambda: RidgeCV(_ALPHAS), linear),
        fitted("gradient boosting", lambda: HistGradientBoostingRegressor(random_state=0), trees),
        key=lambda fit: fit.loss,
    )
    distinct, rows = np.unique(scaled, return_index=True)
    explained = 1 - best.loss / (float(np.square(scaled).mean()) or 1.0)
    return ResidualSampler(
        best.name, explained, best.predicted, scaled - best.predicted, distinct, rows
    )


def _of_categories(
    codes: Positions, linear: Floats, trees: Floats, folds: list[tuple[Positions, Positions]]
) -> ResidualSampler:
    n, k = len(codes), int(codes.max()) + 1

    def fitted(name: str, make: Any, predictors: Floats) -> _Fit:
        predicted = np.full((n, k), _LEAST_PROBABILITY)
        for train, test in folds:
            seen = np.unique(codes[train])
            if len(seen) == 1:
                predicted[test, seen[0]] = 1.0
                continue
            model = make().fit(predictors[train], codes[train])
            predicted[np.ix_(test, model.classes_)] += model.predict_proba(predictors[test])
        predicted /= predicted.sum(axis=1, keepdims=True)
        own = predicted[np.arange(n), codes]
        return _Fit(name, predicted, float(-np.log(own).mean()))

    best = min(
        fitted("logistic regression", lambda: LogisticRegression(max_iter=1000), linear),
        fitted("gradient boosting", lambda: HistGradientBoostingClassifier(random_state=0), trees),
        key=lambda fit: fit.loss,
    )
    shares = np.bincount(codes, minlength=k) / n
    deviance = float(-np.log(shares[codes]).mean()) or 1.0
    at = np.arange(n), codes
    above = np.cumsum(best.predicted, axis=1)[at]
    places = above - np.random.default_rng(0).random(n) * best.predicted[at]
    rows = np.unique(codes, return_index=True)[1]
    return ResidualSampler(
        best.name, 1 - best.loss / deviance, best.predicted, places, np.empty(0), rows
    )


def _folds(table: Table) -> list[tuple[Positions, Positions]]:
    n, groups = len(table), table.row_groups
    if groups is not None:
        return list(GroupKFold(min(_FOLDS, len(groups))).split(np.empty(n), groups=groups.codes))
    return list(KFold(_FOLDS, shuffle=True, random_state=0).split(np.empty(n)))


def _standardised(columns: npt.NDArray[Any]) -> Floats:
    """Return columns with mean 0 and deviation 1, with the mean in place of what is not finite."""
    known = np.isfinite(columns)
    largest = np.abs(np.where(known, columns, 0.0)).max() or 1.0  # avoids the overflow of squares
    values = np.where(known, columns / largest, np.nan)
    counts = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0.0).sum(axis=0) / counts
    filled = np.where(known, values, mean) - mean
    deviation = np.sqrt(np.square(filled).mean(axis=0))
    return np.asarray(filled / np.where(deviation > 0, deviation, 1.0))
