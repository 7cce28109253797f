"""Changes of single rows as arrays alone, which another process can have a copy of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.inference.moments import Moments
from uqwidgets.inference.populations import Populations


@dataclass(frozen=True, eq=False)
class DrawnChanges:
    """Changes of every row by some measures, over some repeats of each feature.

    Attributes
    ----------
    features : tuple of str
    changes : mapping of str to sequence of ndarray of shape (K, n)
        By feature, for each measure.
    donors : mapping of str to ndarray of shape (K, n)
        By feature.
    originals : sequence of ndarray of shape (n,)
        Each measure of the rows without replacement.
    """

    features: tuple[str, ...]
    changes: Mapping[str, Sequence[Floats]]
    donors: Mapping[str, npt.NDArray[np.int32]]
    originals: Sequence[Floats]

    def moments(
        self,
        feature: str,
        populations: Populations,
        check: Callable[[], None],
    ) -> Moments:
        """Return the moments behind the intervals of a feature, see `path_moments`."""
        return path_moments(
            populations,
            self.changes[feature],
            self.donors[feature],
            self.originals,
            check,
        )
