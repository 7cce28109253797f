"""Functions, and methods that return a distribution: both are read by what they return."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats.distributions import rv_frozen

from uqwidgets._typing import Labels
from uqwidgets.predictive.adapters import ngboost, skpro
from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    from_library,
    labels_of,
    name_of,
    offers,
)
from uqwidgets.predictive.adapters.conversion import from_frozen
from uqwidgets.predictive.adapters.mixing import at_least_two, mixture_of_values, with_noise
from uqwidgets.predictive.adapters.probabilities import probabilities
from uqwidgets.predictive.base import unmasked
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    Mixture,
    Normal,
    Point,
    Quantiles,
)

_EXPECTED = (
    "it may return a distribution, (mean, std), one value per row, probabilities (rows, classes), "
    "samples (members, rows) or samples of probabilities (members, rows, classes)"
)


def _distribution(answer: Any, classes: Labels | None) -> Distribution | None:
    """Convert a distribution of any library to one of ours; return None for anything else.

    The conversion is exact where we have the same kind. Any other continuous distribution is
    read by its own quantiles, and counts as probabilities of ``classes``, the possible counts.
    """
    if isinstance(answer, Distribution):
        return answer
    if from_library(answer, "ngboost"):
        return ngboost.distribution(answer, classes)
    if from_library(answer, "skpro"):
        return skpro.distribution(answer, classes)
    if isinstance(answer, rv_frozen):
        return from_frozen(answer, classes)
    return None


def _read_method(model: Any, _options: Options, _: Adapt) -> AdaptedModel:
    def distribution_of(X: Any) -> Distribution:
        answer = model.predict_distribution(X)
        q = _distribution(answer, None)
        if q is None:
            raise ValueError(
                f"predict_distribution of {name_of(model)} returned a {type(answer).__name__}; it "
                "must return a distribution, such as uqwidgets.Normal(mean, std)."
            )
        return q

    return AdaptedModel(distribution_of, labels_of(model, None))


def _read_function(model: Any, options: Options, _: Adapt) -> AdaptedModel:
    labels = labels_of(None, options.classes)
    return AdaptedModel(lambda X: read_answer(model(X), len(X), options, labels), labels)


def read_answer(answer: Any, n: int, options: Options, labels: Labels | None) -> Distribution:
    """Read what a function, or the predict of a model without classes, returns for n rows.

    Raises
    ------
    ValueError
        If it cannot be read; the sentence says what it may be.
    """
    q = _distribution(answer, labels)
    if q is None and isinstance(answer, tuple) and len(answer) == 2:
        q = Normal(*answer)
    if q is not None:
        others = ("noise", "levels", "samples", "normalize")
        _refuse(options, *others, returned=f"a {type(q).__name__}")
        return q
    # A copy: the function may write to its array again.
    # The rows of samples are columns.
    labelled_columns = options.samples and isinstance(answer, pd.DataFrame)
    values = np.array(unmasked(answer.T).T if labelled_columns else unmasked(answer))
    if not options.samples and options.levels is None and values.shape in ((n,), (n, 1)):
        if labels is not None and _is_of_second(values, labels, options):
            return probabilities(values, labels, options)
        values = values.reshape(n)
    if values.ndim == 1:
        _refuse(options, "levels", "samples", "normalize", returned="one value per row")
        return Point(values) if options.noise is None else with_noise(values, options.noise)
    if values.ndim == 3:
        _refuse(options, "noise", "levels", returned="samples of probabilities")
        return _samples_of_probabilities(values, n, labels)
    if values.ndim != 2:
        raise ValueError(f"the function returned an array of shape {values.shape}; {_EXPECTED}.")
    if options.samples:
        if values.shape[1] != n:
            raise ValueError(f"samples of shape {values.shape} must be (members, {n} rows).")
        at_least_two(len(values), "the array of samples")
        samples = values.astype(np.float64)
        if options.noise is None:  # samples of the target itself
            return Mixture.from_samples(samples)
        return mixture_of_values(samples.T, options.noise)
    _refuse(options, "noise", returned="one line per row")
    if options.levels is not None:
        return Quantiles(options.levels, values)
    return _all_probabilities(values, n, labels, options)


def _is_of_second(values: npt.NDArray[Any], labels: Labels, options: Options) -> bool:
    """Whether one number for each row is the probability of the second of two labels.

    Numbers that are labels themselves are not, unless the labels are 0 and 1, where both readings
    agree. Where the labels are those of a target of numbers, shape (n,) is a regression.
    """
    if len(labels) != 2 or values.dtype.kind != "f" or options.noise is not None:
        return False
    if labels.dtype.kind not in "biuf":
        return True
    if options.of_target:
        return values.ndim == 2
    return set(labels.tolist()) == {0, 1} or not np.isin(values, labels).all()


def _all_probabilities(values: Any, n: int, labels: Labels | None, options: Options) -> Categorical:
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
            "as_predictive(function, samples=True) or levels=[...], and if it predicts several "
            "targets, return one of them."
        )
    return probabilities(values, labels, options)


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


def _refuse(options: Options, *names: str, returned: str) -> None:
    for name in options.passed():
        if name in names:
            raise ValueError(
                f"{name} was passed, but the function returned {returned}; leave {name} out."
            )


PREDICT_DISTRIBUTION = Adapter(lambda model, _: offers(model, "predict_distribution"), _read_method)
FUNCTION = Adapter(
    lambda model, _: callable(model) and not offers(model, "predict"),
    _read_function,
    options=("classes", "noise", "levels", "samples", "normalize"),
    reason="a function has no members",
)
