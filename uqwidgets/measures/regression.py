"""Measures where the target is a number."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.measures.measure import Family, Measure, Offers, Truth
from uqwidgets.measures.uncertainty import uncertainty
from uqwidgets.predictive.distributions import Distribution, InvalidRowError, Quantiles

_NO_UNCERTAINTY = (
    "the model gives one value per row and no uncertainty; use a model with "
    "predict(X, return_std=True), a function that returns (mean, std), "
    "as_predictive(model, noise=...), or for an ensemble as_predictive(model, members=True) "
    "(a Learner takes adapter=lambda model: as_predictive(model, ...))"
)
_A_NUMBER = "the target is a number, not a class"


def of_densities(q: Distribution) -> Offers:
    """Measures of a predictive density; of quantiles that coincide there is none."""
    return {
        **(_of_quantiles(q) if isinstance(q, Quantiles) else uncertainty(q, _nll)),
        **_of_means("predicted mean"),
        "std": Measure("std", "standard deviation", "", _std),
        "crps": Measure("crps", "CRPS", "", _crps),
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
        **dict.fromkeys(("nll", "entropy", "aleatoric", "epistemic"), _NO_UNCERTAINTY),
        **_of_means("prediction"),
        "std": _NO_UNCERTAINTY,
        "crps": Measure("crps", "CRPS", "", _crps, same_as="absolute_error"),
        "interval_width:<level>": _NO_UNCERTAINTY,
    }


def interval_width(level: str) -> Measure:
    """Width of the central interval that holds this share of the probability.

    Raises
    ------
    ValueError
        If the level is no number between 0 and 1.
    """
    try:
        share = float(level)
    except ValueError:
        share = np.nan
    if not 0 < share < 1:
        raise ValueError(
            f"interval_width has the level {level!r}; give one between 0 and 1, such as "
            "interval_width:0.9."
        )

    def width(q: Distribution, _y: Truth) -> Floats:
        low, high = q.interval(share)
        return high - low

    return Measure(
        f"interval_width:{share!r}", f"width of the {100 * share:.6g} % interval", "", width
    )


def _of_quantiles(q: Quantiles) -> Offers:
    found = uncertainty(q, _nll)
    try:
        q.entropy()
    except InvalidRowError as error:
        return found | dict.fromkeys(("nll", "entropy"), str(error).rstrip("."))
    return found


def _of_means(label: str) -> Offers:
    return {
        "prediction": Measure("prediction", label, "", _prediction),
        "squared_error": Measure("squared_error", "squared error", "", _squared_error),
        "absolute_error": Measure("absolute_error", "absolute error", "", _absolute_error),
        **dict.fromkeys(("zero_one", "brier"), f"{_A_NUMBER}; use squared_error or crps"),
        "probability:<class>": f"{_A_NUMBER}; use prediction",
    }


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
