"""The static picture of a widget in a notebook: a separate output, redrawn at rest."""

from __future__ import annotations

import gc
import queue
import re
import weakref
from typing import Any

import pytest

import uqwidgets as uq
from uqwidgets.widgets.picture.static_picture import static_picture
from widgets.conftest import Counting, table

VIEW = "application/vnd.jupyter.widget-view+json"


class Outputs:
    """The outputs that a notebook receives, in order."""

    def __init__(self) -> None:
        self.sent: queue.Queue[tuple[dict[str, Any], dict[str, Any]]] = queue.Queue()

    def __call__(self, data: dict[str, Any], **options: Any) -> None:
        self.sent.put((data, options))

    def next(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.sent.get(timeout=20)


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> Outputs:
    outputs = Outputs()
    monkeypatch.setattr("uqwidgets.widgets.picture.notebook_picture.display", outputs)
    monkeypatch.setattr("uqwidgets.widgets.picture.notebook_picture._SECONDS_AT_REST", 0.05)
    return outputs


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html))


def test_the_widget_and_its_picture_are_separate_outputs(
    explorer: uq.Explorer, outputs: Outputs
) -> None:
    explorer._ipython_display_()
    (view, _), (picture, options) = outputs.next(), outputs.next()
    assert VIEW in view
    assert "text/html" not in view, (
        "without a kernel, a notebook would prefer the view to the picture"
    )
    assert list(picture) == ["text/html"]
    assert picture["text/html"].startswith(f'<div class="uq-picture-{explorer._picture}">')
    assert options["display_id"] == explorer._picture
    assert not options["update"]


def test_the_picture_is_redrawn_at_rest_without_a_model_call(
    explorer: uq.Explorer, outputs: Outputs
) -> None:
    explorer._ipython_display_()
    first = text([outputs.next(), outputs.next()][1][0]["text/html"])
    assert "Stressed" not in first
    explorer.feature = "b"
    assert explorer.wait(20)
    rows = explorer.explainer.rows_evaluated
    explorer.set_state(
        {
            "tau": 0.5,
            "stress_feature": "a",
            "ice_filter": [
                {"feature": "c", "values": ["red"]},
                {"feature": "b", "low": -1, "high": 1.5},
            ],
            "_seq": 7,
        }
    )
    while "Stressed" not in (shown := text((sent := outputs.next())[0]["text/html"])):
        pass
    assert sent[1]["update"]
    assert re.search(r"the \d+ rows with c red and b at least −1 and at most 1.5\.", shown)
    assert "Stressed: τ = 0.5 moves the mean of a from" in shown
    assert "weighted, worth about" in shown
    assert "probability of yes on b" in shown
    assert explorer.explainer.rows_evaluated == rows


def test_the_picture_names_a_filter_without_rows_and_an_unreachable_stress_level(
    explorer: uq.Explorer,
) -> None:
    explorer.ice_filter = [{"feature": "b", "low": 50, "high": 60}]
    assert explorer.wait(20)
    inputs = explorer._inputs()[0]
    assert "No row has b at least 50 and at most 60." in text(
        static_picture(explorer._session, inputs)
    )
    explorer.set_trait("ice_filter", [])
    explorer.set_trait("stress_feature", "same")
    explorer.set_trait("tau", 0.5)
    assert explorer.wait(20)
    shown = text(static_picture(explorer._session, explorer._inputs()[0]))
    assert "Without stress: &#x27;same&#x27; cannot be stressed to tau = 0.5" in shown
    assert "Importance for" in shown


def test_the_picture_says_why_a_panel_is_missing() -> None:
    model = Counting()
    explainer = uq.Explainer(model, *table())
    model.broken = True
    with uq.Explorer(explainer, n_repeats=2) as widget:
        assert widget.wait(20)
        shown = text(static_picture(widget._session, widget._inputs()[0]))
    assert shown.count("the model is out of order") == 1
    assert "error rate" in shown.lower()


def test_a_picture_waiting_for_rest_does_not_keep_its_widget_alive(outputs: Outputs) -> None:  # noqa: ARG001
    widget = uq.Explorer(uq.Explainer(Counting(), *table()), n_repeats=2)
    assert widget.wait(20)
    picture = widget._notebook_picture
    widget._ipython_display_()
    picture.draw_at_rest()
    worker = widget._scheduler.worker
    widget.close()
    if worker is not None:
        worker.join(20)
    reference = weakref.ref(widget)
    del widget
    gc.collect()
    assert reference() is None
    picture._call()
