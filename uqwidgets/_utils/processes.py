"""Processes that work for another one."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

# Seconds between two checks. The parent may be killed, and then it tells nobody.
_PATIENCE = 0.5

_watching: set[int] = set()


def end_with(parent: int) -> None:
    """End this process when the one that started it has ended; it watches from another thread.

    Nothing happens in the parent itself, in a process that something else started (a cluster),
    and on Windows, where a process does not see that its parent has ended.

    Parameters
    ----------
    parent : int
        Identifier of the process that waits for the work of this one.
    """
    own, started_by = os.getpid(), multiprocessing.parent_process()
    if own not in _watching and started_by is not None and started_by.pid == parent:
        _watching.add(own)
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PATIENCE)
    os._exit(1)
