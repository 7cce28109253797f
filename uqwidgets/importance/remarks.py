"""What a reader of an importance should know."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference import Bounds
from uqwidgets.measures import Measure

# A row that makes up more than this share of a mean decides it alone.
_DOMINATING = 0.5
# With fewer rows than this, one row may well have that share.
_FEW_ROWS = 10

# Fewer effective pairs of row and donor than this deserve a word.
_FEW_PAIRS = 30


def floored(measure: Measure, original: Floats) -> tuple[str, ...]:
    """Say so where the model rules out what was observed."""
    count = int((original >= measure.ceiling).sum())
    if not count:
        return ()
    return (
        f"in {count} of {len(original)} rows the model gives the observed class probability 0; "
        f"their nll, which is infinite, counts as {measure.ceiling:.1f} nats (calibrate the model)",
    )


def dominated(measure: Measure, original: Floats, scored: Floats) -> tuple[str, ...]:
    """Say so where a single row decides the mean of a loss.

    Parameters
    ----------
    measure : Measure
    original : ndarray of shape (n,)
        Its values for the rows as they are.
    scored : ndarray of shape (n,)
        Weights of the rows, zero for rows that are not scored.
    """
    parts = np.where(scored > 0, scored * np.abs(original), 0.0)
    total = float(parts.sum())
    row = int(parts.argmax())
    if np.count_nonzero(scored) < _FEW_ROWS or not parts[row] > _DOMINATING * total:
        return ()
    advice = ": the model is far too sure there" if measure.unit else ""
    return (
        f"row {row} alone makes up {parts[row] / total:.0%} of the mean {measure.name} "
        f"({original[row]:.4g}){advice}",
    )


def unpaired(pairs: Sequence[float]) -> tuple[str, ...]:
    """Say so where the weights leave nothing to average, or little.

    Parameters
    ----------
    pairs : sequence of float, length p
        Effective number of pairs of each feature.
    """
    if 0 < min(pairs) < _FEW_PAIRS:
        return (
            f"the weights leave about {min(pairs):.0f} effective pairs of a scored row and a donor "
            "for some features (ask for more repeats)",
        )
    count = sum(found == 0 for found in pairs)
    if not count:
        return ()
    return (
        f"for {count} of {len(pairs)} features no repeat pairs a scored row with a donor that has "
        "weight, so they have no importance here (ask for more repeats, or spread the weights)",
    )


def open_ended(sides: Sequence[Bounds]) -> tuple[str, ...]:
    """Say so where a ratio may be as large as it likes, for what it is to may be zero."""
    count = sum(math.isnan(side.high) and math.isfinite(side.low) for side in sides)
    if not count:
        return ()
    return (
        f"for {count} of {len(sides)} features these rows set the ratio no upper limit, for the "
        "mean before the replacement may be near zero (compare='difference' has one)",
    )
