"""Pins: saved inputs with a note, as plain JSON; those of the browser are validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs.cohorts import filters_of
from uqwidgets.widgets.inputs.conditions import MOST_VALUES, n_listed
from uqwidgets.widgets.inputs.inputs import Inputs, inputs_of
from uqwidgets.widgets.session.state import explainer_of_state, initial_state, validate_state

MOST_PINS = 200
MOST_CHARACTERS = 10_000
# Limit of the conditions of all pins together; each may need a pass over the rows.
MOST_CONDITIONS_OF_ALL = 2_000
_FIELDS = ("note", "state", "ghost")


@dataclass(frozen=True)
class Pin:
    """Saved inputs with a note.

    Attributes
    ----------
    note : str
    inputs : Inputs
    """

    note: str
    inputs: Inputs

    def plain(self) -> dict[str, Any]:
        """Return the pin in plain form, as a frame describes its ghost."""
        return {"note": self.note, "state": self.inputs.plain()}


def new_pin(note: str, inputs: Inputs) -> dict[str, Any]:
    """Return a new pin in plain form.

    Parameters
    ----------
    note : str
    inputs : Inputs
    """
    return {"note": note, "state": inputs.plain(), "ghost": False}


def validate_pins(pins: Any, explainer: Explainer) -> list[dict[str, Any]]:
    """Validate pins and return them in plain form.

    Parameters
    ----------
    pins : sequence of dict
        Each has a ``"note"``, its inputs as ``"state"``, and ``"ghost"``, whether the views show
        it as their ghost; at most one is a ghost. Missing entries of a state get their defaults.
    explainer : Explainer

    Raises
    ------
    ValueError
        If a pin is invalid; the message names the pin and the reason.
    """
    if not isinstance(pins, (list, tuple)):
        raise ValueError(f"pins is of type {type(pins).__name__}; it must be a list of pins.")
    if len(pins) > MOST_PINS:
        raise ValueError(f"there are {len(pins):,} pins, and {MOST_PINS:,} at most; delete some.")
    _check_filters(pins)
    plain = [_validate(pin, f"pin {i + 1}", explainer) for i, pin in enumerate(pins)]
    if sum(pin["ghost"] for pin in plain) > 1:
        raise ValueError("more than one pin is a ghost; set ghost of one pin only.")
    return plain


def ghost_of(pins: Sequence[dict[str, Any]], explainer: Explainer) -> Pin | None:
    """Return the pin that is the ghost, None if there is none.

    Parameters
    ----------
    pins : sequence of dict
        As `validate_pins` returns them.
    explainer : Explainer
    """
    for pin in pins:
        if pin["ghost"]:
            return Pin(pin["note"], inputs_of(pin["state"], explainer))
    return None


def initial_traits(
    explainer: Explainer, state: Mapping[str, Any] | None, inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of all traits of a new explorer; inputs go before the state.

    Raises
    ------
    ValueError
        See `Explorer.state`.
    """
    named = {name: inputs[name] for name in ("shown_model",) if name in inputs}
    shown = explainer_of_state(named, explainer, "the explorer")
    if state is None:
        return {**initial_state(shown), **inputs}
    # What is no mapping is refused with a sentence.
    complete = {**state, **named} if isinstance(state, Mapping) else state
    return {**traits_of(complete, shown), **inputs}


def traits_of(state: Mapping[str, Any], explainer: Explainer) -> dict[str, Any]:
    """Return the validated values of all traits that a state sets.

    Parameters
    ----------
    state : mapping
    explainer : Explainer

    Raises
    ------
    ValueError
        See `Explorer.state`.
    """
    inputs = state
    values: dict[str, Any] = {}
    if isinstance(state, Mapping) and "pins" in state:
        inputs = {name: value for name, value in state.items() if name != "pins"}
        values["pins"] = validate_pins(state["pins"], explainer)
    return {**validate_state(inputs, explainer), **values}


def _check_filters(pins: Sequence[Any]) -> None:
    """Check the limits of the filters of all pins together, before each is validated."""
    states = [pin.get("state") for pin in pins if isinstance(pin, dict)]
    known = [state for state in states if isinstance(state, dict)]
    filters = [state.get("ice_filter") for state in known]
    filters += [each for state in known for each in filters_of(state.get("cohorts"))]
    counts = {
        "conditions": (
            sum(len(each) for each in filters if isinstance(each, (list, tuple))),
            MOST_CONDITIONS_OF_ALL,
        ),
        "values": (sum(n_listed(each) for each in filters), MOST_VALUES),
    }
    for what, (count, most) in counts.items():
        if count > most:
            raise ValueError(
                f"the filters of all pins have {count:,} {what}; they can have {most:,}, so "
                "delete some pins."
            )


def _validate(pin: Any, what: str, explainer: Explainer) -> dict[str, Any]:
    if not isinstance(pin, dict) or "state" not in pin or any(name not in _FIELDS for name in pin):
        raise ValueError(f"{what} must be a dict of 'note', 'state' and 'ghost'.")
    note, ghost = pin.get("note", ""), pin.get("ghost", False)
    if not isinstance(note, str):
        raise ValueError(f"the note of {what} is of type {type(note).__name__}; it must be a text.")
    if len(note) > MOST_CHARACTERS:
        raise ValueError(
            f"the note of {what} has {len(note):,} characters; it can have {MOST_CHARACTERS:,}."
        )
    if not isinstance(ghost, bool):
        raise ValueError(
            f"ghost of {what} is of type {type(ghost).__name__}; it must be True or False."
        )
    state = validate_state(pin["state"], explainer, f"the state of {what}")
    return {"note": note, "state": state, "ghost": ghost}
