"""The picture of a widget that a notebook keeps for readers without a kernel."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4
from weakref import WeakMethod

from IPython.display import display

from uqwidgets.widgets.picture.compact import compact
from uqwidgets.widgets.time_slices import call_later

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
