"""Explorers inside other widgets: a notebook keeps their pictures too."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ipywidgets as w
import pytest

import uqwidgets as uq
from uqwidgets.widgets import boxes


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Run cells of a kernel; what is returned lists its callbacks."""
    callbacks: list[Any] = []
    events = SimpleNamespace(register=lambda _, callback: callbacks.append(callback))

    class Shell(SimpleNamespace):
        __hash__ = object.__hash__

    shell = Shell(kernel=object(), events=events)
    monkeypatch.setattr(boxes, "get_ipython", lambda: shell)
    return callbacks


def test_the_pictures_of_explorers_in_boxes_are_displayed_with_the_cell(
    cells: list[Any], explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    displayed: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "uqwidgets.widgets.notebook_picture.display", lambda data, **_: displayed.append(data)
    )
    boxes.watch_cells()
    with uq.Explorer(explorer.explainer, n_repeats=2) as other:
        (callback,) = cells  # one, however many explorers there are
        nested = w.Tab([w.HBox([explorer, w.IntSlider()]), w.VBox([other, explorer])])
        assert list(boxes.pictured_in(nested)) == [explorer, other]
        callback(SimpleNamespace(result=nested))
        pictures = [data["text/html"] for data in displayed]
        assert len(pictures) == 2
        assert f"uq-picture-{explorer._picture}" in pictures[0]
        assert f"uq-picture-{other._picture}" in pictures[1]
        assert all("<svg" in picture or "<img" in picture for picture in pictures)
        displayed.clear()
        for value in (None, 3, w.HBox([w.IntSlider()]), explorer):
            callback(SimpleNamespace(result=value))
        assert displayed == [], "one that is shown by itself displays its own picture"
