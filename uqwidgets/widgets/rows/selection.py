"""The selected rows of an explorer: positions, and the values and predictions of these rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.choices import curve_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.inputs.rows_text import rows_of_text
from uqwidgets.widgets.session.shown_model import ShownModel


class Selectable(ShownModel):
    """The selected rows of an explorer."""

    # Defined by Explorer.
    _inputs: Callable[[], tuple[Inputs, str | None]]

    @property
    def selected(self) -> pd.DataFrame:
        """The selected rows of X, with the target, the prediction and measures of uncertainty.

        Returns
        -------
        DataFrame
            With the index of X; the columns of X come first. A name that X has too is followed
            by "of the model".

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(6.0).reshape(3, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer, selection=[0, 2]) as explorer:
        ...     explorer.selected["x1"].tolist(), explorer.selected.index.tolist()
        ([1.0, 5.0], [0, 2])
        """
        table, evaluations = self.explainer.table, self.explainer.evaluations
        rows = rows_of_text(self._inputs()[0].selection, len(table))
        columns = {name: table.column(name).take(rows) for name in table.features}
        added: dict[str, Any] = {}
        if table.has_target:
            added[table.target] = table.y[rows]
        if self.explainer.classes is not None:
            added["predicted class"] = predicted_classes(self.explainer, rows)
        for measure in curve_measures(self.explainer):
            added[measure.label] = evaluations.original_values(measure)[rows]
        for name, values in added.items():
            while name in columns:
                name += " of the model"
            columns[name] = pd.Series(values, index=rows)
        frame = pd.DataFrame(columns)
        frame.index = table.row_labels.take(rows)
        return frame


def predicted_classes(explainer: Explainer, rows: Any) -> Any:
    """Return the predicted class of some rows, shape (m,)."""
    evaluations = explainer.evaluations
    codes = evaluations.predicted_codes(evaluations.answer.take(rows))
    return evaluations.predicted_labels[codes]
