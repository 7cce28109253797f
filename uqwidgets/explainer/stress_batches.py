"""Stress of a model over more rows than fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import as_names
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.predictive import Predictive, as_predictive
from uqwidgets.stress.indicators import Indicator, MetricIndicator
from uqwidgets.stress.out_of_core.profile import (
    requested_features,
    stress_of_batches,
    summarise_columns,
)
from uqwidgets.stress.out_of_core.scan import NumericSummary, column_of
from uqwidgets.stress.out_of_core.sources import source_of
from uqwidgets.stress.result import Stress


def stress_batches(
    model: Any,
    batches: Any,
    target: str,
    features: Sequence[str] | None = None,
    indicators: Sequence[object] | None = None,
    *,
    taus: int | npt.ArrayLike = 21,
    tail: float = 0.05,
    anchor: str = "quantile",
    missing: str = "error",
    level: float | None = None,
) -> Stress:
    """Weighted summaries of rows in batches while the mean of each feature is moved.

    The values are those of `Explainer.stress` on all rows at once, to about 1e-12. The model is
    called once for every row, and memory holds one batch and a few thousand numbers per feature
    and indicator.

    Parameters
    ----------
    model : object or callable
        As for `Explainer`. A function that returns probabilities has to be wrapped, so that every
        batch has the same classes: ``as_predictive(function, classes=[...])``.
    batches : DataFrame, sequence of DataFrame, callable, path, sequence of path, or Dask DataFrame
        Rows with the features and the target. A callable has no arguments and returns an iterator
        of DataFrames; it is called for each pass over the batches, two to four times. Paths are
        those of Parquet files or of directories of them, which are read in pieces. Partitions of a
        Dask DataFrame are processed where they are, on the cluster of the current
        `dask.distributed.Client` if there is one.
    target : str
        Name of the column that the model predicts.
    features : sequence of str, optional
        Features to stress; by default all that the model uses and that have a value in every row.
    indicators : sequence of str or callable, optional
        Names of indicators or of measures, or functions of one number per row, as in
        `Explainer.stress`; by default all of `Explainer.indicators`. A scorer is not accepted,
        because the scores of batches do not add up.
    taus : int or array-like, default=21
        Stress levels within [-1, 1], or how many evenly spaced ones; -1, 0 and 1 are always added.
    tail : float, default=0.05
        Between 0 and 0.5: the probability in each tail that the anchors are of.
    anchor : {"quantile", "tail-mean"}, default="quantile"
        Whether tau = -1 and 1 move the mean to the quantiles ``tail`` and 1 - ``tail``, or to the
        means of the lowest and of the highest ``tail`` of the rows.
    missing : {"error", "drop"}, default="error"
        With ``drop``, rows without a value of the stressed feature are left out, with a remark.
    level : float, optional
        Level of pointwise intervals, such as 0.95; by default there are none. The delta method is
        that of `Explainer.stress` without its corrections for small samples: no HC4 factor, no
        correction of skewness or bias, and the quantile of t with one degree of freedom less than
        the effective sample size (``ess``). Where that is small, coverage is below the level.

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

    See Also
    --------
    Explainer.stress : The same for rows that fit in memory, with scorers.

    References
    ----------
    Bachoc et al. 2023, sections 2 and 3.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import uqwidgets as uq
    >>> table = pd.DataFrame({"x": np.arange(20.0), "y": np.arange(20.0) ** 2})
    >>> result = uq.stress_batches(
    ...     lambda X: 10 * X["x"].to_numpy(),
    ...     [table[:12], table[12:]],
    ...     "y",
    ...     indicators=["mean", "rmse"],
    ...     taus=3,
    ... )
    >>> result.frame[["tau", "reached", "indicator", "value"]].round(2)
       tau  reached indicator   value
    0 -1.0     0.95      mean    9.50
    1 -1.0     0.95      rmse   10.45
    2  0.0     9.50      mean   95.00
    3  0.0     9.50      rmse   66.21
    4  1.0    18.05      mean  180.50
    5  1.0    18.05      rmse  150.55
    """
    source = source_of(batches)
    target = str(target)
    requested = requested_features(features)
    if target in (requested or ()):
        raise ValueError(f"{target!r} is the target, not a feature; leave it out of features.")
    summaries = summarise_columns(
        source, partial(_columns, as_predictive(model), target, requested)
    )
    truth = summaries.pop(target)
    names = None if indicators is None else tuple(as_names(indicators, "indicators"))
    centre = truth.total / truth.n if isinstance(truth, NumericSummary) and truth.n else 0.0
    return stress_of_batches(
        source,
        summaries,
        _BatchIndicators(model, target, names, centre),
        named=features is not None,
        taus=taus,
        tail=tail,
        anchor=anchor,
        missing=missing,
        level=level,
    )


def _columns(
    predictive: Predictive, target: str, features: list[str] | None, labels: Sequence[Any]
) -> list[str]:
    """Names of the target and of the features, from the labels of a batch's columns."""
    if features is None:
        used = predictive.columns.among(c for c in labels if str(c) != target)
        features = [str(label) for label in used]
    return [target, *features]


@dataclass(frozen=True)
class _BatchIndicators:
    """Indicators of a batch, from an explainer of its rows.

    Attributes
    ----------
    model : object or callable
    target : str
    entries : tuple of str or callable, or None
        Indicators as the user names them; None for all.
    centre : float
        A number near the predictions, which is subtracted before they are squared for their
        variance.
    """

    model: Any
    target: str
    entries: tuple[object, ...] | None
    centre: float

    def __call__(self, batch: pd.DataFrame) -> list[Indicator]:
        """Call the model for every row of a batch."""
        y = column_of(batch, self.target)
        X = batch.loc[:, [str(c) != self.target for c in batch.columns]]
        explainer = Explainer(self.model, X, y)
        available = dict(explainer.indicators)
        if "variance" in available:
            # Squares around the mean of each batch would not add up.
            centred = available["mean"].per_row[0] - self.centre
            available["variance"] = replace(
                available["variance"], per_row=(np.square(centred), centred)
            )
        indicators = []
        for entry in available if self.entries is None else self.entries:
            indicator: Indicator | MetricIndicator
            if isinstance(entry, str) and entry in available:
                indicator = available[entry]
            else:
                indicator = explainer.indicator(entry)
            if isinstance(indicator, MetricIndicator):
                raise ValueError(
                    f"{indicator.name!r} is no mean over rows, so that of batches does not add up; "
                    "use an Explainer of the rows that fit in memory."
                )
            indicators.append(indicator)
        return indicators
