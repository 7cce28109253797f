"""How good a model is in a population: scores, confusion of classes, and calibration."""

from uqwidgets.performance.along import calibration_along
from uqwidgets.performance.calibration import calibration
from uqwidgets.performance.confusion import confusion
from uqwidgets.performance.result import Calibration, CalibrationAlong, Confusion, Scores
from uqwidgets.performance.scores import default_scores, scores

__all__ = [
    "Calibration",
    "CalibrationAlong",
    "Confusion",
    "Scores",
    "calibration",
    "calibration_along",
    "confusion",
    "default_scores",
    "scores",
]
