"""The columns of the importance view: measures, scorers, the redundancy and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import metric_importance, remarks_on_measure, remarks_on_pairs
from uqwidgets.importance.diagnosis import verdicts
from uqwidgets.importance.remarks import remarks_on_many
from uqwidgets.importance.result import Importance
from uqwidgets.inference import Bounds
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, undefined
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import ReportCount
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.importance.detail_columns import redundancy_column, scorer_column
from uqwidgets.widgets.views.importance.source import VERDICT_MEASURES, Quantity, Sources
from uqwidgets.widgets.views.importance.sums import ImportanceSums
from uqwidgets.widgets.views.view import Content

# Columns that stay pinned, so that going back to a scorer or a population computes nothing.
_MOST_PINNED = 20


class Detail(NamedTuple):
    """A column that takes a while.

    Attributes
    ----------
    key : hashable
        Identifies its numbers.
    what : str
        What is being computed, for the progress.
    compute : callable
        Returns an array of shape (3, p): estimates, and both ends of their intervals.
    """

    key: Hashable
    what: str
    compute: Callable[[ReportCount], Floats]


class ImportanceDetails:
    """Columns of the importance view.

    Those of measures are sums over rows. Scorers and the redundancy take longer, and are computed
    once the controls rest.

    Parameters
    ----------
    explainer : Explainer
    sources : Sources
    """

    def __init__(self, explainer: Explainer, sources: Sources) -> None:
        self._explainer = explainer
        self._sources = sources
        self._pinned = explainer.evaluations.pinned(self)

    def results(
        self, inputs: Inputs, n_repeats: int, population: Population, check: Callable[[], None]
    ) -> list[Importance]:
        """Return the importance by each measure and scorer, of repeats that are known.

        With 0 repeats it is that of a sample of the rows, by each measure.

        Raises
        ------
        ValueError
            If a column has no ratio, or not this interval.
        """
        plan, source = self._sources.plan(inputs), self._sources.of(inputs)
        places, evaluations = plan.places.values(), self._explainer.evaluations
        of_measures = source.results(inputs, n_repeats, population, check, places)
        if not n_repeats:
            return of_measures
        settings, each = source.settings(inputs, n_repeats), iter(of_measures)
        return [
            metric_importance(evaluations, quantity, source.units, population, settings)
            if isinstance(quantity, Metric)
            else next(each)
            for quantity in plan.quantities
        ]

    def run(self, detail: Detail, report: ReportCount) -> None:
        """Compute a column; the oldest one is released where there are many."""
        self._pinned[detail.key] = detail.compute(report)
        if len(self._pinned) > _MOST_PINNED:
            del self._pinned[next(iter(self._pinned))]

    def waiting(self, inputs: Inputs, populations: Populations, n_repeats: int) -> Iterator[Detail]:
        """Yield the columns that are not computed."""
        plan, source = self._sources.plan(inputs), self._sources.of(inputs)
        settings = source.settings(inputs, n_repeats)
        for scorer in plan.quantities:
            if not isinstance(scorer, Metric):
                continue
            for population, of in _of(populations):
                key = self._scorer_key(inputs, scorer, of, n_repeats)
                if key not in self._pinned:
                    rest = scorer, source.units, population, settings
                    compute = partial(scorer_column, self._explainer, *rest)
                    yield Detail(key, f"importance for {scorer.label}", compute)
        key = self._redundancy_key(inputs, populations.key)
        if inputs.redundancy and key not in self._pinned:
            of = populations.selection.explainer, source.units, populations.now
            compute = partial(redundancy_column, *of)
            yield Detail(key, "redundancy", compute)

    def content(
        self,
        inputs: Inputs,
        populations: Populations,
        now: ImportanceSums,
        base: Floats,
        n_repeats: int,
    ) -> Content:
        """Describe the columns that are shown, and return their numbers.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        now : ImportanceSums
            Of the measures of the source.
        base : ndarray of shape (measures, p)
            Their means without stress.
        n_repeats : int
            0 for a sample of the rows.
        """
        plan, source = self._sources.plan(inputs), self._sources.of(inputs)
        population, unknown = populations.now, np.full((3, len(source.units)), np.nan)
        settings = source.settings(inputs, n_repeats or source.n_sampled_repeats(inputs))
        shown = np.full((5, len(plan.quantities), len(source.units)), np.nan)
        described, remarks = [], [*remarks_on_pairs(now.pairs)]
        for i, quantity in enumerate(plan.quantities):
            if isinstance(quantity, Metric):
                of_scorer = [
                    self._pinned.get(self._scorer_key(inputs, quantity, of, n_repeats), unknown)
                    for _, of in _of(populations)
                ]
                shown[:3, i], shown[3, i] = of_scorer[0], of_scorer[-1][0]
                described.append(_described(quantity, inputs, None))
                n_undefined = int(np.isnan(of_scorer[0][0]).sum())
                if n_undefined and of_scorer[0] is not unknown:
                    p = len(source.units)
                    remarks.append(undefined(quantity.label, n_undefined, p, "features"))
                continue
            m = plan.places[i]
            shown[:, i] = now.value[m], now.low[m], now.high[m], base[m], now.needed[m]
            original = self._explainer.evaluations.original_values(quantity)
            baseline = dot(original, population.scored) / population.scored.sum()
            described.append(_described(quantity, inputs, baseline))
            ends = zip(now.value[m], now.low[m], now.high[m], strict=True)
            intervals = [Bounds(value, math.nan, low, high) for value, low, high in ends]
            remarks += remarks_on_measure(
                quantity, original, source.units, intervals, population, settings
            )
            if i == min(plan.places):
                remarks += remarks_on_many(intervals, settings)
            if inputs.compare == "ratio" and not baseline > 0:
                remarks.append(_no_ratio(quantity, baseline))
        value, low, high, without_stress, needed = shown
        # Scorers that are not computed yet do not order the features.
        leading = base[0] if np.isnan(without_stress[0]).all() else without_stress[0]
        columns = {"value": value, "low": low, "high": high, "base": without_stress}
        columns["needed"] = needed
        r2 = self._pinned.get(self._redundancy_key(inputs, populations.key), unknown)
        if inputs.redundancy:
            columns["redundancy"] = r2
        readings: dict[tuple[str, str], int] = {}
        if plan.reads_verdict:
            nll, entropy = (plan.key.measures.index(name) for name in VERDICT_MEASURES)
            of_features = verdicts(
                (now.low[nll], now.high[nll]),
                (now.low[entropy], now.high[entropy]),
                (r2[1], r2[2]) if inputs.redundancy else (unknown[1], unknown[2]),
            )
            readings = {one: i for i, one in enumerate(sorted(set(of_features)))}
            columns["verdict"] = np.array([readings[one] for one in of_features], dtype=np.int32)
        meta = {
            "measures": described,
            "order": np.argsort(-leading, kind="stable"),
            "interval": inputs.interval,
            "level": LEVEL,
            "units": source.units if inputs.grouped else None,
            "replacement": inputs.replacement,
            "compare": inputs.compare,
            "verdicts": [{"verdict": name, "sentence": text} for name, text in readings],
            "remarks": remarks,
        }
        return Content(meta, columns)

    def _scorer_key(
        self, inputs: Inputs, scorer: Metric, population: Hashable, n_repeats: int
    ) -> Hashable:
        source = self._sources.plan(inputs).key
        kind = inputs.interval, inputs.holds_at_once
        how = (source.replacement, source.grouped, *kind, inputs.compare, n_repeats)
        return ("scorer", scorer.key, *how, population)

    def _redundancy_key(self, inputs: Inputs, population: Hashable) -> Hashable:
        return ("redundancy", inputs.grouped, population)


def _described(quantity: Quantity, inputs: Inputs, baseline: float | None) -> dict[str, Any]:
    """Describe a column; ``kind`` says in which words a change of it is read."""
    if isinstance(quantity, Metric):
        kind, unit = "score", quantity.unit
    else:
        kind = "prediction" if quantity.is_prediction else "uncertainty"
        kind = "loss" if quantity.needs_truth else kind
        unit = quantity.unit
    unit = "times" if inputs.compare == "ratio" else unit
    name, label = quantity.name, quantity.label
    more, less = _WORDS[kind]
    words = ["times as much" if inputs.compare == "ratio" else more, less]
    described = {"name": name, "label": label, "unit": unit, "baseline": baseline}
    return {**described, "kind": kind, "words": words}


# What a bar says of each kind of measure, and one on the other side.
_WORDS = {
    "loss": ("how much worse", "better"),
    "uncertainty": ("how much less sure", "more sure"),
    "prediction": ("how much higher", "lower"),
    "score": ("how much is lost", "gained"),
}


def _no_ratio(measure: Measure, mean: float) -> Remark:
    """Say that there is no ratio to a mean that is not positive."""
    return Remark(
        "no-ratio",
        f"the mean {measure.name} of these rows is {mean:.4g}, and a ratio needs a positive one; "
        "compare by the difference",
    )


def _of(populations: Populations) -> list[tuple[Population, Hashable]]:
    """Return the rows as they are stressed, and without stress if that differs, with their keys."""
    unstressed = populations.unstressed, populations.rows_key
    if populations.now is populations.unstressed:
        return [unstressed]
    return [(populations.now, populations.key), unstressed]
