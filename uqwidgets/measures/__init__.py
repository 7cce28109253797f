"""Per-row measures: a number of each predictive distribution and, for losses, of the true y."""

from __future__ import annotations

from collections.abc import Iterator

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.options import brief
from uqwidgets._utils.packages import from_packages
from uqwidgets.measures.classification import (
    NLL_CEILING,
    class_of,
    margin_of,
    of_labels,
    of_probabilities,
    probability_of,
)
from uqwidgets.measures.custom import Function, of_function
from uqwidgets.measures.measure import (
    NON_NEGATIVE,
    UNBOUNDED,
    UNIT_INTERVAL,
    UNKNOWN_TRUTH,
    Family,
    Measure,
    Offers,
    Truth,
)
from uqwidgets.measures.regression import of_densities, of_points
from uqwidgets.metrics import is_metric
from uqwidgets.predictive.distributions import Distribution, Point

__all__ = [
    "NLL_CEILING",
    "NON_NEGATIVE",
    "UNBOUNDED",
    "UNIT_INTERVAL",
    "UNKNOWN_TRUTH",
    "Family",
    "Function",
    "Measure",
    "Offers",
    "Truth",
    "available",
    "class_of",
    "described",
    "find",
    "look_up",
    "margin_of",
    "probability_of",
]

_NEEDS_TRUTH = "it needs y; pass y to Explainer"


def available(q: Distribution, classifier: bool, with_truth: bool = True) -> Offers:
    """Every measure by name, or the reason why this kind of distribution does not give it.

    They are in the order in which they are declared, which is that of lists.

    Parameters
    ----------
    q : Distribution
        A prediction of the model; only its kind and classes matter.
    classifier : bool
        Whether the target is a class.
    with_truth : bool, default=True
        Whether the true target is known; without it, no measure that needs it is available.
    """
    if isinstance(q, Point):
        offers = of_labels() if classifier else of_points()
    else:
        offers = of_densities(q) if q.classes is None else of_probabilities(q)
    # A name of another package never stands for a measure of this one.
    offers = {name: offer(q) for name, offer in from_packages("measures").items()} | offers
    if with_truth:
        return offers
    return {
        name: _NEEDS_TRUTH if isinstance(offer, Measure) and offer.needs_truth else offer
        for name, offer in offers.items()
    }


def described(offers: Offers) -> Iterator[tuple[str, Measure | Family | str]]:
    """Every name of a measure, a family by its example, and the reasons for those not available."""
    for name, offer in offers.items():
        yield offer.example if isinstance(offer, Family) else name, offer


def find(measure: str | Function, offers: Offers) -> Measure:
    """Return the measure of this name, or of this function.

    Parameters
    ----------
    measure : str or callable
        A function of ``(distribution, y)``, y being the target's own labels, that returns one
        number per row; or one of the names in ``offers``.
    offers : dict
        See `available`.

    Raises
    ------
    ValueError
        If there is none, or this model does not give it; the message says why.
    TypeError
        If it is neither a name nor a function.
    """
    if is_metric(measure):
        raise ValueError(
            f"{measure!r} is a metric of all rows together, not a measure of each; name one of "
            "Explainer.measures."
        )
    if callable(measure):
        return of_function(measure)
    if not isinstance(measure, str):
        raise TypeError(
            f"measure is {brief(measure)}; give one name, scorer or function of (distribution, y), "
            "and call again for another one."
        )
    offer = look_up(measure, offers)
    if isinstance(offer, Measure):
        return offer
    if isinstance(offer, Family):
        raise ValueError(f"measure {measure!r} lacks its parameter, as in {offer.example}.")
    names = [name for name, one in described(offers) if not isinstance(one, str)]
    if offer is not None:
        others = f"; this model has {', '.join(map(repr, names[:4]))}" if names else ""
        raise ValueError(f"measure {measure!r} is not available: {offer}{others}.")
    raise ValueError(unknown("measure", measure, names))


def look_up(name: str, offers: Offers) -> Measure | Family | str | None:
    """Return the offer of this name, the member of a family if it has one; None without offer."""
    if name in offers:
        return offers[name]
    prefix, _, parameter = name.partition(":")
    family = offers.get(next((key for key in offers if key.startswith(f"{prefix}:<")), ""))
    return family.member(parameter) if isinstance(family, Family) and parameter else family
