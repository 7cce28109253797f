"""One value in the place of a feature's own."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.table import Kind

STATISTICS = ("mean", "median", "mode")


def named(replace: Any) -> str:
    """Return what a replacement is called: the statistic, or ``constant``."""
    return replace if isinstance(replace, str) and replace in STATISTICS else "constant"


def standing_in(column: pd.Series[Any], feature: str, kind: Kind, replace: Any) -> Any:
    """Value that a feature is set to.

    Parameters
    ----------
    column : Series of shape (n,)
        Values of the feature in the training rows.
    feature : str
    kind : {"numeric", "categorical"}
    replace : {"mean", "median", "mode"} or a value
        Of a category, mean and median are its most frequent value too. Of equally frequent ones, it
        is the first in their order.

    Raises
    ------
    ValueError
        If the feature has no value at all, or a value is given that it cannot take.
    """
    if named(replace) == "constant":
        return _given(column, feature, kind, replace)
    present = column.dropna()
    if len(present) == 0:
        raise ValueError(
            f"{feature!r} has no value in X_train, and so no {replace}; pass a value as replace."
        )
    if kind == "categorical" or replace == "mode":
        return present.mode().iloc[0]
    numbers = present.to_numpy(dtype=np.float64)
    return float(numbers.mean() if replace == "mean" else np.median(numbers))


def _given(column: pd.Series[Any], feature: str, kind: Kind, value: Any) -> Any:
    if kind == "numeric":
        if isinstance(value, Real):
            return value
        if isinstance(value, str):
            raise ValueError(unknown("replacement", value, list(STATISTICS)))
        raise ValueError(f"replace is {value!r}, but {feature!r} holds numbers; give a number.")
    known = column.dropna().unique().tolist()
    if value not in known:
        raise ValueError(
            f"replace is {value!r}, which is no value of {feature!r} in X_train; give one of "
            f"{', '.join(repr(k) for k in known[:6])}, or 'mode', or name other features."
        )
    return value
