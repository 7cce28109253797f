"""Pictures of explorers that a notebook shows inside other widgets, such as boxes and tabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable
from weakref import WeakSet

from IPython import get_ipython
from ipywidgets import Widget
from ipywidgets.widgets import widget as registry

from uqwidgets.widgets.kernel.user_thread import read_states

_VIEW = "application/vnd.jupyter.widget-view+json"
_watched: WeakSet[Any] = WeakSet()


@runtime_checkable
class Pictured(Protocol):
    """A widget that has a picture for readers without a kernel."""

    def display_picture(self) -> None:
        """Display the picture as an output of the cell."""


class _Cell:
    """Displays the pictures of what a cell shows inside other widgets, when the cell ends.

    A cell shows a widget as its value, or by calls of ``display``.
    """

    def __init__(self) -> None:
        self._displayed: list[Widget] = []

    def begin(self, _info: Any = None) -> None:
        """Forget what was displayed before, for instance by the callback of a button."""
        self._displayed = []

    def note(self, message: Any) -> Any:
        """Take note of a widget that is displayed; the message is sent as it is."""
        shown = message["content"].get("data", {}).get(_VIEW, {})
        widget = registry._instances.get(shown.get("model_id"))
        if widget is not None:
            self._displayed.append(widget)
        return message

    def end(self, result: Any) -> None:
        """Display the pictures, each once."""
        value = getattr(result, "result", None)
        shown = [*self._displayed, *([value] if isinstance(value, Widget) else [])]
        self._displayed = []
        boxes = [widget for widget in shown if not isinstance(widget, Pictured)]
        pictured = {id(each): each for box in boxes for each in pictured_in(box)}
        for widget in pictured.values():
            if widget not in shown:  # it displays its own picture
                widget.display_picture()


def watch_cells() -> None:
    """Have the pictures displayed of what a cell shows inside another widget.

    A notebook stores only the identifier of a box, and no widget in it displays itself.
    """
    shell = get_ipython()
    if not hasattr(shell, "kernel") or shell in _watched:
        return
    _watched.add(shell)
    cell = _Cell()
    shell.events.register("pre_run_cell", cell.begin)
    shell.events.register("post_run_cell", cell.end)
    shell.events.register("post_run_cell", read_states)
    if hasattr(shell.display_pub, "register_hook"):
        shell.display_pub.register_hook(cell.note)


def pictured_in(widget: Widget) -> Iterator[Pictured]:
    """Widgets with a picture among the children of a widget, and among theirs, each once."""
    seen, waiting = {id(widget)}, [widget]
    while waiting:
        for child in getattr(waiting.pop(0), "children", ()):
            if id(child) in seen:
                continue
            seen.add(id(child))
            if isinstance(child, Pictured):
                yield child
            else:
                waiting.append(child)
