"""Measures where the target is a class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.measures.measure import Measure, Offers, Truth
from uqwidgets.measures.uncertainty import uncertainty
from uqwidgets.predictive.distributions import Categorical, Mixture, Point

# The smallest probability that double precision tells from zero beside one. An observed class
# of probability 0 has an infinite nll, which would hide every other row: it is floored here,
# as scikit-learn's log_loss does, and the result says in how many rows.
NLL_CEILING = float(-np.log(np.finfo(np.float64).eps))

Classes = Categorical | Mixture

_LABELS_ONLY = "the model gives class labels only; use a model with predict_proba"


def of_probabilities(q: Classes) -> Offers:
    """Measures of probabilities of classes."""
    assert q.classes is not None
    classes = [str(c) for c in q.classes.tolist()]
    found: Offers = {
        **uncertainty(q, _nll, NLL_CEILING),
        "zero_one": Measure("zero_one", "misclassified", "", _misclassified),
        **_no_number("use entropy, which is of classes too", "use brier or zero_one"),
        **(_of_two(classes[1]) if len(classes) == 2 else _of_several(len(classes))),
    }
    for column, label in enumerate(classes):
        name = f"probability:{label}"
        found[name] = Measure(name, f"probability of {label}", "", _probability(column))
    return found


def _of_two(label: str) -> Offers:
    """Measures that look at the second of two classes.

    The Brier score of two classes is the squared error of the probability of one, from 0 to 1;
    that of more is the squared error of all probabilities added up, from 0 to 2 (Brier 1950).
    So does `sklearn.metrics.brier_score_loss`.
    """
    name = f"probability of {label}"
    return {
        "prediction": Measure("prediction", name, "", _probability(1)),
        "brier": Measure("brier", "Brier score", "", _squared_error),
        "squared_error": Measure(
            "squared_error", f"squared error of {name}", "", _squared_error, same_as="brier"
        ),
    }


def _of_several(count: int) -> Offers:
    several = f"{count} classes have no single probability; use probability:<class>"
    return {
        "prediction": several,
        "brier": Measure("brier", "Brier score", "", _brier),
        "squared_error": f"{several}, or brier",
    }


def of_labels() -> Offers:
    """Measures of predicted labels."""
    needed = ("nll", "entropy", "aleatoric", "epistemic", "prediction", "squared_error", "brier")
    return {
        **dict.fromkeys((*needed, "probability:<class>"), _LABELS_ONLY),
        "zero_one": Measure("zero_one", "misclassified", "", _mislabelled),
        **_no_number("use a model with predict_proba for entropy", "use zero_one"),
    }


def _no_number(spread: str, loss: str) -> Offers:
    a_class = "the target is a class, not a number"
    return {
        **dict.fromkeys(("std", "interval_width:<level>"), f"{a_class}; {spread}"),
        **dict.fromkeys(("absolute_error", "crps"), f"{a_class}; {loss}"),
    }


def _nll(q: Classes, y: Truth) -> Floats:
    return np.minimum(-q.log_prob_of_codes(y), NLL_CEILING)


def _probability(column: int) -> Callable[[Classes, Truth], Floats]:
    return lambda q, _: q.probabilities[:, column]


def _squared_error(q: Classes, y: Truth) -> Floats:
    return np.square(q.probabilities[:, 1] - y)


def _brier(q: Classes, y: Truth) -> Floats:
    return q.brier_of_codes(y)


def _misclassified(q: Classes, y: Truth) -> Floats:
    return np.asarray(q.mode() != y, dtype=np.float64)


def _mislabelled(q: Point, y: Truth) -> Floats:
    return np.asarray(q.value != y, dtype=np.float64)
