"""Frees widgets that no page shows any more and that nothing in Python refers to.

ipywidgets keep every widget in a registry until it is closed. A cell or an `interact` that makes a
new widget in each run would keep all of them, each with the cached answers of its model.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod, WeakSet

from ipywidgets import Widget
from ipywidgets.widgets import widget as registry

_hidden: WeakSet[Widget] = WeakSet()


def close_with_its_comm(explorer: Widget) -> None:
    """Close an explorer when the page closes its comm.

    A host may replace the comm later: shinywidgets first sets one that has no ``on_close``.
    """
    explorer.observe(_watch_comm, names="comm")
    _watch_comm({"owner": explorer, "new": explorer.comm})


def _watch_comm(change: Any) -> None:
    if hasattr(change["new"], "on_close"):
        change["new"].on_close(change["owner"]._handle_close)


def hide(explorer: Widget) -> None:
    """Mark an explorer as shown on no page."""
    _hidden.add(explorer)


def show(explorer: Widget) -> None:
    """Mark an explorer as shown, and register it, so that it is kept."""
    _hidden.discard(explorer)
    if explorer.comm is not None:
        registry._instances[explorer.model_id] = explorer
        explorer.comm.on_msg(explorer._handle_msg)
        explorer.comm.on_close(explorer._handle_close)


def free_hidden() -> None:
    """Free the explorers that no page shows and nothing refers to.

    It is called when the next explorer is made and not at once, because a notebook that is closed
    and opened again shows its widgets again.
    """
    unregistered = False
    for explorer in list(_hidden):
        _hidden.discard(explorer)
        if explorer.comm is not None:
            registry._instances.pop(explorer.model_id, None)
            explorer.comm.on_msg(_weak_handler(explorer._handle_msg))
            explorer.comm.on_close(_weak_handler(explorer._handle_close))
            unregistered = True
        del explorer
    if unregistered:
        gc.collect()  # a widget and its observers refer to each other


def _weak_handler(method: Callable[[Any], None]) -> Callable[[Any], None]:
    reference = WeakMethod(method)

    def call(message: Any) -> None:
        alive = reference()
        if alive is not None:
            alive(message)

    return call
