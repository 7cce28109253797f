"""Two classes whose probabilities are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import check_random_state

from uqwidgets._utils.choices import unknown
from uqwidgets.datasets.tables import Data, Seed, checked_rows, frame


def make_redundant(
    n_samples: int = 5000,
    copied: str | None = None,
    *,
    n_features: int = 10,
    n_relevant: int = 4,
    label_noise: float = 0.1,
    random_state: Seed = 0,
) -> Data:
    r"""Two classes by the sum of the first features; the last may be a copy of another.

    Features are uniform on [0, 1], independent but for the copy, and with J relevant ones and
    label noise ε

    .. math:: P(Y = 1 | x) = ε + (1 - 2 ε) 1\{x_1 + ... + x_J > J / 2\}

    (Wood et al. 2024, section 3.4.1 and figure 2; Mease and Wyner 2008).

    Parameters
    ----------
    n_samples : int, default=5000
    copied : str, optional
        The feature whose copy stands in the place of the last: ``"x1"``, which tells of the
        target, and ``"x5"``, which does not, give the paper's second and third data.
    n_features, n_relevant : int, default=10 and 4
    label_noise : float, default=0.1
        Probability that a label is the other one.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    X : DataFrame of shape (n_samples, n_features)
    y : Series of shape (n_samples,)
        0 or 1.

    Raises
    ------
    ValueError
        If there is no such feature to copy, or a number is out of range.
    """
    if not 1 <= n_relevant <= n_features:
        raise ValueError(
            f"n_relevant is {n_relevant}; it must be between 1 and n_features, {n_features}."
        )
    if not 0 <= label_noise <= 0.5:
        raise ValueError(f"label_noise is {label_noise}; it must be between 0 and 0.5.")
    random = check_random_state(random_state)
    X = frame(random.uniform(size=(checked_rows(n_samples), n_features)))
    if copied is not None:
        others = list(X.columns[:-1])
        if copied not in others:
            raise ValueError(unknown("feature to copy", copied, others))
        X[X.columns[-1]] = X[copied]
    above = X.iloc[:, :n_relevant].sum(axis=1).to_numpy() > n_relevant / 2
    flipped = random.uniform(size=n_samples) < label_noise
    return X, _labels(above != flipped)


def make_logistic(
    n_samples: int = 1_000_000,
    coefficients: npt.ArrayLike = (-4.0, 2.0, 0.0, 2.0, 4.0),
    *,
    random_state: Seed = 0,
) -> Data:
    r"""Independent standard normal features, and two classes by a logistic regression.

    .. math:: P(Y = 1 | x) = 1 / (1 + \exp(-β · x))

    (Bachoc et al. 2023, appendix B.2 and figure 4; the distribution of the features it does not
    say).

    Parameters
    ----------
    n_samples : int, default=1000000
    coefficients : array-like of shape (p,)
        β, of one feature each.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    X : DataFrame of shape (n_samples, p)
    y : Series of shape (n_samples,)
        0 or 1.

    Raises
    ------
    ValueError
        If the coefficients are not a row of numbers.
    """
    slopes = np.asarray(coefficients, dtype=np.float64)
    if slopes.ndim != 1 or not len(slopes) or not np.isfinite(slopes).all():
        raise ValueError(f"coefficients are {coefficients!r}; pass one finite number per feature.")
    random = check_random_state(random_state)
    X = random.normal(size=(checked_rows(n_samples), len(slopes)))
    # A standard logistic variable is below a number with just this probability.
    return frame(X), _labels(random.logistic(size=n_samples) < X @ slopes)


def _labels(ones: npt.NDArray[np.bool_]) -> pd.Series[Any]:
    return pd.Series(ones, dtype=int, name="y")
