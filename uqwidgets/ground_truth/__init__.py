"""Truth that is known: what importance and curves of a data-generating process are.

A model's curve or importance estimates that of the process its data came from, and misses it by
the bias of the procedure, by the variance of its fits, and by the error of averaging over a finite
number of rows (Molnar et al. 2023, sections 4 and 5). Where the process is known, all three can be
had by simulation.
"""

from uqwidgets.ground_truth.truth import GroundTruth

__all__ = ["GroundTruth"]
