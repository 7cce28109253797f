"""Explorers inside other widgets: a notebook keeps their pictures too."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ipywidgets as w
import pytest

import uqwidgets as uq
from uqwidgets.widgets.picture import boxes


class Shell:
    """A shell of a kernel that runs cells; ``display_pub`` calls its hooks with each message."""

    def __init__(self) -> None:
        self.kernel = object()
        self.callbacks: dict[str, list[Any]] = {"pre_run_cell": [], "post_run_cell": []}
        self.hooks: list[Any] = []
        self.events = SimpleNamespace(register=lambda name, call: self.callbacks[name].append(call))
        self.display_pub = SimpleNamespace(register_hook=self.hooks.append)

    def run(self, *displayed: w.Widget, value: Any = None) -> None:
        """Run a cell that displays widgets and ends with a value."""
        for call in self.callbacks["pre_run_cell"]:
            call(SimpleNamespace())
        for widget in displayed:
            self.display(widget)
        for call in self.callbacks["post_run_cell"]:
            call(SimpleNamespace(result=value))

    def display(self, widget: w.Widget) -> None:
        """Publish the message that displays a widget."""
        view = {"model_id": widget.model_id, "version_major": 2, "version_minor": 0}
        data = {"application/vnd.jupyter.widget-view+json": view, "text/plain": "HBox"}
        message = {"content": {"data": data}}
        for hook in self.hooks:
            assert hook(message) is message


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell()
    monkeypatch.setattr(boxes, "get_ipython", lambda: shell)
    boxes.watch_cells()
    return shell


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """HTML of the pictures that were displayed."""
    pictures: list[str] = []

    def display(data: dict[str, str], **_: Any) -> None:
        pictures.append(data["text/html"])

    monkeypatch.setattr("uqwidgets.widgets.picture.notebook_picture.display", display)
    return pictures


def test_the_pictures_of_explorers_in_the_value_of_a_cell_are_displayed(
    shell: Shell, pictures: list[str], explorer: uq.Explorer
) -> None:
    boxes.watch_cells()
    with uq.Explorer(explorer.explainer, n_repeats=2) as other:
        assert len(shell.hooks) == 1, "one, however many explorers there are"
        nested = w.Tab([w.HBox([explorer, w.IntSlider()]), w.VBox([other, explorer])])
        assert list(boxes.pictured_in(nested)) == [explorer, other]
        shell.run(value=nested)
        assert len(pictures) == 2
        assert f"uq-picture-{explorer._picture}" in pictures[0]
        assert f"uq-picture-{other._picture}" in pictures[1]
        assert all("<svg" in picture or "<img" in picture for picture in pictures)
        pictures.clear()
        for value in (None, 3, w.HBox([w.IntSlider()]), explorer):
            shell.run(value=value)
        assert pictures == [], "one that is shown by itself displays its own picture"


def test_the_pictures_of_explorers_in_displayed_boxes_are_displayed_once(
    shell: Shell, pictures: list[str], explorer: uq.Explorer
) -> None:
    box = w.HBox([explorer])
    shell.run(box, w.VBox([box]), w.IntSlider(), value=3)
    assert len(pictures) == 1
    assert f"uq-picture-{explorer._picture}" in pictures[0]
    shell.run(value=4)
    assert len(pictures) == 1, "the next cell displays nothing"


def test_a_box_that_a_callback_displays_adds_no_picture_to_the_next_cell(
    shell: Shell, pictures: list[str], explorer: uq.Explorer
) -> None:
    shell.display(w.HBox([explorer]))
    shell.run(value=3)
    assert pictures == []
