"""How many rows would make an importance clear: in the frame, and in one line of a review."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.page.review import review, reviewed_views

N = 240
NAMES = ["strong", "weak", "noise", "ignored"]


def model(X: Any) -> Any:
    X = np.asarray(X)
    return X[:, 0] + 0.08 * X[:, 1] + 0.15 * X[:, 2], np.ones(len(X))


def explainer(**options: Any) -> uq.Explainer:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(N, 4)), columns=NAMES)
    y = X["strong"] + 0.08 * X["weak"] + rng.normal(size=N)
    extra = pd.DataFrame({"patient": np.repeat(np.arange(N // 4), 4)})
    return uq.Explainer(model, X, y, extra=extra, **options)


def needed_in(widget: uq.Explorer) -> np.ndarray:
    assert widget.wait(60)
    columns = np.frombuffer(widget._frame["cols"]["importance.needed"])
    return columns.reshape(-1, len(NAMES))[0]


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("groups", ["", "patient"])
def test_the_frame_has_the_rows_that_the_result_needs(simultaneous: bool, groups: str) -> None:
    of = {"groups": groups, "simultaneous": simultaneous, "n_repeats": 5}
    with uq.Explorer(explainer(), **of) as widget:
        shown = needed_in(widget)
        needed = widget.result("importance").rows_needed()
        assert needed.columns[1] == ("groups" if groups else "rows")
        own = needed.set_index("feature").iloc[:, 0].reindex(NAMES).to_numpy()
        np.testing.assert_array_equal(shown, own)
        assert shown[0] < 100


def test_a_kind_of_interval_that_more_rows_do_not_narrow_needs_none() -> None:
    with uq.Explorer(explainer(), interval="fixed-data", n_repeats=5) as widget:
        assert np.isnan(needed_in(widget)).all()


def test_a_review_says_it_in_one_line() -> None:
    with uq.Explorer(explainer(), n_repeats=5, views=["importance"]) as widget:
        shown = needed_in(widget)
        inputs = widget._inputs()[0]
        reviewed = reviewed_views(widget._models, [inputs], [], lambda: None)
        html = str(review(widget._models, reviewed, ["u-statistic"]).after)
    columns = np.frombuffer(widget._frame["cols"]["importance.low"]).reshape(-1, len(NAMES))[0]
    unclear = {name for name, low in zip(NAMES, columns, strict=True) if low < 0}
    assert unclear
    line = re.search(r"<p>(Clear of 0 if[^<]*|Not with any[^<]*)</p>", html)
    assert line is not None
    assert all(name in line.group(1) for name in unclear)
    assert "strong" not in line.group(1)
    for name, needed in zip(NAMES, shown, strict=True):
        if name in unclear and np.isfinite(needed):
            assert f"{name} with about {float(f'{needed:.2g}'):,.0f} rows" in line.group(1)
