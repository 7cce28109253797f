"""What a reader of stressed summaries should know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets.metrics import undefined
from uqwidgets.predictive.distributions import Floats

# From benchmarks/bench_stress_coverage.py, eight designs of 400 rows, both anchors: where about 40
# effective rows are left, 89 to 100 % of nominal 95 % intervals hold the truth, and where about 15
# are left, 77 to 100 %.
_FEW_ROWS = 50
_HELD = "77 to 100 %"
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


def few_rows(features: Sequence[str], taus: Floats, ess: Floats) -> tuple[str, ...]:
    """Say where intervals rest on so few rows that they may not hold what they say.

    Parameters
    ----------
    features : sequence of str, length p
    taus : ndarray of shape (t,)
    ess : ndarray of shape (p, t)
        NaN where there are no weights.
    """
    few = ess < _FEW_ROWS
    names = [name for name, line in zip(features, few, strict=True) if line.any()]
    if not names:
        return ()
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    named = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    least = np.abs(taus[few.any(axis=0)]).min()
    where = f"from |tau| = {least:g} on" if least < 1 else "at |tau| = 1"
    return (
        f"{where}, intervals of {named} rest on fewer than {_FEW_ROWS} effective rows (ess), where "
        f"in simulations {_HELD} of 95 % intervals held the truth "
        "(take a smaller |tau|, a larger alpha, or more rows)",
    )
