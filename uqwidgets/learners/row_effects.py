"""What held-out values tell about rows and groups of rows, apart from their refits."""

from __future__ import annotations

import numpy as np

from uqwidgets.learners.splits import GroupSplits
from uqwidgets.predictive.checks import Floats


def row_effect_variance(values: Floats) -> Floats:
    r"""Variance between rows of what all refits say of them alike.

    A held-out value is v[d, i] = mean + refit d + row i + their interaction. Refits are different
    models, so the covariance between two of them over the rows that neither has seen,

    .. math:: \hat S = \frac{\sum_{d<e} \sum_{i \in B_{-d} \cap B_{-e}}
              (v_{di} - \bar v_{d \mid e}) (v_{ei} - \bar v_{e \mid d})}
              {\sum_{d<e} (|B_{-d} \cap B_{-e}| - 1)},

    with the means over these rows, holds the variance of the row effects alone: neither the
    interaction nor the noise of permutations is in it. It may be negative by chance.

    Parameters
    ----------
    values : ndarray of shape (m, n, ...)
        What each refit says of each row, NaN for rows it was not scored on.

    Returns
    -------
    ndarray of shape (...)

    Raises
    ------
    ValueError
        If no two refits were scored on two rows in common.
    """
    m, n, *rest = values.shape
    flat = values.reshape(m, n, -1)
    known = ~np.isnan(flat[:, :, 0])
    scored = known.astype(np.float64)
    # Around the overall mean, so that nothing cancels where the mean is large.
    centred = np.where(known[:, :, None], flat - np.nanmean(flat, axis=(0, 1)), 0.0)
    common = scored @ scored.T
    products = np.einsum("dit,eit->det", centred, centred)
    sums = np.einsum("dit,ei->det", centred, scored)
    with np.errstate(invalid="ignore", divide="ignore"):
        products -= sums * sums.transpose(1, 0, 2) / common[:, :, None]
    pairs = np.triu(common >= 2, k=1)
    if not pairs.any():
        raise ValueError(
            "no two refits were scored on two rows in common; "
            "make more refits or hold more rows out."
        )
    variance: Floats = products[pairs].sum(axis=0) / (common[pairs] - 1).sum()
    return variance.reshape(rest)


def group_table(values: Floats, splits: GroupSplits) -> Floats:
    """Mean of each group under the refit that left it and one other group out.

    Parameters
    ----------
    values : ndarray of shape (m, n, ...)
        What each refit says of each row, NaN for rows it was not scored on.
    splits : GroupSplits

    Returns
    -------
    ndarray of shape (G, G, ...)
        At (g, e) the mean over group g of the refit that saw neither g nor e; NaN where g = e.
    """
    n_groups = int(splits.groups.max()) + 1
    table = np.full((n_groups, n_groups, *values.shape[2:]), np.nan)
    for refit, (one, other) in enumerate(splits.left_out):
        table[one, other] = values[refit, splits.groups == one].mean(axis=0)
        table[other, one] = values[refit, splits.groups == other].mean(axis=0)
    return table
