"""The performance view: how good the model is in the rows that are shown."""

from uqwidgets.widgets.views.performance.view import PerformanceView

__all__ = ["PerformanceView"]
