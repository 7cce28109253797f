"""Hosts that cannot run here: what their documentation implies, on the bridge.

VS Code, Colab, Databricks and JupyterHub differ in the form of binary values, in whether the
front end is initialized and has a signal, and in how large a message may be.
"""

from __future__ import annotations

import json

import comm
import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.bridge import QueueComm
from browser.reading import answered, number, table, wait_for_answer
from cases import thorough_after

LARGEST = 5_000_000


def model(X):
    return X["x0"].to_numpy() + 0.5 * X["x1"].to_numpy() ** 2, np.full(len(X), 0.5)


def data(n, d):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(n, d))).add_prefix("x")
    return X, X["x0"].to_numpy() + X["x1"].to_numpy()


@pytest.mark.parametrize(
    "host",
    thorough_after(
        1,
        [
            {"form": "Uint8Array"},
            {"form": "ArrayBuffer"},
            {"form": "base64"},
            {"initializes": False},
            {"has_signal": False},
            {"form": "base64", "initializes": False, "has_signal": False},
        ],
    ),
    ids=lambda host: ", ".join(map(str, host.values())),
)
def test_the_numbers_are_those_of_python_and_tau_arrives(bridge, host):
    X, y = data(60, 3)
    with uq.explore(model, X, y, n_repeats=2, tau=0.25) as widget:
        root = bridge.mount(widget, **host)
        wait_for_answer(root)
        importance = widget.result("importance")
        shown = {name: number(cell) for name, cell, *_ in table(root, "Importance")}
        for feature, value in zip(importance.features, importance.importance, strict=True):
            assert shown[feature] == pytest.approx(value, rel=0.0051)
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        expect(root.locator(".uq-tau-value")).to_have_text("τ = 1.00")
        assert widget.tau == 1


@pytest.mark.thorough
def test_no_message_of_a_large_table_is_large(monkeypatch):
    """A gateway may drop messages beyond a limit; the front end itself is sent once."""
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    X, y = data(5000, 200)
    with uq.explore(model, X, y, n_repeats=2, layout="all", ice_lines=200) as widget:
        assert widget.wait(120)
        widget.tau = 0.5
        assert widget.wait(120)
        sizes = [len(json.dumps(message)) for message in widget.comm.sent]
        front_end = sum(len(value) for value in widget.get_state(("_esm", "_css")).values())
    assert len(sizes) > 2
    assert max(sizes) < LARGEST
    assert front_end < LARGEST
