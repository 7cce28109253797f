"""Parts of the views' content as functions of tau, and their interpolation between nodes.

`uqwidgets.widgets.over_tau` says why, and computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.interpolate import interp1d

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import Populations
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.interpolation import interpolated, nodes
from uqwidgets.widgets.rows.population import Populations as Rows

#: Arrays by name, of shape (levels, ...).
Samples = dict[str, Floats]
Check = Callable[[], None]

# Intervals between the nodes of a side: enough for a first message, and the most there are.
COARSE, _FINEST = 8, 32
# Evenly spaced intervals of a side; the last are the steps of the slider.
_PIECES = (10, 20, 25, 50, 100)
# An error of the nodes before the last ones, in multiples of the tolerance. Twice as many nodes are
# twice as precise even where there are kinks.
_ROUGH = 2.0
#: Distances of these levels from 0.
EVEN = np.linspace(0, 1, _PIECES[-1] + 1)
#: The names of columns that are drawn behind another view begin with this.
OF_OTHERS = "."


@dataclass(frozen=True, eq=False)
class Level:
    """The population of one level of tau, with a function that makes the inputs of that level.

    A page has so many levels that the inputs are made only where a track reads them.
    """

    populations: Rows
    make_inputs: Callable[[], Inputs]

    @property
    def population(self) -> Population:
        """The rows with the weights of this level."""
        return self.populations.now

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs at this level."""
        return self.make_inputs()


#: A function from positions (p,) among some sides and distances (p,) from 0 to these levels.
LevelsOfSides = Callable[[Positions, Floats], list[Level]]


class Derivation(Protocol):
    """Columns that are no smooth functions of tau, as functions of samples that are."""

    def columns(self, samples: Samples) -> Samples:
        """Return the columns."""

    def certain(self, samples: Samples) -> Samples:
        """Return the columns, NaN where the samples do not determine them."""

    def settled(
        self, samples: Sequence[Samples], x: Floats, levels: LevelsOfSides, check: Check
    ) -> list[Samples]:
        """Return the columns of sides at distances x from 0, from levels where not certain."""


@dataclass(frozen=True, eq=False)
class Track:
    """A part of a view's content as a function of tau.

    Attributes
    ----------
    name : str
        Tells apart the tracks of a view.
    key : tuple
        Identifies what it is computed from, besides the rows and the stressed feature.
    sample : callable
        From levels, and a function that is called now and then and may end the work, to arrays
        that are smooth on each side of 0, with the levels as the first axis.
    tolerance : float
        Largest error of the columns in multiples of their ``sizes``.
    sizes : callable
        From columns to the lengths of their axes; columns that it leaves out are not tested.
    start, coarse, finest : int
        Number of intervals between the nodes of a side to begin with, of a first message, and at
        most; powers of two, from 2 on.
    derivation : Derivation, optional
        How the columns follow from samples; the columns are the samples themselves if not given.
    is_large : bool
        Whether a page stores it only to within the tolerance, because it has many columns.
    sizes_in_page : callable, optional
        As ``sizes``, for a page, from columns and those of the view at tau = 0.
    rough : callable, optional
        As ``sample``, less precise and sooner, for a first message.
    band : tuple of str, optional
        Columns of an average and of the lower and upper end of its interval, which are equally far
        from it. The ends have larger errors than the average.
    """

    name: str
    key: tuple[Any, ...]
    sample: Callable[[Sequence[Level], Check], Samples]
    tolerance: float
    sizes: Callable[[Samples], Mapping[str, Any]]
    start: int = 4
    coarse: int = COARSE
    finest: int = _FINEST
    derivation: Derivation | None = None
    is_large: bool = False
    sizes_in_page: Callable[[Samples, Mapping[str, Any]], Mapping[str, Any]] | None = None
    rough: Callable[[Sequence[Level], Check], Samples] | None = None
    band: tuple[str, str, str] | None = None


@dataclass(eq=False)
class Side:
    """Samples at the nodes of one side of 0."""

    sign: float
    m: int = 0
    samples: Samples = field(default_factory=dict)
    error: float = np.inf
    is_done: bool = False
    #: Whether the nodes are too few for the tolerance, unless there will be more.
    is_rough: bool = False
    #: The columns at evenly spaced levels, once they are settled.
    even: Samples | None = None

    def new_nodes(self, track: Track) -> Floats:
        """Levels that the next refinement needs, as distances from 0."""
        return nodes(2 * self.m)[1::2] if self.m else nodes(track.start)

    def add(self, track: Track, exact: Samples) -> None:
        """Add samples at the new nodes; see how far the interpolation was from them."""
        if self.m == 0:
            self.m, self.samples = track.start, exact
            # The nodes of half as many intervals are among them.
            coarse = Side(self.sign, self.m // 2, {k: v[::2] for k, v in exact.items()})
            self.error = coarse.distance(track, {k: v[1::2] for k, v in exact.items()})
        else:
            before, self.error = self.error, self.distance(track, exact)
            old, self.m = self.samples, 2 * self.m
            self.samples = {name: _merged(old[name], exact[name]) for name in old}
            # Of smooth functions the number of correct digits doubles with the nodes.
            ratio = self.error / before if 0 < before < np.inf else 1.0
            smooth = self.m >= COARSE and self.error * ratio**2 <= track.tolerance / 2
            self.is_done = self.m >= track.finest or smooth
            self.is_rough = not smooth and self.error > _ROUGH * track.tolerance
        self.is_done |= self.error <= track.tolerance

    def thinned(self, tolerance: float) -> Side:
        """Return every second node, if what they interpolate is within the tolerance."""
        if self.m < 2 or self.even is not None or not self.error <= tolerance:
            return self
        samples = {name: values[::2] for name, values in self.samples.items()}
        return Side(self.sign, self.m // 2, samples)

    def interpolated(self, x: Floats) -> Samples:
        """Interpolate the samples at distances x (k,) from 0."""
        return {name: interpolated(v, x) for name, v in self.samples.items()}

    def distance(self, track: Track, exact: Samples) -> float:
        """Largest difference of the columns at the new nodes from the interpolated ones."""
        x = nodes(2 * self.m)[1::2]
        near = self.interpolated(x)
        if (derivation := track.derivation) is not None:
            near, exact = derivation.certain(near), derivation.certain(exact)
        # Where samples are not precise enough to tell what is certain, nothing can be compared.
        has_same_gaps = all((np.isfinite(near[k]) == np.isfinite(exact[k])).all() for k in exact)
        return _distance(track, near, exact) if has_same_gaps else np.inf


def _distance(track: Track, approximate: Samples, exact: Samples) -> float:
    """Largest error of columns, in multiples of the length of an axis."""
    largest = 0.0
    for name, size in track.sizes(exact).items():
        if np.ndim(size) == 0 and size > 0:
            error = np.abs(approximate[name] - exact[name]).max(initial=0.0)
            if np.isfinite(error):
                largest = max(largest, float(error / size))
                continue
        known = np.isfinite(exact[name]) & (np.broadcast_to(size, exact[name].shape) > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = (np.abs(approximate[name] - exact[name]) / size)[known]
        largest = max(largest, float(np.nan_to_num(errors, nan=np.inf).max(initial=0.0)))
    return largest


def _merged(old: Floats, new: Floats) -> Floats:
    """Put samples at new nodes between those at the old ones."""
    both = np.empty((len(old) + len(new), *old.shape[1:]))
    both[::2], both[1::2] = old, new
    return both


def joined(sides: Sequence[Side]) -> tuple[Samples, dict[float, int]]:
    """Join the columns of both sides, and count the levels beyond 0 of each, by its sign."""
    return _concatenated([(s.sign, s.samples) for s in sides]), {s.sign: s.m for s in sides}


def settle(track: Track, sides: Sequence[Side], levels: LevelsOfSides, check: Check) -> bool:
    """Compute the columns at evenly spaced levels; False if they were known."""
    assert track.derivation is not None
    if all(side.even is not None for side in sides):
        return False
    samples = [side.interpolated(EVEN) for side in sides]
    every = track.derivation.settled(samples, EVEN, levels, check)
    for side, even in zip(sides, every, strict=True):
        side.even = even
    return True


def in_pieces(
    track: Track, derivation: Derivation, sides: Sequence[Side]
) -> tuple[Samples, dict[float, int]]:
    """Return the columns at evenly spaced levels between which they are nearly straight."""
    x = EVEN
    lines = [(side.sign, side.even or derivation.columns(side.interpolated(x))) for side in sides]

    def is_near(pieces: int) -> bool:
        step = _PIECES[-1] // pieces
        for _, columns in lines:
            straight = {
                name: np.asarray(interp1d(x[::step], v[::step], axis=0)(x), dtype=np.float64)
                for name, v in columns.items()
            }
            if _distance(track, straight, columns) > track.tolerance:
                return False
        return True

    pieces = next((pieces for pieces in _PIECES[:-1] if is_near(pieces)), _PIECES[-1])
    step = _PIECES[-1] // pieces
    parts = [(sign, {name: v[::step] for name, v in columns.items()}) for sign, columns in lines]
    return _concatenated(parts), {side.sign: pieces for side in sides}


def _concatenated(sides: Sequence[tuple[float, Samples]]) -> Samples:
    """Join samples of the sides, ascending from 0, to samples in ascending order."""
    parts = [
        {name: v[::-1] for name, v in samples.items()} if sign < 0 else samples
        for sign, samples in sides
    ]
    if len(parts) == 2:
        below, above = parts
        return {name: np.concatenate([v[:-1], above[name]]) for name, v in below.items()}
    return parts[0] if parts else {}


def stacked(levels: Sequence[Level]) -> Populations:
    """Weights of the rows at every level."""
    weights = np.stack([level.population.weights for level in levels], axis=1)
    n_scored = levels[0].populations.selection.n_rows
    if all(level.population.scored is level.population.weights for level in levels):
        return Populations(weights, weights, n_scored)
    scored = np.stack([level.population.scored for level in levels], axis=1)
    return Populations(weights, scored, n_scored)
