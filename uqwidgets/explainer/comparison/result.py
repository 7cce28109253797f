"""Difference: the result of a comparison of two models, or of two groups of rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.result import Dependence
from uqwidgets.importance.result import Importance
from uqwidgets.inference.tested import Hypotheses, WithTests
from uqwidgets.performance.result import Scores
from uqwidgets.stress.result import Stress

if TYPE_CHECKING:
    import altair as alt

Compared = Importance | Dependence | Stress | Scores
# The columns of a frame that name its lines, and the one that holds the value.
_COLUMNS: dict[type[Compared], tuple[list[str], str]] = {
    Importance: (["feature"], "importance"),
    Dependence: (["value"], "average"),
    Stress: (["feature", "tau", "indicator"], "value"),
    Scores: (["score"], "value"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Difference(WithTests):
    """Two results side by side, and the first minus the second with an interval of its own.

    The methods of `ModelComparison` and `RowsComparison` return it. The interval of the difference
    accounts for what both results share: the rows, and the donors of replaced values. It is usually
    much narrower than the two intervals suggest: they may overlap although the difference is clear.

    Attributes
    ----------
    names : tuple of (str, str)
        Of the two sides.
    first, second : Importance, Dependence, Stress or Scores
        The result of each side, over the same features, values, levels of tau or scores.
    difference : Importance, Dependence, Stress or Scores
        First minus second, of the same kind: the result for the difference of the two measures.
    remarks : tuple of Remark
        What a reader of the numbers should know.

    See Also
    --------
    Explainer.compare : Compares two fitted models.

    References
    ----------
    Hoeffding 1948; Wood et al. 2024, eq. 5; Molnar et al. 2023, eq. 5; Bachoc et al. 2023; Bonett
    and Price 2012; DeLong et al. 1988.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> one = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> two = uq.Explainer(lambda X: X[:, 0] + 0.1 * X[:, 1], X, X[:, 0])
    >>> result = one.compare(two, names=("plain", "noisy")).importance("squared_error")
    >>> list(result.frame)
    ['feature', 'first', 'second', 'difference', 'low', 'high']
    >>> result.title
    'plain minus noisy'
    """

    names: tuple[str, str]
    first: Compared
    second: Compared
    difference: Compared
    remarks: tuple[Remark, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One line per feature, value, score or level of tau, in the order of the first side.

        Columns that name the line (``feature``, ``value``, ``score``, or ``feature, tau,
        indicator``), then ``first, second``, the values of both sides, and ``difference, low,
        high``. The intervals of the sides are in their own frames.
        """
        keys, _ = _COLUMNS[type(self.first)]
        frame = self.aligned(self.first).rename(columns={"value_": "first"})[[*keys, "first"]]
        frame["second"] = self.aligned(self.second)["value_"]
        own = self.aligned(self.difference)
        return frame.assign(difference=own["value_"], low=own["low_"], high=own["high_"])

    def aligned(self, side: Compared) -> pd.DataFrame:
        """Return a side, or the difference, line by line in the order of the first side.

        Returns
        -------
        DataFrame
            The columns that name the line, and ``value_, low_, high_``.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, X[:, 0]) for b in (1, 0.5))
        >>> result = one.compare(two).importance("squared_error")
        >>> result.aligned(result.second)["feature"].tolist() == list(result.first.features)
        True
        """
        keys, value = _COLUMNS[type(side)]
        lines = self.first.frame[keys]
        columns = {value: "value_", "low": "low_", "high": "high_"}
        numbers = side.frame[[*keys, *columns]].rename(columns=columns)
        # Only features differ in their order: each importance has its own.
        return lines.merge(numbers, on=keys) if isinstance(side, Importance) else numbers

    def _hypotheses(self, null: float | None) -> Hypotheses:
        return self.difference._hypotheses(null)

    def rows_needed(self) -> pd.DataFrame:
        """Estimate how many rows would leave zero outside the interval of each difference.

        Of scores, it follows from the distance between the difference and the end of its interval
        that is nearer to zero, which narrows with the root of the number of rows. Of two groups of
        rows, it is the number in the first, where the second grows by the same factor.

        Returns
        -------
        DataFrame
            As from `Importance.rows_needed`; of scores, with the column ``score`` instead of
            ``feature``.

        Raises
        ------
        ValueError
            If the result is no comparison of importance or of scores.

        See Also
        --------
        Importance.rows_needed : The same for one importance.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 1))
        >>> y = X[:, 0] + rng.normal(size=200)
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, y) for b in (1, 0.6))
        >>> needed = one.compare(two).scores("squared_error").rows_needed()
        >>> needed.columns.tolist(), bool(20 < needed["rows"][0] < 500)
        (['score', 'rows'], True)
        """
        of = self.difference
        if isinstance(of, Importance):
            return of.rows_needed()
        if not isinstance(of, Scores):
            raise ValueError(
                "only differences of importance and of scores say how many rows they need."
            )
        what, number = "rows", of.n_rows
        if of.groups is not None:
            what, number = "groups", of.groups.number
        nearer = np.where(of.value > 0, of.value - of.low, of.high - of.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.square(nearer / of.value)
        times = np.where(np.abs(of.value) <= of.std_error, np.inf, times)
        times = np.where(np.isfinite(nearer), times, np.nan)
        return pd.DataFrame({"score": list(of.names), what: np.ceil(times * number)})

    @property
    def title(self) -> str:
        """The difference in words."""
        return minus(self.names)

    @property
    def _heading(self) -> str:
        return f"{self.title}. {self.first._heading}"

    def _repr_html_(self) -> str:
        from uqwidgets.explainer.comparison.html import difference_html

        return difference_html(self)

    def to_altair(self) -> alt.ConcatChart | alt.LayerChart:
        """Return an Altair chart of the same numbers, to restyle or save.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> one, two = (uq.Explainer(lambda X, b=b: b * X[:, 0], X, X[:, 0]) for b in (1, 0.5))
        >>> chart = one.compare(two).importance("squared_error").to_altair()
        >>> type(chart).__name__
        'ConcatChart'
        """
        from uqwidgets.explainer.comparison.figure import difference_figure
        from uqwidgets.plotting.altair import chart

        return chart(difference_figure(self))


def minus(names: tuple[str, str]) -> str:
    """Return the difference of two named sides in words."""
    return f"{names[0]} minus {names[1]}"


def side_by_side(
    names: tuple[str, str],
    first: Compared,
    second: Compared,
    difference: Compared,
    general: Collection[Remark] = (),
) -> Difference:
    """Return both results and their difference, with the remarks of a side behind its name.

    Parameters
    ----------
    names, first, second, difference
        See `Difference`.
    general : collection of Remark
        Remarks on both sides, which come first and are not repeated for a side.
    """
    of_sides = [
        Remark(remark.code, f"{name}: {remark}")
        for name, side in zip(names, (first, second), strict=True)
        for remark in side.remarks
        if remark not in general
    ]
    remarks = tuple(dict.fromkeys([*general, *of_sides]))
    return Difference(names, first, second, difference, remarks)
