"""The real widget in Python and the real bundle in Chromium, connected without a notebook.

The widget computes and publishes on its own thread, while Playwright drives the page from one
thread only. Messages of the widget therefore wait in a queue. The page asks for them, and its
question is answered when there are some: to ask again and again takes half a core.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comm.base_comm import BaseComm

if TYPE_CHECKING:
    from collections.abc import Callable

    from ipywidgets import Widget
    from playwright.sync_api import Locator, Page

# Seconds until a page that received nothing asks again.
WAIT = 1.0
HOST = Path(__file__).with_name("host.js").read_text()

# The strictest policy under which a host can load a module from text: no eval, no network.
POLICY = "default-src 'none'; script-src blob:; style-src 'unsafe-inline'"
PAGE = f"""<!doctype html><meta charset="utf-8"><title>bridge</title>
<meta http-equiv="Content-Security-Policy" content="{POLICY}"><body></body>"""


class QueueComm(BaseComm):
    """The Python end of a widget's connection; published messages wait in ``sent``.

    ``watchers`` are called after each message, on the thread that published it.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.sent: deque[dict[str, Any]] = deque()
        self.watchers: list[Callable[[], Any]] = []
        super().__init__(**kwargs)

    def publish_msg(
        self,
        msg_type: str,
        data: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,  # noqa: ARG002
        buffers: list[bytes] | None = None,
        **keys: Any,  # noqa: ARG002
    ) -> None:
        if msg_type == "comm_msg":
            message = {"buffer_paths": [], **(data or {})}
            self.sent.append({**message, "buffers": [encode(buffer) for buffer in buffers or ()]})
            self.wake()

    def wake(self) -> None:
        for watcher in list(self.watchers):
            watcher()

    async def received(self) -> None:
        """Wait for messages or, without any, for a call of `wake`."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()

        def watcher() -> None:
            loop.call_soon_threadsafe(event.set)

        self.watchers.append(watcher)
        try:
            if not self.sent:
                await event.wait()
        finally:
            self.watchers.remove(watcher)


class Bridge:
    """A page that replaces the notebook: it renders widgets and exchanges their messages."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._comms: dict[str, QueueComm] = {}
        page.expose_function("toPython", self._to_python)
        page.expose_function("fromPython", self._from_python)
        self.clear()

    def clear(self) -> None:
        """Replace the page by an empty one, of which nothing remains but the connection."""
        self.answering = True
        before, self._comms = self._comms, {}
        for queue in before.values():
            queue.wake()
        self.page.goto("about:blank")
        self.page.set_content(PAGE)
        self.page.mouse.move(0, 0)

    def mount(
        self,
        widget: Widget,
        *,
        form: str = "DataView",
        initializes: bool = True,
        has_signal: bool = True,
    ) -> Locator:
        """Render a widget on the page, where it has `data-place`, and return its root."""
        from ipywidgets.widgets.widget import _remove_buffers

        state, paths, buffers = _remove_buffers(widget.get_state())
        self._comms[widget.comm.comm_id] = widget.comm
        self.page.evaluate(
            HOST,
            {
                "id": widget.comm.comm_id,
                "esm": state.pop("_esm"),
                "css": state.pop("_css"),
                "state": {key: value for key, value in state.items() if key != "layout"},
                "paths": paths,
                "buffers": [encode(buffer) for buffer in buffers],
                "form": form,
                "initializes": initializes,
                "hasSignal": has_signal,
            },
        )
        return self.page.get_by_test_id("uq-root")

    def _to_python(self, comm_id: str, message: str) -> None:
        # The page may still send while it is replaced.
        if self.answering and comm_id in self._comms:
            content = {"data": json.loads(message)}
            self._comms[comm_id].handle_msg({"content": content, "buffers": []})

    async def _from_python(self, comm_id: str) -> list[dict[str, Any]]:
        if not self.answering or comm_id not in self._comms:
            await asyncio.sleep(0.02)
            return []
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._comms[comm_id].received(), WAIT)
        if not self.answering or comm_id not in self._comms:
            return []
        sent = self._comms[comm_id].sent
        return [sent.popleft() for _ in range(len(sent))]


def encode(buffer: bytes) -> str:
    return base64.b64encode(bytes(buffer)).decode()
