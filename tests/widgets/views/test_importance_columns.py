"""The columns of the importance view: measures, scorers, ratios, groups, verdict, redundancy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from models import normal_model
from models import table as normal_table
from uqwidgets.widgets.views.importance import columns as importance_columns
from uqwidgets.widgets.views.importance.columns import Detail, ImportanceDetails
from uqwidgets.widgets.views.importance.source import Sources
from widgets.conftest import Counting, table
from widgets.wire import columns


def shown(widget: uq.Explorer) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Meta of the importance view and its columns by their short names, once all is computed."""
    assert widget.wait(60)
    frame = widget._frame
    prefix = "importance."
    own = {k.removeprefix(prefix): v for k, v in columns(frame).items() if k.startswith(prefix)}
    return frame["meta"]["importance"], own


def check_column(own: dict[str, np.ndarray], i: int, result: Any, units: list[str]) -> None:
    """Compare the i-th column with the result of the explainer."""
    place = [result.features.index(unit) for unit in units]
    for name, values in (("value", result.importance), ("low", result.low), ("high", result.high)):
        np.testing.assert_allclose(own[name][i], values[place], rtol=1e-9, atol=1e-12)


def test_four_columns_have_the_importance_of_the_explainer(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    names = ["brier", "entropy", "accuracy", "zero_one"]
    explorer.importance_of = names
    meta, own = shown(explorer)
    assert [one["name"] for one in meta["measures"]] == names
    assert [one["kind"] for one in meta["measures"]] == ["loss", "uncertainty", "score", "loss"]
    for i, name in enumerate(names):
        check_column(own, i, ex.importance(name, n_repeats=4), [*ex.features])
    assert meta["order"] == np.argsort(-own["value"][0], kind="stable").tolist()


def test_columns_of_measures_that_were_evaluated_do_not_call_the_model(
    explorer: uq.Explorer, model: Counting
) -> None:
    calls = model.calls
    for names in (["brier"], ["roc_auc", "nll"], ["prediction", "entropy", "nll"], []):
        explorer.importance_of = names
        meta, own = shown(explorer)
        assert len(meta["measures"]) == len(names or ["nll", "entropy"])
        assert np.isfinite(own["value"]).all()
    explorer.verdict = explorer.redundancy = True
    explorer.sort, explorer.top = "verdict", 2
    explorer.compare = "ratio"
    shown(explorer)
    assert model.calls == calls


@pytest.mark.parametrize("replacement", ["conditional", "ablation"])
def test_a_replacement_is_that_of_the_explainer(explorer: uq.Explorer, replacement: str) -> None:
    ex = explorer.explainer
    explorer.replacement = replacement
    meta, own = shown(explorer)
    assert meta["replacement"] == replacement
    for i, name in enumerate(["nll", "entropy"]):
        result = ex.importance(name, replacement=replacement, n_repeats=4)
        check_column(own, i, result, [*ex.features])
    assert "over_tau" not in explorer._over_tau.get("meta", {})


def test_what_a_bar_says_is_that_of_its_kind_of_measure(explorer: uq.Explorer) -> None:
    margin = "margin:yes:no"
    explorer.importance_of = ["nll", "entropy", margin]
    assert explorer.wait(30)
    words = [one["words"] for one in explorer._frame["meta"]["importance"]["measures"]]
    assert words == [
        ["how much worse", "better"],
        ["how much less sure", "more sure"],
        ["how much higher", "lower"],
    ]
    explorer.importance_of, explorer.compare = ["nll"], "ratio"
    assert explorer.wait(30)
    (nll,) = explorer._frame["meta"]["importance"]["measures"]
    assert nll["words"] == ["times as much", "better"]


def test_a_ratio_is_that_of_the_explainer_also_under_stress(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    explorer.compare = "ratio"
    explorer.stress_feature, explorer.tau = "a", 0.4
    meta, own = shown(explorer)
    assert {one["unit"] for one in meta["measures"]} == {"times"}
    weights = ex.stress_weights("a", 0.4)
    result = ex.importance("nll", compare="ratio", n_repeats=4, sample_weight=weights)
    check_column(own, 0, result, [*ex.features])
    assert np.isclose(own["base"][0, 3], 1.0)  # the constant feature changes nothing


def test_a_ratio_to_a_mean_that_is_not_positive_is_remarked_on() -> None:
    X, y = normal_table()
    explainer = uq.Explainer(lambda X: (normal_model(X)[0], np.full(len(X), 0.05)), X, y)
    assert explainer.evaluations.original_values(explainer.measure("entropy")).mean() < 0
    with uq.Explorer(explainer, n_repeats=3, compare="ratio") as widget:
        _, own = shown(widget)
        assert np.isfinite(own["value"][0]).all()
        assert np.isnan(own["value"][1]).all()
        notes = " ".join(widget._frame["meta"]["notes"])
        assert "the mean entropy of these rows is" in notes
        assert "a ratio needs a positive one" in widget._picture_html()


def remarks_and_notes(explainer: uq.Explainer, **inputs: Any) -> tuple[list[str], list[str], str]:
    """Return the remarks of the results, the notes of the frame, and the static picture."""
    with uq.Explorer(explainer, layout="importance", n_repeats=3, **inputs) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        names = [measure["name"] for measure in meta["importance"]["measures"]]
        remarks = [r for name in names for r in widget.result("importance", name).remarks]
        return remarks, meta["notes"], widget._picture_html()


def test_remarks_on_few_effective_rows_are_those_of_the_results(explorer: uq.Explorer) -> None:
    explainer, tilted = explorer.explainer, {"stress_feature": "a", "tau": 0.8}
    remarks, notes, html = remarks_and_notes(explainer, **tilted)
    assert set(remarks) <= set(notes)
    (remark,) = [note for note in notes if note.startswith("the weights are worth")]
    assert remark in html
    # Neither without weights, nor for a measure that does not read the target.
    for inputs in ({"tau": 0.0}, {**tilted, "importance_of": ("entropy",)}):
        remarks, notes, _ = remarks_and_notes(explainer, **inputs)
        assert not [note for note in [*remarks, *notes] if note.startswith("the weights are")]


def test_predictions_that_are_too_narrow_are_remarked_on() -> None:
    X, y = normal_table()
    explainer = uq.Explainer(lambda X: (normal_model(X)[0], np.full(len(X), 0.01)), X, y)
    remarks, notes, html = remarks_and_notes(explainer)
    assert set(remarks) <= set(notes)
    (remark,) = [note for note in notes if "the predictions are so narrow" in note]
    assert remark.split(" rises")[0] in html


def test_groups_move_together() -> None:
    X, y = table()
    explainer = uq.Explainer(Counting(), X, y, feature_groups={"both": ["a", "b"]})
    with uq.Explorer(explainer, n_repeats=3, grouped=True) as widget:
        meta, own = shown(widget)
        assert meta["units"] == ["both", "c", "same"]
        check_column(own, 0, explainer.importance("nll", n_repeats=3), meta["units"])
        assert widget.feature == "a"  # the first feature of the most important group
        widget.grouped = False
        meta, own = shown(widget)
        assert meta["units"] is None
        assert own["value"].shape == (2, 4)


def test_no_feature_is_picked_by_the_order_of_an_earlier_request(model: Counting) -> None:
    explainer = uq.Explainer(model, *table(), feature_groups={"both": ["a", "b"]})
    with uq.Explorer(explainer, grouped=True, n_repeats=3) as widget:
        assert widget.wait(30)
        widget.grouped = False
        assert widget.wait(30)
        # The order on the page is that of four features; there are three groups.
        no_row = [{"feature": "a", "low": 1e6, "high": None}]
        widget.state = {**widget.state, "grouped": True, "feature": "", "ice_filter": no_row}
        assert widget.wait(30)
        assert widget._frame["meta"]["error"] is None
        assert widget.feature == ""
        widget.ice_filter = []
        assert widget.wait(30)
        assert widget.feature in ("a", "b"), "of the rows that are shown now"


def test_the_verdict_is_that_of_diagnose(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    explorer.verdict = True
    explorer.importance_of = ["zero_one"]  # nll and entropy are not shown
    meta, own = shown(explorer)
    diagnosis = ex.diagnose(n_repeats=4)
    for j, feature in enumerate(ex.features):
        reading = meta["verdicts"][own["verdict"][j]]
        place = diagnosis.features.index(feature)
        assert reading["verdict"] == diagnosis.verdict[place]
        assert reading["sentence"] == diagnosis.explanation[place]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"replacement": "conditional"}, "no verdict with conditional replacement"),
        ({"compare": "ratio"}, "no verdict on ratios"),
    ],
)
def test_why_there_is_no_verdict_is_said(
    explorer: uq.Explorer, change: dict[str, Any], reason: str
) -> None:
    explorer.verdict = True
    for name, value in change.items():
        setattr(explorer, name, value)
    meta, own = shown(explorer)
    assert meta["verdicts"] == []
    assert "verdict" not in own
    assert any(reason in note for note in explorer._frame["meta"]["notes"])


def test_a_model_of_values_has_no_verdict() -> None:
    X, y = normal_table()
    explainer = uq.Explainer(lambda X: normal_model(X)[0], X, y)
    with uq.Explorer(explainer, n_repeats=3, verdict=True) as widget:
        shown(widget)
        notes = " ".join(widget._frame["meta"]["notes"])
        assert "there is no verdict: " in notes


def test_the_redundancy_is_that_of_the_population_and_decides_the_verdict(
    explorer: uq.Explorer,
) -> None:
    ex = explorer.explainer
    explorer.redundancy = explorer.verdict = True
    meta, own = shown(explorer)
    redundancy = ex.redundancy(n_estimators=50)
    place = [redundancy.features.index(feature) for feature in ex.features]
    np.testing.assert_allclose(own["redundancy"][0], redundancy.r2[place])
    np.testing.assert_allclose(own["redundancy"][2], redundancy.high[place])
    diagnosis = ex.diagnose(n_repeats=4, redundancy=redundancy)
    names = [meta["verdicts"][code]["verdict"] for code in own["verdict"]]
    assert names == [diagnosis.verdict[diagnosis.features.index(f)] for f in ex.features]
    explorer.stress_feature, explorer.tau = "b", 0.3
    stressed = shown(explorer)[1]["redundancy"]
    assert np.isfinite(stressed[:, :3]).all()
    assert (stressed[0, :3] != own["redundancy"][0, :3]).all()


def test_an_interval_that_a_scorer_has_not_is_an_error_beside_the_other_columns(
    explorer: uq.Explorer,
) -> None:
    explorer.importance_of = ["nll", "accuracy"]
    explorer.interval = "random-variable"
    _, own = shown(explorer)
    assert np.isfinite(own["value"][0]).all()
    assert np.isnan(own["value"][1]).all()
    assert "accuracy has no value for a single pair of rows" in explorer._frame["meta"]["error"]
    explorer.interval = "model"
    _, own = shown(explorer)
    assert np.isfinite(own["value"]).all()
    assert explorer._frame["meta"]["error"] is None


def test_a_scorer_without_a_value_is_explained_beside_its_column(explorer: uq.Explorer) -> None:
    def notes() -> list[str]:
        return [note for note in explorer._frame["meta"]["notes"] if "is not defined" in note]

    explorer.importance_of = ["nll", "roc_auc"]
    _, own = shown(explorer)
    assert np.isfinite(own["value"]).all()
    assert not notes()
    label = str(explorer.explainer.classes[0])
    explorer.ice_filter = [{"feature": None, "values": [label]}]
    _, own = shown(explorer)
    assert np.isfinite(own["value"][0]).all()
    assert np.isnan(own["value"][1]).all()
    n = len(explorer.explainer.features)
    sentence = f"roc auc is not defined, as where one class is left, for {n} of {n} features"
    assert sentence in notes()


def test_results_are_those_of_the_columns(explorer: uq.Explorer) -> None:
    explorer.importance_of = ["accuracy", "brier"]
    explorer.replacement = "ablation"
    assert explorer.result("importance").measure == "accuracy"
    assert explorer.result("importance", "brier").replacement == "ablation"
    assert "importance_of=['accuracy', 'brier']" in explorer.code()
    assert explorer.state["importance_of"] == ["accuracy", "brier"]


@pytest.mark.thorough
def test_a_frame_of_800_features_in_four_columns_is_small() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 800)), columns=[f"feature {i}" for i in range(800)])

    def model(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        return X["feature 0"].to_numpy(), np.exp(X["feature 1"].to_numpy() / 4)

    explainer = uq.Explainer(model, X, X["feature 0"] + rng.normal(size=40))
    names = ["nll", "entropy", "crps", "squared_error"]
    with uq.Explorer(explainer, n_repeats=2, importance_of=names, verdict=True) as widget:
        shown(widget)
        n_bytes = sum(len(bytes(column)) for column in widget._frame["cols"].values())
        # The profiles over tau of all features have 41 levels of four numbers: 426 kB of it.
        assert n_bytes + len(str(widget._frame["meta"])) < 600_000


def test_only_the_latest_columns_stay_pinned(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importance_columns, "_MOST_PINNED", 2)
    details = ImportanceDetails(explorer.explainer, Sources(explorer.explainer))
    for key in ("first", "second", "third"):
        details.run(Detail(key, "", lambda _: np.zeros((3, 1))), lambda *_: None)
    assert list(explorer.explainer.evaluations.pinned(details)) == ["second", "third"]
