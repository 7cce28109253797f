"""The contents of a page: those of all views for every choice that it offers, and over tau."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.frames import plain
from uqwidgets.widgets.over_tau.levels import STOPS, Level, Samples
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.page.keys import is_part, key_of
from uqwidgets.widgets.page.levels import LevelsOfRows, Stressed
from uqwidgets.widgets.page.processes import Processes, StressedColumns
from uqwidgets.widgets.page.store import Store
from uqwidgets.widgets.page.tracks import StoredTracks
from uqwidgets.widgets.rows.population import PopulationBuilder, Populations
from uqwidgets.widgets.views.view import Content, View

#: Inputs that identify a cohort of a page: its rows and their groups, and the means that tau = -1
#: and 1 denote.
ROWS = ("ice_filter", "complement", "anchor", "tail", "held", "groups", "time")

#: What is reported while levels of tau are packed.
PACKING = "packing"

# Columns that are drawn as lines on one axis, and not printed one by one.
_LINES = ("ice", "ends")


@dataclass(frozen=True)
class Choices:
    """The values of the inputs that a reader can choose in a page.

    Attributes
    ----------
    values : mapping of str to sequence
        By the name of the input; the others have one value.
    stressed : sequence of Stressed
    taus : tuple of float
        Levels of each; -1, 0 and 1 are among them.
    """

    values: Mapping[str, Sequence[Any]]
    stressed: Sequence[Stressed]
    taus: tuple[float, ...] = tuple(STOPS.tolist())

    def of(self, view: View, inputs: Inputs) -> list[Inputs]:
        """Return the inputs of all contents of a view."""
        names = [name for name in view.reads if name in self.values]
        every = product(*(self.values[name] for name in names))
        return [replace(inputs, **dict(zip(names, each, strict=True))) for each in every]


class CohortContents:
    """The contents of all views for some of the rows.

    Parameters
    ----------
    views : sequence of View
    builder : PopulationBuilder
    store : Store
    choices : Choices
    inputs : sequence of Inputs
        Of the views that are offered with all choices. They have the same rows; tau has no effect.
    report : callable
        Called with what is being done; what it raises ends the work.
    processes : Processes
    """

    def __init__(
        self,
        views: Sequence[View],
        builder: PopulationBuilder,
        store: Store,
        choices: Choices,
        inputs: Sequence[Inputs],
        report: Callable[[str], None],
        processes: Processes,
    ) -> None:
        self._views = tuple(views)
        self._builder = builder
        self._store = store
        self._choices = choices
        self._inputs = replace(inputs[0], tau=0.0)
        self._report = report
        self._processes = processes
        self._tracks: list[dict[str, Any]] = []
        self._track_numbers: dict[Any, int] = {}
        self._stored_tracks = StoredTracks(store)
        self._entries: dict[str, dict[str, Any]] = {view.name: {} for view in self._views}
        # Largest number of rows with single values in the page, by the name of the view.
        self.most_rows: dict[str, int] = {}
        forms = dict.fromkeys(replace(each, tau=0.0) for each in inputs)
        # The inputs of all contents, by their keys.
        self.every = {
            view: {key_of(view, at): at for form in forms for at in choices.of(view, form)}
            for view in self._views
        }
        self.n_steps = sum(map(len, self.every.values())) + 1

    def add(self) -> None:
        """Compute all contents, except for the tracks that other processes sample."""
        for view, every in self.every.items():
            for key, at in every.items():
                self._add(view, key, at)
        self._report(PACKING)
        self.join()

    def join(self) -> None:
        """Store tracks that were sampled since, alike ones together."""
        self._stored_tracks.join()

    def add_exact(self, inputs: Inputs) -> None:
        """Add the contents of all views at a level of tau, also of those that do not follow it.

        Parameters
        ----------
        inputs : Inputs
            The contents of the same inputs at tau = 0 were added before.
        """
        populations = self._builder.build(inputs, lambda: None)
        if not inputs.tau or populations is None or not populations.is_reachable:
            return
        for view in self._views:
            self._report(view.name)
            entry = self._entries[view.name].get(key_of(view, replace(inputs, tau=0.0)))
            if entry is None:  # no part of the page
                continue
            content = view.complete(inputs, populations, self._check)
            stored = self._stored(view, content, _chunk(view, inputs))
            key = Stressed(inputs.stress_feature, populations.category).key
            level = {"stressed": key, "tau": inputs.tau, "content": stored}
            entry.setdefault("exact", []).append(level)

    @property
    def index(self) -> dict[str, Any]:
        """Description of the contents, in which a column is its number in the store."""
        at = self._inputs.plain()
        return {
            **{name: at[name] for name in ROWS},
            "rows": self._unstressed.selection.n_rows,
            "in_groups": self._unstressed.in_groups,
            "entries": self._entries,
            "tracks": self._tracks,
            "levels": {
                one.key: [level.tau for level in self._levels.reached(one)]
                for one in self._stressed
            },
        }

    def _add(self, view: View, key: str, at: Inputs) -> None:
        self._report(view.name)
        chunk = _chunk(view, at)
        content = self._content(view, at, self._stressed[0] if self._stressed else None)
        if is_part(view.name) and not content.meta:
            return
        entry: dict[str, Any] = {"content": self._stored(view, content, chunk)}
        self._entries[view.name][key] = entry
        if not content.meta or not self._stressed:
            return
        if view.reads_stress:
            entry["stressed"] = {
                one.key: self._stored(view, self._content(view, at, one), chunk)
                for one in self._stressed
            }
            entry["beyond"] = self._beyond(view, at)
            entry["texts"] = self._texts(view)
        entry["tracks"] = [
            self._track(view, track, chunk) for track in view.over_tau(self._stressed[0].inputs(at))
        ]

    @property
    def _stressed(self) -> Sequence[Stressed]:
        return self._choices.stressed

    def _content(self, view: View, at: Inputs, stressed: Stressed | None) -> Content:
        if stressed is None:
            inputs, populations = replace(at, stress_feature=""), self._unstressed
        else:
            inputs, populations = stressed.inputs(at), self._levels.at(stressed, 0.0).populations
        view.content = view.complete(inputs, populations, self._check)
        return view.content

    def _stored(self, view: View, content: Content, chunk: str) -> dict[str, Any]:
        columns: dict[str, int] = {}
        for name, values in content.columns.items():
            if name in view.of_rows:
                # Without lines, no row is in the page at all.
                values = values if self._inputs.ice_lines else values[:0]
                self.most_rows[view.name] = max(self.most_rows.get(view.name, 0), len(values))
            add = self._store.add_lines if name in _LINES else self._store.add
            columns[name] = add(values, chunk)
        meta = {
            name: [] if name in view.of_rows and value and not self._inputs.ice_lines else value
            for name, value in content.meta.items()
        }
        stored = plain(meta)
        if "remarks" in meta:
            # Remarks keep their codes, by which a page tells those that stand at the top.
            stored["remarks"] = list(meta["remarks"])
        return {"meta": stored, "columns": columns}

    def _beyond(self, view: View, at: Inputs) -> dict[str, list[Any]]:
        """Return the meta of a view where the levels of a side cannot be reached."""
        beyond = {}
        for one in self._stressed:
            metas = [None, None]
            for side, sign in enumerate((-1.0, 1.0)):
                populations = self._levels.at(one, sign).populations
                if not populations.is_reachable:
                    metas[side] = plain(view.compute(one.inputs(at, sign), populations).meta)
            if any(metas):
                beyond[one.key] = metas
        return beyond

    def _texts(self, view: View) -> dict[str, dict[str, list[str]]]:
        texts = {}
        for one in self._stressed:
            levels = self._levels.reached(one)
            at_levels = [view.texts_over_tau(level.populations) for level in levels]
            if at_levels[0]:
                texts[one.key] = {name: [t[name] for t in at_levels] for name in at_levels[0]}
        return texts

    def _track(self, view: View, track: Track, chunk: str) -> int:
        """Sample a track for every stressed feature, once, and return its number."""
        key = (view.name, track.name, track.key)
        if key in self._track_numbers:
            return self._track_numbers[key]
        number = self._track_numbers[key] = len(self._tracks)
        self._tracks.append({})

        def store(samples: list[Samples]) -> None:
            self._tracks[number] = self._stored_tracks.add(view.name, track.name, samples, chunk)

        rows = self._stressed_columns
        if rows is not None and self._processes.can_sample(track, rows):
            self._processes.begin(track, rows, store)
        else:
            store(self._levels.sampled(track, self._stressed, self._check))
        return number

    def _check(self) -> None:
        self._report("")

    @cached_property
    def _stressed_columns(self) -> StressedColumns | None:
        """The rows for another process, None if their weights at tau = 0 are not equal."""
        selection = self._unstressed.selection
        if selection.described is not None:
            return None
        columns = {each: selection.column(*each) for each in self._stressed}
        known = {each: column for each, column in columns.items() if column is not None}
        return StressedColumns(self._unstressed.unstressed, known)

    @cached_property
    def _unstressed(self) -> Populations:
        populations = self._builder.build(replace(self._inputs, stress_feature=""), lambda: None)
        assert populations is not None, "a cohort has rows"
        return populations

    @cached_property
    def _levels(self) -> LevelsOfRows:
        n_rows = len(self._unstressed.now.weights)
        return LevelsOfRows(self._solved, n_rows, self._choices.taus)

    def _solved(self, stressed: Stressed, taus: Sequence[float]) -> Iterator[Level]:
        every = self._builder.at_levels(stressed.inputs(self._inputs), taus, lambda: None)
        for tau, populations in zip(taus, every, strict=True):
            yield Level.of(populations, {**stressed.names, "tau": tau})


def _chunk(view: View, inputs: Inputs) -> str:
    """Return the name of the chunk of the store for a content of a view."""
    feature = inputs.feature if "feature" in view.reads else ""
    return " ".join(filter(None, [view.name, feature, inputs.shown_model]))
