"""Likelihood and entropy importance, read together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from uqwidgets._typing import Floats, Positions
from uqwidgets._utils.options import brief, is_real
from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.importance.result import Importance
from uqwidgets.inference import Moments, checked_reference
from uqwidgets.inference.moments import bounds_of_moments

NOT_CONDITIONAL = (
    "conditional replacement keeps what features share, and so makes every entropy importance zero "
    "(Wood et al. 2024, proposition 3); use replacement='permutation'."
)
# In nats, the default of both importances.
MARGIN = 0.01
# R2 from the other features up to which a feature counts as independent of them.
_LEAST_R2 = 0.1

# What each interval says, in a clause after "without its own values".
_LIKELIHOOD = {
    "positive": "predictions get worse",
    "negligible": "the likelihood loss changes by at most {margin:g} nats",
    "negative": "predictions get better",
    "not clear": "it is not clear from these rows whether predictions get worse (the interval of "
    "the likelihood importance includes zero)",
    "not available": "the change of the likelihood loss is not available",
}
_ENTROPY = {
    "positive": "the model is less sure",
    "negligible": "the entropy changes by at most {margin:g} nats",
    "negative": "the model is surer",
    "not clear": "it is not clear from these rows whether the model is less sure (the interval of "
    "the entropy importance includes zero)",
    "not available": "the change of the entropy is not available",
}
_REDUNDANCY = {
    "positive": "other features tell a part of its values",
    "none": "other features tell nothing of its values",
    "not clear": "it is not clear whether other features tell of its values",
}
# Verdict and explanation for each pair of signs (Wood et al. 2024, section 3.4): the likelihood
# depends on the target, the entropy only on how sure the model is, and it is surer where features
# agree.
_READINGS = {
    ("positive", "positive"): (
        "shares information",
        "the model is surer where it agrees with other features, which may hide a part of its "
        "importance",
    ),
    ("positive", "negative"): (
        "informative, falsely sure",
        "the model does not notice where it contradicts the other features",
    ),
    ("negligible", "positive"): (
        "confidence only",
        "it agrees with other features, and so supports the model's confidence without telling "
        "more of the target",
    ),
    ("negligible", "negative"): (
        "doubt only",
        "it makes the model doubt without telling more of the target",
    ),
}
_ONE_SIGN = {
    "positive": "informative",
    "negligible": "not informative",
    "negative": "misleading",
    "not clear": "not clear",
    "not available": "not available",
}
_MISLEADING = "what the model learned of it does not hold in these rows"
_UNUSED = "not used", "the model makes no use of it, or next to none"
_HARDLY_USED = "hardly used", "the model makes use of it, but next to none"
_INDEPENDENT = (
    "informative, independent",
    "what it tells of the target is its own (in single rows the model may still be more or less "
    "sure)",
)
_UNNOTICED = (
    "informative, not independent",
    "the model's confidence does not show what it has in common with them",
)
_WITHOUT_REDUNDANCY = (
    "informative",
    "so it is where other features tell nothing of it, and where the model does not notice that "
    "they do; redundancy= tells these apart",
)


def diagnose(
    nll: Importance,
    entropy: Importance,
    *,
    margin: float = MARGIN,
    redundancy: Redundancy | None = None,
) -> Diagnosis:
    """Read likelihood and entropy importance together (Wood et al. 2024, section 3.4).

    The verdict follows from the two intervals. An importance is ``negligible`` where its whole
    interval lies within the margin around zero: so it is known to be small, even where it is known
    not to be zero. Elsewhere it is ``positive`` or ``negative`` where its interval lies to one
    side of zero, and ``not clear`` where the interval includes zero.

    ========== ========== ===========================================================
    nll        entropy    verdict
    ========== ========== ===========================================================
    positive   positive   shares information: with others, about the target
    positive   negligible informative, and what the redundancy says (see below)
    positive   negative   informative, falsely sure: surer where features disagree
    positive   not clear  informative
    negligible positive   confidence only: shares what does not concern the target
    negligible negligible not used (proposition 2), or hardly used
    negligible negative   doubt only
    negligible not clear  not informative
    negative   any        misleading: predictions are better without its values
    not clear  any        not clear
    ========== ========== ===========================================================

    A feature is ``hardly used`` instead of ``not used`` where one of the two intervals does not
    include zero.

    That a feature is independent of the others makes its entropy importance zero (proposition 1),
    but an entropy importance of zero does not make it independent: effects may cancel, and a model
    that gives every row the same uncertainty has no entropy importance anywhere. So a feature is
    ``informative, independent`` only where the interval of its entropy importance is negligible
    and includes zero, and the `redundancy` shows that the others do not predict it: the interval
    of its R2 starts at zero or below and ends at 0.1 or below. It is ``informative, not
    independent`` where that interval lies above zero, and no more than ``informative`` where the
    interval of R2 decides neither, or no redundancy is given.

    Each interval has its own level: of twenty 95 % intervals, about one misses the true value. If
    both importances were computed with ``simultaneous=True``, the intervals of both hold at once.

    Parameters
    ----------
    nll, entropy : Importance
        Of the same features, rows, weights and kind of replacement.
    margin : float, default=0.01
        In nats, for both importances. 0.01 nats change a probability, the width of a predictive
        density or its effective number of classes by one percent.
    redundancy : Redundancy, optional
        Of the same rows and weights (`Explainer.redundancy`); a feature that it lacks is read
        as without it.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        If the results do not belong together, one of them cannot be read this way, or the margin
        is no number of at least 0.
    """
    _check(nll, entropy)
    if redundancy is not None:
        _check_redundancy(redundancy, nll)
    if not is_real(margin) or not 0 <= margin < np.inf:
        raise ValueError(f"margin is {brief(margin)}; give nats, as a finite number of at least 0.")
    remarks = tuple(dict.fromkeys(nll.remarks + entropy.remarks))
    nll, entropy = _together(nll, entropy)
    order = [entropy.features.index(feature) for feature in nll.features]
    entropy_low, entropy_high = entropy.low[order], entropy.high[order]
    nll_sign = _signs(nll.low, nll.high, margin)
    entropy_sign = _signs(entropy_low, entropy_high, margin)
    r2, r2_low, r2_high = _r2(redundancy, nll.features)
    readings = verdicts(
        (nll.low, nll.high), (entropy_low, entropy_high), (r2_low, r2_high), margin=margin
    )
    return Diagnosis(
        features=nll.features,
        nll=nll.importance,
        nll_low=nll.low,
        nll_high=nll.high,
        entropy=entropy.importance[order],
        entropy_low=entropy_low,
        entropy_high=entropy_high,
        with_redundancy=redundancy is not None,
        r2=r2,
        r2_low=r2_low,
        r2_high=r2_high,
        nll_sign=nll_sign,
        entropy_sign=entropy_sign,
        verdict=tuple(verdict for verdict, _ in readings),
        explanation=tuple(explanation for _, explanation in readings),
        margin=float(margin),
        unit=nll.unit,
        replacement=nll.replacement,
        interval=nll.interval,
        level=nll.level,
        weighted=nll.weighted,
        ess=nll.ess,
        groups=nll.groups,
        remarks=remarks,
        pointwise_level=nll.pointwise_level,
        reference=nll.reference,
        moments=None
        if nll.moments is None or entropy.moments is None
        else Moments(*map(np.append, nll.moments, entropy.moments.of(np.array(order)))),
    )


def _together(nll: Importance, entropy: Importance) -> tuple[Importance, Importance]:
    """Return both importances, whose intervals hold at once if those of each of them do."""
    if nll.family is None or entropy.family is None:
        return nll, entropy
    level = nll.family.joined(entropy.family).pointwise_level(nll.level)

    def at_level(of: Importance) -> Importance:
        assert of.moments is not None
        _, low, high = bounds_of_moments(of.moments, level, checked_reference(of.reference))
        return replace(of, low=low, high=high, pointwise_level=level)

    return at_level(nll), at_level(entropy)


def verdicts(
    nll: tuple[Floats, Floats],
    entropy: tuple[Floats, Floats],
    r2: tuple[Floats, Floats],
    *,
    margin: float = MARGIN,
) -> list[tuple[str, str]]:
    """Return the verdict on each feature, and its explanation; see `diagnose`.

    Parameters
    ----------
    nll, entropy : tuple of ndarray, shapes (p,) and (p,)
        Both ends of the intervals of the two importances, in one order of the features.
    r2 : tuple of ndarray, shapes (p,) and (p,)
        Both ends of the interval of the redundancy; NaN where there is none.
    margin : float, default=0.01
        In nats, see `diagnose`.
    """
    return [
        _read(*signs, margin)
        for signs in zip(
            _signs(*nll, margin),
            _signs(*entropy, margin),
            _r2_signs(*r2),
            _includes_zero(*nll),
            _includes_zero(*entropy),
            strict=True,
        )
    ]


def _read(
    nll: str,
    entropy: str,
    redundancy: str | None,
    nll_zero: bool,
    entropy_zero: bool,
    margin: float,
) -> tuple[str, str]:
    """Return the verdict on a feature, and its explanation.

    Parameters
    ----------
    nll, entropy : str
        Signs of the two importances.
    redundancy : str, optional
        What the interval of R2 says, if there is one.
    nll_zero, entropy_zero : bool
        Whether the interval includes zero.
    margin : float
    """
    verdict, meaning = _READINGS.get((nll, entropy), (_ONE_SIGN[nll], ""))
    if nll == "negative":
        meaning = _MISLEADING
    elif (nll, entropy) == ("negligible", "negligible"):
        verdict, meaning = _UNUSED if nll_zero and entropy_zero else _HARDLY_USED
    elif (nll, entropy) == ("positive", "negligible"):
        if redundancy is None:
            verdict, meaning = _WITHOUT_REDUNDANCY
        elif redundancy == "positive":
            verdict, meaning = _UNNOTICED
        elif redundancy == "none" and entropy_zero:
            verdict, meaning = _INDEPENDENT
    clauses = [
        f"without its own values {_LIKELIHOOD[nll]}, and {_ENTROPY[entropy]}".format(margin=margin)
    ]
    if redundancy is not None and nll == "positive":
        clauses.append(_REDUNDANCY[redundancy])
    if meaning:
        clauses.append(meaning)
    return verdict, "; ".join(clauses)


def _signs(low: Floats, high: Floats, margin: float) -> tuple[str, ...]:
    # Negligible comes first: a small interval is negligible even if it excludes zero.
    return tuple(
        str(sign)
        for sign in np.select(
            [
                np.isnan(low) | np.isnan(high),
                (low >= -margin) & (high <= margin),
                low > 0,
                high < 0,
            ],
            ["not available", "negligible", "positive", "negative"],
            "not clear",
        )
    )


def _includes_zero(low: Floats, high: Floats) -> list[bool]:
    return [bool(inside) for inside in (low <= 0) & (high >= 0)]


def _r2(redundancy: Redundancy | None, features: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
    """R2 of each feature with its interval, NaN where there is none."""
    numbers = np.full((3, len(features)), np.nan)
    if redundancy is not None:
        scores = zip(redundancy.r2, redundancy.low, redundancy.high, strict=True)
        by_feature = dict(zip(redundancy.features, scores, strict=True))
        for j, feature in enumerate(features):
            numbers[:, j] = by_feature.get(feature, np.nan)
    return numbers[0], numbers[1], numbers[2]


def _r2_signs(low: Floats, high: Floats) -> list[str | None]:
    """Return the sign that the interval of R2 shows; None where there is none."""
    signs = np.select(
        [np.isnan(low) | np.isnan(high), low > 0, high <= _LEAST_R2],
        ["", "positive", "none"],
        "not clear",
    )
    return [str(sign) or None for sign in signs]


def _check_redundancy(redundancy: Redundancy, nll: Importance) -> None:
    if not isinstance(redundancy, Redundancy):
        raise TypeError(
            f"redundancy is {brief(redundancy)}; pass the result of Explainer.redundancy, or None."
        )
    _check_alike("the importances and the redundancy", nll, redundancy, "level", "weighted", "ess")


def _check_alike(what: str, nll: Importance, other: Importance | Redundancy, *names: str) -> None:
    for name in names:
        one, two = getattr(nll, name), getattr(other, name)
        if one != two:
            raise ValueError(f"{what} differ in {name} ({one!r} and {two!r}); compute them alike.")


def _check(nll: Importance, entropy: Importance) -> None:
    for measure, result in (("nll", nll), ("entropy", entropy)):
        if result.measure != measure:
            raise ValueError(
                f"the importance passed as {measure} is that of {result.measure!r}; pass the nll "
                "importance first, then that of the entropy."
            )
        if result.compare != "difference":
            raise ValueError(
                f"the {measure} importance compares by {result.compare}; a diagnosis needs "
                "compare='difference'."
            )
    if entropy.replacement == "conditional":
        raise ValueError(NOT_CONDITIONAL)
    names = ("replacement", "interval", "level", "simultaneous", "weighted", "ess")
    _check_alike("the two importances", nll, entropy, *names)
    if set(nll.features) != set(entropy.features):
        odd = min(set(nll.features) ^ set(entropy.features))
        raise ValueError(f"only one of the two importances has {odd!r}; name the same features.")
    if not _same(nll.rows, entropy.rows):
        raise ValueError("the two importances are of different rows; compute them alike.")


def _same(one: Positions | None, other: Positions | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
