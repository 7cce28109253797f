"""Frozen distributions of scipy.stats, which NGBoost's are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.predictive.adapters.conversion import LEVELS, of_counts
from uqwidgets.predictive.adapters.reading import Labels
from uqwidgets.predictive.distributions import Categorical, Normal, Quantiles


def from_frozen(frozen: Any, classes: Labels | None) -> Normal | Categorical | Quantiles:
    """Read a frozen distribution of scipy.stats with parameters of shape (n,)."""
    name = frozen.dist.name
    if name == "norm":
        return Normal(np.atleast_1d(frozen.mean()), np.atleast_1d(frozen.std()))
    if hasattr(frozen.dist, "pmf"):
        return of_counts(name, classes, lambda counts: frozen.pmf(counts[:, None]).T)
    return Quantiles(LEVELS, frozen.ppf(LEVELS[:, None]).T)
