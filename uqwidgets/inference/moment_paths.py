r"""Moments of the mean change over drawn pairs in many populations at once.

`uqwidgets.inference.mean_change` and `row_moments` give them in one population, this module where
weights move along a path, as under stress. Arrays have the rows first and the populations last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.influence_paths import DrawnPairs, PathInfluences
from uqwidgets.inference.moments import Moments
from uqwidgets.inference.populations import ManyPopulations

# Values of an array (rows, populations): about a dozen of them are in memory at a time.
_MOST_VALUES = 1 << 17


def path_moments(
    populations: ManyPopulations,
    changes: Sequence[Floats],
    donors: npt.NDArray[np.integer[Any]],
    originals: Sequence[Floats],
    check: Callable[[], None],
) -> Moments:
    """Return the moments of each measure's change, arrays of shape (measures, t).

    Parameters
    ----------
    populations : ManyPopulations
    changes : sequence of ndarray of shape (K, n)
        See `mean_change`, for each measure.
    donors : ndarray of shape (K, n)
        Every line is a permutation of the rows.
    originals : sequence of ndarray of shape (n,)
        Each measure of the rows without replacement.
    check : callable
        Called between parts of the work; what it raises ends it.
    """
    pairs = DrawnPairs.of(changes, donors)
    parts = []
    for part in populations.parts(_MOST_VALUES):
        check()
        path = PathInfluences(part, pairs)
        each = [path.fields(m, path.rows(m, one)) for m, one in enumerate(originals)]
        parts.append(np.stack(each, axis=1))
        del path  # otherwise it stays in memory while the next is made
    return Moments(*np.concatenate(parts, axis=-1))
