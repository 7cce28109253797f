"""How well each feature is predicted by the others (Wood et al. 2024, figure 7)."""

from uqwidgets.redundancy.forests import redundancy

__all__ = ["redundancy"]
