"""The wire format, held in a file that the front end's own tests read.

``UQ_WRITE_GOLDEN=1 pytest tests/widgets/test_golden.py`` writes it anew.
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
from uqwidgets.widgets.timing import Timing
from widgets.conftest import Counting, table
from widgets.wire import as_json, columns, from_json

GOLDEN = Path(__file__).parents[2] / "js" / "test" / "golden" / "frame.json"


@pytest.fixture
def current(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    # By a clock of its own: how many calls there are depends on what they take.
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: 1e-6 * next(ticks))
    unhurried = Timing(summing=60.0, long_work=60.0, frame_interval=60.0, heartbeat=60.0)
    monkeypatch.setattr(uq.Explorer, "_timing", unhurried)
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


def test_the_wire_format_is_the_one_the_front_end_is_tested_with(current: dict[str, Any]) -> None:
    text = json.dumps(
        {"about": current["about"], "frame": as_json(current["frame"])}, indent=1, allow_nan=False
    )
    if os.environ.get("UQ_WRITE_GOLDEN"):
        GOLDEN.write_text(text + "\n", encoding="utf-8")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    fresh = json.loads(text)
    assert golden["about"] == _close(fresh["about"])
    was, now = from_json(golden["frame"]), from_json(fresh["frame"])
    assert {k: was[k] for k in ("schema", "seq", "inputs")} == _close(
        {k: now[k] for k in ("schema", "seq", "inputs")}
    )
    assert was["meta"] == _close(now["meta"])
    before, after = columns(was), columns(now)
    assert before.keys() == after.keys()
    for name, values in before.items():
        np.testing.assert_allclose(after[name], values, rtol=1e-6, atol=1e-12, err_msg=name)


def test_every_column_is_little_endian_and_as_long_as_it_says(current: dict[str, Any]) -> None:
    frame = current["frame"]
    sizes = {"f8": 8, "f4": 4, "i4": 4, "u1": 1}
    assert set(frame["cols"]) == set(frame["meta"]["cols"])
    for name, raw in frame["cols"].items():
        described = frame["meta"]["cols"][name]
        assert len(raw) == sizes[described["dtype"]] * np.prod(described["shape"]), name


def _close(value: Any) -> Any:
    """Compare floats up to what another processor may round."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-9, abs=1e-12)
    if isinstance(value, dict):
        return {k: _close(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_close(v) for v in value]
    return value
