"""Replaced: rows with the values of one feature replaced, and what the model says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._typing import Positions
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.progress import ProgressCallback
from uqwidgets.evaluation.replacement import Drawn, Scheme
from uqwidgets.measures import Measure
from uqwidgets.predictive import Distribution


@dataclass(frozen=True, eq=False, repr=False)
class Replaced:
    """All rows with the values of one feature, or group, taken from donors.

    Attributes
    ----------
    feature, replacement : str
    seed : int
    donors : ndarray of shape (K, n)
        Position of the row that each value comes from, for each of K repeats.
    X : DataFrame, polars or Arrow table, or array, of shape (K n, p)
        The rows that the model evaluated, one repeat below the other, in the container and with
        the dtypes of the explainer's own X.
    distributions : tuple of K predictive distributions
        Of the rows of each repeat.
    original : predictive distribution
        Of the n rows as they are.
    frame : DataFrame of shape (K n, 3 + 2 m)
        In the order of X: ``repeat, row, donor``, and for each of m measures two columns, such as
        ``entropy_before`` and ``entropy``.

    See Also
    --------
    Explainer.replaced : Makes it.
    Explainer.importance : The mean difference of the two columns of a measure.

    References
    ----------
    Wood et al. 2024, figure 1.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.exp(X[:, 1])), X, X[:, 0])
    >>> replaced = explainer.replaced("x1", ["nll", "entropy"])
    >>> change = replaced.frame["nll"] - replaced.frame["nll_before"]
    >>> importance = explainer.importance("nll", ["x1"], n_repeats=1).importance[0]
    >>> bool(np.isclose(change.mean(), importance))
    True
    """

    feature: str
    replacement: str
    seed: int
    donors: Positions
    X: Any
    distributions: tuple[Distribution, ...]
    original: Distribution
    frame: pd.DataFrame

    def __repr__(self) -> str:
        repeats, n = self.donors.shape
        return (
            f"Replaced({self.feature}, {self.replacement}, {repeats} x {n:,} rows, "
            f"seed {self.seed})"
        )


def replaced_rows(
    evaluations: Evaluations,
    feature: str,
    measures: Sequence[Measure],
    scheme: Scheme,
    n_repeats: int,
    seed: int,
    callback: ProgressCallback | None = None,
) -> Replaced:
    """Ask the model about the rows with replaced values.

    Parameters
    ----------
    evaluations : Evaluations
    feature : str
        A feature or a group of features that move together.
    measures : sequence of Measure
        Whose values the frame has.
    scheme : {"permutation", "ablation", "conditional"}
    n_repeats, seed : int
        The repeats are those of an importance with the same seed.
    callback : callable, optional
        See `Evaluations.evaluate_all`.
    """
    table = evaluations.table
    columns = table.columns_of(feature)
    drawn = [Drawn(columns, scheme, k, seed) for k in range(n_repeats)]
    donors = evaluations.donors(columns, scheme, seed, n_repeats)
    distributions = tuple(evaluations.distributions(drawn, callback=callback))
    n = len(table)
    frame = pd.DataFrame(
        {
            "repeat": np.repeat(np.arange(n_repeats), n),
            "row": np.tile(np.arange(n), n_repeats),
            "donor": donors.ravel(),
        }
    )
    for measure in measures:
        before = evaluations.original_values(measure)
        frame[f"{measure.name}_before"] = np.tile(before, n_repeats)
        frame[measure.name] = evaluations.values(drawn, measure, callback).ravel()
    return Replaced(
        feature=feature,
        replacement=scheme,
        seed=seed,
        donors=donors,
        X=table.stacked([RowBlock(range(n), columns, each) for each in donors]),
        distributions=distributions,
        original=evaluations.original,
        frame=frame,
    )
