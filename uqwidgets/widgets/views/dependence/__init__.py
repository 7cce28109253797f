"""The dependence view: PD, ICE and the distribution of the picked feature."""

from uqwidgets.widgets.views.dependence.view import DependenceView

__all__ = ["DependenceView"]
