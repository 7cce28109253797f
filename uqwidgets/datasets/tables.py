"""Types and checks that all synthetic tables share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from uqwidgets._typing import Floats
from uqwidgets._utils.options import MOST_ROWS, brief, checked_count

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


def generator_of(random_state: Seed) -> np.random.RandomState:
    """Return the generator of a seed.

    Raises
    ------
    ValueError
        If it is none of what scikit-learn accepts.
    """
    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state is {brief(random_state)}; pass a whole number from 0 to 2**32 - 1, a "
            "RandomState, or None."
        ) from None
    return generator


def frame(values: Floats) -> pd.DataFrame:
    """Return features named x1, x2, ... from an array of shape (n, p)."""
    return pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(values.shape[1])])
