"""Entropic projection: rows reweighted so that means move, close to the data (Bachoc et al. 2023)."""

from uqwidgets.stress.constrained.entropic import Projected, project

__all__ = ["Projected", "project"]
