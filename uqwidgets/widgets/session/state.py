"""The state of an explorer: its inputs as plain JSON, and as a line of Python code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from inspect import signature
from keyword import iskeyword
from typing import Any

import numpy as np

from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.cache import parse_bytes
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of, in_groups, model_names
from uqwidgets.widgets.inputs.checks import text
from uqwidgets.widgets.inputs.choices import curve_measures
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs, validate

# What the arguments begin with that have the name of an input.
_GROUPS, _TIME = "groups=", "time="


def initial_state(explainer: Explainer) -> dict[str, Any]:
    """Return the default inputs of an explorer of this model in plain form."""
    return {
        **Inputs().plain(),
        "shown_model": explainer.name if explainer.others else "",
        "measure": curve_measures(explainer)[0].name,
        "indicator": next(iter(explainer.indicators)),
        # A user who names several models wants to compare them.
        "compare_with": next((f"model:{name}" for name in explainer.others), ""),
    }


def validate_state(state: Any, explainer: Explainer, what: str = "state") -> dict[str, Any]:
    """Return a valid state in plain form; missing entries are those of `initial_state`.

    Parameters
    ----------
    state : mapping
    explainer : Explainer
    what : str, default="state"
        Name of the state in error messages.

    Raises
    ------
    ValueError
        If `state` is not a mapping, or an entry has an unknown name or an invalid value.
    """
    if not isinstance(state, Mapping):
        raise ValueError(
            f"{what} is of type {type(state).__name__}; it must be a dict of inputs, such as the "
            "state of another explorer."
        )
    explainer = explainer_of_state(state, explainer, what)
    complete = initial_state(explainer)
    for name, value in state.items():
        if name not in NAMES:
            raise ValueError(f"{what}: {unknown('input', _brief(name), list(NAMES))}")
        try:
            complete[name] = validate(name, value, explainer)
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
    return complete


def explainer_of_state(
    state: Mapping[str, Any], explainer: Explainer, what: str = "state"
) -> Explainer:
    """Return the explainer of the model that a state names; this one where it names none.

    Raises
    ------
    ValueError
        If there is no such model, or it cannot be shown.
    """
    try:
        name = state.get("shown_model", explainer.name)
        return explainer_of(explainer, text("shown_model", name, explainer))
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def code_of(inputs: Inputs, explainer: Explainer, arguments: Sequence[str]) -> str:
    """Return the line of Python that reproduces the current views.

    Its model, X, y and learner are variables of these names. Arguments equal to their defaults
    are left out.

    Parameters
    ----------
    inputs : Inputs
    explainer : Explainer
        Of the model that is shown.
    arguments : sequence of str
        Those that are no inputs, see `arguments_of`.
    """
    initial = initial_of_code(explainer)
    changed = [f"{n}={v!r}" for n, v in inputs.plain().items() if v != initial[n]]
    every = [*arguments, *changed]
    # What was chosen comes after that of the explainer, and stands in its place.
    for name in (_GROUPS, _TIME):
        chosen = [one for one in every if one.startswith(name)][-1:]
        every = [*(one for one in every if not one.startswith(name)), *chosen]
    return f"uq.explore({', '.join(every)})"


def initial_of_code(explainer: Explainer) -> dict[str, Any]:
    """Return the inputs of a line of Python that names none but the model, see `code_of`."""
    first = explainer_of(explainer, "")
    return {**initial_state(explainer), "shown_model": initial_state(first)["shown_model"]}


def arguments_of(
    explainer: Explainer, *, has_learner: bool, title: str | None, is_weighted: bool
) -> list[str]:
    """Return the arguments of the line of Python that are no inputs, see `code_of`.

    Parameters
    ----------
    explainer : Explainer
        Of the first model.
    has_learner : bool
        Whether the explorer shows a learner beside the model.
    title : str or None
        Name of the model on the page.
    is_weighted : bool
        Whether the user passed weights.
    """
    model = "model"
    if explainer.others:
        names = model_names(explainer)
        model = f"{{{', '.join(f'{name!r}: {_variable(name)}' for name in names)}}}"
    arguments = [model, "X", "y"] if explainer.table.has_target else [model, "X"]
    if has_learner:
        arguments.append("learner=learner")
    if is_weighted:
        arguments.append("weights=weights")
    if title is not None:
        arguments.append(f"title={title!r}")
    defaults = signature(Explainer).parameters
    if explainer.table.groups:
        groups = {name: list(members) for name, members in explainer.table.groups.items()}
        arguments.append(f"feature_groups={groups!r}")
    if explainer.extra.names:
        arguments.append("extra=extra")
    if (time := explainer.table.time) is not None:
        arguments.append(_TIME + ("time" if time.name is None else repr(time.name)))
    groups_of_rows = explainer.table.row_groups
    if groups_of_rows is not None and not groups_of_rows.in_time:
        arguments.append(f"{_GROUPS}{_groups(explainer)}")
    if explainer.seed != defaults["random_state"].default:
        arguments.append(f"random_state={explainer.seed!r}")
    limit = explainer.evaluations.memory_limit
    if limit != parse_bytes(defaults["memory_limit"].default):
        arguments.append(f"memory_limit={limit!r}")
    return arguments


def _groups(explainer: Explainer) -> str:
    """Return the groups of an explainer: the name of their column, else a variable."""
    own = explainer.table.row_groups
    assert own is not None
    if own.column is not None:
        return repr(own.column)
    if own.name in explainer.extra or own.name in explainer.table:
        with suppress(ValueError):
            of_column = in_groups(explainer, own.name).table.row_groups
            if of_column is not None and np.array_equal(of_column.codes, own.codes):
                return repr(own.name)
    return "groups"


def _variable(name: str) -> str:
    """Return the name of a model as a variable of Python."""
    plain = "".join(letter if letter.isalnum() else "_" for letter in name)
    return plain if plain.isidentifier() and not iskeyword(plain) else f"model_{plain}"


def _brief(name: Any) -> str:
    text = str(name)
    return text if len(text) <= 80 else f"{text[:80]}..."
