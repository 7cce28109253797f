"""Checks of options that several public methods have: their types and their ranges."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeGuard

import numpy as np


def check_callback(callback: Any) -> None:
    """Check that a progress callback can be called.

    Raises
    ------
    TypeError
        If it is neither callable nor None.
    """
    if callback is not None and not callable(callback):
        raise TypeError(
            f"callback is {callback!r}; pass a function of one uq.Progress, such as "
            "uq.ProgressBar(), or None."
        )


def checked_flag(value: Any, name: str) -> bool:
    """Return an option that is True or False.

    Raises
    ------
    ValueError
        If it is anything else, also a text such as "no", which Python would take as true.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; it must be True or False.")
    return bool(value)


def checked_count(value: Any, name: str, least: int) -> int:
    """Return a whole number of at least ``least``.

    Raises
    ------
    ValueError
        If it is less, or no whole number.
    """
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}.")
    return int(value)


def checked_jobs(n_jobs: Any) -> int | None:
    """Return the number of jobs of joblib.

    Raises
    ------
    ValueError
        If it is neither None nor a whole number other than 0.
    """
    if n_jobs is None:
        return None
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ValueError(
            f"n_jobs is {n_jobs!r}; it must be a whole number such as 2, -1 for all cores, or None."
        )
    return int(n_jobs)


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number, of Python or numpy, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Whether a value is a number, of Python or numpy, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
