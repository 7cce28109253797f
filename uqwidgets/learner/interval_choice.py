"""Which interval suits which result of a learner, and its simulated coverage."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner.resampling import RESAMPLINGS
from uqwidgets.measures import Measure

ResultKind = Literal[
    "importance by a loss",
    "importance by a measure without the target",
    "importance by a metric",
    "importance as a ratio",
    "importance by leaving features out",
    "curves of a measure without the target",
    "curves of a loss",
    "surfaces",
    "performance",
    "comparisons",
]
LearnerIntervalName = Literal["variance-components", "group-jackknife", "row-effect", "corrected"]
LEARNER_INTERVALS: tuple[LearnerIntervalName, ...] = get_args(LearnerIntervalName)

# Intervals that are computed from held-out values, for results that are means over held-out rows.
_FROM_HELD_OUT_VALUES: dict[ResultKind, tuple[LearnerIntervalName, ...]] = {
    "importance by a loss": ("variance-components", "group-jackknife", "row-effect"),
    "importance by a measure without the target": ("variance-components", "group-jackknife"),
    "curves of a measure without the target": ("variance-components", "group-jackknife"),
    "curves of a loss": ("variance-components", "group-jackknife"),
}


def depends_on_target(measure: Measure, explainer: Explainer) -> bool:
    """Whether a measure depends on the target: whether its values change with every target.

    Parameters
    ----------
    measure : Measure
    explainer : Explainer
        Of one refit.
    """
    evaluations = explainer.evaluations
    answers, truth = evaluations.original_for(measure), evaluations.truth
    classes = explainer.classes
    if classes is None and truth.dtype.kind in "iuf":
        changed = truth + 1
    elif classes is not None and truth.dtype.kind in "iu":
        changed = (truth + 1) % len(classes)
    else:  # the target of a model that predicts labels holds labels, not their positions
        labels = np.unique(truth if classes is None else np.concatenate([truth, classes]))
        changed = labels[(np.searchsorted(labels, truth) + 1) % len(labels)]
    return not np.array_equal(measure.of(answers, truth), measure.of(answers, changed))


def checked_interval(interval: LearnerIntervalName, kind: ResultKind) -> LearnerIntervalName:
    """Return the interval that the user requests, if its assumptions hold for this result.

    Raises
    ------
    ValueError
        If they do not.
    """
    suitable = _FROM_HELD_OUT_VALUES.get(kind, ())
    if interval == "corrected" or interval in suitable:
        return interval
    if not suitable:
        raise ValueError(
            f"interval {interval!r} needs a mean over rows, which this is not ({kind}); use "
            "interval='corrected'."
        )
    raise ValueError(
        f"interval {interval!r} assumes that a row has the same effect as a training row and as a "
        f"scored row, which holds for importance by a loss and not for {kind}; use "
        f"interval={suitable[0]!r}."
    )


def best_interval(kind: ResultKind, resampling: str) -> LearnerIntervalName:
    """Return the interval with the best coverage, and among equals the narrowest."""
    if kind not in _FROM_HELD_OUT_VALUES:
        return "corrected"
    if kind.startswith("curves") and resampling == "leave-two-groups-out":
        return "group-jackknife"
    return "variance-components"


_Coverage = dict[ResultKind, dict[LearnerIntervalName, tuple[tuple[int, int] | None, ...]]]
# Coverage of nominal 95 % intervals in simulations, in per cent (`benchmarks/coverage.md`, "Every
# result of a learner"): minimum and maximum over features, grid points and procedures. Each is of
# 100 to 140 tables, so that a coverage of 90 may well have been 93 in them. In the order of
# `RESAMPLINGS`; None was not simulated.
_STANDARD_ERROR = 3
_COVERAGE: _Coverage = {
    "importance by a loss": {
        "corrected": ((70, 100), (63, 100), (66, 100)),
        "variance-components": ((93, 100), (90, 100), (90, 100)),
        "row-effect": ((81, 100), (84, 100), (83, 100)),
        "group-jackknife": (None, None, (83, 100)),
    },
    "importance as a ratio": {"corrected": ((69, 100), (62, 100), (69, 100))},
    "importance by a metric": {"corrected": ((68, 100), (61, 100), (60, 100))},
    "importance by leaving features out": {"corrected": ((92, 100), (92, 100), (87, 100))},
    "curves of a measure without the target": {
        "corrected": ((80, 99), (74, 97), (72, 97)),
        "variance-components": ((90, 100), (90, 100), (87, 100)),
        "group-jackknife": (None, None, (91, 100)),
    },
    "curves of a loss": {
        "corrected": ((89, 99), (87, 99), (85, 98)),
        "variance-components": ((93, 99), (91, 100), (92, 99)),
        "group-jackknife": (None, None, (92, 100)),
    },
    "surfaces": {"corrected": ((82, 100), (79, 97), (74, 97))},
    "performance": {"corrected": ((92, 96), (93, 98), (90, 96))},
    "comparisons": {"corrected": ((95, 98), (99, 100), (99, 100))},
    "importance by a measure without the target": {
        "corrected": ((93, 99), (88, 96), (88, 98)),
        "variance-components": ((97, 99), (96, 99), (97, 100)),
        "group-jackknife": (None, None, (97, 100)),
    },
}

# The same of tables of 30 groups of rows ("Rows that belong to patients").
_COVERAGE_OF_GROUPS: _Coverage = {
    "importance by a loss": {
        "corrected": ((72, 99), (73, 99), (69, 100)),
        "variance-components": ((94, 100), (97, 100), (95, 100)),
        "row-effect": ((90, 100), (91, 100), (90, 100)),
        "group-jackknife": (None, None, (85, 100)),
    },
    "importance as a ratio": {
        "corrected": ((75, 100), (72, 99), (72, 99)),
    },
    "importance by a metric": {
        "corrected": ((79, 100), (79, 99), (80, 99)),
    },
    "importance by leaving features out": {
        "corrected": ((93, 99), (90, 100), (93, 96)),
    },
    "curves of a measure without the target": {
        "corrected": ((84, 96), (81, 95), (81, 95)),
        "variance-components": ((93, 99), (92, 99), (94, 99)),
        "group-jackknife": (None, None, (89, 99)),
    },
    "curves of a loss": {
        "corrected": ((82, 98), (83, 96), (84, 98)),
        "variance-components": ((84, 100), (88, 97), (88, 99)),
        "group-jackknife": (None, None, (85, 99)),
    },
    "surfaces": {
        "corrected": ((82, 93), (78, 87), (79, 91)),
    },
    "performance": {
        "corrected": ((89, 95), (85, 88), (89, 91)),
    },
    "comparisons": {
        "corrected": ((100, 100), (100, 100), (100, 100)),
    },
}
# Greatest width of the intervals for a tree, relative to what is needed ("How wide the intervals
# for a tree are"), where it is at least this.
_LEAST_WIDTH_SHOWN = 1.5
_WIDTH_FOR_A_TREE: dict[ResultKind, dict[LearnerIntervalName, tuple[float | None, ...]]] = {
    "importance by a loss": {
        "corrected": (2.1, 2.2, 1.9),
        "variance-components": (3.5, 3.6, 3.2),
        "row-effect": (2.1, 2.2, 2.1),
        "group-jackknife": (None, None, 2.5),
    },
    "importance as a ratio": {
        "corrected": (2.0, 2.1, 1.9),
    },
    "importance by a metric": {
        "corrected": (2.1, 2.2, 1.9),
    },
    "importance by leaving features out": {
        "corrected": (2.8, 2.8, 2.3),
    },
    "curves of a measure without the target": {
        "variance-components": (1.8, 1.9, 2.1),
    },
    "curves of a loss": {
        "variance-components": (1.6, 1.9, 1.8),
        "group-jackknife": (None, None, 1.6),
    },
    "surfaces": {
        "corrected": (1.5, None, None),
    },
    "comparisons": {
        "corrected": (1.5, 1.8, 1.9),
    },
}


def _covered(
    kind: ResultKind, interval: LearnerIntervalName, resampling: str, grouped: bool
) -> tuple[int, int] | None:
    simulated = _COVERAGE_OF_GROUPS if grouped else _COVERAGE
    if resampling not in RESAMPLINGS:  # the splits of a splitter
        return None
    at = RESAMPLINGS.index(resampling)
    return simulated.get(kind, {}).get(interval, (None, None, None))[at]


def coverage(
    interval: LearnerIntervalName,
    kind: ResultKind,
    resampling: str,
    correction: str | float | None,
    weighted: bool,
    grouped: bool = False,
) -> str:
    """Return a sentence on what an interval is for, and on its coverage in simulations.

    Parameters
    ----------
    interval, kind, resampling : str
    correction : str, float or None
        Of the learner.
    weighted : bool
        Whether rows have weights.
    grouped : bool
        Whether rows belong to groups.
    """
    size = "as many new groups of rows" if grouped else "this size"
    target = (
        f"the interval ({interval}) is for the mean result of the procedure over tables of {size}"
    )
    percentages = _covered(kind, interval, resampling, grouped)
    if weighted:
        return f"{target}; its coverage with weights of rows was not simulated"
    if resampling not in RESAMPLINGS and interval == "corrected" and kind.startswith("importance"):
        # 120 tables of 100 rows each: a linear model and a tree, 10 folds and 3 times 5 folds.
        return (
            f"{target}; with splits of cv 95 % intervals of this kind covered it in 77 to 88 % of "
            "simulated tables; splits that hold each row out several times, such as "
            "RepeatedKFold, have a wider one"
        )
    if percentages is None or (interval == "corrected" and correction != "nadeau-bengio"):
        return f"{target}; its coverage here was not simulated"
    low, high = percentages
    covered = f"{low} to {high}" if low < high else f"{low}"
    of_groups = " for 30 groups of rows" if grouped else ""
    sentence = (
        f"{target}; in simulations 95 % intervals of {kind} by {resampling}{of_groups} covered it "
        f"in {covered} %, each with a standard error of up to {_STANDARD_ERROR}"
    )
    best = best_interval(kind, resampling)
    better = _covered(kind, best, resampling, grouped)
    if better is not None and best != interval and better[0] > low:
        return f"{sentence}, and those by interval={best!r} in {better[0]} to {better[1]} %"
    width = _width_for_a_tree(kind, interval, resampling)
    if width is None:
        return sentence
    return (
        f"{sentence}; for a tree they were up to {width} times as wide as needed"
        f"{_narrower(kind, interval, resampling, width, grouped)}"
    )


def _width_for_a_tree(
    kind: ResultKind, interval: LearnerIntervalName, resampling: str
) -> float | None:
    widths = _WIDTH_FOR_A_TREE.get(kind, {}).get(interval, (None, None, None))
    return widths[RESAMPLINGS.index(resampling)]


def _narrower(
    kind: ResultKind,
    interval: LearnerIntervalName,
    resampling: str,
    width: float,
    grouped: bool,
) -> str:
    """Return what narrows the intervals for a tree, with what that costs in coverage."""
    others = []
    for other in (*_FROM_HELD_OUT_VALUES.get(kind, ()), "corrected"):
        covered = _covered(kind, other, resampling, grouped)
        of_other = _width_for_a_tree(kind, other, resampling) or _LEAST_WIDTH_SHOWN
        if other != interval and covered is not None and of_other < width:
            others.append(f"interval={other!r} ({covered[0]} to {covered[1]} % covered)")
    more = "more refits narrow them, because less of the noise of single fits is left"
    if not others:
        return f" ({more})"
    return f" ({more}; narrower, with other coverage: {', '.join(others)})"
