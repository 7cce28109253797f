"""Messages from the browser, which are untrusted: every value is validated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs, validate
from uqwidgets.widgets.session.pins import validate_pins
from uqwidgets.widgets.session.price import refusal

# Counts of the host and of the front end: views, and numbers of requests. The number of a request
# is set last, after its inputs.
_COUNTS = ("_view_count", "_stop", "_seq")
# A page numbers its requests from the latest one on. A number far beyond it comes from no page, and
# accepting it would leave no next number.
_MOST_AHEAD = 1_000_000


class Message(NamedTuple):
    """The valid values of a message, and the errors of the others.

    Attributes
    ----------
    accepted : dict
        Values to set, by the names of their traits.
    refused : dict of str to str
        Sentences that say why the other values are not set.
    failure : ValueError or None
        Of the model that was to be shown.
    """

    accepted: dict[str, Any]
    refused: dict[str, str]
    failure: ValueError | None

    @property
    def needs_answer(self) -> bool:
        """Whether the page waits for an answer."""
        return bool(self.refused) or not self.accepted.keys().isdisjoint((*NAMES, "pins", "_seq"))


def data_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a message of the host carries, nothing of a malformed one."""
    content = message.get("content")
    data = content.get("data") if isinstance(content, dict) else None
    return data if isinstance(data, dict) else {}


def is_moving(content: object) -> bool:
    """Return whether a custom message says that a hand begins to move tau.

    Until it rests, which is a request, work in the background would slow the browser down.
    """
    return isinstance(content, dict) and content.get("moving") is True


def read_message(
    message: Mapping[str, Any], explainer: Explainer, present: Inputs, newest: int
) -> Message:
    """Validate the inputs, pins and counts of a message.

    The browser can set no other trait: neither results of the kernel nor properties of the host.

    Parameters
    ----------
    message : mapping
        Values by the names of traits.
    explainer : Explainer
        Of the model that is shown.
    present : Inputs
    newest : int
        The greatest number of a request so far.
    """
    accepted: dict[str, Any] = {}
    refused: dict[str, str] = {}
    failure = None
    # The other inputs are those of the model that is to be shown, or of the present one if it is
    # refused.
    for name in sorted(message, key=lambda name: name != "shown_model"):
        try:
            if name in NAMES:
                accepted[name] = validate(name, message[name], explainer)
            elif name == "pins":
                accepted[name] = validate_pins(message[name], explainer)
            if name == "shown_model":
                explainer = explainer_of(explainer, accepted[name])
        except ValueError as error:
            refused[name] = str(error)
            if name == "shown_model":
                failure = error
    dear = refusal(present, {n: v for n, v in accepted.items() if n in NAMES}, explainer)
    refused |= dear
    accepted = {name: value for name, value in accepted.items() if name not in dear}
    for name in _COUNTS:
        value = message.get(name)
        if type(value) is int and 0 <= value <= newest + _MOST_AHEAD:
            accepted[name] = value
    return Message(accepted, refused, failure)
