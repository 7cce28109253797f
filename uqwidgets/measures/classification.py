"""Measures where the target is a class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.measures.measure import (
    NON_NEGATIVE,
    UNIT_INTERVAL,
    Family,
    Measure,
    Offers,
    Truth,
    Use,
)
from uqwidgets.measures.uncertainty import uncertainty
from uqwidgets.predictive.distributions import Categorical, Mixture, Point, positive_position

# The nll of the machine epsilon. An observed class of probability 0 has an infinite nll, which
# would dominate every mean: it is cut off here, as in scikit-learn's log_loss, and the result
# says in how many rows.
NLL_CEILING = float(-np.log(np.finfo(np.float64).eps))

Classes = Categorical | Mixture

_LABELS_ONLY = "the model gives class labels only; use a model with predict_proba"
_OF_UNCERTAINTY = "nll", "entropy", "overconfidence", "aleatoric", "epistemic", "miscalibration"
_A_CLASS = "the target is a class, not a number"


def probability_of(label: str) -> str:
    """Return the name of the measure that is the probability of a class."""
    return f"probability:{label}"


def class_of(measure: str) -> str | None:
    """Return the class whose probability a measure is, by its name; None for other measures."""
    label = measure.removeprefix(probability_of(""))
    return label if probability_of(label) == measure else None


def of_probabilities(q: Classes) -> Offers:
    """Measures of probabilities of classes."""
    assert q.classes is not None
    classes = [str(c) for c in q.classes.tolist()]
    binary = len(classes) == 2
    several = f"{len(classes)} classes have no single probability; use probability:<class>"
    positive = positive_position(q.classes) if binary else 0
    of_positive = f"probability of {classes[positive]}"
    # Of two classes, the curve of one probability determines the other, and the means of both are
    # indicators already.
    prediction: Measure | str = several
    if binary:
        prediction = _prediction("prediction", of_positive, positive, offered_as=("curve",))
    use: tuple[Use, ...] = ("indicator",) if binary else ("curve", "indicator")
    return {
        **uncertainty(q, _nll, NLL_CEILING),
        "miscalibration": Measure(
            "miscalibration",
            "confidence beyond the share of hits",
            "",
            _miscalibration,
            (-1.0, 1.0),
            needs_truth=True,
            offered_as=(),
        ),
        "prediction": prediction,
        **{
            probability_of(label): _prediction(
                probability_of(label), f"probability of {label}", column, use
            )
            for column, label in enumerate(classes)
        },
        **_margins(classes),
        "std": f"{_A_CLASS}; use entropy, which is of classes too",
        "squared_error": _squared_error_of(of_positive) if binary else f"{several}, or brier",
        "absolute_error": f"{_A_CLASS}; use brier or zero_one",
        "zero_one": _zero_one(_misclassified),
        "brier": _brier_score(_squared_error if binary else _brier),
        "crps": f"{_A_CLASS}; use brier or zero_one",
        "interval_width:<level>": f"{_A_CLASS}; use entropy, which is of classes too",
    }


def margin_of(first: str, second: str) -> str:
    """Return the name of the measure that is the log-odds of one class against another."""
    return f"margin:{first}:{second}"


def _margins(classes: list[str]) -> Offers:
    """Return the log-odds of all pairs of classes; none of a single class."""
    if len(classes) < 2:
        return {}

    def member(parameter: str) -> Measure:
        for i, first in enumerate(classes):
            for j, second in enumerate(classes):
                if i != j and parameter == f"{first}:{second}":
                    return _margin(classes, i, j)
        example = margin_of(classes[0], classes[1])
        raise ValueError(
            f"margin is of {parameter!r}; name two different classes, as in {example!r}."
        )

    label = "log-odds of two classes"
    return {"margin:<a>:<b>": Family(margin_of(classes[0], classes[1]), label, "", member)}


def _margin(classes: list[str], first: int, second: int) -> Measure:
    r"""Log-odds of one class against another, :math:`\log p_a - \log p_b`.

    What speaks for one of both, whatever the model says of the others: a constant added to both
    scores of a softmax leaves it the same. A probability of 0 is cut off as in nll.
    """

    def of(q: Classes, _y: Truth) -> Floats:
        p = q.probabilities
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(p[:, [first, second]]), -NLL_CEILING)
        return np.asarray(np.clip(logs[:, 0] - logs[:, 1], -NLL_CEILING, NLL_CEILING))

    return Measure(
        margin_of(classes[first], classes[second]),
        f"log-odds of {classes[first]} against {classes[second]}",
        "",
        of,
        (-NLL_CEILING, NLL_CEILING),
        is_prediction=True,
        offered_as=(),
        ceiling=NLL_CEILING,
    )


def of_labels() -> Offers:
    """Measures of predicted labels."""
    no_spread = f"{_A_CLASS}; use a model with predict_proba for entropy"
    return {
        **dict.fromkeys(_OF_UNCERTAINTY, _LABELS_ONLY),
        **dict.fromkeys(("prediction", "probability:<class>"), _LABELS_ONLY),
        "margin:<a>:<b>": _LABELS_ONLY,
        "std": no_spread,
        "squared_error": _LABELS_ONLY,
        "absolute_error": f"{_A_CLASS}; use zero_one",
        "zero_one": _zero_one(_mislabelled),
        "brier": _LABELS_ONLY,
        "crps": f"{_A_CLASS}; use zero_one",
        "interval_width:<level>": no_spread,
    }


def _prediction(name: str, label: str, column: int, offered_as: tuple[Use, ...]) -> Measure:
    return Measure(
        name,
        label,
        "",
        _probability(column),
        UNIT_INTERVAL,
        is_prediction=True,
        offered_as=offered_as,
    )


def _squared_error_of(label: str) -> Measure:
    """Squared error of the probability of the positive class, which is the Brier score of two."""
    return Measure(
        "squared_error",
        f"squared error of {label}",
        "",
        _squared_error,
        NON_NEGATIVE,
        needs_truth=True,
        offered_as=(),
    )


def _zero_one(of: Callable[..., Floats]) -> Measure:
    # Its mean is the indicator "error_rate".
    return Measure(
        "zero_one",
        "misclassified",
        "",
        of,
        UNIT_INTERVAL,
        needs_truth=True,
        reads_answer=True,
        offered_as=("curve",),
    )


def _brier_score(of: Callable[[Classes, Truth], Floats]) -> Measure:
    """Brier score (Brier 1950).

    That of two classes is the squared error of the probability of one, from 0 to 1; that of more
    is the sum of the squared errors of all probabilities, from 0 to 2, as in
    `sklearn.metrics.brier_score_loss`.
    """
    return Measure("brier", "Brier score", "", of, NON_NEGATIVE, needs_truth=True)


def _nll(q: Classes, y: Truth) -> Floats:
    return np.minimum(-q.log_prob_of_codes(y), NLL_CEILING)


def _miscalibration(q: Classes, y: Truth) -> Floats:
    """Probability of the most probable class minus whether it is the true one (Guo et al. 2017)."""
    return np.asarray(q.probabilities.max(axis=1) - (q.mode() == y))


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
