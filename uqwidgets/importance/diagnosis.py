"""Likelihood and entropy importance, read together."""

from __future__ import annotations

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.result import Importance

_WORSE = {
    "positive": "predictions get worse",
    "zero": "predictions get no worse",
    "negative": "predictions get better",
    "undecided": "it is undecided whether predictions get worse",
}
_LESS_SURE = {
    "positive": "the model is less sure",
    "zero": "the model is as sure as before",
    "negative": "the model is surer",
    "undecided": "it is undecided whether the model is less sure",
}
_SHARED = ("positive", "positive")
_INDEPENDENT = ("positive", "zero")
# What the signs of likelihood and entropy importance say together (Wood et al. 2024, section 3.4):
# the likelihood knows the target; the entropy knows how sure the model is, which it is where
# features agree.
_READINGS = {
    _SHARED: (
        "shares information",
        "other features tell of the target what it tells, and may hide a part of its importance",
    ),
    _INDEPENDENT: (
        "informative, independent",
        "it likely tells what no other feature does, and its importance is its own (in single "
        "rows the model may still be more or less sure)",
    ),
    ("positive", "negative"): (
        "informative, falsely sure",
        "the model does not notice where it contradicts the other features",
    ),
    ("zero", "positive"): (
        "confidence only",
        "it agrees with other features, and so supports the model's confidence without telling "
        "more of the target",
    ),
    ("zero", "zero"): ("not used", "the model makes no use of it, or next to none"),
    ("zero", "negative"): (
        "doubt only",
        "it makes the model doubt without telling more of the target",
    ),
}
NOT_CONDITIONAL = (
    "conditional replacement keeps what features share, and so makes every entropy importance zero "
    "(Wood et al. 2024, proposition 3); use replacement='permutation'."
)
_MISLEADING = ("misleading", "what the model learned of it does not hold in these rows")
_HALF_KNOWN = {"positive": "informative", "zero": "not informative", "undecided": "undecided"}
_UNAWARE = (
    "informative",
    "no feature moves the model's entropy, so whether others tell the same cannot be seen",
)


def diagnose(nll: Importance, entropy: Importance, *, negligible: float = 0.1) -> Diagnosis:
    """Say what likelihood and entropy importance tell of each feature.

    Source: Wood et al. 2024, section 3.4.

    An importance is ``positive`` or ``negative`` where its interval lies to one side of zero. It
    is ``zero`` where the whole interval is within a small share of the largest importance of its
    kind, and so not just compatible with zero but known to be small; elsewhere the interval leaves
    it ``undecided``.

    ========= ========== ===========================================================
    nll       entropy    verdict
    ========= ========== ===========================================================
    positive  positive   shares information: with others, about the target
    positive  zero       informative, independent of the others (proposition 1)
    positive  negative   informative, falsely sure: surer where features disagree
    positive  undecided  informative
    zero      positive   confidence only: shares what does not concern the target
    zero      zero       not used (proposition 2)
    zero      negative   doubt only
    zero      undecided  not informative
    negative  any        misleading: predictions are better without its values
    undecided any        undecided
    ========= ========== ===========================================================

    A model that gives every row the same uncertainty has no entropy importance anywhere; it
    takes another feature's to conclude that one is independent of the others (Wood et al. 2024,
    section 4.1). Otherwise a feature is no more than ``informative``.

    Every interval holds with its own level: of twenty at 95 %, about one misses.

    Parameters
    ----------
    nll, entropy : Importance
        Of the same features, rows, weights and kind of replacement.
    negligible : float, default=0.1
        Share of the largest importance that counts as zero.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        If the two do not belong together, or one of them cannot be read this way.
    """
    _check(nll, entropy)
    if not 0 <= negligible < 1:
        raise ValueError(f"negligible is {negligible}; it must be at least 0 and less than 1.")
    at = [entropy.features.index(feature) for feature in nll.features]
    entropies = entropy.importance[at], entropy.low[at], entropy.high[at]
    nll_margin = negligible * _largest(nll.importance, nll.low)
    entropy_margin = negligible * _largest(entropy.importance, entropy.low)
    nll_sign = _signs(nll.low, nll.high, nll_margin)
    entropy_sign = _signs(*entropies[1:], entropy_margin)
    aware = bool(((entropy.low > 0) | (entropy.high < 0)).any())
    read = [_read(*signs, aware=aware) for signs in zip(nll_sign, entropy_sign, strict=True)]
    return Diagnosis(
        features=nll.features,
        nll=nll.importance,
        nll_low=nll.low,
        nll_high=nll.high,
        entropy=entropies[0],
        entropy_low=entropies[1],
        entropy_high=entropies[2],
        nll_sign=nll_sign,
        entropy_sign=entropy_sign,
        verdict=tuple(verdict for verdict, _ in read),
        explanation=tuple(explanation for _, explanation in read),
        nll_margin=nll_margin,
        entropy_margin=entropy_margin,
        unit=nll.unit,
        replacement=nll.replacement,
        interval=nll.interval,
        level=nll.level,
        weighted=nll.weighted,
        ess=nll.ess,
        remarks=tuple(dict.fromkeys(nll.remarks + entropy.remarks)),
    )


def _read(nll: str, entropy: str, *, aware: bool) -> tuple[str, str]:
    verdict, meaning = _READINGS.get((nll, entropy), (_HALF_KNOWN.get(nll, ""), ""))
    if nll == "negative":
        verdict, meaning = _MISLEADING
    elif (nll, entropy) == _INDEPENDENT and not aware:
        verdict, meaning = _UNAWARE
    both = f"without its own value {_WORSE[nll]}, and {_LESS_SURE[entropy]}"
    return verdict, f"{both}; {meaning}" if meaning else both


def _signs(low: Floats, high: Floats, margin: float) -> tuple[str, ...]:
    # In this order: what is known to be small is zero, even where it is known not to be exactly.
    small = (low >= -margin) & (high <= margin)
    return tuple(
        str(sign)
        for sign in np.select(
            [small, low > 0, high < 0], ["zero", "positive", "negative"], "undecided"
        )
    )


def _largest(importance: Floats, low: Floats) -> float:
    """Return the largest importance that is none of chance, or 0."""
    return float(importance[low > 0].max(initial=0.0))


def _check(nll: Importance, entropy: Importance) -> None:
    for wanted, given in (("nll", nll), ("entropy", entropy)):
        if given.measure != wanted:
            raise ValueError(
                f"the importance given as {wanted} is that of {given.measure!r}; pass the nll "
                "importance first, then that of the entropy."
            )
        if given.compare != "difference":
            raise ValueError(
                f"the {wanted} importance compares by {given.compare}; a diagnosis needs "
                "compare='difference'."
            )
    if entropy.replacement == "conditional":
        raise ValueError(NOT_CONDITIONAL)
    for name in ("replacement", "interval", "level", "weighted", "ess"):
        one, other = getattr(nll, name), getattr(entropy, name)
        if one != other:
            raise ValueError(
                f"the two importances differ in {name} ({one!r} and {other!r}); compute them alike."
            )
    if set(nll.features) != set(entropy.features):
        odd = min(set(nll.features) ^ set(entropy.features))
        raise ValueError(f"only one of the two importances has {odd!r}; name the same features.")
    if not _same(nll.rows, entropy.rows):
        raise ValueError("the two importances are of different rows; compute them alike.")


def _same(one: Positions | None, other: Positions | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
