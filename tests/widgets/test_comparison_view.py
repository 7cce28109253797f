"""The explorer with several models: what lies under the views, and the differences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.views.comparison.view import GRID
from uqwidgets.widgets.views.dependence.feature_curves import GRID as SHOWN
from widgets.wire import columns


def line(X):
    return X["a"].to_numpy() + 0.5 * X["b"].to_numpy(), np.ones(len(X))


def flat(X):
    return 0.3 * X["a"].to_numpy(), np.ones(len(X))


class Counted:
    """A model that counts its calls, and fails where it is told to."""

    fault: str | None = None

    def __init__(self):
        self.calls = 0

    def __call__(self, X):
        self.calls += 1
        if self.fault is not None:
            raise RuntimeError(self.fault)
        return flat(X)


def data(n=80):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, line(X)[0] + rng.normal(size=n)


@pytest.fixture
def explorer():
    X, y = data()
    with uq.explore({"line": line, "flat": flat}, X, y, n_repeats=4) as explorer:
        assert explorer.wait()
        yield explorer


def test_the_first_model_is_shown_and_compared_with_the_second(explorer):
    assert explorer.compare_with == "model:flat"
    frame = explorer._frame
    meta, shown = frame["meta"], columns(frame)
    assert meta["error"] is None
    assert (meta["comparison"]["first"], meta["comparison"]["second"]) == ("line", "flat")
    assert (meta["ghost"]["of"], meta["ghost"]["note"]) == ("model", "flat")
    comparison = explorer.explainer.compare(explorer.explainer.others["flat"])
    for k, measure in enumerate(("nll", "entropy")):
        expected = comparison.importance(measure, n_repeats=4)
        order = [explorer.explainer.features.index(f) for f in expected.second.features]
        second = shown["importance.ghost"][k][order]
        np.testing.assert_allclose(second, expected.second.importance)
        of = expected.difference
        order = [explorer.explainer.features.index(f) for f in of.features]
        for name, values in (("", of.importance), ("_low", of.low), ("_high", of.high)):
            np.testing.assert_allclose(shown[f"comparison.importance{name}"][k][order], values)
    curve = comparison.dependence(explorer.feature, "prediction", grid=49)
    np.testing.assert_allclose(shown["dependence.ghost"], curve.second.average)
    np.testing.assert_allclose(shown["comparison.curve_high"], curve.difference.high)
    stress = comparison.stress([explorer.stress_feature], [explorer.indicator], level=0.95)
    (name,) = stress.difference.indicators
    np.testing.assert_allclose(shown["stress.ghost"], stress.second.values[name][0])
    np.testing.assert_allclose(shown["comparison.stress_low"], stress.difference.low[name][0])
    scores = comparison.scores().difference
    assert [s["value"] for s in meta["comparison"]["scores"]] == pytest.approx(list(scores.value))


def test_tau_and_filters_ask_neither_model(explorer):
    other = explorer.explainer.others["flat"]
    before = explorer.explainer.rows_evaluated, other.rows_evaluated
    explorer.tau = 0.5
    explorer.ice_filter = [{"feature": "b", "low": -1.0, "high": 1.0}]
    assert explorer.wait()
    assert (explorer.explainer.rows_evaluated, other.rows_evaluated) == before
    meta = explorer._frame["meta"]
    assert not meta["comparison"]["stale"]
    result = explorer.result("comparison", "scores")
    assert meta["comparison"]["scores"][0]["value"] == pytest.approx(result.difference.value[0])
    assert result.difference.weighted


def test_both_curves_have_the_values_of_the_one_that_is_shown(explorer):
    assert GRID == SHOWN
    assert len(columns(explorer._frame)["dependence.grid"]) == GRID


def test_nothing_is_compared_where_nothing_is_chosen(explorer):
    explorer.compare_with = ""
    assert explorer.wait()
    assert explorer._frame["meta"]["comparison"] is None
    assert explorer._frame["meta"]["ghost"] is None
    with pytest.raises(ValueError, match="comparison shows nothing"):
        explorer.result("comparison")


def test_a_pin_lies_above_another_model(explorer):
    explorer.pin("before")
    explorer.pins = [{**explorer.pins[0], "ghost": True}]
    assert explorer.wait()
    assert explorer._frame["meta"]["ghost"]["note"] == "before"
    assert explorer._frame["meta"]["comparison"]["second"] == "flat"


def test_state_and_code_name_the_models(explorer):
    assert explorer.code().startswith("uq.explore({'line': line, 'flat': flat}, X, y")
    assert "compare_with" not in explorer.code()
    explorer.compare_with = ""
    assert "compare_with=''" in explorer.code()
    assert explorer.state["compare_with"] == ""
    with pytest.raises(ValueError, match="no model to compare with 'flt'; did you mean 'flat'"):
        explorer.compare_with = "model:flt"
    with pytest.raises(ValueError, match="it must be '' or 'model:<name>'"):
        explorer.compare_with = "flat"
    assert explorer.compare_with == ""


def test_a_model_that_fails_leaves_the_first_and_is_asked_once():
    X, y = data()
    broken = Counted()
    broken.fault = "no memory"
    with uq.explore({"line": line, "broken": broken}, X, y, n_repeats=3) as explorer:
        assert explorer.wait()
        meta = explorer._frame["meta"]
        assert meta["error"].startswith("broken: ")
        assert "no memory" in meta["error"]
        assert meta["comparison"] is None
        assert meta["importance"]["n_repeats"] == 3
        calls = broken.calls
        explorer.tau = 0.4
        assert explorer.wait()
        assert broken.calls == calls
        assert "no memory" in explorer._frame["meta"]["error"]
        broken.fault = None
        explorer.compare_with = ""
        assert explorer.wait()
        assert explorer._frame["meta"]["error"] is None
        explorer.compare_with = "model:broken"
        assert explorer.wait()
        assert explorer._frame["meta"]["comparison"]["second"] == "broken"


def test_the_first_model_is_complete_before_the_second_is_asked():
    X, y = data()
    rows_of_the_first = []

    class Second(Counted):
        def __call__(self, X):
            rows_of_the_first.append(explainer.rows_evaluated)
            return super().__call__(X)

    second = Second()
    explainer = uq.Explainer(line, X, y, name="line", others={"second": second})
    assert not second.calls
    with uq.Explorer(explainer, n_repeats=3) as explorer:
        assert explorer.wait()
    assert set(rows_of_the_first) == {explainer.rows_evaluated}


def test_a_model_without_others_has_no_comparison():
    X, y = data()
    with uq.explore(line, X, y, n_repeats=2) as explorer:
        assert explorer.wait()
        assert "comparison" not in explorer._frame["meta"]
        assert "comparison" not in explorer._about["views"]


def test_what_cannot_be_compared_is_refused_in_one_sentence():
    X, y = data(30)
    with pytest.raises(ValueError, match="there are 5 models, of which at most 4"):
        uq.explore(dict.fromkeys("abcde", line), X, y)
    with pytest.raises(ValueError, match="got no model in the dict"):
        uq.explore({}, X, y)
    with pytest.raises(ValueError, match="give each its own name"):
        uq.Explainer(line, X, y, name="flat", others={"flat": flat})
    with pytest.raises(TypeError, match="'line' is an Explainer, which has no other models"):
        uq.explore({"line": uq.Explainer(line, X, y), "flat": flat})
    other_rows = uq.Explainer(flat, X[:20], y[:20])
    explainer = uq.Explainer(line, X, y, name="line", others={"few": other_rows})
    with uq.Explorer(explainer, n_repeats=2) as explorer:
        assert explorer.wait()
        assert "line has 30 rows and few has 20" in explorer._frame["meta"]["error"]


def test_without_a_target_and_with_categories_there_are_differences():
    X, _ = data()
    X["kind"] = np.resize(["one", "two", "three"], len(X))
    with uq.explore({"line": line, "flat": flat}, X, feature="kind", n_repeats=2) as explorer:
        assert explorer.wait()
        meta = explorer._frame["meta"]
    assert meta["error"] is None
    assert meta["comparison"]["scores"] == []
    assert meta["comparison"]["curve"]["labels"] == ["one", "three", "two"]
