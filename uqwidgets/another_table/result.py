"""Weights that make the rows at hand look like those of another table, and how the two differ."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.another_table.weights import TowardsTable
from uqwidgets.inference import Bounds
from uqwidgets.plotting.text import counted
from uqwidgets.stress.constrained.result import Reweighting


@dataclass(frozen=True, eq=False, repr=False)
class TableReweighting(Reweighting):
    """Weights of the rows at hand towards another table, and how the two tables differ.

    `Explainer.stress_to` returns it for ``table=``. Pass it, or its ``weights``, as
    ``sample_weight``.

    Attributes
    ----------
    features, moments : tuple of str, length k
        The column and the moment of each line: a mean, a mean square, or a share.
    here, there : ndarray of shape (k,)
        Moments of both tables, in the unit of the column; mean squares around the mean here.
    difference, low, high : ndarray of shape (k,)
        There minus here, in standard deviations here (a share as it is); the intervals of all hold
        at once.
    left : ndarray of shape (k,)
        What is left of the difference with the weights.
    misses : ndarray of shape (k,)
        The same in standard errors of the moment there.
    told_apart, told_apart_weighted : Bounds
        Area under the ROC curve of a classifier, out of fold, that tells rows of the two tables
        apart, without and with the weights: 0.5 if it cannot.
    outside : ndarray of bool, shape (m,)
        Rows of the other table without a counterpart here.
    what_is_outside : dict of str to (float, str)
        By column, the share of these rows and their values in words.
    n_there : int
        Rows of the other table.
    level : float
        Of all intervals.
    towards : TowardsTable
        What the influences of rows on anything expected there follow from.

    See Also
    --------
    Explainer.expected : Scores that are expected in the other table.

    References
    ----------
    Bachoc et al. 2023, section 2.2; Dudík et al. 2007.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X, new = rng.normal(size=(500, 2)), rng.normal(size=(400, 2)) + [0.5, 0.0]
    >>> weights = uq.Explainer(lambda X: X[:, 0], X, X[:, 0]).stress_to(table=new)
    >>> weights.frame["feature"][0]  # what differs most
    'x0'
    >>> bool(abs(weights.left).max() < 0.05)
    True
    """

    features: tuple[str, ...] = field(kw_only=True)
    moments: tuple[str, ...] = field(kw_only=True)
    here: Floats = field(kw_only=True)
    there: Floats = field(kw_only=True)
    difference: Floats = field(kw_only=True)
    low: Floats = field(kw_only=True)
    high: Floats = field(kw_only=True)
    left: Floats = field(kw_only=True)
    misses: Floats = field(kw_only=True)
    told_apart: Bounds = field(kw_only=True)
    told_apart_weighted: Bounds = field(kw_only=True)
    outside: npt.NDArray[np.bool_] = field(kw_only=True)
    what_is_outside: dict[str, tuple[float, str]] = field(kw_only=True)
    n_there: int = field(kw_only=True)
    level: float = field(kw_only=True)
    towards: TowardsTable = field(kw_only=True)

    @property
    def frame(self) -> pd.DataFrame:
        """One line for each moment, the largest difference first.

        The columns are ``feature, moment, here, there, difference, low, high, reached, left,
        misses``.
        """
        frame = pd.DataFrame(
            {
                "feature": list(self.features),
                "moment": list(self.moments),
                "here": self.here,
                "there": self.there,
                "difference": self.difference,
                "low": self.low,
                "high": self.high,
                "reached": self.reached,
                "left": self.left,
                "misses": self.misses,
            }
        )
        order = np.argsort(-np.abs(self.difference), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    @property
    def _heading(self) -> str:
        apart = (
            f"; a classifier tells them apart with an area of {self.told_apart.estimate:.2f}, "
            f"with the weights {self.told_apart_weighted.estimate:.2f}"
        )
        return (
            f"Weights of {counted(self.n_rows, 'row')} towards another table of "
            f"{counted(self.n_there, 'row')}: effective sample size {self.ess:.4g}{apart}"
        )
