"""Entropic projection: rows reweighted so that means move, as close to the data as possible (004)."""

from uqwidgets.stress.entropic import Projected, project

__all__ = ["Projected", "project"]
