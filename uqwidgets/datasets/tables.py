"""Types and checks that all synthetic tables share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats

Seed = int | np.random.RandomState | None
Random = np.random.Generator | np.random.RandomState
Data = tuple[pd.DataFrame, "pd.Series[Any]"]


def checked_rows(n_samples: int) -> int:
    """Return the number of rows.

    Raises
    ------
    ValueError
        If it is less than 1.
    """
    if n_samples < 1:
        raise ValueError(f"n_samples is {n_samples}; it must be at least 1.")
    return n_samples


def frame(values: Floats) -> pd.DataFrame:
    """Return features named x1, x2, ... from an array of shape (n, p)."""
    return pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(values.shape[1])])
