"""How two tables differ, and the weights that make one look like the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.remarks import Remark
from uqwidgets.another_table.moments import moments_of
from uqwidgets.another_table.result import TableReweighting
from uqwidgets.another_table.weights import TowardsTable
from uqwidgets.evaluation.encoding import ordered_numbers
from uqwidgets.evaluation.table import Table
from uqwidgets.inference import Bounds, Family, Moments
from uqwidgets.inference.groups import RowGroups
from uqwidgets.inference.moments import bounds_of_moments, moments_of_influences
from uqwidgets.inference.population import Population, effective_sample_size
from uqwidgets.performance.metrics import RankIndicator
from uqwidgets.plotting.text import listed

# Rows of each table that the classifier sees.
_MOST_ROWS, _FOLDS, _ROUNDS = 2000, 5, 40
# With fewer effective rows, what is expected there is hardly known.
FEW_ROWS = 50
# Standard errors by which a moment may miss its target.
_MISS = 1.0
_MOST_NAMED = 3


def stress_to_table(
    population: Population,
    table: Table,
    other: Table,
    other_population: Population,
    features: Sequence[str],
    *,
    squares: bool,
    level: float,
    seed: int,
) -> TableReweighting:
    """Compare two tables, and weight the rows of one so that they look like those of the other.

    Parameters
    ----------
    population : Population
        Of all rows of the table.
    table, other : Table
        With the same columns.
    other_population : Population
        Of the rows of the other table.
    features : sequence of str
        Columns that are compared.
    squares : bool
        Whether squares of numbers are compared too.
    level : float
        Of the intervals, which hold all at once.
    seed : int

    Returns
    -------
    TableReweighting

    Raises
    ------
    ValueError
        If a column is of another kind in the other table, or no row there has a counterpart.
    """
    moments = moments_of(table, other, features, squares=squares)
    is_new = np.array([each.is_new for each in moments]).any(axis=0)
    base_there = np.where(is_new, 0.0, other_population.scored)
    if not base_there.any():
        raise ValueError(
            "every row of table has a category or a missing value that no row of X has, so no "
            "weights represent it; leave such columns out with features=."
        )
    groups, groups_there = population.groups, other_population.groups
    towards = TowardsTable.of(
        moments, population.scored, base_there / base_there.mean(), groups, groups_there
    )
    units = np.concatenate([each.units for each in moments])
    centres = np.concatenate([each.centres for each in moments])
    here = population.scored @ towards.here / population.scored.sum()
    target, reached = towards.target, towards.reached
    intervals = _differences(towards, population, base_there, level, seed)
    apart = [
        told_apart(table, other, features, w, other_population, groups, level, seed)
        for w in (population.scored, towards.weights)
    ]
    share = towards.weights / towards.weights.sum()
    ess = effective_sample_size(towards.weights)
    heaviest = np.sort(share)[::-1]
    misses = (reached - target) / towards.errors
    outside = {
        each.feature: (float(np.average(each.outside, weights=other_population.scored)), words)
        for each in moments
        if (words := each.what_is_outside) and each.outside.any()
    }
    names = tuple(f"{moment} of {m.feature!r}" for m in moments for moment in m.names)
    return TableReweighting(
        weights=towards.weights,
        names=names,
        target=target * units + centres,
        reached=reached * units + centres,
        xi=towards.xi / units,
        ess=ess,
        kl=float(share @ np.log(np.maximum(share, 1e-300) * len(share))),
        half_share=float(np.searchsorted(np.cumsum(heaviest), 0.5) + 1) / len(share),
        status="ok" if np.abs(misses).max() <= _MISS else "missed",
        remarks=_remarks(towards, outside, other_population, ess, misses, names),
        features=tuple(m.feature for m in moments for _ in m.names),
        moments=tuple(moment for m in moments for moment in m.names),
        here=here * units + centres,
        there=target * units + centres,
        difference=target - here,
        low=intervals[0],
        high=intervals[1],
        left=target - reached,
        misses=misses,
        told_apart=apart[0],
        told_apart_weighted=apart[1],
        outside=towards.outside,
        what_is_outside=outside,
        n_there=len(other),
        level=level,
        towards=towards,
    )


def _differences(
    towards: TowardsTable, population: Population, base_there: Floats, level: float, seed: int
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of the moments there minus those here, all at once."""
    share = population.scored / population.scored.sum()
    share_there = base_there / base_there.sum()
    own = share @ towards.here
    there = np.column_stack([each.there for each in towards.moments])
    sides = (
        population.of_units((-share[:, None] * (towards.here - own)).T),
        _sums((share_there[:, None] * (there - towards.target)).T, towards.groups_there),
    )
    influences = np.concatenate(sides, axis=1)
    most = min(side.shape[1] for side in sides) - 1.0
    family = Family(seed)
    family.add(influences)
    stacked = Moments.stacked(
        [
            moments_of_influences(float(difference), line, max(most, 1.0))
            for difference, line in zip(towards.target - own, influences, strict=True)
        ]
    )
    _, low, high = bounds_of_moments(stacked, family.pointwise_level(level))
    return low, high


def _sums(values: Floats, groups: RowGroups | None) -> Floats:
    return values if groups is None else groups.sums(values)


def told_apart(
    table: Table,
    other: Table,
    features: Sequence[str],
    weights: Floats,
    other_population: Population,
    groups: RowGroups | None,
    level: float,
    seed: int,
) -> Bounds:
    """Return how well a classifier tells rows of two tables apart, out of fold (Friedman 2003).

    Parameters
    ----------
    table, other : Table
    features : sequence of str
    weights : ndarray of shape (n,)
        Of the rows of the table.
    other_population : Population
    groups : RowGroups or None
        Of the rows of the table, which are in one fold if they belong together.
    level : float
    seed : int

    Returns
    -------
    Bounds
        The area under the ROC curve (DeLong et al. 1988).
    """
    rng = np.random.default_rng(seed)
    parts = [rng.permutation(len(each))[:_MOST_ROWS] for each in (table, other)]
    columns = [_joined(table, other, feature, parts) for feature in features]
    is_category = [is_text for _, is_text in columns]
    values = np.column_stack([codes for codes, _ in columns])
    label = np.repeat([0, 1], [len(part) for part in parts])
    weight = np.concatenate([weights[parts[0]], other_population.scored[parts[1]]])
    units = _units(groups, other_population.groups, parts)
    # Equal rows are in one fold: else the copy of a row in the other table gives it away.
    _, copies = np.unique(values, axis=0, return_inverse=True)
    is_grouped = groups is not None or other_population.groups is not None
    folds = GroupKFold(_FOLDS, shuffle=True, random_state=seed).split(
        values, label, units if is_grouped else copies.ravel()
    )
    # Both classes have the same weight, whatever the sizes of the tables.
    balanced = weight / np.bincount(label, weight)[label]
    score = np.zeros(len(label))
    for fit, test in folds:
        classifier = HistGradientBoostingClassifier(
            max_iter=_ROUNDS,
            max_leaf_nodes=8,
            early_stopping=False,
            categorical_features=is_category,
            random_state=seed,
        )
        classifier.fit(values[fit], label[fit], balanced[fit] * len(fit))
        score[test] = classifier.decision_function(values[test])
    area, influence = RankIndicator("area", "area", "", score, label == 1).influence(weight)
    of_units = np.bincount(units, influence).astype(np.float64)
    moments = moments_of_influences(area, of_units, max(len(of_units) / 2 - 1, 1.0))
    error, low, high = bounds_of_moments(moments, level)
    return Bounds(area, float(error), max(0.0, float(low)), min(1.0, float(high)))


def _joined(
    table: Table, other: Table, feature: str, parts: list[Positions]
) -> tuple[Floats, bool]:
    """Return a column of rows of both tables as numbers, and whether these are categories."""
    numbers = [ordered_numbers(each, feature) for each in (table, other)]
    if numbers[0] is not None and numbers[1] is not None:
        sides = [each[part] for each, part in zip(numbers, parts, strict=True) if each is not None]
        return np.concatenate(sides), False
    texts = []
    for each, part in zip((table, other), parts, strict=True):
        names, codes = each.labels(feature).by_text
        texts.append(np.array([*names, ""], dtype=object)[codes[part]])
    _, codes, counts = np.unique(
        np.concatenate(texts).astype(str), return_inverse=True, return_counts=True
    )
    # The classifier takes at most 255 categories; rarer ones are one.
    place = np.minimum(np.argsort(np.argsort(-counts, kind="stable")), 250)
    return place[codes].astype(np.float64), True


def _units(
    groups: RowGroups | None, groups_there: RowGroups | None, parts: list[Positions]
) -> Positions:
    """Return the group of each row of both tables, or a number for each row."""
    here = np.arange(len(parts[0])) if groups is None else groups.codes[parts[0]]
    there = np.arange(len(parts[1])) if groups_there is None else groups_there.codes[parts[1]]
    _, codes = np.unique(np.concatenate([here, there + here.max() + 1]), return_inverse=True)
    return codes


def _remarks(
    towards: TowardsTable,
    outside: dict[str, tuple[float, str]],
    other_population: Population,
    ess: float,
    misses: Floats,
    names: Sequence[str],
) -> tuple[Remark, ...]:
    remarks = []
    if outside:
        share = np.average(towards.outside, weights=other_population.scored)
        shares = sorted(outside.items(), key=lambda item: -item[1][0])
        named = [f"{name} {words} ({of:.1%})" for name, (of, words) in shares[:_MOST_NAMED]]
        remarks.append(
            Remark(
                "no-counterpart",
                f"{share:.1%} of the rows of the other table have no counterpart here: "
                f"{listed(named)}; nothing here shows what happens there",
            )
        )
    if ess < FEW_ROWS:
        remarks.append(
            Remark(
                "few-rows-like-there",
                f"only {ess:.0f} effective rows here look like the other table, so that what is "
                "expected there is hardly known",
            )
        )
    missed = np.flatnonzero(np.abs(misses) > _MISS)
    if len(missed):
        order = missed[np.argsort(-np.abs(misses[missed]))][:_MOST_NAMED]
        remarks.append(
            Remark(
                "moments-missed",
                f"{len(missed)} of {len(names)} moments of the other table are missed by more than "
                f"a standard error, most of all {listed([names[k] for k in order])}",
            )
        )
    return tuple(remarks)
