"""Seeds of random numbers."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from uqwidgets._utils.options import is_whole

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
        f"random_state is {random_state!r}; pass a whole number from 0 to {_MAX_SEED}, a "
        "RandomState or Generator of numpy, or None."
    )
