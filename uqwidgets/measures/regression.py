"""Measures where the target is a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.measures.measure import NON_NEGATIVE, Family, Measure, Offers, Truth, Use
from uqwidgets.measures.uncertainty import uncertainty
from uqwidgets.predictive.distributions import (
    Counts,
    Distribution,
    InvalidRowError,
    MemberValues,
    Quantiles,
)

_NO_UNCERTAINTY = (
    "the model gives one value per row and no uncertainty; use a model with "
    "predict(X, return_std=True), a function that returns (mean, std), "
    "as_predictive(model, noise=...), for an ensemble as_predictive(model, members=True), or for "
    "probabilities of the second of two classes as_predictive(model, classes=[...]) "
    "(a Learner takes adapter=lambda model: as_predictive(model, ...))"
)
_NO_COUNTS = "it is that of counts, such as uqwidgets.Poisson; use squared_error"
_A_NUMBER = "the target is a number, not a class"


def of_densities(q: Distribution) -> Offers:
    """Measures of a predictive density; values of members and quantiles that coincide have none."""
    return {
        **_of_density(q),
        **_of_prediction("predicted mean"),
        "std": Measure("std", "standard deviation", "", _std, NON_NEGATIVE),
        **_losses(),
        **_of_counts(q),
        "crps": _loss("crps", "CRPS", _crps, shown_with="std"),
        "miscalibration": Measure(
            "miscalibration",
            "share outside the 90 % interval beyond 10 %",
            "",
            _miscalibration,
            (-0.1, 0.9),
            needs_truth=True,
            offered_as=(),
        ),
        "interval_width:<level>": Family(
            "interval_width:0.9",
            "width of the 90 % interval, or interval_width:<level>",
            "",
            interval_width,
        ),
    }


def of_points() -> Offers:
    """Measures of predicted numbers without any uncertainty.

    Their continuous ranked probability score is the absolute error.
    """
    return {
        **dict.fromkeys(
            ("nll", "entropy", "overconfidence", "aleatoric", "epistemic"), _NO_UNCERTAINTY
        ),
        **_of_prediction("prediction"),
        "std": _NO_UNCERTAINTY,
        **_losses(),
        "deviance": _NO_COUNTS,
        "crps": _loss("crps", "CRPS", _crps, offered_as=()),
        "miscalibration": _NO_UNCERTAINTY,
        "interval_width:<level>": _NO_UNCERTAINTY,
    }


def interval_width(level: str) -> Measure:
    """Width of the central interval with this probability.

    Raises
    ------
    ValueError
        If the level is no number between 0 and 1.
    """
    try:
        probability = float(level)
    except ValueError:
        probability = np.nan
    if not 0 < probability < 1:
        raise ValueError(
            f"interval_width has the level {level!r}; give one between 0 and 1, such as "
            "interval_width:0.9."
        )

    def width(q: Distribution, _y: Truth) -> Floats:
        low, high = q.interval(probability)
        return high - low

    return Measure(
        f"interval_width:{probability!r}",
        f"width of the {100 * probability:.6g} % interval",
        "",
        width,
        NON_NEGATIVE,
    )


def _of_density(q: Distribution) -> Offers:
    if isinstance(q, Quantiles):
        return _of_quantiles(q)
    offers = uncertainty(q, _nll)
    if not isinstance(q, MemberValues):
        return offers
    return offers | dict.fromkeys(("nll", "overconfidence"), q.no_likelihood)


def _of_quantiles(q: Quantiles) -> Offers:
    offers = uncertainty(q, _nll)
    try:
        q.entropy()
    except InvalidRowError as error:
        return offers | dict.fromkeys(("nll", "entropy", "overconfidence"), str(error).rstrip("."))
    return offers


def _of_counts(q: Distribution) -> Offers:
    if not isinstance(q, Counts):
        return {"deviance": _NO_COUNTS}
    return {"deviance": _loss("deviance", "deviance", _deviance)}


def _of_prediction(label: str) -> Offers:
    return {
        # Its mean is the indicator "mean".
        "prediction": Measure(
            "prediction",
            label,
            "",
            _prediction,
            is_prediction=True,
            reads_answer=True,
            offered_as=("curve",),
        ),
        "probability:<class>": f"{_A_NUMBER}; use prediction",
    }


def _losses() -> Offers:
    return {
        "squared_error": _loss("squared_error", "squared error", _squared_error, reads_answer=True),
        "absolute_error": _loss(
            "absolute_error", "absolute error", _absolute_error, reads_answer=True
        ),
        **dict.fromkeys(("zero_one", "brier"), f"{_A_NUMBER}; use squared_error or crps"),
    }


def _loss(
    name: str,
    label: str,
    of: Callable[[Distribution, Truth], Floats],
    shown_with: str = "",
    offered_as: tuple[Use, ...] = ("curve", "indicator"),
    *,
    reads_answer: bool = False,
) -> Measure:
    return Measure(
        name,
        label,
        "",
        of,
        NON_NEGATIVE,
        needs_truth=True,
        reads_answer=reads_answer,
        shown_with=shown_with,
        offered_as=offered_as,
    )


def _nll(q: Distribution, y: Truth) -> Floats:
    return -q.log_prob(y)


def _prediction(q: Distribution, _y: Truth) -> Floats:
    return q.mean()


def _squared_error(q: Distribution, y: Truth) -> Floats:
    return np.square(q.mean() - y)


def _absolute_error(q: Distribution, y: Truth) -> Floats:
    return np.abs(q.mean() - y)


def _std(q: Distribution, _y: Truth) -> Floats:
    return q.std()


def _crps(q: Distribution, y: Truth) -> Floats:
    return q.crps(y)


def _deviance(q: Distribution, y: Truth) -> Floats:
    assert isinstance(q, Counts)
    return q.deviance(y)


def _miscalibration(q: Distribution, y: Truth) -> Floats:
    """Whether y is outside the central 90 % interval, minus the 10 % that are expected to be.

    Of counts, the part of the probability of y that is, see `Counts.outside`.
    """
    if isinstance(q, Counts):
        return q.outside(y, 0.9) - 0.1
    low, high = q.interval(0.9)
    return np.asarray(((y < low) | (y > high)) - 0.1, dtype=np.float64)
