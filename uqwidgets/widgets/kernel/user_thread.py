"""The thread in which the user's code runs: what is set there, and what works nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from weakref import WeakSet

from uqwidgets._utils.errors import in_one_line, of_another_thread
from uqwidgets._utils.remarks import Remark
from uqwidgets._utils.thread_state import ThreadState

_every: WeakSet[UserThread] = WeakSet()


class UserThread:
    """The thread that makes a widget.

    Its state is read when it makes the widget, when it requests work, and at the end of each cell
    of a notebook. Elsewhere, as where a kernel handles messages of a page on a thread of its own,
    the latest state counts: a configuration of scikit-learn cannot be read from another thread.

    Attributes
    ----------
    loop : asyncio.AbstractEventLoop or None
        Its event loop, if one runs.
    refusal : str or None
        The error of an object that works in this thread alone, once there was one.
    """

    def __init__(self) -> None:
        self._identity = get_ident()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.refusal: str | None = None
        self._latest = ThreadState.of_this_thread()
        self.state()
        _every.add(self)

    @property
    def is_here(self) -> bool:
        """Whether it is the thread that calls."""
        return get_ident() == self._identity

    def state(self) -> ThreadState:
        """Return what the user set in it, as far as that is known."""
        if self.is_here:
            self._latest = ThreadState.of_this_thread()
            with suppress(RuntimeError):  # no event loop runs
                self.loop = asyncio.get_running_loop()
        return self._latest

    def claims(self, error: BaseException) -> bool:
        """Whether an error of another thread says that an object belongs to its thread.

        From then on `refusal` is set.
        """
        cause = of_another_thread(error)
        if cause is not None:
            self.refusal = in_one_line(cause)
        return cause is not None

    def run_in_loop(self, error: BaseException, function: Callable[[], object]) -> bool:
        """Let the event loop run what failed here because an object belongs to its thread.

        Returns
        -------
        bool
            Whether it will be run: an object belongs to another thread, whose loop runs.
        """
        loop = self.loop
        if self.is_here or loop is None or not loop.is_running() or not self.claims(error):
            return False
        loop.call_soon_threadsafe(function)
        return True

    @property
    def notes(self) -> list[Remark]:
        """Say that this thread does the work, if it does."""
        if self.refusal is None:
            return []
        return [
            Remark(
                "model-of-one-thread",
                f"on the widget's own thread the model failed ({self.refusal}), so the thread that "
                "made the widget calls it, in slices of time: other work of that thread, such as "
                "cells, may wait for one",
            )
        ]


def read_states(_result: object = None) -> None:
    """Read the states of all threads that end a cell."""
    for one in list(_every):
        one.state()
