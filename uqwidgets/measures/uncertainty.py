"""Measures in nats, which classes and numbers have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqwidgets._typing import Floats, Range
from uqwidgets.measures.measure import NON_NEGATIVE, UNBOUNDED, Measure, Offers, Truth
from uqwidgets.predictive.distributions import Distribution, Mixture

_NO_MEMBERS = (
    "the model is not read as an ensemble whose members could disagree; pass one that is, such as "
    "as_predictive(forest, members=True) (a Learner takes adapter=lambda model: "
    "as_predictive(model, members=True))"
)


def uncertainty(q: Distribution, nll: Callable[..., Floats], ceiling: float = np.inf) -> Offers:
    r"""Negative log-likelihood, entropy, and the two parts of the entropy of an ensemble.

    For a row with the predictive distribution q, :math:`-\log q(y)` and
    :math:`-\int q \log q` (Wood et al. 2024, section 3). With members :math:`q_m` the entropy of
    their mixture is the sum of the mean entropy of the members (aleatoric) and the rest
    (epistemic), which is never negative. The entropy is the mean negative log-likelihood that the
    model itself expects, so the difference of both, ``overconfidence``, has the mean 0 where its
    distributions are right.

    Parameters
    ----------
    q : Distribution
    nll : callable
        See `Measure.of`.
    ceiling : float, optional
        Value at which the negative log-likelihood is cut off.
    """
    # Probabilities of k classes have an entropy of at most log k; densities have no limits.
    nll_bounds, entropy_bounds, epistemic_bounds = UNBOUNDED, UNBOUNDED, NON_NEGATIVE
    if q.classes is not None:
        nll_bounds = NON_NEGATIVE
        entropy_bounds = epistemic_bounds = 0.0, float(np.log(len(q.classes)))
    return {
        "nll": Measure(
            "nll",
            "likelihood loss (nll)",
            "nats",
            nll,
            nll_bounds,
            needs_truth=True,
            shown_with="entropy",
            ceiling=ceiling,
        ),
        "entropy": Measure("entropy", "entropy", "nats", _entropy, entropy_bounds),
        "overconfidence": Measure(
            "overconfidence",
            "loss beyond the expected (nll minus entropy)",
            "nats",
            lambda q, y: nll(q, y) - q.entropy(),
            needs_truth=True,
            offered_as=(),
        ),
        **_parts_of_entropy(q, entropy_bounds, epistemic_bounds),
    }


def _parts_of_entropy(q: Distribution, aleatoric: Range, epistemic: Range) -> Offers:
    if not isinstance(q, Mixture):
        return {"aleatoric": _NO_MEMBERS, "epistemic": _NO_MEMBERS}
    return {
        "aleatoric": Measure("aleatoric", "aleatoric uncertainty", "nats", _aleatoric, aleatoric),
        "epistemic": Measure("epistemic", "epistemic uncertainty", "nats", _epistemic, epistemic),
    }


def _entropy(q: Distribution, _y: Truth) -> Floats:
    return q.entropy()


def _aleatoric(q: Mixture, _y: Truth) -> Floats:
    return q.aleatoric()


def _epistemic(q: Mixture, _y: Truth) -> Floats:
    return q.epistemic()
