"""The content of a difference in a frame, and the part of it that is drawn behind other views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uqwidgets.dependence.result import Dependence
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.importance.result import Importance
from uqwidgets.performance.result import Scores
from uqwidgets.plotting.text import value_text
from uqwidgets.stress.result import Stress


class Shown(NamedTuple):
    """A difference in a frame.

    Attributes
    ----------
    meta : dict
        Plain values of the comparison view.
    columns : dict of str to ndarray
        Of the comparison view.
    under : dict of str to ndarray
        Columns of the other side, by their names in a frame, that are drawn behind other views.
    """

    meta: dict[str, Any]
    columns: dict[str, npt.NDArray[Any]]
    under: dict[str, npt.NDArray[Any]]


def of_difference(difference: Difference, category: str | None) -> Shown:
    """Return the content of a difference.

    Parameters
    ----------
    difference : Difference
        Of scores, curves or stress.
    category : str or None
        The category whose share is moved, for stress.
    """
    of: Any = difference.first
    second: Any = difference.second
    own: Any = difference.difference
    if isinstance(of, Scores):
        names = "name", "label", "unit", "first", "second", "value", "low", "high"
        ends = own.value, own.low, own.high
        lines = zip(of.names, of.labels, of.units, of.value, second.value, *ends, strict=True)
        return Shown({"scores": [dict(zip(names, line, strict=True)) for line in lines]}, {}, {})
    if isinstance(of, Dependence):
        grid = np.arange(len(of.grid)) if of.categorical else of.grid
        labels = [value_text(v) for v in of.grid] if of.categorical else None
        curve = {"feature": of.feature, "label": of.quantity, "unit": of.unit, "labels": labels}
        return Shown(
            {"curve": curve},
            {
                "curve_grid": grid.astype(np.float64),
                "curve": own.average,
                "curve_low": own.low,
                "curve_high": own.high,
            },
            {"dependence.ghost": second.average, "dependence.ghost_grid": grid},
        )
    assert isinstance(of, Stress)
    (name,) = of.indicators
    row: int | None = 0
    if category is not None:
        row = next((j for j, f in enumerate(of.features) if f.endswith(f"={category}")), None)
    if row is None:  # only one of two groups of rows has the category
        return Shown({"stress": None}, {}, {})
    profile = {"feature": of.features[row], "label": of.labels[name], "unit": of.units[name]}
    return Shown(
        {"stress": profile},
        {
            "stress_grid": of.taus,
            "stress": own.values[name][row],
            "stress_low": own.low[name][row],
            "stress_high": own.high[name][row],
        },
        {"stress.ghost": second.values[name][row]},
    )


def of_importances(
    differences: Sequence[tuple[Difference, int | None]],
    units: Sequence[str],
    n_measures: int,
) -> Shown:
    """Return the content of the differences of importance by some measures.

    Parameters
    ----------
    differences : sequence of (Difference, int or None)
        Of the measures that are computed so far, each with the column of the importance view under
        which its other side lies.
    units : sequence of str, length p
        Features or groups, in the order of the importance view.
    n_measures : int
        Number of measures that the importance view shows.
    """
    at = {unit: j for j, unit in enumerate(units)}
    own = np.full((3, len(differences), len(units)), np.nan)
    ghost = np.full((n_measures, len(units)), np.nan)
    described = []
    for k, (difference, column) in enumerate(differences):
        second, change = difference.second, difference.difference
        assert isinstance(second, Importance)
        assert isinstance(change, Importance)
        if column is not None:
            ghost[column, [at[f] for f in second.features]] = second.importance
        own[:, k, [at[f] for f in change.features]] = change.importance, change.low, change.high
        described.append({"label": second.label, "unit": second.unit})
    columns = dict(zip(("importance", "importance_low", "importance_high"), own, strict=True))
    meta = {"importance": described, "units": list(units)}
    under = {} if np.isnan(ghost).all() else {"importance.ghost": ghost}
    return Shown(meta, columns, under)
