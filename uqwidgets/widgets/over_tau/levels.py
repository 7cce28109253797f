"""The levels of tau of the slider and of a page, and the rows with their weights at each.

At each of these 41 levels every number is exact. A level between two of them is a request as any
other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import ManyPopulations
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.rows.population import Populations

#: The levels, 0.05 apart; -1, 0 and 1 are among them.
STOPS: Floats = np.arange(-20, 21) / 20
STOPS.flags.writeable = False
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
    rows: Populations | None = None

    @classmethod
    def of(cls, populations: Populations, stress: Mapping[str, Any]) -> Level:
        """Return the level of the populations of a request."""
        return cls(populations.now, stress, populations.is_reachable, populations)

    @property
    def populations(self) -> Populations:
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


def at_each(
    of_level: Callable[[Level, Check], Mapping[str, Any]], levels: Sequence[Level], check: Check
) -> Samples:
    """Stack the columns that a function returns of each level; None stands for no value."""
    every = []
    for level in levels:
        check()
        every.append(of_level(level, check))
    return {name: np.array([each[name] for each in every], np.float64) for name in every[0]}


def stacked(levels: Sequence[Level]) -> ManyPopulations:
    """Weights of the rows at every level."""
    weights = np.stack([level.population.weights for level in levels], axis=1)
    groups = levels[0].population.groups
    if all(level.population.scored is level.population.weights for level in levels):
        return ManyPopulations(weights, weights, groups)
    scored = np.stack([level.population.scored for level in levels], axis=1)
    return ManyPopulations(weights, scored, groups)
