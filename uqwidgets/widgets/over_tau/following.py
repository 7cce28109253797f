"""Everything that depends on tau, at the levels of the slider, computed in the background.

The levels nearest to the present tau come first. Each message holds all levels that are known by
then, so that a page that opens later has them too. The model is not called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.frames import single
from uqwidgets.widgets.over_tau.levels import STOPS, Check, Level, Samples
from uqwidgets.widgets.over_tau.tracks import OF_OTHERS, Track
from uqwidgets.widgets.rows.population import PopulationBuilder

if TYPE_CHECKING:
    from uqwidgets.widgets.views.view import View

# Levels of a first message, up to so many rows and with more of them. Each further message has as
# many new levels as there were before.
_FIRST, _FIRST_OF_MANY, _MANY_ROWS = 4, 1, 20_000


@dataclass(eq=False)
class _Followed:
    """What is known of a track.

    Attributes
    ----------
    key : tuple
        Identifies the rows, and what the track is computed from.
    samples : dict of float to dict
        Its columns by level of tau.
    """

    key: Any
    samples: dict[float, Samples] = field(default_factory=dict)


class OverTau:
    """Follows what the views show over tau, for one request after another.

    Levels of a part that a request does not change are used again.

    Parameters
    ----------
    views : sequence of View
    populations : PopulationBuilder
    """

    def __init__(self, views: Sequence[View], populations: PopulationBuilder) -> None:
        self._views = views
        self._builder = populations
        self._followed: dict[tuple[str, str], _Followed] = {}
        # What the last message was of, and how many levels it had.
        self._sent: tuple[Any, int] = (None, 0)
        #: What all levels were sent of.
        self.key: Any = None

    def follow(
        self, inputs: Inputs, check: Check, *, has_pin: bool = False
    ) -> Iterator[tuple[dict[str, Any], Samples]]:
        """Compute what is missing for the request, and yield all that is known, level by level.

        Parameters
        ----------
        inputs : Inputs
            The levels nearest to their tau come first.
        check : callable
            Called often. An exception that it raises ends the work; finished levels stay cached.
        has_pin : bool, default=False
            Whether a pin is drawn behind the views, in place of the columns of `OF_OTHERS`.

        Yields
        ------
        meta, columns : dict
            What describes the columns, and the columns; nothing if the same was yielded before.
        """
        present, inputs = inputs.tau, replace(inputs, tau=0.0)
        views = [view for view in self._views if view.is_read(inputs)]
        tracks = [(view, track) for view in views for track in view.over_tau(inputs)]
        key = (inputs, has_pin, [(view.name, track.name, track.key) for view, track in tracks])
        if key == self.key or not tracks or not inputs.stress_feature:
            return
        self.key = None
        rows = self._builder.rows_key(inputs)
        followed = [self._known(view, track, rows) for view, track in tracks]
        texts: dict[float, dict[str, str]] = {}
        waiting = sorted(STOPS.tolist(), key=lambda tau: abs(tau - present))
        while waiting:
            check()
            levels = self._next(inputs, waiting, len(texts), check)
            for (_, track), one in zip(tracks, followed, strict=True):
                new = [level for level in levels if level.tau not in one.samples]
                if new:
                    check()
                    columns = track.sample(new, check)
                    for at, level in enumerate(new):
                        one.samples[level.tau] = {name: v[at] for name, v in columns.items()}
            for level in levels:
                texts[level.tau] = {
                    f"{view.name}.{name}": text
                    for view in views
                    for name, text in view.texts_over_tau(level.populations).items()
                }
            # An interrupted request may have sent as many levels already.
            if texts and (self._sent[0] != key or len(texts) > self._sent[1] or not waiting):
                check()
                self._sent = key, len(texts)
                yield self._message(tracks, followed, texts, has_pin=has_pin)
        self.key = key

    def send_again(self) -> None:
        """Yield everything again, because the page has messages of another model."""
        self.key, self._sent = None, (None, 0)

    def _known(self, view: View, track: Track, rows: Any) -> _Followed:
        key = (rows, track.key)
        known = self._followed.get((view.name, track.name))
        if known is None or known.key != key:
            known = self._followed[view.name, track.name] = _Followed(key)
        return known

    def _next(
        self, inputs: Inputs, waiting: list[float], n_known: int, check: Check
    ) -> list[Level]:
        """Remove the next levels from those that wait, and return those that can be reached."""
        n_rows = self._builder.n_rows
        n_new = n_known or (_FIRST if n_rows <= _MANY_ROWS else _FIRST_OF_MANY)
        taus, waiting[:] = waiting[:n_new], waiting[n_new:]
        every = self._builder.at_levels(inputs, taus, check)
        return [
            Level.of(populations, {"tau": tau})
            for tau, populations in zip(taus, every, strict=False)
            if not tau or populations.is_reachable
        ]

    def _message(
        self,
        tracks: Sequence[tuple[View, Track]],
        followed: Sequence[_Followed],
        texts: dict[float, dict[str, str]],
        *,
        has_pin: bool,
    ) -> tuple[dict[str, Any], Samples]:
        """Describe and return all columns of the known levels, in ascending order."""
        taus = sorted(texts)
        moving = {view.name for view, _ in tracks}
        columns: Samples = {}
        for (view, _), one in zip(tracks, followed, strict=True):
            for name in one.samples[taus[0]]:
                # What is drawn behind a view follows tau together with it, or not at all.
                is_behind = name.startswith(OF_OTHERS)
                if not is_behind or (not has_pin and name.split(OF_OTHERS)[1] in moving):
                    values = np.stack([one.samples[tau][name] for tau in taus])
                    columns[_in_frame(view, name)] = single(values)
        names = texts[taus[0]]
        meta = {
            "levels": taus,
            "columns": list(columns),
            "texts": {name: [texts[tau][name] for tau in taus] for name in names},
        }
        return meta, columns


def _in_frame(view: View, name: str) -> str:
    """Return the name of a column in a frame."""
    return name.removeprefix(OF_OTHERS) if name.startswith(OF_OTHERS) else f"{view.name}.{name}"
