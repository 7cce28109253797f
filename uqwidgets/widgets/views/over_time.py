"""The view over time: an indicator, and the calibration, in periods of about equally many rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.stats import binom

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.dtypes import is_time
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import in_groups
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.population import Population
from uqwidgets.predictive.distributions import Point
from uqwidgets.widgets.inputs.choices import LEVEL, date_columns
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.rows.places import places_of
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.view import Availability, Content, View

_MOST_PERIODS = 16
# Rows of a period, and of one of its blocks where rows that follow each other depend on each other.
_ROWS_OF_PERIOD, _ROWS_OF_BLOCK = 10, 5
_MOST_BLOCKS, _FEWEST_BLOCKS = 8, 5
_COVERAGE = 0.9
# So many calibrated or steady periods lie away by chance in at most this share of tables.
_BY_CHANCE = 0.05

_NOTHING = (np.nan, np.nan, np.nan)


class _Axis(NamedTuple):
    """What orders the rows: its name, whether rows can be filtered by it, and their places."""

    name: str
    is_column: bool
    holds_dates: bool
    places: Floats


class OverTimeView(View):
    """An indicator and the calibration along time, each with an interval in every period."""

    name = "over_time"
    help = (
        "Does the model stay as good, and as sure, as time goes on? Rows are ordered by a date, or "
        "by what was passed as the time, and divided into periods of about equally many rows. "
        "Each point is the indicator in one period, with its 95 % interval; the dashed line is "
        "that of all rows.",
        "The second chart is the calibration: the share of the rows inside 90 % intervals, or how "
        "much more often an event happens than it is predicted. Drag over some periods to see "
        "their rows alone.",
    )
    tips: ClassVar = {
        "uq-over-time-indicator": "What is drawn along time; the stress view shows it as well",
    }
    reads = ("indicator",)

    @classmethod
    def is_offered(cls, explainer: Explainer) -> bool:
        """Whether the rows have a time: what was passed as such, or a column of dates."""
        return explainer.table.time is not None or any(True for _ in date_columns(explainer))

    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Compute both lines; the model is not called."""
        axis = self._axis(inputs)
        rows = populations.unstressed.positions
        known = rows[np.isfinite(axis.places[rows])]
        indicator = self.explainer.indicator(inputs.indicator)
        meta: dict[str, Any] = {
            "axis": axis.name,
            "dates": axis.holds_dates,
            "filters": axis.is_column,
            "label": indicator.label,
            "unit": indicator.unit,
            "level": LEVEL,
            "n_rows": len(known),
            "missing": len(rows) - len(known),
            "calibration": None,
            "sentences": [],
        }
        if not len(known):
            return Content(meta)
        periods = _periods(axis.places, known, in_time=_is_in_time(populations.now))
        places = [axis.places[period] for period in periods]
        columns: dict[str, Any] = {
            "start": np.array([each.min() for each in places]),
            "middle": np.array([np.median(each) for each in places]),
            "end": np.array([each.max() for each in places]),
            "count": np.array([len(each) for each in periods], dtype=np.float64),
        }
        ex = self._in_blocks(populations.now, periods)
        weights = populations.now.weights if populations.now.weighted else None
        values = [_score(ex, inputs.indicator, period, weights) for period in periods]
        columns |= dict(zip(("value", "low", "high"), np.array(values).T, strict=True))
        overall, *_ = _score(ex, inputs.indicator, known, weights)
        meta["overall"] = overall
        meta["sentences"] += _drift(indicator.label, overall, columns["low"], columns["high"])
        calibration = self._calibration(ex, periods, weights)
        if calibration is not None:
            label, reference, numbers = calibration
            names = "calibration", "calibration_low", "calibration_high"
            columns |= dict(zip(names, np.array(numbers).T, strict=True))
            meta |= {"calibration": label, "reference": reference}
        return Content(meta, columns)

    def show_cached(self, work: Work) -> Availability:
        """Show nothing new: the periods follow when the controls rest."""
        is_complete = work.populations is None or not self.is_stale(work)
        return Availability(is_shown=False, is_complete=is_complete)

    def steps(self, work: Work) -> Iterable[Step]:
        """Compute the periods after what was picked."""

        def run() -> None:
            if self.content.meta:
                work.wait_for_rest()
            self._update(work)

        def attempt() -> None:
            if work.populations is not None and self.is_stale(work):
                self.attempt(work, self._input_key(work.inputs), run)

        return [Step(Urgency.DETAILS, attempt)]

    def _axis(self, inputs: Inputs) -> _Axis:
        own, name = self.explainer.table.time, inputs.time
        if not name and own is not None:
            name = "" if own.name is None else str(own.name)
            if not any(name and name in each for each in self._columns):
                return _Axis(name or "time", False, is_time(own.dtype), places_of(own))
        name = name or next(date_columns(self.explainer))
        columns = next(each for each in self._columns if name in each)
        holds_dates = columns.holds_dates(name)
        return _Axis(name, True, holds_dates, places_of(columns.column(name)))

    @property
    def _columns(self) -> tuple[Any, Any]:
        return self.explainer.extra, self.explainer.table

    def _in_blocks(self, population: Population, periods: Sequence[Positions]) -> Explainer:
        """Return the explainer whose groups are those of the rows, or blocks of each period."""
        if not _is_in_time(population):
            return self.in_groups(population)
        codes, first = np.zeros(len(population.scored), dtype=np.intp), 0
        for period in periods:
            count = max(1, min(_MOST_BLOCKS, len(period) // _ROWS_OF_BLOCK))
            codes[period] = first + np.arange(len(period)) * count // len(period)
            first += count
        blocks = RowGroups(np.unique(codes, return_inverse=True)[1], "block", in_time=True)
        return in_groups(self.explainer, blocks)

    def _calibration(
        self, ex: Explainer, periods: Sequence[Positions], weights: Floats | None
    ) -> tuple[str, float, list[tuple[float, float, float]]] | None:
        """Return what calibration is in words, where it is right, and its value in each period."""
        if not ex.table.has_target or isinstance(ex.evaluations.original, Point):
            return None
        if ex.classes is None:
            label, reference = f"rows inside {_COVERAGE:.0%} intervals", _COVERAGE
        else:
            label, reference = "observed minus predicted probability", 0.0
        numbers: list[tuple[float, float, float]] = []
        for period in periods:
            numbers.append(_NOTHING)
            with suppress(ValueError):  # no weight is left in this period
                of = ex.calibration(level=LEVEL, n_bins=1, sample_weight=weights, rows=period)
                if ex.classes is None:
                    numbers[-1] = next(
                        (inside, low, high)
                        for nominal, inside, low, high in of.coverage
                        if nominal == _COVERAGE
                    )
                else:
                    value, low, high = (
                        float(line[0] - of.predicted[0]) for line in (of.observed, of.low, of.high)
                    )
                    numbers[-1] = value, low, high
        return label, reference, numbers


def _is_in_time(population: Population) -> bool:
    """Whether the groups of the rows are blocks of consecutive rows."""
    return population.groups is not None and population.groups.in_time


def _periods(places: Floats, rows: Positions, *, in_time: bool) -> list[Positions]:
    """Divide rows into periods of about equally many; rows of the same time are in one."""
    order = rows[np.argsort(places[rows], kind="stable")]
    fewest = _FEWEST_BLOCKS * _ROWS_OF_BLOCK if in_time else _ROWS_OF_PERIOD
    n_periods = max(1, min(_MOST_PERIODS, len(order) // fewest))
    _, first, same = np.unique(places[order], return_index=True, return_inverse=True)
    of = first[same] * n_periods // len(order)
    return [order[of == period] for period in np.unique(of)]


def _score(
    ex: Explainer, indicator: str, rows: Positions, weights: Floats | None
) -> tuple[float, float, float]:
    """Return an indicator in some rows with its interval; NaN where no weight is left."""
    with suppress(ValueError):
        of = ex.scores([indicator], level=LEVEL, sample_weight=weights, rows=rows)
        return float(of.value[0]), float(of.low[0]), float(of.high[0])
    return _NOTHING


def _drift(label: str, overall: float, low: Floats, high: Floats) -> list[str]:
    """Say whether more periods lie away from the value of all rows than do by chance."""
    known = np.isfinite(low) & np.isfinite(high)
    away = int((known & ((low > overall) | (high < overall))).sum())
    number = int(known.sum())
    if number < 2:
        return []
    if away <= binom.ppf(1 - _BY_CHANCE, number, 1 - LEVEL):
        return [f"{label}: no clear change over time"]
    return [f"{label}: {away} of {number} periods lie clearly away from the average"]
