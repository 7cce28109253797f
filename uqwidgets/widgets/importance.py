"""The importance panel: every feature, for one or two measures side by side."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from uqwidgets.explainer import Explainer
from uqwidgets.importance import Settings, changes, original_values, questions
from uqwidgets.inference import bounds, checked_interval
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.replacement import Replacement
from uqwidgets.sums import dot
from uqwidgets.widgets.about import LEVEL, ranked_by
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.panel import Panel, Populations
from uqwidgets.widgets.scheduler import Ticket

# A chunk of features after which a newer request is heard, in values summed.
_CHUNK = 2_000_000


class ImportancePanel(Panel):
    """Importance of every feature, for one or two measures side by side."""

    def __init__(self, explainer: Explainer) -> None:
        super().__init__()
        self._explainer = explainer
        self.measures = ranked_by(explainer)
        self._unstressed: dict[tuple[Any, ...], tuple[Floats, Floats, Floats]] = {}
        self._seconds_per_value = 1e-8

    def questions(self, n_repeats: int) -> list[Replacement]:
        """Return what has to be asked for this many repeats, repeat by repeat."""
        ex = self._explainer
        settings = Settings(n_repeats=n_repeats, seed=ex.seed)
        asked = [questions(ex.evaluations, feature, settings) for feature in ex.features]
        return [of_feature[k] for k in range(n_repeats) for of_feature in asked]

    def known_repeats(self, most: int) -> int:
        """How many repeats are answered for every feature."""
        known = self._explainer.evaluations.known
        p = len(self._explainer.features)
        questions = self.questions(most)
        for k in range(most):
            if not all(known(q) for q in questions[k * p : (k + 1) * p]):
                return k
        return most

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
        self, inputs: Inputs, populations: Populations, n_repeats: int, ticket: Ticket
    ) -> None:
        """Sum what the model answered; ask it nothing."""
        ex = self._explainer
        now = self._sums(populations.now, inputs, n_repeats, ticket)
        key = (populations.rows_key, inputs.interval)
        if populations.now is populations.unstressed:
            self._unstressed = {key: now}
        elif key not in self._unstressed:
            unstressed = self._sums(populations.unstressed, inputs, n_repeats, ticket)
            self._unstressed = {key: unstressed}
        base = self._unstressed[key][0]
        scored = populations.now.scored
        self.meta = {
            "measures": [
                {
                    "name": m.name,
                    "label": m.label,
                    "unit": m.unit,
                    "baseline": dot(original_values(ex.evaluations, m), scored) / scored.sum(),
                }
                for m in self.measures
            ],
            "order": np.argsort(-base[0], kind="stable"),
            "n_repeats": n_repeats,
            "n_repeats_wanted": inputs.n_repeats,
            "n_rows": len(populations.now.positions),
            "interval": inputs.interval,
            "level": LEVEL,
        }
        self.columns = {
            f"importance.{name}": values
            for name, values in zip(("value", "low", "high", "base"), (*now, base), strict=True)
        }
        self.key = self.wanted(inputs, populations, n_repeats)

    def _sums(
        self, population: Population, inputs: Inputs, n_repeats: int, ticket: Ticket
    ) -> tuple[Floats, Floats, Floats]:
        ex = self._explainer
        chunk = max(1, _CHUNK // (len(ex.table) * n_repeats))
        settings = Settings(
            n_repeats=n_repeats,
            interval=checked_interval(inputs.interval),
            level=LEVEL,
            seed=ex.seed,
        )
        values = np.empty((3, len(self.measures), len(ex.features)))
        started = time.perf_counter()
        for m, measure in enumerate(self.measures):
            for first in range(0, len(ex.features), chunk):
                ticket.check()
                part = ex.features[first : first + chunk]
                found = changes(ex.evaluations, measure, part, population, settings)
                for j, change in enumerate(found, first):
                    b = bounds(change, settings.interval, LEVEL, population)
                    values[:, m, j] = b.estimate, b.low, b.high
        spent = time.perf_counter() - started
        self._seconds_per_value = spent / (values[0].size * n_repeats * len(ex.table))
        return values[0], values[1], values[2]
