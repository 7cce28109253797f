"""What of a table can be stressed: numeric columns, and the share of each category."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets.data import Table
from uqwidgets.names import unknown
from uqwidgets.predictive.distributions import Floats
from uqwidgets.stress.anchors import checked_wishes
from uqwidgets.stress.projection import Column


@dataclass(frozen=True, eq=False)
class Stressed:
    """A column whose mean, or a category whose share, is moved.

    Attributes
    ----------
    name : str
        The feature, or ``feature=category``.
    column : Column
        Of the rows that are kept.
    kept : ndarray of shape (m,) or None
        Positions of the rows with a value; None for all.
    """

    name: str
    column: Column
    kept: npt.NDArray[np.intp] | None

    def spread(self, weights: Floats, n: int) -> Floats:
        """Weights of all ``n`` rows, mean 1, from those of the kept ones."""
        if self.kept is None:
            return weights
        everywhere = np.zeros(n)
        everywhere[self.kept] = weights * (n / len(weights))
        return everywhere

    def scored(self, score: Callable[[Floats], float], n: int) -> Callable[[Floats], float]:
        """Turn a score of weights of all ``n`` rows into one of those of the kept ones."""
        return lambda weights: score(self.spread(weights, n))


def stressed(
    table: Table, feature: str, alpha: float, anchor: str = "quantile", missing: str = "error"
) -> list[Stressed]:
    """Return what there is to stress of a feature: one column, or one for each category.

    Parameters
    ----------
    table : Table
    feature : str
    alpha : float
        Between 0 and 0.5.
    anchor : {"quantile", "tail-mean"}
        See `uqwidgets.stress.anchors.Anchors`.
    missing : {"error", "drop"}
        What to do about rows without a value.

    Raises
    ------
    ValueError
        If an argument cannot be, or values are missing and not to be dropped.
    """
    kind = checked_wishes(alpha, anchor, missing)
    column = table.column(feature)
    numeric = table.kind(feature) == "numeric"
    present = _present(table, feature)
    absent = int((~present).sum())
    if absent and missing == "error":
        raise ValueError(
            f"{feature!r} is missing or infinite in {absent} of {len(table)} rows; a mean can be "
            "stressed only where every row has a value, so drop or fill them, or pass "
            "missing='drop'."
        )
    if absent == len(table):
        raise ValueError(f"{feature!r} has no value in any row; there is nothing to stress.")
    kept = np.flatnonzero(present) if absent else None
    if numeric:
        values = table.numbers(feature)
        values = np.ascontiguousarray(values if kept is None else values[kept])
        return [Stressed(feature, Column(values, alpha, kind), kept)]
    categories = column[present]
    return [
        Stressed(
            f"{feature}={label}",
            Column((categories == label).to_numpy(dtype=np.float64), alpha, kind),
            kept,
        )
        for label in sorted(categories.unique(), key=str)
    ]


def stressed_one(
    table: Table,
    feature: str,
    category: object | None,
    alpha: float,
    anchor: str = "quantile",
    missing: str = "error",
) -> Stressed:
    """Return the one column that is meant: a feature's, or that of one of its categories.

    Raises
    ------
    ValueError
        As in `stressed`; or if a category is wanted and not named, or the other way round.
    """
    found = stressed(table, feature, alpha, anchor, missing)
    if table.kind(feature) == "numeric":
        if category is not None:
            raise ValueError(f"{feature!r} is numeric; stress it without a category.")
        return found[0]
    labels = [one.name.removeprefix(f"{feature}=") for one in found]
    if category is None:
        raise ValueError(
            f"{feature!r} is categorical; say which category's share to move, one of "
            f"{', '.join(repr(label) for label in labels[:6])}."
        )
    if str(category) not in labels:
        raise ValueError(unknown(f"category of {feature!r}", str(category), labels))
    return found[labels.index(str(category))]


def unstressable(table: Table, feature: str) -> str | None:
    """Why a feature cannot be stressed as it is, or None if it can."""
    absent = int((~_present(table, feature)).sum())
    if absent:
        return f"missing or infinite in {absent} of {len(table)} rows"
    if table.kind(feature) == "numeric":
        values = table.numbers(feature)
        return "constant" if values.min() == values.max() else None
    return "constant" if table.column(feature).nunique() == 1 else None


def _present(table: Table, feature: str) -> npt.NDArray[np.bool_]:
    if table.kind(feature) == "numeric":
        return np.isfinite(table.numbers(feature))
    return table.column(feature).notna().to_numpy()


def stressable(table: Table) -> tuple[list[str], tuple[str, ...]]:
    """Return the features that can be stressed, and a remark for each that is left out.

    A constant one is among them: its status says that it is.
    """
    reasons = {f: unstressable(table, f) for f in table.features}
    left_out = {f: why for f, why in reasons.items() if why not in (None, "constant")}
    remarks = tuple(f"{f} is left out: {why}" for f, why in left_out.items())
    return [f for f in table.features if f not in left_out], remarks
