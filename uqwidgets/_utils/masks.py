"""Masked arrays of numpy: what is under a mask must not be read as data."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_masked(values: Any, name: str, remedy: str = "leave these rows out") -> None:
    """Raise a ValueError if an array (n, ...) has masked values.

    Parameters
    ----------
    values : object
    name, remedy : str
        What it is called, and what to do, for the error.
    """
    if not np.ma.is_masked(values):
        return
    masked = np.ma.getmaskarray(values)
    rows = np.flatnonzero(masked.reshape(len(masked), -1).any(axis=1))
    raise ValueError(
        f"{name} is masked in {len(rows):,} of {len(masked):,} rows (the first is row {rows[0]}); "
        f"{remedy}."
    )
