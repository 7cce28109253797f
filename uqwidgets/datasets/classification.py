"""Two classes with known probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.options import MOST_ROWS, brief, checked_count, is_real, is_whole
from uqwidgets.datasets.tables import Data, Seed, checked_rows, frame, generator_of

_MOST_FEATURES = 10_000


def make_redundant(
    n_samples: int = 5000,
    copied: str | None = None,
    *,
    n_features: int = 10,
    n_relevant: int = 4,
    label_noise: float = 0.1,
    random_state: Seed = 0,
) -> Data:
    r"""Draw two classes by the sum of the first features; the last may be a copy of another.

    Features are uniform on [0, 1] and independent except for the copy. With J relevant features
    and label noise ε

    .. math:: P(Y = 1 | x) = ε + (1 - 2 ε) 1\{x_1 + ... + x_J > J / 2\}

    (Wood et al. 2024, section 3.4.1 and figure 2; Mease and Wyner 2008).

    Parameters
    ----------
    n_samples : int, default=5000
    copied : str, optional
        The feature that replaces the last as a copy: ``"x1"``, on which the target depends, and
        ``"x5"``, on which it does not, give the paper's second and third data.
    n_features : int, default=10
    n_relevant : int, default=4
    label_noise : float, default=0.1
        Probability that a label is flipped.
    random_state : int, RandomState or None, default=0
        Seed; by default the data are the same at every call.

    Returns
    -------
    X : DataFrame of shape (n_samples, n_features)
    y : Series of shape (n_samples,)
        0 or 1.

    Raises
    ------
    ValueError
        If there is no such feature to copy, or a number is out of range.

    See Also
    --------
    make_logistic : Two classes by a logistic regression.
    uqwidgets.Explainer.redundancy : How well features predict each other.

    References
    ----------
    Wood et al. 2024, section 3.4.1; Mease and Wyner 2008.

    Examples
    --------
    >>> from uqwidgets.datasets import make_redundant
    >>> X, y = make_redundant(200, copied="x1")
    >>> X.shape, sorted(y.unique().tolist())
    ((200, 10), [0, 1])
    >>> bool((X["x10"] == X["x1"]).all())
    True
    """
    n_features = checked_count(n_features, "n_features", 1, _MOST_FEATURES)
    if not is_whole(n_relevant) or not 1 <= n_relevant <= n_features:
        raise ValueError(
            f"n_relevant is {brief(n_relevant)}; it must be between 1 and n_features, {n_features}."
        )
    if not is_real(label_noise) or not 0 <= label_noise <= 0.5:
        raise ValueError(f"label_noise is {brief(label_noise)}; it must be between 0 and 0.5.")
    random = generator_of(random_state)
    n_values = checked_rows(n_samples) * n_features
    checked_count(n_values, "n_samples times n_features", 1, 10 * MOST_ROWS)
    X = frame(random.uniform(size=(n_samples, n_features)))
    if copied is not None:
        others = list(X.columns[:-1])
        if not isinstance(copied, str) or copied not in others:
            raise ValueError(unknown("feature", copied, others, "to copy"))
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
    r"""Draw independent standard normal features, and two classes by a logistic regression.

    .. math:: P(Y = 1 | x) = 1 / (1 + \exp(-β · x))

    (Bachoc et al. 2023, appendix B.2 and figure 4, which does not give the distribution of the
    features).

    Parameters
    ----------
    n_samples : int, default=1000000
    coefficients : array-like of shape (p,)
        β, one for each feature.
    random_state : int, RandomState or None, default=0
        Seed; by default the data are the same at every call.

    Returns
    -------
    X : DataFrame of shape (n_samples, p)
    y : Series of shape (n_samples,)
        0 or 1.

    Raises
    ------
    ValueError
        If the coefficients are not a row of numbers.

    See Also
    --------
    make_redundant : Two classes by a threshold, with a redundant feature.
    uqwidgets.Explainer.stress : What figure 4 of the paper shows of these data.

    References
    ----------
    Bachoc et al. 2023, appendix B.2.

    Examples
    --------
    >>> from uqwidgets.datasets import make_logistic
    >>> X, y = make_logistic(1000, [2.0, 0.0])
    >>> list(X.columns)
    ['x1', 'x2']
    >>> bool(y[X["x1"] > 0].mean() > 0.7 > 0.3 > y[X["x1"] < 0].mean())
    True
    """
    try:
        slopes = np.asarray(coefficients, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        slopes = np.empty(0)
    if slopes.ndim != 1 or not len(slopes) or not np.isfinite(slopes).all():
        raise ValueError(
            f"coefficients are {brief(coefficients)}; pass one finite number per feature."
        )
    random = generator_of(random_state)
    X = random.normal(size=(checked_rows(n_samples), len(slopes)))
    # A standard logistic variable is below βx with this probability.
    return frame(X), _labels(random.logistic(size=n_samples) < X @ slopes)


def _labels(ones: npt.NDArray[np.bool_]) -> pd.Series[Any]:
    return pd.Series(ones, dtype=int, name="y")
