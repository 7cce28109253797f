"""Entropic projection: weights of the rows that move means and stay closest to the data.

Source: Bachoc et al. 2023.
"""

from uqwidgets.stress.constrained.entropic import ConstrainedProjection, project

__all__ = ["ConstrainedProjection", "project"]
