"""What a reader of an importance should know."""

from __future__ import annotations

import math
from collections.abc import Sequence

from uqwidgets.inference import Bounds
from uqwidgets.measures import Measure
from uqwidgets.predictive.distributions import Floats

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
