"""The changes of measures under one kind of replacement, which the importance view averages."""

from __future__ import annotations

from typing import NamedTuple

from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.replacement import Scheme, checked_scheme
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, find_metric, is_metric
from uqwidgets.widgets.inputs.choices import importance_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from uqwidgets.widgets.views.importance.sums import RepeatSums

#: A number per row, or a scorer of a whole set of rows.
Quantity = Measure | Metric
# The verdict reads these two together.
VERDICT_MEASURES = ("nll", "entropy")
#: The inputs that decide which columns are shown, and from which changes of single rows.
READS = ("importance_of", "replacement", "compare", "grouped", "verdict")


class SourceKey(NamedTuple):
    """The inputs that the changes of single rows depend on; the others only affect averages."""

    measures: tuple[str, ...]
    replacement: Scheme
    grouped: bool
    # The scorers that ask more of the model than the measures.
    scorers: tuple[str, ...] = ()


class ImportancePlan(NamedTuple):
    """What the importance view computes for some inputs.

    Attributes
    ----------
    key : SourceKey
    quantities : tuple of Quantity
        Measures and scorers that are shown, one to four.
    places : dict of int to int
        Position of each shown measure among those of the source, by its position among the
        quantities.
    reads_verdict : bool
    note : Remark or None
        Why there is no verdict, although the inputs request it.
    """

    key: SourceKey
    quantities: tuple[Quantity, ...]
    places: dict[int, int]
    reads_verdict: bool
    note: Remark | None


class Sources:
    """The changes behind the latest inputs.

    One source is in memory at a time. Another one is read from the model's cached answers.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._explainer = explainer
        self._plan: tuple[object, ImportancePlan] | None = None
        self._source: tuple[SourceKey, RepeatSums] | None = None

    def plan(self, inputs: Inputs) -> ImportancePlan:
        """Return what the view computes for these inputs."""
        key = tuple(getattr(inputs, name) for name in READS)
        if (latest := self._plan) is not None and latest[0] == key:
            return latest[1]
        plan = _plan(self._explainer, inputs)
        self._plan = key, plan
        return plan

    def of(self, inputs: Inputs) -> RepeatSums:
        """Return the sums of the changes behind the inputs."""
        key, ex = self.plan(inputs).key, self._explainer
        # A local name, for the picture of the widget may be drawn on another thread.
        if (latest := self._source) is None or latest[0] != key:
            self._source = None  # otherwise both are in memory
            units = ex.groups_and_features if key.grouped else ex.features
            measures = [ex.measure(name) for name in key.measures]
            scorers = [find_metric(name, ex.classes) for name in key.scorers]
            how = units, measures, ex.seed, key.replacement, scorers
            sums = RepeatSums(ex.evaluations, RepeatChanges(ex.evaluations, *how))
            latest = self._source = key, sums
        return latest[1]

    def learner_measures(self, inputs: Inputs) -> list[Measure] | None:
        """Return the measures that a learner is averaged by; None where it has no such numbers."""
        quantities = self.plan(inputs).quantities
        measures = [q for q in quantities if isinstance(q, Measure)]
        is_plain = (inputs.replacement, inputs.compare) == ("permutation", "difference")
        is_alike = is_plain and not inputs.grouped and len(measures) == len(quantities)
        return measures if is_alike else None

    def is_current(self, inputs: Inputs) -> bool:
        """Whether the changes behind the inputs are those in memory."""
        latest = self._source
        return latest is not None and latest[0] == _plan(self._explainer, inputs).key


def _plan(explainer: Explainer, inputs: Inputs) -> ImportancePlan:
    quantities: list[Quantity] = [
        find_metric(name, explainer.classes) if is_metric(name) else explainer.measure(name)
        for name in inputs.importance_of
    ] or [*importance_measures(explainer)]
    names = [q.name for q in quantities if isinstance(q, Measure)]
    places = {i: names.index(q.name) for i, q in enumerate(quantities) if isinstance(q, Measure)}
    note = _why_without_verdict(explainer, inputs) if inputs.verdict else None
    reads_verdict = inputs.verdict and note is None
    if reads_verdict:
        names += [name for name in VERDICT_MEASURES if name not in names]
    # One at least, which orders the features until scorers are computed.
    names = names or [importance_measures(explainer)[0].name]
    reads = explainer.evaluations.reads_answers
    scorers = tuple(q.name for q in quantities if isinstance(q, Metric) and reads(q))
    key = SourceKey(tuple(names), checked_scheme(inputs.replacement), inputs.grouped, scorers)
    return ImportancePlan(key, tuple(quantities), places, reads_verdict, note)


def _why_without_verdict(explainer: Explainer, inputs: Inputs) -> Remark | None:
    """Say why there is no verdict on the features; None if there is one."""
    if inputs.replacement == "conditional":
        return Remark(
            "no-verdict",
            "there is no verdict with conditional replacement, which keeps what features share; "
            "choose another replacement",
        )
    if inputs.compare == "ratio":
        return Remark("no-verdict", "there is no verdict on ratios; compare by the difference")
    for name in VERDICT_MEASURES:
        try:
            explainer.measure(name)
        except ValueError as error:
            return Remark("no-verdict", f"there is no verdict: {error}")
    return None
