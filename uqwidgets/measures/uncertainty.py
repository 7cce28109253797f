"""Measures in nats, of classes and numbers alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.measures.measure import Measure, Offers, Truth
from uqwidgets.predictive.distributions import Distribution, Mixture

_NO_MEMBERS = (
    "the model is not read as an ensemble whose members could disagree; pass one that is, such as "
    "as_predictive(forest, members=True) (a Learner takes adapter=lambda model: "
    "as_predictive(model, members=True))"
)


def uncertainty(q: Distribution, nll: Callable[..., Floats], ceiling: float = np.inf) -> Offers:
    """Likelihood loss and entropy, and the two parts of the entropy of an ensemble.

    Parameters
    ----------
    q : Distribution
    nll : callable
        See `Measure.of`.
    ceiling : float, optional
        What it is cut off at.
    """
    apart: Offers = {"aleatoric": _NO_MEMBERS, "epistemic": _NO_MEMBERS}
    if isinstance(q, Mixture):
        apart = {
            "aleatoric": Measure("aleatoric", "aleatoric uncertainty", "nats", _aleatoric),
            "epistemic": Measure("epistemic", "epistemic uncertainty", "nats", _epistemic),
        }
    return {
        "nll": Measure("nll", "likelihood loss (nll)", "nats", nll, ceiling),
        "entropy": Measure("entropy", "entropy", "nats", _entropy),
        **apart,
    }


def _entropy(q: Distribution, _y: Truth) -> Floats:
    return q.entropy()


def _aleatoric(q: Mixture, _y: Truth) -> Floats:
    return q.aleatoric()


def _epistemic(q: Mixture, _y: Truth) -> Floats:
    return q.epistemic()
