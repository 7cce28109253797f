"""CurveGrid: curves of several features, side by side on one vertical axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.result import Dependence
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import listed, with_unit

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class CurveGrid(Result):
    """Curves of several features by one measure, side by side on one vertical axis.

    On one axis, a steep curve is one that matters more than a flat one.

    Parameters
    ----------
    curves : sequence of Dependence
        By the same measure; results of `Explainer.dependence` for different features.

    Attributes
    ----------
    curves : tuple of Dependence
    remarks : tuple of Remark
        What a reader of the numbers should know.

    Raises
    ------
    TypeError
        If an entry is no `Dependence`.
    ValueError
        If there is none, or they have different measures or forms.

    See Also
    --------
    Explainer.dependence : Makes one curve.

    References
    ----------
    Friedman 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> explainer = uq.Explainer(lambda X: X[:, 0] + X[:, 1] ** 2, X)
    >>> grid = uq.CurveGrid([explainer.dependence(name) for name in explainer.features])
    >>> sorted(set(grid.frame["feature"]))
    ['x0', 'x1', 'x2']
    """

    curves: Sequence[Dependence]
    remarks: tuple[Remark, ...] = field(init=False)

    def __post_init__(self) -> None:
        curves = tuple(self.curves)
        for curve in curves:
            if not isinstance(curve, Dependence):
                raise TypeError(
                    f"curves contains {type(curve).__name__}; pass results of dependence(feature)."
                )
        if not curves:
            raise ValueError("curves is empty; pass at least one result of dependence(feature).")
        quantities = list(dict.fromkeys(self._quantity_of(curve) for curve in curves))
        if len(quantities) > 1:
            raise ValueError(
                f"curves are of {listed(quantities)}, which share no axis; pass curves of one "
                "measure and form."
            )
        remarks = tuple(dict.fromkeys(r for curve in curves for r in curve.remarks))
        # A frozen dataclass refuses plain assignments.
        object.__setattr__(self, "curves", curves)
        object.__setattr__(self, "remarks", remarks)

    @property
    def frame(self) -> pd.DataFrame:
        """One line per value of a feature, with the columns of `Dependence.frame`.

        Values are as in their table, so that the column holds numbers and categories.
        """
        return pd.concat(
            [one.frame.assign(feature=one.feature) for one in self.curves], ignore_index=True
        )

    @property
    def quantity(self) -> str:
        """What the vertical axis shows, with its unit."""
        return self._quantity_of(self.curves[0])

    @property
    def _heading(self) -> str:
        features = listed([curve.feature for curve in self.curves])
        return f"{self.quantity} along {features}"

    def _repr_html_(self) -> str:
        from uqwidgets.dependence.curve_grid_html import curve_grid_html

        return curve_grid_html(self)

    def to_altair(self, columns: int = 3) -> alt.ConcatChart:
        """Return an Altair chart with one panel a feature, to restyle or save.

        Parameters
        ----------
        columns : int, default=3
            Panels beside each other.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X)
        >>> grid = uq.CurveGrid([explainer.dependence(name) for name in explainer.features])
        >>> len(grid.to_altair(columns=2).concat)
        2
        """
        from uqwidgets.dependence.figure import curve_grid_figure
        from uqwidgets.plotting.altair import concatenated

        return concatenated(curve_grid_figure(self, columns))

    @staticmethod
    def _quantity_of(curve: Dependence) -> str:
        return with_unit(curve.quantity, curve.unit)
