"""The importance view: every feature, for one or two measures side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.replacement import Replacement
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import (
    Settings,
    importance_of_changes,
    remarks_on_ceiling,
    remarks_on_pairs,
)
from uqwidgets.importance.html import importance_html
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import OVER_REPEATS
from uqwidgets.inference import Change, bounds, checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.model_info import LEVEL, importance_measures
from uqwidgets.widgets.population import Populations
from uqwidgets.widgets.repeats import FEWEST, RepeatChanges
from uqwidgets.widgets.views.view import Availability, Content, Key, Step, Urgency, View, Work

# Values that are summed before the work checks for a newer request.
_CHUNK = 2_000_000
# The first feature is picked of so many repeats, for with fewer another one may be first.
_REPEATS_BEFORE_CHOICE = 10
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))

#: Called with how many features are summed, and of how many; what it raises stops the sums.
Report = Callable[[int, int], None]


class Sums(NamedTuple):
    """Means of changes with their intervals, each of shape (measures, features).

    Attributes
    ----------
    value, low, high : ndarray
    pairs : list of float, length p
        Effective number of pairs of a scored row and its donor for each feature.
    """

    value: Floats
    low: Floats
    high: Floats
    pairs: list[float]


class ImportanceView(View):
    """Importance of every feature, for one or two measures side by side."""

    name = "importance"
    reads = ("n_repeats", "interval")
    is_overview = True

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self.measures = importance_measures(explainer)
        self.repeats = RepeatChanges(
            explainer.evaluations, explainer.features, self.measures, explainer.seed
        )
        self._unstressed: dict[Key, Sums] = {}
        self._seconds_per_value = 1e-8

    def replacements(self, inputs: Inputs) -> Sequence[Replacement]:
        """Return the permutations of every feature, as many repeats as fit in the memory."""
        return self.repeats.replacements(self.n_target(inputs))

    def n_target(self, inputs: Inputs) -> int:
        """Return how many repeats are requested and fit in the memory."""
        return min(inputs.n_repeats, self.repeats.most_repeats)

    def n_known(self, most: int) -> int:
        """Return how many repeats, up to ``most``, are known of every feature."""
        return min(most, self.repeats.n_repeats)

    def compute(
        self,
        inputs: Inputs,
        populations: Populations,
        n_repeats: int | None = None,
        report: Report = lambda *_: None,
    ) -> Content:
        """Sum what the model answered; this needs no model call.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        n_repeats : int, optional
            All that are known if not given.
        report : callable, optional
        """
        n_repeats = self.n_known(self.n_target(inputs)) if n_repeats is None else n_repeats
        now = self._sums(populations.now, inputs, n_repeats, report)
        key = (populations.rows_key, inputs.interval)
        if populations.now is populations.unstressed:
            self._unstressed = {key: now}
        elif key not in self._unstressed:
            unstressed = self._sums(populations.unstressed, inputs, n_repeats, report)
            self._unstressed = {key: unstressed}
        base = self._unstressed[key].value
        scored = populations.now.scored
        originals = [self.explainer.evaluations.original_values(m) for m in self.measures]
        remarks = [
            *(
                r
                for m, o in zip(self.measures, originals, strict=True)
                for r in remarks_on_ceiling(m, o)
            ),
            *remarks_on_pairs(now.pairs),
        ]
        meta = {
            "measures": [
                {
                    "name": m.name,
                    "label": m.label,
                    "unit": m.unit,
                    "baseline": dot(original, scored) / scored.sum(),
                }
                for m, original in zip(self.measures, originals, strict=True)
            ],
            "order": np.argsort(-base[0], kind="stable"),
            "n_repeats": n_repeats,
            "n_repeats_wanted": inputs.n_repeats,
            "n_rows": len(populations.now.positions),
            "interval": inputs.interval,
            "level": LEVEL,
            "remarks": remarks,
        }
        columns = {"value": now.value, "low": now.low, "high": now.high, "base": base}
        return Content(meta, columns, self._content_key(inputs, populations, n_repeats))

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the importance by the repeats that are known."""
        n_repeats = self._n_usable(inputs)
        if not n_repeats:
            return ""
        return importance_html(*self._importances(inputs, n_repeats, population, check))

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the importance by each measure, of the repeats that are known."""
        n_repeats = self._n_usable(inputs)
        population = populations.reached(inputs)
        if not n_repeats:
            return {}
        importances = self._importances(inputs, n_repeats, population, check)
        return {importance.measure: importance for importance in importances}

    def ghost(
        self, pinned: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Floats]:
        """Return the importance of a pin, of the repeats that are known."""
        n_repeats = self._n_usable(pinned)
        if not n_repeats or not populations.is_reachable:
            return {}
        sums = self._sums(populations.now, pinned, n_repeats, lambda *_: check())
        return {"ghost": sums.value}

    def _n_usable(self, inputs: Inputs) -> int:
        """Return how many repeats are known; 0 if too few for the interval."""
        known = self.n_known(self.n_target(inputs))
        return 0 if known < 2 and inputs.interval in OVER_REPEATS else known

    def _importances(
        self,
        inputs: Inputs,
        n_repeats: int,
        population: Population,
        check: Callable[[], None],
    ) -> list[Importance]:
        ex, settings = self.explainer, self._settings(inputs, n_repeats)

        def change(m: int, feature: str) -> Change:
            check()
            return self.repeats.change(m, feature, n_repeats, population)

        return [
            importance_of_changes(
                ex.evaluations,
                measure,
                ex.features,
                population,
                settings,
                (change(m, feature) for feature in ex.features),
            )
            for m, measure in enumerate(self.measures)
        ]

    def show_cached(self, work: Work) -> Availability:
        """Sum as many of the known repeats as there is time for."""
        target = self.n_target(work.inputs)
        known = self.n_known(target)
        if not known:
            return Availability(is_shown=False, is_complete=False)
        n_repeats = self._affordable(known, work)
        self._show(work, n_repeats)
        return Availability(is_shown=True, is_complete=n_repeats == target)

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate repeats; with a few of them, pick a feature where none is picked."""
        inputs, target = work.inputs, self.n_target(work.inputs)
        total = self.repeats.work(target)

        def report(what: str, n_answered: int) -> None:
            done = total - self.repeats.work(target) + n_answered
            seconds = self.repeats.seconds(target, n_answered) + work.seconds_ahead(besides=self)
            repeats = f"{self.n_known(target)} of {target} repeats"
            work.report(f"{what}, {repeats}", done, total, seconds)

        def first_look() -> None:
            # Every view is shown before further repeats, which only narrow the intervals.
            if is_long:
                self._evaluate(work, min(target, FEWEST), report)
            if not inputs.feature:
                if not (is_long and self._leads_clearly(work)):
                    self._evaluate(work, min(target, _REPEATS_BEFORE_CHOICE), report)
                self._choose(work)

        def refine() -> None:
            known = self.n_known(target)
            if self.content.meta.get("n_repeats", 0) < known:
                # Summing all repeats of many rows takes a while: not while a control moves.
                work.wait_for_rest()
                self._show(work, known)

        is_long = work.seconds_ahead() > work.timing.long_work
        if is_long:
            yield Step(Urgency.FIRST, lambda: report(self.name, 0))
        yield Step(Urgency.OVERVIEW, first_look)
        yield Step(Urgency.PRECISION, lambda: self._evaluate(work, target, report))
        yield Step(Urgency.REFINEMENT, refine)

    def is_stale(self, work: Work) -> bool:
        """Whether the content is of other rows or weights."""
        populations, key = work.populations, self.content.key
        return populations is None or key is None or key[0] != populations.key

    def seconds_ahead(self, inputs: Inputs) -> float:
        """Model time that the missing repeats take, in seconds."""
        return self.repeats.seconds(self.n_target(inputs))

    def notes(self, inputs: Inputs) -> Iterable[str]:
        """Say how many repeats fit in the memory, if not all do."""
        target, n_repeats = self.n_target(inputs), inputs.n_repeats
        if target < n_repeats:
            limit = self.explainer.evaluations.memory_limit
            yield (
                f"importance rests on {target} of {n_repeats} repeats, for more do not fit in "
                f"memory_limit={_size(limit, floor)!r}; "
                f"memory_limit={_size(self.repeats.required_memory(n_repeats), ceil)!r} holds all"
            )

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say how many repeats are known, if not all are."""
        target = self.n_target(inputs)
        known = self.n_known(target)
        return f"at {known} of {target} repeats" if known < target else None

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether as many repeats as failed are requested again."""
        return bool(key[0] <= inputs.n_repeats)

    def _content_key(self, inputs: Inputs, populations: Populations, n_repeats: int) -> Key:
        return (populations.key, inputs.interval, n_repeats)

    def _evaluate(self, work: Work, n_repeats: int, report: Callable[[str, int], None]) -> None:
        while (known := self.n_known(n_repeats)) < n_repeats:
            step = n_repeats
            if self.repeats.seconds(n_repeats) > work.timing.long_work:
                step = min(n_repeats, max(FEWEST, 2 * known))

            def extend(step: int = step) -> None:
                self.repeats.extend(step, report)

            if not self.attempt(work, (step,), extend):
                return
            self._show(work, self._affordable(step, work))
            work.send()

    def _leads_clearly(self, work: Work) -> bool:
        """Whether the interval of the most important feature lies above all others."""
        known = self.n_known(self.n_target(work.inputs))
        if known < FEWEST:
            return False
        self._show(work, known)
        if not self.content.meta:
            return False
        low, high = (self.content.columns[end][0] for end in ("low", "high"))
        top = int(self.content.meta["order"][0])
        return bool(low[top] > np.delete(high, top).max(initial=-np.inf))

    def _choose(self, work: Work) -> None:
        known = self.n_known(self.n_target(work.inputs))
        if not known:
            return
        # All of them: of as many as there was time for, another feature may be first.
        self._show(work, known)
        if self.content.meta:
            work.choose(self.explainer.features[int(self.content.meta["order"][0])])

    def _affordable(self, most: int, work: Work) -> int:
        """Return how many repeats can be summed while a control moves; at least one."""
        ex = self.explainer
        values = len(ex.table) * len(ex.features) * len(self.measures)
        return int(np.clip(work.timing.summing / (values * self._seconds_per_value), 1, most))

    def _show(self, work: Work, n_repeats: int) -> None:
        populations, progress = work.populations, work.progress
        if populations is None or self.n_known(n_repeats) < n_repeats:
            return

        def report(done: int, total: int) -> None:
            work.report(f"intervals of importance, {n_repeats} repeats", done, total)

        if self.content.key != self._content_key(work.inputs, populations, n_repeats):
            self.content = self.compute(work.inputs, populations, n_repeats, report)
        work.progress = progress

    def _settings(self, inputs: Inputs, n_repeats: int) -> Settings:
        return Settings(
            n_repeats=n_repeats,
            interval=checked_interval(inputs.interval),
            level=LEVEL,
            seed=self.explainer.seed,
        )

    def _sums(self, population: Population, inputs: Inputs, n_repeats: int, report: Report) -> Sums:
        ex, settings = self.explainer, self._settings(inputs, n_repeats)
        p = len(ex.features)
        chunk = max(1, _CHUNK // (len(ex.table) * n_repeats))
        values = np.empty((3, len(self.measures), p))
        pairs: dict[str, float] = {}
        started = time.perf_counter()
        for m in range(len(self.measures)):
            for j, feature in enumerate(ex.features):
                if j % chunk == 0:
                    report(m * p + j, len(self.measures) * p)
                change = self.repeats.change(m, feature, n_repeats, population)
                b = bounds(change, settings.interval, LEVEL, population)
                values[:, m, j] = b.estimate, b.low, b.high
                pairs[feature] = change.pairs  # of weights and donors alone
        seconds = time.perf_counter() - started
        self._seconds_per_value = seconds / (values[0].size * n_repeats * len(ex.table))
        return Sums(values[0], values[1], values[2], list(pairs.values()))


def _size(size: float, whole: Callable[[float], int]) -> str:
    """Write bytes as `memory_limit` takes them, rounded by ``whole`` to two or more digits."""
    unit = next((u for u in _UNITS if size >= 10 * u[0]), (1, "B"))
    return f"{whole(size / unit[0])}{unit[1]}"
