"""The inputs of the widget: their validation in Python, and their types in Python and TypeScript.

``UQ_WRITE_INPUTS=1 pytest tests/widgets/inputs/test_inputs.py`` writes the types again: those of
the front end, and those that Python's type checkers read.
"""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs.cohorts import Cohort
from uqwidgets.widgets.inputs.conditions import Condition, conditions
from uqwidgets.widgets.inputs.held import Held
from uqwidgets.widgets.inputs.inputs import Inputs, RowText, trait_value, validate
from uqwidgets.widgets.inputs.what_if import ChangedValue

ROOT = Path(__file__).parents[3]
FRONT_END = ROOT / "js" / "src" / "session" / "inputs.ts"
TYPE_HINTS = ROOT / "uqwidgets" / "widgets" / "inputs" / "types.py"
# The type in TypeScript, what `typeof` calls it, and the type of the trait in Python.
TYPES = {
    float: ("number", "number", "float"),
    int: ("number", "number", "int"),
    str: ("string", "string", "str"),
    bool: ("boolean", "boolean", "bool"),
    tuple[str, ...]: ("string[]", "object", "list[str]"),
    tuple[Condition, ...]: ("Condition[]", "object", "list[dict[str, Any]]"),
    tuple[Cohort, ...]: ("Cohort[]", "object", "list[dict[str, Any]]"),
    tuple[Held, ...]: ("Held[]", "object", "list[dict[str, Any]]"),
    tuple[ChangedValue, ...]: ("Change[]", "object", "list[dict[str, Any]]"),
    RowText: ("string | Condition[]", "string", "Any"),
}
TYPESCRIPT = """\
// Written from `Inputs` in uqwidgets/widgets/inputs by tests/widgets/inputs/test_inputs.py.
import type {{ Change, Cohort, Condition, Held }} from "./condition.ts";

/** The public traits, which the client writes and the kernel answers. */
export interface Inputs {{
{types}
}}

/** What `typeof` says of each. */
export const INPUT_TYPES = {{
{kinds}
}} as const satisfies Record<keyof Inputs, string>;
"""


PYTHON = '''\
"""The inputs of the widget for type checkers and editors.

Written from `Inputs` in uqwidgets/widgets/inputs by tests/widgets/inputs/test_inputs.py.
"""

from __future__ import annotations

from typing import Any, TypedDict

import traitlets as t


class InputTraits(t.HasTraits):
    """The public traits of `Explorer`."""

{types}


class ExploreArguments(TypedDict, total=False):
    """The keyword arguments of `explore`: those of `Explorer` whose names mean the same there."""

{arguments}
    pins: list[dict[str, Any]]
    layout: Any


class InputArguments(ExploreArguments, total=False):
    """The keyword arguments of `Explorer`: initial values of its traits, pins and layout."""

    groups: str
    time: str
'''


def test_the_generated_types_are_those_of_the_inputs() -> None:
    types = {name: TYPES[hint] for name, hint in get_type_hints(Inputs).items()}
    typescript = TYPESCRIPT.format(
        types="\n".join(f"  {name}: {kind};" for name, (kind, _, _) in types.items()),
        kinds="\n".join(f'  {name}: "{kind}",' for name, (_, kind, _) in types.items()),
    )
    traits = {name: f"    {name}: {kind}" for name, (_, _, kind) in types.items()}
    # `explore` takes the groups and the order of the Explainer, which may be values too.
    arguments = [line for name, line in traits.items() if name not in ("groups", "time")]
    python = PYTHON.format(types="\n".join(traits.values()), arguments="\n".join(arguments))
    for path, text in ((FRONT_END, typescript), (TYPE_HINTS, python)):
        if os.environ.get("UQ_WRITE_INPUTS"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text


def test_the_traits_of_the_explorer_are_the_inputs(explorer: uq.Explorer) -> None:
    traits = explorer.traits(sync=True)
    for declared in fields(Inputs):
        assert traits[declared.name].metadata["echo_update"] is False
        default = traits[declared.name].default()
        plain = list(declared.default) if declared.default == () else declared.default
        assert default == trait_value(declared.name, plain, explorer.explainer)


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
        ("stress_category", "rde", "there is no category 'rde'; did you mean 'red'"),
        ("anchor", "mean", "there is no anchor 'mean'"),
        ("tail", 0.5, r"tail is 0\.5; it lies within"),
        ("clip_lines", "no", "must be True or False"),
        ("second", "A", "there is no feature 'A'"),
        ("importance_of", "nll", r"importance_of is 'nll'; it must be a list, such as \['nll', "),
        ("importance_of", ["nll"] * 5, "importance_of has 5 names; it can have 4"),
        ("importance_of", ["nll", "nll"], "has a name twice"),
        ("importance_of", ["nll", 3], "an item of importance_of is 3; it must be a text"),
        ("importance_of", ["log"], "there is no measure 'log'"),
        ("importance_of", ["r2"], "it is a metric of numbers, and the target is a class"),
        ("replacement", "swap", "there is no replacement 'swap'"),
        ("compare", "quotient", "there is no comparison 'quotient'"),
        ("grouped", 1, "must be True or False"),
        ("verdict", "yes", "must be True or False"),
        ("redundancy", None, "must be True or False"),
        ("sort", "size", "there is no measure 'size'"),
        ("top", -1, "it lies within"),
        ("ice_filter", {}, r"ice_filter is \{\}; it must be a list, such as \[\{'feature'"),
        ("ice_filter", ["a > 3"], "each ice_filter condition must be"),
        ("ice_filter", [{"feature": "a", "min": 1}], "or {'rows'}, not {'feature', 'min'}"),
        ("ice_filter", [{"feature": "a", "low": 1, "values": []}], "not {'feature', 'low', "),
        ("what_if", [{"feature": "a", "value": 1, "of": 2}], "must be {'feature', 'value'}"),
        ("ice_filter", [{"feature": "a", "low": 2, "high": 1}], "backwards"),
        ("ice_filter", [{"feature": "a", "low": "__import__('os')"}], "must be a number"),
        ("ice_filter", [{"feature": "c", "low": 1}], "'c' is categorical"),
        ("ice_filter", [{"feature": None, "low": 1}], "the target is filtered by its classes"),
        ("ice_filter", [{"feature": "c", "values": "red"}], "must be a list"),
    ],
)
def test_an_invalid_input_is_an_error_of_one_sentence(
    explainer: uq.Explainer, name: str, value: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        validate(name, value, explainer)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("tau", np.float32(0.5), 0.5),
        ("tau", 1, 1.0),
        ("feature", "", ""),
        ("importance_of", ("entropy", "roc_auc"), ["entropy", "roc_auc"]),
        ("sort", "verdict", "verdict"),
        ("sort", "accuracy", "accuracy"),
        ("stress_feature", "same", "same"),
        (
            "ice_filter",
            [{"feature": "a", "low": 0}],
            [{"feature": "a", "low": 0.0, "high": None}],
        ),
        (
            "ice_filter",
            [{"feature": None, "values": ["yes"]}],
            [{"feature": None, "values": ["yes"]}],
        ),
    ],
)
def test_a_valid_input_is_converted_to_its_plain_form(
    explainer: uq.Explainer, name: str, value: Any, expected: Any
) -> None:
    assert validate(name, value, explainer) == expected


def test_a_range_condition_includes_both_ends(explainer: uq.Explainer) -> None:
    b = explainer.table.numbers("b")
    low, high = np.sort(b)[[5, 30]]
    (condition,) = conditions([{"feature": "b", "low": low, "high": high}], explainer)
    np.testing.assert_array_equal(condition.mask(explainer), (b >= low) & (b <= high))
    assert condition.mask(explainer).sum() >= 26
    red = Condition("c", values=("red",)).mask(explainer)
    np.testing.assert_array_equal(red, explainer.table.column("c").to_numpy() == "red")
    yes = Condition(None, values=("yes",)).mask(explainer)
    np.testing.assert_array_equal(yes, explainer.table.y == "yes")


def test_rows_are_filtered_and_selected_by_the_predicted_class(explorer: uq.Explorer) -> None:
    ex = explorer.explainer
    predicted = ex.classes[ex.evaluations.original.mode()]
    truth = ex.table.y
    both: list[Any] = [{"feature": None, "values": ["yes"]}, {"predicted": ["no"]}]
    wrong = (truth == "yes") & (predicted == "no")
    read = conditions(both, ex)
    np.testing.assert_array_equal(read[0].mask(ex) & read[1].mask(ex), wrong)
    assert [one.plain() for one in read] == both
    explorer.selection = both
    assert explorer.selection == np.flatnonzero(wrong).tolist()
    explorer.ice_filter = both
    assert explorer.wait(30)
    assert explorer._frame["meta"]["performance"]["n_rows"] == wrong.sum()
    np.testing.assert_array_equal(ex.confusion().rows_of_pair.sum(), len(truth))
    with pytest.raises(ValueError, match="no class 'maybe' that the model"):
        validate("ice_filter", [{"predicted": ["maybe"]}], ex)


def test_numbers_are_not_filtered_by_the_predicted_class() -> None:
    X = np.arange(20.0)[:, None]
    explainer = uq.Explainer(lambda A: A[:, 0], X, X[:, 0])
    with pytest.raises(ValueError, match="only classes are filtered by prediction"):
        validate("ice_filter", [{"predicted": [1]}], explainer)
