"""Permutation importance over evaluations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqwidgets.evaluation import Evaluations, Report
from uqwidgets.inference import Change, Interval, half_width, mean_change
from uqwidgets.measures import Measure
from uqwidgets.population import Population
from uqwidgets.predictive.distributions import Floats
from uqwidgets.replacement import Drawn, Original
from uqwidgets.results import Importance

# A model that ignores a feature may still answer a rounding error apart, for libraries sum in
# an order that depends on how many rows they get. That is no importance.
_ROUNDING = 64 * np.finfo(np.float64).eps
# Fewer effective pairs of row and donor than this deserve a word.
_FEW_PAIRS = 30


def permutations(
    evaluations: Evaluations, features: Sequence[str], n_repeats: int, seed: int
) -> dict[str, list[Drawn]]:
    """Return what has to be asked for each feature."""
    columns = {feature: evaluations.table.columns_of(feature) for feature in features}
    return {
        feature: [Drawn(moved, "permutation", repeat, seed) for repeat in range(n_repeats)]
        for feature, moved in columns.items()
    }


def changes(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    *,
    n_repeats: int,
    interval: Interval,
    seed: int,
    report: Report | None = None,
) -> list[Change]:
    """Mean change of a measure under permutation of each feature (000, eq. 5; 003, eq. 4)."""
    asked = permutations(evaluations, features, n_repeats, seed)
    names = list(asked)
    window = max(1, evaluations.fitting(n_repeats * len(names)) // n_repeats)
    found: list[Change] = []
    for first in range(0, len(names), window):
        group = names[first : first + window]
        for name in group:
            # All repeats at once: one by one they would be drawn anew for each.
            evaluations.donors(evaluations.table.columns_of(name), "permutation", seed, n_repeats)
        evaluations.prepare([q for name in group for q in asked[name]], report)
        found += [
            _change(evaluations, measure, asked[name], population, interval, report)
            for name in group
        ]
    return found


def importance(
    evaluations: Evaluations,
    measure: Measure,
    features: Sequence[str],
    population: Population,
    *,
    n_repeats: int,
    interval: Interval,
    level: float,
    seed: int,
    report: Report | None = None,
) -> Importance:
    """Permutation importance of each feature, most important first.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    features : sequence of str, length p
    population : Population
    n_repeats : int
    interval : {"u-statistic", "model"}
    level : float
    seed : int
    report : callable, optional
        See `Evaluations.ask`.

    Returns
    -------
    Importance
    """
    found = changes(
        evaluations,
        measure,
        features,
        population,
        n_repeats=n_repeats,
        interval=interval,
        seed=seed,
        report=report,
    )
    estimates = np.array([c.estimate for c in found])
    # Of equals, the first in the table first.
    order = np.argsort(-estimates, kind="stable")
    std_error = np.array([c.std_error for c in found])[order]
    pairs = np.array([c.pairs for c in found])[order]
    width = half_width(std_error, level, population, pairs)
    ranked = estimates[order]
    original = original_values(evaluations, measure)
    return Importance(
        measure=measure.name,
        label=measure.label,
        unit=measure.unit,
        features=tuple(features[j] for j in order),
        importance=ranked,
        std_error=std_error,
        low=ranked - width,
        high=ranked + width,
        per_row=np.stack([found[j].per_row[population.positions] for j in order]),
        repeats=np.stack([found[j].repeats for j in order]),
        baseline=float(original @ population.scored / population.scored.sum()),
        replacement="permutation",
        n_repeats=n_repeats,
        interval=interval,
        level=level,
        seed=seed,
        rows=population.rows,
        weighted=population.weighted,
        ess=population.ess,
        remarks=floored(measure, original) + unpaired(found),
    )


def original_values(evaluations: Evaluations, measure: Measure) -> Floats:
    """Compute a measure of every row as it is, shape (n,)."""
    return evaluations.memo(
        ("original", measure.name), lambda: evaluations.values([Original()], measure)[0]
    )


def floored(measure: Measure, original: Floats) -> tuple[str, ...]:
    """Say so where the model rules out what was observed."""
    count = int((original >= measure.ceiling).sum())
    if not count:
        return ()
    return (
        f"in {count} of {len(original)} rows the model gives the observed class probability 0; "
        f"their nll, which is infinite, counts as {measure.ceiling:.1f} nats (calibrate the model)",
    )


def unpaired(found: Sequence[Change]) -> tuple[str, ...]:
    """Say so where the weights leave nothing to average, or little."""
    fewest = min(c.pairs for c in found)
    if 0 < fewest < _FEW_PAIRS:
        return (
            f"the weights leave about {fewest:.0f} effective pairs of a scored row and a donor for "
            "some features (ask for more repeats)",
        )
    count = sum(bool(np.isnan(c.estimate)) for c in found)
    if not count:
        return ()
    return (
        f"for {count} of {len(found)} features no repeat pairs a scored row with a donor that has "
        "weight, so they have no importance here (ask for more repeats, or spread the weights)",
    )


def _change(
    evaluations: Evaluations,
    measure: Measure,
    questions: list[Drawn],
    population: Population,
    interval: Interval,
    report: Report | None,
) -> Change:
    columns, seed, n_repeats = questions[0].columns, questions[0].seed, len(questions)

    def change() -> Floats:
        original = original_values(evaluations, measure)
        values = evaluations.values(questions, measure, report) - original
        size = np.abs(original)
        values[np.abs(values) <= _ROUNDING * (size + size.mean())] = 0.0
        return values

    return mean_change(
        evaluations.grown(("change", measure.name, columns, seed), n_repeats, change),
        evaluations.donors(columns, "permutation", seed, n_repeats),
        population,
        interval,
    )
