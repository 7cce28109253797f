"""What a reader of an importance should know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets.inference import Change
from uqwidgets.measures import Measure
from uqwidgets.predictive.distributions import Floats

# Fewer effective pairs of row and donor than this deserve a word.
_FEW_PAIRS = 30


def remarks_on(measure: Measure, original: Floats, found: Sequence[Change]) -> tuple[str, ...]:
    """Return what should be said of a measure and of the changes that were found."""
    return floored(measure, original) + _unpaired(found)


def floored(measure: Measure, original: Floats) -> tuple[str, ...]:
    """Say so where the model rules out what was observed."""
    count = int((original >= measure.ceiling).sum())
    if not count:
        return ()
    return (
        f"in {count} of {len(original)} rows the model gives the observed class probability 0; "
        f"their nll, which is infinite, counts as {measure.ceiling:.1f} nats (calibrate the model)",
    )


def _unpaired(found: Sequence[Change]) -> tuple[str, ...]:
    """Say so where the weights leave nothing to average, or little."""
    fewest = min(c.pairs for c in found)
    if 0 < fewest < _FEW_PAIRS:
        return (
            f"the weights leave about {fewest:.0f} effective pairs of a scored row and a donor for "
            "some features (ask for more repeats)",
        )
    count = sum(bool(np.isnan(c.estimate)) for c in found)
    if not count:
        return ()
    return (
        f"for {count} of {len(found)} features no repeat pairs a scored row with a donor that has "
        "weight, so they have no importance here (ask for more repeats, or spread the weights)",
    )
