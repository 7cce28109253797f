"""What drives a fitted model's predictions, its errors and its confidence."""

from typing import TYPE_CHECKING, Any

from uqwidgets.batches import stress_batches
from uqwidgets.evaluation import ModelError, Progress
from uqwidgets.explainer import Explainer
from uqwidgets.learners import Learner
from uqwidgets.predictive import Categorical, Normal, Point, as_predictive
from uqwidgets.progress_bar import ProgressBar
from uqwidgets.results import Dependence, Importance, ImportanceOverTau, Stress

if TYPE_CHECKING:
    from uqwidgets.widgets.explorer import Explorer, explore

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Dependence",
    "Explainer",
    "Explorer",
    "Importance",
    "ImportanceOverTau",
    "ModelError",
    "Normal",
    "Point",
    "Progress",
    "ProgressBar",
    "Stress",
    "as_predictive",
    "explore",
    "stress_batches",
]


def __getattr__(name: str) -> Any:
    # Scripts that only compute need neither the widget libraries nor the built front end.
    if name in ("Explorer", "explore"):
        from uqwidgets.widgets import explorer

        return getattr(explorer, name)
    raise AttributeError(f"module 'uqwidgets' has no attribute {name!r}")
