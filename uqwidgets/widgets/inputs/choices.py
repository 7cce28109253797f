"""The measures and scorers that the controls offer, and those that are shown by default."""

from __future__ import annotations

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.measures import Measure
from uqwidgets.metrics import Metric, find_metric
from uqwidgets.predictive import Point

#: Of every interval.
LEVEL = 0.95


def curve_measures(explainer: Explainer) -> list[Measure]:
    """Return the measures that are offered as curves, predictions first."""
    measures = [m for m in _available(explainer) if "curve" in m.offered_as]
    return sorted(measures, key=lambda m: not m.is_prediction)


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
