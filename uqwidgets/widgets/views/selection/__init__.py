"""The selection view: the selected rows, one in detail, and its prediction with other values."""

from uqwidgets.widgets.views.selection.view import SelectionView

__all__ = ["SelectionView"]
