"""Locks after a fork: the child process gets new ones.

A fork copies locks in their state but not the threads that would release them.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """An object whose locks other threads may hold when the process is forked."""

    def renew_locks(self) -> None:
        """Replace its locks by new ones."""
        ...


_renewables: WeakSet[Renewable] = WeakSet()


def renew_after_fork(one: Renewable) -> None:
    """Replace the locks of an object in every child process from now on."""
    _renewables.add(one)


def _renew() -> None:
    for one in list(_renewables):
        one.renew_locks()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_renew)
