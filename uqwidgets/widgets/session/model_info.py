"""Description of the model and of the table, and the choices of every control.

It changes with the shown model alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets.evaluation.columns import Columns
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import model_names
from uqwidgets.inference import INTERVALS
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric
from uqwidgets.stress.indicators import Indicator
from uqwidgets.widgets.inputs.choices import (
    LEVEL,
    curve_measures,
    offered_groups,
    offered_scorers,
    offered_times,
)
from uqwidgets.widgets.inputs.inputs import immovable
from uqwidgets.widgets.kernel.frames import SCHEMA, plain
from uqwidgets.widgets.session.help import URGENT, help_texts
from uqwidgets.widgets.views.pixels import rows_of_picture
from uqwidgets.widgets.views.view import View

# Categories of a column that a filter offers one by one, and of all columns together.
_MOST_VALUES, _MOST_VALUES_OF_ALL = 1000, 10_000


def model_info(
    explainer: Explainer, views: Iterable[View] = (), title: str | None = None
) -> dict[str, Any]:
    """Describe an explainer and its views in plain types for the front end.

    Parameters
    ----------
    explainer : Explainer
    views : iterable of View, optional
    title : str, optional
        Name of the model; by default its kind.
    """
    classes, has_target = explainer.classes, explainer.table.has_target
    shown = list(views)
    offered = _offered(explainer)
    return dict(
        plain(
            {
                "schema": SCHEMA,
                "title": title or explainer.name,
                "others": list(explainer.others),
                # All models, the first one first, and which of them this is; none where it is one.
                "models": model_names(explainer),
                "model": explainer.name if explainer.others else "",
                "task": "regression" if classes is None else "classification",
                "target": explainer.table.target if has_target else None,
                # Rows are coloured and filtered by them; without a target there are none.
                "classes": [str(c) for c in classes] if classes is not None and has_target else [],
                "n_rows": len(explainer.table),
                "level": LEVEL,
                "features": [
                    {**_column(explainer.table, f, offered), **_as_feature(explainer, f)}
                    for f in explainer.features
                ],
                "extra": [_column(explainer.extra, f, offered) for f in explainer.extra.names],
                "measures": [_choice(m) for m in curve_measures(explainer)],
                "scorers": [_choice(m) for m in offered_scorers(explainer)],
                "indicators": [_choice(i) for i in explainer.indicators.values()],
                "intervals": list(INTERVALS),
                # One at a time, or all at once.
                "simultaneous": [False, True],
                # The first are those of the explainer, or each row by itself; the last are orders.
                "groups": [
                    *({"name": name, "text": text} for name, text in _groups(explainer).items()),
                    *(
                        {"name": name, "text": f"in the order of {name}", "time": True}
                        for name in offered_times(explainer)
                    ),
                ],
                "urgent": list(URGENT),
                # Offered, and drawn where the input image_rows is that number.
                "picture_rows": rows_of_picture(explainer.features),
                "views": [view.name for view in shown],
                "help": help_texts(shown),
            }
        )
    )


def _choice(one: Measure | Metric | Indicator) -> dict[str, Any]:
    """Describe a measure, a scorer or an indicator; a bound that does not exist is None."""
    return {"name": one.name, "label": one.label, "unit": one.unit, "bounds": one.bounds}


def _groups(explainer: Explainer) -> dict[str, str | None]:
    own = explainer.table.row_groups
    return {"": None if own is None else str(own), **offered_groups(explainer)}


def _offered(explainer: Explainer) -> dict[str, tuple[str, ...]]:
    """Return the values of columns that have categories, if these are few enough to be offered."""
    offered, total = {}, 0
    for columns in (explainer.extra, explainer.table):
        for name in columns.names:
            if columns.kind(name) == "numeric" or columns.holds_dates(name):
                continue
            texts = columns.labels(name).texts
            if len(texts) <= min(_MOST_VALUES, _MOST_VALUES_OF_ALL - total):
                offered[name] = texts
                total += len(texts)
    return offered


def _column(columns: Columns, name: str, offered: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Describe a feature or an extra column, by which rows can be filtered."""
    column, missing = columns.column(name), columns.missing(name)
    low = high = dates = None
    if columns.kind(name) == "numeric":
        span = columns.span(name)
        low, high = (None, None) if np.isnan(span.low) else (span.low, span.high)
    elif columns.holds_dates(name) and missing < len(column):
        dates = [moment.date().isoformat() for moment in (column.min(), column.max())]
    return {
        "name": name,
        "kind": columns.kind(name),
        "min": low,
        "max": high,
        "integer": bool(pd.api.types.is_integer_dtype(column.dtype)),
        "values": offered.get(name),
        # The first and the last day.
        **({} if dates is None else {"dates": dates}),
        "missing": missing,
    }


def _as_feature(explainer: Explainer, name: str) -> dict[str, Any]:
    table = explainer.table
    group = next((g for g, members in table.groups.items() if name in members), None)
    return {
        **({} if group is None else {"group": group}),
        "unstressable": immovable(table, name),
    }
