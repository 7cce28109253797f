"""What can be stressed in a page, and the levels of tau of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau.levels import STOPS, Check, Level, Samples
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.page.keys import as_key

# Weights that are stored while they are in use, and those of which a track is sampled at once.
_MOST_WEIGHTS, _MOST_AT_ONCE = 1 << 25, 1 << 22


class Stressed(NamedTuple):
    """A feature that can be stressed, with the category whose share is moved if it has any."""

    feature: str
    category: str | None

    @property
    def key(self) -> str:
        """The key under which the page looks it up."""
        return as_key(list(self))

    def inputs(self, inputs: Inputs, tau: float = 0.0) -> Inputs:
        """Return the inputs with this feature stressed."""
        return replace(inputs, **self.names, tau=tau)

    @property
    def names(self) -> dict[str, Any]:
        """The inputs that name it."""
        return {"stress_feature": self.feature, "stress_category": self.category or ""}


#: From a feature that is stressed and levels of tau to the rows at these.
Solve = Callable[[Stressed, Sequence[float]], Iterable[Level]]


class LevelsOfRows:
    """The levels of tau of all that is stressed, for some of the rows.

    The weights of all levels of a feature are solved for together, and kept as long as there is
    room for them.

    Parameters
    ----------
    solve : callable
        See `Solve`.
    n_rows : int
        Number of all rows: those outside a filter have the weight 0.
    taus : sequence of float, optional
        The levels, those of the slider if not given; -1, 0 and 1 are among them.
    """

    def __init__(
        self, solve: Solve, n_rows: int, taus: Sequence[float] = tuple(STOPS.tolist())
    ) -> None:
        self._solve = solve
        self._n_rows = n_rows
        self._taus = taus
        self._known: dict[Stressed, list[Level]] = {}

    def every(self, stressed: Stressed) -> list[Level]:
        """Return all levels of a feature, those that cannot be reached included."""
        if stressed in self._known:
            return self._known[stressed]
        levels = list(self._solve(stressed, self._taus))
        if (len(self._known) + 1) * len(levels) * self._n_rows <= _MOST_WEIGHTS:
            self._known[stressed] = levels
        return levels

    def reached(self, stressed: Stressed) -> list[Level]:
        """Return the levels of a feature that can be reached, in ascending order."""
        return [level for level in self.every(stressed) if not level.tau or level.is_reachable]

    def sampled(self, track: Track, stressed: Sequence[Stressed], check: Check) -> list[Samples]:
        """Sample a track at the levels of features that can be reached, of several at once."""
        step = max(1, _MOST_AT_ONCE // (len(self._taus) * self._n_rows))
        groups = (stressed[k : k + step] for k in range(0, len(stressed), step))
        return [
            track.sample([level for one in group for level in self.reached(one)], check)
            for group in groups
        ]

    def at(self, stressed: Stressed, tau: float) -> Level:
        """Return one of the levels of a feature."""
        return next(level for level in self.every(stressed) if level.tau == tau)
