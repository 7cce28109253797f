"""Adapters from models to what they say: one file per family, the order in `choice`."""

from uqwidgets.predictive.adapters.choice import as_predictive
from uqwidgets.predictive.adapters.predictive import Predictive

__all__ = ["Predictive", "as_predictive"]
