"""The interval of a mean over rows, written as its formulas say, one line after the other."""

from __future__ import annotations

import numpy as np
from scipy import stats


def band_of_means(values, level=0.95, weights=None):
    """Return both ends for each line of values (m, n): Satterthwaite 1946, Hall 1992."""
    n = values.shape[-1]
    weights = np.ones(n) if weights is None else weights
    share = weights / weights.sum()
    ess = 1 / np.square(share).sum()
    ends = []
    for line in values.reshape(-1, n):
        mean = float(share @ line)
        psi = (share * (line - mean))[weights > 0] * np.sqrt(ess / (ess - 1))
        error = np.sqrt(np.square(psi).sum())
        if error < 1e-14 * (1 + np.abs(line).max()):
            ends.append((mean, mean))
            continue
        parts = np.square(psi / error)
        spread = max(np.square(parts).sum() - 1 / len(psi), 2 / len(psi) ** 2)
        df = min(max(2 / spread, 10), ess - 1)
        skewness = ((psi / error) ** 3).sum()
        quantiles = []
        for q in stats.t.ppf([(1 + level) / 2, (1 - level) / 2], df):
            most = 7 / 24 / max(abs(q), 1)
            a, c = np.clip([skewness / 3, skewness / 6], -most, most)
            quantiles.append((np.cbrt(1 + 3 * a * (q - c)) - 1) / a if abs(a) > 1e-8 else q - c)
        ends.append(tuple(mean - quantile * error for quantile in quantiles))
    return np.array(ends).T.reshape(2, *values.shape[:-1])
