"""What a page may request: everything together takes at most an hour, as far as that is known."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import log2
from typing import Any

from uqwidgets.evaluation.replacement import Draws, checked_scheme
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.curve_form import N_VALUES, curve_grid
from uqwidgets.widgets.inputs.inputs import Inputs, inputs_of

#: Longest work that a message may request, in seconds; Python may request more.
MOST_SECONDS = 3600.0
# Points of a small curve, drawn coarsely and then finely; of a surface with its curves, and where
# that takes more than so many seconds.
_OF_SMALL_CURVE, _OF_SURFACE, _OF_COARSE_SURFACE, _LONG = 9 + 17, 15**2 + 2 * 15, 7**2 + 2 * 7, 5.0
# Seconds of a measure or scorer for a row of a repeat.
_OF_VALUE = 2e-7
# Seconds of the forests of redundancy for n log2(n) p^2 of n rows and p features.
_OF_FORESTS = 6e-6
#: The inputs that decide how long the work takes.
DEAR = (
    "shown_model",
    "views",
    "feature",
    "small_curves",
    "second",
    "n_repeats",
    "importance_of",
    "replacement",
    "grouped",
    "redundancy",
    "compare_with",
)


def refusal(present: Inputs, values: Mapping[str, Any], explainer: Explainer) -> dict[str, str]:
    """Say which values of a message are refused, because the work would take too long.

    Parameters
    ----------
    present : Inputs
    values : mapping
        In plain form, by the names of inputs; each is valid.
    explainer : Explainer

    Returns
    -------
    dict of str to str
        The same sentence for each input that is dear; empty where the work may be done.
    """
    plain = present.plain()
    dear = [name for name in DEAR if name in values and values[name] != plain[name]]
    if not dear:
        return {}
    inputs = inputs_of({**plain, **values}, explainer)
    parts = _seconds(inputs, present, explainer)
    total = sum(parts.values())
    if total <= MOST_SECONDS:
        return {}
    longest = sorted(parts.items(), key=lambda part: -part[1])
    why = ", ".join(f"{of} {seconds / 3600:.1f}" for of, seconds in longest if seconds > 60)
    names = " and ".join(filter(None, [", ".join(dear[:-1]), dear[-1]]))
    sentence = (
        f"the kernel would work for {total / 3600:.1f} hours ({why}); a page may request one hour, "
        f"so choose less, or set {names} in Python."
    )
    return dict.fromkeys(dear, sentence)


def _seconds(inputs: Inputs, present: Inputs, explainer: Explainer) -> dict[str, float]:
    """Estimate the seconds of each part of the work that is new.

    What was requested before is not counted again: while a slow model works for hours because
    Python asked for that, a page can ask for a curve.
    """
    table, evaluations = explainer.table, explainer.evaluations
    n, p = len(table), len(explainer.features)
    parts = {}

    def is_new(view: str, *names: str) -> bool:
        names = ("shown_model", "views", *names)
        is_changed = any(getattr(inputs, name) != getattr(present, name) for name in names)
        return inputs.shows(view) and is_changed

    if is_new("importance", "n_repeats", "replacement", "grouped"):
        repeats = Draws(checked_scheme(inputs.replacement), inputs.n_repeats, explainer.seed)
        parts["importance"] = p * evaluations.seconds(repeats.replacements(table, (0,)))
    if is_new("importance", "n_repeats", "replacement", "grouped", "importance_of"):
        n_values = inputs.n_repeats * p * n * max(2, len(inputs.importance_of))
        parts["measures"] = n_values * _OF_VALUE
    if inputs.redundancy and is_new("importance", "redundancy", "grouped"):
        parts["redundancy"] = _OF_FORESTS * n * log2(n + 1) * p**2
    if inputs.feature and is_new("dependence", "feature", "spacing"):
        with suppress(ValueError):  # without a curve
            parts["curve"] = evaluations.seconds(curve_grid(table, inputs).replacements)
    if is_new("small_curves", "small_curves", "spacing"):
        n_rows = min(inputs.small_curves, p) * _OF_SMALL_CURVE * n
        parts["small curves"] = evaluations.seconds_for(n_rows)
    if inputs.second and is_new("surface", "second", "feature"):
        fine, coarse = (evaluations.seconds_for(k * n) for k in (_OF_SURFACE, _OF_COARSE_SURFACE))
        parts["surface"] = coarse if fine > _LONG else fine
    if inputs.compare_with.startswith("model:") and is_new(
        "comparison", "compare_with", "n_repeats"
    ):
        # As if the other model were as quick as this one.
        parts["other model"] = evaluations.seconds_for((inputs.n_repeats * p + N_VALUES) * n)
    return parts
