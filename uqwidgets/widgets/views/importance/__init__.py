"""The importance view: every feature, for one to four measures and scorers side by side."""

from uqwidgets.widgets.views.importance.view import ImportanceView

__all__ = ["ImportanceView"]
