"""Columns of a table that can be stressed: numeric features, and the share of each category."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.labels import ColumnLabels
from uqwidgets.evaluation.table import Table
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dots
from uqwidgets.stress.anchors import Anchor, checked_options
from uqwidgets.stress.influence import StressedRows
from uqwidgets.stress.projection import Column, Projection

# Each category is a column over all rows, and more of them than this are not legible.
MOST_CATEGORIES = 50
MISSING = ("error", "drop", "keep")
_OVERFLOW = "numbers so large that their sum overflows"


@dataclass(frozen=True, eq=False)
class StressedColumn:
    """A column whose mean, or a category whose share, is moved.

    Attributes
    ----------
    name : str
        The feature, or ``feature=category``.
    column : Column
        Values of the rows at ``positions``.
    positions : ndarray of shape (m,) or None
        Positions of the chosen rows with a value; None for all of the table.
    rows : ndarray of shape (r,) or None
        Positions of the chosen rows, whose population is stressed; None for all.
    unmoved : ndarray of shape (k,)
        Positions of the chosen rows without a value. They keep weight 1; the others are tilted
        among themselves to the target mean, and the divergence is theirs, times their share of
        the rows.
    groups : RowGroups or None
        Of the rows that are `summarised`.
    """

    name: str
    column: Column
    positions: npt.NDArray[np.intp] | None
    rows: npt.NDArray[np.intp] | None = None
    unmoved: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    groups: RowGroups | None = None

    @property
    def summarised(self) -> npt.NDArray[np.intp] | None:
        """Positions of the rows that indicators are of: those with a value come first."""
        if self.positions is None or not len(self.unmoved):
            return self.positions
        return np.concatenate([self.positions, self.unmoved])

    def summary_weights(self, weights: Floats) -> Floats:
        """Weights of mean 1 of the rows with a value (..., m), and beside them those of others."""
        return self._beside(weights, 1.0)

    def _beside(self, known: Floats, others: float) -> Floats:
        """Values of the rows that are `summarised`, from those of the rows with a value."""
        if not len(self.unmoved):
            return known
        shape = (*known.shape[:-1], len(self.unmoved))
        return np.concatenate([known, np.full(shape, others)], axis=-1)

    def stressed_rows(self, tau: npt.ArrayLike, weights: Floats) -> StressedRows:
        r"""Return the rows that are `summarised` with the influence of each, for intervals.

        The influence of the rows on the target of tau is
        :math:`\mathrm{IF}(t) = (1 - |\tau|)(x_i - m) + |\tau|\,\mathrm{IF}(\mathrm{anchor})`.
        Where some rows keep weight 1, the share of the others is a goal too, because another
        sample has another share.

        Parameters
        ----------
        tau : array-like of shape (...)
            One level, or several.
        weights : ndarray of shape (..., m)
            Of the rows with a value, of mean 1, at these levels.
        """
        column = self.column
        # In standard deviations, because squares of very small or large numbers lose precision.
        unit = column.std or 1.0
        x = (column.values - column.mean) / unit
        low, high = column.end_influences
        tau = np.asarray(tau)[..., None]
        goal = (1 - np.abs(tau)) * x + np.abs(tau) * np.where(tau > 0, high, low) / unit
        moment = x - (dots(weights, x) / len(x))[..., None]
        moments, goals = (self._beside(each, 0.0)[None] for each in (moment, goal))
        weights = self._beside(weights, 1.0)
        if len(self.unmoved):
            n = weights.shape[-1]
            has_value = np.broadcast_to(np.arange(n) < len(x), (1, *weights.shape))
            of_share = has_value - len(x) / n
            moments, goals = (np.concatenate([of_share, each]) for each in (moments, goals))
        return StressedRows(weights, moments, goals, self.groups)

    def expand(self, weights: Floats, n: int) -> Floats:
        """Weights of all ``n`` rows, of mean 1, from those of the rows at ``positions``.

        The sum over the chosen rows is the same as without stress. The other rows have weight 1,
        because as donors they are not stressed.
        """
        if self.positions is None:
            return weights
        if len(self.unmoved):
            everywhere = np.ones(n)
            everywhere[self.positions] = weights
            return everywhere
        everywhere = np.zeros(n)
        if self.rows is None:
            chosen = n
        else:
            chosen = len(self.rows)
            everywhere += 1
            everywhere[self.rows] = 0
        everywhere[self.positions] = weights * (chosen / len(weights))
        return everywhere

    def populations(
        self, unstressed: Population, taus: Floats
    ) -> Iterator[tuple[Population, Projection]]:
        """Yield the rows with the weights of each level, which are solved for together.

        Parameters
        ----------
        unstressed : Population
            Whose scored rows are the chosen rows; it is yielded where no weights reach a level,
            and at tau = 0.
        taus : ndarray of shape (t,)
        """
        n = len(unstressed.weights)
        for tau, projection in zip(taus.tolist(), self.column.projections(taus), strict=True):
            population = unstressed
            if tau and projection.weights is not None:
                population = unstressed.reweighted(self.expand(projection.weights, n))
            yield population, projection

    def score_of_summarised(
        self, score: Callable[[Floats], float], n: int
    ) -> Callable[[Floats], float]:
        """Turn a score of weights of all ``n`` rows into one of those that are `summarised`."""
        positions = self.summarised
        if positions is None:
            return score

        def score_rows(weights: Floats) -> float:
            everywhere = np.zeros(n)
            everywhere[positions] = weights * (n / len(weights))
            return score(everywhere)

        return score_rows


def stressed_columns(
    table: Table,
    feature: str,
    tail: float,
    anchor: str = "quantile",
    missing: str = "error",
    rows: npt.NDArray[np.intp] | None = None,
) -> list[StressedColumn]:
    """Return the stressed columns of a feature: one, or one for each category.

    With more than `MOST_CATEGORIES` categories, these are the most frequent ones (see
    `omitted_categories`).

    Parameters
    ----------
    table : Table
    feature : str
    tail : float
        Between 0 and 0.5.
    anchor : {"quantile", "tail-mean"}
        See `uqwidgets.stress.anchors.Anchors`.
    missing : {"error", "drop", "keep"}
        Whether rows without a value raise, are left out, or keep weight 1.
    rows : ndarray of shape (r,), optional
        Positions of the rows whose population is stressed, mean and quantiles included.

    Raises
    ------
    ValueError
        If an option is out of range, or values are missing and ``missing`` is ``error``.
    """
    kind = checked_options(tail, anchor, missing, MISSING)
    members = _members(table, feature, missing, rows)
    if table.kind(feature) == "numeric":
        return [_numeric_column(table, feature, tail, kind, members)]
    texts, codes = _categories(table, feature, members.positions).by_text
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    # Equally frequent categories are in the order of the table.
    frequent = np.lexsort((first, -counts))[:MOST_CATEGORIES]
    return [
        _category_column(feature, texts[place], codes == place, tail, kind, members)
        for place in sorted(frequent.tolist())
    ]


def stressed_column(
    table: Table,
    feature: str,
    category: object | None,
    tail: float,
    anchor: str = "quantile",
    missing: str = "error",
    rows: npt.NDArray[np.intp] | None = None,
) -> StressedColumn:
    """Return one stressed column: that of a numeric feature, or of one category.

    Raises
    ------
    ValueError
        As in `stressed_columns`; if a categorical feature has no category, or a numeric one has.
    """
    kind = checked_options(tail, anchor, missing, MISSING)
    members = _members(table, feature, missing, rows)
    if table.kind(feature) == "numeric":
        if category is not None:
            raise ValueError(f"{feature!r} is numeric; stress it without a category.")
        return _numeric_column(table, feature, tail, kind, members)
    categories = _categories(table, feature, members.positions)
    if category is None:
        raise ValueError(
            f"{feature!r} is categorical; say which category's share to move, one of "
            f"{', '.join(repr(text) for text in categories.by_text[0][:6])}."
        )
    text = categories.text(category, repr(feature), "category")
    return _category_column(feature, str(text), categories.mask([text]), tail, kind, members)


def omitted_categories(
    table: Table, feature: str, rows: npt.NDArray[np.intp] | None = None
) -> tuple[Remark, ...]:
    """Return a remark where `stressed_columns` omits the rarer categories of a feature."""
    if table.kind(feature) == "numeric":
        return ()
    distinct = len(_categories(table, feature, rows).texts)
    if distinct <= MOST_CATEGORIES:
        return ()
    return (
        Remark(
            "rare-categories",
            f"{feature}: the {MOST_CATEGORIES} most frequent of {distinct:,} categories are "
            "stressed; stress_weights takes any other as its category",
        ),
    )


class _Members(NamedTuple):
    """Rows of a stressed column, see `StressedColumn`."""

    positions: npt.NDArray[np.intp] | None
    rows: npt.NDArray[np.intp] | None
    unmoved: npt.NDArray[np.intp]
    groups: RowGroups | None


def _members(
    table: Table, feature: str, missing: str, rows: npt.NDArray[np.intp] | None
) -> _Members:
    """Divide the chosen rows into those with a value and those that keep weight 1."""
    none = np.empty(0, dtype=np.intp)
    present = _present(table, feature, rows)
    n_missing = int((~present).sum())
    if n_missing and missing == "error":
        raise ValueError(
            f"{feature!r} is {_missing_text(present, rows)}; a mean can be "
            "stressed only where every row has a value, so fill them, or pass missing='keep', with "
            "which they keep weight 1, or missing='drop'."
        )
    if n_missing == len(present):
        where = "any row" if rows is None else "any of the chosen rows"
        raise ValueError(f"{feature!r} has no value in {where}; there is nothing to stress.")
    groups = table.row_groups
    if not n_missing:
        of_rows = groups if groups is None or rows is None else groups.among(rows)
        return _Members(rows, rows, none, of_rows)
    chosen = np.arange(len(present)) if rows is None else rows
    known, unmoved = chosen[present], chosen[~present] if missing == "keep" else none
    if groups is not None:
        groups = groups.among(np.concatenate([known, unmoved]))
    return _Members(known, rows, unmoved, groups)


def _numeric_column(
    table: Table,
    feature: str,
    tail: float,
    kind: Anchor,
    members: _Members,
) -> StressedColumn:
    if overflows(table, feature):
        raise ValueError(f"{feature!r} has {_OVERFLOW}; divide the column by a constant.")
    values, positions = table.numbers(feature), members.positions
    values = np.ascontiguousarray(values if positions is None else values[positions])
    return StressedColumn(feature, Column(values, tail, kind), *members)


def _category_column(
    feature: str,
    category: str,
    has_category: npt.NDArray[np.bool_],
    tail: float,
    kind: Anchor,
    members: _Members,
) -> StressedColumn:
    column = Column(has_category.astype(np.float64), tail, kind)
    return StressedColumn(f"{feature}={category}", column, *members)


def _categories(table: Table, feature: str, rows: npt.NDArray[np.intp] | None) -> ColumnLabels:
    return (
        table.labels(feature) if rows is None else ColumnLabels.of(table.column(feature).iloc[rows])
    )


def unstressable(
    table: Table,
    feature: str,
    rows: npt.NDArray[np.intp] | None = None,
    missing: str = "error",
) -> str | None:
    """Return why a feature cannot be stressed in these rows, or None if it can."""
    if overflows(table, feature):
        return _OVERFLOW
    if rows is None and table.kind(feature) == "numeric" and table.span(feature).all_finite:
        return "constant" if table.span(feature).low == table.span(feature).high else None
    present = _present(table, feature, rows)
    if not present.all() and missing == "error":
        return _missing_text(present, rows)
    if not present.any():
        return "no value in any row"
    if table.kind(feature) == "numeric":
        values = table.numbers(feature)
        values = (values if rows is None else values[rows])[present]
        return "constant" if values.min() == values.max() else None
    return "constant" if len(_categories(table, feature, rows).texts) == 1 else None


def overflows(table: Table, feature: str) -> bool:
    """Whether the sum of a numeric feature may be beyond all floats."""
    if table.kind(feature) == "categorical":
        return False
    low, high, _ = table.span(feature)
    return max(abs(low), abs(high)) > float(np.finfo(np.float64).max) / (2 * len(table))


def _present(
    table: Table, feature: str, rows: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.bool_]:
    if table.kind(feature) == "numeric":
        present = np.isfinite(table.numbers(feature))
    else:
        present = table.column(feature).notna().to_numpy()
    return present if rows is None else present[rows]


def _missing_text(present: npt.NDArray[np.bool_], rows: npt.NDArray[np.intp] | None) -> str:
    of = "rows" if rows is None else "chosen rows"
    return f"missing or infinite in {int((~present).sum())} of {len(present)} {of}"


def stressable(
    table: Table, missing: str = "error", rows: npt.NDArray[np.intp] | None = None
) -> tuple[list[str], tuple[Remark, ...]]:
    """Return the features to stress by default, and a remark for each other one.

    Constant features are returned too: their status says that they are constant.
    """
    left_out = {}
    for feature in table.features:
        why = unstressable(table, feature, rows, missing)
        if why in (None, "constant") and omitted_categories(table, feature, rows):
            distinct = len(_categories(table, feature, rows).texts)
            why = (
                f"it has {distinct:,} categories; name it to stress the {MOST_CATEGORIES} most "
                "frequent of them"
            )
        if why not in (None, "constant"):
            left_out[feature] = why
    remarks = tuple(
        Remark("feature-left-out", f"{f} is left out: {why}") for f, why in left_out.items()
    )
    return [f for f in table.features if f not in left_out], remarks
