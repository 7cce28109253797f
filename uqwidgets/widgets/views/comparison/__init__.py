"""The comparison view: another model, or other rows, beside what is shown."""

from uqwidgets.widgets.views.comparison.view import ComparisonView

__all__ = ["ComparisonView"]
