"""Checks of options that several public methods have: their types and their ranges."""

from __future__ import annotations

import sys
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils import check_random_state


def check_callback(callback: Any) -> None:
    """Check that a progress callback can be called.

    Raises
    ------
    TypeError
        If it is neither callable nor None.
    """
    if callback is not None and not callable(callback):
        raise TypeError(
            f"callback is {brief(callback)}; pass a function of one uq.Progress, such as "
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
        raise ValueError(f"{name} is {brief(value)}; it must be True or False.")
    return bool(value)


# The largest counts. What they bound fits in memory and is stopped by an interrupt.
MOST_REPEATS = 100_000  # of a replacement, a fit or a simulation
MOST_POINTS = 10_001  # of a curve, and levels of tau
MOST_ROWS = 10_000_000  # that are drawn
MOST_JOBS = 1024


def brief(value: Any) -> str:
    """Write a value in one line, as an error shows it, however large or deep it is."""
    try:
        written = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001  lists in lists, very long numbers, code that is not ours
        return f"a {type(value).__name__}"
    return written if len(written) <= 80 else f"{written[:80]}..."


def checked_count(value: Any, name: str, least: int, most: int, otherwise: str = "") -> int:
    """Return a whole number from ``least`` to ``most``.

    Parameters
    ----------
    value : object
    name : str
        Of the argument.
    least, most : int
    otherwise : str
        What else it may be, such as ", or None for all".

    Raises
    ------
    ValueError
        If it is out of range, or no whole number.
    """
    if not is_whole(value) or value < least:
        raise ValueError(
            f"{name} is {brief(value)}; it must be a whole number of at least {least}{otherwise}."
        )
    if value > most:
        raise ValueError(f"{name} is {brief(int(value))}; it is at most {most:,}, so pass less.")
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
            f"n_jobs is {brief(n_jobs)}; it must be a whole number such as 2, -1 for all cores, or "
            "None."
        )
    return checked_count(n_jobs, "n_jobs", -MOST_JOBS, MOST_JOBS)


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number, of Python or numpy, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: Any) -> TypeGuard[float]:
    """Whether a value is a number, of Python or numpy, that floats reach, and no truth value."""
    is_number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return is_number and not (isinstance(value, int) and abs(value) > sys.float_info.max)


def has_truth_value(values: Any) -> bool:
    """Whether a value, or one in a short list, is True or False, which numpy takes as 1 or 0."""
    flat = np.asarray(values, dtype=object).ravel()
    return any(isinstance(value, (bool, np.bool_)) for value in flat)


def has_text(values: Any) -> bool:
    """Whether a value, or one in a list, is a text, which numpy reads as the number in it."""
    return any(isinstance(value, (str, bytes)) for value in np.asarray(values, object).ravel())


# What scikit-learn's estimators accept, and numpy's Generator.
RandomState = int | np.random.RandomState | np.random.Generator | None

_MAX_SEED = 2**32 - 1


def seed_of(random_state: RandomState) -> int:
    """Return one seed, from which an object draws the same random numbers again.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        A whole number is the seed itself. A RandomState or Generator yields the seed as its next
        number, None as the next number of numpy's global stream, so that it differs each time.

    Returns
    -------
    int
        From 0 to 2**32 - 1, which every estimator accepts.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if is_whole(random_state):
        if 0 <= random_state <= _MAX_SEED:
            return int(random_state)
    elif random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31))
    raise ValueError(
        f"random_state is {brief(random_state)}; pass a whole number from 0 to {_MAX_SEED}, a "
        "RandomState or Generator of numpy, or None."
    )
