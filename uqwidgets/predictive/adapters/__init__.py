"""Adapters from fitted models to predictive distributions.

Each family of models has one file, and one row in the table `ADAPTERS` of `choice`.
"""

from uqwidgets.predictive.adapters.choice import as_predictive, with_labels
from uqwidgets.predictive.adapters.predictive import Predictive

__all__ = ["Predictive", "as_predictive", "with_labels"]
