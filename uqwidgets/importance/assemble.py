"""Features in the order of their importance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Bounds
from uqwidgets.inference.population import Population


def ranked(
    units: Sequence[str],
    sides: Sequence[Bounds],
    per_row: list[Floats],
    repeats: Sequence[Floats],
    **said: Any,
) -> Importance:
    """Put what was found of each feature into an `Importance`, the most important first.

    Parameters
    ----------
    units : sequence of str, length p
    sides : sequence of Bounds, length p
    per_row : list of p ndarrays of shape (m,)
        They are taken out of the list: of many rows there is no room for two.
    repeats : sequence of p ndarrays of shape (K,)
    **said
        All other attributes of an `Importance`.
    """
    estimates = np.array([side.estimate for side in sides])
    # Of equals, the first in the table first.
    order = np.argsort(-estimates, kind="stable")
    lines = np.empty((len(order), len(per_row[0])))
    for place, j in enumerate(order):
        lines[place] = per_row[j]
        per_row[j] = np.empty(0)
    return Importance(
        features=tuple(units[j] for j in order),
        importance=estimates[order],
        std_error=np.array([sides[j].std_error for j in order]),
        low=np.array([sides[j].low for j in order]),
        high=np.array([sides[j].high for j in order]),
        per_row=lines,
        repeats=np.stack([repeats[j] for j in order]),
        **said,
    )


def asked(settings: Settings, population: Population) -> dict[str, Any]:
    """Return what a result says of how it was asked for."""
    return {
        "compare": settings.compare,
        "replacement": settings.replacement,
        "n_repeats": settings.n_repeats,
        "interval": settings.interval,
        "level": settings.level,
        "reference": settings.reference,
        "seed": settings.seed,
        "rows": population.rows,
        "weighted": population.weighted,
        "ess": population.ess,
    }
