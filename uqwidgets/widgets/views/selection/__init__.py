"""The selection view: the selected rows, one of them in detail, and what if it had other values."""

from uqwidgets.widgets.views.selection.view import SelectionView

__all__ = ["SelectionView"]
