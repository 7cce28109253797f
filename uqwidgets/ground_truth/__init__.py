"""Importance and curves of a known data-generating process, and the errors of models.

The curve or importance of a model estimates that of the process its data came from. Its error has
three sources: the bias of the procedure, the variance of its fits, and the Monte Carlo error of
averaging over a finite number of rows (Molnar et al. 2023, sections 4 and 5). Where the process is
known, all three can be simulated.
"""

from uqwidgets.ground_truth.truth import GroundTruth

__all__ = ["GroundTruth"]
