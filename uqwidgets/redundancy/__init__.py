"""How well each feature is known from the others (000, figure 7)."""

from uqwidgets.redundancy.assembly import redundancy

__all__ = ["redundancy"]
