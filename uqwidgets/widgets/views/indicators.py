"""All indicators over tau side by side, of the features that move them most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.plotting.result import Result
from uqwidgets.stress.indicators import Indicator
from uqwidgets.stress.result import FEW
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
        "right. The lines are the features that move these quantities most clearly: what rests on "
        "fewer than 30 rows does not lead. Each has one colour in all charts.",
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
        worth = [
            (p.ess if p.effective_groups is None else p.effective_groups)[row]
            for _, p, row in lines
        ]
        for at, ((_, category), p, row) in enumerate(lines):
            # A category rests on its own rows, and on those that do not have it.
            share = float(p.reached[row][LEVELS // 2]) if category is not None else 0.5
            if min(share, 1 - share) * worth[at][LEVELS // 2] < FEW:
                worth[at] = np.zeros(LEVELS)
        spread = [_spread(ex.indicators[name]) for name in names]
        leading = _leading(values, np.array(worth).reshape(len(lines), -1), np.array(spread))
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


def _spread(indicator: Indicator) -> float:
    """Return the standard deviation of the influence of a row on an indicator (delta method)."""
    means = [np.float64(values.mean()) for values in indicator.per_row]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = indicator.combination.slopes(*means)
        influence = sum(k * values for k, values in zip(slopes, indicator.per_row, strict=True))
        spread = float(np.std(influence))
    return spread if np.isfinite(spread) else 0.0


def _leading(
    values: Floats, worth: Floats | None = None, spread: Floats | None = None
) -> list[int]:
    r"""Return the lines that move some indicator most clearly, in the order of the table.

    What counts is the move from the middle level beyond the error that weights of their effective
    number of rows m have, :math:`1.96 s \sqrt{1/m - 1/n}`, at levels that are worth at least 30
    rows: a line that rests on seven rows does not lead. A move is a share of the largest one of the
    same indicator. Lines that move nothing, or have no values, are left out; those whose move is
    not clear come last.

    Parameters
    ----------
    values : ndarray of shape (lines, indicators, levels)
    worth : ndarray of shape (lines, levels), optional
        Effective number of rows, or of groups of rows.
    spread : ndarray of shape (indicators,), optional
        Standard deviation of the influence of a row.
    """
    move = values - values[:, :, [values.shape[2] // 2]]
    error = np.zeros_like(move)
    if worth is not None and spread is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            more = np.maximum(1 / worth - 1 / worth[:, [worth.shape[1] // 2]], 0.0)
        error = 1.96 * spread[None, :, None] * np.sqrt(more)[:, None, :]
        error[np.broadcast_to((worth < FEW)[:, None, :], error.shape)] = np.inf
    shares = []
    for size in (np.maximum(np.abs(move) - error, 0.0), np.abs(move)):
        upwards, downwards = (
            np.nan_to_num(np.where(sign, size, 0.0)).max(axis=2, initial=0.0)
            for sign in (move > 0, move < 0)
        )
        response = upwards + downwards
        largest = response.max(axis=0, initial=0.0)
        shares.append((response / np.where(largest > 0, largest, 1.0)).max(axis=1, initial=0.0))
    clear, whole = shares
    order = [i for i in np.lexsort((-whole, -clear)).tolist() if whole[i] > 0]
    return sorted(order[:_MOST_LINES])
