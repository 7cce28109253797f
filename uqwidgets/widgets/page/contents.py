"""The contents of a page: those of all views for every choice that it offers, and over tau."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import parallel_config

from uqwidgets._typing import Floats, Positions
from uqwidgets.widgets.frames import plain
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.page.store import Store, storable
from uqwidgets.widgets.page.tracks import StoredTracks
from uqwidgets.widgets.rows.population import PopulationBuilder, Populations
from uqwidgets.widgets.stress_profiles import SAME_LEVEL
from uqwidgets.widgets.tracks import EVERY, Level, Side, Track, refine, settle
from uqwidgets.widgets.views.view import Content, View

# Largest error of the curve of a row, or of an end of an interval, as a share of the axis of all;
# that of an end at a level of the table; and steps of a line over tau from the middle to the end of
# its axis: a rounded value is off by 0.025 % of the axis.
_OF_LINES, _OF_PRINTED, _PROFILE_STEPS = 0.002, 1e-6, 1000
# Inputs that sort and fold the rows.
_STRESS = ("stress_feature", "stress_category")
_OF_THE_FRONT_END = (
    *("sort", "top", "clip_lines", "rug", "category_order"),
    *("selection", "row", "what_if"),
)
# Weights that are stored while they are in use.
_MOST_WEIGHTS = 1 << 25

#: Inputs that identify a cohort of a page: its rows, and the means that tau = -1 and 1 denote.
ROWS = ("ice_filter", "complement", "anchor", "tail", "held")

#: Called with what is being done; what it raises ends the work.
Report = Callable[[str], None]


class Stressed(NamedTuple):
    """A feature that can be stressed, with the category whose share is moved if it has any."""

    feature: str
    category: str | None

    @property
    def key(self) -> str:
        """The key under which the page looks it up."""
        return _compact(list(self))

    def inputs(self, inputs: Inputs, tau: float = 0.0) -> Inputs:
        """Return the inputs with this feature stressed."""
        return replace(inputs, **self.names, tau=tau)

    @property
    def names(self) -> dict[str, Any]:
        """The inputs that name it."""
        return {"stress_feature": self.feature, "stress_category": self.category or ""}


@dataclass(frozen=True)
class Choices:
    """The values of the inputs that a reader can choose in a page.

    Attributes
    ----------
    values : mapping of str to sequence
        By the name of the input; the others have one value.
    stressed : sequence of Stressed
    """

    values: Mapping[str, Sequence[Any]]
    stressed: Sequence[Stressed]

    def of(self, view: View, inputs: Inputs) -> list[Inputs]:
        """Return the inputs of all contents of a view."""
        names = [name for name in view.reads if name in self.values]
        every = product(*(self.values[name] for name in names))
        return [replace(inputs, **dict(zip(names, each, strict=True))) for each in every]


class Cohort:
    """The contents of all views for some of the rows.

    Parameters
    ----------
    views : sequence of View
    builder : PopulationBuilder
    store : Store
    choices : Choices
    inputs : Inputs
        With the filter of the rows; tau has no effect.
    report : callable
    n_jobs : int or None
        Processes that compute what tau moves.
    """

    def __init__(
        self,
        views: Sequence[View],
        builder: PopulationBuilder,
        store: Store,
        choices: Choices,
        inputs: Inputs,
        report: Report,
        n_jobs: int | None,
    ) -> None:
        self._views = tuple(views)
        self._builder = builder
        self._store = store
        self._choices = choices
        self._inputs = replace(inputs, tau=0.0)
        self._report = report
        self._n_jobs = n_jobs
        self._known_levels: dict[tuple[Stressed, float], Level] = {}
        self._known_nodes: dict[Any, tuple[list[Level], Positions]] = {}
        self._tracks: list[dict[str, Any]] = []
        self._track_numbers: dict[Any, int] = {}
        self._stored_tracks = StoredTracks(store)
        self._entries: dict[str, dict[str, Any]] = {view.name: {} for view in self._views}
        # Largest number of rows with single values in the page, by the name of the view.
        self.most_rows: dict[str, int] = {}
        self.n_steps = sum(len(choices.of(view, self._inputs)) for view in self._views)

    def add(self, inputs: Sequence[Inputs] = ()) -> None:
        """Compute all contents.

        Parameters
        ----------
        inputs : sequence of Inputs
            Further inputs, of the same rows.
        """
        for view in self._views:
            further = [replace(each, tau=0.0) for each in inputs]
            for at in [*self._choices.of(view, self._inputs), *further]:
                self._add(view, at)
        self._stored_tracks.join()

    def add_exact(self, inputs: Inputs) -> None:
        """Add the contents at a level of tau, which would be interpolated otherwise.

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
            entry = self._entries[view.name][key_of(view, replace(inputs, tau=0.0))]
            content = view.complete(inputs, populations, lambda: self._report(""))
            stored = self._stored(view, content, _chunk(view, inputs), inputs.tau)
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
            "entries": self._entries,
            "tracks": self._tracks,
            "sides": [[one.key, sign] for one, sign in self._sides],
        }

    def _add(self, view: View, at: Inputs) -> None:
        key = key_of(view, at)
        if key in self._entries[view.name]:
            return
        self._report(view.name)
        chunk = _chunk(view, at)
        content = self._content(view, at, self._stressed[0] if self._stressed else None)
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
        profile = view.profile_over_tau(at, self._unstressed, only_known=False)
        entry["profile"] = {name: self._drawn(values, chunk) for name, values in profile.items()}
        entry["texts"] = self._texts(view)
        entry["tracks"] = [
            self._track(view, track, content, chunk)
            for track in view.over_tau(self._stressed[0].inputs(at))
        ]

    @property
    def _stressed(self) -> Sequence[Stressed]:
        return self._choices.stressed

    def _content(self, view: View, at: Inputs, stressed: Stressed | None) -> Content:
        if stressed is None:
            inputs, populations = replace(at, stress_feature=""), self._unstressed
        else:
            inputs, populations = stressed.inputs(at), self._level(stressed, 0.0).populations
        view.content = view.complete(inputs, populations, lambda: self._report(""))
        return view.content

    def _stored(self, view: View, content: Content, chunk: str, tau: float = 0.0) -> dict[str, Any]:
        columns: dict[str, int] = {}
        for name, values in content.columns.items():
            if name in view.of_rows:
                # Without lines, no row is in the page at all.
                values = values if self._inputs.ice_lines else values[:0]
                self.most_rows[view.name] = max(self.most_rows.get(view.name, 0), len(values))
            if name in columns:
                continue
            half = _half_width(content.columns) if name == "low" and "average" in columns else None
            if half is not None:
                low, high = self._store.add_band(columns["average"], half, chunk)
                columns |= {"low": low, "high": high}
            elif name == "ice":
                columns[name] = self._store.add_lines(values, _OF_LINES * _extent(values), chunk)
            elif name in view.of_levels:
                printed = np.append(content.columns["taus"], tau)
                far = np.abs(np.subtract.outer(content.columns["end_taus"], printed)).min(axis=1)
                tolerance = np.where(far < SAME_LEVEL, _OF_PRINTED, _OF_LINES) * _extent(values)
                columns[name] = self._store.add_lines(values, tolerance, chunk)
            else:
                columns[name] = self._store.add(values, chunk)
        meta = {
            name: [] if name in view.of_rows and value and not self._inputs.ice_lines else value
            for name, value in content.meta.items()
        }
        return {"meta": plain(meta), "columns": columns}

    def _beyond(self, view: View, at: Inputs) -> dict[str, list[Any]]:
        """Return the meta of a view where the levels of a side cannot be reached."""
        beyond = {}
        for one in self._stressed:
            metas = [None, None]
            for side, sign in enumerate((-1.0, 1.0)):
                populations = self._level(one, sign).populations
                if not populations.is_reachable:
                    metas[side] = plain(view.compute(one.inputs(at, sign), populations).meta)
            if any(metas):
                beyond[one.key] = metas
        return beyond

    def _texts(self, view: View) -> dict[str, dict[str, list[str]]]:
        texts = {}
        for one in self._stressed:
            signs = self._signs(one)
            taus = [-1.0 if -1.0 in signs else 0.0, 0.0, 1.0 if 1.0 in signs else 0.0]
            at_levels = [view.texts_over_tau(self._level(one, tau).populations) for tau in taus]
            if at_levels[0]:
                texts[one.key] = {name: [t[name] for t in at_levels] for name in at_levels[0]}
        return texts

    def _drawn(self, values: Floats, chunk: str) -> int:
        """Store lines over tau, which the page draws, or their levels."""
        if values.ndim < 2:
            return self._store.add(values, chunk)
        return self._store.add_scaled(values.T, chunk, _PROFILE_STEPS, is_transposed=True)

    def _track(self, view: View, track: Track, content: Content, chunk: str) -> int:
        """Sample a track for every stressed feature, once, and return its number."""
        key = (view.name, track.name, track.key)
        if key not in self._track_numbers:
            sides = [Side(sign) for _, sign in self._sides]
            with self._jobs():
                while todo := [
                    i for i, s in enumerate(sides) if s.m < track.finest and not s.is_done
                ]:
                    some = [sides[i] for i in todo]
                    new = tuple(some[0].new_nodes(track).tolist())
                    levels, place = self._nodes(tuple(todo), new, is_joint=not view.reads_stress)
                    refine(track, some, levels, place, lambda: self._report(""))
                if track.needs_levels(sides):
                    settle(track, sides, self._levels_of_sides, lambda: self._report(""))
            if track.sizes_in_page is not None:
                in_page = track.sizes_in_page
                track = replace(track, sizes=lambda each: in_page(each, content.columns))
            self._track_numbers[key] = len(self._tracks)
            self._tracks.append(self._stored_tracks.add(view.name, track, sides, chunk))
        return self._track_numbers[key]

    def _jobs(self) -> AbstractContextManager[Any]:
        """Set the number of processes, where no model is called."""
        return nullcontext() if self._n_jobs is None else parallel_config(n_jobs=self._n_jobs)

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
            Whether all sides have one level without stress, as views that read the rows alone do.

        Returns
        -------
        levels : list of Level
        place : ndarray of shape (sides, distances)
        """
        key = numbers, distances, is_joint
        if key not in self._known_nodes:
            sides = [self._sides[number] for number in numbers]
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

    def _levels_of_sides(self, numbers: Positions, x: Floats) -> list[Level]:
        """Return levels by the positions (p,) of their sides and their distances (p,) from 0."""
        sides = [self._sides[number] for number in numbers.tolist()]
        return self._levels(
            [(one, sign * each) for (one, sign), each in zip(sides, x.tolist(), strict=True)]
        )

    @cached_property
    def _sides(self) -> list[tuple[Stressed, float]]:
        """What is stressed, with the sides of 0 that can be reached; the order of the store."""
        return [(one, sign) for one in self._stressed for sign in self._signs(one)]

    def _signs(self, stressed: Stressed) -> list[float]:
        """Return the sides of 0 that can be reached."""
        return [
            sign for sign in (-1.0, 1.0) if self._level(stressed, sign).populations.is_reachable
        ]

    def _levels(self, places: Sequence[tuple[Stressed, float]]) -> list[Level]:
        """Return levels of features, of which the weights are solved for feature by feature."""
        unknown: dict[Stressed, list[float]] = {}
        for stressed, tau in dict.fromkeys(places):
            if (stressed, tau) not in self._known_levels:
                unknown.setdefault(stressed, []).append(tau)
        for stressed, taus in unknown.items():
            self._solve(stressed, taus)
        return [self._level(*place) for place in places]

    def _level(self, stressed: Stressed, tau: float) -> Level:
        if (stressed, tau) not in self._known_levels:
            self._solve(stressed, [tau])
        known = self._known_levels.get((stressed, tau))
        return next(self._at_levels(stressed, [tau])) if known is None else known

    def _solve(self, stressed: Stressed, taus: Sequence[float]) -> None:
        """Solve for the weights at levels of a feature and at those needed later, if there is room.

        Together they take hardly longer than those of one level.
        """
        every = dict.fromkeys([*taus, *self._ahead])
        room = _MOST_WEIGHTS // self._n_rows - len(self._known_levels)
        new = [tau for tau in every if (stressed, tau) not in self._known_levels][: max(0, room)]
        if new:
            for tau, level in zip(new, self._at_levels(stressed, new), strict=True):
                self._known_levels[stressed, tau] = level

    def _at_levels(self, stressed: Stressed, taus: Sequence[float]) -> Iterator[Level]:
        inputs = stressed.inputs(self._inputs)
        every = self._builder.at_levels(inputs, taus, lambda: None)
        for tau, populations in zip(taus, every, strict=True):
            yield Level(populations, {**stressed.names, "tau": tau})

    @cached_property
    def _ahead(self) -> list[float]:
        """Levels of tau that tracks may need, if their weights are few."""
        taus = [*(-EVERY[:0:-1]).tolist(), *EVERY.tolist()]
        n_weights = self._n_rows * len(self._stressed) * len(taus)
        # With weights at tau = 0, those of each level are solved for by themselves.
        is_described = self._unstressed.selection.described is not None
        return [] if is_described or n_weights > _MOST_WEIGHTS else taus

    @cached_property
    def _unstressed(self) -> Populations:
        populations = self._builder.build(replace(self._inputs, stress_feature=""), lambda: None)
        assert populations is not None, "a cohort has rows"
        return populations

    @property
    def _n_rows(self) -> int:
        """Number of all rows, of which those of the cohort have weights."""
        return len(self._unstressed.now.weights)


def _half_width(columns: Mapping[str, npt.NDArray[Any]]) -> Floats | None:
    """Half the width of a band about an average, if both are as precise as those of its ends."""
    if not {"average", "low", "high"} <= columns.keys():
        return None
    average, low, high = (columns[name].astype(np.float64) for name in ("average", "low", "high"))
    half = np.asarray((high - low) / 2)
    ends = np.stack([average - half - low, average + half - high])
    largest = np.abs([average, low, high]).max(axis=0)
    return half if bool((np.abs(ends) <= np.finfo(np.float32).eps * largest).all()) else None


def key_of(view: View, inputs: Inputs) -> str:
    """Return the key under which the page looks up a content of a view: its inputs."""
    values = inputs.plain()
    return _compact([values[name] for name in reads_of(view)])


def reads_of(view: View) -> list[str]:
    """Return the inputs that a content depends on; only the front end reads the others."""
    return [name for name in view.reads if name not in (*_OF_THE_FRONT_END, *_STRESS)]


def _extent(values: Floats) -> float:
    """Return the distance from the least to the largest value; those not finite do not count."""
    finite = values[storable(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def _numbered(keys: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return the number of each key among the different ones, and where each of these is first."""
    numbers: dict[Any, int] = {}
    first: list[int] = []
    for i, key in enumerate(keys):
        if key not in numbers:
            numbers[key] = len(first)
            first.append(i)
    return [numbers[key] for key in keys], first


def _compact(value: list[Any]) -> str:
    """Write a value as ``JSON.stringify`` does."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _chunk(view: View, inputs: Inputs) -> str:
    """Return the name of the chunk of the store for a content of a view."""
    return f"{view.name} {inputs.feature}" if "feature" in view.reads else view.name
