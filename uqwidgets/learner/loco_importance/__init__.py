"""Leave one covariate out: how much worse a model is without a feature.

Source: Dankers et al. 2020, section 8.2.
"""

from uqwidgets.learner.loco_importance.importance import loco_importance

__all__ = ["loco_importance"]
