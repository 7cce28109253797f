"""Static HTML of scores that are expected in another table."""

from __future__ import annotations

import numpy as np

from uqwidgets.another_table.expected_result import Expected
from uqwidgets.another_table.figure import expected_figure, sets_figure
from uqwidgets.another_table.prediction_sets_result import PredictionSets
from uqwidgets.plotting.html import panel, table
from uqwidgets.plotting.static import drawn
from uqwidgets.plotting.text import counted, interval, measured, number, sentence


def expected_html(result: Expected) -> str:
    """Show each score here and there, and what drives the difference.

    Parameters
    ----------
    result : Expected

    Returns
    -------
    str
    """
    summary = " ".join(_sentence(result, k) for k in range(len(result.names)))
    weights = result.weights
    first = weights.frame.iloc[0]
    notes = [
        f"{counted(weights.n_rows, 'row')} here, {counted(weights.n_there, 'row')} there; what "
        f"differs most is the {first['moment']} of {first['feature']}. Assumed: y depends on x "
        "there as it does here; without y of rows there this cannot be seen.",
        *result.remarks,
    ]
    header = ["score", "here", "expected there", "low", "high", "difference", "low", "high"]
    columns = [result.here, result.there, result.there_low, result.there_high]
    columns += [result.difference, result.low, result.high]
    lines = zip(result.labels, *columns, strict=True)
    return panel(
        "Scores here, and expected in another table",
        summary,
        drawn(expected_figure(result), summary),
        notes,
        table("score", header, lines),
    )


def _sentence(result: Expected, k: int) -> str:
    low, high = result.low[k], result.high[k]
    change = "no interval"
    if np.isfinite([low, high]).all():
        clear = "higher" if low > 0 else "lower" if high < 0 else "not clearly different"
        change = f"{clear} (difference {interval(low, high)})"
    own = ""
    if np.isfinite(result.own[k]):
        own = f"; the model itself expects {number(result.own[k])} there"
    return (
        f"{result.labels[k]}: {measured(result.here[k], result.units[k])} here, "
        f"{measured(result.there[k], result.units[k])} expected there, {change}{own}."
    )


def sets_html(result: PredictionSets) -> str:
    """Show how often sets contain the target, and how large they are.

    Parameters
    ----------
    result : PredictionSets

    Returns
    -------
    str
    """
    words = {"own": "the model's own sets", "calibrated": "the calibrated sets"}
    sentences = [
        f"{sentence(words[name])} contain the target in {result.coverage[name][0]:.1%} of the rows "
        f"({result.low[name][0]:.1%} to {result.high[name][0]:.1%}) and have a mean size of "
        f"{measured(result.size[name][0], result.unit)}."
        for name in result.sets
    ]
    infinite = result.infinite[0]
    if infinite > 0:
        sentences.append(
            f"In {infinite:.1%} of the rows the calibrated set is infinite: too few rows are alike."
        )
    notes = [
        f"They should contain it in {result.nominal:.0%} of the rows. Each half of the rows is "
        "calibrated by the other half.",
        *result.remarks,
    ]
    frame = result.frame
    header = ["rows", "sets", "rows", "coverage", "low", "high", "size", "low", "high", "infinite"]
    lines = [[str(value) for value in line[:3]] + line[3:] for line in frame.values.tolist()]
    return panel(
        f"Prediction sets of {result.nominal:.0%}",
        " ".join(sentences),
        drawn(sets_figure(result), " ".join(sentences)),
        notes,
        table("part", header, lines),
    )
