from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs import Condition, checked, conditions


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("tau", 1.5, r"tau is 1\.5; it lies within \[-1, 1\]"),
        ("tau", float("nan"), "tau is nan; it must be finite"),
        ("tau", "0.5", "must be a number"),
        ("tau", True, "must be a number"),
        ("ice_lines", -1, "it lies within"),
        ("ice_lines", 10**9, "it lies within"),
        ("n_repeats", 2.5, "must be a whole number"),
        ("measure", "importance", "there is no measure 'importance'"),
        ("measure", ["nll"], "must be a text"),
        ("indicator", "error", "did you mean 'error_rate'"),
        ("interval", "bootstrap", "there is no interval"),
        ("feature", "A", "there is no feature 'A'"),
        ("stress_feature", "c", "'c' cannot be stressed: categorical"),
        ("ice_filter", {}, "must be a list"),
        ("ice_filter", ["a > 3"], "each ice_filter condition must be"),
        ("ice_filter", [{"feature": "a", "low": 2, "high": 1}], "backwards"),
        ("ice_filter", [{"feature": "a", "low": "__import__('os')"}], "must be a number"),
        ("ice_filter", [{"feature": "c", "low": 1}], "'c' is categorical"),
        ("ice_filter", [{"feature": None, "low": 1}], "the target is filtered by its classes"),
        ("ice_filter", [{"feature": "c", "values": "red"}], "must be a list"),
    ],
)
def test_what_an_input_cannot_be_is_said_in_a_sentence(
    explainer: uq.Explainer, name: str, value: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        checked(name, value, explainer)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("tau", np.float32(0.5), 0.5),
        ("tau", 1, 1.0),
        ("feature", "", ""),
        ("stress_feature", "same", "same"),
        (
            "ice_filter",
            [{"feature": "a", "low": 0}],
            [{"feature": "a", "low": 0.0, "high": None}],
        ),
        (
            "ice_filter",
            [{"feature": None, "values": ["yes"], "more": 1}],
            [{"feature": None, "values": ["yes"]}],
        ),
    ],
)
def test_what_an_input_can_be_is_put_in_its_plain_form(
    explainer: uq.Explainer, name: str, value: Any, expected: Any
) -> None:
    assert checked(name, value, explainer) == expected


def test_conditions_choose_rows_with_both_ends_included(explainer: uq.Explainer) -> None:
    b = explainer.table.numbers("b")
    low, high = np.sort(b)[[5, 30]]
    (condition,) = conditions([{"feature": "b", "low": low, "high": high}], explainer)
    np.testing.assert_array_equal(condition.mask(explainer), (b >= low) & (b <= high))
    assert condition.mask(explainer).sum() >= 26
    red = Condition("c", values=("red",)).mask(explainer)
    np.testing.assert_array_equal(red, explainer.table.column("c").to_numpy() == "red")
    yes = Condition(None, values=("yes",)).mask(explainer)
    np.testing.assert_array_equal(yes, explainer.table.y == "yes")
