"""The explorer with several models: what lies under the views, and the differences."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import uqwidgets as uq
from uqwidgets.widgets.inputs.curve_form import N_VALUES
from uqwidgets.widgets.over_tau.levels import STOPS
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
    stress = comparison.stress(
        [explorer.stress_feature], [explorer.indicator], taus=STOPS, level=0.95
    )
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
    assert meta["comparison"]["tau"] == 0.5
    result = explorer.result("comparison", "scores")
    assert meta["comparison"]["scores"][0]["value"] == pytest.approx(result.difference.value[0])
    assert result.difference.weighted


FORMS = {
    "as it is": {},
    "relative": {"relative": True},
    "centred at the first value": {"center": True},
    "centred at a value": {"center": True, "center_at": "1.0"},
    "slope": {"derivative": True},
    "slope comes before the others": {"derivative": True, "relative": True},
    "even": {"spacing": "even"},
    "even and centred": {"spacing": "even", "center": True, "center_at": "-0.5"},
}


@pytest.fixture(scope="module")
def curves():
    """An explorer of the curves alone, for one form after the other."""
    X, y = data()
    cohort = {"name": "large b", "ice_filter": [{"feature": "b", "low": 0.0}], "complement": False}
    inputs = {"feature": "a", "cohorts": [cohort], "views": ["dependence", "comparison"]}
    with uq.explore({"line": line, "flat": flat}, X, y, n_repeats=4, **inputs) as explorer:
        assert explorer.wait()
        yield explorer, explorer.state


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_both_curves_have_the_values_and_the_form_that_the_inputs_choose(curves, form):
    explorer, before = curves
    explorer.state = {**before, **form}
    for other in ("model:flat", "cohort:large b"):
        explorer.compare_with = other
        assert explorer.wait()
        frame = explorer._frame
        shown, meta = columns(frame), frame["meta"]
        assert meta["ghost"]["state"]["relative"] == explorer.relative
        curve = explorer.result("comparison", "dependence")
        assert len(curve.first.average) == N_VALUES
        for of in ("grid", "average"):
            np.testing.assert_allclose(shown[f"dependence.{of}"], getattr(curve.first, of))
        np.testing.assert_allclose(shown["dependence.ghost_grid"], curve.second.grid)
        np.testing.assert_allclose(shown["dependence.ghost"], curve.second.average)


def test_the_other_curve_follows_the_form_of_dates_and_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 80), "D"),
            "kind": pd.Categorical(rng.choice(["p", "q", "r"], 80)),
        }
    )
    models = {
        str(slope): lambda X, slope=slope: (
            slope * X["day"].dt.day_of_year.to_numpy() * (X["kind"] == "q").to_numpy(),
            np.ones(len(X)),
        )
        for slope in (1, 2)
    }
    with uq.explore(models, X, center=True, n_repeats=2) as explorer:
        for feature, at in (("day", "2024-02-01"), ("kind", "q")):
            explorer.feature, explorer.center_at = feature, at
            assert explorer.wait()
            shown = columns(explorer._frame)
            assert np.ptp(shown["dependence.average"]) > 0
            np.testing.assert_allclose(shown["dependence.ghost"], 2 * shown["dependence.average"])


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
    with pytest.raises(ValueError, match="no model 'flt' to compare with; did you mean 'flat'"):
        explorer.compare_with = "model:flt"
    with pytest.raises(ValueError, match="it must be '', 'model:<name>', 'cohort:<name>', 'rest'"):
        explorer.compare_with = "flat"
    with pytest.raises(ValueError, match="Did you mean 'model:flat'"):
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


def test_nothing_is_compared_with_a_model_without_others():
    X, y = data()
    with uq.explore(line, X, y, n_repeats=2) as explorer:
        assert explorer.wait()
        assert explorer.compare_with == ""
        assert explorer._frame["meta"]["comparison"] is None


LOW, HIGH = ([{"feature": "b", "low": None, "high": 0.0}], [{"feature": "b", "low": 0.0}])


def test_the_rest_of_the_rows_is_compared_with_those_that_are_shown():
    X, y = data()
    with uq.explore(line, X, y, n_repeats=4, ice_filter=LOW, compare_with="rest") as explorer:
        assert explorer.wait()
        frame, rows = explorer._frame, (X["b"] <= 0).to_numpy()
        meta, shown = frame["meta"], columns(frame)
        assert meta["error"] is None
        assert (meta["ghost"]["of"], meta["ghost"]["note"]) == ("rows", "other rows")
        ex = explorer.explainer
        compared = ex.compare_rows(rows)
        result = compared.importance("nll", n_repeats=4)
        for side, name in (
            (result.second, "importance.ghost"),
            (result.difference, "comparison.importance"),
        ):
            order = [ex.features.index(f) for f in side.features]
            np.testing.assert_allclose(shown[name][0][order], side.importance)
        curve = compared.dependence(explorer.feature, "prediction", grid=N_VALUES)
        np.testing.assert_allclose(shown["dependence.ghost"], curve.second.average)
        np.testing.assert_allclose(shown["comparison.curve_low"], curve.difference.low)
        stress = compared.stress(
            [explorer.stress_feature], [explorer.indicator], taus=STOPS, level=0.95
        )
        (name,) = stress.difference.indicators
        np.testing.assert_allclose(shown["comparison.stress_low"], stress.difference.low[name][0])
        scores = compared.scores().difference
        assert [s["value"] for s in meta["comparison"]["scores"]] == pytest.approx(
            list(scores.value)
        )
        # Neither tau nor the rest of the rows asks the model.
        before = ex.rows_evaluated
        explorer.tau = 0.5
        assert explorer.wait()
        assert ex.rows_evaluated == before
        assert explorer.result("comparison", "nll").names == ("shown rows", "other rows")
        explorer.ice_filter = []
        assert explorer.wait()
        meta = explorer._frame["meta"]
        assert meta["error"] is None
        assert meta["ghost"] is None
        assert meta["comparison"]["sentences"] == [
            "all rows are shown, so there is no rest; choose rows first."
        ]


def test_a_cohort_is_compared_with_the_rows_that_are_shown():
    X, y = data()
    cohorts = [
        {"name": "low", "ice_filter": LOW, "complement": False},
        {"name": "none", "ice_filter": [{"feature": "b", "low": 99.0}], "complement": False},
    ]
    options = {"n_repeats": 2, "cohorts": cohorts, "ice_filter": HIGH}
    with uq.explore(line, X, y, **options, compare_with="cohort:low") as explorer:
        assert explorer.wait()
        meta = explorer._frame["meta"]
        assert (meta["comparison"]["first"], meta["comparison"]["second"]) == ("shown rows", "low")
        assert "compare_with='cohort:low'" in explorer.code()
        for compare_with, sentence in (
            ("cohort:none", "none has no row, so there is nothing to compare with."),
            ("cohort:lo", "there is no cohort 'lo'; did you mean 'low'?"),
        ):
            explorer.compare_with = compare_with
            assert explorer.wait()
            assert explorer._frame["meta"]["comparison"]["sentences"] == [sentence]
            with pytest.raises(ValueError, match=re.escape(sentence)):
                explorer.result("comparison")
        explorer.compare_with, explorer.ice_filter = "cohort:low", LOW
        assert explorer.wait()
        (sentence,) = explorer._frame["meta"]["comparison"]["sentences"]
        assert sentence == "what is shown is low itself; compare it with other rows."


def test_a_cohort_of_weighted_rows_keeps_the_weights():
    X, y = data()
    weights = np.linspace(0.5, 1.5, len(X))
    options = {"n_repeats": 2, "ice_filter": LOW, "compare_with": "rest", "weights": weights}
    with uq.explore(line, X, y, **options) as explorer:
        assert explorer.wait()
        meta = explorer._frame["meta"]
        assert meta["comparison"]["stress"] is None
        assert "not compared" in meta["comparison"]["sentences"][0]
        rows = (X["b"] <= 0).to_numpy()
        compared = explorer.explainer.compare_rows(rows, sample_weight=weights)
        expected = compared.scores().difference.value
        values = [score["value"] for score in meta["comparison"]["scores"]]
        assert values == pytest.approx(list(expected))


def test_another_class_is_compared_with_the_one_that_is_shown():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=["a", "b"])
    y = np.array(["low", "middle", "high"])[np.digitize(X["a"], [-0.5, 0.5])]
    model = LogisticRegression().fit(X, y)
    inputs = {"measure": "probability:high", "indicator": "share:high"}
    with uq.explore(model, X, y, n_repeats=2, **inputs, compare_with="class:low") as explorer:
        assert explorer.wait()
        frame = explorer._frame
        meta, shown = frame["meta"], columns(frame)
        assert meta["error"] is None
        assert meta["ghost"]["of"] == "class"
        ex = explorer.explainer
        compared = ex.compare_classes("high", "low")
        curve = compared.dependence(explorer.feature, grid=N_VALUES)
        np.testing.assert_allclose(shown["dependence.ghost"], curve.second.average)
        np.testing.assert_allclose(shown["comparison.curve_high"], curve.difference.high)
        stress = compared.stress([explorer.stress_feature], ["share"], taus=STOPS, level=0.95)
        np.testing.assert_allclose(shown["stress.ghost"], stress.second.values["share"][0])
        # The columns of importance are losses, which have no class.
        assert "importance.ghost" not in shown
        assert "probability of high with that of low" in meta["comparison"]["sentences"][0]
        explorer.importance_of = ["probability:high"]
        assert explorer.wait()
        frame = explorer._frame
        assert frame["meta"]["comparison"]["sentences"] == []
        expected = compared.importance(n_repeats=2).second
        order = [ex.features.index(f) for f in expected.features]
        ghost = columns(frame)["importance.ghost"][0][order]
        np.testing.assert_allclose(ghost, expected.importance)
        explorer.compare_with = "class:high"
        assert explorer.wait()
        (sentence,) = explorer._frame["meta"]["comparison"]["sentences"]
        assert sentence.startswith("you are viewing class high already")
        with pytest.raises(ValueError, match="no class 'lo' to compare with; did you mean 'low'"):
            explorer.compare_with = "class:lo"


def test_the_learner_has_no_paired_interval_and_a_sentence_says_why():
    X, y = data()
    learner = uq.Learner(LinearRegression(), X, y, n_refits=2)
    with uq.explore(line, X, y, n_repeats=2, learner=learner, compare_with="learner") as explorer:
        assert explorer.wait()
        comparison = explorer._frame["meta"]["comparison"]
    assert comparison["importance"] == []
    (sentence,) = comparison["sentences"]
    assert "no paired interval" in sentence


def test_ratios_differ_with_a_paired_interval_where_there_is_a_ratio(explorer):
    explorer.compare = "ratio"
    assert explorer.wait()
    frame = explorer._frame
    ex = explorer.explainer
    compared = ex.compare(ex.others["flat"])
    assert frame["meta"]["comparison"]["sentences"] == []
    assert [one["unit"] for one in frame["meta"]["comparison"]["importance"]] == ["times"] * 2
    shown = columns(frame)
    for k, measure in enumerate(("nll", "entropy")):
        expected = compared.importance(measure, n_repeats=4, compare="ratio")
        order = [ex.features.index(f) for f in expected.difference.features]
        difference = shown["comparison.importance_high"][k][order]
        np.testing.assert_allclose(difference, expected.difference.high, atol=1e-12)
        # What lies under the ratios of the model are the ratios of the other one.
        order = [ex.features.index(f) for f in expected.second.features]
        ghost = shown["importance.ghost"][k][order]
        np.testing.assert_allclose(ghost, expected.second.importance)
    explorer.importance_of = ["nll", "prediction"]
    explorer.ice_filter = [{"feature": "a", "high": -0.5}]
    assert explorer.wait()
    meta = explorer._frame["meta"]
    (sentence,) = meta["comparison"]["sentences"]
    assert sentence.startswith("The mean prediction of the scored rows is ")
    assert sentence.endswith("a ratio needs a positive one.")
    assert [one["label"] for one in meta["comparison"]["importance"]] == ["likelihood loss (nll)"]


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


class Labels:
    """A classifier that predicts classes without probabilities."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return (X["a"] > 0).to_numpy().astype(int)


def test_models_of_different_measures_are_compared_by_what_both_have():
    X, y = data()
    numbers = {"normal": line, "single": lambda X: flat(X)[0]}
    classes = {"logistic": LogisticRegression().fit(X, (y > 0) * 1), "labels": Labels()}
    for models, target, lost, instead in (
        (numbers, y, ["likelihood loss (nll) and entropy", "no uncertainty"], "squared_error"),
        (classes, (y > 0) * 1, ["probability of 1", "gives class labels only"], "zero_one"),
    ):
        with uq.explore(models, X, target, n_repeats=2) as explorer:
            assert explorer.wait()
            meta = explorer._frame["meta"]
            assert meta["error"] is None
            comparison = meta["comparison"]
            first, second = comparison["sentences"]
            assert all(words in first for words in lost)
            label = explorer.explainer.measure(instead).label
            assert second == f"Both models have {label}, compared in its place."
            assert [one["label"] for one in comparison["importance"]] == [label]
            compared = explorer.explainer.compare(next(iter(explorer.explainer.others.values())))
            expected = compared.importance(instead, n_repeats=2).difference
            order = [explorer.explainer.features.index(f) for f in expected.features]
            shown = columns(explorer._frame)
            np.testing.assert_allclose(
                shown["comparison.importance_low"][0][order], expected.low, atol=1e-12
            )
            # Nothing of another measure lies under the bars that are shown.
            assert "importance.ghost" not in shown


def test_a_scorer_that_only_one_model_has_is_left_out_by_name():
    X, y = data()
    models = {"logistic": LogisticRegression().fit(X, (y > 0) * 1), "labels": Labels()}
    inputs = {"importance_of": ["roc_auc", "accuracy"], "measure": "zero_one"}
    with uq.explore(models, X, (y > 0) * 1, n_repeats=2, **inputs) as explorer:
        assert explorer.wait()
        meta = explorer._frame["meta"]
        assert meta["error"] is None
        (sentence,) = meta["comparison"]["sentences"]
        assert sentence.startswith("labels lacks roc auc: ")
        ghost = columns(explorer._frame)["importance.ghost"]
        assert np.isnan(ghost[0]).all()
        assert np.isfinite(ghost[1]).all()


def test_the_widget_says_beside_which_model_the_learner_stands():
    X, y = data()
    learner = uq.Learner(LinearRegression(), X, y, n_refits=2)
    models = {"one": lambda X: line(X)[0], "two": lambda X: flat(X)[0]}
    with uq.explore(models, X, y, n_repeats=2, learner=learner) as explorer:
        assert explorer.wait()
        assert not any("beside" in note for note in explorer._frame["meta"]["notes"])
        explorer.shown_model, explorer.compare_with = "two", "learner"
        assert explorer.wait()
        meta = explorer._frame["meta"]
        assert any("its marks are not drawn beside two" in n for n in meta["notes"])
        (sentence,) = meta["comparison"]["sentences"]
        assert "show one to compare" in sentence
    with uq.explore(line, X, y, n_repeats=2, compare_with="learner") as explorer:
        assert explorer.wait()
        (sentence,) = explorer._frame["meta"]["comparison"]["sentences"]
        assert sentence.startswith("there is no learner; pass learner=")
