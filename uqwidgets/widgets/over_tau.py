r"""Everything that depends on tau, at a few levels, from which the front end shows any level.

As functions of tau, weighted means are smooth on [-1, 0] and on [0, 1]: the target mean moves
linearly on each side, and the tilted weights are analytic in it (Bachoc et al. 2023, section 2.2);
there is a kink at 0. So the content of the views is computed at the Chebyshev-Lobatto nodes of each
side and interpolated between them by the barycentric formula (Berrut and Trefethen 2004, eqs. 4.2,
5.4). The number of nodes is doubled until the interpolated values agree with the computed ones; no
node is computed twice. A side whose levels no weights reach has no nodes. The model is not called.

Quantities that are not smooth, such as the ends of intervals, are quick functions of quantities
that are. They are computed from the interpolated ones, and sent at evenly spaced levels, as many as
straight lines between them need for the same precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.interpolate import interp1d

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference.population import Population
from uqwidgets.inference.populations import Populations
from uqwidgets.widgets.frames import single
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.interpolation import interpolated, nodes
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.rows.population import Populations as Rows

if TYPE_CHECKING:
    from uqwidgets.widgets.views.view import View

#: Arrays by name, of shape (levels, ...).
Samples = dict[str, Floats]
Check = Callable[[], None]

# Intervals between the nodes of a side: enough for a first message, and the most there are.
COARSE, _FINEST = 8, 32
# Evenly spaced intervals of a side; the last are the steps of the slider.
_PIECES = (10, 20, 25, 50, 100)
_EVEN = np.linspace(0, 1, _PIECES[-1] + 1)
#: The names of columns that are drawn behind another view begin with this.
OF_OTHERS = "."
_MOST_WEIGHTS = 1 << 25  # stored while they are in use


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


@dataclass(eq=False)
class Side:
    """Samples at the nodes of one side of 0."""

    sign: float
    m: int = 0
    samples: Samples = field(default_factory=dict)
    error: float = np.inf
    is_done: bool = False
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


class OverTau:
    """Follows what the views show over tau, for one request after another.

    Samples of a part that a request does not change are used again.

    Parameters
    ----------
    views : sequence of View
    populations : PopulationBuilder
    """

    def __init__(self, views: Sequence[View], populations: PopulationBuilder) -> None:
        self._views = views
        self._builder = populations
        self._sides: dict[tuple[str, str], tuple[Any, Track, list[Side]]] = {}
        self._levels: dict[float, Level] = {}
        self._levels_of: Any = None
        #: What was published last.
        self.key: Any = None

    def follow(
        self, inputs: Inputs, check: Check, *, has_pin: bool = False
    ) -> Iterator[tuple[dict[str, Any], Samples]]:
        """Compute what is missing for the request, and yield all of it: soon, and when precise.

        Parameters
        ----------
        inputs : Inputs
            Whatever their tau.
        check : callable
            Called often. An exception that it raises ends the work; finished tracks stay cached.
        has_pin : bool, default=False
            Whether a pin is drawn behind the views, in place of the columns of `OF_OTHERS`.

        Yields
        ------
        meta, columns : dict
            What describes the columns, and the columns; nothing if the same was yielded before.
        """
        inputs = replace(inputs, tau=0.0)
        views = [view for view in self._views if view.is_read(inputs)]
        tracks = [(view, track) for view in views for track in view.over_tau(inputs)]
        key = (inputs, has_pin, [(view.name, track.name, track.key) for view, track in tracks])
        if key == self.key or not tracks or not inputs.stress_feature:
            return
        rows = self._builder.rows_key(inputs)
        if rows != self._levels_of:
            self._levels, self._levels_of = {}, rows
        start = self._level(inputs, 0.0, check)
        if start is None:
            return
        below, above = (self._level(inputs, sign, check) for sign in (-1.0, 1.0))
        signs = [s for s, level in ((-1.0, below), (1.0, above)) if level is not None]
        ends = [below or start, start, above or start]
        known = [self._known(view, track, rows, signs) for view, track in tracks]
        # The tracks of an earlier request know what they had computed when it was interrupted.
        tracks = [(view, track) for (view, _), (track, _) in zip(tracks, known, strict=True)]
        followed = [sides for _, sides in known]

        def levels(taus: Floats) -> list[Level]:
            reached = [self._level(inputs, tau, check) for tau in taus.tolist()]
            return [level for level in reached if level is not None]

        for is_coarse in (True, False):
            is_news = False
            for (_, track), sides in zip(tracks, followed, strict=True):
                most = track.coarse if is_coarse else track.finest
                while coarse := [s for s in sides if s.m < most and not s.is_done]:
                    check()
                    self._refine(track, coarse, levels, check)
                    is_news = True
                if track.derivation is not None and not is_coarse:
                    signs_of = np.array([side.sign for side in sides])

                    def of_sides(
                        numbers: Positions, x: Floats, signs: Floats = signs_of
                    ) -> list[Level]:
                        return levels(signs[numbers] * x)

                    is_news |= settle(track, sides, of_sides, check)
            if is_news or is_coarse:
                check()
                yield self._message(
                    views, tracks, followed, ends, is_coarse=is_coarse, has_pin=has_pin
                )
        self.key = key
        self._levels = {}  # they take the memory of many columns

    def _refine(
        self,
        track: Track,
        sides: Sequence[Side],
        levels: Callable[[Floats], list[Level]],
        check: Check,
    ) -> None:
        """Add nodes to both sides, which are sampled together; 0 belongs to both."""
        new = [side.new_nodes(track) for side in sides]
        taus = np.concatenate([s.sign * x for s, x in zip(sides, new, strict=True)])
        different, place = np.unique(taus, return_inverse=True)
        samples = track.sample(levels(different), check)
        places = np.split(place, np.cumsum([len(x) for x in new])[:-1])
        for side, own in zip(sides, places, strict=True):
            side.add(track, {name: values[own] for name, values in samples.items()})

    def _known(
        self, view: View, track: Track, rows: Any, signs: list[float]
    ) -> tuple[Track, list[Side]]:
        key = (rows, track.key)
        known = self._sides.get((view.name, track.name))
        if known is None or known[0] != key:
            self._sides[view.name, track.name] = known = key, track, [Side(s) for s in signs]
        return known[1:]

    def _level(self, inputs: Inputs, tau: float, check: Check) -> Level | None:
        if tau in self._levels:
            return self._levels[tau]
        at = replace(inputs, tau=tau)
        populations = self._builder.build(at, check)
        if populations is None or (tau and not populations.is_reachable):
            return None
        level = Level(populations, lambda: at)
        if len(populations.now.weights) * (len(self._levels) + 1) <= _MOST_WEIGHTS:
            self._levels[tau] = level
        return level

    def _message(
        self,
        views: Sequence[View],
        tracks: Sequence[tuple[View, Track]],
        followed: Sequence[Sequence[Side]],
        ends: Sequence[Level],
        *,
        is_coarse: bool,
        has_pin: bool,
    ) -> tuple[dict[str, Any], Samples]:
        """Describe and return all columns; levels in ascending order, 0 once."""
        described: list[dict[str, Any]] = []
        columns: Samples = {}
        moving = {view.name for view, _ in tracks}
        for (view, track), sides in zip(tracks, followed, strict=True):
            if track.derivation is None:
                own, counts = joined(sides)
            else:
                own, counts = in_pieces(track, track.derivation, sides)
            own = {
                _in_frame(view, name): single(values)
                for name, values in own.items()
                # What is drawn behind a view follows tau together with it, or not at all.
                if not name.startswith(OF_OTHERS)
                or (not has_pin and name.split(OF_OTHERS)[1] in moving)
            }
            columns |= own
            described.append(
                {
                    "below": counts.get(-1.0, 0),
                    "above": counts.get(1.0, 0),
                    "straight": track.derivation is not None,
                    "columns": list(own),
                }
            )
        fixed = {
            f"{view.name}.{name}": values
            for view in views
            for name, values in view.profile_over_tau(ends[1], only_known=is_coarse).items()
        }
        texts = {
            f"{view.name}.{name}": [texts[name] for texts in at_levels]
            for view in views
            if (at_levels := [view.texts_over_tau(level) for level in ends])
            for name in at_levels[0]
        }
        meta = {"tracks": described, "fixed": list(fixed), "texts": texts}
        return meta, {**columns, **fixed}


def _in_frame(view: View, name: str) -> str:
    """Return the name of a column in a frame."""
    return name.removeprefix(OF_OTHERS) if name.startswith(OF_OTHERS) else f"{view.name}.{name}"


def joined(sides: Sequence[Side]) -> tuple[Samples, dict[float, int]]:
    """Join the columns of both sides, and count the levels beyond 0 of each, by its sign."""
    return _concatenated([(s.sign, s.samples) for s in sides]), {s.sign: s.m for s in sides}


def settle(track: Track, sides: Sequence[Side], levels: LevelsOfSides, check: Check) -> bool:
    """Compute the columns at evenly spaced levels; False if they were known."""
    assert track.derivation is not None
    if all(side.even is not None for side in sides):
        return False
    samples = [side.interpolated(_EVEN) for side in sides]
    every = track.derivation.settled(samples, _EVEN, levels, check)
    for side, even in zip(sides, every, strict=True):
        side.even = even
    return True


def in_pieces(
    track: Track, derivation: Derivation, sides: Sequence[Side]
) -> tuple[Samples, dict[float, int]]:
    """Return the columns at evenly spaced levels between which they are nearly straight."""
    x = _EVEN
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
