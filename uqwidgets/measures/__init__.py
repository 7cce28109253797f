"""Per-row measures: numbers read off a predictive distribution and, where needed, the true y."""

from __future__ import annotations

from collections.abc import Iterator

from uqwidgets._utils.choices import unknown
from uqwidgets.measures.classification import NLL_CEILING, of_labels, of_probabilities
from uqwidgets.measures.custom import Function, given
from uqwidgets.measures.measure import Family, Measure, Offers, Truth
from uqwidgets.measures.regression import of_densities, of_points
from uqwidgets.metrics import is_metric
from uqwidgets.predictive.distributions import Distribution, Point

__all__ = [
    "NLL_CEILING",
    "Family",
    "Function",
    "Measure",
    "Offers",
    "Truth",
    "available",
    "described",
    "find",
    "look_up",
]

# In which they are shown.
_ORDER = (
    *("nll", "entropy", "aleatoric", "epistemic", "prediction", "probability", "std"),
    *("squared_error", "absolute_error", "zero_one", "brier", "crps", "interval_width"),
)


def available(q: Distribution, classifier: bool) -> Offers:
    """Every measure by name, or the reason why this kind of distribution does not give it.

    Parameters
    ----------
    q : Distribution
        An answer of the model; only its kind and classes matter.
    classifier : bool
        Whether the target is a class.
    """
    if isinstance(q, Point):
        found = of_labels() if classifier else of_points()
    else:
        found = of_densities(q) if q.classes is None else of_probabilities(q)
    return dict(sorted(found.items(), key=lambda one: _place(one[0].partition(":")[0])))


def _place(name: str) -> int:
    """Place of a measure in a list; those that `_ORDER` does not name come last."""
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def described(offered: Offers) -> Iterator[tuple[str, Measure | Family | str]]:
    """Every name that can be asked for as it is, of a family one, and those that cannot."""
    for name, one in offered.items():
        yield one.example if isinstance(one, Family) else name, one


def find(wanted: str | Function, offered: Offers) -> Measure:
    """Return the measure of this name, or of this function.

    Parameters
    ----------
    wanted : str or callable
        A function of ``(distribution, y)``, y being the target's own labels, that returns one
        number per row; or a name among those offered.
    offered : dict
        See `available`.

    Raises
    ------
    ValueError
        If there is none, or this model does not give it; the message says why.
    TypeError
        If it is neither a name nor a function.
    """
    if is_metric(wanted):
        raise ValueError(f"{wanted!r} is a metric of all rows together, not a measure of each.")
    if callable(wanted):
        return given(wanted)
    if not isinstance(wanted, str):
        raise TypeError(f"measure is {wanted!r}; give a name or a function of (distribution, y).")
    found = look_up(wanted, offered)
    if isinstance(found, Measure):
        return found
    if isinstance(found, Family):
        raise ValueError(f"measure {wanted!r} lacks a number, as in {found.example}.")
    if found is not None:
        raise ValueError(f"measure {wanted!r} is not available: {found}.")
    allowed = [name for name, one in described(offered) if not isinstance(one, str)]
    raise ValueError(unknown("measure", wanted, allowed))


def look_up(name: str, offered: Offers) -> Measure | Family | str | None:
    """Return what is offered under a name, of a family the member; None if there is nothing."""
    if name in offered:
        return offered[name]
    kind, _, parameter = name.partition(":")
    family = offered.get(next((key for key in offered if key.startswith(f"{kind}:<")), ""))
    return family.member(parameter) if isinstance(family, Family) and parameter else family
