"""The selected rows of a table: their values and predictions."""

from __future__ import annotations

from typing import Any

import pandas as pd

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.choices import curve_measures
from uqwidgets.widgets.inputs.rows_text import rows_of_text


def selected_rows(explainer: Explainer, selection: str) -> pd.DataFrame:
    """Return rows as `Explorer.selected` does.

    Parameters
    ----------
    explainer : Explainer
    selection : str
        See `uqwidgets.widgets.inputs.rows_text`.
    """
    table, evaluations = explainer.table, explainer.evaluations
    rows = rows_of_text(selection, len(table))
    columns = {name: table.column(name).take(rows) for name in table.features}
    added: dict[str, Any] = {}
    if table.has_target:
        added[table.target] = table.y[rows]
    if explainer.classes is not None:
        added["predicted class"] = predicted_classes(explainer, rows)
    for measure in curve_measures(explainer):
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
