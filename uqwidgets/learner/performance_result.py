"""Performance: what a learner's models make of rows they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets.plotting.repr import in_unit, lines

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, eq=False, repr=False)
class Performance:
    """Mean of a measure, or of a metric, over refits.

    Attributes
    ----------
    learner, measure, label, unit : str
    mean, std_error, low, high : float
        With the variance of the mean corrected for rows that refits share (Molnar et al. 2023,
        section 7.3).
    per_refit : ndarray of shape (m,)
    level : float
    correction : float
        What is added to 1/m in the variance.
    remarks : tuple of str
        What a reader of the numbers should know.
    """

    learner: str
    measure: str
    label: str
    unit: str
    mean: float
    std_error: float
    low: float
    high: float
    per_refit: Floats
    level: float
    correction: float
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One line: ``learner, measure, mean, std_error, low, high``."""
        return pd.DataFrame(
            [(self.learner, self.measure, self.mean, self.std_error, self.low, self.high)],
            columns=["learner", "measure", "mean", "std_error", "low", "high"],
        )

    @property
    def title(self) -> str:
        """What this is, as a heading."""
        return f"Mean {self.label}{in_unit(self.unit)} of {self.learner}"

    @property
    def how(self) -> str:
        """How it was averaged, in words."""
        return _over(self.per_refit, self.level, self.correction)

    def __repr__(self) -> str:
        return lines(f"{self.title} {self.how}", self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.learner.performance_html import performance_html

        return performance_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.learner.performance_chart import performance_chart

        return performance_chart(self)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Difference of two learners' performance on the same resamples.

    Attributes
    ----------
    learner, other, measure, label, unit : str
    difference, std_error, low, high : float
        Of the first minus the second, with the corrected variance (Molnar et al. 2023, sections 7.3
        and 9).
    p_value : float
        Two-sided, of the corrected resampled t test (Nadeau and Bengio 2003).
    per_refit : ndarray of shape (m,)
        Paired differences.
    level : float
    correction : float
    remarks : tuple of str
        What a reader of the numbers should know.
    """

    learner: str
    other: str
    measure: str
    label: str
    unit: str
    difference: float
    std_error: float
    low: float
    high: float
    p_value: float
    per_refit: Floats
    level: float
    correction: float
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One line: ``learner, other, measure, difference, std_error, low, high, p_value``."""
        names = ["learner", "other", "measure", "difference", "std_error", "low", "high", "p_value"]
        return pd.DataFrame([[getattr(self, name) for name in names]], columns=names)

    @property
    def title(self) -> str:
        """What this is, as a heading."""
        return f"Mean {self.label}{in_unit(self.unit)} of {self.learner} minus that of {self.other}"

    @property
    def how(self) -> str:
        """How it was averaged, in words."""
        return _over(self.per_refit, self.level, self.correction)

    def __repr__(self) -> str:
        return lines(f"{self.title} {self.how}", self.frame, self.remarks)

    def _repr_html_(self) -> str:
        from uqwidgets.learner.performance_html import comparison_html

        return comparison_html(self)

    def to_altair(self) -> alt.LayerChart:
        """Chart of the same numbers, to restyle or save."""
        from uqwidgets.learner.performance_chart import comparison_chart

        return comparison_chart(self)


def _over(per_refit: Floats, level: float, correction: float) -> str:
    """Return over what the mean is, and how its interval was made."""
    return f"over {len(per_refit)} refits, {level:.0%} interval with correction {correction:.3g}"
