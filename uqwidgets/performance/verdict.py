"""The verdict on calibration in words: calibrated, too sure, too cautious, too high, too low."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from uqwidgets.plotting.text import counted_rows, few, listed, number, sentence

if TYPE_CHECKING:
    from uqwidgets.performance.result import Calibration, CalibrationAlong

#: The event that a model of more than two classes is right; its probability is its confidence.
CONFIDENCE = "the predicted class is right"
#: The name of the rows without a value.
MISSING = "missing"
# The interval whose coverage is told first.
_TOLD = 0.9


def percent(share: float) -> str:
    """Return "95.6 %"."""
    return f"{100 * share:.3g} %"


def verdict(result: Calibration) -> str:
    """Return whether a model is calibrated, in one or two sentences.

    Parameters
    ----------
    result : Calibration
    """
    found = _of_quantiles(result) if result.coverage else _of_bins(result)
    if found:
        return " ".join(found)
    return f"Calibrated, as far as {counted_rows(result.n_rows, result.groups)} can tell."


def misses(result: Calibration) -> str:
    """Return how many intervals miss their probability, and how many would by chance.

    Parameters
    ----------
    result : Calibration
    """
    count, of = result.n_outside, len(result.observed)
    of_all = f"{count} of {of} intervals" if of > 1 else f"{count} of 1 interval"
    does = "misses its probability" if count == 1 else "miss their probability"
    expected = result.expected_outside
    if result.simultaneous:
        return f"{of_all} {does}; by chance any would in {percent(expected)} of tables."
    chance = f"{expected:.0f}" if expected >= 0.9 else f"{expected:.1f}"
    return f"{of_all} {does}; about {chance} would by chance."


def verdict_along(result: CalibrationAlong) -> str:
    """Return where a model is clearly not calibrated, in one or two sentences.

    Parameters
    ----------
    result : CalibrationAlong
    """
    found = []
    for is_low in (True, False):
        off = result.clear & ((result.observed < result.predicted) == is_low)
        if not off.any():
            continue
        predicted, observed = (
            percent(float(np.average(values[off], weights=result.share[off])))
            for values in (result.predicted, result.observed)
        )
        if result.nominal is not None:
            kind = "Too sure" if is_low else "Too cautious"
            numbers = f"{observed} of the rows lie inside the {predicted} intervals"
        else:
            sure = "Too sure" if is_low else "Too cautious"
            kind = sure if result.event == CONFIDENCE else "Too high" if is_low else "Too low"
            numbers = f"predicted {predicted} on average, observed {observed}"
        places = few(_joined(result, np.flatnonzero(off).tolist()))
        found.append(f"{kind} where {result.by} is {alternatives(places)}: {numbers}.")
    if found:
        return " ".join(found)
    rows = counted_rows(result.n_rows, result.groups)
    return f"Calibrated along {result.by}, as far as {rows} can tell."


def _joined(result: CalibrationAlong, parts: list[int]) -> list[str]:
    """Return the names of parts; ranges of numbers that follow each other are one."""
    names: list[str] = []
    for before, k in zip([-2, *parts], parts, strict=False):
        name = result.names[k]
        if result.is_numeric and k == before + 1 and name != MISSING:
            names[-1] = f"{names[-1].split(' to ')[0]} to {name.split(' to ')[-1]}"
        else:
            names.append(name)
    return names


def alternatives(names: list[str]) -> str:
    """Return "a, b or c"."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _of_quantiles(result: Calibration) -> list[str]:
    """Return what is clearly wrong with the distributions of a target of numbers."""
    found = []
    off = [
        (nominal, inside)
        for (nominal, inside, *_), clear in zip(result.coverage, result.clear_coverage, strict=True)
        if clear
    ]
    if off:
        nominal, inside = min(off, key=lambda line: abs(line[0] - _TOLD))
        kind = "Too cautious" if inside > nominal else "Too sure"
        found.append(
            f"{kind}: {percent(inside)} of the rows lie inside the {percent(nominal)} intervals."
        )
    median = int(np.argmin(np.abs(result.predicted - 0.5)))
    if result.clear[median]:
        below = float(result.observed[median])
        kind = "Too high" if below > result.predicted[median] else "Too low"
        found.append(f"{kind}: {percent(below)} of the rows lie below the predicted median.")
    if not found and result.clear.any():
        distance = np.abs(result.observed - result.predicted) * result.clear
        worst = int(distance.argmax())
        found.append(
            f"Not calibrated: {percent(result.observed[worst])} of the rows lie below the "
            f"predicted {percent(result.predicted[worst])} quantile."
        )
    return found


def _of_bins(result: Calibration) -> list[str]:
    """Return where predicted probabilities are clearly wrong, and in which direction."""
    places: dict[str, list[tuple[int, int]]] = {}
    for first, last in _runs(result):
        places.setdefault(_kind(result, first, last), []).append((first, last))
    found = []
    for kind, runs in places.items():
        bins = np.concatenate([np.arange(first, last + 1) for first, last in runs])
        weights = result.share[bins]
        predicted, observed = (
            number(float(np.average(values[bins], weights=weights)), 2)
            for values in (result.predicted, result.observed)
        )
        where = listed([text for run in runs if (text := _where(result, *run))])
        found.append(
            f"{sentence(kind)}{where and ' '}{where}: predicted {predicted} on average, "
            f"observed {observed}."
        )
    return found


def _runs(result: Calibration) -> list[tuple[int, int]]:
    """Return the first and last bin of each run of clear ones with the same sign between them."""
    sign = np.sign(result.observed - result.predicted)
    runs: list[tuple[int, int]] = []
    for b in np.flatnonzero(result.clear).tolist():
        if runs and (sign[runs[-1][0] : b + 1] == sign[b]).all():
            runs[-1] = runs[-1][0], b
        else:
            runs.append((b, b))
    return runs


def _kind(result: Calibration, first: int, last: int) -> str:
    """Return the direction in which a run of bins is wrong."""
    is_low = bool(result.observed[first] < result.predicted[first])
    if result.event == CONFIDENCE or result.predicted[first] >= 0.5:
        return "too sure" if is_low else "too cautious"
    if result.predicted[last] <= 0.5:
        return "too cautious" if is_low else "too sure"
    return "too high" if is_low else "too low"


def _where(result: Calibration, first: int, last: int) -> str:
    """Return where a run of bins lies, up to halfway to the next bins; empty for all of them."""
    p = result.predicted
    low = number(float(p[first - 1] + p[first]) / 2, 2) if first else ""
    high = number(float(p[last] + p[last + 1]) / 2, 2) if last + 1 < len(p) else ""
    if low and high:
        return f"from {low} to {high}"
    return f"above {low}" if low else f"below {high}" if high else ""
