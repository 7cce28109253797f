"""What results show without a kernel: a small picture, its sense in words, and a table.

Plain HTML and inline SVG, without scripts, style sheets or anything that is loaded: text and axes
take the colour of the page, the marks have colours that stand out on light and dark alike.
"""

from uqwidgets.stills.decomposition import decomposition_html
from uqwidgets.stills.dependence import dependence_html
from uqwidgets.stills.diagnosis import diagnosis_html
from uqwidgets.stills.importance import importance_html
from uqwidgets.stills.performance import comparison_html, performance_html
from uqwidgets.stills.redundancy import redundancy_html
from uqwidgets.stills.stress import stress_html
from uqwidgets.stills.surface import surface_html

__all__ = [
    "comparison_html",
    "decomposition_html",
    "dependence_html",
    "diagnosis_html",
    "importance_html",
    "performance_html",
    "redundancy_html",
    "stress_html",
    "surface_html",
]
