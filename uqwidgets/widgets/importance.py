"""The importance panel: every feature, for one or two measures side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import (
    Settings,
    importance_of_changes,
    remarks_on_ceiling,
    remarks_on_pairs,
)
from uqwidgets.importance.result import Importance
from uqwidgets.inference import Change, bounds, checked_interval
from uqwidgets.inference.population import Population
from uqwidgets.inference.sums import dot
from uqwidgets.widgets.about import LEVEL, ranked_by
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.panel import Content, Panel, Populations
from uqwidgets.widgets.repeats import RepeatChanges

# A chunk of features after which a newer request is heard, in values summed.
_CHUNK = 2_000_000


class Sums(NamedTuple):
    """Means of changes with their intervals, each of shape (measures, features).

    Attributes
    ----------
    value, low, high : ndarray
    pairs : list of float, length p
        Effective number of pairs of a scored row and its donor for each feature.
    """

    value: Floats
    low: Floats
    high: Floats
    pairs: list[float]


class ImportancePanel(Panel):
    """Importance of every feature, for one or two measures side by side."""

    def __init__(self, explainer: Explainer) -> None:
        super().__init__()
        self._explainer = explainer
        self.measures = ranked_by(explainer)
        self.repeats = RepeatChanges(
            explainer.evaluations, explainer.features, self.measures, explainer.seed
        )
        self._unstressed: dict[tuple[Any, ...], Sums] = {}
        self._seconds_per_value = 1e-8

    def known_repeats(self, most: int) -> int:
        """How many repeats, up to ``most``, are kept of every feature."""
        return min(most, self.repeats.n_repeats)

    def affordable_repeats(self, most: int, seconds: float) -> int:
        """How many repeats can be summed in this time; at least one."""
        ex = self._explainer
        values = len(ex.table) * len(ex.features) * len(self.measures)
        return int(np.clip(seconds / (values * self._seconds_per_value), 1, most))

    @property
    def top(self) -> int:
        """Position of the most important feature."""
        return int(self.meta["order"][0])

    def wanted(self, inputs: Inputs, populations: Populations, n_repeats: int) -> tuple[Any, ...]:
        """Return what the content depends on."""
        return (populations.key, inputs.interval, n_repeats)

    def compute(
        self,
        inputs: Inputs,
        populations: Populations,
        n_repeats: int,
        tell: Callable[[int, int], None],
    ) -> None:
        """Sum what the model answered; ask it nothing.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        n_repeats : int
        tell : callable
            Called with how many features are summed, and of how many; what it raises stops it.
        """
        ex = self._explainer
        now = self._sums(populations.now, inputs, n_repeats, tell)
        key = (populations.rows_key, inputs.interval)
        if populations.now is populations.unstressed:
            self._unstressed = {key: now}
        elif key not in self._unstressed:
            unstressed = self._sums(populations.unstressed, inputs, n_repeats, tell)
            self._unstressed = {key: unstressed}
        base = self._unstressed[key].value
        scored = populations.now.scored
        originals = [ex.evaluations.original_values(m) for m in self.measures]
        remarks = [
            *(
                r
                for m, o in zip(self.measures, originals, strict=True)
                for r in remarks_on_ceiling(m, o)
            ),
            *remarks_on_pairs(now.pairs),
        ]
        meta = {
            "measures": [
                {
                    "name": m.name,
                    "label": m.label,
                    "unit": m.unit,
                    "baseline": dot(original, scored) / scored.sum(),
                }
                for m, original in zip(self.measures, originals, strict=True)
            ],
            "order": np.argsort(-base[0], kind="stable"),
            "n_repeats": n_repeats,
            "n_repeats_wanted": inputs.n_repeats,
            "n_rows": len(populations.now.positions),
            "interval": inputs.interval,
            "level": LEVEL,
            "remarks": remarks,
        }
        columns = {
            "importance.value": now.value,
            "importance.low": now.low,
            "importance.high": now.high,
            "importance.base": base,
        }
        self.content = Content(self.wanted(inputs, populations, n_repeats), meta, columns)

    def results(
        self,
        inputs: Inputs,
        n_repeats: int,
        population: Population,
        check: Callable[[], None],
    ) -> list[Importance]:
        """Return results by each measure; they ask the model nothing.

        Parameters
        ----------
        inputs : Inputs
        n_repeats : int
            Known ones.
        population : Population
        check : callable
            Called before each feature; what it raises ends the work.
        """
        ex, settings = self._explainer, self._settings(inputs, n_repeats)

        def change(m: int, feature: str) -> Change:
            check()
            return self.repeats.change(m, feature, n_repeats, population)

        return [
            importance_of_changes(
                ex.evaluations,
                measure,
                ex.features,
                population,
                settings,
                (change(m, feature) for feature in ex.features),
            )
            for m, measure in enumerate(self.measures)
        ]

    def _settings(self, inputs: Inputs, n_repeats: int) -> Settings:
        return Settings(
            n_repeats=n_repeats,
            interval=checked_interval(inputs.interval),
            level=LEVEL,
            seed=self._explainer.seed,
        )

    def _sums(
        self,
        population: Population,
        inputs: Inputs,
        n_repeats: int,
        tell: Callable[[int, int], None],
    ) -> Sums:
        ex, settings = self._explainer, self._settings(inputs, n_repeats)
        p = len(ex.features)
        chunk = max(1, _CHUNK // (len(ex.table) * n_repeats))
        values = np.empty((3, len(self.measures), p))
        pairs: dict[str, float] = {}
        started = time.perf_counter()
        for m in range(len(self.measures)):
            for j, feature in enumerate(ex.features):
                if j % chunk == 0:
                    tell(m * p + j, len(self.measures) * p)
                change = self.repeats.change(m, feature, n_repeats, population)
                b = bounds(change, settings.interval, LEVEL, population)
                values[:, m, j] = b.estimate, b.low, b.high
                pairs[feature] = change.pairs  # of weights and donors alone
        spent = time.perf_counter() - started
        self._seconds_per_value = spent / (values[0].size * n_repeats * len(ex.table))
        return Sums(values[0], values[1], values[2], list(pairs.values()))
