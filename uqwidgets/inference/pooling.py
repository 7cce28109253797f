"""The mean change over draws that are too many to be held at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.influence import Change


def pooled(parts: Iterable[tuple[Change, Floats | float]], n: int) -> Change:
    """Return the mean change over all repeats from those over some of them at a time.

    Estimates and influences are means over pairs of a scored row and a donor, so those of some
    repeats count by the weight of their pairs. The repeats are drawn independently, so what their
    variances count twice counts by its square. Each part is centred at its own estimate; without
    weights this makes no difference to the influences, with weights one of second order.

    Parameters
    ----------
    parts : iterable of (Change, ndarray of shape (n,) or float)
        Changes over some repeats, each with the weight that the donors of every row have in them,
        or of all rows alike. None of them is held on to.
    n : int
        Number of rows.

    Returns
    -------
    Change
    """
    total = moved = squared_pairs = 0.0
    scored, donated, row_sums = (np.zeros(n) for _ in range(3))
    row_weights: Any = 0.0
    twice: Any = 0.0
    repeats, totals, centres = [], [], []
    for part, weights in parts:
        repeats.append(part.repeats)
        totals.append(part.totals)
        weight = float(part.totals.sum())
        if weight == 0:
            continue
        total += weight
        moved += weight * part.estimate
        scored += weight * part.scored
        donated += weight * part.donated
        twice = twice + weight**2 * part.counted_twice
        own_pairs = weight**2 / part.pairs
        squared_pairs += own_pairs
        freedom = (part.pairs - 1) / part.pairs
        centres.append((part.estimate, own_pairs, part.pair_variance() * freedom * weight**2))
        row_sums += np.where(np.asarray(weights) > 0, weights * part.per_row(), 0.0)
        row_weights = row_weights + weights
        del part, weights  # else their arrays would stay while the next are made
    lines = np.concatenate(repeats)
    if total == 0:
        return Change.of_nothing(n, len(lines))
    estimate, pairs = moved / total, total**2 / squared_pairs
    scored /= total
    donated /= total
    squares = sum(within + (own - estimate) ** 2 * held for own, held, within in centres)
    with np.errstate(invalid="ignore"):  # NaN for a row that met no donor of any weight
        row_sums /= row_weights
    return Change(
        estimate=estimate,
        scored=scored,
        donated=donated,
        counted_twice=twice / total**2,
        pairs=pairs,
        pair_variance=lambda: squares / total**2 * pairs / (pairs - 1) if pairs > 1 else np.nan,
        repeats=lines,
        totals=np.concatenate(totals),
        per_row=lambda: row_sums,
    )
