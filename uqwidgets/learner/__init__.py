"""Learners: the procedure that fits a model, refitted, averaged, and how sure one may be of it.

A learner's importance or curve is the mean over m refits, each asked about rows that it has not
seen (Molnar et al. 2023, eq. 7, 8). The refits share rows, so that their spread alone says too
little about how far that mean is from what the procedure gives on average (Molnar et al. 2023,
section 7.3).
"""

from uqwidgets.learner.learner import Learner

__all__ = ["Learner"]
