"""Numbers beyond the range of single precision, in which most columns travel."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.kernel.frames import single
from widgets.wire import columns


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_numbers_beyond_single_precision_reach_the_page():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = 1e20 * (X[:, 0] + rng.normal(size=60))

    def model(X):
        return 1e20 * X[:, 0]

    inputs = {"stress_feature": "x1", "feature": "x0", "tau": 0.3, "own_values": True}
    shown = {"measure": "squared_error", "indicator": "squared_error", "n_repeats": 2}
    followed = threading.Event()
    with uq.explore(model, X, y, **inputs, **shown) as widget:
        widget.observe(lambda _change: followed.set(), "_over_tau")
        widget.stress_feature = "x0"
        assert followed.wait(60)
        assert widget.wait(60)
        frames = [widget._frame, widget._over_tau]
        assert widget._frame["meta"]["error"] is None
    for frame in frames:
        numbers = {k: v for k, v in columns(frame).items() if v.dtype.kind == "f"}
        assert max(np.nanmax(v) for v in numbers.values() if v.size) > 1e40
        # No number of rows may be enough, which is what infinity says there.
        numbers.pop("importance.needed", None)
        assert not any(np.isinf(v).any() for v in numbers.values())


def test_numbers_are_single_precision_where_all_fit():
    assert single(np.array([1e30, np.nan, -np.inf])).dtype == np.float32
    assert single(np.array([])).dtype == np.float32
    assert single(np.array([1.0, 1e39])).dtype == np.float64
