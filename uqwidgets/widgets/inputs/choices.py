"""The measures, scorers and groups of rows that the controls offer, and the defaults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import pandas as pd

from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import in_groups
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, find_metric
from uqwidgets.predictive import Point

#: Of every interval.
LEVEL = 0.95
# Features that are looked at as groups of rows, the first ones, and those that are offered.
_MOST_FEATURES, _MOST_OFFERED = 200, 20


def curve_measures(explainer: Explainer) -> list[Measure]:
    """Return the measures that are offered as curves, predictions first."""
    measures = [m for m in _available(explainer) if "curve" in m.offered_as]
    return sorted(measures, key=lambda m: not m.is_prediction)


def sliced_measures(explainer: Explainer) -> list[Measure]:
    """Return the measures that are offered for slices: losses first, then those of uncertainty."""
    measures = [m for m in _available(explainer) if not m.is_prediction]
    return sorted(measures, key=lambda m: not m.needs_truth)


def offered_scorers(explainer: Explainer) -> list[Metric]:
    """Return the scorers that are offered beside the measures; others can be set by name."""
    classes = explainer.classes
    if not explainer.table.has_target:
        return []
    if classes is None:
        names = ["r2", "neg_root_mean_squared_error"]
    else:
        is_ranked = not isinstance(explainer.evaluations.original, Point)
        auc = "roc_auc" if len(classes) == 2 else "roc_auc_ovr"
        names = ["accuracy", "balanced_accuracy", *([auc] if is_ranked else [])]
    return [find_metric(name, classes) for name in names]


def offered_groups(explainer: Explainer) -> dict[str, str]:
    """Return what the groups of rows are by each column that is offered, such as "30 patients".

    They are the extra columns, and features of whole numbers or of categories, with at least two
    rows for each value on average; others can be set by name.
    """
    table, offered = explainer.table, {}
    features = [name for name in table.features[:_MOST_FEATURES] if _has_labels(table, name)]
    for name in (*explainer.extra.names, *features):
        with suppress(ValueError):  # a single value, or a missing one
            groups = in_groups(explainer, name).table.row_groups
            if groups is not None and len(groups) <= len(table) / 2:
                offered[name] = str(groups)
        if len(offered) >= _MOST_OFFERED:
            break
    return offered


def offered_times(explainer: Explainer) -> list[str]:
    """Return the columns of dates by which rows can be ordered; others can be set by name."""
    offered: list[str] = []
    for name in islice(date_columns(explainer), _MOST_OFFERED):
        with suppress(ValueError):  # a missing value, or too few rows or distinct values
            in_groups(explainer, None, name)
            offered.append(name)
    return offered


def date_columns(explainer: Explainer) -> Iterator[str]:
    """Yield the extra columns and features that hold dates."""
    for columns in (explainer.extra, explainer.table):
        for name in columns.names[:_MOST_FEATURES]:
            if columns.holds_dates(name) and columns.missing(name) < len(explainer.table):
                yield name


def _has_labels(table: Table, name: str) -> bool:
    dtype = table.column(name).dtype
    return table.kind(name) == "categorical" or bool(pd.api.types.is_integer_dtype(dtype))


def importance_measures(explainer: Explainer) -> list[Measure]:
    """Return the one or two measures whose importance the widget shows by default.

    They are the first loss with its measure of uncertainty, else the first loss alone; without a
    target, the first measure.
    """
    measures = {m.name: m for m in _available(explainer)}
    for measure in measures.values():
        if measure.shown_with in measures:
            return [measure, measures[measure.shown_with]]
    for measure in measures.values():
        if measure.needs_truth:
            return [measure]
    return [next(iter(measures.values()))]


def _available(explainer: Explainer) -> list[Measure]:
    names = explainer.measure_names
    if not names:
        raise ValueError("a model of labels alone gives no measure without y; pass y to Explainer.")
    return [explainer.measure(name) for name in names]
