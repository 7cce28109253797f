"""Order, progress and memory of the widget's work."""

from __future__ import annotations

import gc
import re
import threading
import time
import tracemalloc
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.views.importance import repeats
from uqwidgets.widgets.views.importance.repeats import RepeatChanges
from widgets.conftest import Counting, table
from widgets.test_explorer import Frames, change, in_order
from widgets.wire import columns


class PerRow(Counting):
    """A model that takes half a millisecond for each row."""

    def predict_proba(self, X: Any) -> np.ndarray:
        time.sleep(5e-4 * len(X))
        return super().predict_proba(X)


class Gate(Counting):
    """A model that answers the original rows, and further calls only while its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    def predict_proba(self, X: Any) -> np.ndarray:
        if self.calls >= 2:
            self.reached.set()
            assert self.open.wait(20)
        return super().predict_proba(X)


def parts(frame: dict[str, Any]) -> dict[str, bool]:
    """Return whether a frame has each panel, with its description and its columns."""
    present = {}
    for name in ("importance", "dependence", "stress"):
        described = frame["meta"][name] is not None
        assert described == any(column.startswith(f"{name}.") for column in frame["cols"])
        present[name] = described
    return present


def assert_never_decreases(progress: list[dict[str, Any]]) -> None:
    """Assert that progress has one total and never decreases."""
    assert len({p["total"] for p in progress}) == 1
    done = [p["done"] for p in progress]
    assert done == sorted(done)
    assert done[-1] <= progress[-1]["total"]


def test_a_slow_model_shows_progress_and_stress_before_its_first_answer() -> None:
    with uq.Explorer(uq.Explainer(PerRow(), *table())) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    first = next(f for f in frames if f["meta"]["progress"])
    assert first["meta"]["progress"]["done"] < first["meta"]["progress"]["total"] / 2
    assert first["meta"]["progress"]["seconds_left"] > 0.4
    assert not first["meta"]["final"]
    assert parts(first)["stress"]
    early = [f for f in frames if f["meta"]["importance"] is None]
    # Stress does not call the model; it has a tenth of a second before the first call.
    assert early[-1]["meta"]["stress"]["features"]
    # A line for each number, and one for each category.
    assert len(frames[-1]["meta"]["stress"]["features"]) == 5
    for frame in frames:
        parts(frame)
    assert all(parts(frames[-1]).values())


def test_progress_of_importance_has_one_total_over_all_steps() -> None:
    explainer = uq.Explainer(PerRow(), *table())
    with uq.Explorer(explainer, feature="a", stress_feature="a", n_repeats=12) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    progress = [f["meta"]["progress"] for f in frames if f["meta"]["progress"]]
    known = [p for p in progress if p["seconds_left"] is not None]
    importance = [p for p in known if "importance, " in p["what"]]
    assert len(importance) > 3
    assert any(p["what"] == "curve of a" for p in known)
    assert_never_decreases(known)
    shown = {f["meta"]["importance"]["n_repeats"] for f in frames if f["meta"]["importance"]}
    assert len(shown) > 1, "several steps"
    assert {re.search(r"(\d+) of 12 shuffles", p["what"])[1] for p in importance} >= {"0", "2"}
    remaining = [p["seconds_left"] for p in progress if p["seconds_left"] is not None]
    assert remaining[0] > 12 * 4 * 40 * 5e-4 / 2, "the estimate is of all steps, not of the first"


def test_progress_names_the_computation_after_the_model_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    difference = repeats.difference

    def slow_difference(values: Any, reference: Any) -> Any:
        time.sleep(0.1)
        return difference(values, reference)

    monkeypatch.setattr(repeats, "difference", slow_difference)
    explainer = uq.Explainer(Counting(), *table())
    with uq.Explorer(explainer, feature="a", stress_feature="a", n_repeats=2) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    progress = [f["meta"]["progress"] for f in frames if f["meta"]["progress"]]
    computing = [p for p in progress if p["what"].startswith("computing nll and entropy")]
    assert len(computing) >= 2
    assert all(0 < p["done"] < p["total"] for p in computing)
    assert max(p["seconds_left"] for p in computing) > 0.05, (
        "the estimate includes the computation after the model calls"
    )


def test_a_stop_takes_effect_between_two_replacements(explainer: uq.Explainer) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    measures = [explainer.measure(name) for name in ("nll", "entropy")]
    changes = RepeatChanges(explainer.evaluations, explainer.features, measures, explainer.seed)
    labels: list[str] = []

    def report(what: str, _answered: int) -> None:
        labels.append(what)
        if labels.count("computing nll and entropy for importance") == 2:
            raise Stop

    with pytest.raises(Stop):
        changes.extend(3, report)
    assert 0 < changes.work(3) < 2 * 40 * 4 * 3
    rows = explainer.rows_evaluated
    changes.extend(3, lambda *_: None)
    assert changes.work(3) == 0
    assert changes.n_repeats == 3
    assert explainer.rows_evaluated == rows, "evaluated replacements are not evaluated again"


def test_the_curve_of_a_selected_feature_comes_before_further_repeats() -> None:
    with uq.Explorer(uq.Explainer(PerRow(), *table()), n_repeats=2) as widget:
        assert widget.wait(30)
        assert widget.feature == "a"
        frames = Frames(widget)
        widget.n_repeats = 40
        while not any(f["meta"]["progress"] for f in frames):
            time.sleep(0.01)
        frames = Frames(widget)
        widget.feature = "b"
        assert widget.wait(30)
    drawn = next(f["meta"] for f in frames if f["meta"]["dependence"]["feature"] == "b")
    assert drawn["importance"]["n_repeats"] < 40
    assert not drawn["final"]
    assert frames[-1]["meta"]["importance"]["n_repeats"] == 40


def test_a_slow_model_shows_every_panel_before_further_repeats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # With this limit the stress profile is computed after the model calls.
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(n_rows_at_once=10))
    X, y = table(400)
    with uq.Explorer(uq.Explainer(PerRow(), X, y)) as widget:
        frames = Frames(widget)
        assert widget.wait(60)
    assert widget.feature == "a"
    complete = next(f["meta"] for f in frames if all(parts(f).values()))
    assert complete["dependence"]["feature"] == "a"
    assert complete["importance"]["n_repeats"] <= 2
    drawn = next(f["meta"] for f in frames if len(f["meta"]["stress"]["features"]) == 5)
    assert drawn["importance"]["n_repeats"] <= 2
    assert frames[-1]["meta"]["importance"]["n_repeats"] == 10


@pytest.mark.parametrize("feature", ["b", "a"])
def test_picker_and_chart_show_the_same_feature_after_a_stop(feature: str) -> None:
    model = Gate()
    model.open.set()
    with uq.Explorer(uq.Explainer(model, *table(300)), n_repeats=2) as widget:
        assert widget.wait(30)
        model.open.clear()
        model.reached.clear()
        with widget.hold_trait_notifications():
            widget.feature, widget.n_repeats = feature, 50
        assert model.reached.wait(20)
        widget.set_state({"_stop": 10})
        model.open.set()
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert meta["final"]
        assert meta["progress"] is None
        assert widget._frame["inputs"]["feature"] == feature
        assert meta["stopped"] == "at 2 of 50 shuffles"
        if feature == "b":
            assert meta["dependence"] is None
            assert not any(name.startswith("dependence.") for name in widget._frame["cols"])
        else:
            assert meta["dependence"]["feature"] == "a"
        last = change(widget, tau=0.1)[-1]["meta"]
        assert last["dependence"]["feature"] == feature
        assert last["importance"]["n_repeats"] == 50
        assert last["stopped"] is None


def test_a_table_of_categorical_features_is_complete_with_the_stress_of_shares() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(["u", "v"], 50) for name in "ab"})
    y = np.where(X["a"] == "u", "yes", "no")

    def model(X: Any) -> np.ndarray:
        yes = np.where(X["a"] == "u", 0.8, 0.3)
        return np.stack([1 - yes, yes], axis=1)

    model.classes_ = np.array(["no", "yes"])  # type: ignore[attr-defined]
    with uq.Explorer(uq.Explainer(model, X, y)) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
        assert widget.feature == "a"
        assert widget.stress_feature == "a"
        frame = widget._frame
    for each in [*frames, frame]:
        parts(each)
    assert frame["meta"]["final"]
    assert frame["meta"]["error"] is None
    assert all(parts(frame).values())
    assert frame["meta"]["stress"]["features"] == [0, 0, 1, 1]
    assert not frame["meta"]["stress"]["stale"]
    assert columns(frame)["stress.value"].shape == (4, 41)
    assert 0 in columns(frame)["stress.taus"]


def test_a_feature_without_curve_leaves_the_other_panels(model: Counting) -> None:
    X, y = table()
    with uq.Explorer(uq.Explainer(model, X.assign(void=np.nan), y), feature="void") as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert "'void' has no value" in meta["error"]
        assert "Error:" not in meta["error"]
        assert meta["importance"]["n_repeats"] == 10
        assert len(meta["stress"]["features"]) == 5
        assert change(widget, feature="a")[-1]["meta"]["error"] is None


class Many(Counting):
    """Ten classes: the predictions need much more memory than the measures computed from them."""

    classes_ = np.arange(10)

    def predict_proba(self, X: Any) -> np.ndarray:
        self.calls += 1
        self.rows += len(X)
        z = np.exp(np.outer(X["a"] - X["b"], np.linspace(-1, 1, 10)))
        return z / z.sum(axis=1, keepdims=True)


def ten_classes(memory_limit: int | str) -> uq.Explainer:
    X, _ = table(100)
    y = np.arange(100) % 10
    return uq.Explainer(Many(), X[["a", "b", "same"]], y, memory_limit=memory_limit)


@pytest.mark.parametrize(
    ("memory_limit", "n_repeats"), thorough_after(1, [("10kB", 2), ("80kB", 5), ("150kB", 10)])
)
def test_weights_and_filters_never_call_the_model_under_any_memory_limit(
    memory_limit: int | str, n_repeats: int
) -> None:
    explainer, unlimited = ten_classes(memory_limit), ten_classes("1GiB")
    with uq.Explorer(explainer, feature="a", stress_feature="a") as widget:
        assert widget.wait(30)
        rows = explainer.rows_evaluated
        for inputs in (
            {"tau": 0.3},
            {"tau": -0.8, "stress_feature": "b"},
            {"ice_filter": [{"feature": "b", "low": -0.5, "high": None}]},
            {"interval": "model"},
            {"indicator": "entropy"},
            {"ice_lines": 3},
            {"tau": 0.0, "ice_filter": [], "interval": "u-statistic"},
        ):
            frame = change(widget, **inputs)[-1]
            assert explainer.rows_evaluated == rows
            assert frame["meta"]["importance"]["n_repeats"] == n_repeats
            assert not frame["meta"]["importance"]["stale"], inputs
            assert not frame["meta"]["dependence"]["stale"]
            assert frame["meta"]["error"] is None
        shown = widget._repr_mimebundle_()
        html = (shown[0] if isinstance(shown, tuple) else shown)["text/html"]
        assert "Not everything was computed" not in html
        assert explainer.rows_evaluated == rows, "the static picture does not call the model"
    shown = columns(frame)["importance.value"]
    for m, measure in enumerate(("nll", "entropy")):
        result = unlimited.importance(measure, n_repeats=n_repeats)
        np.testing.assert_allclose(
            shown[m], in_order(unlimited, result, result.importance), rtol=1e-9, atol=1e-12
        )


def test_a_note_names_the_memory_limit_that_holds_all_repeats() -> None:
    with uq.Explorer(ten_classes("80kB")) as widget:
        assert widget.wait(30)
        (note,) = [n for n in widget._frame["meta"]["notes"] if "shuffles" in n]
        assert note.startswith("importance rests on 5 of 10 shuffles")
        assert "memory_limit='80kB'" in note
        limit = re.search(r"memory_limit='(\w+)' holds all", note)[1]
    with uq.Explorer(ten_classes(limit)) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["importance"]["n_repeats"] == 10
        assert not any("shuffles" in n for n in widget._frame["meta"]["notes"])


def test_a_widget_takes_no_more_memory_than_the_limit_and_names_the_smallest_one() -> None:
    n, p = 20_000, 8
    X, y = np.random.default_rng(0).normal(size=(n, p)), np.arange(n) % 2

    def model(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        share = 1 / (1 + np.exp(-rows[:, 0]))
        return np.column_stack([1 - share, share])

    def notes_and_peak(memory_limit: str) -> tuple[list[str], int]:
        tracemalloc.start()
        try:
            with uq.explore(model, X, y, memory_limit=memory_limit) as widget:
                assert widget.wait(60)
                for inputs in ({"tau": 0.3}, {"n_repeats": 12}, {"feature": "x1"}):
                    frame = change(widget, **inputs)[-1]
                notes = [note for note in frame["meta"]["notes"] if "smallest" in note]
            return notes, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    (note,), _ = notes_and_peak("10MB")
    assert note.startswith("memory_limit='10MB' is too little for the importance of 8 features in")
    smallest = re.search(r"'(\w+)' is the smallest limit", note)[1]
    notes, peak = notes_and_peak(smallest)
    assert notes == []
    assert peak <= 1.5 * parse_bytes(smallest) + X.nbytes + y.nbytes


def test_cached_repeats_stay_within_their_share_of_the_memory_limit() -> None:
    explainer = ten_classes("80kB")
    measures = [explainer.measure(name) for name in ("nll", "entropy")]
    changes = RepeatChanges(explainer.evaluations, explainer.features, measures, explainer.seed)
    most = changes.most_repeats
    assert most * changes.nbytes_per_repeat <= 80_000 * 2 / 5
    assert (most + 1) * changes.nbytes_per_repeat > 80_000 * 2 / 5
    assert changes.required_memory(most) <= 80_000 < changes.required_memory(most + 1)
    changes.extend(most, lambda *_: None)
    cache = explainer.evaluations._cache
    (pinned,) = cache._pinned.values()
    assert sum(array.nbytes for array in pinned.values()) == most * changes.nbytes_per_repeat
    rows = explainer.rows_evaluated
    for name in ("nll", "entropy"):
        explainer.importance(name, n_repeats=most)
    assert explainer.rows_evaluated == rows, "every importance reads what a view holds"
    del changes, pinned
    gc.collect()
    assert not cache._pinned, "released with the view"


def test_more_repeats_compute_only_the_new_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    difference = repeats.difference

    def counted(values: Any, reference: Any) -> Any:
        lengths.append(len(values))
        return difference(values, reference)

    monkeypatch.setattr(repeats, "difference", counted)
    with uq.Explorer(uq.Explainer(Counting(), *table()), n_repeats=4) as widget:
        assert widget.wait(30)
        change(widget, n_repeats=9)
    assert sum(lengths) == 2 * 4 * 9, "two measures, four features, nine repeats, each once"


def test_every_remark_of_a_result_is_one_note() -> None:
    X, y = table(300)
    y = y.to_numpy().copy()

    class Certain(Counting):
        def predict_proba(self, X: Any) -> np.ndarray:
            p = super().predict_proba(X)
            p[np.asarray(X["a"]) == first] = [1.0, 0.0]
            return p

    first, y[0] = X["a"].iloc[0], "yes"
    explainer = uq.Explainer(Certain(), X, y)
    (ruled_out,) = explainer.importance("nll").remarks
    (few,) = explainer.stress(["a"], ["error_rate"], taus=STOPS, level=0.95).remarks
    with uq.Explorer(explainer, measure="nll", n_repeats=3) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert meta["notes"].count(ruled_out) == 1
        assert meta["notes"].count(few) == 1
        codes = dict(zip(meta["notes"], meta["note_codes"], strict=True))
        assert (codes[ruled_out], codes[few]) == ("probability-zero", "coverage-under-stress")
        assert all("remarks" not in widget._frame["meta"][p] for p in ("importance", "stress"))
        meta = change(widget, stress_feature="same")[-1]["meta"]
        assert few not in meta["notes"], "notes are of the shown results only"


def test_a_note_says_which_of_many_categories_are_shown(model: Counting) -> None:
    X, y = table(200)
    X["c"] = [f"c{i % 90}" for i in range(200)]
    with uq.Explorer(uq.Explainer(model, X, y), feature="c", n_repeats=2) as widget:
        assert widget.wait(30)
        assert any("49 most frequent of 90 categories" in n for n in widget._frame["meta"]["notes"])
