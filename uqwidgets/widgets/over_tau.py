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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.widgets.frames import single
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.levels import Check, Level, Samples
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.tracks import OF_OTHERS, Side, Track, in_pieces, joined, refine, settle

if TYPE_CHECKING:
    from uqwidgets.widgets.views.view import View

# Weights that are stored while they are in use.
_MOST_WEIGHTS = 1 << 25


@dataclass(eq=False)
class _Followed:
    """What is known of a track.

    Attributes
    ----------
    key : tuple
        Identifies the rows, and what the track is computed from.
    track : Track
    sides : list of Side
    rough : sequence of Side
        Less precise sides, empty where there are none.
    """

    key: Any
    track: Track
    sides: list[Side]
    rough: Sequence[Side] = ()

    @property
    def first(self) -> Sequence[Side]:
        """The sides of a first message: the rough ones until there are better ones."""
        is_better = all(side.m >= self.track.coarse or side.is_done for side in self.sides)
        return self.sides if is_better or not self.rough else self.rough


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
        self._followed: dict[tuple[str, str], _Followed] = {}
        self._levels: dict[float, Level] = {}
        self._levels_of: Any = None
        # What the last first message was of.
        self._first_key: Any = None
        #: What the last message was of, if it was precise.
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
        followed = [self._known(view, track, rows, signs) for view, track in tracks]
        # The tracks of an earlier request know what they had computed when it was interrupted.
        tracks = [(view, one.track) for (view, _), one in zip(tracks, followed, strict=True)]

        def levels(taus: Floats) -> list[Level]:
            reached = [self._level(inputs, tau, check) for tau in taus.tolist()]
            return [level for level in reached if level is not None]

        for one in followed:
            self._find_rough(one, levels, check)
        # An earlier request sent the first message, and was interrupted before the precise one.
        is_continued = key == self._first_key
        for is_coarse in (True, False):
            is_news = is_coarse != is_continued
            for one in followed:
                if is_coarse and one.rough:
                    continue
                track, most = one.track, one.track.coarse if is_coarse else one.track.finest
                while coarse := [s for s in one.sides if s.m < most and not s.is_done]:
                    check()
                    self._refine(track, coarse, levels, check)
                    is_news = True
                if not is_coarse and track.needs_levels(one.sides):
                    signs_of = np.array([side.sign for side in one.sides])

                    def of_sides(
                        numbers: Positions, x: Floats, signs: Floats = signs_of
                    ) -> list[Level]:
                        return levels(signs[numbers] * x)

                    is_news |= settle(track, one.sides, of_sides, check)
            if is_news:
                check()
                self.key, self._first_key = None, key
                shown = [one.first if is_coarse else one.sides for one in followed]
                yield self._message(
                    inputs, views, tracks, shown, ends, is_coarse=is_coarse, has_pin=has_pin
                )
        self.key = key
        self._levels = {}  # they take the memory of many columns

    def send_again(self) -> None:
        """Yield everything again, because the page has messages of another model."""
        self.key = self._first_key = None

    def _find_rough(
        self, one: _Followed, levels: Callable[[Floats], list[Level]], check: Check
    ) -> None:
        """Compute the rough sides of a track, if it has none and there are no better ones."""
        rough = one.track.rough
        if rough is None or one.rough or any(side.m for side in one.sides):
            return
        check()
        sides = [Side(side.sign) for side in one.sides]
        self._refine(replace(one.track, sample=rough), sides, levels, check)
        one.rough = sides

    def _refine(
        self,
        track: Track,
        sides: Sequence[Side],
        levels: Callable[[Floats], list[Level]],
        check: Check,
    ) -> None:
        """Add nodes to both sides, which are sampled together; 0 belongs to both."""
        new = sides[0].new_nodes(track)
        different, place = np.unique([side.sign * new for side in sides], return_inverse=True)
        refine(track, sides, levels(different), place.reshape(len(sides), len(new)), check)

    def _known(self, view: View, track: Track, rows: Any, signs: list[float]) -> _Followed:
        key = (rows, track.key)
        known = self._followed.get((view.name, track.name))
        if known is None or known.key != key:
            known = _Followed(key, track, [Side(sign) for sign in signs])
            self._followed[view.name, track.name] = known
        return known

    def _level(self, inputs: Inputs, tau: float, check: Check) -> Level | None:
        if tau in self._levels:
            return self._levels[tau]
        at = replace(inputs, tau=tau)
        populations = self._builder.build(at, check)
        if populations is None or (tau and not populations.is_reachable):
            return None
        level = Level.of(populations, {"tau": tau})
        if len(populations.now.weights) * (len(self._levels) + 1) <= _MOST_WEIGHTS:
            self._levels[tau] = level
        return level

    def _message(
        self,
        inputs: Inputs,
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
            is_straight = track.derivation is not None or any(s.even is not None for s in sides)
            own, counts = in_pieces(track, sides) if is_straight else joined(sides)
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
                    "straight": is_straight,
                    "columns": list(own),
                }
            )
        fixed = {
            f"{view.name}.{name}": values
            for view in views
            for name, values in view.profile_over_tau(
                inputs, ends[1].populations, only_known=is_coarse
            ).items()
        }
        texts = {
            f"{view.name}.{name}": [texts[name] for texts in at_levels]
            for view in views
            if (at_levels := [view.texts_over_tau(level.populations) for level in ends])
            for name in at_levels[0]
        }
        meta = {"tracks": described, "fixed": list(fixed), "texts": texts}
        return meta, {**columns, **fixed}


def _in_frame(view: View, name: str) -> str:
    """Return the name of a column in a frame."""
    return name.removeprefix(OF_OTHERS) if name.startswith(OF_OTHERS) else f"{view.name}.{name}"
