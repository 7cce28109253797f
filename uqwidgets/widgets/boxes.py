"""Pictures of explorers that a notebook shows inside other widgets, such as boxes and tabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable
from weakref import WeakSet

from IPython import get_ipython
from ipywidgets import Widget

_watched: WeakSet[Any] = WeakSet()


@runtime_checkable
class Pictured(Protocol):
    """A widget that has a picture for readers without a kernel."""

    def display_picture(self) -> None:
        """Display the picture as an output of the cell."""


def watch_cells() -> None:
    """Have the pictures displayed of what a cell shows inside another widget.

    A notebook keeps only the number of a box, and no widget in it is asked to display itself.
    """
    shell = get_ipython()
    if hasattr(shell, "kernel") and shell not in _watched:
        shell.events.register("post_run_cell", _display_pictures)
        _watched.add(shell)


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


def _display_pictures(result: Any) -> None:
    """Display the pictures of what is inside the value of a cell."""
    shown = getattr(result, "result", None)
    if isinstance(shown, Widget) and not isinstance(shown, Pictured):
        for widget in pictured_in(shown):
            widget.display_picture()
