"""The stress view: an indicator over tau for every feature, and the present level of tau."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.stress.html import stress_html
from uqwidgets.stress.result import Stress
from uqwidgets.stress.summaries import summaries
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs, is_stressable
from uqwidgets.widgets.kernel.frames import single
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.over_tau.stress_profiles import (
    are_bounded,
    intervals_at,
    joined,
    line_of,
    profile_all,
    profile_of,
)
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations, Selection
from uqwidgets.widgets.views.stress.help import HELP, TIPS
from uqwidgets.widgets.views.stress.over_tau import chosen_weights, described, stress_tracks
from uqwidgets.widgets.views.stress.profiles import intervals_of, lines_of
from uqwidgets.widgets.views.stress.rates import followed, roc_path
from uqwidgets.widgets.views.view import Availability, Content, View


class StressView(View):
    """Indicators over tau, of the rows that meet the filter."""

    name = "stress"
    help = HELP
    tips = TIPS
    reads = ("indicator",)
    reads_stress = True
    is_always_read = True

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self.features = tuple(f for f in explainer.features if is_stressable(explainer.table, f))
        self._drawn: Selection | None = None

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Describe the profile of the picked indicator, and the point where tau stands."""
        selection = populations.selection
        # The profiles of other rows stay until all features of these rows are stressed.
        if self._drawn is None or selection.is_profiled or not self._drawn.is_profiled:
            self._drawn = selection
        is_shown = inputs.shows(self.name)
        drawn = self._drawn if is_shown else replace(selection, profiles={}, bounded={}, lines={})
        indicator = self.explainer.indicators[inputs.indicator]
        lines = [
            line_of(self.explainer, f, name)
            for f in drawn.stressable
            if f in drawn.profiles
            for name in drawn.profiles[f].features
        ]
        moved = (inputs.stress_feature, populations.category)
        names = followed(indicator.name)
        intervals = intervals_of(drawn, *moved, inputs.tau, names)
        meta = {
            "indicator": indicator.name,
            "label": indicator.label,
            "unit": indicator.unit,
            # Each line has a feature, and the category whose share is moved.
            "features": [self.explainer.table.index(feature) for feature, _ in lines],
            "categories": [category for _, category in lines],
            "now": self._now(inputs, populations),
            "level": LEVEL,
            "n_rows": drawn.n_rows,
            "remarks": () if intervals is None else drawn.bounded[moved].remarks,
        }
        taus = STOPS
        levels, of_names = intervals or (taus, np.full((len(names), 3, len(taus)), np.nan))
        columns = {
            "taus": taus,
            **lines_of(drawn, indicator.name),
            # The lower and the upper ends are those of the feature that is stressed.
            "end_taus": levels,
            "ends": single(of_names[names.index(indicator.name), 1:]),
        }
        stressed = drawn.profiles.get(inputs.stress_feature)
        if stressed is not None:
            at = self._row(stressed, inputs.stress_feature, populations.category)
            columns |= roc_path(stressed, at, inputs.indicator, intervals and of_names)
        return Content(meta, columns)

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Stress every feature, and compute the interval of the stressed one."""
        if not inputs.shows(self.name):
            return self.compute(inputs, populations)
        selection, indicators = populations.selection, list(self.explainer.indicators)
        profile_all(self.explainer, selection, check)
        feature, category = inputs.stress_feature, populations.category
        if feature in selection.stressable:
            at = selection, feature, category, inputs.tau
            intervals_at(self.explainer, *at, indicators, check)
        return self.compute(inputs, populations)

    def html(self, inputs: Inputs, _population: Population, _check: Callable[[], None]) -> str:
        """Draw the profiles that are known of the picked indicator."""
        profiles = self._drawn.profiles if self._drawn else {}
        known = [profiles[f] for f in self.features if f in profiles]
        return stress_html(joined(known, inputs.indicator)) if known else ""

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the profiles of the picked indicator, the stressed feature's with its interval."""
        selection, indicator = populations.selection, inputs.indicator
        profiles = []
        for feature in selection.stressable:
            check()
            profile = profile_of(self.explainer, selection, feature)
            with_ends = selection.bounded.get((feature, populations.category))
            is_stressed = feature == inputs.stress_feature
            if is_stressed and with_ends and indicator in with_ends.indicators:
                # Its values are the same up to rounding; those of the profile are drawn.
                at = self._row(profile, feature, populations.category)
                low, high = profile.low[indicator].copy(), profile.high[indicator].copy()
                low[at] = with_ends.low[indicator][0]
                high[at] = with_ends.high[indicator][0]
                profile = replace(
                    profile,
                    low={indicator: low},
                    high={indicator: high},
                    level=with_ends.level,
                    remarks=with_ends.remarks,
                )
            profiles.append(profile)
        return {inputs.indicator: joined(profiles, inputs.indicator)} if profiles else {}

    def ghost(
        self, pinned: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Floats]:
        """Return the profile of a pin's stressed feature."""
        feature = pinned.stress_feature
        if feature not in populations.selection.stressable:
            return {}
        profile = profile_of(self.explainer, populations.selection, feature)
        at = self._row(profile, feature, populations.category)
        return {} if at is None else {"ghost": profile.values[pinned.indicator][at]}

    def show_cached(self, work: Work) -> Availability:
        """Compute the interval if it is quick; the rest is computed for each frame."""
        if not work.inputs.shows(self.name):
            return Availability(is_shown=False, is_complete=True)
        if work.rows is None:
            # The content stays as it is.
            is_complete = self._drawn is not None and self._drawn.is_profiled
            return Availability(is_shown=False, is_complete=is_complete)
        if not work.rows.selection.is_profiled:
            return Availability(is_shown=False, is_complete=False)
        if self._is_quick(work):
            self._bound(work)
        return Availability(is_shown=False, is_complete=self._is_bounded(work))

    def steps(self, work: Work) -> Iterable[Step]:
        """Stress every feature once; compute the interval of the stressed one at rest."""

        def first() -> None:
            # Many features take longer than a person waits: at first only as many as do not.
            ends = work.timing.clock() + work.timing.long_work / 4
            self._profile(work, lambda: work.timing.clock() < ends)
            work.send()

        def details() -> None:
            self._profile(work)
            if not self._is_bounded(work) and not self._is_quick(work):
                work.wait_for_rest()
            self._bound(work)

        def details_early() -> None:
            details()
            work.send()

        if work.rows is None or not work.inputs.shows(self.name):
            return
        if work.seconds_ahead() > work.timing.long_work:
            if self._is_quick(work) or work.inputs.stress_feature:
                yield Step(Urgency.FIRST, first)
            yield Step(Urgency.OVERVIEW, details_early, 1)
        yield Step(Urgency.DETAILS, details)

    def published(self, work: Work) -> Content:
        """Compute the content, which is quick; without rows it stays as it is."""
        if work.rows is not None:
            self.content = self.compute(work.inputs, work.rows)
        return self.content

    def is_stale(self, work: Work) -> bool:
        """Whether the content is of other rows, or lacks the feature that is stressed."""
        if work.rows is None:
            return True
        if not work.inputs.shows(self.name):
            return False
        selection, stressed = work.rows.selection, work.inputs.stress_feature
        is_missing = stressed in selection.stressable and stressed not in selection.profiles
        return self._drawn is not selection or is_missing

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Follow the point where tau stands, and what its weights amount to."""
        if inputs.stress_feature not in self.features:
            return ()

        indicator = inputs.indicator
        return stress_tracks(indicator, partial(self._indicator, indicator))

    def texts_over_tau(self, populations: Populations) -> dict[str, str]:
        """Return what became of the target."""
        projection = populations.projection
        return {} if projection is None else {"now.status": projection.status}

    def _row(self, profile: Stress, feature: str, category: str | None) -> int | None:
        """Row of a feature's profile that moves this category; None where no row has it."""
        categories = [line_of(self.explainer, feature, name)[1] for name in profile.features]
        return categories.index(category) if category in categories else None

    def _is_quick(self, work: Work) -> bool:
        return len(self.explainer.table) <= work.timing.n_rows_at_once

    def _is_bounded(self, work: Work) -> bool:
        """Whether the interval of the stressed feature is known, or there is none."""
        inputs, rows = work.inputs, work.rows
        feature = inputs.stress_feature
        if rows is None or feature not in rows.selection.stressable:
            return True
        if rows.selection.column(feature, rows.category) is None:
            return True
        return are_bounded(rows.selection, feature, rows.category, inputs.tau, inputs.indicator)

    def _profile(self, work: Work, goes_on: Callable[[], bool] = lambda: True) -> None:
        """Stress the features that were not yet: once, for every indicator, at every level.

        The one that is stressed now is the first of them; ``goes_on`` is called before the others.
        """
        assert work.rows is not None
        known, progress = work.rows.selection, work.progress
        picked = work.inputs.stress_feature
        for feature in sorted(known.stressable, key=lambda feature: feature != picked):
            if feature in known.profiles:
                continue
            if feature != picked and not goes_on():
                return
            if progress is None:
                work.report("stress of each feature", len(known.profiles), len(known.stressable))
            else:
                work.check()
            profile_of(self.explainer, known, feature)

    def _bound(self, work: Work) -> None:
        """Compute the interval of the picked indicator while the stressed feature moves."""
        if self._is_bounded(work):
            return
        assert work.rows is not None
        inputs, progress = work.inputs, work.progress
        work.set_progress(f"interval of {inputs.indicator} under stress")
        at = work.rows.selection, inputs.stress_feature, work.rows.category, inputs.tau
        intervals_at(self.explainer, *at, followed(inputs.indicator), work.check)
        work.progress = progress

    def _now(self, inputs: Inputs, populations: Populations) -> dict[str, Any] | None:
        projection, selection = populations.projection, populations.selection
        if projection is None:
            return None
        stressed = selection.column(inputs.stress_feature, populations.category)
        rows, mean = selection.described, None
        if stressed is not None:
            mean = stressed.column.mean if rows is None else rows.at(stressed, 0.0).mean
        # Equal weights are in the memory of one number.
        start = np.broadcast_to(1.0, selection.n_rows) if rows is None else rows.start[0]
        now: dict[str, Any] = {
            "feature": inputs.stress_feature,
            "category": populations.category,
            "anchor": "share" if stressed is None else stressed.column.anchors.kind,
            "tau": inputs.tau,
            "mean": mean,
            "std": None if stressed is None else stressed.column.std,
            "n_unmoved": selection.n_rows if stressed is None else len(stressed.unmoved),
            "target": projection.target,
            "reached": projection.reached,
            "status": (populations.problem or projection.status).removesuffix("."),
            "base": None if start is None else self._value(inputs, selection, start),
            "n_rows": selection.n_rows,
            **({} if rows is None else {"start": rows.words}),
        }
        weights = chosen_weights(populations)
        if weights is None:
            return {**now, **dict.fromkeys(("value", "ess", "ess_share", "half_share", "kl"))}
        numbers = described(weights, selection.groups)
        of_weights = {name: float(number) for name, number in numbers.items()}
        return {**now, "value": self._value(inputs, selection, weights), **of_weights}

    def _value(self, inputs: Inputs, selection: Selection, weights: Floats) -> float:
        """Return the indicator that is shown under weights (n,) of the chosen rows."""
        return float(self._indicator(inputs.indicator, selection, weights))

    def _indicator(self, name: str, selection: Selection, weights: Floats) -> Floats:
        """Return an indicator under weights (..., n) of the chosen rows, shape (...)."""
        rows = selection.rows

        def chosen(output: Floats) -> Floats:
            return output if rows is None else output[rows]

        values, _, _ = summaries([self.explainer.indicators[name]], chosen, weights, None, None)
        return np.asarray(values[0])
