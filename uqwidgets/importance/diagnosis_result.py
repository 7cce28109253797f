"""Diagnosis: importance for the likelihood and for the entropy, read together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.importance.result import hypotheses_of_moments, known_moments
from uqwidgets.inference import Moments
from uqwidgets.inference.groups import GroupCount
from uqwidgets.inference.tested import Hypotheses, WithTests
from uqwidgets.plotting.result import at_once, in_unit, named_interval
from uqwidgets.plotting.text import counted

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(WithTests):
    """Likelihood and entropy importance of each feature, read together.

    Attributes
    ----------
    features : tuple of str, length p
        The most important for the likelihood first; all other attributes are in this order.
    nll, nll_low, nll_high : ndarray of shape (p,)
        Importance for the likelihood loss, and its interval.
    entropy, entropy_low, entropy_high : ndarray of shape (p,)
        Importance for the entropy, and its interval.
    with_redundancy : bool
        Whether a redundancy was consulted.
    r2, r2_low, r2_high : ndarray of shape (p,)
        Share of the feature's variance that the other features explain, and its interval; NaN
        where the redundancy has no score, or none was given.
    nll_sign, entropy_sign : tuple of str, length p
        Sign of each according to its interval: ``positive``, ``negative``, ``negligible``,
        ``not clear`` or ``not available``.
    verdict : tuple of str, length p
        Reading of the two signs and the redundancy, in two or three words.
    explanation : tuple of str, length p
        The same reading in a sentence.
    margin : float
        In nats: an importance is negligible if its interval reaches no further than this from
        zero.
    unit : str
        Unit of both importances.
    replacement, interval : str
    level : float
    weighted : bool
        Whether row weights were used.
    ess : float
        Effective sample size of the scored rows.
    remarks : tuple of Remark
        What a reader of the numbers should know.
    groups : GroupCount or None
        Name, number and effective number of the groups of rows; None if rows are independent.
    pointwise_level : float or None
        With ``simultaneous=True``, the level of each interval by itself at which all of them hold
        at once with ``level``; None if each interval has ``level``.
    reference : {"t", "normal"}
        Distribution whose quantiles the intervals use.
    moments : Moments or None
        Nine numbers for each likelihood importance, then for each entropy importance, that its
        interval follows from at any level; None for a learner.

    See Also
    --------
    Explainer.diagnose : Makes this result; lists the verdicts.

    References
    ----------
    Wood et al. 2024, section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> def model(X):
    ...     return X[:, 0], np.ones(len(X))
    >>> result = uq.Explainer(model, X, X[:, 0] + rng.normal(size=200)).diagnose()
    >>> result.nll_sign, result.entropy_sign
    (('positive', 'negligible'), ('negligible', 'negligible'))
    """

    features: tuple[str, ...]
    nll: Floats
    nll_low: Floats
    nll_high: Floats
    entropy: Floats
    entropy_low: Floats
    entropy_high: Floats
    with_redundancy: bool
    r2: Floats
    r2_low: Floats
    r2_high: Floats
    nll_sign: tuple[str, ...]
    entropy_sign: tuple[str, ...]
    verdict: tuple[str, ...]
    explanation: tuple[str, ...]
    margin: float
    unit: str
    replacement: str
    interval: str
    level: float
    weighted: bool
    ess: float
    remarks: tuple[Remark, ...] = ()
    groups: GroupCount | None = None
    pointwise_level: float | None = None
    reference: str = "t"
    moments: Moments | None = None

    def _hypotheses(self, null: float | None) -> Hypotheses:
        p = len(self.features)
        columns = {"feature": self.features * 2, "measure": ("nll",) * p + ("entropy",) * p}
        moments = known_moments(self.moments, self.interval)
        moments = moments._replace(estimate=moments.estimate - (null or 0.0))
        return hypotheses_of_moments(columns, moments, self.reference)

    @property
    def frame(self) -> pd.DataFrame:
        """One line per feature, most important for the likelihood first.

        Columns ``feature, nll, nll_low, nll_high, entropy, entropy_low, entropy_high, verdict,
        explanation``; with a redundancy, before ``verdict``: ``r2, r2_low, r2_high``.
        """
        names = ["nll", "nll_low", "nll_high", "entropy", "entropy_low", "entropy_high"]
        if self.with_redundancy:
            names += ["r2", "r2_low", "r2_high"]
        return pd.DataFrame(
            {
                "feature": list(self.features),
                **{name: getattr(self, name) for name in names},
                "verdict": list(self.verdict),
                "explanation": list(self.explanation),
            }
        )

    @property
    def readings(self) -> tuple[str, ...]:
        """Each verdict with its explanation, and the features it is of where it has several."""
        named: dict[tuple[str, str], list[str]] = {}
        pairs = zip(self.verdict, self.explanation, strict=True)
        for feature, pair in zip(self.features, pairs, strict=True):
            named.setdefault(pair, []).append(feature)
        explanations = Counter(verdict for verdict, _ in named)
        return tuple(
            f"{verdict}: {explanation}"
            if explanations[verdict] == 1
            else f"{verdict} ({', '.join(features)}): {explanation}"
            for (verdict, explanation), features in named.items()
        )

    @property
    def _heading(self) -> str:
        groups = "" if self.groups is None else f" over {self.groups}"
        return (
            f"Likelihood and entropy importance of {counted(len(self.features), 'feature')}"
            f"{in_unit(self.unit)}: {self.replacement}{', weighted' if self.weighted else ''}, "
            f"{self.level:.0%} interval {named_interval(self.interval, self.level)}"
            f"{at_once(self, 2 * len(self.features))}{groups}"
        )

    def __repr__(self) -> str:
        return self._text(self.frame.drop(columns="explanation"), self.readings + self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.importance.diagnosis_html import diagnosis_html

        return diagnosis_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0] + X[:, 1])
        >>> chart = explainer.diagnose().to_altair()
        >>> type(chart).__name__
        'LayerChart'
        """
        from uqwidgets.importance.figure import diagnosis_map
        from uqwidgets.plotting.altair import layered

        return layered(diagnosis_map(self))
