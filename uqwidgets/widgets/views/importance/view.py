"""The importance view: every feature, for one to four measures and scorers side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Self

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.replacement import Request
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import OVER_REPEATS
from uqwidgets.inference import checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.plotting.html import element, words
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import counted
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import ReportCount, Step, Urgency, Work
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.importance.columns import Detail, ImportanceDetails
from uqwidgets.widgets.views.importance.help import HELP, TIPS
from uqwidgets.widgets.views.importance.over_tau import importance_tracks
from uqwidgets.widgets.views.importance.pictures import pictures
from uqwidgets.widgets.views.importance.repeats import FEWEST, RepeatChanges
from uqwidgets.widgets.views.importance.source import READS, ImportancePlan, Sources
from uqwidgets.widgets.views.importance.sums import ImportanceSums
from uqwidgets.widgets.views.learner_part import LearnerImportance
from uqwidgets.widgets.views.refitted import Refitted
from uqwidgets.widgets.views.view import Availability, Content, Key, View

# The first feature is picked of so many repeats, for with fewer another one may be first.
_REPEATS_BEFORE_CHOICE = 10
# While a sample of the rows is evaluated, so many leading features are known of more rows than the
# others: as many as make a first picture, and then so many times as many.
_LEADING, _FIRST_ROWS, _AHEAD = 10, 200, 8


class ImportanceView(View):
    """Importance of every feature, for one to four measures and scorers side by side."""

    needs_model = True
    name = "importance"
    help = HELP
    tips = TIPS
    # The page alone sorts and folds the rows.
    reads = ("n_repeats", "interval", "simultaneous", *READS, "redundancy", "sort", "top")
    is_overview = True

    def __init__(self, explainer: Explainer, sources: Sources | None = None) -> None:
        super().__init__(explainer)
        self._sources = sources or Sources(explainer)
        self._details = ImportanceDetails(explainer, self._sources)
        self._unstressed: dict[Key, tuple[int, ImportanceSums]] = {}  # with the number of repeats

    def replacements(self, inputs: Inputs) -> Sequence[Request]:
        """Return what the repeats of every feature ask, as many as fit in the memory."""
        return self.repeats(inputs).requests(self.n_target(inputs))

    def n_target(self, inputs: Inputs) -> int:
        """Return how many repeats are requested and fit in the memory."""
        return min(inputs.n_repeats, self.repeats(inputs).most_repeats)

    def is_read(self, inputs: Inputs) -> bool:
        """Whether it is shown, or drawn over tau."""
        return super().is_read(inputs) or inputs.shows("importance_over_tau")

    def n_known(self, inputs: Inputs) -> int:
        """Return how many of the repeats that are requested are known of every feature."""
        return min(self.n_target(inputs), self.repeats(inputs).n_repeats)

    def compute(
        self,
        inputs: Inputs,
        populations: Populations,
        n_repeats: int | None = None,
        report: ReportCount = lambda *_: None,
    ) -> Content:
        """Average the cached changes; this needs no model call.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        n_repeats : int, optional
            All that are known if not given; 0 for the sample of the rows that is known.
        report : callable, optional

        Returns
        -------
        Content
            Without meta, if none of the rows is known.
        """
        n_repeats = self.n_known(inputs) if n_repeats is None else n_repeats
        plan, source = self._sources.plan(inputs), self._sources.of(inputs)

        def sums(population: Population, key: Key) -> ImportanceSums | None:
            if n_repeats:
                return source.sums(population, inputs, n_repeats, report)
            return source.sums_of_sample(population, key, inputs, lambda: report(0, 0))

        now = sums(populations.now, populations.key)
        n_known = 0 if n_repeats else sum(source.n_rows(inputs))
        key = (populations.rows_key, plan.key, inputs.interval, inputs.compare, n_known)
        if now is None:
            return Content()
        if populations.now is populations.unstressed:
            self._unstressed = {key: (n_repeats, now)}
        else:
            # While a control moves there is time for a few repeats only: more are as good.
            n_before = self._unstressed[key][0] if key in self._unstressed else -1
            if not n_repeats <= n_before <= max(n_repeats, self.n_target(inputs)):
                unstressed = sums(populations.unstressed, populations.rows_key)
                assert unstressed is not None
                self._unstressed = {key: (n_repeats, unstressed)}
        content = self._details.content(
            inputs, populations, now, self._unstressed[key][1].value, n_repeats
        )
        meta = {
            **content.meta,
            "n_repeats": n_repeats or source.n_sampled_repeats(inputs),
            "n_repeats_target": inputs.n_repeats,
            "n_rows": len(populations.now.positions),
            "n_rows_least": now.n_rows[0],
            "n_rows_most": now.n_rows[1],
        }
        return Content(meta, content.columns, self._content_key(inputs, populations, n_repeats))

    def another(self) -> Self:
        """Return a view of the same repeats."""
        return type(self)(self.explainer, self._sources)

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Evaluate the repeats that are missing, and sum all; then scorers and the redundancy."""
        target = self.n_target(inputs)
        self.repeats(inputs).extend(target, lambda *_: check())
        for detail in list(self._details.waiting(inputs, populations, target)):
            self._details.run(detail, lambda *_: check())
        return self.compute(inputs, populations, target, lambda *_: check())

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the importance by the repeats that are known, or by a sample of the rows."""
        try:
            results = self._results(inputs, population, check)
        except ValueError as error:  # a ratio or an interval that one of the columns has not
            return element("p", words(f"There is no picture of importance: {error}"))
        return pictures(results, inputs, self.explainer.features)

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the importance by each measure, of the repeats that are known or a sample."""
        importances = self._results(inputs, populations.reached(inputs), check)
        return {importance.measure: importance for importance in importances}

    def _results(
        self, inputs: Inputs, population: Population, check: Callable[[], None]
    ) -> list[Importance]:
        n_repeats = self._n_usable(inputs)
        if self.n_known(inputs) and not n_repeats:
            return []
        return self._details.results(inputs, n_repeats, population, check)

    def ghost(
        self, pinned: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Floats]:
        """Return the importance of a pin, of the repeats that are known."""
        if not self._sources.is_current(pinned) or not populations.is_reachable:
            return {}
        n_repeats, plan = self._n_usable(pinned), self._sources.plan(pinned)
        if not n_repeats:
            return {}
        source = self._sources.of(pinned)
        sums = source.sums(populations.now, pinned, n_repeats, lambda *_: check())
        ghost = np.full((len(plan.quantities), len(source.units)), np.nan)
        ghost[[*plan.places]] = sums.value[[*plan.places.values()]]
        return {"ghost": ghost}

    def _n_usable(self, inputs: Inputs) -> int:
        """Return how many repeats are known; 0 if too few for the interval."""
        known = self.n_known(inputs)
        return 0 if known < 2 and inputs.interval in OVER_REPEATS else known

    def show_cached(self, work: Work) -> Availability:
        """Sum as many of the known repeats as there is time for."""
        n_repeats = self._n_affordable(work)
        is_shown = self._show(work, n_repeats) or n_repeats > 0
        is_complete = n_repeats == self.n_target(work.inputs) and not self._waiting(work)
        return Availability(is_shown, is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate repeats; with a few of them, pick a feature where none is picked."""
        inputs, target = work.inputs, self.n_target(work.inputs)
        source = self._sources.of(inputs)
        repeats = source.repeats
        total = repeats.work(target)

        def report(what: str, n_answered: int) -> None:
            done = total - repeats.work(target) + n_answered
            seconds = repeats.seconds(target, n_answered) + work.seconds_ahead(besides=self)
            work.report(f"{what}, {self._so_far(inputs)}", done, total, seconds)

        def first_look() -> None:
            # Every view is shown before further repeats, which only narrow the intervals.
            is_split = repeats.is_long(target, work.timing.long_work)
            if is_split:
                self._evaluate(work, min(target, FEWEST), report)
            if not inputs.feature:
                if not (is_split and self._leads_clearly(work)):
                    self._evaluate(work, min(target, _REPEATS_BEFORE_CHOICE), report)
                self._choose(work)

        def refine() -> None:
            known = self.n_known(inputs)
            if self.content.meta.get("n_repeats", 0) < known:
                # Summing all repeats of many rows takes a while: not while a control moves.
                work.wait_for_rest()
                self._show(work, known)

        def first_sample() -> None:
            self._grow(work, source.units, source.n_affordable_rows(inputs, source.units), report)
            leading = self._leading(inputs)
            enough = self.explainer.evaluations.row_order.largest(_FIRST_ROWS)
            enough = max(enough, source.n_affordable_rows(inputs, leading))
            self._grow(work, leading, enough, report)
            self._choose_shown(work)

        def grow(n_rows: int) -> None:
            for size in sizes:
                if size <= _AHEAD * n_rows:
                    self._grow(work, self._leading(inputs), size, report)
            self._grow(work, source.units, n_rows, report)
            self._choose_shown(work)

        sizes = self.explainer.evaluations.row_order.sizes
        is_long = work.seconds_ahead() > work.timing.long_work
        if is_long:
            yield Step(Urgency.FIRST, lambda: report(self.name, 0))
        if source.is_sampled(inputs):
            yield Step(Urgency.OVERVIEW, first_sample)
            for size in sizes:
                yield Step(Urgency.PRECISION, partial(grow, size), size)
        else:
            yield Step(Urgency.OVERVIEW, first_look)
        yield Step(Urgency.PRECISION, lambda: self._evaluate(work, target, report), sizes[-1] + 1)
        yield Step(Urgency.REFINEMENT, refine)
        yield Step(Urgency.REFINEMENT, lambda: self._compute_details(work))

    def is_stale(self, work: Work) -> bool:
        """Whether the content is of other rows or weights."""
        populations, key = work.populations, self.content.key
        shown = _shown(self._sources.plan(work.inputs))
        return populations is None or key is None or key[:2] != (populations.key, shown)

    def seconds_ahead(self, inputs: Inputs) -> float:
        """Model time that the missing repeats take, in seconds."""
        return self.repeats(inputs).seconds(self.n_target(inputs))

    def notes(self, inputs: Inputs) -> Iterable[Remark]:
        """Say how many repeats fit in the memory, if not all do, and why there is no verdict."""
        note = self._sources.plan(inputs).note
        on_memory = self.repeats(inputs).notes_on_memory(inputs.n_repeats)
        return [*on_memory, *([note] if note else [])]

    def learner_part(self, refitted: Refitted) -> LearnerImportance:
        """Return the importance of the learner."""
        return LearnerImportance(refitted, self._sources.learner_measures)

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say how many repeats are known, if not all are."""
        is_known = self.n_known(inputs) == self.n_target(inputs)
        return None if is_known else f"at {self._so_far(inputs)}"

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether as many repeats as failed are requested again, or the same scorer."""
        return bool(key[0] == self._sources.plan(inputs).key and key[1] <= inputs.n_repeats)

    def _so_far(self, inputs: Inputs) -> str:
        """Say how many repeats, or how many rows, are known."""
        target, n = self.n_target(inputs), len(self.explainer.table)
        known = self.n_known(inputs)
        if not known and (n_rows := min(self._sources.of(inputs).n_rows(inputs))):
            return f"{n_rows:,} of {n:,} rows"
        return f"{known} of {target} shuffles"

    def _leading(self, inputs: Inputs) -> list[str]:
        """Return the features that a person looks at first: the most important, the picked."""
        units = self._sources.of(inputs).units
        order = self.content.meta.get("order", ())
        # The content may be of the groups that were shown before.
        leading = [units[int(j)] for j in order[:_LEADING] if j < len(units)]
        names = dict.fromkeys((inputs.feature, inputs.stress_feature, *leading))
        return [name for name in names if name in units]

    def _grow(
        self,
        work: Work,
        features: Sequence[str],
        n_rows: int,
        report: Callable[[str, int], None],
    ) -> None:
        """Evaluate a sample of so many rows for some features, and show it."""
        source, key = self._sources.of(work.inputs), self._sources.plan(work.inputs).key
        if min(source.n_rows(work.inputs, features), default=n_rows) >= n_rows:
            return
        n_repeats = source.n_sampled_repeats(work.inputs)

        def extend() -> None:
            source.repeats.extend(n_repeats, report, features, n_rows)

        if self.attempt(work, (key, n_repeats), extend):
            self._show(work, self._n_affordable(work))
            work.send()

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Follow estimates and intervals, once all repeats are known.

        Ratios, scorers and subgroups follow the frames of the kernel.
        """
        plan, target = self._sources.plan(inputs), self.n_target(inputs)
        is_sum = len(plan.places) == len(plan.quantities) and inputs.compare == "difference"
        is_known = self.n_known(inputs) == target == self.content.meta.get("n_repeats")
        if not is_known or not is_sum or inputs.replacement == "conditional":
            return ()
        interval, places = checked_interval(inputs.interval), [*plan.places.values()]
        what = plan.key, places, target, interval
        return importance_tracks(self.explainer, self.repeats(inputs), inputs, *what, self.compute)

    def repeats(self, inputs: Inputs) -> RepeatChanges:
        """Return the changes of single rows behind the inputs."""
        return self._sources.of(inputs).repeats

    def _n_affordable(self, work: Work) -> int:
        """Return how many known repeats are shown, or can be summed while a control moves.

        0 for the rows that are known, before all are.
        """
        known, of = self.n_known(work.inputs), work.populations
        if not known or (
            of is not None and self.content.key == self._content_key(work.inputs, of, known)
        ):
            return known
        return self._sources.of(work.inputs).n_affordable(known, work.timing.summing)

    def _content_key(self, inputs: Inputs, populations: Populations, n_repeats: int) -> Key:
        n_known = 0 if n_repeats else sum(self._sources.of(inputs).n_rows(inputs))
        shown = _shown(self._sources.plan(inputs))
        details = tuple(d.key for d in self._details.waiting(inputs, populations, n_repeats))
        how = (inputs.interval, inputs.holds_at_once, inputs.compare, inputs.redundancy)
        return (populations.key, shown, *how, n_repeats, n_known, details)

    def _waiting(self, work: Work) -> list[Detail]:
        """Return what is computed when no control moves."""
        n_repeats, key = self.n_known(work.inputs), self._sources.plan(work.inputs).key
        if work.populations is None or n_repeats < self.n_target(work.inputs):
            return []
        waiting = self._details.waiting(work.inputs, work.populations, n_repeats)
        return [detail for detail in waiting if not self.has_failed((key, 0, detail.key))]

    def _compute_details(self, work: Work) -> None:
        key, waiting = self._sources.plan(work.inputs).key, self._waiting(work)
        if waiting:
            work.wait_for_rest()
        for detail in waiting:

            def report(done: int, total: int, what: str = detail.what) -> None:
                work.report(what, done, total)

            if self.attempt(work, (key, 0, detail.key), partial(self._details.run, detail, report)):
                self._show(work, self.n_known(work.inputs))
                work.send()

    def _evaluate(self, work: Work, n_repeats: int, report: Callable[[str, int], None]) -> None:
        repeats, key = self.repeats(work.inputs), self._sources.plan(work.inputs).key
        while (known := min(n_repeats, repeats.n_repeats)) < n_repeats:
            step = n_repeats
            if repeats.is_long(n_repeats, work.timing.long_work):
                step = min(n_repeats, max(FEWEST, 2 * known))

            def extend(step: int = step) -> None:
                repeats.extend(step, report)

            if not self.attempt(work, (key, step), extend):
                return
            self._show(work, self._n_affordable(work))
            work.send()

    def _leads_clearly(self, work: Work) -> bool:
        """Whether the interval of the most important feature lies above all others."""
        if (known := self.n_known(work.inputs)) < FEWEST:
            return False
        self._show(work, known)
        if not self.content.meta:
            return False
        low, high = (self.content.columns[end][0] for end in ("low", "high"))
        top = int(self.content.meta["order"][0])
        return bool(low[top] > np.delete(high, top).max(initial=-np.inf))

    def _choose(self, work: Work) -> None:
        # All of them: of as many as there was time for, another feature may be first.
        if known := self.n_known(work.inputs):
            self._show(work, known)
            self._choose_shown(work)

    def _choose_shown(self, work: Work) -> None:
        """Pick the most important feature of those shown for this request, if none is picked."""
        if not (work.inputs.feature or self.is_stale(work)):
            units, table = self._sources.of(work.inputs).units, self.explainer.table
            members = [table.columns_of(units[i]) for i in self.content.meta["order"]]
            work.choose([table.features[column] for columns in members for column in columns])

    def _show(self, work: Work, n_repeats: int) -> bool:
        """Show so many repeats, or with 0 the rows that are known; False if there is nothing."""
        inputs, populations, progress = work.inputs, work.populations, work.progress
        least = 0 if n_repeats else min(self._sources.of(inputs).n_rows(inputs))
        if populations is None or self.n_known(inputs) < n_repeats or not (n_repeats or least):
            return False

        def report(done: int, total: int) -> None:
            work.check()
            if n_repeats:
                what = f"intervals of importance for {counted(n_repeats, 'shuffle')}"
                work.report(what, done, total)

        if self.content.key != self._content_key(inputs, populations, n_repeats):
            content = self.compute(inputs, populations, n_repeats, report)
            if not content.meta:
                return False
            self.content = content
        work.progress = progress
        return True


def _shown(plan: ImportancePlan) -> Key:
    """Return a key of the columns of a plan."""
    return (plan.key, tuple(quantity.name for quantity in plan.quantities))
