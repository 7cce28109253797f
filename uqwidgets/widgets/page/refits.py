"""The results of a learner in a page, beside those of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.session.learner_panel import LearnerPanel, notes_on_refits
from uqwidgets.widgets.views.learner_part import LearnerPart
from uqwidgets.widgets.views.view import Content, View

# The inputs that decide the results beside a view.
_READS = {
    "importance": ("n_repeats", "importance_of", "replacement", "compare", "grouped"),
    "dependence": (
        *("feature", "measure", "spacing"),
        *("center", "center_at", "derivative", "relative"),
    ),
}


def refits_of_page(panel: LearnerPanel, view: View, shown: Sequence[Inputs]) -> list[RefitsOfPage]:
    """Return what a page stores of a learner beside a view; nothing where it adds nothing."""
    part = panel.parts.get(view.name)
    return [] if part is None else [RefitsOfPage(view, part, shown)]


class RefitsOfPage(View):
    """The results of a learner that are known, and those of the views that are saved.

    Parameters
    ----------
    of : View
    part : LearnerPart
        What the learner adds to it.
    shown : sequence of Inputs
        The views that are saved.
    """

    def __init__(self, of: View, part: LearnerPart, shown: Sequence[Inputs]) -> None:
        super().__init__(of.explainer)
        self.name = f"learner.{of.name}"
        self.reads = _READS[of.name]
        self._beside, self._part = of.name, part
        self._saved = {part.key(one) for one in shown if one.shows(of.name)}

    def complete(
        self, inputs: Inputs, _populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Average over the refits, which are asked for the views that are saved alone."""
        key = self._part.key(inputs)
        if key is None or not (key in self._saved or self._part.is_known(inputs)):
            return Content()
        means = self._part.compute(inputs, lambda _: check(), lambda *_: check())
        meta = {
            "n_refits": means.n_refits,
            self._beside: True,
            "remarks": notes_on_refits([means]),
        }
        ends = ("value", "low", "high")
        return Content(meta, {f"{self._beside}.{end}": getattr(means, end) for end in ends})

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Return what `complete` returns."""
        return self.complete(inputs, populations, lambda: None)
