"""Synthetic data of the papers: any number of rows, from any seed, with a truth that is known.

Features are named x1, x2, ... as in the papers, the target y.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import check_random_state

from uqwidgets.names import unknown
from uqwidgets.predictive.distributions import Floats

Seed = int | np.random.RandomState | None
Data = tuple[pd.DataFrame, "pd.Series[Any]"]


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

    (000, section 3.4.1 and figure 2; Mease and Wyner 2008).

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
    X = _frame(random.uniform(size=(_rows(n_samples), n_features)))
    if copied is not None:
        others = list(X.columns[:-1])
        if copied not in others:
            raise ValueError(unknown("feature to copy", copied, others))
        X[X.columns[-1]] = X[copied]
    above = X.iloc[:, :n_relevant].sum(axis=1).to_numpy() > n_relevant / 2
    flipped = random.uniform(size=n_samples) < label_noise
    return X, _labels(above != flipped)


def make_correlated_pairs(n_samples: int = 1000, *, random_state: Seed = 0) -> Data:
    r"""Two correlated pairs of normal features, and a fifth that is independent of all.

    .. math:: Y = X_1 + X_2 + 0.9 X_3^2 + X_4 + X_5 + ε

    Features are standard normal, correlations 0.8 within (x1, x2) and within (x3, x4), and the
    noise ε has the variance 2 (000, section 3.4.1 and figure 3, which takes half of the rows to
    train on).

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=0

    Returns
    -------
    X : DataFrame of shape (n_samples, 5)
    y : Series of shape (n_samples,)
    """
    random = check_random_state(random_state)
    n = _rows(n_samples)
    related = [[1.0, 0.8], [0.8, 1.0]]
    pairs = [random.multivariate_normal([0.0, 0.0], related, size=n) for _ in range(2)]
    X = np.column_stack([*pairs, random.normal(size=n)])
    noise = random.normal(scale=np.sqrt(2), size=n)
    y = X[:, 0] + X[:, 1] + 0.9 * X[:, 2] ** 2 + X[:, 3] + X[:, 4] + noise
    return _frame(X), _numbers(y)


def make_hollow(
    n_samples: int = 500, *, inner: float = 1.5, outer: float = 2.0, random_state: Seed = 0
) -> Data:
    r"""Two features whose values lie around the border of a square, none of them inside.

    .. math:: Y = (X_1 + X_2)^2 + 0.1 ε

    with standard normal noise ε (000, section 3.5 and figures 4 and 5). Features are uniform where
    at least one of them is beyond ``inner``; how far out they go, and how many rows there are, the
    paper does not say.

    Parameters
    ----------
    n_samples : int, default=500
    inner, outer : float, default=1.5 and 2
        Half the sides of the hole and of the square.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    X : DataFrame of shape (n_samples, 2)
    y : Series of shape (n_samples,)

    Raises
    ------
    ValueError
        If the hole does not fit into the square.
    """
    if not 0 <= inner < outer:
        raise ValueError(f"inner is {inner} and outer {outer}; need 0 <= inner < outer.")
    random = check_random_state(random_state)
    n = _rows(n_samples)
    # Four strips of one size make up the border: each runs along a side and ends at the next.
    along = random.uniform(-outer, inner, size=n)
    across = random.uniform(inner, outer, size=n)
    quarter = random.randint(4, size=n)
    x1 = np.choose(quarter, [along, across, -along, -across])
    x2 = np.choose(quarter, [across, -along, -across, along])
    y = (x1 + x2) ** 2 + 0.1 * random.normal(size=n)
    return _frame(np.column_stack([x1, x2])), _numbers(y)


def make_linear(n_samples: int = 1000, *, random_state: Seed = 0) -> Data:
    r"""Two features, uniform on [0, 1], and a target that is linear in them.

    .. math:: Y = X_1 - X_2 + ε

    with standard normal noise ε (003, section 8).

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=0

    Returns
    -------
    X : DataFrame of shape (n_samples, 2)
    y : Series of shape (n_samples,)
    """
    random = check_random_state(random_state)
    X = random.uniform(size=(_rows(n_samples), 2))
    return _frame(X), _numbers(X[:, 0] - X[:, 1] + random.normal(size=n_samples))


def make_non_linear(n_samples: int = 1000, *, random_state: Seed = 0) -> Data:
    r"""Four features, uniform on [0, 1], two of which interact.

    .. math:: Y = X_1 - \sqrt{1 + X_2} + X_3 X_4 + (X_4 / 10)^2 + ε

    with standard normal noise ε (003, section 8). The paper prints :math:`\sqrt{1 - X_2}`; its
    tables belong to the sum, which is what its authors' program draws.

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=0

    Returns
    -------
    X : DataFrame of shape (n_samples, 4)
    y : Series of shape (n_samples,)
    """
    random = check_random_state(random_state)
    X = random.uniform(size=(_rows(n_samples), 4))
    signal = X[:, 0] - np.sqrt(1 + X[:, 1]) + X[:, 2] * X[:, 3] + (X[:, 3] / 10) ** 2
    return _frame(X), _numbers(signal + random.normal(size=n_samples))


def make_logistic(
    n_samples: int = 1_000_000,
    coefficients: npt.ArrayLike = (-4.0, 2.0, 0.0, 2.0, 4.0),
    *,
    random_state: Seed = 0,
) -> Data:
    r"""Independent standard normal features, and two classes by a logistic regression.

    .. math:: P(Y = 1 | x) = 1 / (1 + \exp(-β · x))

    (004, appendix B.2 and figure 4; the distribution of the features it does not say).

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
    X = random.normal(size=(_rows(n_samples), len(slopes)))
    # A standard logistic variable is below a number with just this probability.
    return _frame(X), _labels(random.logistic(size=n_samples) < X @ slopes)


def _rows(n_samples: int) -> int:
    if n_samples < 1:
        raise ValueError(f"n_samples is {n_samples}; it must be at least 1.")
    return n_samples


def _frame(values: Floats) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(values.shape[1])])


def _numbers(values: Floats) -> pd.Series[Any]:
    return pd.Series(values, name="y")


def _labels(ones: npt.NDArray[np.bool_]) -> pd.Series[Any]:
    return pd.Series(ones, dtype=int, name="y")
