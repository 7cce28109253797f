"""Calibration along a column: where predictions are too sure or too cautious, and how sharp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Positions
from uqwidgets.inference import Family
from uqwidgets.inference.population import Population, half_width, mean_over_rows
from uqwidgets.performance.calibration import checked_bins, event_of, of_each, positions_of_bins
from uqwidgets.performance.result import CalibrationAlong
from uqwidgets.performance.shares import wilson_of
from uqwidgets.performance.verdict import MISSING, percent
from uqwidgets.plotting.text import number
from uqwidgets.predictive.distributions import Categorical, Counts, Distribution, Mixture

# Level of the central predictive intervals whose coverage is computed.
NOMINAL = 0.9


@dataclass(frozen=True, eq=False)
class By:
    """What rows are divided by.

    Attributes
    ----------
    name : str
        Of the column, or the label of the measure.
    values : ndarray of shape (n,)
        Numbers, NaN where missing; for categories their positions, -1 where missing.
    texts : tuple of str or None
        Of the categories; None for numbers.
    text : callable
        Writes a number.
    """

    name: str
    values: npt.NDArray[Any]
    texts: tuple[str, ...] | None = None
    text: Callable[[float], str] = number

    def parts(self, population: Population, n_bins: int) -> list[tuple[str, Positions]]:
        """Return the names and the scored rows of categories or of ranges of about equal weight."""
        rows = population.positions[population.scored[population.positions] > 0]
        values = self.values[rows]
        if self.texts is not None:
            codes = [(text, values == code) for code, text in enumerate(self.texts)]
            codes.append((MISSING, values == -1))
            return [(text, rows[mask]) for text, mask in codes if mask.any()]
        known = np.isfinite(values)
        parts = []
        if known.any():
            inside = values[known]
            bins = positions_of_bins(inside, population.scored[rows[known]], n_bins)
            for b in range(int(bins.max()) + 1):
                of_bin = inside[bins == b]
                low, high = self.text(float(of_bin.min())), self.text(float(of_bin.max()))
                name = low if low == high else f"{low} to {high}"
                parts.append((name, rows[known][bins == b]))
        return parts if known.all() else [*parts, (MISSING, rows[~known])]


def calibration_along(
    by: By,
    q: Distribution,
    truth: npt.NDArray[Any],
    target: str,
    population: Population,
    ends: Callable[[], tuple[Floats, Floats]],
    *,
    predicted: npt.NDArray[np.intp] | None,
    label: object | None,
    n_bins: int,
    level: float,
    family: Family | None,
) -> CalibrationAlong:
    r"""Compare predictions with the truth in parts of the rows, each by itself.

    For numbers, the share of the rows inside the central 90 % intervals is compared with 90 %, by
    Wilson's interval; of counts, by their randomised transform (Czado et al. 2009). For classes,
    the mean of what happened, :math:`\bar y`, is compared with the mean probability
    :math:`\bar p`. The interval is that of their difference, whose variance is
    :math:`\sum s_i^2 p_i (1 - p_i)` with relative weights s if the model is calibrated
    (Spiegelhalter 1986); where the residuals, or those of groups of rows, vary more, it is theirs.

    Parameters
    ----------
    by : By
    q, truth, target, population, predicted, label, n_bins, level, family
        As in `calibration`.
    ends : callable
        Returns the ends of the 90 % intervals of the rows.

    Returns
    -------
    CalibrationAlong

    References
    ----------
    Czado et al. 2009; Gneiting et al. 2007; Spiegelhalter 1986; Wilson 1927.
    """
    n_bins = checked_bins(q, target, label, n_bins)
    if q.classes is None:
        event = f"{target} lies inside the {percent(NOMINAL)} interval"
        lower, upper = ends()
        held = (lower <= truth) & (truth <= upper)
        if isinstance(q, Counts):  # whose intervals hold more than their level
            held = np.abs(q.pit(truth) - 0.5) <= NOMINAL / 2
        happened = held.astype(np.float64)
        probability, sharpness = np.full(len(truth), NOMINAL), upper - lower
        of_sharpness = f"width of {percent(NOMINAL)} intervals"
    else:
        assert isinstance(q, Categorical | Mixture)
        assert predicted is not None
        event, probability, outcome = event_of(q, predicted, truth, target, label)
        happened, sharpness = outcome.astype(np.float64), q.probabilities.max(axis=1)
        of_sharpness = "highest class probability"
    names, members = zip(*by.parts(population, n_bins), strict=True)
    within = [population.among(rows) for rows in members]
    shares = np.array([population.scored[rows].sum() for rows in members])
    rows_of = [happened[rows] for rows in members]
    expected, observed = (
        np.array([np.average(values[r], weights=population.scored[r]) for r in members])
        for values in (probability, happened)
    )
    if family is not None:
        for r in members:
            influences = np.zeros((1, len(population.scored)))
            deviation = happened[r] - probability[r]
            middle = np.average(deviation, weights=population.scored[r])
            influences[0, r] = population.scored[r] * (deviation - middle)
            if np.ptp(deviation) > 0:
                family.add(population.of_units(influences))
            else:
                family.add_unknown()
    pointwise_level = None if family is None else family.pointwise_level(level)

    def interval(k: int, at: float) -> tuple[float, float]:
        if q.classes is None:
            low, high = wilson_of(observed[[k]], rows_of[k][None], within[k])(at)
            return float(low[0]), float(high[0])
        half = float(half_width(_error(k), at, within[k].units))
        return max(observed[k] - half, 0.0), min(observed[k] + half, 1.0)

    def _error(k: int) -> float:
        p, part = probability[members[k]], within[k]
        _, error = mean_over_rows((rows_of[k] - p)[None], part)
        s = part.scored / part.scored.sum()
        under_model = float(np.sqrt((np.square(s) * p * (1 - p)).sum()))
        return max(float(np.nan_to_num(error[0])), under_model)

    low, high = np.array([interval(k, pointwise_level or level) for k in range(len(names))]).T
    at_once = pointwise_level or of_each(level, len(names))
    strict = np.array([interval(k, at_once) for k in range(len(names))]).T
    width, width_error = np.array(
        [
            [float(each[0]) for each in mean_over_rows(sharpness[r][None], part)]
            for r, part in zip(members, within, strict=True)
        ]
    ).T
    halves = np.array(
        [
            float(half_width(error, pointwise_level or level, part))
            for error, part in zip(width_error, within, strict=True)
        ]
    )
    return CalibrationAlong(
        by=by.name,
        is_numeric=by.texts is None,
        event=event,
        target=target,
        names=tuple(names),
        predicted=expected,
        observed=observed,
        low=low,
        high=high,
        sharpness=width,
        sharpness_low=width - halves,
        sharpness_high=width + halves,
        of_sharpness=of_sharpness,
        nominal=NOMINAL if q.classes is None else None,
        share=shares / shares.sum(),
        n_rows_of_part=np.array([len(rows) for rows in members]),
        ess_of_part=np.array([part.units.ess for part in within]),
        clear=np.asarray((expected < strict[0]) | (expected > strict[1])),
        level=level,
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        groups=population.group_count,
        pointwise_level=pointwise_level,
    )
