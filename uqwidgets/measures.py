"""Per-row measures: numbers read off a predictive distribution and, where needed, the true y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.names import unknown
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    Floats,
    Mixture,
    Normal,
    Point,
)

# The smallest probability that double precision tells from zero beside one. An observed class
# of probability 0 has an infinite nll, which would hide every other row: it is floored here,
# as scikit-learn's log_loss does, and the result says in how many rows.
NLL_CEILING = float(-np.log(np.finfo(np.float64).eps))

Truth = npt.NDArray[Any]


@dataclass(frozen=True)
class Measure:
    """A named number per row.

    Attributes
    ----------
    name : str
        As it is asked for.
    label : str
        As it is shown.
    unit : str
        ``"nats"``, or empty where it depends on the target.
    of : callable
        ``of(distribution, y)`` of shape (n,). ``y`` holds class positions where
        the distribution has classes, the target's own values otherwise.
    ceiling : float
        What values are cut off at.
    """

    name: str
    label: str
    unit: str
    of: Callable[[Any, Truth], Floats]
    ceiling: float = np.inf


def _nll_categorical(q: Categorical | Mixture, y: Truth) -> Floats:
    return np.minimum(-q.log_prob_of_codes(y), NLL_CEILING)


def _nll_density(q: Normal | Mixture, y: Truth) -> Floats:
    return -q.log_prob(y)


def _entropy(q: Distribution, _y: Truth) -> Floats:
    return q.entropy()


def _prediction_categorical(q: Categorical | Mixture, _y: Truth) -> Floats:
    return q.probabilities[:, 1]


def _prediction(q: Distribution, _y: Truth) -> Floats:
    return q.mean()


def _squared_error(q: Distribution, y: Truth) -> Floats:
    return np.square(q.mean() - y)


def _squared_error_binary(q: Categorical | Mixture, y: Truth) -> Floats:
    return np.square(q.probabilities[:, 1] - y)


def _zero_one(q: Categorical | Mixture, y: Truth) -> Floats:
    return np.asarray(q.mode() != y, dtype=np.float64)


def _zero_one_labels(q: Point, y: Truth) -> Floats:
    return np.asarray(q.value != y, dtype=np.float64)


def _probability(column: int) -> Callable[[Any, Truth], Floats]:
    return lambda q, _: q.probabilities[:, column]


_NLL = "likelihood loss (nll)"
_NO_UNCERTAINTY = (
    "the model gives one value per row and no uncertainty; use a model with predict_proba or "
    "predict(X, return_std=True), or pass a function that returns (mean, std)"
)
_A_NUMBER = "the target is a number, not a class; use squared_error"


def available(q: Distribution, classifier: bool) -> dict[str, Measure | str]:
    """Every measure by name, or the reason why this kind of distribution does not give it.

    Parameters
    ----------
    q : Distribution
        An answer of the model; only its kind and classes matter.
    classifier : bool
        Whether the target is a class.
    """
    if q.classes is not None:
        return _of_categorical([str(c) for c in q.classes.tolist()])
    if not isinstance(q, Point):
        return {
            "nll": Measure("nll", _NLL, "nats", _nll_density),
            "entropy": Measure("entropy", "entropy", "nats", _entropy),
            "prediction": Measure("prediction", "predicted mean", "", _prediction),
            "squared_error": Measure("squared_error", "squared error", "", _squared_error),
            "zero_one": _A_NUMBER,
        }
    if classifier:
        only = "the model gives class labels only; use a model with predict_proba"
        return {
            **dict.fromkeys(("nll", "entropy", "prediction", "squared_error"), only),
            "zero_one": Measure("zero_one", "misclassified", "", _zero_one_labels),
        }
    return {
        "nll": _NO_UNCERTAINTY,
        "entropy": _NO_UNCERTAINTY,
        "prediction": Measure("prediction", "prediction", "", _prediction),
        "squared_error": Measure("squared_error", "squared error", "", _squared_error),
        "zero_one": _A_NUMBER,
    }


def _of_categorical(classes: list[str]) -> dict[str, Measure | str]:
    several = f"{len(classes)} classes have no single probability; use probability:<class>"
    found: dict[str, Measure | str] = {
        "nll": Measure("nll", _NLL, "nats", _nll_categorical, NLL_CEILING),
        "entropy": Measure("entropy", "entropy", "nats", _entropy),
        "prediction": several,
        "squared_error": several,
        "zero_one": Measure("zero_one", "misclassified", "", _zero_one),
    }
    if len(classes) == 2:
        label = f"probability of {classes[1]}"
        found["prediction"] = Measure("prediction", label, "", _prediction_categorical)
        found["squared_error"] = Measure(
            "squared_error", f"squared error of {label}", "", _squared_error_binary
        )
    for column, name in enumerate(classes):
        full = f"probability:{name}"
        found[full] = Measure(full, f"probability of {name}", "", _probability(column))
    return found


def find(name: str, offered: dict[str, Measure | str]) -> Measure:
    """Return the measure of this name.

    Raises
    ------
    ValueError
        If there is none, or this model does not give it; the message says why.
    """
    found = offered.get(name)
    if isinstance(found, Measure):
        return found
    if found is not None:
        raise ValueError(f"measure {name!r} is not available: {found}.")
    allowed = [key for key, measure in offered.items() if isinstance(measure, Measure)]
    raise ValueError(unknown("measure", name, allowed))
