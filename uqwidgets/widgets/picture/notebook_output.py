"""The output of a widget in a notebook cell: the widget itself, and its static picture."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import anywidget
from IPython.display import display

from uqwidgets._utils.errors import in_one_line
from uqwidgets.widgets.parts import StoredParts
from uqwidgets.widgets.picture.compact import compact
from uqwidgets.widgets.picture.notebook_picture import NotebookPicture
from uqwidgets.widgets.scheduler import report_uncaught


class NotebookOutput(StoredParts, anywidget.AnyWidget):
    """A widget with its static picture and the parts of the front end that it needs to be drawn."""

    _notebook_picture: NotebookPicture
    # Returns the static picture as HTML; defined by Explorer.
    _draw_picture: Callable[[], str]

    def display_picture(self) -> None:
        """Display the static picture, which the front end hides while the widget is shown."""
        self._notebook_picture.display(self._picture_html())

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        view, metadata = self._view(**kwargs)
        return {**view, "text/html": self._picture_html()}, metadata

    def _ipython_display_(self) -> None:
        # Of several representations of one output, a notebook shows the view, even without a
        # kernel to draw it; so the static picture is a second output.
        view, metadata = self._view()
        view["text/plain"] = f"An {type(self).__name__}: run this in a notebook to use the widget."
        display(view, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        self.display_picture()

    def _view(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)
        assert bundle is not None, "a widget always has a view"
        data, metadata = bundle
        return data, metadata

    def _picture_html(self) -> str:
        try:
            return compact(self._draw_picture())
        except Exception as error:  # noqa: BLE001  the widget itself is still shown
            report_uncaught(error)
            return f"<p>There is no picture of this widget: {escape(in_one_line(error))}</p>"
