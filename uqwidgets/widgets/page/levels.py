"""The levels of tau of a page: the weights of the rows at each, and tracks sampled at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.levels import Level
from uqwidgets.widgets.page.keys import as_key
from uqwidgets.widgets.tracks import EVERY, Side, Track, refine, settle

# Weights that are stored while they are in use.
_MOST_WEIGHTS = 1 << 25


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


class Levels:
    """The levels of tau of all that is stressed, for some of the rows.

    The weights of all levels of a feature are solved for together, and kept as long as there is
    room for them.

    Parameters
    ----------
    solve : callable
        See `Solve`.
    stressed : sequence of Stressed
    n_rows : int
        Number of all rows: those outside a filter have the weight 0.
    solves_together : bool, default=True
        Whether many levels of a feature take hardly longer than one.
    """

    def __init__(
        self,
        solve: Solve,
        stressed: Sequence[Stressed],
        n_rows: int,
        *,
        solves_together: bool = True,
    ) -> None:
        self._solve_for = solve
        self._stressed = stressed
        self._n_rows = n_rows
        self._solves_together = solves_together
        self._known: dict[tuple[Stressed, float], Level] = {}
        self._known_nodes: dict[Any, tuple[list[Level], Positions]] = {}

    @cached_property
    def sides(self) -> list[tuple[Stressed, float]]:
        """What is stressed, with the sides of 0 that can be reached; the order of the store."""
        return [(one, sign) for one in self._stressed for sign in self.signs(one)]

    def signs(self, stressed: Stressed) -> list[float]:
        """Return the sides of 0 that can be reached."""
        return [sign for sign in (-1.0, 1.0) if self.at(stressed, sign).is_reachable]

    def at(self, stressed: Stressed, tau: float) -> Level:
        """Return a level of a feature."""
        if (stressed, tau) not in self._known:
            self._solve(stressed, [tau])
        known = self._known.get((stressed, tau))
        return next(iter(self._solve_for(stressed, [tau]))) if known is None else known

    def sampled(self, track: Track, check: Callable[[], None], *, is_joint: bool) -> list[Side]:
        """Sample a track on all sides, until it is as precise as it has to be.

        Parameters
        ----------
        track : Track
        check : callable
            Called often; what it raises ends the work.
        is_joint : bool
            Whether all sides have one level without stress, as views that read the rows alone do.
        """
        sides = [Side(sign) for _, sign in self.sides]
        while todo := [i for i, s in enumerate(sides) if s.m < track.finest and not s.is_done]:
            some = [sides[i] for i in todo]
            new = tuple(some[0].new_nodes(track).tolist())
            refine(track, some, *self._nodes(tuple(todo), new, is_joint=is_joint), check)
        if track.needs_levels(sides):
            settle(track, sides, self._of_sides, check)
        return sides

    def _nodes(
        self, numbers: tuple[int, ...], distances: tuple[float, ...], *, is_joint: bool
    ) -> tuple[list[Level], Positions]:
        """Return the levels of sides at distances from 0, and the positions of theirs.

        Parameters
        ----------
        numbers : tuple of int
            Positions among the sides.
        distances : tuple of float
        is_joint : bool
            See `sampled`.

        Returns
        -------
        levels : list of Level
        place : ndarray of shape (sides, distances)
        """
        key = numbers, distances, is_joint
        if key not in self._known_nodes:
            sides = [self.sides[number] for number in numbers]
            places = [(one, sign * distance) for one, sign in sides for distance in distances]
            alike = [0.0 if is_joint and not tau else (one, tau) for one, tau in places]
            number, different = _numbered(alike)
            nodes = (
                self._levels([places[i] for i in different]),
                np.reshape(number, (len(numbers), len(distances))),
            )
            if not self._ahead:
                return nodes  # their weights would stay in memory
            self._known_nodes[key] = nodes
        return self._known_nodes[key]

    def _of_sides(self, numbers: Positions, x: Floats) -> list[Level]:
        """Return levels by the positions (p,) of their sides and their distances (p,) from 0."""
        sides = [self.sides[number] for number in numbers.tolist()]
        return self._levels(
            [(one, sign * each) for (one, sign), each in zip(sides, x.tolist(), strict=True)]
        )

    def _levels(self, places: Sequence[tuple[Stressed, float]]) -> list[Level]:
        """Return levels of features, of which the weights are solved for feature by feature."""
        unknown: dict[Stressed, list[float]] = {}
        for stressed, tau in dict.fromkeys(places):
            if (stressed, tau) not in self._known:
                unknown.setdefault(stressed, []).append(tau)
        for stressed, taus in unknown.items():
            self._solve(stressed, taus)
        return [self.at(*place) for place in places]

    def _solve(self, stressed: Stressed, taus: Sequence[float]) -> None:
        """Solve for the weights at levels of a feature and at those needed later, if there is room.

        Together they take hardly longer than those of one level.
        """
        every = dict.fromkeys([*taus, *self._ahead])
        room = _MOST_WEIGHTS // self._n_rows - len(self._known)
        new = [tau for tau in every if (stressed, tau) not in self._known][: max(0, room)]
        if new:
            for tau, level in zip(new, self._solve_for(stressed, new), strict=True):
                self._known[stressed, tau] = level

    @cached_property
    def _ahead(self) -> list[float]:
        """Levels of tau that tracks may need, if their weights are few."""
        taus = [*(-EVERY[:0:-1]).tolist(), *EVERY.tolist()]
        n_weights = self._n_rows * len(self._stressed) * len(taus)
        return taus if self._solves_together and n_weights <= _MOST_WEIGHTS else []


def _numbered(keys: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return the number of each key among the different ones, and where each of these is first."""
    numbers: dict[Any, int] = {}
    first: list[int] = []
    for i, key in enumerate(keys):
        if key not in numbers:
            numbers[key] = len(first)
            first.append(i)
    return [numbers[key] for key in keys], first
