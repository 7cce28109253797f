"""What the stress view draws of the rows that meet a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.stress.projection import Status
from uqwidgets.widgets.kernel.frames import single
from uqwidgets.widgets.over_tau.stress_profiles import LEVELS, level_of
from uqwidgets.widgets.rows.population import Selection

STATUSES: tuple[str, ...] = get_args(Status)


def lines_of(selection: Selection, indicator: str) -> dict[str, npt.NDArray[Any]]:
    """Return what is drawn of each feature at the levels of the profiles, by name."""
    known = selection.profiles
    profiles = [known[f] for f in selection.stressable if f in known]
    n_lines, lines = selection.lines.get(indicator, (-1, {}))
    if n_lines != len(profiles):
        # No lines are an answer too: while none is made yet, and where none can be.
        nothing = np.empty((0, LEVELS))
        of_features = {
            "value": [p.values[indicator] for p in profiles],
            "reached": [p.reached for p in profiles],
            "ess": [p.ess for p in profiles],
        }
        # With 800 features, single precision is half of the bytes of a frame.
        lines = {name: single(np.vstack([nothing, *of])) for name, of in of_features.items()}
        codes = [_codes(p.status) for p in profiles]
        lines["status"] = np.vstack([nothing.astype(np.uint8), *codes])
        selection.lines[indicator] = len(profiles), lines
    return lines


def intervals_of(
    selection: Selection, feature: str, category: str | None, tau: float, names: Sequence[str]
) -> tuple[Floats, Floats] | None:
    """Return the intervals of some indicators at all levels where they are known.

    Parameters
    ----------
    selection : Selection
    feature : str
    category : str or None
    tau : float
        It is one of the levels if its intervals are known.
    names : sequence of str

    Returns
    -------
    taus : ndarray of shape (l,)
    intervals : ndarray of shape (names, 3, l)
        Value, lower and upper end. None for both where no interval of one of the indicators is
        known.
    """
    profile = selection.bounded.get((feature, category))
    if profile is None or not set(names) <= set(profile.indicators):
        return None
    lines = np.array([[profile.values[n][0], profile.low[n][0], profile.high[n][0]] for n in names])
    here = selection.exact.get((feature, category, tau), {})
    if level_of(profile.taus, tau) is not None or not set(names) <= set(here):
        return profile.taus, lines
    between = int(np.searchsorted(profile.taus, tau))
    new = np.array([here[name] for name in names])
    return np.insert(profile.taus, between, tau), np.insert(lines, between, new, axis=2)


def _codes(status: npt.NDArray[np.str_]) -> npt.NDArray[np.uint8]:
    return np.array([[STATUSES.index(s) for s in line] for line in status.tolist()], dtype=np.uint8)
