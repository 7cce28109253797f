"""Pins: views that are kept with a note, as plain JSON, which a browser may send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs import MOST_VALUES, Inputs, n_listed
from uqwidgets.widgets.state import inputs_of, validate_state

MOST_PINS = 200
MOST_LETTERS = 10_000
# Conditions of all pins together; each may take a pass over the rows.
MOST_CONDITIONS_OF_ALL = 2_000
_FIELDS = ("note", "state", "ghost")


@dataclass(frozen=True)
class Pin:
    """A view that is kept.

    Attributes
    ----------
    note : str
    inputs : Inputs
    """

    note: str
    inputs: Inputs

    def plain(self) -> dict[str, Any]:
        """Return the form in which a frame shows it as the ghost."""
        return {"note": self.note, "state": self.inputs.plain()}


def new_pin(note: str, inputs: Inputs) -> dict[str, Any]:
    """Return a pin in the form that travels.

    Parameters
    ----------
    note : str
    inputs : Inputs
    """
    return {"note": note, "state": inputs.plain(), "ghost": False}


def validate_pins(pins: Any, explainer: Explainer) -> list[dict[str, Any]]:
    """Return pins in the form that travels if they may be ones.

    Parameters
    ----------
    pins : sequence of dict
        Each has a ``"note"``, the ``"state"`` of its view, and ``"ghost"``, whether it lies under
        the present view; at most one does. Entries that a state lacks have their defaults.
    explainer : Explainer

    Raises
    ------
    ValueError
        With a sentence that says which pin is wrong, and why.
    """
    if not isinstance(pins, (list, tuple)):
        raise ValueError(f"pins is a {type(pins).__name__}; it must be a list of pins.")
    if len(pins) > MOST_PINS:
        raise ValueError(f"there are {len(pins):,} pins, and {MOST_PINS:,} at most; delete some.")
    _check_filters(pins)
    plain = [_validate(pin, f"pin {i + 1}", explainer) for i, pin in enumerate(pins)]
    if sum(pin["ghost"] for pin in plain) > 1:
        raise ValueError("more than one pin is a ghost; only one lies under the present view.")
    return plain


def ghost_of(pins: Sequence[dict[str, Any]], explainer: Explainer) -> Pin | None:
    """Return the pin that lies under the present view, None if none does.

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


def _check_filters(pins: Sequence[Any]) -> None:
    """Limit the filters of all pins together, before the work of reading them."""
    states = [pin.get("state") for pin in pins if isinstance(pin, dict)]
    filters = [state.get("ice_filter") for state in states if isinstance(state, dict)]
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
        raise ValueError(f"the note of {what} is a {type(note).__name__}; it must be a text.")
    if len(note) > MOST_LETTERS:
        raise ValueError(
            f"the note of {what} has {len(note):,} letters; it can have {MOST_LETTERS:,}."
        )
    if not isinstance(ghost, bool):
        raise ValueError(f"ghost of {what} is a {type(ghost).__name__}; it must be True or False.")
    state = validate_state(pin["state"], explainer, f"the state of {what}")
    return {"note": note, "state": state, "ghost": ghost}
