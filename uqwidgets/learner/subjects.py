"""What a learner's interval is of, which interval is best for it, and how often that one covers."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner.resampling import Resampling
from uqwidgets.measures import Measure

Subject = Literal[
    "importance by a loss",
    "importance by a measure without the target",
    "importance by a metric",
    "importance as a ratio",
    "importance of what is left out",
    "curves of a measure without the target",
    "curves of a loss",
    "surfaces",
    "performance",
    "comparisons",
]
IntervalOfLearner = Literal["variance-components", "group-jackknife", "row-effect", "corrected"]
LEARNER_INTERVALS: tuple[IntervalOfLearner, ...] = get_args(IntervalOfLearner)

# Where the values of rows, whose mean each refit's estimate is, tell about its interval.
_BY_ROWS: dict[Subject, tuple[IntervalOfLearner, ...]] = {
    "importance by a loss": ("variance-components", "group-jackknife", "row-effect"),
    "importance by a measure without the target": ("variance-components", "group-jackknife"),
    "curves of a measure without the target": ("variance-components", "group-jackknife"),
    "curves of a loss": ("variance-components", "group-jackknife"),
}


def looks_at_target(measure: Measure, explainer: Explainer) -> bool:
    """Whether a measure's values change where every target is another one.

    Parameters
    ----------
    measure : Measure
    explainer : Explainer
        Of one refit.
    """
    answers, truth = explainer.evaluations.original, explainer.evaluations.truth
    classes = explainer.classes
    if classes is None and truth.dtype.kind in "iuf":
        others = truth + 1
    elif classes is not None and truth.dtype.kind in "iu":
        others = (truth + 1) % len(classes)
    else:  # a model that gives labels has these for its target, not their positions
        labels = np.unique(truth if classes is None else np.concatenate([truth, classes]))
        others = labels[(np.searchsorted(labels, truth) + 1) % len(labels)]
    return not np.array_equal(measure.of(answers, truth), measure.of(answers, others))


def checked_interval(interval: IntervalOfLearner, subject: Subject) -> IntervalOfLearner:
    """Return an interval that a person asks for, if it is one for this.

    Raises
    ------
    ValueError
        If what it rests on does not hold here.
    """
    known = _BY_ROWS.get(subject, ())
    if interval == "corrected" or interval in known:
        return interval
    if not known:
        raise ValueError(
            f"interval {interval!r} needs a mean over rows, which this is not ({subject}); use "
            "interval='corrected'."
        )
    raise ValueError(
        f"interval {interval!r} takes it that a row does the same when it is learned from and when "
        f"it is scored, which holds for importance by a loss and not for {subject}; use "
        f"interval={known[0]!r}."
    )


def best_interval(subject: Subject, resampling: Resampling) -> IntervalOfLearner:
    """Return the interval that covers best; where two do, the narrower one."""
    if subject not in _BY_ROWS:
        return "corrected"
    if subject.startswith("curves") and resampling == "leave-two-groups-out":
        return "group-jackknife"
    return "variance-components"


# Per cent of simulated tables whose nominal 95 % interval held the truth (`benchmarks/coverage.md`,
# "Every result of a learner"): least and greatest over features, points and procedures.
_COVERAGE: dict[tuple[Subject, IntervalOfLearner], dict[Resampling, tuple[int, int]]] = {
    ("importance by a loss", "corrected"): {
        "bootstrap": (75, 100),
        "subsampling": (68, 100),
        "leave-two-groups-out": (70, 100),
    },
    ("importance by a loss", "variance-components"): {
        "bootstrap": (93, 100),
        "subsampling": (90, 100),
        "leave-two-groups-out": (92, 100),
    },
    ("importance by a loss", "row-effect"): {
        "bootstrap": (83, 100),
        "subsampling": (84, 100),
        "leave-two-groups-out": (83, 100),
    },
    ("importance as a ratio", "corrected"): {
        "bootstrap": (73, 100),
        "subsampling": (53, 100),
        "leave-two-groups-out": (68, 100),
    },
    ("importance by a metric", "corrected"): {
        "bootstrap": (74, 100),
        "subsampling": (65, 100),
        "leave-two-groups-out": (67, 100),
    },
    ("importance of what is left out", "corrected"): {
        "bootstrap": (93, 100),
        "subsampling": (88, 100),
        "leave-two-groups-out": (87, 100),
    },
    ("curves of a measure without the target", "corrected"): {
        "bootstrap": (85, 99),
        "subsampling": (72, 97),
        "leave-two-groups-out": (73, 97),
    },
    ("curves of a measure without the target", "variance-components"): {
        "bootstrap": (90, 100),
        "subsampling": (88, 100),
        "leave-two-groups-out": (83, 100),
    },
    ("curves of a loss", "corrected"): {
        "bootstrap": (89, 100),
        "subsampling": (87, 99),
        "leave-two-groups-out": (85, 98),
    },
    ("curves of a loss", "variance-components"): {
        "bootstrap": (93, 100),
        "subsampling": (91, 100),
        "leave-two-groups-out": (92, 100),
    },
    ("surfaces", "corrected"): {
        "bootstrap": (85, 100),
        "subsampling": (75, 97),
        "leave-two-groups-out": (72, 97),
    },
    ("performance", "corrected"): {
        "bootstrap": (92, 98),
        "subsampling": (93, 98),
        "leave-two-groups-out": (90, 97),
    },
    ("comparisons", "corrected"): {
        "bootstrap": (97, 98),
        "subsampling": (98, 100),
        "leave-two-groups-out": (99, 100),
    },
    ("importance by a measure without the target", "corrected"): {
        "bootstrap": (93, 98),
        "subsampling": (88, 97),
        "leave-two-groups-out": (88, 97),
    },
    ("importance by a measure without the target", "variance-components"): {
        "bootstrap": (95, 98),
        "subsampling": (95, 100),
        "leave-two-groups-out": (97, 100),
    },
    ("importance by a loss", "group-jackknife"): {"leave-two-groups-out": (83, 100)},
    ("curves of a measure without the target", "group-jackknife"): {
        "leave-two-groups-out": (91, 100)
    },
    ("curves of a loss", "group-jackknife"): {"leave-two-groups-out": (92, 100)},
    ("importance by a measure without the target", "group-jackknife"): {
        "leave-two-groups-out": (95, 100)
    },
}


def coverage(
    interval: IntervalOfLearner,
    subject: Subject,
    resampling: Resampling,
    correction: str | float | None,
    weighted: bool,
) -> str:
    """Say what an interval covers, and how often it did.

    Parameters
    ----------
    interval, subject, resampling : str
    correction : str, float or None
        Of the learner.
    weighted : bool
        Whether rows have weights.
    """
    what = f"the interval ({interval}) is for what the procedure gives on average over tables of "
    what += "this size"
    figures = _COVERAGE.get((subject, interval), {}).get(resampling)
    if weighted:
        return f"{what}; how often it covers with weights of rows was not simulated"
    if figures is None or (interval == "corrected" and correction != "nadeau-bengio"):
        return f"{what}; how often it covers here was not simulated"
    low, high = figures
    held = f"{low} to {high}" if low < high else f"{low}"
    sentence = (
        f"{what}; in simulations 95 % intervals of {subject} by {resampling} held it in {held} %"
    )
    best = best_interval(subject, resampling)
    better = _COVERAGE.get((subject, best), {}).get(resampling)
    if better is None or best == interval or better[0] <= low:
        return sentence
    return f"{sentence}, and those by interval={best!r} in {better[0]} to {better[1]} %"
