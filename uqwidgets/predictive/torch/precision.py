"""The noise of a regression, fitted on rows that the members were not fitted on."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from uqwidgets._typing import Floats


def fitted_precision(means: Floats, y: Floats) -> float:
    """Precision of normal members of equal noise under which ``y`` is most likely.

    Source: Wood et al. 2024, B.4.

    The log likelihood sum_i log mean_m N(y_i; mean_im, 1/τ) is climbed in log τ by its
    gradient. Where it has several tops, the ascent starts beside the highest of a grid; where
    the gradient is zero, 1/τ is a mean of squared residuals with some weights over the members
    of each row, which says where to look.

    Parameters
    ----------
    means : ndarray of shape (n, m)
    y : ndarray of shape (n,)

    Returns
    -------
    float
        In 1 / (units of ``y``)^2.

    Raises
    ------
    ValueError
        If in every row some member is exactly right, so that no precision is the best.
    """
    squares = np.square(means - y[:, None])
    nearest, farthest = squares.min(axis=1).mean(), squares.max(axis=1).mean()
    if nearest == 0:
        raise ValueError(
            "the held-out rows are predicted without any error, so that no precision is the "
            "best; pass precision."
        )

    def loss(log_precision: Floats) -> tuple[float, Floats]:
        exponents = -0.5 * np.exp(log_precision) * squares
        gradient = 0.5 + np.einsum("nm,nm->n", softmax(exponents, axis=1), exponents).mean()
        likelihood = 0.5 * log_precision[0] + logsumexp(exponents, axis=1).mean()
        return -float(likelihood), np.array([-gradient])

    low, high = -np.log(farthest), -np.log(nearest)
    start = min(np.linspace(low, high, 17), key=lambda at: loss(np.array([at]))[0])
    found = minimize(
        loss,
        [start],
        jac=True,
        method="L-BFGS-B",
        bounds=[(low, high)],
        options={"ftol": 0.0, "gtol": 1e-10},
    )
    return float(np.exp(found.x[0]))
