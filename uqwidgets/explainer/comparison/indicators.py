r"""The difference of two models' indicators, which is an indicator itself.

An indicator is a function g of weighted means of rows (see `uqwidgets.stress.indicators`). The
difference :math:`g(\bar a) - g(\bar b)` is a function of the means of both models, so that its
interval follows from the influences of the same rows on both.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.measures import UNBOUNDED
from uqwidgets.performance.metrics import RankDifference, RankIndicator
from uqwidgets.performance.scores import Score
from uqwidgets.stress.indicators import Combination, Indicator, MetricIndicator


def score_minus(first: Score, second: Score, title: str, identity: Hashable) -> Score:
    """Return `indicator_minus` of two scores, or the difference of two areas under the curve."""
    if isinstance(first, RankIndicator) and isinstance(second, RankIndicator):
        label = f"{first.label}, {title}"
        return RankDifference(first.name, label, first.unit, first, second)
    assert isinstance(first, Indicator | MetricIndicator)
    assert isinstance(second, Indicator | MetricIndicator)
    return indicator_minus(first, second, title, identity)


def indicator_minus(
    first: Indicator | MetricIndicator,
    second: Indicator | MetricIndicator,
    title: str,
    identity: Hashable,
) -> Indicator | MetricIndicator:
    """Return the first indicator minus the second, which is of the same kind.

    Parameters
    ----------
    first, second : Indicator or MetricIndicator
    title : str
        The difference in words.
    identity : hashable
        Of the two models, so that the cached means of one pair are not those of another.
    """
    label = f"{first.label}, {title}"
    if isinstance(first, MetricIndicator):
        assert isinstance(second, MetricIndicator)
        own, other = first.score, second.score
        return MetricIndicator(
            first.name, label, first.unit, lambda weights: own(weights) - other(weights), UNBOUNDED
        )
    assert isinstance(second, Indicator)
    of_first, of_second, k = first.combination, second.combination, len(first.per_row)

    def value(*means: Floats) -> Floats:
        return np.asarray(of_first.value(*means[:k]) - of_second.value(*means[k:]))

    def slopes(*means: Floats) -> tuple[Any, ...]:
        return (*of_first.slopes(*means[:k]), *(-s for s in of_second.slopes(*means[k:])))

    return Indicator(
        first.name,
        label,
        first.unit,
        (*first.per_row, *second.per_row),
        Combination(value, slopes),
        UNBOUNDED,
        ("minus", identity, first.identity, second.identity),
    )
