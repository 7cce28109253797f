"""Widgets that no page shows any more are freed, where nothing in Python refers to them.

ipywidgets keep every widget until it is closed. A cell or an `interact` that makes a new widget at
each run would so keep all of them, each with what its model answered.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod, WeakSet

from ipywidgets.widgets import widget as registry

if TYPE_CHECKING:
    from uqwidgets.widgets.explorer import Explorer

_hidden: WeakSet[Explorer] = WeakSet()


def hide(explorer: Explorer) -> None:
    """Note that no page shows it."""
    _hidden.add(explorer)


def show(explorer: Explorer) -> None:
    """Keep it as long as a page shows it."""
    _hidden.discard(explorer)
    if explorer.comm is not None:
        registry._instances[explorer.model_id] = explorer
        explorer.comm.on_msg(explorer._handle_msg)
        explorer.comm.on_close(explorer._handle_close)


def free_hidden() -> None:
    """Free those that no page shows and nothing refers to.

    Called when another one is made, and not at once: a notebook that is closed and opened again
    shows its widgets again.
    """
    let_go = False
    for explorer in list(_hidden):
        _hidden.discard(explorer)
        if explorer.comm is not None:
            registry._instances.pop(explorer.model_id, None)
            explorer.comm.on_msg(_weakly(explorer._handle_msg))
            explorer.comm.on_close(_weakly(explorer._handle_close))
            let_go = True
        del explorer
    if let_go:
        gc.collect()  # a widget and its observers refer to each other


def _weakly(method: Callable[[Any], None]) -> Callable[[Any], None]:
    reference = WeakMethod(method)

    def call(message: Any) -> None:
        alive = reference()
        if alive is not None:
            alive(message)

    return call
