"""Curves within the memory limit: fewer values first, then the curves of fewer rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.dependence import Grid
from uqwidgets.widgets.inputs.curve_form import curve_grid
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.views.dependence import feature_curves
from uqwidgets.widgets.views.dependence.view import DependenceView
from widgets.conftest import Counting, table
from widgets.test_explorer import change
from widgets.wire import columns

N = 400


def explained(memory_limit: int | str, n: int = N) -> uq.Explainer:
    return uq.Explainer(Counting(), *table(n), memory_limit=memory_limit)


def memory_for(n_values: int, n_rows: int = N) -> int:
    """Return a memory limit in whose fifth so many curves just fit."""
    return 5 * 8 * n_values * n_rows


def notes_on_curves(frame: dict[str, Any]) -> list[str]:
    return [note for note in frame["meta"]["notes"] if note.startswith("the curve")]


@pytest.mark.parametrize("n_values", [49, 25, 17, 13, 9])
def test_the_grid_is_the_finest_that_fits(n_values: int) -> None:
    roomy = explained("1GiB").dependence("a", grid=49)
    with uq.Explorer(explained(memory_for(n_values)), feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        frame = widget._frame
    cols, every = columns(frame), slice(None, None, 48 // (n_values - 1))
    np.testing.assert_array_equal(cols["dependence.grid"], roomy.grid[every])
    np.testing.assert_allclose(cols["dependence.average"], roomy.average[every], rtol=1e-9)
    assert frame["meta"]["dependence"]["n_rows_known"] == N
    assert bool(notes_on_curves(frame)) == (n_values < 49)


def test_a_note_names_the_memory_limit_that_holds_all_curves() -> None:
    with uq.Explorer(explained(memory_for(9, 100)), feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        (note,) = notes_on_curves(widget._frame)
        assert note.startswith("the curve of a has 9 of 49 values and is of 100 of 400 rows")
        limit = re.search(r"memory_limit='(\w+)' holds all", note)[1]
        assert not notes_on_curves(change(widget, feature="c")[-1]), "of two categories all fit"
    with uq.Explorer(explained(limit), feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        assert notes_on_curves(widget._frame) == []
        assert len(columns(widget._frame)["dependence.grid"]) == 49


def test_the_values_of_a_curve_are_chosen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []

    def count(table: Any, inputs: Inputs) -> Grid:
        chosen.append(inputs.feature)
        return curve_grid(table, inputs)

    monkeypatch.setattr(feature_curves, "curve_grid", count)
    with uq.Explorer(explained("1GiB"), feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        for inputs in ({"tau": 0.5}, {"measure": "entropy"}, {"feature": "b"}, {"feature": "a"}):
            change(widget, **inputs)
    assert chosen == ["a", "b"]


def test_curves_of_fewer_rows_have_the_interval_of_the_sample_and_call_no_model_later() -> None:
    explainer = explained(memory_for(9, 100))
    with uq.Explorer(explainer, feature="a", stress_feature="b", n_repeats=2) as widget:
        assert widget.wait(30)
        frame = widget._frame
        shown = frame["meta"]["dependence"]
        assert (shown["n_rows_known"], shown["stale"]) == (100, False)
        assert frame["meta"]["final"]
        n_evaluated = explainer.rows_evaluated
        rows = explainer.evaluations.row_order.rows[:100]
        for inputs in ({"tau": 0.4}, {"center": True}, {"center": False, "tau": 0.0}):
            frame = change(widget, **inputs)[-1]
            assert not frame["meta"]["dependence"]["stale"], inputs
        assert explainer.rows_evaluated == n_evaluated
        cols, result = columns(frame), widget.result("dependence")
    np.testing.assert_allclose(cols["dependence.average"], result.average, rtol=1e-12)
    chosen = explained("1GiB").dependence("a", grid=cols["dependence.grid"], rows=rows)
    np.testing.assert_allclose(cols["dependence.average"], chosen.average, rtol=1e-9)


@pytest.mark.parametrize("limit", [memory_for(49), memory_for(20), memory_for(9, 100)])
def test_stored_curves_keep_to_their_share_of_the_memory_limit(limit: int) -> None:
    with uq.Explorer(explained(limit), feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        curves = widget._session.view(DependenceView)._curves
        assert curves._latest is not None
        assert 0 < curves._latest[1].nbytes <= limit / 5
