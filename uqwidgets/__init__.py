"""What drives a fitted model's predictions, its errors and its confidence."""

from typing import TYPE_CHECKING, Any

from uqwidgets import datasets
from uqwidgets.batches import stress_batches
from uqwidgets.errors import ModelError
from uqwidgets.evaluation import Progress
from uqwidgets.explainer import Explainer
from uqwidgets.ground_truth import GroundTruth
from uqwidgets.learners import Learner
from uqwidgets.loco import loco_importance
from uqwidgets.predictive import (
    Categorical,
    Mixture,
    Normal,
    Point,
    Quantiles,
    as_predictive,
)
from uqwidgets.progress_bar import ProgressBar
from uqwidgets.results import (
    Comparison,
    Decomposition,
    Dependence,
    Diagnosis,
    Importance,
    ImportanceOverTau,
    Performance,
    Redundancy,
    Stress,
    Surface,
)

if TYPE_CHECKING:
    from uqwidgets.predictive.torch import BayesByBackprop as BayesByBackprop
    from uqwidgets.predictive.torch import MonteCarloDropout as MonteCarloDropout
    from uqwidgets.widgets.explorer import Explorer, explore

__version__ = "0.1.0"

# Without the names that need PyTorch: a star import must work where it is not installed.
__all__ = [
    "Categorical",
    "Comparison",
    "Decomposition",
    "Dependence",
    "Diagnosis",
    "Explainer",
    "Explorer",
    "GroundTruth",
    "Importance",
    "ImportanceOverTau",
    "Learner",
    "Mixture",
    "ModelError",
    "Normal",
    "Performance",
    "Point",
    "Progress",
    "ProgressBar",
    "Quantiles",
    "Redundancy",
    "Stress",
    "Surface",
    "as_predictive",
    "datasets",
    "explore",
    "loco_importance",
    "stress_batches",
]


def __getattr__(name: str) -> Any:
    # Scripts that only compute need neither the widget libraries nor the built front end.
    if name in ("Explorer", "explore"):
        from uqwidgets.widgets import explorer

        return getattr(explorer, name)
    if name in ("BayesByBackprop", "MonteCarloDropout"):
        from uqwidgets.predictive import torch

        return getattr(torch, name)
    raise AttributeError(f"module 'uqwidgets' has no attribute {name!r}")


def __dir__() -> list[str]:
    # What is public, not every module that was imported on the way.
    return sorted([*__all__, "BayesByBackprop", "MonteCarloDropout", "__version__"])
