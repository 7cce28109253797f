"""A hint for marimo, whose cells follow a widget only where it is wrapped."""

from __future__ import annotations

import linecache
import sys
import warnings
from types import FrameType

_HINT = (
    "in marimo, cells that read the inputs of an explorer run again only if it is wrapped: "
    "explorer = mo.ui.anywidget(uq.explore(model, X, y))."
)
_hinted = False


def hint_once() -> None:
    """Warn the first time that a cell of marimo makes an explorer and wraps no widget."""
    global _hinted
    marimo = sys.modules.get("marimo")
    if _hinted or marimo is None or not marimo.running_in_notebook() or _wraps_a_widget():
        return
    _hinted = True
    warnings.warn(_HINT, UserWarning, stacklevel=3)


def _wraps_a_widget() -> bool:
    """Whether the source of a caller, such as the cell, has a call of `mo.ui.anywidget`."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if any("ui.anywidget(" in line for line in linecache.getlines(frame.f_code.co_filename)):
            return True
        frame = frame.f_back
    return False
