"""What the stress view knows of the rows that meet a filter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from uqwidgets.stress.result import Stress
from uqwidgets.widgets.rows.population import EndsAtLevels, Selection


@dataclass(frozen=True, eq=False)
class Profiles:
    """What is known of the stress of some rows.

    Attributes
    ----------
    n_rows : int
    features : tuple of str
        Those that can be stressed because they have a value in some of the rows.
    profiles : dict of str to Stress
        By feature, of every indicator.
    bounded : dict of (str, str or None) to Stress
        With intervals, see `Selection`; these take longer than values, so they are computed only
        of what is shown.
    exact : EndsAtLevels
        Ends of intervals at other levels of tau, see `Selection`.
    fine : dict of str to ndarray
        By indicator, a line for each of the features at many levels.
    """

    n_rows: int
    features: tuple[str, ...]
    profiles: dict[str, Stress] = field(default_factory=dict)
    bounded: dict[tuple[str, str | None], Stress] = field(default_factory=dict)
    exact: EndsAtLevels = field(default_factory=dict)
    fine: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, selection: Selection) -> Profiles:
        """Return what is known of the rows of a selection, and becomes known."""
        return cls(
            selection.n_rows,
            selection.stressable,
            selection.profiles,
            selection.bounded,
            selection.exact,
        )
