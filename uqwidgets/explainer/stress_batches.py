"""Stress of a model over more rows than fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.predictive import Predictive, as_predictive
from uqwidgets.stress.indicators import Indicator, MetricIndicator
from uqwidgets.stress.out_of_core.profile import listed, stress_of_batches, survey
from uqwidgets.stress.out_of_core.scan import Numeric, column_of
from uqwidgets.stress.out_of_core.sources import source_of
from uqwidgets.stress.result import Stress


def stress_batches(
    model: Any,
    batches: Any,
    target: str,
    features: Sequence[str] | None = None,
    indicators: Sequence[str] | None = None,
    *,
    taus: int | npt.ArrayLike = 21,
    alpha: float = 0.05,
    anchor: str = "quantile",
    missing: str = "error",
    level: float | None = None,
) -> Stress:
    """Weighted summaries of rows in batches, while each feature's mean is moved.

    Source: Bachoc et al. 2023.

    The values are those of `Explainer.stress` on all rows at once, to about 1e-12. The model is
    asked once for every row, and memory holds one batch and a few thousand numbers per feature
    and indicator.

    Parameters
    ----------
    model : object or callable
        As for `Explainer`. A function that gives probabilities is wrapped, so that every batch
        has the same classes: ``as_predictive(function, classes=[...])``.
    batches : DataFrame, sequence of DataFrame, callable, path, sequence of path, or Dask DataFrame
        Rows with the features and the target. A function is called without arguments whenever
        the batches are needed again, two to four times, and returns an iterator of them. Paths
        are of Parquet files or directories of them, read in pieces. Partitions of a Dask
        DataFrame are worked on where they are, on the cluster of the current
        `dask.distributed.Client` if there is one.
    target : str
        Name of the column that the model predicts.
    features : sequence of str, optional
        All that the model sees and that have a value in every row, unless named.
    indicators : sequence of str, optional
        All of `Explainer.indicators`, unless named; besides, the mean of any measure.
    taus, alpha, anchor, missing
        As in `Explainer.stress`.
    level : float, optional
        Of pointwise intervals, such as 0.95; none unless given. They are by the same delta method
        as those of `Explainer.stress`, without what that does for few rows: neither are heavy
        rows' residuals stretched nor is skewness taken out, and the quantile is that of t with
        one degree of freedom less than the effective sample size. Where that (``ess``) is small,
        they hold less often than they say.

    Returns
    -------
    Stress

    Raises
    ------
    TypeError
        If the batches cannot be read.
    ValueError
        For a name that does not exist, a feature that cannot be stressed, a value out of range,
        or batches that do not fit each other or the model.
    """
    source = source_of(batches)
    target = str(target)
    if target in (listed(features) or ()):
        raise ValueError(f"{target!r} is the target, not a feature; leave it out of features.")
    surveyed = survey(source, partial(_columns, as_predictive(model), target, listed(features)))
    truth = surveyed.pop(target)
    centre = truth.total / truth.n if isinstance(truth, Numeric) and truth.n else 0.0
    return stress_of_batches(
        source,
        surveyed,
        _Asked(model, target, None if indicators is None else tuple(indicators), centre),
        named=features is not None,
        taus=taus,
        alpha=alpha,
        anchor=anchor,
        missing=missing,
        level=level,
    )


def _columns(
    predictive: Predictive, target: str, features: list[str] | None, labels: Sequence[Any]
) -> list[str]:
    if features is None:
        seen = predictive.columns_among(c for c in labels if str(c) != target)
        features = [str(label) for label in seen]
    return [target, *features]


@dataclass(frozen=True)
class _Asked:
    """Indicators of a batch from its own explainer.

    Attributes
    ----------
    model : object or callable
    target : str
    names : tuple of str or None
        Indicators that are wanted; None for all.
    centre : float
        What predictions are compared with for their variance.
    """

    model: Any
    target: str
    names: tuple[str, ...] | None
    centre: float

    def __call__(self, batch: pd.DataFrame) -> list[Indicator]:
        """Ask the model about every row of a batch."""
        y = column_of(batch, self.target)
        X = batch.loc[:, [str(c) != self.target for c in batch.columns]]
        explainer = Explainer(self.model, X, y)
        offered = dict(explainer.indicators)
        if "variance" in offered:
            # Around the mean of the batch, squares of two batches would not add up.
            centred = offered["mean"].per_row[0] - self.centre
            offered["variance"] = replace(
                offered["variance"], per_row=(np.square(centred), centred)
            )
        found = []
        for name in offered if self.names is None else self.names:
            indicator = offered[name] if name in offered else explainer.indicator(name)
            if isinstance(indicator, MetricIndicator):
                raise ValueError(
                    f"{name!r} is no mean over rows, so that of batches does not add up; use an "
                    "Explainer of the rows that fit in memory."
                )
            found.append(indicator)
        return found
