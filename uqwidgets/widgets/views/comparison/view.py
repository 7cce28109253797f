"""The comparison view: the present results minus another side, with intervals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.errors import NoRatioError, in_one_line
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance.result import Importance
from uqwidgets.inference.population import Population
from uqwidgets.performance.result import Scores
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import sentence
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.curve_form import N_VALUES
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.work import Report, Step, Urgency, Work
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.comparison.content import Shown, of_difference, of_importances
from uqwidgets.widgets.views.comparison.help import HELP, TIPS
from uqwidgets.widgets.views.comparison.other_model import OtherModel
from uqwidgets.widgets.views.comparison.over_tau import MOST_VALUES, difference_track
from uqwidgets.widgets.views.comparison.sides import (
    KINDS,
    MOVING,
    ComparedPart,
    NothingToCompareError,
    OtherClass,
    OtherRows,
    OtherSide,
    RefittedLearner,
    first_class,
    measures_of,
)
from uqwidgets.widgets.views.refitted import Refitted
from uqwidgets.widgets.views.view import Availability, Content, Key, View

#: What the other side is, the word before its name in legends, by the kind of `compare_with`.
OF = {"model": "model", "cohort": "rows", "rest": "rows", "class": "class", "learner": "learner"}


class ComparisonView(View):
    """Importance, curve, stress and scores of what is shown, minus those of another side."""

    name = "comparison"
    help = HELP
    tips = TIPS
    reads = ("compare_with",)

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        # The other model stays, because it takes time to make it.
        self._model: OtherModel | None = None
        # The weights of the user, and the explainer with the groups of rows that are shown.
        self._weights: Floats | None = None
        self._shown_in = explainer
        self._has_learner = False
        # The content that is drawn behind the other views, and its name.
        self._under: tuple[Inputs | None, str, dict[str, npt.NDArray[Any]]] = None, "", {}

    def compute(
        self, inputs: Inputs, populations: Populations, report: Report = lambda *_: None
    ) -> Content:
        """Compute all differences; the other model is called for values that are not cached."""
        content = Content()
        for content in self._contents(inputs, populations, report):  # noqa: B007
            pass
        return content

    def complete(
        self, _inputs: Inputs, _populations: Populations, _check: Callable[[], None]
    ) -> Content:
        """Return nothing: `results` needs no content, and a page stores differences in parts."""
        return Content()

    def another(self) -> Self:
        """Return a view that shares the comparison."""
        view = type(self)(self.explainer)
        view._model, view._has_learner = self._model, self._has_learner
        return view

    def results(
        self, inputs: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the differences by the analysis that they are of."""
        if not inputs.compare_with or self.has_failed(self._input_key(inputs)):
            return {}
        side = self._side(inputs, populations)
        parts = side.parts(inputs, populations.reached(inputs), lambda *_: None)
        return {_name(difference): difference for difference in _computed(parts)}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the differences, if they are known."""
        if self.content.key is None or self.content.key[0] != self._input_key(inputs):
            return ""
        parts = self._side(inputs).parts(inputs, population, lambda *_: check())
        return "".join(difference._repr_html_() for difference in _computed(parts, check))

    def learner_part(self, _refitted: Refitted) -> None:
        """Add nothing: the learner shares no rows with the model."""
        self._has_learner = True

    def show_cached(self, work: Work) -> Availability:
        """Show nothing new: differences are computed when the controls rest."""
        if not work.inputs.compare_with:
            self.content = Content()
            return Availability(is_shown=False, is_complete=True)
        failed = self.has_failed(self._input_key(work.inputs))
        if failed:
            self.attempt(work, self._input_key(work.inputs), lambda: None)
        is_complete = failed or work.populations is None or not self.is_stale(work)
        return Availability(is_shown=False, is_complete=is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Compute the differences, after all views of the present model are complete."""

        def run() -> None:
            assert work.populations is not None
            if self.content.meta:
                work.wait_for_rest()
            populations, key = work.populations, self._key(work.inputs, work.populations)
            for content in self._contents(work.inputs, populations, work.report):
                self.content = Content(content.meta, content.columns, key)
                work.send()

        def attempt() -> None:
            inputs = work.inputs
            if inputs.compare_with and work.populations is not None and self.is_stale(work):
                if not self.attempt(work, self._input_key(inputs), run):
                    self.content = Content()
                work.send()

        return [Step(Urgency.REFINEMENT, attempt)]

    def under(self, inputs: Inputs) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]] | None:
        """Return the other side, which is drawn behind the other views."""
        state, of, columns = self._under
        if not self.content.meta or not inputs.compare_with or state is None:
            return None
        # The other views compare this state with their own inputs.
        described = {"note": self.content.meta["second"], "state": state.plain(), "of": of}
        return described, columns

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Return the track of the differences, unless so many rows and repeats take too long."""
        state, _, under = self._under
        known = self.content
        is_known = known.key is not None and known.key[0] == self._input_key(inputs)
        if not inputs.compare_with or not is_known or not (known.columns or known.meta["scores"]):
            return ()
        return self._tracks(inputs, Shown(known.meta, known.columns, under if state else {}))

    def _tracks(
        self,
        inputs: Inputs,
        shown: Shown,
        kinds: Sequence[str] = MOVING,
        stressed: Collection[str] | None = None,
    ) -> Sequence[Track]:
        """Return the track of these kinds of differences, unless it takes too long."""
        n_curves = N_VALUES
        if "importance" in kinds:
            measures = measures_of(self.explainer, inputs)
            n_curves += len(measures) * inputs.n_repeats * len(self.explainer.features)
        if len(self.explainer.table) * n_curves > MOST_VALUES:
            return ()

        def at_level(inputs: Inputs, populations: Populations, check: Callable[[], None]) -> Shown:
            *_, shown = self._shown(inputs, populations, lambda *_: check(), kinds)
            return shown

        return [difference_track(self._input_key(inputs), inputs, shown, at_level, stressed)]

    def _input_key(self, inputs: Inputs) -> Key:
        return (
            inputs.compare_with,
            inputs.feature,
            inputs.measure,
            inputs.indicator,
            inputs.stress_feature,
            inputs.spacing,
            inputs.center,
            inputs.center_at,
            inputs.derivative,
            inputs.relative,
            inputs.n_repeats,
            inputs.interval,
            inputs.simultaneous,
            inputs.groups,
            inputs.time,
            inputs.importance_of,
            inputs.replacement,
            inputs.compare,
            inputs.grouped,
            inputs.cohorts if inputs.compare_with.startswith("cohort:") else (),
        )

    def _contents(
        self, inputs: Inputs, populations: Populations, report: Report
    ) -> Iterator[Content]:
        """Yield the content, one more difference at a time, and set what is behind the views."""
        for shown in self._shown(inputs, populations, report):
            yield Content(shown.meta, shown.columns)
        # It is set only now: before, the legends would say that the other side has no such curve.
        of = inputs if shown.under else None
        self._under = of, OF[inputs.compare_with.partition(":")[0]], shown.under

    def _shown(
        self,
        inputs: Inputs,
        populations: Populations,
        report: Report,
        kinds: Sequence[str] = KINDS,
    ) -> Iterator[Shown]:
        """Yield the differences of these kinds, with one more at a time."""
        nothing: dict[str, Any] = {"scores": [], "curve": None, "stress": None, "importance": []}
        try:
            side = self._side(inputs, populations)
        except NothingToCompareError as error:
            names = {"first": "", "second": "", "level": LEVEL, "tau": 0.0}
            yield Shown({**names, **nothing, "sentences": [str(error)]}, {}, {})
            return
        first, second = side.names
        # A page moves tau on by itself, and says of which level the differences are.
        tau = inputs.tau if inputs.stress_feature else 0.0
        names = {"first": first, "second": second, "level": LEVEL, "tau": tau}
        meta: dict[str, Any] = {**names, **nothing, "sentences": side.sentences(inputs)}
        columns: dict[str, npt.NDArray[Any]] = {}
        under: dict[str, npt.NDArray[Any]] = {}
        importances: list[tuple[Difference, int | None]] = []
        units = self.explainer.groups_and_features if inputs.grouped else self.explainer.features
        n_measures = len(measures_of(self.explainer, inputs))
        for part in side.parts(inputs, populations.now, report):
            if part.kind not in kinds:
                continue
            try:
                difference = part.compute()
            except NoRatioError as error:
                reason = sentence(str(error)).partition(";")[0]
                meta["sentences"] = [*meta["sentences"], f"{reason}."]
                yield Shown(dict(meta), dict(columns), dict(under))
                continue
            if isinstance(difference.first, Importance):
                importances.append((difference, part.column))
                shown = of_importances(importances, units, n_measures)
            else:
                shown = of_difference(difference, populations.category)
            if isinstance(difference.first, Scores):
                meta["sentences"] = [*meta["sentences"], *difference.difference.remarks]
            meta |= shown.meta
            columns |= shown.columns
            under |= shown.under if part.lies_under else {}
            yield Shown(dict(meta), dict(columns), dict(under))
        if not columns and not meta["scores"]:
            yield Shown(meta, {}, {})

    def _side(self, inputs: Inputs, populations: Populations | None = None) -> OtherSide:
        """Return the other side; the explainer of another model is made at first."""
        kind, _, name = inputs.compare_with.partition(":")
        if populations is not None:
            described = populations.selection.described
            self._weights = None if described is None else described.own
            self._shown_in = populations.selection.explainer
        has_weights, explainer = bool(inputs.held) or self._weights is not None, self._shown_in
        if kind == "class":
            own = first_class(explainer, inputs, name)
            return OtherClass(explainer, (own, name), has_weights)
        if kind == "learner":
            if not self._has_learner:
                raise NothingToCompareError(_without_learner(self.explainer))
            return RefittedLearner(explainer, (explainer.name, kind), has_weights)
        if kind != "model":
            return OtherRows.of_inputs(explainer, inputs, self._weights)
        known = self._model
        if known is None or (known.explainer, known.names[1]) != (explainer, name):
            try:
                known = self._model = OtherModel(explainer, name)
            except SupersededError:
                raise
            except Exception as error:
                raise _named(name, error) from error
        known.has_weights = has_weights
        return known


def _computed(
    parts: Iterable[ComparedPart], check: Callable[[], None] = lambda: None
) -> Iterator[Difference]:
    """Yield the differences, without ratios that do not exist."""
    for part in parts:
        check()
        with contextlib.suppress(NoRatioError):
            yield part.compute()


def _name(difference: Difference) -> str:
    """Return the measure of an importance, and otherwise the name of the analysis."""
    of = difference.first
    return of.measure if isinstance(of, Importance) else type(of).__name__.lower()


def _without_learner(explainer: Explainer) -> str:
    """Say why there is no learner to compare with."""
    first = explainer.others.first
    if first is None:
        return "there is no learner; pass learner=uq.Learner(estimator, X, y) to uq.explore."
    return f"the learner belongs to {first.name}; show {first.name} to compare."


def _named(name: str, error: Exception) -> ValueError:
    """Return an error whose sentence names the model that failed."""
    why = str(error) if isinstance(error, ValueError) else in_one_line(error)
    return ValueError(f"{name}: {why}")
