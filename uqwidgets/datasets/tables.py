"""Types and checks that all synthetic tables share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.options import MOST_ROWS, checked_count

Seed = int | np.random.RandomState | None
Random = np.random.Generator | np.random.RandomState
Data = tuple[pd.DataFrame, "pd.Series[Any]"]


def checked_rows(n_samples: int) -> int:
    """Return the number of rows.

    Raises
    ------
    ValueError
        If it is no whole number from 1 to 10,000,000.
    """
    return checked_count(n_samples, "n_samples", 1, MOST_ROWS)


def frame(values: Floats) -> pd.DataFrame:
    """Return features named x1, x2, ... from an array of shape (n, p)."""
    return pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(values.shape[1])])
