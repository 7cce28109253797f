"""In marimo a hint says once that an explorer must be wrapped."""

from __future__ import annotations

import linecache
import sys
import warnings
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.kernel import marimo_hint

X = np.random.default_rng(0).normal(size=(20, 2))


def model(A):
    return A[:, 0]


@pytest.fixture
def cell(monkeypatch):
    """Run the source of a cell as marimo does, and return the warnings."""
    marimo = SimpleNamespace(Thread=Thread, running_in_notebook=lambda: True)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    monkeypatch.setattr(marimo_hint, "_hinted", False)

    def run(source):
        name = f"<cell of {len(linecache.cache)}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        mo = SimpleNamespace(ui=SimpleNamespace(anywidget=lambda widget: widget))
        names = {"uq": uq, "model": model, "X": X, "mo": mo}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exec(compile(source, name, "exec"), names)
        names["explorer"].close()
        del linecache.cache[name]
        return [str(one.message) for one in caught if "marimo" in str(one.message)]

    return run


def test_an_explorer_that_is_not_wrapped_is_met_with_one_hint(cell):
    (hint,) = cell("explorer = uq.explore(model, X, X[:, 0], n_repeats=2)\n")
    assert "wrapped" in hint
    assert cell("explorer = uq.explore(model, X, X[:, 0], n_repeats=2)\n") == []


def test_a_cell_that_wraps_it_has_no_hint(cell):
    # The source of this file is that of a caller too, so the call is not written out in it.
    wrap = ".".join(["mo", "ui", "anywidget"])
    assert cell(f"explorer = {wrap}(uq.explore(model, X, X[:, 0], n_repeats=2))\n") == []
