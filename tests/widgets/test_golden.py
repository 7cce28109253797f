"""The wire format of a frame equals the golden file that the tests of the front end read.

``UQ_WRITE_GOLDEN=1 python -m pytest tests/widgets/test_golden.py`` writes the file again, as a new
view or another change of the format needs it. A new measure does not.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.measures.classification import of_probabilities
from uqwidgets.predictive import Categorical
from uqwidgets.widgets.kernel.timing import Timing
from widgets.conftest import Counting, table
from widgets.wire import as_json, columns, from_json

WRITE = "UQ_WRITE_GOLDEN"
# What is declared besides is left out.
MEASURES = (
    "nll",
    "entropy",
    "prediction",
    "probability:no",
    "probability:yes",
    "zero_one",
    "brier",
)
GOLDEN = Path(__file__).parents[2] / "js" / "test" / "golden" / "frame.json"


@pytest.fixture
def current(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    # A simulated clock: the number of model calls depends on their measured time.
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: 1e-6 * next(ticks))

    def some(q: Categorical) -> dict[str, Any]:
        return {name: offer for name, offer in of_probabilities(q).items() if name in MEASURES}

    monkeypatch.setattr("uqwidgets.measures.of_probabilities", some)
    no_progress = Timing(summing=60.0, long_work=60.0, frame_interval=60.0, heartbeat=60.0)
    monkeypatch.setattr(uq.Explorer, "_timing", no_progress)
    explainer = uq.Explainer(Counting(), *table())
    filters = [{"feature": None, "values": ["yes", "no"]}, {"feature": "b", "low": -2, "high": 2}]
    with uq.Explorer(
        explainer,
        tau=0.5,
        feature="a",
        stress_feature="b",
        ice_filter=filters,
        ice_lines=5,
        n_repeats=3,
    ) as widget:
        assert widget.wait(30)
        frame = dict(widget._frame)
        about = dict(widget._about)
    frame["meta"]["cost"]["seconds"] = 0.0
    return {"about": about, "frame": frame}


def test_the_wire_format_is_that_of_the_golden_frame(current: dict[str, Any]) -> None:
    # The texts of the help have tests of their own.
    about = {name: value for name, value in current["about"].items() if name != "help"}
    text = json.dumps(
        {"about": about, "frame": as_json(current["frame"])}, indent=1, allow_nan=False
    )
    if os.environ.get(WRITE):
        GOLDEN.write_text(text + "\n", encoding="utf-8")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    fresh = json.loads(text)
    hint = f"if the change is meant, run `{WRITE}=1 python -m pytest tests/widgets/test_golden.py`"
    assert golden["about"] == _close(fresh["about"]), hint
    expected, frame = from_json(golden["frame"]), from_json(fresh["frame"])
    for name in ("schema", "seq", "inputs", "meta"):
        assert expected[name] == _close(frame[name]), f"{name}: {hint}"
    golden_columns, fresh_columns = columns(expected), columns(frame)
    assert golden_columns.keys() == fresh_columns.keys(), hint
    for name, values in golden_columns.items():
        np.testing.assert_allclose(
            fresh_columns[name], values, rtol=1e-6, atol=1e-12, err_msg=f"{name}: {hint}"
        )


def test_every_column_has_the_length_of_its_shape_and_type(current: dict[str, Any]) -> None:
    frame = current["frame"]
    sizes = {"f8": 8, "f4": 4, "i4": 4, "u1": 1}
    assert set(frame["cols"]) == set(frame["meta"]["cols"])
    for name, raw in frame["cols"].items():
        described = frame["meta"]["cols"][name]
        assert len(raw) == sizes[described["dtype"]] * np.prod(described["shape"]), name


def test_all_that_is_sent_is_of_plain_types() -> None:
    """Hosts that do not use `json` may write a subclass of text or numbers as something else.

    marimo wrote a `Remark` as an object, and no frame that had one was shown.
    """
    X, y = table()

    def certain(A: Any) -> Any:
        return np.tile([1.0, 0.0], (len(A), 1))

    conditions = [{"feature": "c", "values": [np.str_("red")]}]
    with uq.explore(certain, X, y == "yes", n_repeats=2, ice_filter=conditions) as explorer:
        assert explorer.wait(60)
        assert explorer._frame["meta"]["note_codes"]
        for name in ("_about", "_frame", "_over_tau", *explorer.state):
            assert _of_other_types(getattr(explorer, name), name) == []


def _of_other_types(value: Any, place: str) -> list[str]:
    if isinstance(value, dict):
        children = [(one, f"{place}.{key}") for key, one in value.items()]
        children += [(key, f"{place}: key {key}") for key in value]
    elif isinstance(value, list | tuple):
        children = [(one, f"{place}[{i}]") for i, one in enumerate(value)]
    else:
        is_plain = type(value) in (str, int, float, bool, bytes, type(None))
        return [] if is_plain else [f"{place} is a {type(value).__name__}"]
    return [fault for one, where in children for fault in _of_other_types(one, where)]


def _close(value: Any) -> Any:
    """Compare floats up to the rounding of another processor."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-9, abs=1e-12)
    if isinstance(value, dict):
        return {k: _close(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_close(v) for v in value]
    return value
