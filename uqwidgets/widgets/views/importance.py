"""The importance view: every feature, for one or two measures side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.replacement import Replacement
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import (
    remarks_on_ceiling,
    remarks_on_pairs,
)
from uqwidgets.importance.html import importance_html
from uqwidgets.importance.settings import OVER_REPEATS
from uqwidgets.inference import checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.importance_over_tau import ImportanceOverTau
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.learner_part import LearnerImportance
from uqwidgets.widgets.model_info import LEVEL, importance_measures
from uqwidgets.widgets.over_tau import Track
from uqwidgets.widgets.population import Populations
from uqwidgets.widgets.refitted import Refitted
from uqwidgets.widgets.repeat_sums import RepeatSums, Report
from uqwidgets.widgets.repeats import FEWEST, RepeatChanges
from uqwidgets.widgets.sampled_sums import SampledSums, Sums
from uqwidgets.widgets.views.view import Availability, Content, Key, View
from uqwidgets.widgets.work import Step, Urgency, Work

# The first feature is picked of so many repeats, for with fewer another one may be first.
_REPEATS_BEFORE_CHOICE = 10
# While a sample of the rows is evaluated, so many leading features are known of more rows than the
# others: as many as make a first picture, and then so many times as many.
_LEADING, _FIRST_ROWS, _AHEAD = 10, 200, 8


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
        self._sampled = SampledSums(explainer, self.repeats)
        self._sums = RepeatSums(explainer, self.repeats, self.measures)
        self._levels = ImportanceOverTau(explainer, self.repeats, self.measures)
        self._unstressed: dict[Key, tuple[int, Sums]] = {}  # with the number of repeats

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
            All that are known if not given; 0 for the sample of the rows that is known.
        report : callable, optional

        Returns
        -------
        Content
            Without meta, if none of the rows is known.
        """
        n_repeats = self.n_known(self.n_target(inputs)) if n_repeats is None else n_repeats

        def sums(population: Population, key: Key) -> Sums | None:
            if n_repeats:
                return self._sums.sums(population, inputs, n_repeats, report)
            return self._sampled.sums(population, key, inputs, lambda: report(0, 0))

        now = sums(populations.now, populations.key)
        n_known = 0 if n_repeats else self._sampled.n_known(inputs)
        key = (populations.rows_key, inputs.interval, n_known)
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
        base = self._unstressed[key][1].value
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
            "n_repeats": n_repeats or self._sampled.n_repeats(inputs),
            "n_repeats_wanted": inputs.n_repeats,
            "n_rows": len(populations.now.positions),
            "n_rows_least": now.n_rows[0],
            "n_rows_most": now.n_rows[1],
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
        return importance_html(*self._sums.results(inputs, n_repeats, population, check))

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the importance by each measure, of the repeats that are known."""
        n_repeats = self._n_usable(inputs)
        population = populations.reached(inputs)
        if not n_repeats:
            return {}
        importances = self._sums.results(inputs, n_repeats, population, check)
        return {importance.measure: importance for importance in importances}

    def ghost(
        self, pinned: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Floats]:
        """Return the importance of a pin, of the repeats that are known."""
        n_repeats = self._n_usable(pinned)
        if not n_repeats or not populations.is_reachable:
            return {}
        sums = self._sums.sums(populations.now, pinned, n_repeats, lambda *_: check())
        return {"ghost": sums.value}

    def _n_usable(self, inputs: Inputs) -> int:
        """Return how many repeats are known; 0 if too few for the interval."""
        known = self.n_known(self.n_target(inputs))
        return 0 if known < 2 and inputs.interval in OVER_REPEATS else known

    def show_cached(self, work: Work) -> Availability:
        """Sum as many of the known repeats as there is time for."""
        target = self.n_target(work.inputs)
        known = self.n_known(target)
        if not known:
            is_shown = self._show_sample(work)
            return Availability(is_shown, is_complete=False)
        n_repeats = self._sums.n_affordable(known, work.timing.summing)
        self._show(work, n_repeats)
        return Availability(is_shown=True, is_complete=n_repeats == target)

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate repeats; with a few of them, pick a feature where none is picked."""
        inputs, target = work.inputs, self.n_target(work.inputs)
        total = self.repeats.work(target)

        def report(what: str, n_answered: int) -> None:
            done = total - self.repeats.work(target) + n_answered
            seconds = self.repeats.seconds(target, n_answered) + work.seconds_ahead(besides=self)
            work.report(f"{what}, {self._so_far(inputs)}", done, total, seconds)

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

        def first_sample() -> None:
            features = self.explainer.features
            self._grow(work, features, self._sampled.n_affordable(inputs, features), report)
            leading = self._leading(inputs)
            enough = self.explainer.evaluations.row_order.largest(_FIRST_ROWS)
            enough = max(enough, self._sampled.n_affordable(inputs, leading))
            self._grow(work, leading, enough, report)
            self._choose_shown(work)

        def grow(n_rows: int) -> None:
            for size in sizes:
                if size <= _AHEAD * n_rows:
                    self._grow(work, self._leading(inputs), size, report)
            self._grow(work, self.explainer.features, n_rows, report)
            self._choose_shown(work)

        sizes = self.explainer.evaluations.row_order.sizes
        is_long = work.seconds_ahead() > work.timing.long_work
        if is_long:
            yield Step(Urgency.FIRST, lambda: report(self.name, 0))
        if self._sampled.is_worthwhile(inputs):
            yield Step(Urgency.OVERVIEW, first_sample)
            for size in sizes:
                yield Step(Urgency.PRECISION, partial(grow, size), size)
        else:
            yield Step(Urgency.OVERVIEW, first_look)
        yield Step(Urgency.PRECISION, lambda: self._evaluate(work, target, report), sizes[-1] + 1)
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
        return self.repeats.notes_on_memory(inputs.n_repeats)

    def learner_part(self, refitted: Refitted) -> LearnerImportance:
        """Return the importance of the learner."""
        return LearnerImportance(refitted, self.measures)

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say how many repeats are known, if not all are."""
        target = self.n_target(inputs)
        return f"at {self._so_far(inputs)}" if self.n_known(target) < target else None

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether as many repeats as failed are requested again."""
        return bool(key[0] <= inputs.n_repeats)

    def _so_far(self, inputs: Inputs) -> str:
        """Say how many repeats, or how many rows, are known."""
        target, n = self.n_target(inputs), len(self.explainer.table)
        known = self.n_known(target)
        if not known and (n_rows := min(self._sampled.n_rows(inputs))):
            return f"{n_rows:,} of {n:,} rows"
        return f"{known} of {target} shuffles"

    def _leading(self, inputs: Inputs) -> list[str]:
        """Return the features that a person looks at first: the most important, the picked."""
        order = self.content.meta.get("order", ())
        leading = [self.explainer.features[int(j)] for j in order[:_LEADING]]
        return list(dict.fromkeys(filter(None, (inputs.feature, inputs.stress_feature, *leading))))

    def _grow(
        self,
        work: Work,
        features: Sequence[str],
        n_rows: int,
        report: Callable[[str, int], None],
    ) -> None:
        """Evaluate a sample of so many rows for some features, and show it."""
        if min(self._sampled.n_rows(work.inputs, features), default=n_rows) >= n_rows:
            return
        n_repeats = self._sampled.n_repeats(work.inputs)

        def extend() -> None:
            self.repeats.extend(n_repeats, report, features, n_rows)

        if self.attempt(work, (n_repeats,), extend):
            known = self.n_known(self.n_target(work.inputs))
            if known:
                self._show(work, self._sums.n_affordable(known, work.timing.summing))
            else:
                self._show_sample(work)
            work.send()

    def _show_sample(self, work: Work) -> bool:
        """Show what is known of a sample of the rows; False if that is nothing."""
        populations = work.populations
        if populations is None or not min(self._sampled.n_rows(work.inputs)):
            return False
        if self.content.key != self._content_key(work.inputs, populations, 0):
            content = self.compute(work.inputs, populations, 0, lambda *_: work.check())
            if not content.meta:
                return False
            self.content = content
        return True

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Follow estimates and intervals, once all repeats are known."""
        target, interval = self.n_target(inputs), checked_interval(inputs.interval)
        is_known = self.n_known(target) == target == self.content.meta.get("n_repeats")
        return self._levels.tracks(target, interval, self.compute) if is_known else ()

    def _content_key(self, inputs: Inputs, populations: Populations, n_repeats: int) -> Key:
        n_known = 0 if n_repeats else self._sampled.n_known(inputs)
        return (populations.key, inputs.interval, n_repeats, n_known)

    def _evaluate(self, work: Work, n_repeats: int, report: Callable[[str, int], None]) -> None:
        while (known := self.n_known(n_repeats)) < n_repeats:
            step = n_repeats
            if self.repeats.seconds(n_repeats) > work.timing.long_work:
                step = min(n_repeats, max(FEWEST, 2 * known))

            def extend(step: int = step) -> None:
                self.repeats.extend(step, report)

            if not self.attempt(work, (step,), extend):
                return
            self._show(work, self._sums.n_affordable(step, work.timing.summing))
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
        self._choose_shown(work)

    def _choose_shown(self, work: Work) -> None:
        """Pick the most important feature of those shown, where none is picked."""
        if self.content.meta and not work.inputs.feature:
            work.choose([self.explainer.features[i] for i in self.content.meta["order"]])

    def _show(self, work: Work, n_repeats: int) -> None:
        populations, progress = work.populations, work.progress
        if populations is None or self.n_known(n_repeats) < n_repeats:
            return

        def report(done: int, total: int) -> None:
            work.report(f"intervals of importance, {n_repeats} shuffles", done, total)

        if self.content.key != self._content_key(work.inputs, populations, n_repeats):
            self.content = self.compute(work.inputs, populations, n_repeats, report)
        work.progress = progress
