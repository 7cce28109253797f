"""The content of the card of a row: its values, and the distribution that the model predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.predictive.distributions import Point

#: Levels of the quantiles that describe a predicted distribution of a number.
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def predictions(q: Any) -> Floats:
    """Return probabilities of classes or quantiles of numbers; nothing of a predicted value.

    Parameters
    ----------
    q : Distribution of m rows

    Returns
    -------
    ndarray of shape (m, classes), (m, len(LEVELS)) or (m, 0)
    """
    if isinstance(q, Point):
        return np.empty((len(q), 0))
    if q.classes is not None:
        return np.asarray(q.probabilities)
    if not len(q):
        return np.empty((0, len(LEVELS)))
    return np.stack([q.quantile(level) for level in LEVELS], axis=1)


def values_of(table: Table, rows: Positions) -> tuple[Floats, list[list[str | None]]]:
    """Return the values of rows, feature by feature in the order of the table.

    Parameters
    ----------
    table : Table
    rows : ndarray of shape (m,)

    Returns
    -------
    numbers : ndarray of shape (m, numeric features)
        Missing values are NaN.
    texts : list of m lists
        Of the other features; None for a missing value.
    """
    numbers = [table.numbers(name)[rows] for name in table.numeric]
    others = [_texts(table, name, rows) for name in table.features if name not in table.numeric]
    stacked = np.stack(numbers, axis=1) if numbers else np.empty((len(rows), 0))
    return stacked, [list(texts) for texts in zip(*others, strict=True)] if others else []


def _texts(table: Table, name: str, rows: Positions) -> list[str | None]:
    column = table.column(name).take(rows)
    if table.holds_dates(name):
        return [None if pd.isna(value) else value.isoformat() for value in column]
    return [None if pd.isna(v) else table.labels(name).text(v, repr(name)) for v in column.tolist()]


def span(explainer: Explainer) -> tuple[float, float]:
    """Return the ends of an axis for predictions: those of the target, and of predicted means."""
    means = explainer.evaluations.answer.mean()
    every = [means, explainer.evaluations.truth] if explainer.table.has_target else [means]
    return min(float(v.min()) for v in every), max(float(v.max()) for v in every)
