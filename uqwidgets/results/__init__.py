"""What an analysis found: frozen arrays that show themselves in any notebook."""

from uqwidgets.results.decomposition import Decomposition
from uqwidgets.results.dependence import Dependence
from uqwidgets.results.diagnosis import Diagnosis
from uqwidgets.results.importance import Importance
from uqwidgets.results.importance_over_tau import ImportanceOverTau
from uqwidgets.results.performance import Comparison, Performance
from uqwidgets.results.redundancy import Redundancy
from uqwidgets.results.stress import Stress
from uqwidgets.results.surface import Surface
from uqwidgets.results.types import Positions

__all__ = [
    "Comparison",
    "Decomposition",
    "Dependence",
    "Diagnosis",
    "Importance",
    "ImportanceOverTau",
    "Performance",
    "Positions",
    "Redundancy",
    "Stress",
    "Surface",
]
