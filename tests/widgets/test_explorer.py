"""The Explorer without a browser: its frames, its model calls, invalid inputs and errors."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from ipywidgets.embed import embed_data
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from traitlets import TraitError

import uqwidgets as uq
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.over_tau.levels import STOPS
from widgets.conftest import Counting, table
from widgets.wire import columns


class Frames(list):
    """Frames in the order in which they were published."""

    def __init__(self, widget: uq.Explorer) -> None:
        super().__init__()
        widget.observe(lambda change: self.append(change["new"]), names="_frame")


def change(widget: uq.Explorer, **inputs: Any) -> list[dict[str, Any]]:
    """Set inputs together, and return the frames that follow."""
    frames = Frames(widget)
    with widget.hold_trait_notifications():
        for name, value in inputs.items():
            setattr(widget, name, value)
    assert widget.wait(30)
    return list(frames)


def in_order(explainer: uq.Explainer, result: uq.Importance, values: np.ndarray) -> np.ndarray:
    """Values of an importance in the order of the table's features."""
    position = {f: j for j, f in enumerate(result.features)}
    return values[[position[f] for f in explainer.features]]


def test_the_first_frame_selects_the_most_important_feature(explorer: uq.Explorer) -> None:
    assert explorer.feature == "a"
    assert explorer.stress_feature == "a"
    frame = explorer._frame
    assert frame["meta"]["final"]
    assert frame["meta"]["importance"]["order"][0] == explorer.explainer.features.index("a")
    assert frame["meta"]["stress"]["features"] == [0, 1, 2, 2, 3], "c has two categories"


def test_the_selected_feature_does_not_depend_on_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=0.0))
    X = np.random.default_rng(1).normal(size=(60, 4))
    explainer = uq.Explainer(LinearRegression().fit(X, X.sum(axis=1)), X, X.sum(axis=1))
    loss = "squared_error"
    first, expected = (explainer.importance(loss, n_repeats=k).features[0] for k in (1, 8))
    assert first != expected, "the first repeat alone has another most important feature"
    with uq.Explorer(explainer, n_repeats=8) as widget:
        assert widget.wait(30)
        assert widget.feature == widget.stress_feature == expected


def test_the_frame_has_the_numbers_of_the_computation_layer(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    filters = [{"feature": None, "values": ["yes"]}]
    frame = change(explorer, tau=0.6, stress_feature="b", ice_filter=filters, measure="entropy")[-1]
    cols = columns(frame)
    rows = ex.table.y == "yes"
    weights = ex.stress_weights("b", 0.6, rows=rows)
    for m, measure in enumerate(("nll", "entropy")):
        result = ex.importance(measure, n_repeats=4, sample_weight=weights, rows=rows)
        plain = ex.importance(measure, n_repeats=4, rows=rows)
        for name, values in (
            ("value", result.importance),
            ("low", result.low),
            ("high", result.high),
        ):
            np.testing.assert_allclose(
                cols[f"importance.{name}"][m], in_order(ex, result, values), rtol=1e-7, atol=1e-12
            )
        np.testing.assert_allclose(
            cols["importance.base"][m], in_order(ex, plain, plain.importance), rtol=1e-12
        )
        described = frame["meta"]["importance"]["measures"][m]
        assert described["baseline"] == pytest.approx(result.baseline)
    curve = ex.dependence(
        "a", "entropy", grid=cols["dependence.grid"], sample_weight=weights, rows=rows
    )
    np.testing.assert_allclose(cols["dependence.average"], curve.average, rtol=1e-7)
    np.testing.assert_allclose(cols["dependence.low"], curve.low, rtol=1e-7)
    lines = cols["dependence.ice_row"]
    assert len(lines) == 6
    assert rows[lines].all()
    np.testing.assert_allclose(
        cols["dependence.ice"], curve.ice[np.searchsorted(curve.rows, lines)], rtol=1e-6
    )
    np.testing.assert_allclose(cols["dependence.ice_weight"], weights[lines], rtol=1e-6)
    assert (cols["dependence.ice_class"] == 1).all()
    stress = ex.stress(None, ["error_rate"], taus=STOPS, rows=rows)
    np.testing.assert_allclose(cols["stress.value"], stress.values["error_rate"], rtol=1e-6)
    now = frame["meta"]["stress"]["now"]
    scored = weights[rows]
    assert now["reached"] == pytest.approx((scored * ex.table.numbers("b")[rows]).mean())
    assert now["ess"] == pytest.approx(scored.sum() ** 2 / (scored**2).sum())


def test_importance_with_and_without_stress_uses_the_same_repeats(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without time for summing, the first frame sums one repeat, and a later frame sums all of them.
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=0.0, long_work=60.0))
    with uq.Explorer(explainer, n_repeats=6, stress_feature="b", tau=0.5) as widget:
        for n_repeats in (6, 8, 3):
            widget.n_repeats = n_repeats
            assert widget.wait(30)
            plain = explainer.importance("nll", n_repeats=n_repeats)
            np.testing.assert_allclose(
                columns(widget._frame)["importance.base"][0],
                in_order(explainer, plain, plain.importance),
                rtol=1e-12,
            )


def test_another_feature_leaves_the_shuffles_that_are_shown(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without time for summing: what is shown needs none.
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=0.0, long_work=60.0))
    with uq.Explorer(explainer, n_repeats=6, feature="a", stress_feature="b") as widget:
        assert widget.wait(30)
        frames = change(widget, feature="b")
        assert {frame["meta"]["importance"]["n_repeats"] for frame in frames} == {6}


def test_the_histogram_uses_the_stress_weights_and_sums_to_one(
    explorer: uq.Explorer,
) -> None:
    ex = explorer.explainer
    cols = columns(change(explorer, tau=-0.7, feature="b", stress_feature="b")[-1])
    weights, b = ex.stress_weights("b", -0.7), ex.table.numbers("b")
    for k, label in enumerate(ex.classes):
        expected, _ = np.histogram(
            b, cols["dependence.edges"], weights=weights * (ex.table.y == label) / len(b)
        )
        np.testing.assert_allclose(cols["dependence.counts"][k], expected, atol=1e-9)
    assert cols["dependence.counts"].sum() == pytest.approx(1)
    assert cols["dependence.counts_base"].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "inputs",
    [
        {"tau": 0.3},
        {"tau": -1.0},
        {"stress_feature": "b", "tau": 0.5},
        {"measure": "nll"},
        {"indicator": "share:yes"},
        {"interval": "model"},
        {"ice_lines": 0},
    ],
    ids=lambda inputs: "+".join(inputs),
)
def test_weights_filters_and_measures_cost_one_frame_and_no_model_call(
    explorer: uq.Explorer, model: Counting, inputs: dict[str, Any]
) -> None:
    calls = model.calls
    frames = change(explorer, **inputs)
    assert model.calls == calls
    assert [f["meta"]["cost"]["calls"] for f in frames] == [0]
    assert frames[0]["meta"]["final"]


@pytest.mark.parametrize("at_once", [True, False], ids=["few rows", "many rows"])
def test_the_profile_of_the_stressed_feature_has_its_interval(
    explorer: uq.Explorer,
    explainer: uq.Explainer,
    monkeypatch: pytest.MonkeyPatch,
    at_once: bool,
) -> None:
    if not at_once:
        explorer._publisher.timing = Timing(n_rows_at_once=10, summing=10.0, heartbeat=60.0)
    frames = change(explorer, stress_feature="a", indicator="entropy", tau=0.3)
    *before, last = (columns(frame) for frame in frames)
    # The interval of many rows is computed in a later frame.
    assert bool(before) is not at_once
    assert all(np.isnan(frame["stress.ends"]).all() for frame in before)
    expected = explainer.stress(["a"], ["entropy"], taus=STOPS, level=0.95)
    low, high = last["stress.ends"]
    np.testing.assert_array_equal(last["stress.end_taus"], expected.taus)
    np.testing.assert_allclose(low, expected.low["entropy"][0], rtol=1e-6)
    np.testing.assert_allclose(high, expected.high["entropy"][0], rtol=1e-6)
    assert (low < high).all()
    assert frames[-1]["meta"]["stress"]["level"] == 0.95
    # The interval is computed once for all values of tau.
    monkeypatch.setattr(type(explainer), "stress", None)
    *_, moved = change(explorer, tau=-0.8)
    np.testing.assert_array_equal(columns(moved)["stress.ends"], last["stress.ends"])


def test_a_constant_feature_has_no_stress_interval(explorer: uq.Explorer) -> None:
    (frame,) = change(explorer, stress_feature="same")
    assert np.isnan(columns(frame)["stress.ends"]).all()


def test_a_new_feature_computes_its_curve_only_and_more_repeats_the_new_repeats_only(
    explorer: uq.Explorer, model: Counting
) -> None:
    rows = model.rows
    frame = change(explorer, feature="c")[-1]
    assert model.rows - rows == 2 * 40 == frame["meta"]["cost"]["rows"]
    assert frame["meta"]["dependence"]["labels"] == ["blue", "red"]
    rows = model.rows
    change(explorer, n_repeats=6)
    assert model.rows - rows == 2 * 4 * 40
    rows = model.rows
    change(explorer, feature="a", n_repeats=3)
    assert model.rows == rows, "all of these rows were evaluated before"


def test_a_burst_of_changes_is_coalesced_and_ends_on_the_last_value(explorer: uq.Explorer) -> None:
    frames = Frames(explorer)
    for seq, tau in enumerate(np.linspace(-1, 1, 60), start=1):
        explorer.set_state({"tau": float(tau), "_seq": seq})
    assert explorer.wait(30)
    assert frames[-1]["seq"] == 60
    assert frames[-1]["inputs"]["tau"] == 1.0
    assert frames[-1]["meta"]["final"]


def test_an_invalid_message_is_reported_and_reverted(explorer: uq.Explorer) -> None:
    frames = Frames(explorer)
    explorer.set_state({"tau": 17, "feature": "b", "_seq": 1})
    assert explorer.wait(30)
    last = frames[-1]
    assert last["seq"] == 1
    assert "tau is 17" in last["meta"]["error"]
    assert last["inputs"]["tau"] == explorer.tau == 0.0
    assert last["inputs"]["feature"] == "b", "the valid inputs of the same message are set"
    explorer.set_state({"_seq": 2})
    assert explorer.wait(30)
    assert frames[-1]["meta"]["error"] is None


def test_the_browser_cannot_overwrite_frames(explorer: uq.Explorer) -> None:
    frame, about = explorer._frame, explorer._about
    explorer.set_state({"_frame": {}, "_about": {}, "_seq": -4, "_stop": "now"})
    assert explorer.wait(30)
    assert explorer._frame is frame
    assert explorer._about is about
    assert explorer._seq == 0


def test_an_error_of_the_model_is_reported_and_earlier_results_stay(
    explorer: uq.Explorer, model: Counting
) -> None:
    before = columns(explorer._frame)
    model.broken = True
    frame = change(explorer, feature="b")[-1]
    assert "'b' replaced" in frame["meta"]["error"]
    assert "out of order" in frame["meta"]["error"]
    assert frame["meta"]["dependence"]["stale"]
    assert frame["meta"]["dependence"]["feature"] == "a"
    np.testing.assert_array_equal(columns(frame)["importance.value"], before["importance.value"])
    calls = model.calls
    frame = change(explorer, tau=0.5)[-1]
    assert model.calls == calls, "a failed replacement is not evaluated again"
    assert frame["meta"]["stress"]["now"]["tau"] == 0.5
    frame = change(explorer, feature="a")[-1]
    assert frame["meta"]["error"] is None
    assert not frame["meta"]["dependence"]["stale"]
    model.broken = False
    frame = change(explorer, feature="b")[-1]
    assert frame["meta"]["error"] is None, "selecting the feature again evaluates it again"
    assert frame["meta"]["dependence"]["feature"] == "b"


def test_a_note_says_that_a_constant_feature_cannot_be_stressed(explorer: uq.Explorer) -> None:
    frame = change(explorer, stress_feature="same", tau=0.5)[-1]
    now = frame["meta"]["stress"]["now"]
    assert now["status"] == "constant"
    assert now["value"] is None
    assert "same cannot be stressed" in frame["meta"]["notes"][0]
    assert frame["meta"]["importance"]["stale"]
    described = [f["unstressable"] for f in explorer._about["features"]]
    assert described == [None, None, None, "constant"]


def test_a_filter_without_rows_keeps_the_last_rows(explorer: uq.Explorer) -> None:
    last = change(explorer, tau=0.4, ice_filter=[{"feature": "a", "low": 0, "high": None}])[-1]
    frame = change(explorer, ice_filter=[{"feature": "a", "low": 100, "high": None}])[-1]
    after = columns(frame)
    assert frame["meta"]["rows"] == 0
    assert frame["meta"]["error"] is None, "an error message would move the panels"
    for name, values in columns(last).items():
        np.testing.assert_array_equal(after[name], values, err_msg=name)
    for panel in ("importance", "dependence", "stress"):
        assert frame["meta"][panel] == {**last["meta"][panel], "stale": True}
    frame = change(explorer, ice_filter=[])[-1]
    assert frame["meta"]["rows"] == 40
    assert not any(frame["meta"][panel]["stale"] for panel in ("importance", "stress"))


def test_python_raises_an_exception_for_an_invalid_input(
    explainer: uq.Explainer,
) -> None:
    with pytest.raises(ValueError, match="tau is 3"):
        uq.Explorer(explainer, tau=3)
    with pytest.raises(TraitError, match=r"tau is 1000.*; it must be finite"):
        uq.Explorer(explainer, tau=10**400)
    with pytest.raises(TypeError, match="no argument 'taus'; did you mean 'tau'"):
        uq.Explorer(explainer, taus=0.5)
    with pytest.raises(TypeError, match=r"use uq\.explore"):
        uq.Explorer(LogisticRegression())


def test_the_metadata_of_a_frame_is_json_without_nan(explorer: uq.Explorer) -> None:
    frame = change(explorer, stress_feature="same")[-1]
    assert frame["meta"]["stress"]["now"]["reached"] is None
    assert np.isnan(columns(frame)["stress.value"][4]).all(), "columns keep NaN"


def test_stop_keeps_finished_results_and_the_next_change_continues() -> None:
    X, y = table(400)
    go_on, called = threading.Event(), threading.Event()

    class Slow(Counting):
        def predict_proba(self, X: Any) -> np.ndarray:
            if self.calls >= 2:  # the first two calls evaluate the original rows
                called.set()
                go_on.wait(10)
            return super().predict_proba(X)

    model = Slow()
    with uq.Explorer(uq.Explainer(model, X, y), feature="a", stress_feature="a") as widget:
        frames = Frames(widget)
        assert called.wait(10)
        widget.set_state({"_stop": 0})
        go_on.set()
        assert widget.wait(30)
        assert frames[-1]["meta"]["stopped"] == "at 0 of 10 shuffles"
        assert frames[-1]["meta"]["final"]
        rows = model.rows
        change(widget, tau=0.1)
        assert widget._frame["meta"]["stopped"] is None
        all_rows = (1 + 10 * 4 + 49) * 400
        assert rows < model.rows == all_rows, "no replacement is evaluated twice"


def test_heartbeat_frames_are_sent_during_a_long_model_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(heartbeat=0.02))
    two_frames = threading.Event()

    class Slow(Counting):
        def predict_proba(self, X: Any) -> np.ndarray:
            if self.calls == 1:
                assert two_frames.wait(20), "no frame was sent during the model call"
            return super().predict_proba(X)

    explainer = uq.Explainer(Slow(), *table())
    with uq.Explorer(explainer, feature="a", stress_feature="a", n_repeats=2) as widget:
        frames = Frames(widget)
        widget.observe(lambda _: len(frames) >= 2 and two_frames.set(), names="_frame")
        assert widget.wait(30)
        waiting = [f for f in frames if not f["meta"]["final"]]
        assert len(waiting) >= 2
        assert len({thread.name for thread in threading.enumerate()} & {"uqwidgets-heartbeat"}) == 0


def test_close_frees_the_widget(explainer: uq.Explainer) -> None:
    widget = uq.Explorer(explainer)
    assert widget.wait(30)
    reference = weakref.ref(widget)
    widget.close()
    assert widget.comm is None
    for thread in threading.enumerate():
        if thread.name == "uqwidgets":
            thread.join(5)
    del widget
    gc.collect()
    assert reference() is None


def test_an_embedded_page_has_the_front_end_and_all_inputs(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ipywidgets.embed` drops defaults, and a default is what draws the widget."""
    # It asks all widgets of the process, and some of other tests hold closed ones.
    own = {widget.model_id: widget for widget in (explorer, explorer.layout)}
    monkeypatch.setattr("ipywidgets.widgets.widget._instances", own)
    data = embed_data(views=[explorer], drop_defaults=True)
    stored = data["manager_state"]["state"][explorer.model_id]["state"]
    assert stored["_esm"] == explorer._esm
    assert stored["_css"] == explorer._css
    assert stored["tau"] == explorer.tau
    assert "_frame" in stored


def test_the_static_picture_needs_no_kernel(explorer: uq.Explorer) -> None:
    shown = explorer._repr_mimebundle_()
    data = shown[0] if isinstance(shown, tuple) else shown
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "data:image/svg+xml" in data["text/html"]
    assert "<script" not in data["text/html"]
    assert "answer" in data["text/html"]


@pytest.mark.parametrize(
    ("model", "data", "measures"),
    [
        (LogisticRegression(max_iter=500), load_iris, ["nll", "entropy"]),
        (LinearSVC(), load_iris, ["zero_one"]),
        (BayesianRidge(), load_diabetes, ["nll", "entropy"]),
        (LinearRegression(), load_diabetes, ["squared_error"]),
    ],
    ids=["classes", "labels only", "normal", "point"],
)
def test_every_kind_of_model_can_be_explored(model: Any, data: Any, measures: list[str]) -> None:
    X, y = data(return_X_y=True, as_frame=True)
    with uq.explore(model.fit(X, y), X, y, n_repeats=2) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert meta["error"] is None
        assert [m["name"] for m in meta["importance"]["measures"]] == measures
        cols = columns(widget._frame)
        assert np.isfinite(cols["importance.value"]).all()
        if measures != ["zero_one"]:
            assert np.isfinite(cols["dependence.average"]).all()
        assert np.isfinite(cols["stress.value"]).all()


def test_explore_accepts_feature_groups_or_an_explainer() -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    model = LinearRegression().fit(X, X.sum(axis=1))
    y = X.sum(axis=1)
    with uq.explore(model, X, y, feature_groups={"g": ["x0", "x1"]}) as widget:
        assert widget.wait(30)
        assert widget.explainer.table.groups_and_features == ("g", "x2")
    explainer = uq.Explainer(model, X, y)
    with uq.explore(explainer, feature="x1") as widget:
        assert widget.wait(30)
        assert widget.explainer is explainer
        assert widget.feature == "x1"
    with pytest.raises(TypeError, match="explore got an Explainer, which holds X, y, feature_g"):
        uq.explore(explainer, X, y)
    with pytest.raises(TypeError, match=r"explore needs rows to explain: uq\.explore\(model, X, y"):
        uq.explore(model)
