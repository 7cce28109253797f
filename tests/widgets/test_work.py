"""What the widget does first, what it says meanwhile, and what it keeps."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets import repeats
from uqwidgets.widgets.repeats import RepeatChanges
from uqwidgets.widgets.timing import Timing
from widgets.conftest import Counting, table
from widgets.test_explorer import Frames, change, in_order
from widgets.wire import columns


class PerRow(Counting):
    """Takes half a millisecond for each row."""

    def predict_proba(self, X: Any) -> np.ndarray:
        time.sleep(5e-4 * len(X))
        return super().predict_proba(X)


class Gate(Counting):
    """Answers the rows as they are, and all else only while the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.open = threading.Event(), threading.Event()

    def predict_proba(self, X: Any) -> np.ndarray:
        if self.calls >= 2:
            self.reached.set()
            assert self.open.wait(20)
        return super().predict_proba(X)


def parts(frame: dict[str, Any]) -> dict[str, bool]:
    """Whether each panel of a frame is there, with its description and its columns."""
    found = {}
    for name in ("importance", "dependence", "stress"):
        described = frame["meta"][name] is not None
        assert described == any(column.startswith(f"{name}.") for column in frame["cols"])
        found[name] = described
    return found


def steady(progress: list[dict[str, Any]]) -> None:
    """Assert that shares of one total only grow."""
    assert len({p["total"] for p in progress}) == 1
    done = [p["done"] for p in progress]
    assert done == sorted(done)
    assert done[-1] <= progress[-1]["total"]


def test_a_slow_model_shows_progress_and_stress_before_anything_is_answered() -> None:
    with uq.Explorer(uq.Explainer(PerRow(), *table())) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    first = next(f for f in frames if f["meta"]["progress"])
    assert first["meta"]["progress"]["done"] < first["meta"]["progress"]["total"] / 2
    assert first["meta"]["progress"]["seconds_left"] > 0.4
    assert not first["meta"]["final"]
    assert parts(first)["stress"]
    early = [f for f in frames if f["meta"]["importance"] is None]
    assert len(early[-1]["meta"]["stress"]["features"]) == 3, "stress asks the model nothing"
    for frame in frames:
        parts(frame)
    assert all(parts(frames[-1]).values())


def test_importance_has_one_total_over_all_its_steps() -> None:
    explainer = uq.Explainer(PerRow(), *table())
    with uq.Explorer(explainer, feature="a", stress_feature="a", n_repeats=12) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    told = [f["meta"]["progress"] for f in frames if f["meta"]["progress"]]
    known = [p for p in told if p["seconds_left"] is not None]
    importance = [p for p in known if "importance, " in p["what"]]
    assert len(importance) > 3
    assert any(p["what"] == "curve of a" for p in known)
    steady(known)
    shown = {f["meta"]["importance"]["n_repeats"] for f in frames if f["meta"]["importance"]}
    assert len(shown) > 1, "several steps"
    assert {re.search(r"(\d+) of 12 shuffles", p["what"])[1] for p in importance} >= {"0", "2"}
    left = [p["seconds_left"] for p in told if p["seconds_left"] is not None]
    assert left[0] > 12 * 4 * 40 * 5e-4 / 2, "of all that is to come, not of the first step"


def test_what_takes_long_after_the_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    difference = repeats.difference

    def unhurried(values: Any, reference: Any) -> Any:
        time.sleep(0.1)
        return difference(values, reference)

    monkeypatch.setattr(repeats, "difference", unhurried)
    explainer = uq.Explainer(Counting(), *table())
    with uq.Explorer(explainer, feature="a", stress_feature="a", n_repeats=2) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    told = [f["meta"]["progress"] for f in frames if f["meta"]["progress"]]
    computing = [p for p in told if p["what"].startswith("computing nll and entropy")]
    assert len(computing) >= 2
    assert all(0 < p["done"] < p["total"] for p in computing)
    assert max(p["seconds_left"] for p in computing) > 0.05, (
        "it is not the model alone that takes time"
    )


def test_a_stop_is_heard_between_two_questions_that_are_read(explainer: uq.Explainer) -> None:
    class Stop(Exception):  # noqa: N818
        pass

    measures = [explainer.measure(name) for name in ("nll", "entropy")]
    changes = RepeatChanges(explainer.evaluations, explainer.features, measures, explainer.seed)
    told: list[str] = []

    def tell(what: str, _answered: int) -> None:
        told.append(what)
        if told.count("computing nll and entropy for importance") == 2:
            raise Stop

    with pytest.raises(Stop):
        changes.extend(3, tell)
    assert 0 < changes.work(3) < 2 * 40 * 4 * 3
    rows = explainer.rows_evaluated
    changes.extend(3, lambda *_: None)
    assert changes.work(3) == 0
    assert changes.n_repeats == 3
    assert explainer.rows_evaluated == rows, "what was answered is not asked again"


def test_the_curve_of_a_clicked_feature_comes_before_further_repeats() -> None:
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
    # Of so many rows that stress is profiled after what the model is asked.
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(n_rows_at_once=10))
    X, y = table(400)
    with uq.Explorer(uq.Explainer(PerRow(), X, y)) as widget:
        frames = Frames(widget)
        assert widget.wait(60)
    assert widget.feature == "a"
    complete = next(f["meta"] for f in frames if all(parts(f).values()))
    assert complete["dependence"]["feature"] == "a"
    assert complete["importance"]["n_repeats"] <= 2
    drawn = next(f["meta"] for f in frames if len(f["meta"]["stress"]["features"]) == 3)
    assert drawn["importance"]["n_repeats"] <= 2
    assert frames[-1]["meta"]["importance"]["n_repeats"] == 10


@pytest.mark.parametrize("feature", ["b", "a"])
def test_after_a_stop_the_picker_and_the_chart_name_one_feature(feature: str) -> None:
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


def test_a_table_of_categories_alone_is_complete_without_stress() -> None:
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
        assert widget.stress_feature == ""
        frame = widget._frame
    for each in [*frames, frame]:
        parts(each)
    assert frame["meta"]["final"]
    assert frame["meta"]["error"] is None
    assert all(parts(frame).values())
    assert frame["meta"]["stress"]["features"] == []
    assert not frame["meta"]["stress"]["stale"]
    assert columns(frame)["stress.value"].shape == (0, 21)
    assert 0 in columns(frame)["stress.taus"]


def test_a_feature_without_a_curve_leaves_the_other_panels(model: Counting) -> None:
    X, y = table()
    with uq.Explorer(uq.Explainer(model, X.assign(void=np.nan), y), feature="void") as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert "'void' has no value" in meta["error"]
        assert "Error:" not in meta["error"]
        assert meta["importance"]["n_repeats"] == 10
        assert len(meta["stress"]["features"]) == 3
        assert change(widget, feature="a")[-1]["meta"]["error"] is None


class Many(Counting):
    """Ten classes, so that answers take much more room than what is computed from them."""

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


@pytest.mark.parametrize(("memory_limit", "n_repeats"), [("10kB", 2), ("80kB", 5), ("150kB", 10)])
def test_weights_and_filters_never_ask_however_little_memory_there_is(
    memory_limit: int | str, n_repeats: int
) -> None:
    explainer, roomy = ten_classes(memory_limit), ten_classes("1GiB")
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
        assert explainer.rows_evaluated == rows, "nor does the still picture"
    shown = columns(frame)["importance.value"]
    for m, measure in enumerate(("nll", "entropy")):
        result = roomy.importance(measure, n_repeats=n_repeats)
        np.testing.assert_allclose(
            shown[m], in_order(roomy, result, result.importance), rtol=1e-9, atol=1e-12
        )


def test_fewer_repeats_are_said_and_the_memory_that_holds_all_holds_all() -> None:
    with uq.Explorer(ten_classes("80kB")) as widget:
        assert widget.wait(30)
        (note,) = [n for n in widget._frame["meta"]["notes"] if "memory_limit" in n]
        assert note.startswith("importance rests on 5 of 10 shuffles")
        assert "memory_limit='80kB'" in note
        limit = re.search(r"memory_limit='(\w+)' holds all", note)[1]
    with uq.Explorer(ten_classes(limit)) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["importance"]["n_repeats"] == 10
        assert not any("memory_limit" in n for n in widget._frame["meta"]["notes"])


def test_what_is_kept_stays_within_its_share_of_the_memory() -> None:
    explainer = ten_classes("80kB")
    measures = [explainer.measure(name) for name in ("nll", "entropy")]
    changes = RepeatChanges(explainer.evaluations, explainer.features, measures, explainer.seed)
    most = changes.most_repeats
    assert most * changes.nbytes_per_repeat <= 80_000 * 2 / 5
    assert (most + 1) * changes.nbytes_per_repeat > 80_000 * 2 / 5
    assert changes.required_memory(most) <= 80_000 < changes.required_memory(most + 1)
    changes.extend(most, lambda *_: None)
    held = sum(
        sum(lines.nbytes for lines in changes._changes[f]) + changes._donors[f].nbytes
        for f in explainer.features
    )
    assert held == most * changes.nbytes_per_repeat


def test_more_repeats_compute_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    difference = repeats.difference

    def counted(values: Any, reference: Any) -> Any:
        read.append(len(values))
        return difference(values, reference)

    monkeypatch.setattr(repeats, "difference", counted)
    with uq.Explorer(uq.Explainer(Counting(), *table()), n_repeats=4) as widget:
        assert widget.wait(30)
        change(widget, n_repeats=9)
    assert sum(read) == 2 * 4 * 9, "two measures, four features, nine repeats: each once"


def test_remarks_of_results_reach_the_notes_each_once() -> None:
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
    (few,) = explainer.stress(["a"], ["error_rate"], level=0.95).remarks
    with uq.Explorer(explainer, measure="nll", n_repeats=3) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["notes"].count(ruled_out) == 1
        assert widget._frame["meta"]["notes"].count(few) == 1
        assert all("remarks" not in widget._frame["meta"][p] for p in ("importance", "stress"))
        meta = change(widget, stress_feature="same")[-1]["meta"]
        assert few not in meta["notes"], "of what is shown only"


def test_many_categories_say_which_are_shown(model: Counting) -> None:
    X, y = table(200)
    X["c"] = [f"c{i % 90}" for i in range(200)]
    with uq.Explorer(uq.Explainer(model, X, y), feature="c", n_repeats=2) as widget:
        assert widget.wait(30)
        assert any("49 most frequent of 90 categories" in n for n in widget._frame["meta"]["notes"])
