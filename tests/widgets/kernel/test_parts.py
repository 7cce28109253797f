"""Parts of the front end: a page gets those that it names, and nothing else."""

from __future__ import annotations

import re
import threading
from typing import Any

import comm
import pytest

import uqwidgets as uq
from browser.bridge import QueueComm
from cases import thorough_after
from uqwidgets.widgets.kernel.front_end import PARTS, STATIC, answer_to


@pytest.fixture
def widget(explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with uq.Explorer(explainer, n_repeats=3, ice_lines=4) as explorer:
        assert explorer.wait(30)
        yield explorer


def send(widget: uq.Explorer, content: Any) -> list[Any]:
    """Pass a custom message to the widget, and return what it sends."""
    widget.comm.sent.clear()
    data = {"method": "custom", "content": content}
    widget.comm.handle_msg({"content": {"data": data}, "buffers": []})
    return list(widget.comm.sent)


def test_a_part_is_sent_once_for_each_request(widget: uq.Explorer) -> None:
    (message,) = send(widget, {"part": "performance"})
    text = (STATIC / "parts" / "performance.js").read_text("utf-8")
    style = (STATIC / "parts" / "performance.css").read_text("utf-8")
    assert message["method"] == "custom"
    assert message["content"] == {"part": "performance", "script": text, "style": style}


@pytest.mark.parametrize(
    "content",
    thorough_after(
        5,
        [
            None,
            [],
            "performance",
            {},
            {"part": None},
            {"part": ["performance"]},
            {"part": {"performance": 1}},
            {"part": ""},
            {"part": "Performance"},
            {"part": "performance.js"},
            {"part": "../index"},
            {"part": "/etc/passwd"},
            {"part": "parts/performance"},
            {"part": "performance\0"},
            {"part": "x" * 10**6},
            {"parts": "performance"},
        ],
    ),
    ids=lambda content: repr(content)[:40],
)
def test_other_messages_are_ignored(widget: uq.Explorer, content: Any) -> None:
    assert send(widget, content) == []
    assert widget.wait(10)


def test_a_part_and_the_core_are_of_one_build() -> None:
    core = (STATIC / "index.js").read_text("utf-8")
    for part in PARTS.values():
        build = re.match(r'export default{(build:"\w+")', part["script"])
        assert build
        assert build[1] in core


def test_a_broken_connection_does_not_end_the_widget(
    widget: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the connection is closed")

    errors: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(str(args.exc_value)))
    with monkeypatch.context() as closed:
        closed.setattr(widget.comm, "publish_msg", fail)
        send(widget, {"part": "performance"})
    assert errors == ["the connection is closed"]
    assert answer_to({"part": "performance"}) == send(widget, {"part": "performance"})[0]["content"]


def test_the_part_that_draws_categories_is_stored_with_the_widget(
    explorer: uq.Explorer,
) -> None:
    explorer.feature = "a"
    assert explorer.wait(30)
    assert explorer.get_state()["_stored_parts"] == {}
    stored = {"curveDetails": PARTS["curveDetails"]}
    # The reader of a saved notebook may go back from a number to a category.
    for feature in ("c", "a"):
        explorer.feature = feature
        assert explorer.wait(30)
        assert explorer.get_state()["_stored_parts"] == stored


def test_the_part_that_draws_a_single_value_is_stored_with_the_widget(
    explorer: uq.Explorer,
) -> None:
    explorer.feature = "same"
    assert explorer.wait(30)
    assert [*explorer.get_state()["_stored_parts"]] == ["curveDetails"]


def test_the_shelf_is_stored_with_the_pins(explorer: uq.Explorer) -> None:
    assert explorer.wait(30)
    assert explorer.get_state()["_stored_parts"] == {}
    explorer.pins = [{"note": "", "state": {}, "ghost": False}]
    explorer.pins = []
    assert explorer.get_state()["_stored_parts"] == {"shelf": PARTS["shelf"]}
