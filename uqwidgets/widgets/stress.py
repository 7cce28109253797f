"""The stress panel: an indicator over tau for every feature, and where tau stands now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.sums import dot
from uqwidgets.stress.columns import StressedColumn, stressed_columns
from uqwidgets.stress.profile import described_weights
from uqwidgets.stress.projection import Projection, Status, checked_taus
from uqwidgets.stress.result import Stress
from uqwidgets.widgets.about import LEVEL
from uqwidgets.widgets.inputs import Condition, Inputs, immovable
from uqwidgets.widgets.panel import Content, Panel

STATUSES: tuple[str, ...] = get_args(Status)
TAIL = 0.05
_LEVELS = 21
_MOST_FILTERS = 4


@dataclass(frozen=True, eq=False)
class _Chosen:
    """What is known of the stress of some rows.

    Attributes
    ----------
    rows : ndarray of shape (m,) or None
        Positions; None for all.
    n : int
        How many they are.
    profiles : dict of str to Stress
        By feature, of every indicator.
    bounded : dict of (str, str) to Stress
        With intervals, by feature and indicator: they take longer than values, so they are of
        what is shown.
    columns : dict of str to StressedColumn
        By feature.
    """

    rows: npt.NDArray[np.intp] | None
    n: int
    profiles: dict[str, Stress] = field(default_factory=dict)
    bounded: dict[tuple[str, str], Stress] = field(default_factory=dict)
    columns: dict[str, StressedColumn] = field(default_factory=dict)


class StressPanel(Panel):
    """Indicators over tau, of the rows that meet the filter."""

    def __init__(self, explainer: Explainer) -> None:
        super().__init__()
        self._explainer = explainer
        self.features = tuple(
            f for f in explainer.features if immovable(explainer.table, f) in (None, "constant")
        )
        self._chosen = self._drawn = _Chosen(None, len(explainer.table))
        # The latest filters, so that going back to one costs nothing.
        self._known: dict[tuple[Condition, ...], _Chosen] = {(): self._chosen}

    def choose_rows(
        self, conditions: tuple[Condition, ...], rows: npt.NDArray[np.intp] | None
    ) -> None:
        """Stress these rows from now on: positions (m,), those that meet the conditions."""
        chosen = self._known.pop(conditions, None)
        if chosen is None:
            chosen = _Chosen(rows, len(self._explainer.table) if rows is None else len(rows))
        self._known[conditions] = self._chosen = chosen
        while len(self._known) > _MOST_FILTERS:
            del self._known[next(iter(self._known))]

    @property
    def complete(self) -> bool:
        """Whether every feature has been stressed."""
        return len(self._chosen.profiles) == len(self.features)

    def profile(self, tell: Callable[[int, int], None]) -> None:
        """Stress the features that were not yet: once, for every indicator, at every level.

        Parameters
        ----------
        tell : callable
            Called with how many features are done, and of how many, before each.
        """
        chosen = self._chosen
        for feature in self.features:
            if feature not in chosen.profiles:
                tell(len(chosen.profiles), len(self.features))
                chosen.profiles[feature] = self._explainer.stress(
                    [feature], taus=_LEVELS, tail=TAIL, rows=chosen.rows
                )

    def bounded(self, inputs: Inputs) -> bool:
        """Whether the intervals of what is stressed are known, or there are none to know."""
        feature = inputs.stress_feature
        return feature not in self.features or (feature, inputs.indicator) in self._chosen.bounded

    def bound(self, inputs: Inputs) -> None:
        """Find the intervals of the picked indicator while the stressed feature is moved."""
        key, chosen = (inputs.stress_feature, inputs.indicator), self._chosen
        chosen.bounded[key] = self._explainer.stress(
            [key[0]], [key[1]], taus=_LEVELS, tail=TAIL, level=LEVEL, rows=chosen.rows
        )

    def project(self, feature: str, tau: float) -> Projection:
        """Weights of the chosen rows at this level; the column is compressed once."""
        return self._column(feature).column.project(tau)

    def spread(self, feature: str, weights: Floats) -> Floats:
        """Weights of all rows, from those of the chosen ones."""
        return self._column(feature).expand(weights, len(self._explainer.table))

    def _column(self, feature: str) -> StressedColumn:
        chosen = self._chosen
        if feature not in chosen.columns:
            (one,) = stressed_columns(self._explainer.table, feature, TAIL, rows=chosen.rows)
            chosen.columns[feature] = one
        return chosen.columns[feature]

    def compute(self, inputs: Inputs, projection: Projection | None) -> None:
        """Describe the profile of the picked indicator, and the point where tau stands."""
        # What is drawn of other rows stays until all features are stressed anew.
        if self.complete or len(self._drawn.profiles) < len(self.features):
            self._drawn = self._chosen
        drawn = self._drawn
        indicator = self._explainer.indicators[inputs.indicator]
        shown = [f for f in self.features if f in drawn.profiles]
        profiles = [drawn.profiles[f] for f in shown]
        bounded = drawn.bounded.get((inputs.stress_feature, inputs.indicator))
        meta = {
            "indicator": indicator.name,
            "label": indicator.label,
            "unit": indicator.unit,
            "features": [self._explainer.table.index(f) for f in shown],
            "now": self._now(inputs, projection),
            "level": LEVEL,
            "n_rows": drawn.n,
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

    def result(self, inputs: Inputs) -> Stress | None:
        """Return the profiles that are drawn as one result; None where there are none."""
        profiles, name = self._drawn.profiles, inputs.indicator
        shown = [profiles[f] for f in self.features if f in profiles]
        if not shown:
            return None

        return replace(
            shown[0],
            features=tuple(profile.features[0] for profile in shown),
            indicators=(name,),
            target=np.vstack([profile.target for profile in shown]),
            reached=np.vstack([profile.reached for profile in shown]),
            ess=np.vstack([profile.ess for profile in shown]),
            kl=np.vstack([profile.kl for profile in shown]),
            half_share=np.vstack([profile.half_share for profile in shown]),
            status=np.vstack([profile.status for profile in shown]),
            values={name: np.vstack([profile.values[name] for profile in shown])},
            low={name: np.vstack([profile.low[name] for profile in shown])},
            high={name: np.vstack([profile.high[name] for profile in shown])},
            remarks=tuple(dict.fromkeys(r for profile in shown for r in profile.remarks)),
        )

    def _now(self, inputs: Inputs, projection: Projection | None) -> dict[str, Any] | None:
        if projection is None:
            return None
        column = self._column(inputs.stress_feature).column
        now: dict[str, Any] = {
            "feature": inputs.stress_feature,
            "tau": inputs.tau,
            "mean": column.mean,
            "std": column.std,
            "target": projection.target,
            "reached": projection.reached,
            "status": projection.status,
            "base": self._indicator(inputs.indicator, None),
            "n_rows": self._chosen.n,
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
        chosen = self._chosen
        outputs = [v if chosen.rows is None else v[chosen.rows] for v in indicator.per_row]
        means = [
            np.asarray(v.mean() if weights is None else dot(weights, v) / chosen.n) for v in outputs
        ]
        return float(indicator.combine(*means))


def _codes(status: npt.NDArray[np.str_]) -> npt.NDArray[np.uint8]:
    return np.array([[STATUSES.index(s) for s in line] for line in status.tolist()], dtype=np.uint8)
