"""The dependence view: PD, ICE and the distribution of the picked feature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence import Grid
from uqwidgets.dependence.html import dependence_html
from uqwidgets.dependence.result import Dependence
from uqwidgets.evaluation.progress import Progress, ProgressCallback
from uqwidgets.evaluation.replacement import Request
from uqwidgets.evaluation.samples import FEWEST_SAMPLED, FIRST_SAMPLE, affordable_rows
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import value_text
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.curve_form import N_VALUES
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.inputs.rows_text import rows_of_text
from uqwidgets.widgets.kernel.frames import single
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.drawn import row_labels
from uqwidgets.widgets.rows.places import axis_places, grid_places
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.dependence.feature_curves import FeatureCurves
from uqwidgets.widgets.views.dependence.groups import Groupings, RowGroups
from uqwidgets.widgets.views.dependence.help import HELP, TIPS
from uqwidgets.widgets.views.dependence.histograms import Histograms
from uqwidgets.widgets.views.dependence.over_tau import curve_tracks
from uqwidgets.widgets.views.learner_part import LearnerCurve, form_of
from uqwidgets.widgets.views.refitted import Refitted
from uqwidgets.widgets.views.view import Availability, Content, Key, View

# The first curve is of at most so many rows, one of the sizes of samples.
_FIRST_ROWS = 800
# Lines in the static picture, which every notebook keeps.
_DRAWN_LINES = 30


class DependenceView(View):
    """Curves of the picked feature."""

    needs_model = True
    name = "dependence"
    help = HELP
    tips = TIPS
    # The page alone clips lines, draws a rug and orders categories.
    reads = (
        "feature",
        "measure",
        "center",
        "center_at",
        "derivative",
        "relative",
        "spacing",
        "simultaneous",
        "ice_lines",
        "color_by",
        "group_averages",
        "own_values",
        "rug",
        "clip_lines",
        "category_order",
        "selection",
    )
    of_rows = ("ice", "ice_weight", "ice_class", "ice_row", "ice_labels", "own", "own_value")
    row_values = "curves, classes and weights"

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._curves = FeatureCurves(explainer)
        # The averages of the latest curve: other lines, rows or groups do not change them.
        self._averaged: dict[Key, Dependence] = {}
        self._unstressed: dict[Key, Floats] = {}
        self._histograms = Histograms(explainer.table)
        self._groupings = Groupings(explainer)

    def replacements(self, inputs: Inputs) -> list[Request]:
        """Return what is asked at the values of the picked feature's grid."""
        return self._curves.replacements(inputs)

    def is_ready(self, inputs: Inputs) -> bool:
        """Whether `compute` needs no model call."""
        return self._curves.is_known(inputs)

    def compute(
        self,
        inputs: Inputs,
        populations: Populations,
        *,
        coarse: bool = False,
        n_rows: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> Content:
        """Average the curves; the model is called for values that are not known.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        coarse : bool, default=False
            Whether a few of the values do, for a first look.
        n_rows : int, optional
            Rows of the sample that was evaluated; all rows if not given.
        callback : callable, optional
            See `Evaluations.evaluate_all`.
        """
        ex, feature = self.explainer, inputs.feature
        n_rows = n_rows or self._curves.most_rows(inputs)
        now, base = self._averages(inputs, populations, coarse, n_rows, callback)
        grid = self._curves.grid(inputs, coarse=coarse)
        groups = self._groupings.of(inputs.color_by)
        counts, counts_base = self._histograms.of_groups(grid, populations, groups)
        rows = self._curves.drawn.of(populations.now, inputs.ice_lines, n_rows, inputs.selection)
        columns_of = rows if n_rows is None else ex.evaluations.row_order.places[rows]
        edges = self._histograms.edges(grid)
        of_time = ex.table.holds_dates(feature)
        apart = now.categorical and not of_time
        meta = {
            "feature": feature,
            "measure": now.measure,
            "label": now.quantity,
            "unit": now.unit,
            "categorical": apart,
            "time": of_time,
            "center": now.center is not None,
            "derivative": now.derivative,
            "relative": now.relative,
            "form": form_of(grid, self._curves.transform(inputs)),
            "labels": [value_text(v) for v in now.grid] if now.categorical else None,
            # Not all of them are in the grid.
            "n_values": len(ex.table.labels(feature).texts) if apart else len(grid),
            "has_missing": ex.table.missing(feature) > 0,
            "color_by": inputs.color_by,
            "groups": groups.names,
            "ramp": groups.ramp,
            "n_rows": len(populations.now.positions),
            "n_rows_known": len(now.rows),
            "n_lines": len(rows),
            "ice_labels": row_labels(ex.table, rows),
            "level": LEVEL,
            "remarks": populations.remarked(now, ex).remarks,
        }
        columns: dict[str, npt.NDArray[Any]] = {
            "grid": grid_places(ex.table, grid),
            "average": now.average,
            "low": now.low,
            "high": now.high,
            "base": base,
            "near": now.near.astype(np.uint8),
            "ice": single(now.curves[:, columns_of].T),
            "ice_weight": populations.now.weights[rows].astype(np.float32),
            "ice_class": groups.steps[rows].astype(np.int32),
            "ice_row": rows.astype(np.int32),
            "counts": counts,
            "counts_base": counts_base,
        }
        if edges is not None:
            columns["edges"] = edges
        if inputs.selection:
            selected = rows_of_text(inputs.selection, len(ex.table))
            columns["selected"] = self._histograms.share_of(selected, grid, populations.now)
        if inputs.group_averages:
            columns |= self._of_groups(groups, populations.now, n_rows)
        if inputs.own_values or inputs.rug:
            columns["own"] = self._own_places(grid)[rows]
        if inputs.own_values and not now.derivative:
            own = self._curves.own_values(inputs, n_rows, callback)
            columns["own_value"] = single(own[rows])
        return Content(meta, columns, self._content_key(inputs, populations, coarse, n_rows))

    def _averages(
        self,
        inputs: Inputs,
        populations: Populations,
        coarse: bool,
        n_rows: int | None,
        callback: ProgressCallback | None,
    ) -> tuple[Dependence, Floats]:
        """Return the curve, and its average without stress; see `compute`."""
        curve_key = self._curves.key(inputs, coarse, n_rows)
        key = (curve_key, inputs.simultaneous, populations.key)
        key_of_rows = (*curve_key, populations.rows_key)
        if key not in self._averaged:
            self._averaged = {}  # otherwise its curves stay in memory beside the new ones
        options: Any = {"coarse": coarse, "n_rows": n_rows, "callback": callback}
        self._curves.evaluate(inputs, **options)
        if not self._averaged:
            self._averaged = {key: self._curves.dependence(inputs, populations.now, **options)}
        now = self._averaged[key]
        if populations.now is populations.unstressed:
            self._unstressed = {key_of_rows: now.average}
        elif key_of_rows not in self._unstressed:
            unstressed = self._curves.dependence(inputs, populations.unstressed, **options)
            self._unstressed = {key_of_rows: unstressed.average}
        return now, self._unstressed[key_of_rows]

    def results(
        self, inputs: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the curve of the picked feature, by its measure."""
        if not inputs.feature or self.has_failed(self._failure_key(inputs)):
            return {}
        return {inputs.measure: self._curves.dependence(inputs, populations.reached(inputs))}

    def ghost(
        self, pinned: Inputs, populations: Populations, _check: Callable[[], None]
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the curve of a pin, if it is known."""
        if not pinned.feature or not populations.is_reachable or not self.is_ready(pinned):
            return {}
        curve = self._curves.dependence(pinned, populations.now)
        places = grid_places(self.explainer.table, self._curves.grid(pinned))
        return {"ghost": curve.average, "ghost_grid": places}

    def html(self, inputs: Inputs, population: Population, check: Callable[[], None]) -> str:
        """Draw the curve, if it is known."""
        check()
        if not inputs.feature or not self._curves.is_known(inputs):
            return ""
        result = self._curves.dependence(inputs, population)
        return dependence_html(result, min(inputs.ice_lines, _DRAWN_LINES))

    def show_cached(self, work: Work) -> Availability:
        """Draw the curve as far as it needs no model call: all of it, or its coarse values."""
        inputs, is_drawn, is_sampled = work.inputs, False, False
        failure_key = self._failure_key(inputs)
        if not inputs.feature or self.has_failed(failure_key):
            return Availability(is_shown=False, is_complete=False)

        def draw() -> None:
            nonlocal is_drawn, is_sampled
            is_drawn = self.is_ready(inputs)
            if is_drawn or self._curves.is_known(inputs, coarse=True):
                self._draw(work, coarse=not is_drawn)
                return
            for coarse in (False, True):
                if n_rows := self._curves.n_sampled(inputs, coarse=coarse):
                    self._draw(work, coarse=coarse, n_rows=n_rows)
                    is_sampled = True
                    return

        is_drawn = self.attempt(work, failure_key, draw) and is_drawn
        return Availability(is_shown=is_drawn or is_sampled, is_complete=is_drawn)

    def steps(self, work: Work) -> Iterable[Step]:
        """Evaluate the curve of the picked feature, of growing samples where it takes long."""
        inputs = work.inputs
        if inputs.feature and self._curves.is_sampled(inputs):
            yield Step(Urgency.PICKED, lambda: self._evaluate_first(work))
            for size in self._sizes(inputs):
                yield Step(Urgency.PRECISION, partial(self._evaluate, work, size), size)
        elif inputs.feature:
            yield Step(Urgency.PICKED, lambda: self._evaluate(work))

    def is_stale(self, work: Work) -> bool:
        """Whether the content is neither the curve, nor of its coarse values or a sample."""
        inputs, populations = work.inputs, work.populations
        return populations is None or self.content.key not in (
            self._content_key(inputs, populations, coarse=False),
            self._content_key(inputs, populations, coarse=True),
            *(
                self._content_key(
                    inputs, populations, coarse, self._curves.n_sampled(inputs, coarse=coarse)
                )
                for coarse in (False, True)
            ),
        )

    def published(self, work: Work) -> Content:
        """Return the content; none if it is of another feature and its update was stopped."""
        if work.stopped and self._is_of_another_feature(work.inputs):
            return Content()
        return self.content

    def seconds_ahead(self, inputs: Inputs) -> float:
        """Model time of the curve of the feature that is picked, or will be, in seconds."""
        evaluations, n_rows = self.explainer.evaluations, N_VALUES * len(self.explainer.table)
        if inputs.feature:
            n_rows = 0
            with suppress(ValueError):  # without a curve, which is said when it is to be drawn
                n_rows = self._curves.rows_ahead(inputs)
        return evaluations.seconds_for(n_rows)

    def notes(self, inputs: Inputs) -> Iterable[Remark]:
        """Say which curves fit in the memory, if not all do."""
        if inputs.feature:
            with suppress(ValueError):  # without a curve
                yield from self._curves.notes_on_memory(inputs)

    def learner_part(self, refitted: Refitted) -> LearnerCurve:
        """Return the curve of the learner, over the same grid."""
        return LearnerCurve(refitted, self._curves.grid, self._curves.transform)

    def unfinished(self, inputs: Inputs) -> str | None:
        """Say that the curve of the picked feature is missing."""
        feature = inputs.feature
        return f"before the curve of {feature}" if self._is_of_another_feature(inputs) else None

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether the curve that failed is requested again."""
        return key == self._failure_key(inputs)

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Follow the curve with its band, the shares of rows and the weights of the lines."""
        is_known = bool(inputs.feature) and self.is_ready(inputs)
        if not is_known:
            return ()
        groups = self._groupings.of(inputs.color_by)
        return curve_tracks(inputs, self._curves, self._histograms, groups)

    def _of_groups(
        self, groups: RowGroups, population: Population, n_rows: int | None
    ) -> dict[str, Floats]:
        """Return the average of each group of rows, with its interval."""
        if n_rows is not None:
            sample = self.explainer.evaluations.row_order.rows[:n_rows]
            groups, population = groups.among(sample), population.among(sample)
        lines = groups.averages(self._curves.latest, [population])
        names = ("group_average", "group_low", "group_high")
        return {name: values[0] for name, values in zip(names, lines, strict=True)}

    def _own_places(self, grid: Grid) -> Floats:
        """Place of each row's own value along the axis, NaN where there is none."""
        places = axis_places(self.explainer.table, grid.feature)
        if places is not None:
            return places
        bins = self._histograms.bins(grid)
        return np.where(bins < 0, np.nan, bins)

    def _sizes(self, inputs: Inputs) -> list[int]:
        """Return the sizes of the growing samples, up to the rows whose curves fit in memory."""
        sizes = self.explainer.evaluations.row_order.sizes
        most = self._curves.most_rows(inputs) or sizes[-1]
        return [size for size in sizes if size <= most]

    def _is_of_another_feature(self, inputs: Inputs) -> bool:
        return bool(self.content.meta.get("feature", inputs.feature) != inputs.feature)

    def _failure_key(self, inputs: Inputs) -> Key:
        return (inputs.feature, inputs.measure)

    def _content_key(
        self, inputs: Inputs, populations: Populations, coarse: bool, n_rows: int | None = None
    ) -> Key:
        return (*self._input_key(inputs), populations.key, coarse, n_rows)

    def _evaluate_first(self, work: Work) -> None:
        """Evaluate a first curve: of as many rows as take little time, or of coarse values."""
        evaluations, grid = self.explainer.evaluations, self._curves.grid(work.inputs)
        affordable = min(affordable_rows(evaluations, len(grid), FIRST_SAMPLE), _FIRST_ROWS)
        enough = evaluations.row_order.largest(FEWEST_SAMPLED)
        first = min(max(affordable, enough), self._sizes(work.inputs)[-1])
        if not self._curves.n_sampled(work.inputs, coarse=False):
            self._evaluate(work, first, coarse=affordable < enough)

    def _evaluate(self, work: Work, n_rows: int | None = None, *, coarse: bool = False) -> None:
        """Evaluate the curve of all rows, or of a sample of so many, and show it."""
        inputs, evaluations, curves = work.inputs, self.explainer.evaluations, self._curves
        failure_key = self._failure_key(inputs)
        if work.populations is None or self.has_failed(failure_key):
            self.attempt(work, failure_key, lambda: None)
            return
        known, n = curves.n_sampled(inputs, coarse=coarse), len(self.explainer.table)
        # The coarse curve may be of more rows already.
        known_of_any = max(known, curves.n_sampled(inputs, coarse=True) - 1)
        if self.is_ready(inputs) or (n_rows is not None and known_of_any >= n_rows):
            return
        before, ahead = evaluations.rows_evaluated, curves.rows_ahead(inputs)
        total, what = ahead, f"curve of {inputs.feature}"
        if n_rows is not None:
            total = (n_rows - known) * len(curves.grid(inputs, coarse=coarse))
            what += f", {known:,} of {n:,} rows"

        def callback(_progress: Progress | None = None) -> None:
            done = min(total, evaluations.rows_evaluated - before)
            if n_rows is None and done == total:
                work.report(self._drawing(inputs))
            else:
                seconds = evaluations.seconds_for(ahead - done) + work.seconds_ahead(besides=self)
                work.report(what, done, total, seconds)

        def evaluate() -> None:
            callback()
            is_long = n_rows is None and evaluations.is_long(total, work.timing.long_work)
            if is_long and not curves.is_known(inputs, coarse=True):
                self._draw(work, coarse=True, callback=callback)
                work.send()
            self._draw(work, coarse=coarse, n_rows=n_rows, callback=callback)

        if self.attempt(work, failure_key, evaluate):
            work.send()

    def _drawing(self, inputs: Inputs) -> str:
        return f"computing {self.explainer.measure(inputs.measure).label} along {inputs.feature}"

    def _draw(
        self,
        work: Work,
        *,
        coarse: bool,
        n_rows: int | None = None,
        callback: ProgressCallback | None = None,
    ) -> None:
        """Draw the curve of all rows, or of those of a sample that are scored, if any are."""
        inputs, populations, progress = work.inputs, work.populations, work.progress
        if populations is None:
            return
        if n_rows == len(self.explainer.table):
            self._curves.evaluate(inputs, coarse=coarse, n_rows=n_rows, callback=callback)
            n_rows = None
        n_rows = n_rows or self._curves.most_rows(inputs)
        sample = self.explainer.evaluations.row_order.rows[:n_rows]
        if n_rows is not None and not populations.now.scored[sample].any():
            return
        if self.content.key != self._content_key(inputs, populations, coarse, n_rows):
            if callback is None:
                work.set_progress(self._drawing(inputs))
            self.content = self.compute(
                inputs, populations, coarse=coarse, n_rows=n_rows, callback=callback
            )
        work.progress = progress
