"""The selection view: which rows are selected, one of them in detail, and its what-if."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.evaluation.answers import ANSWER, DISTRIBUTION, Reader
from uqwidgets.evaluation.replacement import SingleRow
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.predictive import Distribution
from uqwidgets.predictive.distributions import class_codes
from uqwidgets.widgets.inputs.choices import curve_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.inputs.rows_text import rows_of_text
from uqwidgets.widgets.inputs.what_if import replacement_of
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.rows.drawn import DrawnRows, row_labels
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.selection.card import predictions, span, values_of
from uqwidgets.widgets.views.selection.help import HELP, TIPS
from uqwidgets.widgets.views.view import Availability, Content, Key, View

#: Selected rows that are listed, the first ones.
MOST_LISTED = 100


class SelectionView(View):
    """The selected rows, a card of one of them, and its prediction with other values."""

    name = "selection"
    help = HELP
    tips = TIPS
    reads = ("selection", "row", "what_if")
    of_rows = (
        "listed",
        "predicted",
        "true",
        "weight",
        "measures",
        "rank",
        "card",
        "numbers",
        "prediction",
        "labels",
        "texts",
    )
    row_values = "values of all features and predictions"

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._drawn = DrawnRows(explainer)
        self._measures = curve_measures(explainer)
        self._span: tuple[float, float] | None = None
        # The rows in the order of each measure, by its name.
        self._orders: dict[str, npt.NDArray[np.intp]] = {}
        # The what-if that the model failed on, and its sentence.
        self._failed: tuple[SingleRow, str] | None = None

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Describe the first selected rows and the card of one; the model is not called."""
        selected = rows_of_text(inputs.selection, len(self.explainer.table))
        row = self._row_of_card(inputs, selected)
        listed = selected[:MOST_LISTED]
        if row is not None:
            listed = np.union1d(listed, [row])
        content = self._described(listed, listed[listed == row], populations.now)
        content.meta["n_selected"] = len(selected)
        changed = self._changed(inputs, row)
        if changed is not None:
            content.meta["what_if"], columns = self._what_if(inputs, *changed)
            content.columns.update(columns)
        return content

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Describe all rows that a page draws, each with its card."""
        check()
        selected = rows_of_text(inputs.selection, len(self.explainer.table))
        drawn = self._drawn.of(populations.now, inputs.ice_lines, None, inputs.selection)
        # A selected row has a card also where it is not among the rows that are shown.
        rows = np.union1d(drawn, selected) if inputs.ice_lines else drawn
        return self._described(rows, rows, populations.now)

    def show_cached(self, work: Work) -> Availability:
        """Show everything except a what-if that needs a model call."""
        shown = super().show_cached(work)
        is_known = self._pending(work.inputs) is None
        return Availability(shown.is_shown, shown.is_complete and is_known)

    def steps(self, work: Work) -> Iterable[Step]:
        """Ask the model about the changed row, once the controls rest."""

        def attempt() -> None:
            request = self._pending(work.inputs)
            if request is None or work.populations is None:
                return
            work.wait_for_rest()
            try:
                evaluations = self.explainer.evaluations
                evaluations.evaluate_all(evaluations.requests([request], DISTRIBUTION, ANSWER))
                self._failed = None
            except ValueError as error:
                self._failed = (request, str(error))
            self._update(work)
            work.send()

        return [Step(Urgency.FIRST, attempt)]

    def try_again(self) -> None:
        """Forget what the model failed on, also the changed row."""
        super().try_again()
        self._failed = None

    def _input_key(self, inputs: Inputs) -> Key:
        # The content of a what-if differs before and after the model's answer.
        return (*super()._input_key(inputs), self._pending(inputs) is None, self._failed)

    def _row_of_card(self, inputs: Inputs, selected: Positions) -> int | None:
        if inputs.row in selected:
            return inputs.row
        return int(selected[0]) if len(selected) else None

    def _changed(self, inputs: Inputs, row: int | None) -> tuple[int, SingleRow | None] | None:
        """Return the row whose values are changed, with the replacement that the model predicts."""
        if row is None or not inputs.what_if:
            return None
        constant = replacement_of(self.explainer.table, row, inputs.what_if)
        return row, None if constant is None else SingleRow(constant, row)

    def _pending(self, inputs: Inputs) -> SingleRow | None:
        """Return the changed row that the model has to evaluate; None if there is none."""
        selected = rows_of_text(inputs.selection, len(self.explainer.table))
        changed = self._changed(inputs, self._row_of_card(inputs, selected))
        request = None if changed is None else changed[1]
        if request is None or (self._failed is not None and self._failed[0] == request):
            return None
        return None if self._is_known(request) else request

    def _is_known(self, request: SingleRow) -> bool:
        evaluations = self.explainer.evaluations
        requests = evaluations.requests([request], DISTRIBUTION, ANSWER)
        return all(map(evaluations.is_cached, requests))

    def _what_if(
        self, inputs: Inputs, row: int, request: SingleRow | None
    ) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Describe the changed row, and return its columns as far as the answer is known."""
        evaluations = self.explainer.evaluations
        meta: dict[str, Any] = {
            "row": row,
            "changes": [change.plain() for change in inputs.what_if],
            "error": None,
        }
        if request is not None and self._failed is not None and self._failed[0] == request:
            return {**meta, "error": self._failed[1]}, {}
        rows = np.array([row])
        if request is not None and not self._is_known(request):
            return meta, {}

        def read(reader: Reader) -> Distribution:
            if request is None:
                return evaluations.original_for(reader).take(rows)
            return evaluations.joined(evaluations.requests([request], reader))

        try:
            columns = self._of(read, rows)
        except ValueError as error:
            return {**meta, "error": str(error)}, {}
        return meta, {f"if_{name}": values for name, values in columns.items()}

    def _of(
        self, read: Callable[[Reader], Distribution], rows: Positions
    ) -> dict[str, npt.NDArray[Any]]:
        """Return what the model says of some rows: its prediction and the measures."""
        evaluations = self.explainer.evaluations
        measures = [evaluations.values_at(read(one), one, rows) for one in self._measures]
        return {
            "predicted": self._predicted(read(ANSWER)),
            "prediction": predictions(read(DISTRIBUTION)),
            "measures": np.stack(measures, axis=1),
        }

    def _described(self, listed: Positions, cards: Positions, population: Population) -> Content:
        """Describe rows in a list, and some of them on cards; without rows there is no more."""
        if not len(listed):
            return Content({"n_selected": 0})
        ex, evaluations = self.explainer, self.explainer.evaluations
        of_listed = self._of(lambda reader: evaluations.original_for(reader).take(listed), listed)
        numbers, texts = values_of(ex.table, cards)
        meta = {
            "n_selected": 0,
            "measures": [
                {"name": m.name, "label": m.label, "unit": m.unit, "prediction": m.is_prediction}
                for m in self._measures
            ],
            "classes": None if ex.classes is None else [*map(str, evaluations.predicted_labels)],
            "span": self._spanned(),
            "labels": row_labels(ex.table, listed),
            "texts": texts,
            "what_if": None,
        }
        columns = {
            "listed": listed.astype(np.int32),
            "predicted": of_listed["predicted"],
            "true": self._true(listed),
            "weight": population.scored[listed],
            "measures": of_listed["measures"],
            "rank": self._ranks(of_listed["measures"], population),
            "card": cards.astype(np.int32),
            "numbers": numbers,
            "prediction": of_listed["prediction"][np.searchsorted(listed, cards)],
        }
        return Content(meta, columns)

    def _predicted(self, q: Distribution) -> Floats:
        """Return the position of the predicted class, or the predicted number, of each row."""
        if self.explainer.classes is None:
            return np.asarray(q.mean(), dtype=np.float64)
        return self.explainer.evaluations.predicted_codes(q).astype(np.float64)

    def _true(self, rows: Positions) -> Floats:
        ex = self.explainer
        if not ex.table.has_target:
            return np.full(len(rows), np.nan)
        true = ex.table.y[rows]
        codes = true if ex.classes is None else class_codes(true, ex.classes)
        return np.asarray(codes, dtype=np.float64)

    def _spanned(self) -> tuple[float, float] | None:
        if self._span is None and self.explainer.classes is None:
            self._span = span(self.explainer)
        return self._span

    def _ranks(self, values: Floats, population: Population) -> npt.NDArray[np.float32]:
        """Return the share of the rows, by weight, with a smaller value of each measure."""
        ranks = np.empty(values.shape, dtype=np.float32)
        for column, measure in enumerate(self._measures):
            every = self.explainer.evaluations.original_values(measure)
            if measure.name not in self._orders:
                self._orders[measure.name] = np.argsort(every)
            order = self._orders[measure.name]
            total = np.concatenate([[0.0], np.cumsum(population.scored[order])])
            below = np.searchsorted(every[order], values[:, column], side="left")
            ranks[:, column] = total[below] / total[-1]
        return ranks
