"""All at once: one choice changes importance, curves and differences, without a model call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.following import Watched, assert_exact

P, N = 12, 150
NAMES = [f"x{j}" for j in range(P)]
FURTHER: dict[str, Any] = {"feature": "x0", "stress_feature": "x1", "n_repeats": 5}


def data() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, P)), columns=NAMES)
    return X, X["x0"].to_numpy() + rng.normal(size=N)


def model(X: Any) -> Any:
    return np.asarray(X).sum(axis=1) * 0.2 + np.asarray(X)[:, 0], np.full(len(X), 1.2)


def worse(X: Any) -> Any:
    return 0.4 * np.asarray(X)[:, 0], np.full(len(X), 1.5)


@pytest.fixture(scope="module")
def explainer() -> uq.Explainer:
    return uq.Explainer(model, *data(), name="one", others={"two": worse})


def test_all_at_once_is_what_the_explainer_computes(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, **FURTHER) as widget:
        assert widget.wait(60)
        alone = {name: widget.result(name) for name in ("importance", "dependence")}
        assert "many-features" in widget._frame["meta"]["note_codes"]
        at = widget._frame["meta"]["note_codes"].index("many-features")
        mends = widget._frame["meta"]["note_inputs"][at]
        assert mends == {"simultaneous": True}
        calls = explainer.model_calls
        widget.set_state({**mends, "_seq": widget._seq + 1})
        assert widget.wait(60)
        assert "many-features" not in widget._frame["meta"]["note_codes"]
        importance, curve = widget.result("importance"), widget.result("dependence")
        own = explainer.importance("nll", n_repeats=5, simultaneous=True)
        np.testing.assert_allclose(importance.low, own.low, rtol=1e-12)
        assert importance.pointwise_level == own.pointwise_level > 0.95
        # The frame has the features in the order of the table.
        columns = widget._frame["cols"]["importance.low"]
        low = np.frombuffer(columns).reshape(-1, P)[0]
        place = [NAMES.index(name) for name in own.features]
        np.testing.assert_allclose(low[place], own.low, rtol=1e-12)
        width = importance.high - importance.low
        assert (width > 1.2 * (alone["importance"].high - alone["importance"].low)).all()
        assert curve.pointwise_level is not None
        assert np.all(curve.high - curve.low >= alone["dependence"].high - alone["dependence"].low)
        assert explainer.model_calls == calls
        assert "simultaneous=True" in widget.code()
        assert widget.state["simultaneous"] is True


def test_differences_hold_at_once_too(explainer: uq.Explainer) -> None:
    comparison = explainer.compare(explainer.others["two"])
    with uq.Explorer(explainer, simultaneous=True, compare_with="model:two", **FURTHER) as widget:
        assert widget.wait(60)
        own = comparison.importance("nll", n_repeats=5, simultaneous=True).difference
        shown = widget.result("comparison", "nll").difference
        np.testing.assert_allclose(shown.low, own.low, rtol=1e-12)
        scores = widget.result("comparison", "scores").difference
        np.testing.assert_allclose(scores.low, comparison.scores(simultaneous=True).difference.low)
        assert widget.result("comparison", "stress").difference.simultaneous


def test_levels_of_tau_have_the_intervals_of_the_answers(explainer: uq.Explainer) -> None:
    session = Watched(explainer, simultaneous=True, compare_with="", **FURTHER)
    try:
        session.follow()
        _, columns = session.messages[-1]
        assert {"importance.low", "dependence.high"} <= set(columns)
        for tau in (-0.65, 0.5):
            assert_exact(session, tau)
    finally:
        session.widget.close()


def test_the_spread_of_shuffles_stays_as_it_is(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, interval="quantile", **FURTHER) as widget:
        assert widget.wait(60)
        before = widget.result("importance")
        widget.simultaneous = True
        assert widget.wait(60)
        np.testing.assert_array_equal(widget.result("importance").low, before.low)
        assert not widget._frame["meta"]["error"]


def test_scorers_hold_at_once(explainer: uq.Explainer) -> None:
    of = {**FURTHER, "importance_of": ["r2"]}
    with uq.Explorer(explainer, simultaneous=True, **of) as widget:
        assert widget.wait(60)
        own = explainer.importance("r2", n_repeats=5, simultaneous=True)
        low = np.frombuffer(widget._frame["cols"]["importance.low"])
        place = [NAMES.index(name) for name in own.features]
        np.testing.assert_allclose(low[place], own.low, rtol=1e-12)
