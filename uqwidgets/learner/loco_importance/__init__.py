"""Leave-one-covariate-out importance (LOCO) on one train-test split.

Source: Dankers et al. 2020, section 8.2.
"""

from uqwidgets.learner.loco_importance.importance import loco_importance

__all__ = ["loco_importance"]
