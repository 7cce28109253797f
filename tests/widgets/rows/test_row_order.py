"""Rows in the order of a column: a remark names the input that mends it, and one value sets it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq

N = 300
FURTHER = {"feature": "dose", "stress_feature": "dose", "n_repeats": 5}


def mean(X: Any) -> Any:
    return np.asarray(X["dose"]), np.full(len(X), 1.5)


def days(**options: Any) -> uq.Explainer:
    """An explainer of shuffled days whose errors depend on each other along the days."""
    rng = np.random.default_rng(0)
    noise = np.zeros(N)
    for t in range(1, N):
        noise[t] = 0.8 * noise[t - 1] + rng.normal()
    X = pd.DataFrame({"dose": rng.normal(size=N)})
    day = pd.date_range("2024-01-01", periods=N)
    order = rng.permutation(N)
    y = pd.Series(X["dose"] + noise, name="outcome")[order].reset_index(drop=True)
    X = X.iloc[order].reset_index(drop=True)
    return uq.Explainer(mean, X, y, extra=pd.DataFrame({"day": day[order]}), **options)


def noted(widget: uq.Explorer, code: str) -> tuple[str, Any]:
    meta = widget._frame["meta"]
    at = meta["note_codes"].index(code)
    return meta["notes"][at], meta["note_inputs"][at]


def test_the_remark_on_rows_in_order_names_the_input_that_mends_it() -> None:
    explainer = days()
    with uq.Explorer(explainer, **FURTHER) as widget:
        assert widget.wait(60)
        calls = explainer.model_calls
        text, inputs = noted(widget, "rows-in-order")
        assert "time='day'" in text
        assert inputs == {"time": "day"}
        before = widget.result("importance")
        # As the click on its button does.
        widget.set_state({**inputs, "_seq": widget._seq + 1})
        assert widget.wait(60)
        assert widget.time == "day"
        assert noted(widget, "rows-in-time")[1] is None
        assert "rows-in-order" not in widget._frame["meta"]["note_codes"]
        after = widget.result("importance")
        own = days(time="day").importance("nll", n_repeats=5)
        np.testing.assert_allclose(after.high - after.low, own.high - own.low, rtol=1e-12)
        assert before.high[0] - before.low[0] < after.high[0] - after.low[0]
        assert explainer.model_calls == calls
        assert widget.code().endswith("time='day')")
        assert {"name": "day", "text": "in the order of day", "time": True} in widget._about[
            "groups"
        ]


def test_an_order_of_the_explainer_gives_way_to_one_that_is_chosen() -> None:
    rng = np.random.default_rng(0)
    explainer = days(time=rng.permutation(N))
    with uq.Explorer(explainer, **FURTHER) as widget:
        assert "time=time" in widget.code()
        widget.time = "day"
        assert widget.wait(60)
        assert widget.code().count("time=") == 1
        shown, own = widget.result("importance"), days(time="day").importance("nll", n_repeats=5)
        np.testing.assert_allclose(shown.low, own.low, rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["2024-01-01"] * N, "time holds values that are neither numbers nor dates"),
        ([*range(N - 1), None], "time is missing in 1 of 300 rows"),
        ([1] * N, "in 1 blocks"),
    ],
)
def test_what_orders_no_rows_is_refused_in_one_sentence(values: list[Any], sentence: str) -> None:
    X = pd.DataFrame({"dose": np.arange(N, dtype=float)})
    with (
        uq.explore(mean, X, X["dose"], extra={"at": values}) as widget,
        pytest.raises(ValueError, match=sentence),
    ):
        widget.time = "at"
