"""A sign of life while a single model call takes long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def heartbeat(beat: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call ``beat`` from a thread of its own every so many seconds, until the block ends."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(seconds):
            beat()

    # No daemon: an interpreter that ends must not end it in the middle of a message.
    thread = threading.Thread(target=run, name="uqwidgets-heartbeat", daemon=False)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
