"""Decomposition as static HTML: the truth, the models, and the parts of their error."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.ground_truth.figure import fits_figure
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.plotting.choice import MOST_CURVES, evenly
from uqwidgets.plotting.html import Markup, panel, table
from uqwidgets.plotting.static import drawn, left_out
from uqwidgets.plotting.text import NOT_AVAILABLE, number, value_text

PARTS = ("squared bias", "model variance", "Monte Carlo error")


def decomposition_html(result: Decomposition) -> str:
    """Show the truth, the mean of all models, and single models.

    Parameters
    ----------
    result : Decomposition

    Returns
    -------
    str
    """
    names = [value_text(point) for point in result.points.tolist()]
    summary = _summary(result)
    single = single_models(result)
    drawing = drawn(fits_figure(result, single), summary)
    notes = _notes(result, len(single))
    return panel(result.title, summary, drawing, notes, _table(result, names))


def parts_of(result: Decomposition) -> Floats:
    """Squared bias, model variance and Monte Carlo error at every point, shape (3, k).

    Estimates of variances that are negative by chance are shown as zero.
    """
    variances = [result.model_variance, result.mc_variance]
    return np.array([np.square(result.bias), *(np.maximum(v, 0.0) for v in variances)])


def single_models(result: Decomposition) -> Floats:
    """Estimates of some models, one of each training set, shape (r, k)."""
    shown: Floats = result.estimates[evenly(result.n_datasets, MOST_CURVES), 0, 0]
    return shown


def _summary(result: Decomposition) -> str:
    sums = parts_of(result).sum(axis=1)
    points = "features" if result.feature is None else "values"
    if not sums.sum() > 0:
        return f"The error of models of {result.procedure} is {NOT_AVAILABLE}."
    shares = [f"{share:.0%} {name}" for share, name in zip(sums / sums.sum(), PARTS, strict=True)]
    farthest = int(np.abs(result.bias).argmax())
    at = value_text(result.points.tolist()[farthest])
    where = f"for {at}" if result.feature is None else f"at {at}"
    return (
        f"The mean square error of {result.procedure}, summed over {points}, is {shares[0]}, "
        f"{shares[1]} and {shares[2]}. Its bias is largest {where}: "
        f"{number(result.expected[farthest])} instead of {number(result.truth[farthest])}."
    )


def _notes(result: Decomposition, drawn_models: int) -> list[str]:
    if result.feature is None or result.categorical or len(result.points) == 1:
        notes = [
            f"Rings: the truth. Dots: mean of all models. Strokes: {drawn_models} single models, "
            "each over one test set; whiskers contain 90% of all.",
            *left_out(len(result.points)),
        ]
    else:
        notes = [
            f"Dashed: the truth. Thick line: mean of all models. Thin lines: {drawn_models} single "
            "models, each over one test set."
        ]
    return [*notes, f"{result.how}."]


def _table(result: Decomposition, names: list[str]) -> Markup:
    frame = result.frame.iloc[:, 1:]
    header = [result.feature or "feature", *(str(c).replace("_", " ") for c in frame.columns)]
    noun = "feature" if result.feature is None else "value"
    return table(noun, header, zip(names, *frame.to_numpy().T, strict=True))
