"""What drives a fitted model's predictions, its errors and its confidence."""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from uqwidgets import datasets
from uqwidgets._utils.errors import ModelError
from uqwidgets._utils.remarks import Remark
from uqwidgets._utils.versions import show_versions
from uqwidgets.another_table import Expected, PredictionSets, TableReweighting
from uqwidgets.dependence.curve_grid_result import CurveGrid
from uqwidgets.dependence.result import Dependence
from uqwidgets.dependence.surface_result import Surface
from uqwidgets.evaluation.progress import Progress, ProgressBar
from uqwidgets.evaluation.replaced import Replaced
from uqwidgets.explainer.comparison.classes import ClassComparison
from uqwidgets.explainer.comparison.models import ModelComparison
from uqwidgets.explainer.comparison.overlay_result import Overlay, overlay
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.explainer.comparison.rows import RowsComparison
from uqwidgets.explainer.defaults import set_options
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.stress_batches import stress_batches
from uqwidgets.ground_truth import GroundTruth
from uqwidgets.ground_truth.coverage_result import IntervalCoverage
from uqwidgets.ground_truth.result import Decomposition
from uqwidgets.importance.diagnosis_result import Diagnosis
from uqwidgets.importance.redundancy_result import Redundancy
from uqwidgets.importance.result import Importance
from uqwidgets.learner import Learner
from uqwidgets.learner.loco_importance import loco_importance
from uqwidgets.learner.performance_result import Comparison, Performance
from uqwidgets.performance.group_scores_result import GroupScores
from uqwidgets.performance.result import Calibration, CalibrationAlong, Confusion, Scores
from uqwidgets.predictive import (
    Categorical,
    Mixture,
    NegativeBinomial,
    Normal,
    Point,
    Poisson,
    Quantiles,
    as_predictive,
)
from uqwidgets.slices import Slices
from uqwidgets.stress.constrained.result import Reweighting
from uqwidgets.stress.importance_result import ImportanceOverTau
from uqwidgets.stress.result import Stress

if TYPE_CHECKING:
    from uqwidgets import teach
    from uqwidgets.predictive.torch import NetworkEnsemble as NetworkEnsemble
    from uqwidgets.widgets.explore import explore
    from uqwidgets.widgets.explorer import Explorer
    from uqwidgets.widgets.links import link
    from uqwidgets.widgets.one_view import (
        DependenceView,
        ImportanceView,
        PerformanceView,
        StressView,
        SurfaceView,
    )
    from uqwidgets.widgets.page.read_review import read_review

__version__ = "0.1.0"

# Without it, Python prints warnings of the package to the terminal.
logging.getLogger("uqwidgets").addHandler(logging.NullHandler())

# Without the name that needs PyTorch: a star import must work where it is not installed.
__all__ = [
    "Calibration",
    "CalibrationAlong",
    "Categorical",
    "ClassComparison",
    "Comparison",
    "Confusion",
    "CurveGrid",
    "Decomposition",
    "Dependence",
    "DependenceView",
    "Diagnosis",
    "Difference",
    "Expected",
    "Explainer",
    "Explorer",
    "GroundTruth",
    "GroupScores",
    "Importance",
    "ImportanceOverTau",
    "ImportanceView",
    "IntervalCoverage",
    "Learner",
    "Mixture",
    "ModelComparison",
    "ModelError",
    "NegativeBinomial",
    "Normal",
    "Overlay",
    "Performance",
    "PerformanceView",
    "Point",
    "Poisson",
    "PredictionSets",
    "Progress",
    "ProgressBar",
    "Quantiles",
    "Redundancy",
    "Remark",
    "Replaced",
    "Reweighting",
    "RowsComparison",
    "Scores",
    "Slices",
    "Stress",
    "StressView",
    "Surface",
    "SurfaceView",
    "TableReweighting",
    "as_predictive",
    "datasets",
    "explore",
    "link",
    "loco_importance",
    "overlay",
    "read_review",
    "set_options",
    "show_versions",
    "stress_batches",
    "teach",
]

_VIEWS = ("DependenceView", "ImportanceView", "PerformanceView", "StressView", "SurfaceView")


def __getattr__(name: str) -> Any:
    # Scripts that only compute need neither the widget libraries nor the built front end.
    if name == "Explorer":
        from uqwidgets.widgets.explorer import Explorer

        return Explorer
    if name == "explore":
        from uqwidgets.widgets.explore import explore

        return explore
    if name == "link":
        from uqwidgets.widgets.links import link

        return link
    if name == "read_review":
        from uqwidgets.widgets.page.read_review import read_review

        return read_review
    if name == "teach":
        return import_module("uqwidgets.teach")
    if name in _VIEWS:
        from uqwidgets.widgets import one_view

        return getattr(one_view, name)
    if name == "NetworkEnsemble":
        from uqwidgets.predictive.torch import NetworkEnsemble

        return NetworkEnsemble
    raise AttributeError(f"module 'uqwidgets' has no attribute {name!r}")


def __dir__() -> list[str]:
    # What is public, not every module that was imported on the way.
    return sorted([*__all__, "NetworkEnsemble", "__version__"])
