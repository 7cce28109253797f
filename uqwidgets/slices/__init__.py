"""Slices: ranges and categories of the rows in which a measure is higher than elsewhere."""

from uqwidgets.slices.result import Slices
from uqwidgets.slices.slices import FoundSlices, slices

__all__ = ["FoundSlices", "Slices", "slices"]
