"""Where random numbers start."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

# As scikit-learn's estimators take it, or none.
RandomState = int | np.random.RandomState | np.random.Generator | None

_MOST = 2**32 - 1


def seed_of(random_state: RandomState) -> int:
    """Return one seed, from which everything of an object is drawn again and alike.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        A whole number is the seed itself; a stream gives its next number; None gives a seed that
        is another one each time (numpy's global stream).

    Returns
    -------
    int
        From 0 to 2**32 - 1, which every estimator takes.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if 0 <= random_state <= _MOST:
            return int(random_state)
    elif random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31))
    raise ValueError(
        f"random_state is {random_state!r}; pass a whole number from 0 to {_MOST}, a RandomState "
        "or Generator of numpy, or None."
    )
