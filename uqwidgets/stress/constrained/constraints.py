"""Constraints on a reweighted table: means, variances, covariances, shares and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.choices import as_names
from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.options import brief, has_text, has_truth_value
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.labels import ColumnLabels
from uqwidgets.evaluation.table import Table
from uqwidgets.stress.columns import overflows
from uqwidgets.stress.constrained.entropic import ConstrainedProjection, project
from uqwidgets.stress.constrained.result import Reweighting

RowFunction = Callable[[pd.DataFrame], npt.ArrayLike]

# Rounding error of a sum of shares and of a correlation, both of which are at most 1.
_ROUNDING = 1e-9


def stress_to(
    table: Table,
    means: Mapping[str, float] | None = None,
    variances: Mapping[str, float] | None = None,
    covariances: Mapping[tuple[str, str], float] | None = None,
    shares: Mapping[str | None, Mapping[Any, float]] | None = None,
    pinned: Sequence[str] | None = None,
    functions: Mapping[str, tuple[RowFunction, float]] | None = None,
    rows: Positions | None = None,
) -> Reweighting:
    """Row weights under which a table meets several constraints.

    Parameters
    ----------
    table : Table
    means, variances, covariances, shares, pinned, functions
        See `uqwidgets.Explainer.stress_to`.
    rows : ndarray of shape (m,), optional
        Positions of the rows that are reweighted; the others keep weight 1.

    Returns
    -------
    Reweighting

    Raises
    ------
    ValueError
        As `project_table`, and if no weights meet the constraints; the message says which.
    """
    projection = project_table(
        table, means, variances, covariances, shares, pinned, functions, rows
    )
    if projection.weights is None:
        raise ValueError(projection.message)
    weights = projection.weights
    if rows is not None:
        weights = np.ones(len(table))
        weights[rows] = projection.weights
    return Reweighting(
        weights=weights,
        rows=rows,
        names=projection.names,
        target=projection.target,
        reached=projection.reached,
        xi=projection.xi,
        ess=projection.ess,
        kl=projection.kl,
        half_share=projection.half_share,
        status=projection.status,
        remarks=(Remark("edge-of-the-rows", projection.message),)
        if projection.status == "edge"
        else (),
    )


def project_table(
    table: Table,
    means: Mapping[str, float] | None = None,
    variances: Mapping[str, float] | None = None,
    covariances: Mapping[tuple[str, str], float] | None = None,
    shares: Mapping[str | None, Mapping[Any, float]] | None = None,
    pinned: Sequence[str] | None = None,
    functions: Mapping[str, tuple[RowFunction, float]] | None = None,
    rows: Positions | None = None,
) -> ConstrainedProjection:
    """Turn constraints on a table into columns of Phi and targets, and project its rows.

    Variances and covariances are constraints on (X_i, X_j, X_i X_j), so that they fix the means of
    their features too (end of Bachoc et al. 2023, section 2.2).

    Parameters
    ----------
    table : Table
    means, variances, covariances, shares, pinned, functions
        See `uqwidgets.Explainer.stress_to`.
    rows : ndarray of shape (m,), optional
        Positions of the rows that are projected; by default all.

    Returns
    -------
    ConstrainedProjection
        Its constraints are in the order means, variances, covariances, shares, pinned features and
        functions, each mean once.

    Raises
    ------
    ValueError
        If there is no constraint, a name does not exist, a feature is of the wrong kind or lacks
        values, a number is impossible for its constraint, or the table has one row.
    """
    constraints = _Constraints(table, rows)
    means = _as_dict(means, "means", "features to numbers")
    variances = _as_dict(variances, "variances", "features to numbers")
    covariances = _as_dict(covariances, "covariances", "pairs of features to numbers")
    shares = _as_dict(shares, "shares", "features to dicts from categories to shares")
    functions = _as_dict(functions, "functions", "names to pairs of a function and its mean")
    names = [] if pinned is None else as_names(pinned, "pinned", may_be_empty=True)
    for feature, mean in means.items():
        constraints.mean(feature, mean)
    for feature, variance in variances.items():
        constraints.variance(feature, variance)
    for pair, covariance in covariances.items():
        constraints.covariance(pair, covariance, variances)
    for feature_or_target, share_of in shares.items():
        constraints.shares(feature_or_target, share_of)
    for feature in names:
        if feature in means or feature in shares:
            raise ValueError(
                f"{feature!r} is both pinned and given a value; leave out one of them."
            )
        constraints.pin(feature)
    for name, pair in functions.items():
        constraints.function(name, pair)
    return constraints.project()


def _as_dict(mapping: Any, name: str, contents: str) -> dict[Any, Any]:
    """Return a mapping as a dict, empty for None; a Series maps its index to its values.

    Raises
    ------
    ValueError
        If it is none; ``contents`` says what it should map.
    """
    if mapping is None:
        return {}
    if not isinstance(mapping, (Mapping, pd.Series)):
        raise ValueError(f"{name} is {brief(mapping)}; pass a dict from {contents}.")
    return dict(mapping)


class _Constraints:
    """Collects constraints: for each a column of Phi, a target and a name."""

    def __init__(self, table: Table, rows: Positions | None) -> None:
        if len(table) == 1:
            raise ValueError("the table has only one row; reweighting takes at least two.")
        if rows is not None and len(rows) == 1:
            raise ValueError("rows chooses only one row; reweighting takes at least two.")
        self._table = table
        self._rows: slice | Positions = slice(None) if rows is None else rows
        self._constraints: dict[str, tuple[Floats, float]] = {}
        self._means: dict[str, float] = {}

    def project(self) -> ConstrainedProjection:
        if not self._constraints:
            raise ValueError(
                "there is no constraint; give means, variances, covariances or shares."
            )
        columns, targets = zip(*self._constraints.values(), strict=True)
        return project(np.column_stack(columns), targets, names=list(self._constraints))

    def mean(self, feature: str, mean: float) -> None:
        self._means[feature] = _number(mean, f"the mean of {feature!r}")
        self._add(f"mean of {feature!r}", self._numbers(feature), self._means[feature])

    def variance(self, feature: str, variance: float) -> None:
        target = _number(variance, f"the variance of {feature!r}")
        if target < 0:
            raise ValueError(f"the variance of {feature!r} is {target:g}; give 0 or more.")
        # The mean is a constraint too; centring at its target avoids the rounding errors of X^2.
        self._add(f"variance of {feature!r}", np.square(self._around_mean(feature)), target)

    def covariance(self, pair: Any, value: float, variances: Mapping[str, float]) -> None:
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(
                f"a covariance has the key {pair!r}; it must be a pair of two different features, "
                "such as ('a', 'b')."
            )
        first, second = pair
        what = f"covariance of {first!r} and {second!r}"
        if f"covariance of {second!r} and {first!r}" in self._constraints:
            raise ValueError(f"the {what} is given twice; leave out one of them.")
        target = _number(value, f"the {what}")
        if first in variances and second in variances:
            most = float(np.sqrt(variances[first]) * np.sqrt(variances[second]))
            if abs(target) > most * (1 + _ROUNDING):
                raise ValueError(
                    f"the {what} cannot be {target:g}: with these variances it lies within "
                    f"{-most:.6g} to {most:.6g} (Cauchy-Schwarz)."
                )
        product = self._around_mean(first) * self._around_mean(second)
        self._add(what, product, target)

    def shares(self, feature: str | None, shares: Mapping[Any, float]) -> None:
        categories = self._categories(feature)
        of = repr(self._table.target if feature is None else feature)
        total = 0.0
        contents = "categories to shares"
        for key, share in _as_dict(shares, f"the shares in {of}", contents).items():
            place = categories.place(key, of, "category")
            name = f"share of {categories.values[place]!r} in {of}"
            if name in self._constraints:
                raise ValueError(f"the {name} is given twice; leave out one of them.")
            value = _number(share, f"the {name}")
            if not -_ROUNDING <= value <= 1 + _ROUNDING:
                raise ValueError(f"the {name} is {value:g}; give a number from 0 to 1.")
            value = min(max(value, 0.0), 1.0)
            total += value
            self._add(name, categories.rows_of(place).astype(np.float64), value)
        if total > 1 + _ROUNDING:
            raise ValueError(f"the shares in {of} sum to {total:.6g}; they cannot exceed 1.")

    def pin(self, feature: str) -> None:
        if self._table.kind(feature) == "numeric":
            self._keep_mean(feature)
            return
        categories = self._categories(feature)
        for place, category in enumerate(categories.values):
            rows = categories.rows_of(place).astype(np.float64)
            self._add(f"share of {category!r} in {feature!r}", rows, float(rows.mean()))

    def function(self, name: str, pair: tuple[RowFunction, float]) -> None:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not callable(pair[0]):
            raise ValueError(
                f"functions has {brief(pair)} for {name!r}; give a pair of a function of the "
                "rows and its mean."
            )
        function, mean = pair
        frame = pd.DataFrame({f: self._column(f) for f in self._table.features})
        try:
            values = np.asarray(function(frame), dtype=np.float64)
        except Exception as error:
            raise ValueError(
                f"the function {name!r} of functions fails or returns no numbers "
                f"({in_one_line(error)}); it must return one number for each row."
            ) from error
        if values.shape != (len(frame),):
            raise ValueError(
                f"the function {name!r} gives values of shape {values.shape}; it must give "
                f"one for each of the {len(frame)} rows."
            )
        self._add(str(name), values, _number(mean, f"the mean of {name!r}"))

    def _keep_mean(self, feature: str) -> float:
        if feature not in self._means:
            values = self._numbers(feature)
            self._means[feature] = float(values.mean())
            self._add(f"mean of {feature!r}", values, self._means[feature])
        return self._means[feature]

    def _around_mean(self, feature: str) -> Floats:
        return self._numbers(feature) - self._keep_mean(feature)

    def _numbers(self, feature: str) -> Floats:
        if overflows(self._table, feature):
            raise ValueError(
                f"{feature!r} has numbers so large that their sum overflows; divide the column by "
                "a constant."
            )
        values = self._table.numbers(feature)[self._rows]
        bad = ~np.isfinite(values)
        if bad.any():
            raise ValueError(
                f"{feature!r} is missing or infinite in {int(bad.sum())} of {len(values)} rows; "
                "weights can move it only where every row has a value, so drop or fill them."
            )
        return values

    def _categories(self, feature: str | None) -> ColumnLabels:
        if feature is None:
            self._table.require_target("a share of the target")
        return ColumnLabels.of(self._column(feature))

    def _column(self, feature: str | None) -> pd.Series:
        """Return the chosen rows of a feature, or of the target."""
        whole = pd.Series(self._table.y) if feature is None else self._table.column(feature)
        return whole.iloc[self._rows]

    def _add(self, name: str, values: Floats, target: float) -> None:
        self._constraints[name] = (values, target)


def _number(value: Any, what: str) -> float:
    try:
        if has_truth_value(value) or has_text(value) or np.ndim(value):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} is {brief(value)}; give a number.") from None
    if not np.isfinite(number):
        raise ValueError(f"{what} is {number}; give a finite number.")
    return number
