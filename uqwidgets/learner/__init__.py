"""Learners: importance, curves and performance of a procedure, averaged over refits.

The result of a learner is the mean over m refits, each scored on the rows that it did not learn
from (Molnar et al. 2023, eq. 7, 8). The refits share training rows, so their estimates are
correlated, and the standard error of their mean is larger than that of m independent estimates
(Molnar et al. 2023, section 7.3).
"""

from uqwidgets.learner.learner import Learner

__all__ = ["Learner"]
