"""The output of a widget in a notebook: the widget, and a picture for readers without a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4
from weakref import WeakMethod

import anywidget
from IPython.display import display

from uqwidgets._utils.errors import in_one_line
from uqwidgets.plotting.html import element, words
from uqwidgets.widgets.kernel.front_end import StoredParts, WholeState
from uqwidgets.widgets.kernel.scheduler import report_uncaught
from uqwidgets.widgets.kernel.time_slices import call_later
from uqwidgets.widgets.picture.compact import compact

_NOTE = "A picture of what the widget showed last; run the cell to use the widget."
# A user who has changed nothing for so long is looking at the result.
_SECONDS_AT_REST = 2.0


class NotebookPicture:
    """A second output below the widget's own, hidden by the front end while the widget lives.

    A notebook stores the outputs of a cell; of a widget, this is only its identifier in the kernel.
    So its picture is displayed too, and updated whenever the widget has been at rest for a while.

    Parameters
    ----------
    draw : callable
        A method, called on a thread of its own when the picture is to be drawn anew. It is not
        kept alive for that.

    Attributes
    ----------
    id : str
        Of the output, and of the element in it that the front end hides: 32 hexadecimal digits.
    """

    def __init__(self, draw: Callable[[], None]) -> None:
        self.id = uuid4().hex
        self._draw = WeakMethod(draw)
        self._displayed = False
        self._cancel: Callable[[], None] | None = None

    def display(self, html: str) -> None:
        """Display the picture, in one cell or several."""
        self._publish(html, update=False)
        self._displayed = True

    def replace(self, html: str) -> None:
        """Show another picture, in few bytes, wherever it is displayed."""
        self._publish(compact(html), update=True)

    def _publish(self, html: str, *, update: bool) -> None:
        # JupyterLab keeps classes where it removes other marks: in notebooks it does not trust.
        body = f"<p><small>{_NOTE}</small></p>{html}"
        data = {"text/html": f'<div class="uq-picture-{self.id}">{body}</div>'}
        display(data, raw=True, display_id=self.id, update=update)  # type: ignore[no-untyped-call]

    def draw_at_rest(self) -> None:
        """Have the picture drawn when nothing has changed for a while."""
        self.cancel()
        if self._displayed:
            self._cancel = call_later(_SECONDS_AT_REST, self._call)

    def cancel(self) -> None:
        """Wait for another rest: something changes."""
        if self._cancel is not None:
            self._cancel()

    def _call(self) -> None:
        draw = self._draw()
        if draw is not None:
            draw()


class NotebookOutput(StoredParts, WholeState, anywidget.AnyWidget):
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
            return element("p", words(f"There is no picture of this widget: {in_one_line(error)}"))
