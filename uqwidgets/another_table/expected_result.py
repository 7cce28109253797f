"""Expected: scores here, and scores that are expected in another table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.another_table.result import TableReweighting
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import counted, number

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Expected(Result):
    """Scores in the rows at hand and those that are expected in another table.

    `Explainer.expected` returns it.

    Attributes
    ----------
    names, labels, units : tuple of str, length s
        Of the scores; all arrays are in this order.
    here, here_low, here_high : ndarray of shape (s,)
        Scores of the rows at hand.
    there, there_low, there_high : ndarray of shape (s,)
        Scores that are expected in the other table.
    difference, low, high : ndarray of shape (s,)
        There minus here.
    own_here, own, own_low, own_high : ndarray of shape (s,)
        What the model expects of itself by its predictive distributions: in the rows at hand, and
        in those of the other table; NaN where there is no closed form.
    seen, surprise, surprise_low, surprise_high : ndarray of shape (s,)
        Scores of the rows there whose target was passed, and these minus those expected there, NaN
        without any. A surprise whose interval is clear of 0 means that the relation of y to x is
        another one there.
    by_feature : DataFrame
        Columns ``score, feature, difference, low, high``: what is expected if one column alone were
        as it is there, minus the score here.
    weights : TableReweighting
        How the tables differ, and the weights.
    level : float
    remarks : tuple of Remark

    See Also
    --------
    Explainer.expected : Computes it.
    Explainer.stress_to : The weights, which every other method takes as ``sample_weight``.

    References
    ----------
    Bachoc et al. 2023, section 2.2; Dudík et al. 2007; Shimodaira 2000.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> rng = np.random.default_rng(0)
    >>> X, new = rng.normal(size=(600, 2)), rng.normal(size=(400, 2)) + [0.5, 0.0]
    >>> y = X[:, 0] + rng.normal(size=600) * (1 + (X[:, 0] > 1))
    >>> expected = uq.Explainer(lambda X: X[:, 0], X, y).expected(new, scoring=["rmse"])
    >>> bool(expected.low[0] > 0)  # errors are larger where x0 is large, as it is there
    True
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    here: Floats
    here_low: Floats
    here_high: Floats
    there: Floats
    there_low: Floats
    there_high: Floats
    difference: Floats
    low: Floats
    high: Floats
    own_here: Floats
    own: Floats
    own_low: Floats
    own_high: Floats
    seen: Floats
    surprise: Floats
    surprise_low: Floats
    surprise_high: Floats
    by_feature: pd.DataFrame
    weights: TableReweighting
    level: float
    remarks: tuple[Remark, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One line for each score.

        The columns are ``score, here, there, there_low, there_high, difference, low, high,
        own_here, own``, and with known targets ``seen, surprise, surprise_low, surprise_high``.
        """
        names = ["here", "there", "there_low", "there_high", "difference", "low", "high"]
        names += ["own_here", "own"]
        if np.isfinite(self.seen).any():
            names += ["seen", "surprise", "surprise_low", "surprise_high"]
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame({"score": list(self.names), **columns})

    @property
    def _heading(self) -> str:
        weights = self.weights
        return (
            f"Scores of {counted(len(weights), 'row')}, and those expected in another table of "
            f"{counted(weights.n_there, 'row')}, like which {number(weights.ess)} effective rows "
            f"here look; {self.level:.0%} intervals"
        )

    def _repr_html_(self) -> str:
        from uqwidgets.another_table.html import expected_html

        return expected_html(self)

    def to_altair(self) -> alt.ConcatChart:
        """Chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> expected = uq.Explainer(lambda X: X[:, 0], X, X[:, 1]).expected(X + 0.2)
        >>> type(expected.to_altair()).__name__
        'ConcatChart'
        """
        from uqwidgets.another_table.figure import expected_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(expected_figure(self))
