"""The mean change of a measure under replacement of each feature, or group of features."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.evaluation.distinct import distinct_rows
from uqwidgets.evaluation.evaluations import Evaluations, ProgressCallback
from uqwidgets.evaluation.replacement import Constant, Drawn, Original, Replacement
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Change, every_donor, mean_change, pooled
from uqwidgets.inference.population import Population
from uqwidgets.inference.rounding import difference
from uqwidgets.measures import Measure

_VALUES_READ = 1 << 17


def questions(evaluations: Evaluations, unit: str, settings: Settings) -> list[Replacement]:
    """Return what has to be asked for one feature, or group of features.

    With ``n_repeats="all"`` these are all the values that were observed of it, the same that a
    curve over them asks.
    """
    columns = evaluations.table.columns_of(unit)
    if settings.n_repeats == "all":
        return [
            Constant(columns, values) for values in distinct_rows(evaluations.table, columns)[0]
        ]
    return [
        Drawn(columns, settings.replacement, repeat, settings.seed)
        for repeat in range(settings.n_repeats)
    ]


def changes(
    evaluations: Evaluations,
    measure: Measure,
    units: Sequence[str],
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None = None,
) -> Iterator[Change]:
    """Yield the mean change under replacement of each.

    Source: Wood et al. 2024, eq. 5; Merrick 2019, eq. 9; Molnar et al. 2023, eq. 4.

    One after the other, for each holds on to arrays of all rows and repeats.

    Parameters
    ----------
    evaluations : Evaluations
    measure : Measure
    units : sequence of str, length p
        Features, or groups of them that move together.
    population : Population
    settings : Settings
    callback : callable, optional
        See `Evaluations.ask`.

    Yields
    ------
    Change
    """
    every = settings.n_repeats == "all"
    for group in _windows(evaluations, units, settings):
        asked = {unit: questions(evaluations, unit, settings) for unit in group}
        # What was read off answers outlives them where memory is short: they are not asked again.
        missing = [u for u in group if not _known(evaluations, measure, u, asked[u], settings)]
        evaluations.prepare([q for unit in missing for q in asked[unit]], callback)
        if every:
            for unit in group:
                yield _over_all(
                    evaluations, measure, asked[unit], unit, population, settings, callback
                )
            continue
        for part in _read_together(evaluations, group, settings):
            waiting = [unit for unit in part if unit in missing]
            if len(waiting) > 1:
                _read(evaluations, measure, {u: asked[u] for u in waiting}, settings, callback)
            for unit in part:
                yield _over_draws(
                    evaluations, measure, asked[unit], unit, population, settings, callback
                )


def _known(
    evaluations: Evaluations,
    measure: Measure,
    unit: str,
    asked: Sequence[Replacement],
    settings: Settings,
) -> bool:
    key = _key(measure, evaluations.table.columns_of(unit), settings)
    return settings.n_repeats != "all" and evaluations.kept(key, len(asked))


def _key(measure: Measure, columns: tuple[int, ...], settings: Settings) -> Hashable:
    return ("change", measure.key, columns, settings.replacement, settings.seed)


def original_values(evaluations: Evaluations, measure: Measure) -> Floats:
    """Compute a measure of every row as it is, shape (n,)."""
    return evaluations.memo(
        ("original", measure.key), lambda: evaluations.values([Original()], measure)[0]
    )


def _windows(
    evaluations: Evaluations, units: Sequence[str], settings: Settings
) -> Iterator[Sequence[str]]:
    """Features whose answers fit in the memory together."""
    if settings.n_repeats == "all":
        yield from ([unit] for unit in units)
        return
    asked = settings.n_repeats
    window = max(1, evaluations.fitting(asked * len(units)) // asked)
    yield from (units[first : first + window] for first in range(0, len(units), window))


def _read_together(
    evaluations: Evaluations, units: Sequence[str], settings: Settings
) -> Iterator[Sequence[str]]:
    """Features that are so few values together that one pass over all is quicker."""
    assert isinstance(settings.n_repeats, int)
    window = max(1, _VALUES_READ // (settings.n_repeats * len(evaluations.table)))
    yield from (units[first : first + window] for first in range(0, len(units), window))


def _read(
    evaluations: Evaluations,
    measure: Measure,
    asked: dict[str, list[Replacement]],
    settings: Settings,
    callback: ProgressCallback | None,
) -> None:
    """Work out the changes of several features at once, and remember those of each."""
    lines = _changed(evaluations, measure, [q for one in asked.values() for q in one], callback)
    for unit, part in zip(asked, np.split(lines, len(asked)), strict=True):
        key = _key(measure, evaluations.table.columns_of(unit), settings)
        evaluations.grown(key, len(part), lambda part=part: part)  # type: ignore[misc]


def _over_draws(
    evaluations: Evaluations,
    measure: Measure,
    asked: list[Replacement],
    unit: str,
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None,
) -> Change:
    columns, scheme = evaluations.table.columns_of(unit), settings.replacement
    subgroups = evaluations.subgroups(columns, scheme).codes if scheme == "conditional" else None
    if not evaluations.keeps(len(asked)):
        drawn = [question for question in asked if isinstance(question, Drawn)]
        parts = _parts(evaluations, measure, drawn, population, subgroups, callback)
        return pooled(parts, len(evaluations.table))
    return mean_change(
        evaluations.grown(
            _key(measure, columns, settings),
            len(asked),
            lambda: _changed(evaluations, measure, asked, callback),
        ),
        evaluations.donors(columns, scheme, settings.seed, len(asked)),
        original_values(evaluations, measure),
        population,
        subgroups,
    )


def _parts(
    evaluations: Evaluations,
    measure: Measure,
    asked: list[Drawn],
    population: Population,
    subgroups: npt.NDArray[np.intp] | None,
    callback: ProgressCallback | None,
) -> Iterator[tuple[Change, Floats | float]]:
    """Yield changes over as many repeats at a time as there is room for."""
    step = 1
    while step < len(asked) and evaluations.keeps(step + 1):
        step += 1
    room = evaluations.fitting(len(asked))
    # Answers that do not fit together are gone before they could be read again.
    once, step = room < len(asked), min(step, room)
    offered = None
    if population.weighted and subgroups is not None:
        every = (population.weights[evaluations.donors_of(question)] for question in asked)
        offered = np.asarray(sum(every) / len(asked))
    for first in range(0, len(asked), step):
        some = asked[first : first + step]
        values = evaluations.values(some, measure, callback)
        if once:
            evaluations.forget(some)
        original = original_values(evaluations, measure)
        change = difference(values, original)
        del values
        lines = [evaluations.donors_of(question) for question in some]
        donors = np.stack(lines) if len(lines) > 1 else lines[0][None]
        weights: Floats | float = float(len(some))
        if population.weighted:
            weights = np.asarray(sum(population.weights[line] for line in lines))
        part = mean_change(change, donors, original, population, subgroups, offered)
        yield part, weights
        del change, lines, donors, weights, part  # else they would stay while the next are made


def _over_all(
    evaluations: Evaluations,
    measure: Measure,
    asked: list[Replacement],
    unit: str,
    population: Population,
    settings: Settings,
    callback: ProgressCallback | None,
) -> Change:
    columns = evaluations.table.columns_of(unit)
    _, codes = distinct_rows(evaluations.table, columns)
    step = evaluations.fitting(len(asked))

    def lines() -> Iterator[tuple[slice, Floats]]:
        for first in range(0, len(asked), step):
            part = asked[first : first + step]
            change = evaluations.memo(
                ("every donor", measure.key, columns, first, len(part)),
                lambda part=part: _changed(evaluations, measure, part, callback),  # type: ignore[misc]
            )
            yield slice(first, first + len(part)), change

    subgroups = evaluations.subgroups(columns, settings.replacement)
    return every_donor(lines(), codes, population, subgroups.codes)


def _changed(
    evaluations: Evaluations,
    measure: Measure,
    asked: list[Replacement],
    callback: ProgressCallback | None,
) -> Floats:
    """Measure of every row under each replacement minus that of the row as it is."""
    values = evaluations.values(asked, measure, callback)
    return difference(values, original_values(evaluations, measure))
