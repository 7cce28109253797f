"""Rows that belong together: every interval of the widget is for other groups."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from uqwidgets.plotting.result import Result
from widgets.conftest import rest
from widgets.wire import columns

PATIENTS, ROWS = 30, 10
# Every view, with all that has an interval; the second one is of rows that are stressed.
STATES: dict[str, dict[str, Any]] = {
    "all rows": {"importance_of": ["nll", "entropy", "r2"], "redundancy": True, "verdict": True},
    "stressed": {
        "tau": 0.5,
        "importance_of": ["squared_error"],
        "compare": "ratio",
        "ice_filter": [{"feature": "dose", "low": -0.5}],
        "compare_with": "rest",
    },
    "held": {"tau": 0.25, "held": [{"feature": "age", "value": 0.0}], "replacement": "ablation"},
    "other model": {"compare_with": "model:steep", "interval": "model"},
}
FURTHER = {
    "feature": "age",
    "second": "dose",
    "stress_feature": "dose",
    "small_curves": 2,
    "color_by": "arm",
    "group_averages": True,
    "n_repeats": 4,
}
# Slices are found in halves of the groups, which are not halves of the rows.
WITHOUT_INTERVALS = ("selection", "pixels", "slices")


def patients() -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Thirty patients of ten rows; the age and an effect are the same in all rows of one."""
    rng = np.random.default_rng(0)
    n = PATIENTS * ROWS
    patient = np.repeat(np.arange(PATIENTS), ROWS)
    X = pd.DataFrame(
        {
            "age": rng.normal(size=PATIENTS)[patient],
            "dose": rng.normal(size=n),
            "arm": rng.choice(["new", "old"], size=n),
            "ward": patient // 3,
        }
    )
    effect = rng.normal(size=PATIENTS)[patient]
    y = pd.Series(X["age"] + 0.5 * X["dose"] + effect + rng.normal(size=n), name="y")
    extra = pd.DataFrame({"patient": patient, "site": patient // 5, "row": np.arange(n)})
    return X, y, extra


def line(X: pd.DataFrame, slope: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    return slope * X["age"].to_numpy() + 0.5 * X["dose"].to_numpy(), np.ones(len(X))


def steep(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    return line(X, 1.5)


def explainer_of(**options: Any) -> uq.Explainer:
    X, y, extra = patients()
    others = {"steep": steep}
    return uq.Explainer(line, X, y, extra=extra, name="line", others=others, **options)


def complete_frame(widget: uq.Explorer) -> None:
    assert widget.wait(60)


def levels_of(widget: uq.Explorer) -> dict[str, np.ndarray]:
    return columns(widget._over_tau)


def intervals_of(result: Result) -> list[np.ndarray]:
    frame = result.frame
    names = [name for name in ("low", "high", "low_difference") if name in frame]
    return [frame[name].to_numpy() for name in names]


@pytest.mark.parametrize("state", STATES)
def test_groups_that_are_chosen_are_those_that_are_passed(state: str) -> None:
    chosen, passed = explainer_of(), explainer_of(groups="patient")
    inputs = {**FURTHER, **STATES[state]}
    # Of ratios and scorers, importance over tau follows the frames.
    moves = not {"importance_of", "compare"} & set(inputs)
    complete = rest if moves else complete_frame
    with uq.Explorer(chosen, **inputs) as widget, uq.Explorer(passed, **inputs) as same:
        complete(widget)
        alone, before = columns(widget._frame), levels_of(widget) if moves else {}
        calls = chosen.model_calls
        widget.groups = "patient"
        complete(widget)
        complete(same)
        assert chosen.model_calls == calls, "the model is not called for other intervals"
        ours, theirs = columns(widget._frame), columns(same._frame)
        levels, same_levels = (levels_of(each) if moves else {} for each in (widget, same))
    assert widget._frame["meta"]["error"] is None
    assert ours.keys() == theirs.keys()
    for name, values in (ours | levels).items():
        np.testing.assert_array_equal(values, (theirs | same_levels)[name], err_msg=name)
    # Estimates are those of independent rows, and what has an interval has another one.
    for name in ours:
        view, _, column = name.partition(".")
        if view in WITHOUT_INTERVALS or name not in alone:
            continue
        if column.removeprefix("curve_").removeprefix("importance_") in ("low", "high"):
            assert not np.array_equal(ours[name], alone[name], equal_nan=True), name
        elif column in ("value", "average", "base", "grid", "ice"):
            np.testing.assert_allclose(ours[name], alone[name], rtol=1e-9, err_msg=name)
    if moves:
        assert not np.array_equal(levels["importance.low"], before["importance.low"])


@pytest.mark.parametrize("groups", ["patient", "site", "ward"])
def test_intervals_are_those_of_the_explainer(groups: str) -> None:
    explainer, own = explainer_of(), explainer_of(groups=groups)
    inputs = {**FURTHER, "groups": groups, "compare_with": "model:steep"}
    with uq.Explorer(explainer, importance_of=["nll", "r2"], **inputs) as widget:
        assert widget.wait(60)
        results = {
            (name, shown): widget.result(name, shown)
            for name, shown in [
                ("importance", "nll"),
                ("importance", "r2"),
                ("dependence", "prediction"),
                ("surface", "prediction"),
                ("performance", "calibration"),
                ("comparison", "nll"),
                ("performance", "scores"),
            ]
        }
    calls = explainer.model_calls
    with uq.Explorer(explainer, importance_of=["nll"], indicator="rmse", **inputs) as widget:
        results["importance_over_tau", "nll"] = widget.result("importance_over_tau")
        stress = widget.result("stress").frame.query("feature == 'dose'")
    grid = {"grid": results["dependence", "prediction"].grid}
    expected = {
        ("importance", "nll"): own.importance("nll", n_repeats=4),
        ("importance", "r2"): own.importance("r2", n_repeats=4),
        ("dependence", "prediction"): own.dependence("age", "prediction", **grid),
        ("performance", "calibration"): own.calibration(),
        ("importance_over_tau", "nll"): own.importance_over_tau(
            "dose", "nll", taus=41, n_repeats=4, missing="keep"
        ),
        ("comparison", "nll"): own.compare(own.others["steep"], names=("line", "steep")).importance(
            "nll", n_repeats=4
        ),
    }
    for key, result in expected.items():
        shown = results[key]
        assert intervals_of(result), key
        for ours, theirs in zip(intervals_of(shown), intervals_of(result), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=str(key))
    profile = own.stress(["dose"], ["rmse"], taus=41, missing="keep", level=0.95).frame
    for name in ("low", "high"):
        np.testing.assert_allclose(stress[name], profile[name], rtol=1e-9, err_msg=name)
    assert results["surface", "prediction"].groups == results["importance", "nll"].groups
    assert explainer.model_calls == calls


def test_results_say_what_the_rows_belong_to() -> None:
    explainer = explainer_of(groups="patient")
    with uq.Explorer(explainer, **FURTHER) as widget:
        assert widget.wait(60)
        assert "300 rows of 30 patients" in repr(widget)
        assert widget._frame["meta"]["in_groups"] == "30 patients"
        names = ("importance", "dependence", "surface", "small_curves", "performance")
        for result in map(widget.result, names):
            assert "300 rows of 30 patients" in repr(result) + result._repr_html_()
        widget.groups = "site"
        assert widget.wait(60)
        assert "300 rows of 6 sites" in repr(widget)
        result = widget.result("importance")
        assert "300 rows of 6 sites" in repr(result)
        assert [remark.code for remark in result.remarks].count("few-groups") == 1
        assert "300 rows of 6 sites" in widget._draw_picture()
        widget.ice_filter = [{"feature": "site", "values": ["0", "1"]}]
        assert widget.wait(60)
        assert widget._frame["meta"]["in_groups"] == "2 sites"
        assert "100 rows of 2 sites" in widget._draw_picture()


def test_few_groups_carry_a_remark() -> None:
    with uq.Explorer(explainer_of(), **FURTHER) as widget:
        assert widget.wait(60)
        codes = {"few-groups", "rows-of-groups"}
        assert codes & {*widget._frame["meta"]["note_codes"]} == {"rows-of-groups"}
        widget.groups = "site"
        assert widget.wait(60)
        assert codes & {*widget._frame["meta"]["note_codes"]} == {"few-groups"}
        assert codes & {one.code for one in widget.result("importance").remarks} == {"few-groups"}
        widget.groups = "patient"
        assert widget.wait(60)
        assert not codes & {*widget._frame["meta"]["note_codes"]}
        assert not codes & {one.code for one in widget.result("importance").remarks}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("patients", "there is no feature or extra column 'patients'; did you mean 'patient'"),
        ("row", "where every row has a value of its own; name a column of what several rows"),
        ("dose", "groups is 'dose', where every row has a value of its own"),
        (1, "groups is 1; it must be a text"),
        ("constructor", "there is no feature or extra column 'constructor'"),
    ],
)
def test_what_is_no_group_is_refused_in_one_sentence(value: Any, sentence: str) -> None:
    with (
        uq.Explorer(explainer_of(), feature="age") as widget,
        pytest.raises(ValueError, match=sentence),
    ):
        widget.groups = value


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["a"] * 300, "groups has the same label in every row"),
        ([*["a"] * 299, None], "groups is missing in 1 of 300 rows"),
    ],
)
def test_columns_of_one_value_or_with_none_are_refused(values: list[Any], sentence: str) -> None:
    X, y, _ = patients()
    with (
        uq.explore(line, X, y, extra={"of": values}) as widget,
        pytest.raises(ValueError, match=sentence),
    ):
        widget.groups = "of"


def test_explore_takes_groups_beside_its_models() -> None:
    X, y, extra = patients()
    labels = extra["patient"].map("p{}".format).rename("person")
    models = {"line": line, "steep": steep}
    with uq.explore(models, X, y, groups=labels, n_repeats=3, feature="age") as widget:
        assert widget.wait(60)
        assert str(widget.result("importance").groups) == "30 persons"
        widget.shown_model = "steep"
        assert widget.wait(60)
        assert str(widget.result("importance").groups) == "30 persons"
        assert str(widget.result("comparison").first.groups) == "30 persons"
    with uq.explore(models, X, y, extra=extra, n_repeats=3, groups="patient") as widget:
        assert widget.groups == "", "they are those of the explainer"
        assert widget.wait(60)
        assert widget._frame["meta"]["in_groups"] == "30 patients"
        with pytest.raises(TypeError, match="feature_groups, extra, groups and time already"):
            uq.explore(widget.explainer, groups="patient")


def test_code_names_the_groups() -> None:
    X, y, extra = patients()
    names: dict[str, Any] = {"uq": uq, "model": line, "X": X, "y": y, "extra": extra}
    with uq.explore(line, X, y, extra=extra, groups="site", feature="age", n_repeats=3) as widget:
        assert widget.wait(60)
        assert widget.code().startswith("uq.explore(model, X, y, extra=extra, ")
        assert widget.code().endswith("groups='site')")
        widget.groups = "patient"
        assert widget.wait(60)
        assert widget.code().count("groups=") == 1
        with eval(widget.code(), names) as again:
            assert again.wait(60)
            ours, theirs = columns(widget._frame), columns(again._frame)
        for name, values in ours.items():
            np.testing.assert_array_equal(values, theirs[name], err_msg=name)
    with uq.explore(line, X, y, groups=extra["patient"] % 7, feature="age") as widget:
        assert "groups=groups" in widget.code()


def test_code_names_columns_that_the_model_does_not_use() -> None:
    X, y, extra = patients()
    model = LinearRegression().fit(X[["age"]], y)
    table = X[["age"]].assign(patient=extra["patient"], day=np.arange(len(X)))
    with uq.explore(model, table, y, groups="patient", time="day", n_repeats=2) as widget:
        assert widget.explainer.features == ("age",)
        assert "groups='patient'" in widget.code()
        assert "time='day'" in widget.code()
        names = {"uq": uq, "model": model, "X": table, "y": y}
        with eval(widget.code(), names) as again:
            assert again.code() == widget.code()


def test_pins_and_the_state_keep_the_groups() -> None:
    with uq.Explorer(explainer_of(), **FURTHER, groups="patient") as widget:
        assert widget.wait(60)
        widget.pin("of patients")
        before = columns(widget._frame)["importance.low"]
        saved = json.loads(json.dumps(widget.state))
        widget.groups = ""
        assert widget.wait(60)
        assert not np.array_equal(columns(widget._frame)["importance.low"], before)
        widget.state = widget.pins[0]["state"]
        assert widget.groups == "patient"
        assert widget.wait(60)
        np.testing.assert_array_equal(columns(widget._frame)["importance.low"], before)
        assert widget.provenance()["groups"] == "30 patients"
    with uq.Explorer(explainer_of(), state=saved) as again:
        assert again.groups == "patient"


def test_rows_in_an_order_have_intervals_of_blocks_and_are_named_in_the_code():
    X, y, extra = patients()

    def model(X):
        return X["age"]

    time = np.arange(len(X))
    with uq.explore(model, X, y, time=time, n_repeats=2) as widget:
        assert str(widget.explainer.scores().groups) == "16 blocks"
        assert "time=time" in widget.code()
        assert "groups=" not in widget.code()
    with uq.explore(model, X, y, time=time, groups=extra["patient"], n_repeats=2) as widget:
        assert "time=time" in widget.code()
        assert "groups=groups" in widget.code()
