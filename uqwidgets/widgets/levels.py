"""Levels of tau: the rows with their weights at each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import Populations
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.rows.population import Populations as Rows

#: Arrays by name, of shape (levels, ...).
Samples = dict[str, Floats]
#: Called often; what it raises ends the work.
Check = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Level:
    """The rows at one level of tau.

    Attributes
    ----------
    population : Population
        The rows with the weights of this level.
    stress : dict
        The inputs that decide the level: tau, and the stressed feature with its category where
        these are not those of the track.
    is_reachable : bool
        Whether there are weights that reach the level.
    rows : Populations or None
        The populations of a request; None in a process that has the weights alone.
    """

    population: Population
    stress: Mapping[str, Any]
    is_reachable: bool = True
    rows: Rows | None = None

    @classmethod
    def of(cls, populations: Rows, stress: Mapping[str, Any]) -> Level:
        """Return the level of the populations of a request."""
        return cls(populations.now, stress, populations.is_reachable, populations)

    @property
    def populations(self) -> Rows:
        """The populations of a request with this level."""
        assert self.rows is not None, "this process has the weights alone"
        return self.rows

    @property
    def tau(self) -> float:
        """The level."""
        return float(self.stress["tau"])

    def inputs(self, inputs: Inputs) -> Inputs:
        """Return the inputs of a track at this level."""
        return replace(inputs, **self.stress)


#: A function from positions (p,) among some sides and distances (p,) from 0 to these levels.
LevelsOfSides = Callable[[Positions, Floats], list[Level]]


def stacked(levels: Sequence[Level]) -> Populations:
    """Weights of the rows at every level."""
    first = levels[0].population
    weights = np.stack([level.population.weights for level in levels], axis=1)
    n_scored = len(first.weights) if first.rows is None else len(first.rows)
    if all(level.population.scored is level.population.weights for level in levels):
        return Populations(weights, weights, n_scored)
    scored = np.stack([level.population.scored for level in levels], axis=1)
    return Populations(weights, scored, n_scored)
