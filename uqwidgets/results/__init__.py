"""What an analysis found: frozen arrays that show themselves in any notebook."""

from uqwidgets.results.dependence import Dependence
from uqwidgets.results.importance import Importance
from uqwidgets.results.importance_over_tau import ImportanceOverTau
from uqwidgets.results.stress import Stress
from uqwidgets.results.types import Positions

__all__ = ["Dependence", "Importance", "ImportanceOverTau", "Positions", "Stress"]
