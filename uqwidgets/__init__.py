"""What drives a fitted model's predictions, its errors and its confidence."""

from uqwidgets.evaluation import ModelError, Progress
from uqwidgets.explainer import Explainer
from uqwidgets.predictive import Categorical, Normal, Point, as_predictive
from uqwidgets.results import Dependence, Importance, Stress

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Dependence",
    "Explainer",
    "Importance",
    "ModelError",
    "Normal",
    "Point",
    "Progress",
    "Stress",
    "as_predictive",
]
