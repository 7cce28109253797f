"""The stress view: an indicator over tau for every feature."""

from uqwidgets.widgets.views.stress.view import StressView

__all__ = ["StressView"]
