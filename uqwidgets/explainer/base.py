"""What all questions to an explainer share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import as_names
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.table import Table
from uqwidgets.measures import Function, Measure, Offers, described, find


class Explained:
    """The model, the table, and what can be measured."""

    table: Table
    evaluations: Evaluations
    classes: npt.NDArray[np.generic] | None
    seed: int
    _measures: Offers

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns the model sees, in its order."""
        return self.table.features

    @property
    def model_calls(self) -> int:
        """How often the model was called so far."""
        return self.evaluations.model_calls

    @property
    def rows_evaluated(self) -> int:
        """How many rows the model was asked so far, over all calls."""
        return self.evaluations.rows_evaluated

    def measures(self) -> pd.DataFrame:
        """Names that can be asked for with this model, and why the others cannot.

        Of ``interval_width:<level>`` one is listed; any level between 0 and 1 may be asked for.

        Returns
        -------
        DataFrame
            Columns ``measure, label, unit, available, reason``.
        """
        lines = [
            (name, "", "", False, found)
            if isinstance(found, str)
            else (name, found.label, found.unit, True, "")
            for name, found in described(self._measures)
        ]
        return pd.DataFrame(lines, columns=["measure", "label", "unit", "available", "reason"])

    def measure(self, measure: str | Function) -> Measure:
        """Return the measure of this name, or of this function.

        Parameters
        ----------
        measure : str or callable
            A name (see `measures`), or ``f(distribution, y)`` that returns one finite number
            per row of the distribution; y holds the labels of the same rows as they are in the
            target. What it returns is remembered: it must depend on its arguments alone.

        Raises
        ------
        ValueError
            If there is none, or this model does not give it; the message says why.
        """
        return find(measure, self._measures)

    def units(self, features: Sequence[str] | None = None) -> list[str]:
        """Return what importance is asked of: these features and groups, or all of them.

        Raises
        ------
        ValueError
            If one does not exist.
        """
        if features is None:
            return list(self.table.units)
        names = as_names(features)
        for name in names:
            self.table.columns_of(name)
        return [str(name) for name in names]

    def _named(self, features: Sequence[str] | None) -> list[str]:
        if features is None:
            return list(self.features)
        return [self.features[self.table.index(name)] for name in as_names(features)]
