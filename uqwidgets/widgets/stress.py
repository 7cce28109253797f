"""The stress panel: an indicator over tau for every feature, and where tau stands now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets.explainer import Explainer
from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Stress
from uqwidgets.stress.columns import stressed
from uqwidgets.stress.profile import described_weights
from uqwidgets.stress.projection import Column, Projection, Status, checked_taus
from uqwidgets.sums import dot
from uqwidgets.widgets.about import LEVEL
from uqwidgets.widgets.inputs import Inputs, immovable
from uqwidgets.widgets.panel import Content, Panel

STATUSES: tuple[str, ...] = get_args(Status)
ALPHA = 0.05
_LEVELS = 21


class StressPanel(Panel):
    """Indicators over tau."""

    def __init__(self, explainer: Explainer) -> None:
        super().__init__()
        self._explainer = explainer
        self.features = tuple(
            f for f in explainer.features if immovable(explainer.table, f) in (None, "constant")
        )
        self._profiles: dict[str, Stress] = {}
        # By feature and indicator: intervals take longer than values, so they are of what is shown.
        self._bounded: dict[tuple[str, str], Stress] = {}
        self._columns: dict[str, Column] = {}

    @property
    def complete(self) -> bool:
        """Whether every feature has been stressed."""
        return len(self._profiles) == len(self.features)

    def profile(self, tell: Callable[[int, int], None]) -> None:
        """Stress the features that were not yet: once, for every indicator, at every level.

        Parameters
        ----------
        tell : callable
            Called with how many features are done, and of how many, before each.
        """
        for feature in self.features:
            if feature not in self._profiles:
                tell(len(self._profiles), len(self.features))
                self._profiles[feature] = self._explainer.stress(
                    [feature], taus=_LEVELS, alpha=ALPHA
                )

    def bounded(self, inputs: Inputs) -> bool:
        """Whether the intervals of what is stressed are known, or there are none to know."""
        feature = inputs.stress_feature
        return feature not in self.features or (feature, inputs.indicator) in self._bounded

    def bound(self, inputs: Inputs) -> None:
        """Find the intervals of the picked indicator while the stressed feature is moved."""
        key = inputs.stress_feature, inputs.indicator
        self._bounded[key] = self._explainer.stress(
            [key[0]], [key[1]], taus=_LEVELS, alpha=ALPHA, level=LEVEL
        )

    def project(self, feature: str, tau: float) -> Projection:
        """Weights of this level; the column is compressed once."""
        if feature not in self._columns:
            (one,) = stressed(self._explainer.table, feature, ALPHA)
            self._columns[feature] = one.column
        return self._columns[feature].project(tau)

    def compute(self, inputs: Inputs, projection: Projection | None) -> None:
        """Describe the profile of the picked indicator, and the point where tau stands."""
        indicator = self._explainer.indicators[inputs.indicator]
        shown = [f for f in self.features if f in self._profiles]
        profiles = [self._profiles[f] for f in shown]
        bounded = self._bounded.get((inputs.stress_feature, inputs.indicator))
        meta = {
            "indicator": indicator.name,
            "label": indicator.label,
            "unit": indicator.unit,
            "features": [self._explainer.table.index(f) for f in shown],
            "now": self._now(inputs, projection),
            "level": LEVEL,
            "remarks": bounded.remarks if bounded else (),
        }
        taus = checked_taus(_LEVELS)
        unknown = np.full(len(taus), np.nan)
        # No lines are an answer too: while none is made yet, and where none can be.
        nothing = np.empty((0, len(taus)))
        columns = {
            "stress.taus": taus,
            "stress.value": np.vstack([nothing, *(p.values[indicator.name] for p in profiles)]),
            "stress.reached": np.vstack([nothing, *(p.reached for p in profiles)]),
            "stress.ess": np.vstack([nothing, *(p.ess for p in profiles)]),
            "stress.status": np.vstack(
                [nothing.astype(np.uint8), *(_codes(p.status) for p in profiles)]
            ),
            # Of the feature that is stressed.
            "stress.low": bounded.low[indicator.name][0] if bounded else unknown,
            "stress.high": bounded.high[indicator.name][0] if bounded else unknown,
        }
        self.content = Content(None, meta, columns)

    def _now(self, inputs: Inputs, projection: Projection | None) -> dict[str, Any] | None:
        if projection is None:
            return None
        column = self._columns[inputs.stress_feature]
        now: dict[str, Any] = {
            "feature": inputs.stress_feature,
            "tau": inputs.tau,
            "mean": column.mean,
            "std": column.std,
            "target": projection.target,
            "reached": projection.reached,
            "status": projection.status,
            "base": self._indicator(inputs.indicator, None),
        }
        weights = projection.weights
        if weights is not None:
            described = described_weights(weights)
            now |= {
                "value": self._indicator(inputs.indicator, weights),
                "ess_share": described["ess"] / len(weights),
                **described,
            }
        else:
            now |= dict.fromkeys(("value", "ess", "ess_share", "half_share", "kl"))
        return now

    def _indicator(self, name: str, weights: Floats | None) -> float:
        indicator = self._explainer.indicators[name]
        n = len(self._explainer.table)
        means = [
            np.asarray(v.mean() if weights is None else dot(weights, v) / n)
            for v in indicator.per_row
        ]
        return float(indicator.combine(*means))


def _codes(status: npt.NDArray[np.str_]) -> npt.NDArray[np.uint8]:
    return np.array([[STATUSES.index(s) for s in line] for line in status.tolist()], dtype=np.uint8)
