"""Importance while it is being computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import OVER_REPEATS, Settings

# Each step asks for half as many repeats again, so intervals visibly tighten.
_GROWTH = 1.5


def streamed(
    compute: Callable[[Sequence[str], Settings], Importance],
    units: Sequence[str],
    settings: Settings,
) -> Iterator[Importance]:
    """Yield results that get better: more repeats, or with every donor more features.

    Parameters
    ----------
    compute : callable
        Importance of some features with some settings; what it asked once is not asked again.
    units : sequence of str
    settings : Settings
        Of the last result.

    Yields
    ------
    Importance
    """
    if settings.n_repeats == "all":
        for done in range(1, len(units) + 1):
            yield compute(units[:done], settings)
        return
    repeats = 2 if settings.interval in OVER_REPEATS else 1
    while repeats < settings.n_repeats:
        yield compute(units, replace(settings, n_repeats=repeats))
        repeats = max(repeats + 1, int(repeats * _GROWTH))
    yield compute(units, settings)
