"""The performance view: scores, confusion or residuals, and calibration of the model itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.performance import Calibration, CalibrationAlong, Confusion, Scores
from uqwidgets.plotting.result import Result
from uqwidgets.predictive.distributions import Point
from uqwidgets.widgets.inputs.choices import LEVEL, importance_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.frames import single
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.levels import Level, at_each
from uqwidgets.widgets.over_tau.stress_profiles import ends_of_scores
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations, Selection
from uqwidgets.widgets.views.performance.help import HELP
from uqwidgets.widgets.views.view import Availability, Content, View

# Classes up to which the confusion is shown, and rows that are drawn as points.
_MOST_CLASSES = 12
_MOST_POINTS = 400
# Rows up to which the scores of many levels take no time that a person notices.
_MOST_ROWS = 20_000
# Level of the predictive intervals whose coverage is shown.
_COVERAGE = 0.9


class PerformanceView(View):
    """How good the model is in the rows that are shown, under their stress."""

    name = "performance"
    help = HELP
    # Their intervals are those under stress of this feature, also without stress.
    reads = ("stress_feature", "stress_category", "calibration_by", "logit")
    tips: ClassVar = {
        "uq-calibration-by": "The column along which predictions may be too sure or too cautious",
        "uq-logit": "Axes of log-odds, which show probabilities near 0 and 1 apart",
    }
    reads_stress = True
    of_rows = ("predicted", "true", "weight", "row")
    row_values = "predicted and true values"

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._order = np.random.default_rng(explainer.seed).permutation(len(explainer.table))
        # The scores without stress of the latest rows, which all levels of tau are compared with.
        self._unstressed: tuple[Selection, Scores] | None = None
        # The verdicts on the calibration of populations that are in use.
        self._verdicts: WeakKeyDictionary[Population, dict[str, str]] = WeakKeyDictionary()

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Compute scores, calibration, and the confusion of classes or the points of numbers."""
        scores = self._shown_scores(inputs, populations)
        content = self._described(scores, populations, self._calibration(populations.now))
        has_classes = self.explainer.classes is not None
        points = {} if has_classes else self._points(populations.now)
        along = self._along(populations.now, inputs.calibration_by)
        meta, columns = ({}, {}) if along is None else _described_along(along)
        return Content({**content.meta, **meta}, {**content.columns, **points, **columns})

    def _described(
        self, now: Scores, populations: Populations, calibration: Calibration | None
    ) -> Content:
        # Without stress both are one population.
        is_stressed = populations.now is not populations.unstressed
        base = self._unstressed_scores(populations) if is_stressed else now
        meta: dict[str, Any] = {
            "scores": [
                dict(
                    zip(("name", "label", "unit", "value", "low", "high", "base"), one, strict=True)
                )
                for one in zip(
                    *(now.names, now.labels, now.units, now.value, now.low, now.high, base.value),
                    strict=True,
                )
            ],
            "level": LEVEL,
            "n_rows": now.n_rows,
            "remarks": now.remarks,
            "event": None,
        }
        columns: dict[str, Any] = {}
        if calibration is not None:
            self._verdicts[populations.now] = _texts(calibration)
            meta |= {"event": calibration.event, **self._verdicts[populations.now]}
            meta["spread"] = self._spread()
            meta["scores"] += self._coverage(calibration, populations)
            for name in ("predicted", "observed", "low", "high"):
                columns[f"calibration_{name}"] = getattr(calibration, name)
            columns["calibration_outside"] = calibration.outside.astype(np.uint8)
        classes = self.explainer.classes
        if classes is not None and len(classes) <= _MOST_CLASSES:
            result = self._confusion(populations.now)
            columns["confusion"] = result.share
            columns["confusion_rows"] = result.rows_of_pair.astype(np.int32)
            if len(result.classes) > len(classes):  # some predicted labels are none of the classes
                meta["labels"] = result.classes
        return Content(meta, columns)

    def complete(
        self, inputs: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> Content:
        """Compute everything; nothing without a target."""
        has_target = self.explainer.table.has_target
        return self.compute(inputs, populations) if has_target else Content()

    def results(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return scores, calibration and confusion, as far as the model has them."""
        results = self._results(inputs, populations.reached(inputs), check)
        return {**results, "scores": self._shown_scores(inputs, populations)} if results else {}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw scores, calibration and confusion, which need no model call."""
        return "".join(r._repr_html_() for r in self._results(inputs, population, check).values())

    def show_cached(self, work: Work) -> Availability:
        """Compute everything, unless the rows are many: then it follows when the controls rest."""
        if not self.explainer.table.has_target:
            return Availability(is_shown=False, is_complete=True)
        if len(self.explainer.table) <= work.timing.n_rows_at_once:
            return super().show_cached(work)
        is_complete = work.populations is None or not self.is_stale(work)
        return Availability(is_shown=False, is_complete=is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Compute it after what was picked, once the controls rest."""

        def run() -> None:
            if self.content.meta:
                work.wait_for_rest()
            self._update(work)

        def attempt() -> None:
            has_target = self.explainer.table.has_target
            if has_target and work.populations is not None and self.is_stale(work):
                self.attempt(work, self._input_key(work.inputs), run)

        return [Step(Urgency.DETAILS, attempt)]

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Follow the scores, the confusion of classes, and the calibration of numbers."""
        if not self.explainer.table.has_target or len(self.explainer.table) > _MOST_ROWS:
            return ()

        def of_level(level: Level, _check: Callable[[], None]) -> dict[str, Any]:
            # The bins of probabilities change with tau.
            has_classes = self.explainer.classes is not None
            calibration = None if has_classes else self._calibration(level.population)
            scores = self._shown_scores(level.inputs(inputs), level.populations)
            content = self._described(scores, level.populations, calibration)
            columns: dict[str, Any] = {**content.columns}
            for same in ("calibration_predicted", "confusion_rows"):  # tau does not move them
                columns.pop(same, None)
            for at, score in enumerate(content.meta["scores"]):
                columns |= {f"scores.{at}.{end}": score[end] for end in ("value", "low", "high")}
            return columns

        return [Track("scores", (), partial(at_each, of_level))]

    def _ends(self, inputs: Inputs, populations: Populations) -> dict[str, tuple[float, float]]:
        """Return the ends under stress of the intervals of scores that are indicators."""
        tau = inputs.tau if populations.is_reachable else 0.0
        at = populations.selection, inputs.stress_feature, populations.category
        return ends_of_scores(self.explainer, *at, tau)

    def _results(
        self, inputs: Inputs, population: Population, check: Callable[[], None]
    ) -> dict[str, Result]:
        if not self.explainer.table.has_target:
            return {}
        check()
        results: dict[str, Result] = {"scores": self._scores(population)}
        check()
        calibration = self._calibration(population)
        if calibration is not None:
            results["calibration"] = replace(calibration, logit=inputs.logit)
        along = self._along(population, inputs.calibration_by)
        if along is not None:
            results[f"calibration along {along.by}"] = along
        if self.explainer.classes is not None:
            results["confusion"] = self._confusion(population)
        return results

    def _shown_scores(self, inputs: Inputs, populations: Populations) -> Scores:
        """Return the scores, with the intervals under stress where an indicator has them too."""
        scores = self._scores(populations.now)
        tau = inputs.tau if populations.is_reachable else 0.0
        ends = self._ends(inputs, populations)
        low, high, std_error = scores.low.copy(), scores.high.copy(), scores.std_error.copy()
        for at, name in enumerate(scores.names):
            # A feature that cannot be stressed, such as a constant one, has no ends.
            if name in ends and (tau or np.isfinite(ends[name]).all()):
                low[at], high[at] = ends[name]
                # The standard error of the scores takes the weights as known.
                std_error[at] = np.nan if tau else std_error[at]
        return replace(scores, low=low, high=high, std_error=std_error)

    def _unstressed_scores(self, populations: Populations) -> Scores:
        known = self._unstressed
        if known is None or known[0] is not populations.selection:
            known = (populations.selection, self._scores(populations.unstressed))
            self._unstressed = known
        return known[1]

    def _scores(self, population: Population) -> Scores:
        return self.in_groups(population).scores(level=LEVEL, **_options(population))

    def _calibration(self, population: Population) -> Calibration | None:
        """Return the calibration; None for a model that predicts points or labels only."""
        if isinstance(self.explainer.evaluations.original, Point):
            return None
        grouped = self.in_groups(population)
        found: Calibration = grouped.calibration(level=LEVEL, **_options(population))
        return found

    def _along(self, population: Population, by: str) -> CalibrationAlong | None:
        """Return the calibration along a column; None without one."""
        if not by or isinstance(self.explainer.evaluations.original, Point):
            return None
        return self.in_groups(population).calibration(by=by, level=LEVEL, **_options(population))

    def _spread(self) -> list[str]:
        """Return the measure of how uncertain the predictions are, with its label; or nothing."""
        spread = [m for m in importance_measures(self.explainer) if not m.needs_truth]
        return [spread[0].name, spread[0].label] if spread else []

    def texts_over_tau(self, populations: Populations) -> dict[str, str]:
        """Return the verdict on the calibration of numbers; that of classes has other bins."""
        is_followed = self.explainer.table.has_target and self.explainer.classes is None
        if not is_followed or len(self.explainer.table) > _MOST_ROWS:
            return {}
        if populations.now not in self._verdicts:
            calibration = self._calibration(populations.now)
            self._verdicts[populations.now] = {} if calibration is None else _texts(calibration)
        return self._verdicts[populations.now]

    def _coverage(
        self, calibration: Calibration, populations: Populations
    ) -> Iterable[dict[str, Any]]:
        """Describe, for a target of numbers, the share of the rows inside predictive intervals."""
        if not calibration.coverage:
            return
        unstressed = self._calibration(populations.unstressed)
        assert unstressed is not None
        for (nominal, inside, low, high), (_, base, *_) in zip(
            calibration.coverage, unstressed.coverage, strict=True
        ):
            if nominal == _COVERAGE:
                label = f"rows inside {nominal:.0%} intervals"
                ends = {"low": low, "high": high, "base": base}
                yield {"name": "coverage", "label": label, "unit": "", "value": inside, **ends}

    def _confusion(self, population: Population) -> Confusion:
        return self.in_groups(population).confusion(**_options(population))

    def _points(self, population: Population) -> dict[str, Any]:
        """Predicted and true values of some rows, which stay the same while weights move."""
        rows = self._order[population.scored[self._order] > 0][:_MOST_POINTS]
        q = self.explainer.evaluations.answer.take(rows)
        return {
            "predicted": single(q.mean()),
            "true": single(self.explainer.evaluations.truth[rows]),
            "weight": population.scored[rows].astype(np.float32),
            "row": rows.astype(np.int32),
        }


def _options(population: Population) -> dict[str, Any]:
    """Return the arguments that stand for a population."""
    weights = population.weights if population.weighted else None
    return {"sample_weight": weights, "rows": population.rows}


def _texts(calibration: Calibration) -> dict[str, str]:
    return {"verdict": calibration.verdict, "misses": calibration.misses}


def _described_along(along: CalibrationAlong) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plain values and columns of the calibration along a column."""
    described = {
        "by": along.by,
        "names": along.names,
        "event": along.event,
        "of_sharpness": along.of_sharpness,
        "nominal": along.nominal,
        "verdict": along.verdict,
    }
    names = "predicted", "observed", "low", "high", "sharpness"
    columns: dict[str, Any] = {f"along_{name}": getattr(along, name) for name in names}
    columns["along_rows"] = along.n_rows_of_part.astype(np.int32)
    flags = {"along_outside": along.outside, "along_few": along.few}
    return {"along": described}, columns | {k: v.astype(np.uint8) for k, v in flags.items()}
