"""Warnings that are not shown, in whatever thread they are issued."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, cast

from uqwidgets._utils.forking import renew_after_fork


class _Turn:
    """The lock of the one thread that hides warnings."""

    def __init__(self) -> None:
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        self.lock = RLock()


_turn = _Turn()


@contextmanager
def hidden_warnings(category: type[Warning], module: str = "") -> Iterator[None]:
    """Show no warnings of a category while a block of code runs, one thread at a time.

    The filters of `warnings` belong to the whole process. `warnings.catch_warnings` puts all of
    them back at its end: where it overlaps with that of another thread, which may be one of the
    user, the filters of one stay for good. This block adds one filter and removes that one.

    Other threads may replace the filters in the meantime, so no value may depend on what is hidden.

    Parameters
    ----------
    category : type of Warning
    module : str
        Regular expression for the start of the module that the warning names.
    """
    hidden = ("ignore", None, category, re.compile(module), 0)
    with _turn.lock:
        first = cast("list[Any]", warnings.filters)
        first.insert(0, hidden)
        try:
            yield
        finally:
            # Another thread may have put a copy in the place of the filters.
            for filters in (first, cast("list[Any]", warnings.filters)):
                while hidden in filters:
                    filters.remove(hidden)
