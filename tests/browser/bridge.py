"""The real widget in Python and the real bundle in Chromium, with no notebook between them.

The widget computes on a thread of its own and publishes whenever it has something; Playwright
talks to the page from one thread only. So what the widget sends waits in a queue, and the page
comes for it.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comm.base_comm import BaseComm

if TYPE_CHECKING:
    from ipywidgets import Widget
    from playwright.sync_api import Locator, Page

HOST = Path(__file__).with_name("host.js").read_text()

# As strict as a host can be that loads a module from text: no other script, no eval, no network.
POLICY = "default-src 'none'; script-src blob:; style-src 'unsafe-inline'"
PAGE = f"""<!doctype html><meta charset="utf-8"><title>bridge</title>
<meta http-equiv="Content-Security-Policy" content="{POLICY}"><body></body>"""


class QueueComm(BaseComm):
    """The Python end of a widget's connection: what is published waits in ``sent``."""

    def __init__(self, **kwargs: Any) -> None:
        self.sent: deque[dict[str, Any]] = deque()
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


class Bridge:
    """One page that stands in for a notebook."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.answering = True
        self._comms: dict[str, QueueComm] = {}
        page.expose_function("toPython", self._to_python)
        page.expose_function("fromPython", self._from_python)
        page.set_content(PAGE)

    def mount(self, widget: Widget) -> Locator:
        """Render a widget on the page and return its root."""
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
            },
        )
        return self.page.get_by_test_id("uq-root")

    def _to_python(self, comm_id: str, message: str) -> None:
        if self.answering:
            content = {"data": json.loads(message)}
            self._comms[comm_id].handle_msg({"content": content, "buffers": []})

    def _from_python(self, comm_id: str) -> list[dict[str, Any]]:
        sent = self._comms[comm_id].sent
        return [sent.popleft() for _ in range(len(sent))] if self.answering else []


def encode(buffer: bytes) -> str:
    return base64.b64encode(bytes(buffer)).decode()
