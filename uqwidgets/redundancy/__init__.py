"""How well each feature is known from the others (Wood et al. 2024, figure 7)."""

from uqwidgets.redundancy.assembly import redundancy

__all__ = ["redundancy"]
