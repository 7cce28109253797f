"""Tests of whether rows depend on each other: within groups of rows, and along an order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc, ndtr, ndtri
from scipy.stats import rankdata

from uqwidgets._typing import Floats
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import Population, mean_over_rows

# A smooth relation with an order, which independent rows may have, is a polynomial of this degree.
_DEGREE = 5


class RowDependence(NamedTuple):
    """How much rows depend on each other.

    Attributes
    ----------
    correlation : float
        Of two rows of a group, or of two rows that follow each other.
    p_value : float
        Of the hypothesis that it is zero, against a positive one.
    factor : float
        By which the standard error of a mean of independent rows is too small, at least 1.
    """

    correlation: float
    p_value: float
    factor: float


def within_groups(values: Floats, groups: RowGroups, *, ordered: bool) -> RowDependence:
    """Test the intraclass correlation of values (n,) in groups, by an analysis of variance.

    Values are replaced by the normal scores of their ranks, so that no heavy tail decides. If the
    groups have an order, such as that of whole numbers, a smooth trend along it belongs to what the
    values depend on, and only the lack of fit of a polynomial counts (Fisher 1922).

    Parameters
    ----------
    values : ndarray of shape (n,)
    groups : RowGroups
        At least `_DEGREE` + 3 groups; some have several rows.
    ordered : bool
        Whether the codes of the groups are an order.
    """
    n, g = len(values), len(groups)
    scores = _normal_scores(values)
    sizes = groups.sums(np.ones(n))
    means = groups.sums(scores) / sizes
    within = float(np.square(scores - means[groups.codes]).sum())
    between = means - _smooth(means, sizes) if ordered else means
    freedom = g - (1 + _DEGREE if ordered else 1)
    mean_square = float(sizes @ np.square(between)) / freedom
    residual = within / (n - g)
    # The mean size of a group, corrected for unequal sizes (Snedecor and Cochran 1967).
    size = (n - float(sizes @ sizes) / n) / (g - 1)
    variance = max(0.0, (mean_square - residual) / size)
    together = variance + residual
    p_value = float(fdtrc(freedom, n - g, mean_square / residual)) if residual > 0 else 0.0
    populations = Population.of(n), Population.of(n, groups=groups)
    errors = [float(mean_over_rows(values[None], each)[1][0]) for each in populations]
    factor = max(1.0, errors[1] / errors[0]) if errors[0] > 0 else 1.0
    return RowDependence(variance / together if together > 0 else 0.0, p_value, factor)


def along_order(values: Floats) -> RowDependence:
    """Test the correlation of values (n,) with those of the next row, beside a smooth trend."""
    n = len(values)
    scores = _normal_scores(values)
    rest = scores - _smooth(scores, np.ones(n))
    total = float(rest @ rest)
    correlation = float(rest[1:] @ rest[:-1]) / total if total > 0 else 0.0
    p_value = float(ndtr(-correlation * np.sqrt(n)))
    # The variance of a mean of a first-order autoregression, relative to that of independent rows.
    positive = min(max(correlation, 0.0), 0.99)
    return RowDependence(correlation, p_value, float(np.sqrt((1 + positive) / (1 - positive))))


def _normal_scores(values: Floats) -> Floats:
    scores: Floats = ndtri((rankdata(values) - 0.5) / len(values))
    return np.asarray(scores - scores.mean())


def _smooth(values: Floats, weights: Floats) -> Floats:
    """Return the polynomial in the position that is nearest to values, by least squares."""
    position = np.linspace(-1, 1, len(values))
    design = np.polynomial.legendre.legvander(position, _DEGREE)
    root = np.sqrt(weights)
    solution = np.linalg.lstsq(design * root[:, None], values * root, rcond=None)[0]
    return np.asarray(design @ solution)
