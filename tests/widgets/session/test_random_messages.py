"""Ten thousand random messages to an explorer, to single views and to linked explorers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import comm
import pytest

import uqwidgets as uq
from browser.bridge import QueueComm
from uqwidgets.widgets.inputs.inputs import NAMES
from uqwidgets.widgets.inputs.rows_text import text_of_rows
from uqwidgets.widgets.kernel.front_end import PARTS
from widgets.conftest import rest
from widgets.random_messages import RandomMessages
from widgets.session.test_messages import host_state, send
from widgets.session.test_state import CHANGED, Tolerant, dated

# What the last message sets, so that little is left to compute.
LAST = {
    **{name: CHANGED[name] for name in ("tau", "feature", "measure", "indicator", "color_by")},
    "shown_model": "first",
    "views": [],
    "second": "",
    "stress_feature": "a",
    "n_repeats": 4,
    "ice_filter": [],
    "complement": False,
    "cohorts": [],
    "held": [],
    "importance_of": [],
    "replacement": "permutation",
    "compare": "difference",
    "interval": "u-statistic",
    "verdict": False,
    "redundancy": False,
    "sort": "",
    "slices_of": "",
    "compare_with": "",
    "selection": "0-3",
    "row": 2,
    "what_if": [{"feature": "a", "value": 0.25}],
    "pins": [],
}
# How often the messages of a test pause.
N_RESTS = 20
# What an answer changes: a curve may need a part of the front end, and the levels of tau follow it.
_MAY_CHANGE = {"_stored_parts", "_over_tau", "pins"}


@pytest.fixture(scope="module")
def explainer() -> uq.Explainer:
    X, y = dated()
    extra = {"site": ["x", "y", None] * (len(X) // 3)}
    groups = {"both": ["a", "b"]}
    second = Tolerant()
    return uq.Explainer(
        Tolerant(),
        X,
        y,
        name="first",
        others={"second": second},
        extra=extra,
        feature_groups=groups,
    )


@pytest.mark.parametrize(
    ("kinds", "n_messages", "seed"),
    [
        ((uq.Explorer,), 400, 1),
        pytest.param((uq.Explorer,), 3_000, 1, marks=pytest.mark.thorough),
        pytest.param((uq.Explorer,), 10_000, 1, marks=pytest.mark.slow),
        pytest.param((uq.ImportanceView,), 500, 2, marks=pytest.mark.thorough),
        pytest.param((uq.DependenceView,), 500, 3, marks=pytest.mark.thorough),
        pytest.param((uq.StressView,), 500, 4, marks=pytest.mark.thorough),
        pytest.param((uq.SurfaceView,), 500, 5, marks=pytest.mark.thorough),
        pytest.param((uq.PerformanceView,), 500, 6, marks=pytest.mark.thorough),
        pytest.param((uq.Explorer, uq.DependenceView), 300, 7, marks=pytest.mark.thorough),
    ],
    ids=[
        "explorer",
        "explorer, more",
        "explorer at length",
        "importance",
        "dependence",
        "stress",
        "surface",
        "performance",
        "linked",
    ],
)
def test_a_widget_answers_after_random_messages(
    explainer: uq.Explainer,
    kinds: tuple[type[uq.Explorer], ...],
    n_messages: int,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    reported: list[str],
) -> None:
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    with ExitStack() as stack:
        widgets = [stack.enter_context(kind(explainer, n_repeats=3, ice_lines=4)) for kind in kinds]
        for widget in widgets:
            assert widget.wait(30)
            # The widget does not wait for its answers, so that most messages arrive during earlier
            # work.
            monkeypatch.setattr(widget._publisher.shown, "wait", lambda _timeout=None: True)
        if len(widgets) > 1:
            uq.link(*widgets, names=NAMES)
        before = [host_state(widget) for widget in widgets]
        others = ["_seq", "_stop", "_view_count", *before[0], "no_such_trait", "__class__", "comm"]
        messages = RandomMessages(CHANGED, seed, others)
        for at in range(n_messages):
            widget = widgets[at % len(widgets)]
            send(widget, messages.state(), buffer_paths=messages.paths())
            if at % (n_messages // N_RESTS) == 0:
                # Some are answered to the end, with what follows at other levels of tau.
                rest(widget)
                check_error(widget._frame["meta"]["error"])
                assert not reported, widget.state
        last = widgets[0]
        send(last, {**LAST, "_seq": last._seq + 1})
        for widget in widgets:
            rest(widget)
            assert not reported
            assert widget._frame["meta"]["final"]
            inputs = widget._frame["inputs"]
            assert {name: inputs[name] for name in LAST if name != "pins"} == {
                name: value for name, value in LAST.items() if name != "pins"
            }
        assert last._frame["seq"] == last._seq
        assert last._frame["meta"]["error"] is None
        assert (last.pins, text_of_rows(last.selection)) == ([], "0-3")
        for widget, state in zip(widgets, before, strict=True):
            assert widget._stored_parts.items() <= PARTS.items()
            assert_same_but(host_state(widget), state)


def check_error(error: str | None) -> None:
    """Check that an error is a sentence and no failure of ours."""
    for kind in ("TypeError", "KeyError", "IndexError", "AttributeError", "OverflowError"):
        assert kind not in (error or "")


def assert_same_but(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    for name in ours.keys() - _MAY_CHANGE:
        assert ours[name] == theirs[name], name
