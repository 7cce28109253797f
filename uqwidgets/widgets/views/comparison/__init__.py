"""The comparison view: the present results beside those of another model, class or other rows."""

from uqwidgets.widgets.views.comparison.view import ComparisonView

__all__ = ["ComparisonView"]
