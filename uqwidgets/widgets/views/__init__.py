"""The views of the widget. A new view is one module here, and one line in `VIEWS`."""

from uqwidgets.widgets.views.dependence import DependenceView
from uqwidgets.widgets.views.importance import ImportanceView
from uqwidgets.widgets.views.stress import StressView
from uqwidgets.widgets.views.view import Content, View

#: In the order in which frames and static pictures list them.
VIEWS: list[type[View]] = [
    ImportanceView,
    DependenceView,
    StressView,
]

__all__ = ["VIEWS", "Content", "DependenceView", "ImportanceView", "StressView", "View"]
