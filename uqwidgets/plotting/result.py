"""Result: the base class of all results, and the words of their headings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pandas as pd

from uqwidgets._utils.choices import one_of
from uqwidgets._utils.remarks import Remark
from uqwidgets.plotting.text import counted

if TYPE_CHECKING:
    import altair as alt


class Result(ABC):
    """A frozen result: a tidy table, remarks, a text, a static picture and an Altair chart.

    Attributes
    ----------
    remarks : tuple of Remark
        Sentences that a reader of the numbers should know.
    """

    remarks: tuple[Remark, ...] = ()
    pointwise_level: float | None = None

    @property
    def simultaneous(self) -> bool:
        """Whether all intervals hold at once with the level; else each holds by itself."""
        return self.pointwise_level is not None

    @property
    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Tidy table of the numbers."""

    @property
    @abstractmethod
    def _heading(self) -> str:
        """First line of the text: what the numbers are, and how they were computed."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return a static picture, which needs neither a kernel nor the network."""

    @abstractmethod
    def to_altair(
        self,
    ) -> (
        alt.Chart
        | alt.LayerChart
        | alt.FacetChart
        | alt.ConcatChart
        | alt.VConcatChart
        | alt.HConcatChart
    ):
        """Chart of the same numbers, to restyle or save."""

    def to(self, library: str) -> Any:
        """Return the numbers of `frame` as a table of another library.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}

        Returns
        -------
        DataFrame of pandas or polars, or Table of pyarrow
            A column that holds texts beside other values holds their texts.

        Raises
        ------
        ValueError
            If the library is another one.
        ImportError
            If it is not installed.

        See Also
        --------
        to_altair : The chart.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> result = uq.Explainer(lambda X: X[:, 0], X, X[:, 0]).importance("squared_error")
        >>> result.to("pyarrow").column_names
        ['feature', 'importance', 'std_error', 'low', 'high']
        """
        one_of(("pandas", "polars", "pyarrow"), library, "library")
        if library == "pandas":
            return self.frame
        try:
            module = import_module(library)
        except ImportError as error:
            raise ImportError(
                f"{library} is not installed; install it, or use the frame of pandas (.frame)."
            ) from error
        columns = {str(name): _plain(column) for name, column in self.frame.items()}
        return module.DataFrame(columns) if library == "polars" else module.table(columns)

    def __repr__(self) -> str:
        return self._text(self.frame, self.remarks)

    def _text(self, table: pd.DataFrame, notes: tuple[str, ...]) -> str:
        """Return the heading, at most twelve lines of a table, and notes."""
        lines = table.to_string(index=False, max_rows=12, float_format=lambda v: f"{v:.4g}")
        return "\n".join([self._heading, lines, *(f"note: {note}" for note in notes)])


def _plain(column: pd.Series) -> list[Any]:
    values = [None if value is pd.NA or value is pd.NaT else value for value in column.tolist()]
    kinds = {type(value) for value in values if value is not None}
    if str not in kinds or len(kinds) == 1:
        return values
    return [None if pd.isna(value) else str(value) for value in values]


def at_once(result: Result, number: int) -> str:
    """Return ", all <number> at once" if the intervals of a result hold so, or nothing."""
    return f", all {number} at once" if result.simultaneous and number > 1 else ""


def named_interval(interval: str, level: float) -> str:
    """Return the name of an interval; of quantiles of the repeats also which ones they are."""
    if interval != "quantile":
        return interval
    tail = 50 * (1 - level)
    return f"quantile: {tail:.3g} % to {100 - tail:.4g} % of the repeats"


def in_unit(unit: str) -> str:
    """Return " in <unit>", or nothing without a unit."""
    return f" in {unit}" if unit else ""


# Replacements that treat every row alike and need no repeats.
_WITHOUT_REPEATS = {
    "refit": "fitted anew without it",
    "mean": "set to its mean",
    "median": "set to its median",
    "mode": "set to its most frequent value",
    "constant": "set to one value",
}


def replaced(replacement: str, n_repeats: int | str) -> str:
    """Return a description of the replacement and its repeats."""
    if replacement in _WITHOUT_REPEATS:
        return _WITHOUT_REPEATS[replacement]
    repeats = "every donor" if n_repeats == "all" else counted(int(n_repeats), "repeat")
    given = ", given these subgroups" if replacement == "conditional" else ""
    return f"{replacement}{given}, {repeats}"


def over_refits(n_refits: int) -> str:
    """Return ", mean over <n> refits" for a learner, or nothing for one model."""
    return f", mean over {n_refits} refits" if n_refits else ""
