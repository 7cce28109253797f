"""What the threads of a process held is free in the child of a fork."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """Anything that other threads may be using when the process is forked."""

    def renew_locks(self) -> None:
        """Make its locks anew."""
        ...


_renewables: WeakSet[Renewable] = WeakSet()


def renew_after_fork(one: Renewable) -> None:
    """Have its locks made anew in every child: the threads that hold them do not exist there."""
    _renewables.add(one)


def _renew() -> None:
    for one in list(_renewables):
        one.renew_locks()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_renew)
