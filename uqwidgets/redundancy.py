"""How well each feature is known from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from uqwidgets.data import Table
from uqwidgets.encoding import MOST_CATEGORIES, categories, ranked, responses
from uqwidgets.evaluation import Report
from uqwidgets.inference import half_width, mean_over_rows
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.results import Positions, Redundancy
from uqwidgets.steps import Steps
from uqwidgets.stress.intervals import interval

# Fewer rows than this teach a forest nothing.
_FEWEST_ROWS = 10
# With fewer trees, some row might be in the bag of every one of them.
_FEWEST_TREES = 50
_R2 = ("r2", "low", "high")
_GAIN = ("gain", "gain_low", "gain_high")


def redundancy(
    table: Table,
    units: Sequence[str],
    population: Population,
    *,
    with_target: bool,
    n_estimators: int,
    level: float,
    seed: int,
    n_jobs: int | None = None,
    report: Report | None = None,
) -> Redundancy:
    r"""R2 of each feature from all the others, by random forests, out of bag (000, figure 7).

    The forests are those of the paper (000, B.5); each row is predicted by the trees that were
    grown without it. Of a categorical feature they predict the indicators of its categories, and
    R2 is the share of the variance of these together,
    :math:`1 - \sum_{ic} (1\{x_i = c\} - \hat p_{ic})^2 / \sum_{ic} (1\{x_i = c\} - p_c)^2`,
    which for two categories is the R2 of a column of zeros and ones. Of a group it is the mean
    over its features, from those outside the group.

    Trees see only the order of the values, so the predictors are ranked: units, scales and
    outliers make no difference, and a missing value is one of its own. Rows in which the predicted
    feature is missing are left out of its score.

    The interval is that of a ratio of two means over rows (delta method, on the scale of
    log(1 - R2)) and takes the forests as given. Rows that repeat others look better known
    than they are: one is in the bag while the other is not.

    Parameters
    ----------
    table : Table
    units : sequence of str, length p
        Features or groups.
    population : Population
        Weights act on the forests and on the score, chosen rows on the score alone.
    with_target : bool
        Whether to predict each feature once more with the target beside the others.
    n_estimators : int
        Trees of each forest, at least 50.
    level : float
    seed : int
    n_jobs : int, optional
        Of each forest.
    report : callable, optional
        Called with a `Progress` after every forest.

    Returns
    -------
    Redundancy

    Raises
    ------
    ValueError
        If there are too few trees, or no other features.
    """
    if n_estimators < _FEWEST_TREES:
        raise ValueError(
            f"n_estimators is {n_estimators}; it must be at least {_FEWEST_TREES}, or some rows "
            "are in the bag of every tree."
        )
    forest = RandomForestRegressor(n_estimators, oob_score=True, random_state=seed, n_jobs=n_jobs)
    known = np.column_stack([ranked(table.column(name)) for name in table.features])
    target = ranked(pd.Series(table.y))[:, None] if with_target else None
    wanted = {unit: _wanted(table, unit, population) for unit in units}
    fits = sum(isinstance(found, _Wanted) for found in wanted.values())
    steps = Steps(fits * (2 if with_target else 1), len(table), report)
    lines: list[dict[str, Any]] = []
    for unit, found in wanted.items():
        others = np.delete(known, table.columns_of(unit), axis=1)
        if others.shape[1] == 0:
            raise ValueError(f"there is nothing to predict {unit!r} from; X needs more features.")
        if isinstance(found, str):
            lines.append({"feature": unit, "status": found})
            continue
        alone = _out_of_bag(forest, others, found)
        steps.step()
        line = {"feature": unit, "status": "ok", "rows": found.scored, **alone.r2("", level)}
        if target is not None:
            beside = _out_of_bag(forest, np.hstack([others, target]), found)
            steps.step()
            line |= beside.r2("_with_target", level) | beside.gain(alone, level)
        lines.append(line)
    names = [*_R2, *(f"{name}_with_target" for name in _R2), *_GAIN]
    frame = pd.DataFrame(lines, columns=["feature", "status", "rows", *names])
    frame = frame.sort_values("r2", ascending=False, kind="stable", na_position="last")
    return Redundancy(
        features=tuple(frame["feature"]),
        **{name: frame[name].to_numpy(np.float64) for name in names},
        n_rows=frame["rows"].fillna(0).to_numpy(np.intp),
        status=tuple(frame["status"]),
        with_target=with_target,
        target=table.target,
        n_estimators=n_estimators,
        seed=seed,
        level=level,
        weighted=population.weighted,
        ess=population.ess,
        remarks=_remarks(table, wanted),
    )


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What is to be predicted, in the rows that have a value.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Their positions.
    values : ndarray of shape (m, k)
        Numbers and indicators of categories; the variances of each feature's add up to one.
    population : Population
        Of these rows alone.
    """

    rows: Positions
    values: Floats
    population: Population

    @property
    def scored(self) -> int:
        """How many of them are scored."""
        return int(np.count_nonzero(self.population.scored))


@dataclass(frozen=True, eq=False)
class _Score:
    """Share of the variance that a forest leaves, and the influence of each row on it, (m,)."""

    left: float
    influence: Floats
    population: Population

    def r2(self, suffix: str, level: float) -> dict[str, float]:
        """R2 and its interval, which like R2 itself stays below 1."""
        least, most = interval(self.left, self._half(level), (0.0, np.inf))
        found = zip(_R2, (1 - self.left, 1 - most, 1 - least), strict=True)
        return {f"{name}{suffix}": value for name, value in found}

    def gain(self, before: _Score, level: float) -> dict[str, float]:
        """How much less is left than before, and its interval from the same rows."""
        gain = before.left - self.left
        half = replace(self, influence=before.influence - self.influence)._half(level)
        return dict(zip(_GAIN, (gain, gain - half, gain + half), strict=True))

    def _half(self, level: float) -> float:
        _, std_error = mean_over_rows(self.influence[None], self.population)
        return float(half_width(std_error, level, self.population)[0])


def _out_of_bag(
    forest: RandomForestRegressor, predictors: npt.NDArray[np.float32], wanted: _Wanted
) -> _Score:
    values, population = wanted.values, wanted.population
    forest.fit(
        predictors[wanted.rows],
        values if values.shape[1] > 1 else values[:, 0],
        sample_weight=population.weights if population.weighted else None,
    )
    errors = np.square(values - forest.oob_prediction_.reshape(values.shape)).sum(axis=1)
    spreads = np.square(_centred(values, population)).sum(axis=1)
    (error, spread), _ = mean_over_rows(np.stack([errors, spreads]), population)
    left = float(error / spread)
    return _Score(left, (errors - left * spreads) / spread, population)


def _wanted(table: Table, unit: str, population: Population) -> _Wanted | str:
    """Return what to predict, or why there is nothing."""
    parts = [responses(table, table.features[column]) for column in table.columns_of(unit)]
    if any(np.isinf(part).any() for part in parts):
        return "infinite values"
    rows = np.flatnonzero(np.isfinite(np.hstack(parts)).all(axis=1))
    weights, scored = population.weights[rows], population.scored[rows]
    if np.count_nonzero(scored) < _FEWEST_ROWS:
        return "too few rows"
    kept = Population(weights, scored, None, population.weighted)
    standardised = [_standardised(part[rows], kept) for part in parts]
    if not all(part.any() for part in standardised):
        return "constant"
    return _Wanted(rows, np.hstack(standardised), kept)


def _standardised(values: Floats, population: Population) -> Floats:
    centred = _centred(values, population)
    (variance,), _ = mean_over_rows(np.square(centred).sum(axis=1)[None], population)
    # What rounding leaves of the mean is no variance.
    if variance <= (8 * np.finfo(np.float64).eps * np.abs(values).max()) ** 2:
        return np.zeros_like(values)
    return np.asarray(centred / np.sqrt(variance))


def _centred(values: Floats, population: Population) -> Floats:
    means, _ = mean_over_rows(np.ascontiguousarray(values.T), population)
    return np.asarray(values - means)


def _remarks(table: Table, wanted: dict[str, _Wanted | str]) -> tuple[str, ...]:
    n = len(table)
    remarks = [
        f"{unit}: {n - len(found.rows)} of {n} rows without a value are left out of its score"
        for unit, found in wanted.items()
        if isinstance(found, _Wanted) and len(found.rows) < n
    ]
    members = [table.features[column] for unit in wanted for column in table.columns_of(unit)]
    for name in dict.fromkeys(members):
        distinct = categories(table, name)
        if distinct > MOST_CATEGORIES:
            remarks.append(
                f"{name}: the {MOST_CATEGORIES} most frequent of {distinct} categories are "
                "predicted one by one, the others as one"
            )
    return tuple(remarks)
