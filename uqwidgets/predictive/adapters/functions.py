"""Functions, read by what they return."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqwidgets.predictive.adapters.elsewhere import distribution_of
from uqwidgets.predictive.adapters.mixing import at_least_two, mixture_of_values, with_noise
from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.adapters.reading import Labels, Reading, labels_of
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    Mixture,
    Normal,
    Point,
    Quantiles,
)


def function(model: Any, options: Options) -> Reading:
    """Read what a function of ``X`` returns."""
    labels = labels_of(None, options.classes)
    return Reading(lambda X: _read(model(X), len(X), options, labels), labels)


def _read(answer: Any, n: int, options: Options, labels: Labels | None) -> Distribution:
    found = distribution_of(answer, labels)
    if found is None and isinstance(answer, tuple) and len(answer) == 2:
        found = Normal(*answer)
    if found is not None:
        _refuse(options, "noise", "levels", "samples", what=f"a {type(found).__name__}")
        return found
    # A copy: what a function keeps and writes to again must not reach what was read.
    values = np.array(answer)
    if values.ndim == 1:
        _refuse(options, "levels", "samples", what="one value per row")
        return Point(values) if options.noise is None else with_noise(values, options.noise)
    if values.ndim == 3:
        _refuse(options, "noise", "levels", what="samples of probabilities")
        return _samples_of_probabilities(values, n, labels)
    if values.ndim != 2:
        raise ValueError(f"the function returned an array of shape {values.shape}; {_EXPECTED}.")
    if options.samples:
        if values.shape[1] != n:
            raise ValueError(f"samples of shape {values.shape} must be (members, {n} rows).")
        at_least_two(len(values), "the array of samples")
        return mixture_of_values(values.T.astype(np.float64), options.noise)
    _refuse(options, "noise", what="one line per row")
    if options.levels is not None:
        return Quantiles(options.levels, values)
    if labels is None:
        raise ValueError(
            f"the function returned an array of shape {values.shape}, which may be probabilities, "
            "samples or quantiles; pass as_predictive(function, classes=[...]), samples=True for "
            "(members, rows), or levels=[...]."
        )
    if values.shape != (n, len(labels)):
        raise ValueError(
            f"the function returned an array of shape {values.shape}, which does not fit {n} rows "
            f"and {len(labels)} classes; if it holds samples or quantiles, pass "
            "as_predictive(function, samples=True) or levels=[...]."
        )
    return Categorical(values, labels)


_EXPECTED = (
    "it may return a distribution, (mean, std), one value per row, probabilities (rows, classes), "
    "samples (members, rows) or samples of probabilities (members, rows, classes)"
)


def _samples_of_probabilities(values: Any, n: int, labels: Labels | None) -> Mixture:
    if labels is None:
        raise ValueError(
            "the function returned samples of probabilities; pass "
            "as_predictive(function, classes=[...]) to name the classes."
        )
    if values.shape[1] != n or values.shape[2] != len(labels):
        raise ValueError(
            f"samples of probabilities of shape {values.shape} must be (members, {n} rows, "
            f"{len(labels)} classes)."
        )
    at_least_two(len(values), "the array of samples")
    return Mixture(Categorical(np.moveaxis(values, 0, 1), labels))


def _refuse(options: Options, *names: str, what: str) -> None:
    for name in options.given():
        if name in names:
            raise ValueError(f"{name} was passed, but the function returned {what}.")
