"""Entropic projection: weights of rows that move means and stay close to the data.

Source: Bachoc et al. 2023.
"""

from uqwidgets.stress.constrained.entropic import Projected, project

__all__ = ["Projected", "project"]
