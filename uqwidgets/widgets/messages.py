"""What a message from the browser may set; all of it is untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.inputs import NAMES, checked_from_browser
from uqwidgets.widgets.pins import checked_pins

# Of the host and of the front end: how many views there are, and numbers of requests. The number
# of a request comes last, after what it asks.
_COUNTS = ("_view_count", "_stop", "_seq")
# Pages count their requests on from the latest one, so a number far beyond it is none of theirs;
# taken, it would leave them no next one.
_MOST_AHEAD = 1_000_000


class Sifted(NamedTuple):
    """A message, divided into what is set and what is not.

    Attributes
    ----------
    accepted : dict
        Values to set, by the names of their traits.
    refused : dict of str to str
        Why other values are not set, as sentences.
    """

    accepted: dict[str, Any]
    refused: dict[str, str]

    @property
    def asks(self) -> bool:
        """Whether the message asks for an answer."""
        return bool(self.refused) or not self.accepted.keys().isdisjoint((*NAMES, "pins", "_seq"))


def sifted(message: Mapping[str, Any], explainer: Explainer, newest: int) -> Sifted:
    """Return what a message may set: inputs, pins, and the counts of host and front end.

    Neither what the kernel says nor what the host makes of the widget is the browser's to set.

    Parameters
    ----------
    message : mapping
        Values by the names of traits.
    explainer : Explainer
    newest : int
        The greatest number that a request had so far.
    """
    accepted: dict[str, Any] = {}
    refused: dict[str, str] = {}
    for name, value in message.items():
        try:
            if name in NAMES:
                accepted[name] = checked_from_browser(name, value, explainer)
            elif name == "pins":
                accepted[name] = checked_pins(value, explainer)
        except ValueError as error:
            refused[name] = str(error)
    for name in _COUNTS:
        value = message.get(name)
        if type(value) is int and 0 <= value <= newest + _MOST_AHEAD:
            accepted[name] = value
    return Sifted(accepted, refused)
