"""A learner beside the model in the widget: its results, its model calls and its errors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from cases import thorough_after
from reading_html import StaticHtml, numbers
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.session.model_info import model_info
from widgets.conftest import Counting, table
from widgets.test_explorer import Frames, change
from widgets.wire import columns

COLUMNS = ("value", "low", "high")


class Rule(ClassifierMixin, BaseEstimator):
    """A classifier whose slope is the difference of the class means of `a`; fitted at once."""

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken

    def fit(self, X: Any, y: Any) -> Rule:
        if self.broken:
            raise RuntimeError("no fit today")
        self.classes_ = np.unique(y)
        yes = np.asarray(y) == "yes"
        self.slope_ = X["a"][yes].mean() - X["a"][~yes].mean()
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        logit = self.slope_ * X["a"].to_numpy() - X["b"].to_numpy() + (X["c"] == "red").to_numpy()
        yes = 1 / (1 + np.exp(-logit))
        return np.stack([1 - yes, yes], axis=1)


class Waiting(Rule):
    """A classifier whose third fit waits until `go_on` is set."""

    started = threading.Event()
    go_on = threading.Event()
    fits = 0

    def fit(self, X: Any, y: Any) -> Rule:
        Waiting.fits += 1
        if Waiting.fits == 3:
            Waiting.started.set()
            assert Waiting.go_on.wait(20)
        return super().fit(X, y)


@pytest.fixture
def waiting():
    Waiting.started, Waiting.go_on, Waiting.fits = threading.Event(), threading.Event(), 0
    yield uq.Learner(Waiting(), *table(), n_refits=10)
    Waiting.go_on.set()


@pytest.fixture
def learner() -> uq.Learner:
    return uq.Learner(Rule(), *table(), n_refits=10)


@pytest.fixture
def beside(explainer: uq.Explainer, learner: uq.Learner):
    with uq.Explorer(explainer, learner=learner, n_repeats=8, ice_lines=6) as widget:
        assert widget.wait(30)
        yield widget


def of_learner(frame: dict[str, Any]) -> dict[str, np.ndarray]:
    return {name: v for name, v in columns(frame).items() if name.startswith("learner.")}


def test_the_frame_has_the_results_of_the_learner(beside: uq.Explorer, learner: uq.Learner) -> None:
    ex, frame = beside.explainer, beside._frame
    assert frame["meta"]["final"]
    assert frame["meta"]["learner"] == {
        "n_refits": 10,
        "state": "done",
        "importance": True,
        "dependence": True,
    }
    cols = columns(frame)
    for m, measure in enumerate(("nll", "entropy")):
        result = learner.importance(measure, n_repeats=5)
        positions = [result.features.index(f) for f in ex.features]
        for name, values in zip(COLUMNS, (result.importance, result.low, result.high), strict=True):
            np.testing.assert_array_equal(cols[f"learner.importance.{name}"][m], values[positions])
    curve: Any = learner.dependence("a", grid=cols["dependence.grid"])
    for name, values in zip(COLUMNS, (curve.average, curve.low, curve.high), strict=True):
        np.testing.assert_array_equal(cols[f"learner.dependence.{name}"], values)


def test_results_of_the_model_do_not_depend_on_the_learner(
    beside: uq.Explorer, explainer: uq.Explainer
) -> None:
    with uq.Explorer(explainer, n_repeats=8, ice_lines=6) as alone:
        assert alone.wait(30)
        without = alone._frame
    assert "learner" not in without["meta"]
    assert without["inputs"] == beside._frame["inputs"]
    model_columns, all_columns = columns(without), columns(beside._frame)
    assert set(all_columns) - set(model_columns) == set(of_learner(beside._frame))
    for name, values in model_columns.items():
        np.testing.assert_array_equal(all_columns[name], values)


@pytest.mark.parametrize(
    "inputs",
    thorough_after(
        2,
        [
            {"tau": 0.3},
            {"stress_feature": "b", "tau": -0.5},
            {"ice_filter": [{"feature": "b", "low": -0.5, "high": None}]},
            {"interval": "model"},
            {"ice_lines": 0},
            {"indicator": "share:yes"},
        ],
    ),
    ids=lambda inputs: "+".join(inputs),
)
def test_stress_and_filters_do_not_change_learner_results(
    beside: uq.Explorer, inputs: dict[str, Any]
) -> None:
    before = of_learner(beside._frame)
    frames = change(beside, **inputs)
    assert frames[-1]["meta"]["final"]
    for frame in frames:
        assert frame["meta"]["cost"]["calls"] == 0
        assert of_learner(frame).keys() == before.keys()
        for name, values in of_learner(frame).items():
            np.testing.assert_array_equal(values, before[name])


@pytest.mark.parametrize(
    "inputs", thorough_after(1, [{"measure": "entropy"}, {"center": True}, {"derivative": True}])
)
def test_another_measure_or_form_of_a_curve_does_not_call_the_refits(
    beside: uq.Explorer, learner: uq.Learner, inputs: dict[str, Any]
) -> None:
    frame = change(beside, **inputs)[-1]
    assert frame["meta"]["cost"]["calls"] == 0
    assert frame["meta"]["final"]
    grid = columns(frame)["dependence.grid"]
    curve: Any = learner.dependence("a", grid=grid, **{"measure": "prediction", **inputs})
    np.testing.assert_array_equal(of_learner(frame)["learner.dependence.value"], curve.average)


def test_another_feature_calls_every_refit_once(beside: uq.Explorer, learner: uq.Learner) -> None:
    before = sum(refit.explainer.rows_evaluated for refit in learner.refits)
    frame = change(beside, feature="c")[-1]
    evaluated = sum(refit.explainer.rows_evaluated for refit in learner.refits) - before
    held_out = sum(len(refit.held_out) for refit in learner.refits)
    assert evaluated == 2 * held_out
    assert frame["meta"]["cost"]["rows"] == 2 * held_out + 2 * 40
    assert len(of_learner(frame)["learner.dependence.value"]) == 2
    again = change(beside, feature="a")[-1]
    assert again["meta"]["cost"]["calls"] == 0
    assert again["meta"]["learner"]["dependence"]
    assert change(beside, n_repeats=12)[-1]["meta"]["cost"]["rows"] == 4 * 4 * 40, "model only"


def test_the_model_views_respond_during_the_fits_and_a_stop_keeps_finished_refits(
    explainer: uq.Explainer, waiting: uq.Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The views of the model are complete in their first frame, also on a slow machine.
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=60.0, first_frame=20.0))
    with uq.Explorer(explainer, learner=waiting, n_repeats=4, ice_lines=6) as widget:
        frames = Frames(widget)
        assert Waiting.started.wait(20)
        assert not widget.wait(0.01)
        widget.set_state({"tau": 0.5, "_seq": 1})
        last = widget._frame
        assert last["seq"] == 1
        assert last["meta"]["stress"]["now"]["tau"] == 0.5
        assert last["meta"]["learner"]["state"] == "pending"
        assert not last["meta"]["final"]
        assert any(
            "fitting the learner" in (f["meta"]["progress"] or {}).get("what", "") for f in frames
        )
        widget.set_state({"_stop": 1})
        last = widget._frame
        assert last["meta"]["final"]
        assert last["meta"]["learner"]["state"] == "stopped"
        assert last["meta"]["progress"] is None
        assert last["meta"]["stopped"] == "at 2 of 10 fits of the learner"
        Waiting.go_on.set()
        assert widget.wait(20)
        assert Waiting.fits == len(waiting.refits) == 3
        frame = change(widget, tau=0.2)[-1]
        assert Waiting.fits == 10, "no refit is fitted twice"
        assert frame["meta"]["final"]
        assert frame["meta"]["learner"]["state"] == "done"


def test_heartbeat_frames_are_sent_during_a_long_fit(
    explainer: uq.Explainer, waiting: uq.Learner
) -> None:
    with uq.Explorer(explainer, learner=waiting, n_repeats=4, ice_lines=6) as widget:
        assert Waiting.started.wait(20)
        frames = Frames(widget)
        Waiting.go_on.wait(2.3)
        assert len(frames) >= 2, "after 1.5 s without a frame, the browser reports a dead kernel"
        assert not any(f["meta"]["final"] for f in frames)
        progress = {f["meta"]["progress"]["what"] for f in frames if f["meta"]["progress"]}
        assert progress == {"fitting the learner, 2 of 10 fits"}
        Waiting.go_on.set()
        assert widget.wait(20)
    names = {thread.name for thread in threading.enumerate()}
    assert "uqwidgets-heartbeat" not in names


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: uq.Learner(Rule(broken=True), *table()), "no fit today"),
        (lambda: uq.Learner(Rule(), table()[0].assign(d=1.0), table()[1]), "'d' is in one"),
        (
            lambda: uq.Learner(
                LinearRegression(), table()[0].assign(c=1.0), np.arange(40.0), n_refits=10
            ),
            "other classes",
        ),
    ],
    ids=["fails", "features", "target"],
)
def test_a_learner_that_fails_is_reported_and_the_model_views_stay(
    explainer: uq.Explainer, make: Any, sentence: str
) -> None:
    with uq.Explorer(explainer, learner=make(), n_repeats=4) as widget:
        assert widget.wait(30)
        for frame in (widget._frame, change(widget, tau=0.4)[-1]):
            meta = frame["meta"]
            assert meta["final"]
            assert "the learner: " in meta["error"]
            assert sentence in meta["error"]
            assert meta["error"].count(sentence) == 1
            assert meta["learner"]["state"] == "failed"
            assert not of_learner(frame)
            assert np.isfinite(columns(frame)["importance.value"]).all()


def test_a_learner_curve_that_fails_leaves_its_importance(explainer: uq.Explainer) -> None:
    X, y = table(300)
    learner = uq.Learner(Rule(), X[X["c"] == "red"], y[X["c"] == "red"], n_refits=10)
    with uq.Explorer(explainer, learner=learner, n_repeats=4) as widget:
        assert widget.wait(30)
        meta = change(widget, feature="c")[-1]["meta"]
        assert "there is no category 'blue' of 'c'" in meta["error"]
        assert meta["dependence"]["feature"] == "c"
        assert (meta["learner"]["importance"], meta["learner"]["dependence"]) == (True, False)
        assert change(widget, feature="b")[-1]["meta"]["error"] is None


def test_remarks_of_the_learner_are_notes(explainer: uq.Explainer) -> None:
    learner = uq.Learner(Rule(), *table(), n_refits=3)
    with uq.Explorer(explainer, learner=learner, n_repeats=4) as widget:
        assert widget.wait(30)
        assert widget._frame["meta"]["learner"]["n_refits"] == 3
        meta = widget._frame["meta"]
        notes = dict(zip(meta["note_codes"], meta["notes"], strict=True))
        assert notes["number-of-refits"].startswith("learner: 3 refits")


def test_a_remark_of_two_learner_results_is_one_note(explainer: uq.Explainer) -> None:
    learner = uq.Learner(Rule(), *table(), n_refits=3)
    with uq.Explorer(explainer, learner=learner, n_repeats=4) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert (meta["learner"]["importance"], meta["learner"]["dependence"]) == (True, True)
        assert sum("3 refits" in note for note in meta["notes"]) == 1


def test_progress_names_the_computation_after_the_calls_of_the_refits(
    explainer: uq.Explainer, learner: uq.Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(frame_interval=0.0))
    with uq.Explorer(explainer, learner=learner, n_repeats=4) as widget:
        frames = Frames(widget)
        assert widget.wait(30)
    progress = [f["meta"]["progress"] for f in frames if f["meta"]["progress"]]
    computing = [p for p in progress if p["what"] == "computing nll and entropy of the refits"]
    assert [p["done"] for p in computing] == sorted(p["done"] for p in computing)
    assert {p["total"] for p in computing} == {2 * 10}
    assert len({p["done"] for p in computing}) > 10
    calling = [p for p in progress if p["what"] == "asking the refits"]
    assert all(p["done"] < p["total"] for p in calling)
    assert computing[-1]["seconds_left"] is None


def test_an_estimator_as_learner_is_a_type_error(model: Counting) -> None:
    with pytest.raises(TypeError, match=r"learner is Rule; pass a Learner: uq\.Learner"):
        uq.explore(model, *table(), learner=Rule())


def test_feature_groups_are_sent_to_the_front_end(model: Counting) -> None:
    explainer = uq.Explainer(model, *table(), feature_groups={"both": ["a", "b"]})
    groups = [feature.get("group") for feature in model_info(explainer)["features"]]
    assert groups == ["both", "both", None, None]


def test_the_static_picture_has_model_and_learner_and_calls_neither(
    beside: uq.Explorer, learner: uq.Learner, model: Counting
) -> None:
    evaluated = model.calls, sum(refit.explainer.model_calls for refit in learner.refits)
    shown = beside._repr_mimebundle_()
    html = (shown[0] if isinstance(shown, tuple) else shown)["text/html"]
    assert (model.calls, sum(r.explainer.model_calls for r in learner.refits)) == evaluated
    read = StaticHtml(html)
    name = "The same by the learner, mean of 10 refits:"
    assert read.texts.count(name) == 2
    assert len(read.all("img")) == 7
    ranked, of_learner, curve, curve_of_learner, *_ = read.tables
    result = learner.importance("nll", n_repeats=5)
    assert [line[0] for line in of_learner[1:]] == list(result.features)
    assert numbers(of_learner[1])[0] == pytest.approx(result.importance[0], abs=5e-4)
    assert len(ranked) == len(of_learner) == 5
    assert [line[0] for line in curve[1:]] == [line[0] for line in curve_of_learner[1:]]
    assert "Not everything was computed" not in html


def test_the_static_picture_during_the_fits_says_that_it_is_incomplete(
    explainer: uq.Explainer, waiting: uq.Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(picture=0.5))
    with uq.Explorer(explainer, learner=waiting, n_repeats=4, ice_lines=6) as widget:
        assert Waiting.started.wait(20)
        shown = widget._repr_mimebundle_()
        html = (shown[0] if isinstance(shown, tuple) else shown)["text/html"]
        assert "Not everything was computed when this was saved." in html
        assert "The same by" not in html
        assert "Importance for" in html


def test_the_static_picture_of_grouped_features_shows_the_features_of_the_widget(
    model: Counting,
) -> None:
    explainer = uq.Explainer(model, *table(), feature_groups={"both": ["a", "b"]})
    with uq.Explorer(explainer, n_repeats=2) as widget:
        assert widget.wait(30)
        calls = model.calls
        shown = widget._repr_mimebundle_()
        html = (shown[0] if isinstance(shown, tuple) else shown)["text/html"]
        assert model.calls == calls
        assert {line[0] for line in StaticHtml(html).tables[0][1:]} == {"a", "b", "c", "same"}
