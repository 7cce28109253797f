"""Importance for a metric, which is no mean over rows: the loss of score."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.evaluations import Evaluations, ProgressCallback
from uqwidgets.importance.assemble import asked, ranked
from uqwidgets.importance.measure_importance import subgroups_frame
from uqwidgets.importance.permutation import questions
from uqwidgets.importance.remarks import open_ended
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import (
    Bounds,
    Change,
    balanced,
    bounds,
    every_pair,
    fieller,
    over_baseline,
    symmetric,
    without_groups,
)
from uqwidgets.inference.population import Population
from uqwidgets.metrics import Metric, undefined

Positions = npt.NDArray[np.intp]


def metric_importance(
    evaluations: Evaluations,
    metric: Metric,
    units: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Importance:
    r"""Rank features by how much a metric's score falls when their values are replaced.

    A metric has no values of single rows, so its interval comes from leaving out groups of rows
    (`uqwidgets.inference.without_groups`), as scored rows and as donors for ``u-statistic``, as
    scored rows for ``model``. Each
    draw of donors shows up in two groups though it happened once; its variance, that of the mean
    over repeats, is taken off again.

    Parameters
    ----------
    evaluations : Evaluations
    metric : Metric
    units : sequence of str, length p
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.ask`.

    Returns
    -------
    Importance
        Its ``per_row`` is NaN.

    Raises
    ------
    ValueError
        If the metric cannot score this model, or is asked for with an interval over pairs, or as
        a ratio though it is no loss or the rows as they are lose nothing.
    """
    ratio = settings.compare == "ratio"
    if settings.interval == "random-variable":
        raise ValueError(
            f"{metric.name} has no values of single pairs, which interval='random-variable' is "
            "over; use 'u-statistic'."
        )
    base = metric.on(evaluations.original, evaluations.truth)
    if ratio:
        metric.check_ratio(base(population.scored), "scored")
    each, sides = [], []
    for unit in units:  # one after the other, for each holds on to what the scorer is shown
        loss = _Loss(base, _replaced(evaluations, metric, unit, settings, callback))
        each.append(loss.repeats(population.weights, population.scored))
        sides.append(_bounds(loss, each[-1], population, settings))
        del loss
    missing = sum(bool(np.isnan(side.estimate)) for side in sides)
    return ranked(
        units,
        sides,
        [np.full(len(population.positions), np.nan) for _ in units],
        [1 - repeats / base(population.scored) for repeats in each] if ratio else each,
        measure=metric.name,
        label=metric.loss_label if ratio else f"loss of {metric.label}",
        unit="times" if ratio else metric.unit,
        baseline=-base(population.scored) if ratio else base(population.scored),
        subgroups=subgroups_frame(evaluations, units, settings),
        remarks=((undefined(metric.label, missing, len(units), "features"),) if missing else ())
        + open_ended(sides)
        + evaluations.remarks,
        **asked(settings, population),
    )


@dataclass(frozen=True, eq=False)
class _Replaced:
    """Answers to a replacement, scored under weights of donors and of scored rows, each (n,).

    ``pairs`` gives the weights of what was asked, in lines of n rows.
    """

    score: Callable[[Floats], float]
    pairs: Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class _Loss:
    """Score of the rows as they are minus that of their replacements, under the same weights.

    As the same pairs weigh both, a feature that the model ignores loses exactly nothing.
    """

    base: Callable[[Floats], float]
    replaced: list[_Replaced]

    def repeats(self, w: Floats, s: Floats) -> Floats:
        found = []
        for part in self.replaced:
            pairs = part.pairs(w, s)
            found.append(self.base(pairs.sum(axis=0)) - part.score(pairs.ravel()))
        return np.array(found)


def _bounds(loss: _Loss, repeats: Floats, population: Population, settings: Settings) -> Bounds:
    estimate = float(repeats.mean())
    ratio = settings.compare == "ratio"
    before = -loss.base(population.scored) if ratio else np.nan
    if settings.interval in ("fixed-data", "quantile"):
        drawn = np.empty(0) if settings.n_repeats == "all" else repeats
        change = replace(
            Change.of_nothing(len(population.weights), 0),
            estimate=estimate,
            repeats=drawn,
            totals=np.ones(len(drawn)),
        )
        side = bounds(change, settings.interval, settings.level, population, settings.reference)
        return over_baseline(side, before) if ratio else side
    w, s = population.weights, population.scored

    def estimated(kept: npt.NDArray[np.bool_]) -> tuple[float, float]:
        donors = w * kept if settings.interval == "u-statistic" else w
        baseline = -loss.base(s * kept) if ratio else 0.0
        return float(loss.repeats(donors, s * kept).mean()), baseline

    covariance, freedom = without_groups(estimated, len(w), settings.seed)
    drawing = 0.0
    if settings.interval == "u-statistic" and len(repeats) > 1:
        drawing = float(repeats.var(ddof=1)) / len(repeats)

    def differing(times: float) -> Bounds:
        along = np.array([1.0, 1.0 - times])
        variance = max(float(along @ covariance @ along) - drawing, drawing)
        moved = estimate - (times - 1) * before if ratio else estimate
        return symmetric(moved, math.sqrt(variance), freedom, settings.level, settings.reference)

    return fieller(differing, 1 + estimate / before, before) if ratio else differing(1.0)


def _replaced(
    evaluations: Evaluations,
    metric: Metric,
    unit: str,
    settings: Settings,
    callback: ProgressCallback | None,
) -> list[_Replaced]:
    """Answers to each repeat's replacement; with every donor, all of them as one."""
    asked = questions(evaluations, unit, settings)
    evaluations.prepare(asked, callback)
    columns = evaluations.table.columns_of(unit)
    subgroups = evaluations.subgroups(columns, settings.replacement).codes
    truth = evaluations.truth
    if settings.n_repeats == "all":
        answers: list[Any] = [evaluations.answer(question) for question in asked]
        joined = answers[0].joined(answers[1:])
        _, codes = distinct_rows(evaluations.table, columns)
        return [
            _Replaced(
                metric.on(joined, np.tile(truth, len(asked))),
                lambda w, s: every_pair(w, s, codes, subgroups),
            )
        ]
    donors = evaluations.donors(columns, settings.replacement, settings.seed, len(asked))
    parts = []
    for question, of_repeat in zip(asked, donors, strict=True):
        score_of = metric.on(evaluations.answer(question), truth)
        parts.append(_Replaced(score_of, _pairing(of_repeat, subgroups)))
    return parts


def _pairing(donors: Positions, subgroups: Positions) -> Callable[[Floats, Floats], Floats]:
    def pairs(w: Floats, s: Floats) -> Floats:
        if subgroups.any():
            s = balanced(s, w[donors], subgroups)
        return np.asarray(s * w[donors])[None]

    return pairs
