"""Targets that are a known function of the features plus normal noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.options import brief, is_real
from uqwidgets.datasets.tables import Data, Random, Seed, checked_rows, frame, generator_of


class Process(NamedTuple):
    """A data-generating process: features, expected target and normal noise.

    `LINEAR`, `NON_LINEAR` and `CORRELATED_PAIRS` are those of `make_linear`, `make_non_linear` and
    `make_correlated_pairs`.

    Attributes
    ----------
    f : callable
        ``f(X)``: the expected target of each row, shape (n,).
    sample : callable
        ``sample(n, rng)``: n rows, a DataFrame.
    noise : float
        Standard deviation of the noise, in units of the target.

    See Also
    --------
    uqwidgets.GroundTruth : Importance and curves of a process, as ``GroundTruth(*process)``.

    Examples
    --------
    >>> import numpy as np
    >>> from uqwidgets.datasets import LINEAR
    >>> X = LINEAR.sample(3, np.random.default_rng(0))
    >>> X.shape, LINEAR.f(X).shape, LINEAR.noise
    ((3, 2), (3,), 1.0)
    """

    f: Callable[[Any], Floats]
    sample: Callable[[int, Random], pd.DataFrame]
    noise: float


def linear(X: Any) -> Floats:
    """Return x1 - x2 of each row."""
    x1, x2 = np.asarray(X, dtype=np.float64).T
    return np.asarray(x1 - x2)


def non_linear(X: Any) -> Floats:
    """Return x1 - sqrt(1 + x2) + x3 x4 + (x4 / 10)^2 of each row."""
    x1, x2, x3, x4 = np.asarray(X, dtype=np.float64).T
    return np.asarray(x1 - np.sqrt(1 + x2) + x3 * x4 + (x4 / 10) ** 2)


def sum_with_square(X: Any) -> Floats:
    """Return x1 + x2 + 0.9 x3^2 + x4 + x5 of each row."""
    x1, x2, x3, x4, x5 = np.asarray(X, dtype=np.float64).T
    return np.asarray(x1 + x2 + 0.9 * x3**2 + x4 + x5)


def two_uniform(n: int, rng: Random) -> pd.DataFrame:
    """Draw two features from [0, 1]."""
    return frame(rng.uniform(size=(n, 2)))


def four_uniform(n: int, rng: Random) -> pd.DataFrame:
    """Draw four features from [0, 1]."""
    return frame(rng.uniform(size=(n, 4)))


def two_pairs_and_one(n: int, rng: Random) -> pd.DataFrame:
    """Draw five normal features; the first two are correlated, and so are the next two."""
    related = [[1.0, 0.8], [0.8, 1.0]]
    pairs = [rng.multivariate_normal([0.0, 0.0], related, size=n) for _ in range(2)]
    return frame(np.column_stack([*pairs, rng.normal(size=n)]))


LINEAR = Process(linear, two_uniform, 1.0)
NON_LINEAR = Process(non_linear, four_uniform, 1.0)
CORRELATED_PAIRS = Process(sum_with_square, two_pairs_and_one, float(np.sqrt(2)))


def make_correlated_pairs(n_samples: int = 1000, *, random_state: Seed = 0) -> Data:
    r"""Draw two correlated pairs of normal features, and a fifth that is independent of them.

    .. math:: Y = X_1 + X_2 + 0.9 X_3^2 + X_4 + X_5 + ε

    Features are standard normal, correlations 0.8 within (x1, x2) and within (x3, x4), and the
    noise ε has the variance 2 (Wood et al. 2024, section 3.4.1 and figure 3, which takes half of
    the rows to train on).

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=0
        Seed; by default the data are the same at every call.

    Returns
    -------
    X : DataFrame of shape (n_samples, 5)
    y : Series of shape (n_samples,)

    See Also
    --------
    uqwidgets.datasets.CORRELATED_PAIRS : The process that is drawn from.

    References
    ----------
    Wood et al. 2024, section 3.4.1 and figure 3.

    Examples
    --------
    >>> from uqwidgets.datasets import make_correlated_pairs
    >>> X, y = make_correlated_pairs(500)
    >>> X.corr().loc["x1", ["x2", "x3"]].round(1).abs().tolist()
    [0.8, 0.0]
    """
    return _drawn(CORRELATED_PAIRS, n_samples, random_state)


def make_linear(n_samples: int = 1000, *, random_state: Seed = 0) -> Data:
    r"""Draw two features, uniform on [0, 1], and a target that is linear in them.

    .. math:: Y = X_1 - X_2 + ε

    with standard normal noise ε (Molnar et al. 2023, section 8).

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=0
        Seed; by default the data are the same at every call.

    Returns
    -------
    X : DataFrame of shape (n_samples, 2)
    y : Series of shape (n_samples,)

    See Also
    --------
    make_non_linear : The other process of the paper.
    uqwidgets.datasets.LINEAR : The process that is drawn from.

    References
    ----------
    Molnar et al. 2023, section 8.

    Examples
    --------
    >>> from uqwidgets.datasets import make_linear
    >>> X, y = make_linear(100)
    >>> X.shape, y.shape
    ((100, 2), (100,))
    """
    return _drawn(LINEAR, n_samples, random_state)


def make_non_linear(n_samples: int = 1000, *, random_state: Seed = 0) -> Data:
    r"""Draw four features, uniform on [0, 1], two of which interact.

    .. math:: Y = X_1 - \sqrt{1 + X_2} + X_3 X_4 + (X_4 / 10)^2 + ε

    with standard normal noise ε (Molnar et al. 2023, section 8). The paper prints :math:`\sqrt{1 -
    X_2}`, a misprint: its tables and the program of its authors have the sum.

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=0
        Seed; by default the data are the same at every call.

    Returns
    -------
    X : DataFrame of shape (n_samples, 4)
    y : Series of shape (n_samples,)

    See Also
    --------
    make_linear : The other process of the paper.
    uqwidgets.datasets.NON_LINEAR : The process that is drawn from.

    References
    ----------
    Molnar et al. 2023, section 8.

    Examples
    --------
    >>> from uqwidgets.datasets import make_non_linear
    >>> X, y = make_non_linear(100)
    >>> X.shape, y.shape
    ((100, 4), (100,))
    """
    return _drawn(NON_LINEAR, n_samples, random_state)


def make_hollow(
    n_samples: int = 500, *, inner: float = 1.5, outer: float = 2.0, random_state: Seed = 0
) -> Data:
    r"""Draw two features that lie near the border of a square, none of them inside.

    .. math:: Y = (X_1 + X_2)^2 + 0.1 ε

    with standard normal noise ε (Wood et al. 2024, section 3.5 and figures 4 and 5). Features are
    uniform where at least one of them exceeds ``inner`` in absolute value. The paper gives neither
    ``outer`` nor the number of rows.

    Parameters
    ----------
    n_samples : int, default=500
    inner : float, default=1.5
        Half the side of the hole.
    outer : float, default=2
        Half the side of the square.
    random_state : int, RandomState or None, default=0
        Seed; by default the data are the same at every call.

    Returns
    -------
    X : DataFrame of shape (n_samples, 2)
    y : Series of shape (n_samples,)

    Raises
    ------
    ValueError
        If the hole does not fit into the square.

    See Also
    --------
    make_correlated_pairs : Data whose features are correlated, without a hole.

    References
    ----------
    Wood et al. 2024, section 3.5.

    Examples
    --------
    >>> from uqwidgets.datasets import make_hollow
    >>> X, y = make_hollow(100)
    >>> bool((X.abs().max(axis=1) >= 1.5).all())
    True
    """
    if not (is_real(inner) and is_real(outer) and 0 <= inner < outer < np.inf):
        raise ValueError(
            f"inner is {brief(inner)} and outer {brief(outer)}; need 0 <= inner < outer."
        )
    random = generator_of(random_state)
    n = checked_rows(n_samples)
    # The border consists of four strips of equal size, each along one side up to the next strip.
    along = random.uniform(-outer, inner, size=n)
    across = random.uniform(inner, outer, size=n)
    quarter = random.randint(4, size=n)
    x1 = np.choose(quarter, [along, across, -along, -across])
    x2 = np.choose(quarter, [across, -along, -across, along])
    y = (x1 + x2) ** 2 + 0.1 * random.normal(size=n)
    return frame(np.column_stack([x1, x2])), _numbers(y)


def _drawn(process: Process, n_samples: int, random_state: Seed) -> Data:
    random = generator_of(random_state)
    X = process.sample(checked_rows(n_samples), random)
    return X, _numbers(process.f(X) + process.noise * random.normal(size=n_samples))


def _numbers(values: Floats) -> pd.Series[Any]:
    return pd.Series(values, name="y")
