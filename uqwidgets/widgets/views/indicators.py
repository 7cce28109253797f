"""All indicators over tau side by side, of the features that move them most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.frames import single
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.over_tau.stress_profiles import LEVELS, joined, line_of, profile_all
from uqwidgets.widgets.rows.population import Populations, Selection
from uqwidgets.widgets.views.view import Availability, Content, View

# Lines that have a colour of their own, and charts that fit on a screen.
_MOST_LINES = 6
_MOST_CHARTS = 12


class IndicatorsView(View):
    """A chart for each indicator; a line has one colour in all of them.

    Nothing here depends on tau, and the model is not called.
    """

    name = "indicators"
    help = (
        "What else changes when the average of a feature moves? There is one small chart for each "
        "quantity, such as the error rate or the entropy, from τ = -1 on the left to τ = 1 on the "
        "right. The lines are the features that move these quantities most; each has one colour in "
        "all charts.",
        "A click on a name stresses this feature, and a click on a chart shows its quantity in the "
        "stress view, where the stressed feature has an interval.",
    )
    tips: ClassVar = {
        "uq-indicators-line": "Stress this feature",
        "uq-indicators-chart": "Show this quantity in the stress view",
    }

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        # Freed with the selection, of which the latest few are cached.
        self._contents: WeakKeyDictionary[Selection, Content] = WeakKeyDictionary()

    def compute(self, _inputs: Inputs, populations: Populations) -> Content:
        """Describe the lines that respond most, once every feature is stressed."""
        selection = populations.selection
        if not selection.is_profiled:
            return Content()
        if selection not in self._contents:
            self._contents[selection] = self._content(selection)
        return self._contents[selection]

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Stress every feature."""
        profile_all(self.explainer, populations.selection, check)
        return self.compute(inputs, populations)

    def results(
        self, _inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the profiles of each indicator by its name."""
        selection = populations.selection
        profile_all(self.explainer, selection, check)
        profiles = [selection.profiles[f] for f in selection.stressable]
        return {name: joined(profiles, name) for name in self._drawn} if profiles else {}

    def show_cached(self, work: Work) -> Availability:
        """Show the content if every feature is stressed; it answers no request by itself."""
        is_complete = work.rows is not None and work.rows.selection.is_profiled
        if is_complete and self.is_stale(work):
            self._show(work)
        return Availability(is_shown=False, is_complete=is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Stress the features that no other view has stressed."""

        def run() -> None:
            assert work.rows is not None
            profile_all(self.explainer, work.rows.selection, work.check)
            if self.is_stale(work):
                self._show(work)

        return () if work.rows is None else [Step(Urgency.DETAILS, run)]

    def is_stale(self, work: Work) -> bool:
        """Whether the content is of other rows; it is the same at every level of tau."""
        return work.rows is None or self.content is not self._contents.get(work.rows.selection)

    def _show(self, work: Work) -> None:
        assert work.rows is not None
        self.content = self.compute(work.inputs, work.rows)

    @property
    def _drawn(self) -> list[str]:
        """Names of the indicators that have a chart."""
        return list(self.explainer.indicators)[:_MOST_CHARTS]

    def _content(self, selection: Selection) -> Content:
        ex, names = self.explainer, self._drawn
        lines = [
            (line_of(ex, feature, name), selection.profiles[feature], row)
            for feature in selection.stressable
            for row, name in enumerate(selection.profiles[feature].features)
        ]
        values: Floats = np.empty((len(lines), len(names), LEVELS))
        for place, (_, profile, row) in enumerate(lines):
            values[place] = [profile.values[name][row] for name in names]
        leading = _leading(values)
        meta = {
            "indicators": names,
            "labels": [ex.indicators[name].label for name in names],
            "units": [ex.indicators[name].unit for name in names],
            "features": [ex.table.index(lines[i][0][0]) for i in leading],
            "categories": [lines[i][0][1] for i in leading],
            "n_lines": len(lines),
            "n_indicators": len(ex.indicators),
            "n_rows": selection.n_rows,
        }
        return Content(meta, {"taus": STOPS, "value": single(values[leading])})


def _leading(values: Floats) -> list[int]:
    """Return the lines (of lines, indicators, levels) that move some indicator most, in order.

    A response counts as a share of the largest response of the same indicator. Lines that move
    nothing, or have no values, are left out.
    """
    is_known = np.isfinite(values)
    highest = np.where(is_known, values, -np.inf).max(axis=2, initial=-np.inf)
    lowest = np.where(is_known, values, np.inf).min(axis=2, initial=np.inf)
    response = np.subtract(highest, lowest, out=np.zeros_like(highest), where=highest > lowest)
    largest = response.max(axis=0, initial=0.0)
    shares = (response / np.where(largest > 0, largest, 1.0)).max(axis=1, initial=0.0)
    order = [i for i in np.argsort(-shares, kind="stable").tolist() if shares[i] > 0]
    return sorted(order[:_MOST_LINES])
