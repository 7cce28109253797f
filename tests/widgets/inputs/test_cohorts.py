"""Cohorts: named filters, their complements, and where they are kept."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs.inputs import validate
from uqwidgets.widgets.picture.static_picture import static_picture
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns

RED = [{"feature": "c", "values": ["red"]}]
COHORTS = [
    {"name": "red", "ice_filter": RED, "complement": False},
    {"name": "the others", "ice_filter": RED, "complement": True},
]


def test_a_filter_and_its_complement_are_all_rows(
    explorer: uq.Explorer, explainer: uq.Explainer, model: Counting
) -> None:
    red = (explainer.table.column("c") == "red").to_numpy()
    calls = model.calls
    for complement in (True, False):
        frame = change(explorer, ice_filter=RED, complement=complement)[-1]
        rows = red != complement
        assert frame["meta"]["rows"] == rows.sum()
        assert frame["meta"]["stress"]["n_rows"] == rows.sum()
        importance = explainer.importance("nll", n_repeats=4, rows=rows)
        shown = columns(frame)["importance.value"][0]
        for name, value in zip(importance.features, importance.importance, strict=True):
            assert shown[explainer.features.index(name)] == pytest.approx(value, abs=1e-12)
    assert model.calls == calls
    explorer.complement = True
    assert explorer.wait(30)
    picture = static_picture(explorer._session, explorer._inputs()[0])
    assert f"{(~red).sum()} rows with other values than c red" in picture


def test_without_conditions_there_is_no_complement(explorer: uq.Explorer) -> None:
    frame = change(explorer, complement=True)[-1]
    assert frame["meta"]["rows"] == 40


def test_the_complement_of_all_rows_is_none(explorer: uq.Explorer) -> None:
    everything = [{"feature": "c", "values": ["red", "blue"]}]
    frame = change(explorer, ice_filter=everything, complement=True)[-1]
    assert frame["meta"]["rows"] == 0
    assert frame["meta"]["error"] is None


def test_cohorts_are_kept_in_state_code_and_pins(
    explorer: uq.Explorer, explainer: uq.Explainer
) -> None:
    explorer.cohorts = COHORTS
    explorer.pin("with cohorts")
    saved = json.loads(json.dumps(explorer.state))
    assert saved["cohorts"] == COHORTS == saved["pins"][0]["state"]["cohorts"]
    assert f"cohorts={COHORTS!r}" in explorer.code()
    with uq.Explorer(explainer, state=saved) as again:
        assert again.cohorts == COHORTS
    # They are names of filters, so that nothing is computed anew for them.
    before = explorer._frame
    frames = change(explorer, cohorts=COHORTS[:1])
    assert frames[-1]["meta"]["final"]
    for name, values in columns(before).items():
        np.testing.assert_array_equal(columns(frames[-1])[name], values)


@pytest.mark.parametrize(
    ("cohorts", "sentence"),
    [
        ("red", "cohorts is 'red'; it must be a list, such as"),
        ([{"ice_filter": []}], "each cohort must be"),
        ([{"name": "a", "rows": [1]}], "each cohort must be"),
        ([{"name": " "}], "the name of a cohort is ' '; it must be a text"),
        ([{"name": 3}], "the name of a cohort is 3"),
        ([{"name": "x" * 300}], "of 1 to 200 characters"),
        ([{"name": "a"}, {"name": "a "}], "two cohorts are named 'a'; rename one"),
        ([{"name": "a", "complement": 1}], "cohort 'a': complement is 1; it must be True or"),
        ([{"name": "a", "ice_filter": [{"feature": "z"}]}], "cohort 'a': there is no feature 'z'"),
        ([{"name": str(i)} for i in range(51)], "there are 51 cohorts, and 50 at most"),
        (
            [{"name": str(i), "ice_filter": [{"values": ["a"] * 50_001}]} for i in range(2)],
            "the cohorts list 100,002 values",
        ),
    ],
)
def test_a_wrong_cohort_is_refused_in_one_sentence(
    explainer: uq.Explainer, cohorts: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        validate("cohorts", cohorts, explainer)


def test_pins_count_the_conditions_of_their_cohorts(explorer: uq.Explorer) -> None:
    many = [{"feature": "a", "low": 0.0, "high": None}] * 150
    state = {"cohorts": [{"name": str(i), "ice_filter": many} for i in range(14)]}
    with pytest.raises(ValueError, match="the filters of all pins have 2,100 conditions"):
        explorer.pins = [{"note": "", "state": state, "ghost": False}]
