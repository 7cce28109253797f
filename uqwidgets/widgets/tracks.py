"""Parts of the views' content as functions of tau, and their interpolation between nodes.

`uqwidgets.widgets.over_tau` says why, and computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.interpolate import interp1d

from uqwidgets._typing import Floats, Positions
from uqwidgets.widgets.interpolation import interpolated, nodes
from uqwidgets.widgets.levels import Check, Level, LevelsOfSides, Samples

# Intervals between the nodes of a side: enough for a first message, and the most there are.
COARSE, _FINEST = 8, 32
# Evenly spaced intervals of a side; the last are the steps of the slider.
_PIECES = (10, 20, 25, 50, 100)
#: Distances of these levels from 0.
EVEN = np.linspace(0, 1, _PIECES[-1] + 1)
#: Distances of these levels and of all nodes from 0.
EVERY = np.union1d(EVEN, nodes(_FINEST))
# Where the nodes before the last ones had a larger error, in multiples of the tolerance, levels are
# computed. Twice as many nodes are twice as precise even where there are kinks.
_ROUGH = 2.0
# The tolerance of parts, in multiples of that of the track: few nodes tell little of the errors
# between them.
_OF_PARTS = 0.5
# The largest error of derived columns, in multiples of the tolerance, that can be of smooth ones.
_SMOOTH = 4.0
#: The names of columns that are drawn behind another view begin with this.
OF_OTHERS = "."


class Derivation(Protocol):
    """Columns that are no smooth functions of tau, as functions of samples that are."""

    def columns(self, samples: Samples) -> Samples:
        """Return the columns."""

    def certain(self, samples: Samples) -> Samples:
        """Return the columns of samples (sides, levels, ...), NaN where they are not certain."""

    def settled(
        self, sides: Sequence[Side], x: Floats, levels: LevelsOfSides, check: Check
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
        From columns of some sides, (sides, levels, ...), to the lengths of their axes, which
        can be broadcast to them; columns that it leaves out are not tested.
    start, coarse, finest : int
        Number of intervals between the nodes of a side to begin with, of a first message, and at
        most; powers of two, from 2 on.
    derivation : Derivation, optional
        How the columns follow from samples; the columns are the samples themselves if not given.
    is_large : bool
        Whether a page stores it only to within the tolerance, because it has many columns.
    sizes_in_page : callable, optional
        As ``sizes``, for a page, from columns and those of the view at tau = 0.
    sample_parts : callable, optional
        As ``sample``, of some parts at each level, which its second argument tells, an array of
        bool (levels, parts); the others are not read. The parts lie along the last axis of the
        samples and of the columns. Each is sampled at as many nodes as it needs.
    rough : callable, optional
        As ``sample``, less precise and sooner, for a first message.
    band : tuple of str, optional
        Columns of an average and of the lower and upper end of its interval, which are equally far
        from it. The ends have larger errors than the average.
    n_read : int
        Numbers that are read at each level, if another process can have a copy of them and sample
        the track; 0 if not.
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
    sample_parts: Callable[[Sequence[Level], npt.NDArray[np.bool_], Check], Samples] | None = None
    rough: Callable[[Sequence[Level], Check], Samples] | None = None
    band: tuple[str, str, str] | None = None
    n_read: int = 0

    def needs_levels(self, sides: Sequence[Side]) -> bool:
        """Return whether columns are computed at some levels, because they have kinks there."""
        return self.derivation is not None or any(len(side.rough(self)) for side in sides)


@dataclass(eq=False)
class Side:
    """Samples at the nodes of one side of 0.

    A track without parts counts as one part.
    """

    sign: float
    m: int = 0
    samples: Samples = field(default_factory=dict)
    #: The errors, at the latest nodes, of what the nodes before them interpolate (nodes, parts).
    errors: Floats = field(default_factory=lambda: np.empty((0, 1)))
    #: The largest of these errors of each part, where it was sampled last.
    largest: Floats = field(default_factory=lambda: np.array([np.inf]))
    #: The intervals between the nodes at which each part was sampled; between them are others.
    m_of_parts: Positions = field(default_factory=lambda: np.array([0]))
    #: Which parts need more nodes.
    is_open: npt.NDArray[np.bool_] = field(default_factory=lambda: np.array([True]))
    #: Whether the errors decrease as those of a smooth function do, to less than the tolerance.
    is_smooth: bool = False
    #: The columns at evenly spaced levels, once they are settled.
    even: Samples | None = None

    @property
    def error(self) -> float:
        """The largest of the errors of all parts."""
        return float(self.largest.max(initial=0.0))

    @property
    def is_done(self) -> bool:
        """Whether no part needs more nodes."""
        return not self.is_open.any()

    def new_nodes(self, track: Track) -> Floats:
        """Levels that the next refinement needs, as distances from 0."""
        return nodes(2 * self.m)[1::2] if self.m else nodes(track.start)

    def rough(self, track: Track) -> Positions:
        """Places among the even levels where the interpolation may still be off."""
        # With fewer nodes a level takes long.
        if self.is_smooth or track.derivation is not None or track.finest < _FINEST:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(beside(self.errors[:, 0] > _ROUGH * track.tolerance, EVEN))

    def thinned(self, tolerance: float) -> Side:
        """Return every second node, if what they interpolate is within the tolerance."""
        if self.m < 2 or self.even is not None or not self.error <= tolerance:
            return self
        samples = {name: values[::2] for name, values in self.samples.items()}
        return Side(self.sign, self.m // 2, samples)

    def interpolated(self, x: Floats) -> Samples:
        """Interpolate the samples at distances x (k,) from 0."""
        return {name: interpolated(v, x) for name, v in self.samples.items()}


def refine(
    track: Track, sides: Sequence[Side], levels: Sequence[Level], place: Positions, check: Check
) -> None:
    """Add samples at the new nodes of sides, and see how far the interpolation was from them.

    Parameters
    ----------
    track : Track
    sides : sequence of Side
        With equally many nodes.
    levels : sequence of Level
        Those of all new nodes.
    place : ndarray of shape (sides, new nodes)
        The position of each new node among the levels.
    check : callable
    """
    is_first = sides[0].m == 0
    if is_first or track.sample_parts is None:
        samples = track.sample(levels, check)
    else:
        is_open = np.zeros((len(levels), len(sides[0].is_open)), dtype=bool)
        for side, own in zip(sides, place, strict=True):
            is_open[own] |= side.is_open
        samples = track.sample_parts(levels, is_open, check)
    exact = {name: values[place] for name, values in samples.items()}
    if is_first:
        # The nodes of half as many intervals are among them.
        m, samples = track.start, exact
        old = {name: values[:, ::2] for name, values in exact.items()}
        exact = {name: values[:, 1::2] for name, values in exact.items()}
    else:
        m = 2 * sides[0].m
        old = {name: np.stack([side.samples[name] for side in sides]) for name in exact}
    x = nodes(m)[1::2]
    near = {name: interpolated(v.swapaxes(0, 1), x).swapaxes(0, 1) for name, v in old.items()}
    if not is_first:
        if track.sample_parts is not None:
            exact = {name: _of_open_parts(sides, v, near[name]) for name, v in exact.items()}
        samples = {name: _merged(old[name], exact[name]) for name in old}
    if (derivation := track.derivation) is not None:
        near, exact = derivation.certain(near), derivation.certain(exact)
    errors = _errors(track, near, exact)
    # Where samples are not precise enough to tell what is certain, nothing can be compared.
    for name, values in exact.items():
        gaps = np.isfinite(near[name]) != np.isfinite(values)
        errors[_by_parts(track, gaps).any(axis=2)] = np.inf
    _update(track, sides, m, of_sides(samples), errors)


def _update(
    track: Track, sides: Sequence[Side], m: int, samples: Sequence[Samples], errors: Floats
) -> None:
    """Give sides samples at more nodes, with the errors of their interpolation until now.

    Parameters
    ----------
    track : Track
    sides : sequence of Side
    m : int
        Number of intervals between the nodes.
    samples : sequence of dict
    errors : ndarray of shape (sides, latest nodes, parts)
    """
    shape = errors.shape[0], errors.shape[2]
    # What is known of sides without samples, is known of one part.
    before = np.broadcast_to([side.largest for side in sides], shape)
    is_open = np.broadcast_to([side.is_open for side in sides], shape)
    m_of_parts = np.broadcast_to([side.m_of_parts for side in sides], shape)
    largest = errors.max(axis=1, initial=0.0)
    # Of smooth functions the number of correct digits doubles with the nodes.
    has_ratio = (before > 0) & np.isfinite(before)
    ratio = np.divide(largest, before, out=np.ones(shape), where=has_ratio)
    tolerance = track.tolerance * (1.0 if track.sample_parts is None else _OF_PARTS)
    is_smooth = (m >= COARSE) & (largest * ratio**2 <= tolerance / 2)
    if track.derivation is not None:
        # What is derived from smooth samples may have kinks.
        is_smooth &= largest <= _SMOOTH * tolerance
    is_precise = is_smooth | (largest <= tolerance)
    if track.sample_parts is not None:
        # One part may seem to be smooth, or be near at two levels, by chance.
        is_precise = (m >= COARSE) & (largest <= tolerance)
    still_open = is_open & (m < track.finest) & ~is_precise
    largest = np.where(is_open, largest, before)
    m_of_parts = np.where(is_open, m, m_of_parts)
    for i, side in enumerate(sides):
        side.m, side.samples, side.errors = m, samples[i], errors[i]
        side.largest, side.m_of_parts, side.is_open = largest[i], m_of_parts[i], still_open[i]
        side.is_smooth = bool(is_smooth[i].all())


def _of_open_parts(sides: Sequence[Side], exact: Floats, near: Floats) -> Floats:
    """Return samples (sides, nodes, ..., parts), interpolated where a part needs no more nodes."""
    is_open = np.stack([side.is_open for side in sides])
    return np.where(is_open.reshape(len(sides), *[1] * (exact.ndim - 2), -1), exact, near)


def beside(is_far: npt.NDArray[np.bool_], x: Floats) -> npt.NDArray[np.bool_]:
    """Return which distances x (k,) lie beside those of the latest nodes (n, ...) that are far.

    These are as many as the intervals between the nodes before them.
    """
    gap = np.searchsorted(nodes(len(is_far)), x, side="right") - 1
    return np.asarray(is_far[np.minimum(gap, len(is_far) - 1)])


def of_sides(samples: Samples) -> list[Samples]:
    """Return the samples of each side from arrays (sides, levels, ...)."""
    names = list(samples)
    return [dict(zip(names, each, strict=True)) for each in zip(*samples.values(), strict=True)]


def stacked_samples(sides: Sequence[Samples]) -> Samples:
    """Return arrays (sides, levels, ...) from the samples of each side."""
    return {name: np.stack([side[name] for side in sides]) for name in sides[0]}


def extent(columns: Sequence[Floats], first: int) -> Floats:
    """Return the length of the axis on which columns are drawn, 0 where no value is known.

    Parameters
    ----------
    columns : sequence of ndarray of shape (sides, levels, ...)
    first : int
        The axis of the arrays from which on all values have the same axis of the picture.
    """
    axes = tuple(range(first, columns[0].ndim))
    least, largest = [], []
    for column in columns:
        known, low, high = np.isfinite(column), column, column
        if not known.all():
            low, high = (np.where(known, column, none) for none in (np.inf, -np.inf))
        least.append(low.min(axes, keepdims=True))
        largest.append(high.max(axes, keepdims=True))
    high, low = np.max(largest, axis=0), np.min(least, axis=0)
    return np.asarray(np.subtract(high, low, out=np.zeros_like(high), where=high >= low))


def _errors(track: Track, near: Samples, exact: Samples) -> Floats:
    """Largest errors at levels (sides, levels, parts), in multiples of the length of an axis."""
    first = next(iter(exact.values()))
    n_parts = 1 if track.sample_parts is None else first.shape[-1]
    largest = np.zeros((*first.shape[:2], n_parts))
    for name, size in track.sizes(exact).items():
        of_column = np.abs(near[name] - exact[name])
        length = np.asarray(size, dtype=np.float64)
        length = length.reshape(length.shape + (1,) * (of_column.ndim - length.ndim))
        known = np.isfinite(exact[name]) & (length > 0)
        np.divide(of_column, length, out=of_column, where=known)
        of_column[~known] = 0.0
        np.fmax(largest, _by_parts(track, of_column).max(axis=2, initial=0.0), out=largest)
    return largest


def _by_parts(track: Track, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Reshape an array (sides, levels, ...) to (sides, levels, values of a part, parts)."""
    n_parts = 1 if track.sample_parts is None else values.shape[-1]
    return values.reshape(*values.shape[:2], -1, n_parts)


def _merged(old: Floats, new: Floats) -> Floats:
    """Put samples (sides, nodes, ...) at new nodes between those at the old ones."""
    both = np.empty((len(old), old.shape[1] + new.shape[1], *old.shape[2:]))
    both[:, ::2], both[:, 1::2] = old, new
    return both


def joined(sides: Sequence[Side]) -> tuple[Samples, dict[float, int]]:
    """Join the columns of both sides, and count the levels beyond 0 of each, by its sign."""
    return _concatenated([(s.sign, s.samples) for s in sides]), {s.sign: s.m for s in sides}


def settle(track: Track, sides: Sequence[Side], levels: LevelsOfSides, check: Check) -> bool:
    """Compute the columns at evenly spaced levels; False if they were known."""
    if all(side.even is not None for side in sides):
        return False
    if track.derivation is not None:
        samples = track.derivation.settled(sides, EVEN, levels, check)
    else:
        samples = [side.interpolated(EVEN) for side in sides]
        for number, (side, of_side) in enumerate(zip(sides, samples, strict=True)):
            if len(places := side.rough(track)):
                exact = track.sample(levels(np.full(len(places), number), EVEN[places]), check)
                for name, values in exact.items():
                    of_side[name][places] = values
    for side, even in zip(sides, samples, strict=True):
        side.even = even
    return True


def in_pieces(track: Track, sides: Sequence[Side]) -> tuple[Samples, dict[float, int]]:
    """Return the columns at evenly spaced levels between which they are nearly straight."""
    x, lines = EVEN, []
    for side in sides:
        columns = side.even
        if columns is None:
            columns = side.interpolated(x)
            if track.derivation is not None:
                columns = track.derivation.columns(columns)
        lines.append((side.sign, columns))
    every = stacked_samples([columns for _, columns in lines]) if lines else {}

    def is_near(pieces: int) -> bool:
        step = _PIECES[-1] // pieces
        straight = {
            name: np.asarray(interp1d(x[::step], v[:, ::step], axis=1)(x), dtype=np.float64)
            for name, v in every.items()
        }
        return not every or bool((_errors(track, straight, every) <= track.tolerance).all())

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
