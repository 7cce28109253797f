"""What a reader of stressed summaries should know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.metrics import undefined


class Held(NamedTuple):
    """How often intervals that few rows carry hold the truth.

    Attributes
    ----------
    below : int
        What few effective rows are.
    told : str
        What simulations tell of them.
    """

    below: int
    told: str


# From benchmarks/bench_stress_coverage.py: eight designs of 400 rows, tau of -1 and 1, where 40
# effective rows are left by quantiles (84 to 99 %) and 15 by tail means (66 to 99 %).
BY_ROWS = Held(50, "66 to 99 % of 95 % intervals held the truth, 94 to 95 % on average")
# Of four outputs of a normal column; 300 to 3,000 effective rows are left of 5,000 and 50,000.
BY_NODES = Held(5000, "85 to 97 % of 95 % intervals held the truth")
_NAMED = 3


def undefined_points(label: str, values: Floats, reached: Floats) -> tuple[str, ...]:
    """Say where rows can be weighted so, but a metric is not defined for them.

    Parameters
    ----------
    label : str
    values, reached : ndarray of shape (p, t)
        Of the metric; of the features' means, NaN where there are no weights.
    """
    known = np.isfinite(reached)
    missing = int((known & np.isnan(values)).sum())
    return (undefined(label, missing, int(known.sum()), "points"),) if missing else ()


def few_rows(features: Sequence[str], taus: Floats, ess: Floats, held: Held) -> tuple[str, ...]:
    """Say where intervals rest on so few rows that they may not hold what they say.

    Parameters
    ----------
    features : sequence of str, length p
    taus : ndarray of shape (t,)
    ess : ndarray of shape (p, t)
        NaN where there are no weights.
    held : Held
    """
    few = ess < held.below
    names = [name for name, line in zip(features, few, strict=True) if line.any()]
    if not names:
        return ()
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    named = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    least = np.abs(taus[few.any(axis=0)]).min()
    where = f"from |tau| = {least:g} on" if least < 1 else "at |tau| = 1"
    return (
        f"{where}, intervals of {named} rest on fewer than {held.below:,} effective rows (ess), "
        f"where in simulations {held.told} (take a smaller |tau|, a larger alpha, or more rows)",
    )
